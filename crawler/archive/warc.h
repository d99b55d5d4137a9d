/* The text of WARC records: WARC/1.1, ISO 28500:2017. */
#ifndef FRESHET_WARC_H
#define FRESHET_WARC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/buf.h"
#include "base/slice.h"
#include "crawler/archive/sha1.h"

enum warc_type {
	WARC_INFO,
	WARC_REQUEST,
	WARC_RESPONSE,
	WARC_REVISIT, /* in the place of a response */
	WARC_METADATA /* of the response, in JSON */
};

#define WARC_ID 48 /* "urn:uuid:…" with its NUL */

struct warc_record {
	enum warc_type type;
	struct slice url; /* of WARC_INFO the name of the file */
	int64_t at_us; /* since the Epoch */
	const struct addr *peer; /* NULL: none is told */
	uint64_t length; /* of the block, in bytes */
	uint8_t block[SHA1_BYTES]; /* digest of the block */
	const uint8_t *payload; /* digest of the payload; NULL: none is told */
	const char *truncated; /* NULL: the block is whole */
	bool is_not_modified; /* of a revisit: the server said so */
	int64_t before_us; /* of a revisit: when the payload was archived */
};

/* warc_id(id, type, url, at_us): the name of a record.  It is made of these
 * three alone, so that a later record can name an earlier one; a response and a
 * revisit have the same. */
void warc_id(char id[WARC_ID], enum warc_type, struct slice url, int64_t at_us);

/* warc_print(record, out): append its header, with the empty line; the block
 * follows, and WARC_END behind it. */
#define WARC_END "\r\n\r\n"
void warc_print(const struct warc_record *, struct buf *out);

/* warc_answer(head, out): append the head of an answer as it is archived.  The
 * transfer coding of the body is undone already.  A reader that found the field
 * Transfer-Encoding would undo it again, so the field is given another name. */
void warc_answer(struct slice head, struct buf *out);

#endif
