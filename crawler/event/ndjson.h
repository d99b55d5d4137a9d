/* Reading lines of JSON, one object each, that other processes write; the only
 * module that knows jansson. */
#ifndef FRESHET_NDJSON_H
#define FRESHET_NDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/late.h"
#include "base/slice.h"
#include "base/strings.h"

struct ndjson; /* one object */

/* ndjson_parse(line, rest): the object, freed by ndjson_free; NULL when the
 * line is no object or has a key twice.  With rest NULL, the object must be all
 * of the line; else *rest becomes the text behind the object, whatever it is,
 * borrowed from line. */
struct ndjson *ndjson_parse(struct slice line, struct slice *rest);
void ndjson_free(struct ndjson *);

/* ndjson_text(object, key): the string under the key, borrowed from the object;
 * .p is NULL when there is no string.  The string holds no NUL. */
struct slice ndjson_text(const struct ndjson *, const char *key);

/* ndjson_number(object, key, otherwise): the integer under the key, or
 * otherwise. ndjson_flag(object, key): is `true` under the key? */
int64_t ndjson_number(
    const struct ndjson *, const char *key, int64_t otherwise);
bool ndjson_flag(const struct ndjson *, const char *key);

/* ndjson_type(object, key): the type of the value; NDJSON_NONE for null, or if
 * there is no value. */
enum ndjson_type {
	NDJSON_NONE,
	NDJSON_TEXT,
	NDJSON_INTEGER,
	NDJSON_REAL,
	NDJSON_OTHER
};
enum ndjson_type ndjson_type(const struct ndjson *, const char *key);

/* ndjson_real(object, key): the number under the key, or 0. */
double ndjson_real(const struct ndjson *, const char *key);

/* ndjson_item(object, key, i): the string at position i of the list under the
 * key; .p is NULL behind the end. */
struct slice ndjson_item(const struct ndjson *, const char *key, size_t i);

/* ndjson_strings(object, key, strings): append all strings of the list under
 * the key. */
void ndjson_strings(const struct ndjson *, const char *key, struct strings *);

/* ndjson_object(object, key, i): the object at position i of the list under the
 * key, which may outlive the other and is freed by ndjson_free(); NULL when
 * there is none. */
struct ndjson *ndjson_object(const struct ndjson *, const char *key, size_t i);

/* ndjson_library(library): the versions of jansson. */
void ndjson_library(struct library *);

#endif
