/*
 * The library's end of one helper process.  Nothing here ends the process, and
 * lack of memory is a status, because all of it runs in somebody else's
 * program.
 */
#ifndef FRESHET_HELPER_LINK_H
#define FRESHET_HELPER_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/slice.h"
#include "crawler/library/freshet.h"

struct helper_link {
	pid_t pid;
	int fd; /* owned; -1: there is no helper */
	int wait_ms; /* for an answer */
	int error; /* errno of the last failure; 0: the helper closed */
	char *in; /* owned; received bytes */
	size_t in_at; /* the first byte that was not taken */
	size_t in_len;
	size_t in_cap;
};

/* helper_link_init(link): there is no helper. */
void helper_link_init(struct helper_link *);

/* helper_link_start(link, path): start a helper.  FRESHET_OK or
 * FRESHET_NO_HELPER, with link->error. */
enum freshet_status helper_link_start(struct helper_link *, const char *path);

/* helper_link_stop(link): close the socket, which ends the helper, and collect
 * it; one that does not end within two seconds is killed. */
void helper_link_stop(struct helper_link *);

/* helper_link_abandon(link): forget the helper of the process that forked this
 * one. */
void helper_link_abandon(struct helper_link *);

/* helper_link_release(link): stop, and free the memory. */
void helper_link_release(struct helper_link *);

/* helper_link_is_idle(link): the helper lives, as far as can be seen, and has
 * sent nothing that was not taken. */
bool helper_link_is_idle(const struct helper_link *);

/* A request under construction.  Without memory it is broken, and the rest is
 * ignored. */
struct message {
	char *p; /* owned; frames */
	size_t len;
	size_t cap;
	size_t mark; /* the beginning of the last frame */
	bool is_broken;
};

void message_begin(struct message *, uint8_t type);
void message_u8(struct message *, uint8_t);
void message_u32(struct message *, uint32_t);
void message_u64(struct message *, uint64_t);
void message_text(struct message *, const char *); /* NULL is a value */
void message_texts(struct message *, const char *const *, size_t count);

/*
 * helper_link_request(link, message): send the message, and release it.
 * helper_link_body(link, bytes, len): send bytes as BODY frames;
 * helper_link_body_end(link).  FRESHET_OK, FRESHET_NO_MEMORY,
 * FRESHET_BAD_ARGUMENT (the request is larger than a frame) or
 * FRESHET_HELPER_LOST.
 */
enum freshet_status helper_link_request(struct helper_link *, struct message *);
enum freshet_status helper_link_body(
    struct helper_link *, const char *bytes, size_t len);
enum freshet_status helper_link_body_end(struct helper_link *);

/* helper_link_take(link, type, payload): the next reply; the payload is valid
 * until the next call.  FRESHET_OK, FRESHET_NO_MEMORY or FRESHET_HELPER_LOST.
 */
enum freshet_status helper_link_take(
    struct helper_link *, uint8_t *type, struct slice *payload);

#endif
