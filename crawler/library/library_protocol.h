/*
 * Frames between libfreshet and its helper, over one stream socket pair; their
 * form, and all that sends and takes them, is that of the readers
 * (crawler/sandbox/frames.h).
 *
 * The library sends a request and takes all its replies before it sends the
 * next one.  The helper trusts no request in what is foreign (URLs, headers,
 * bodies), and ends at a frame that makes no sense.  The library trusts no
 * reply in lengths, counts and NULs.
 *
 * Requests, each with the replies to it:
 *
 *	OPEN            once, first: u32 LIBRARY_PROTOCOL | freshet_options
 *	    READY           u32 LIBRARY_PROTOCOL | u8 has_sandbox
 *	DOCUMENT        library_question; then BODY..., BODY_END
 *	    READING, ENTRY..., END: freshet_reading, freshet_entry, nothing
 *	JUDGE           library_question
 *	    VERDICT         freshet_verdict
 *	ROBOTS          library_robots; then BODY..., BODY_END
 *	    FACTS           freshet_robots_facts
 *	ROBOTS_ASK      library_robots
 *	    VERDICT_ROBOTS  freshet_robots_verdict
 *	ROBOTS_DROP     library_robots
 *	    no reply
 *
 * FAILED comes instead of any other reply: u8 enum freshet_status | u32 length
 * | text in words, with its NUL.  That, the beginning of OPEN, and READY never
 * change, so that a library and a helper that do not belong together notice.
 */
#ifndef FRESHET_LIBRARY_PROTOCOL_H
#define FRESHET_LIBRARY_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/library/freshet.h"

/* Library and helper are installed together; this number finds out where they
 * were not.  Increase it with every change of a frame, and of a struct of
 * freshet.h. */
#define LIBRARY_PROTOCOL 3

#define LIBRARY_FD 3 /* the helper's end of the socket */
#define LIBRARY_BODY_BYTES (64u << 10) /* of one BODY frame, at most */

enum library_request {
	LIBRARY_OPEN = 16,
	LIBRARY_DOCUMENT,
	LIBRARY_BODY,
	LIBRARY_BODY_END,
	LIBRARY_JUDGE,
	LIBRARY_ROBOTS,
	LIBRARY_ROBOTS_ASK,
	LIBRARY_ROBOTS_DROP
};

enum library_reply {
	LIBRARY_READY = 64,
	LIBRARY_FAILED,
	LIBRARY_READING,
	LIBRARY_ENTRY,
	LIBRARY_END,
	LIBRARY_VERDICT,
	LIBRARY_FACTS,
	LIBRARY_VERDICT_ROBOTS
};

/* What is asked about a document; url and is_child belong to JUDGE. */
struct library_question {
	struct freshet_document document;
	const char *url;
	bool is_child;
};

/* What is asked about a robots.txt, under the library's number: ROBOTS has the
 * agent and the profile, ROBOTS_ASK the URL. */
struct library_robots {
	uint32_t id;
	const char *agent;
	const char *profile;
	const char *url;
};

/* An image is a struct as it lies in memory, with all that its pointers lead
 * to behind it, in the order of the members.  A shape says where the pointers
 * are; a pointer itself only says whether there is something. */
struct image_shape;

extern const struct image_shape image_options; /* struct freshet_options */
extern const struct image_shape image_question; /* struct library_question */
extern const struct image_shape image_robots; /* struct library_robots */
extern const struct image_shape image_reading; /* struct freshet_reading */
extern const struct image_shape image_entry; /* struct freshet_entry */
extern const struct image_shape image_verdict; /* struct freshet_verdict */
extern const struct image_shape image_facts; /* struct freshet_robots_facts */
/* struct freshet_robots_verdict */
extern const struct image_shape image_robots_verdict;

/* image_put(out, shape, value): append an image; out->is_cut: it has no room.
 * An array that is NULL has no items, whatever its count says. */
void image_put(struct buf *out, const struct image_shape *, const void *value);

/* Memory in which an image is taken; it grows with the largest. */
struct image_room {
	char *p; /* owned */
	size_t cap;
};

/* image_take(room, shape, image): the struct, which lies in the room with all
 * that it points to.  Every text ends in the image, every array lies in it,
 * every bool is one, and what must be there is.  NULL with errno: ENOMEM, or
 * EPROTO for bytes that image_put() does not write; what was in the room before
 * is lost then, too. */
const void *image_take(
    struct image_room *, const struct image_shape *, struct slice image);

#endif
