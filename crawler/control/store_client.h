/*
 * The one way of a command to the store that it writes.  If no process owns the
 * store, this one becomes the owner, and serves other commands until the client
 * is freed; else the owner serves this command.  When the owner leaves or dies,
 * the command goes on with the next one, or becomes it.
 *
 * Of a store in PostgreSQL the client means one shard.  If another machine
 * holds that shard, or there are several and no process of this machine holds
 * it, the command becomes mail (shards.h), unless it needs a driver.
 *
 * An owner without a driver leaves the store to a command that needs one, and
 * goes on as its client: a `due --follow` may last for ever, and a `run` that
 * begins later could read nothing.
 */
#ifndef FRESHET_STORE_CLIENT_H
#define FRESHET_STORE_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/event/loop.h"
#include "crawler/sandbox/forkserver.h"

struct crawler;
struct ndjson;
struct store_client;

struct store_client_options {
	const struct options *options;
	struct loop *loop;

	/* The loop calls these; none of them may free the client.
	 * ready: the next line written must be a request (crawler_serve.h).
	 * Called again for each further owner: what the one before did not
	 * answer must be sent again.
	 * line: a line of the answer, without its line feed, and as an object;
	 * the object is NULL if the line is about a lease (frontier_lines.h).
	 * ended: the request is over, or there is no owner; the exit status,
	 * after one line on stderr if there is something to say. */
	void (*ready)(void *arg);
	void (*line)(void *arg, struct slice line, const struct ndjson *);
	void (*ended)(void *arg, int status);
	void *arg;

	bool makes_store; /* if there is none */
	bool
	    never_owns; /* ask an owner, if there is one; says nothing if not */
	/* Of PostgreSQL: borrowed, and the shard.  NULL: there is no mail. */
	struct shards *shards;
	unsigned shard;
	/* The request is done or import, whose lines follow.  As mail, several
	 * are answered by one {"type":"mailed"}; that is the answer to any
	 * other request, too. */
	bool has_lines;
	/* wait without end while an owner with a socket does not answer; else
	 * five seconds, unless an owner answered before.  With never_owns go on
	 * looking for an owner after `ended` was called with EXIT_LOCKED. */
	bool waits;
	int64_t patience_ms; /* instead of five seconds; 0: five seconds */
	/* An owner needs a driver: the readers come from forkserver, which may
	 * be NULL. */
	bool has_driver;
	struct forkserver *forkserver;
	/* The crawler of an owner, prepared for crawler_open, which the caller
	 * lets serve others; NULL: one of the client's own, with which the
	 * command speaks as other commands do. */
	struct crawler *crawler;
};

/* store_client_new(options): begin to look for the owner.
 * store_client_free(client): lines whose answers are missing are lost, and an
 * owner leaves the store. */
struct store_client *store_client_new(const struct store_client_options *);
void store_client_free(struct store_client *);

/* store_client_send(client, lines): send whole lines, and release the buffer.
 * They are dropped while there is no owner; then false. */
bool store_client_send(struct store_client *, struct buf *lines);

/* store_client_is_owner(client): does this process own the store? */
bool store_client_is_owner(const struct store_client *);

/* store_client_is_told(client): do other processes report results to this one?
 * NULL: no. */
bool store_client_is_told(const struct store_client *);

/* store_client_stopped(client): the loop has stopped before `ended` was called,
 * since the driver of this process has failed: it is called now. */
void store_client_stopped(struct store_client *);

/* store_call(options, call): a request and its answer; or several, one after
 * another, as long as each ends with EXIT_DONE.  Returns the last exit status;
 * EXIT_LOCKED also if never_owns, and there is no owner, or it is silent. */
struct store_call {
	/* a request without members; or the only request; or next(arg, line)
	 * appends the next one, which is the same as before if that was not
	 * answered; false: there is none */
	const char *command;
	struct slice request;
	bool (*next)(void *arg, struct buf *line);
	/* as above; may be NULL */
	void (*line)(void *arg, struct slice line, const struct ndjson *);
	void *arg;
	struct shards *shards; /* as above, as all of these are */
	unsigned shard;
	bool makes_store, never_owns;
	int64_t patience_ms;
	bool was_held; /* result: another process owned the store */
};
int store_call(const struct options *, struct store_call *);

/* store_call_begin(line, command): begin a request in a new buffer; its members
 * follow, and "}\n". */
void store_call_begin(struct buf *line, const char *command);

#endif
