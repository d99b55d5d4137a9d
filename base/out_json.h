/* Members of a JSON object on stdout. */
#ifndef FRESHET_OUT_JSON_H
#define FRESHET_OUT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/slice.h"

/*
 * out_json_key(out, key): append `"key":`, after a comma where one is needed.
 * The other functions append a value; out_json_word appends null for an empty
 * word. out_json_real writes six digits, and null for a value that is not a
 * number. out_json_time appends "2024-06-05T10:11:12Z", and null for 0 and for
 * a time that has no such form; out_json_code the name of a diagnostic, and
 * null for DIAG_OK.
 */
void out_json_key(struct buf *, const char *key);
void out_json_number(struct buf *, const char *key, uint64_t);
void out_json_word(struct buf *, const char *key, struct slice);
void out_json_real(struct buf *, const char *key, double);
void out_json_flag(struct buf *, const char *key, bool);
void out_json_time(struct buf *, const char *key, int64_t epoch_s);
void out_json_code(struct buf *, const char *key, enum diag_code);

#endif
