/* The writer of JSON. */
#ifndef FRESHET_OUT_JSON_H
#define FRESHET_OUT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"
#include "base/strings.h"

struct date;

/*
 * Whether a comma is due follows from what stands at the end of `out`: there is
 * none at its begin, after a line feed, after what opens an object or a list,
 * and after a colon. All functions take key NULL for an element of a list, and
 * for a value whose key and colon stand there already.
 *
 * out_json_line(out, type): begin a line of output, with its version and its
 * type; NULL: it has none. out_json_line_end(out) ends it.
 * out_json_begin(out, key, bracket): begin an object, '{', or a list, '[';
 * out_json_end(out, bracket) ends it.
 * out_json_strings(out, key, list): a list of texts.
 * out_json_key(out, key): append the key alone.
 *
 * The other functions append a value. out_json_text appends any string;
 * out_json_word and out_json_string null for an empty one and for NULL;
 * out_json_some null for 0, out_json_number_if for what is not known.
 * out_json_real writes six digits, and null for what is not a number.
 * out_json_time appends "2024-06-05T10:11:12Z", and null for 0 and for a time
 * that has no such form; out_json_date null for no date; out_json_code the name
 * of a diagnostic, and null for DIAG_OK.
 */
void out_json_line(struct buf *, const char *type);
void out_json_line_end(struct buf *);
void out_json_begin(struct buf *, const char *key, char bracket);
void out_json_end(struct buf *, char bracket);
void out_json_strings(
    struct buf *, const char *key, const struct strings *list);
void out_json_key(struct buf *, const char *key);
void out_json_text(struct buf *, const char *key, struct slice);
void out_json_word(struct buf *, const char *key, struct slice);
void out_json_string(struct buf *, const char *key, const char *);
void out_json_number(struct buf *, const char *key, uint64_t);
void out_json_some(struct buf *, const char *key, uint64_t);
void out_json_number_if(struct buf *, const char *key, bool, uint64_t);
void out_json_real(struct buf *, const char *key, double);
void out_json_flag(struct buf *, const char *key, bool);
void out_json_time(struct buf *, const char *key, int64_t epoch_s);
void out_json_date(struct buf *, const char *key, const struct date *);
void out_json_code(struct buf *, const char *key, enum diag_code);

#endif
