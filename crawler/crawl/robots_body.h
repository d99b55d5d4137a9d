/*
 * What came for a robots.txt with 2xx: the file, or something in its place
 * (SPEC ).
 *
 * Nearly every answer is plain text, and is judged at once. What is in a
 * content coding, and what looks like a page, is unpacked and looked at by a
 * reader, in the sandbox.
 */
#ifndef FRESHET_ROBOTS_BODY_H
#define FRESHET_ROBOTS_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/slice.h"

struct content;
struct fetch_result;
struct profile;
struct reader_job;
struct spool_file;
struct url;

enum robots_body {
	ROBOTS_BODY_FILE,
	/* a page, or another text; no file, if no rules are known */
	ROBOTS_BODY_PAGE,
	/* the rules cannot be known: a challenge of a bot wall, 202, a coding
	 * that cannot be undone */
	ROBOTS_BODY_HIDDEN
};

#define ROBOTS_WHY_BYTES 160

/* robots_body_of_head(result, why): what status and headers say of an answer,
 * whatever its status: FILE or HIDDEN. why is set if it is HIDDEN. */
enum robots_body robots_body_of_head(
    const struct fetch_result *, char why[ROBOTS_WHY_BYTES]);

/* robots_body_of_text(text, why): what an unpacked body is. why is set if it is
 * not FILE; static or in why. */
enum robots_body robots_body_of_text(
    struct slice text, char why[ROBOTS_WHY_BYTES]);

/* robots_body_wants_reader(body, content_encoding): is the body no plain text,
 * or may it be a page? content_encoding may be NULL. */
bool robots_body_wants_reader(struct slice body, const char *content_encoding);

/* robots_body_job(job, spool, url, result): the job for a reader; false: the
 * body cannot be read back. */
bool robots_body_job(struct reader_job *, struct spool_file *,
    const struct url *, const struct fetch_result *);

/* robots_body_of_reading(result, content, text, why): what the reader found.
 * *text is the unpacked body, borrowed from content; empty if HIDDEN. why is
 * set if it is not FILE. */
enum robots_body robots_body_of_reading(enum diag_code result,
    const struct content *, struct slice *text, char why[ROBOTS_WHY_BYTES]);

/* robots_whole_lines(body, is_cut): the part of a body that counts: up to its
 * limit (SPEC R-99), without the line that the limit, or the end of a transfer
 * that was cut, falls into. */
struct slice robots_whole_lines(struct slice body, bool is_cut);

#endif
