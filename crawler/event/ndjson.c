/* Reading lines of JSON, one object each. */
#include "crawler/event/ndjson.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/mem.h"

/* A struct ndjson is jansson's own object: no member of it is ever seen. */
static const json_t *
value_of(const struct ndjson *object, const char *key)
{
	return json_object_get((const json_t *)object, key);
}

/* A string without NUL; .p is NULL for any other value. */
static struct slice
text_of(const json_t *value)
{
	return slice_make(json_string_value(value), json_string_length(value));
}

struct ndjson *
ndjson_parse(struct slice line, struct slice *rest)
{
	json_error_t error = {0};

	/* Without memory a line would seem to be malformed. */
	json_set_alloc_funcs(mem_alloc, free);
	/* Of a key that stands twice each reader takes another value, so such
	 * a line has no meaning. */
	json_t *json = json_loadb(line.p, line.len,
	    JSON_REJECT_DUPLICATES |
		(rest != NULL ? JSON_DISABLE_EOF_CHECK : 0),
	    &error);

	if (json == NULL || !json_is_object(json)) {
		json_decref(json);
		return NULL;
	}
	/* jansson counts the bytes that it has taken. */
	if (rest != NULL)
		*rest = slice_from(line, (size_t)error.position);
	return (struct ndjson *)json;
}

void
ndjson_free(struct ndjson *object)
{
	json_decref((json_t *)object);
}

struct slice
ndjson_text(const struct ndjson *object, const char *key)
{
	return text_of(value_of(object, key));
}

int64_t
ndjson_number(const struct ndjson *object, const char *key, int64_t otherwise)
{
	const json_t *value = value_of(object, key);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

bool
ndjson_flag(const struct ndjson *object, const char *key)
{
	return json_is_true(value_of(object, key));
}

enum ndjson_type
ndjson_type(const struct ndjson *object, const char *key)
{
	const json_t *value = value_of(object, key);

	/* A null says what a missing key says. */
	if (value == NULL || json_is_null(value))
		return NDJSON_NONE;
	if (json_is_string(value))
		return NDJSON_TEXT;
	if (json_is_integer(value))
		return NDJSON_INTEGER;
	return json_is_real(value) ? NDJSON_REAL : NDJSON_OTHER;
}

double
ndjson_real(const struct ndjson *object, const char *key)
{
	return json_number_value(value_of(object, key));
}

struct slice
ndjson_item(const struct ndjson *object, const char *key, size_t i)
{
	return text_of(json_array_get(value_of(object, key), i));
}

void
ndjson_strings(
    const struct ndjson *object, const char *key, struct strings *strings)
{
	struct slice item;

	for (size_t i = 0; item = ndjson_item(object, key, i), item.p != NULL;
	     i++)
		strings_add(strings, item);
}

struct ndjson *
ndjson_object(const struct ndjson *object, const char *key, size_t i)
{
	json_t *item = json_array_get(value_of(object, key), i);

	/* The item is shared, not copied: it may outlive the object. */
	return json_is_object(item) ? (struct ndjson *)json_incref(item) : NULL;
}

void
ndjson_library(struct library *library)
{
	*library = library_make(
	    "jansson", JANSSON_VERSION, jansson_version_str());
}
