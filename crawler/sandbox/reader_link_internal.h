/* What the files of a reader's link share. */
#ifndef FRESHET_READER_LINK_INTERNAL_H
#define FRESHET_READER_LINK_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "crawler/sandbox/reader_link.h"
#include "crawler/sandbox/reader_validation.h"

/* Sends of one link before the others have their turn. */
#define LINK_TURNS 16

/* Bytes of previous blocks that are pulled before the socket takes them. */
#define LINK_AHEAD_BYTES (96 << 10)

#define KEPT_BYTES (1 << 20) /* room that an idle link may keep */

enum link_state { LINK_OPEN, LINK_FULL, LINK_CLOSED };

struct reader_link {
	struct reader_link_options options;
	enum link_state state;
	pid_t pid;
	int fd; /* owned */
	struct loop_watch *watch; /* owned; NULL: closed */
	struct loop_timer *wall; /* owned */
	struct reader_task *tasks[LINK_JOBS]; /* owned, in order */
	unsigned count;
	unsigned given; /* ever */
	int64_t site_id; /* of what was given first */
	int64_t extended_ms;
	const char *why; /* main killed it, NULL: it did not */

	struct buf in;
	size_t in_at;
	uint64_t answer_bytes; /* of the first task */
	struct validation *validation; /* owned; at the first task */

	unsigned sent; /* tasks that went out whole */
	bool is_sending; /* tasks[sent] has begun to go out */
	bool has_more; /* it has previous blocks that were not pulled */
	bool has_fds; /* which its first byte carries */
	struct buf out; /* of tasks[sent] only */
	size_t out_at;
	int scratch[LINK_JOBS]; /* owned, by turns */
};

/* link_send(link): what the socket takes now of what is to go out. */
void link_send(struct reader_link *);

/* link_clear(buf): forget the bytes, and the room if it is large. */
void link_clear(struct buf *);

#endif
