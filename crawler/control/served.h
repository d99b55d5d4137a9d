/* What the driver of an owner does for clients: crawls, and fetching pages. */
#ifndef FRESHET_SERVED_H
#define FRESHET_SERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/control/control.h"
#include "crawler/event/loop.h"

struct crawler;
struct ndjson;

/* Where a command that asked for it prints a text. */
enum stream { STREAM_OUT = 1, STREAM_ERR = 2 };

struct served;

struct served_kind {
	/* progress: append the members of a line of progress.
	 * stop: the user stops the command, which ends with that status.
	 * end: the driver has failed; end the peer with that status.
	 * gone: the peer went away.
	 * settle: the owner leaves: tell what is stored.  NULL: nothing is to
	 * be told.
	 * end and gone free the struct, stop may. */
	void (*progress)(struct served *, struct buf *);
	void (*stop)(struct served *, int status);
	void (*end)(struct served *, int status);
	void (*gone)(struct served *);
	void (*settle)(struct served *);
};

/* The first member of a larger struct. */
struct served {
	struct control_client client; /* first */
	const struct served_kind *kind;
	struct crawler *crawler; /* the owner */
	struct served *next; /* of its list */
	struct control_peer *peer;
	struct loop_timer *progress; /* owned */
	int64_t progress_ms; /* between two lines of progress; 0: one line */
	int64_t began_ms;
	bool is_json;
	bool is_quiet; /* no problems, and no summary */
	struct buf line; /* empty: its memory is used again */
};

/* served_begin(served, kind, crawler, command, peer, request): fill in the
 * struct, with the flags of the request; the first line of progress tells the
 * command that the work has begun.  False, and nothing is done: this owner has
 * no driver, or its options differ from those of the request, as far as that
 * command takes them, and the peer was told.
 * served_release(served): before it is freed. */
bool served_begin(struct served *, const struct served_kind *, struct crawler *,
    uint64_t command, struct control_peer *, const struct ndjson *request);
void served_release(struct served *);

/* served_progress(served): send a line of progress now. */
void served_progress(struct served *);

/* served_settle(list): settle all. */
void served_settle(struct served *list);

/* served_say(served, stream): send the whole lines in served->line, with
 * control characters escaped, for that stream of the command. */
void served_say(struct served *, enum stream);

/* served_put_part(out, n, what): "   12 failed", of a summary; nothing if n is
 * 0. */
void served_put_part(struct buf *, uint64_t n, const char *what);

#endif
