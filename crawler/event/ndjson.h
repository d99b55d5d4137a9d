/* One JSON object a line, as other processes write it; jansson's place. */
#ifndef FRESHET_NDJSON_H
#define FRESHET_NDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/library.h"
#include "base/slice.h"

struct ndjson; /* one object */

/* ndjson_parse(line): NULL when it is no object, or has a key twice. */
struct ndjson *ndjson_parse(struct slice line);

/* ndjson_parse_begin(line, rest): the same of an object that the line begins
 * with; *rest, borrowed, is what stands behind it, whatever it is. */
struct ndjson *ndjson_parse_begin(struct slice line, struct slice *rest);
void ndjson_free(struct ndjson *);

/* ndjson_text(object, key): a string; .p is NULL when there is none under
 * that key.  Borrowed from the object; it holds no NUL. */
struct slice ndjson_text(const struct ndjson *, const char *key);

/* ndjson_number(object, key, otherwise), ndjson_flag(object, key): an integer
 * and true; otherwise, and false, when there is none. */
int64_t ndjson_number(
    const struct ndjson *, const char *key, int64_t otherwise);
bool ndjson_flag(const struct ndjson *, const char *key);

/* ndjson_type(object, key): what is there; null is NONE. */
enum ndjson_type {
	NDJSON_NONE,
	NDJSON_TEXT,
	NDJSON_INTEGER,
	NDJSON_REAL,
	NDJSON_OTHER
};
enum ndjson_type ndjson_type(const struct ndjson *, const char *key);

/* ndjson_real(object, key): any number that is there, else 0. */
double ndjson_real(const struct ndjson *, const char *key);

/* ndjson_item(object, key, i): the string at i in the list under key; .p is
 * NULL past its end. */
struct slice ndjson_item(const struct ndjson *, const char *key, size_t i);

/* ndjson_library(library): jansson. */
void ndjson_library(struct library *);

#endif
