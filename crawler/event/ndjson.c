/*
 * Reading lines of JSON, one object each.
 *
 * jansson reads all of them, but for plain ones of ndjson_parse_begin(): those
 * are read here.  Millions of results come as a few short members, and jansson
 * takes a tenth of all that a result costs [measured].  The reader of plain
 * lines may refuse a line, but never reads it in another way than jansson.
 */
#include "crawler/event/ndjson.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define PLAIN_MEMBERS 16 /* a line with more is not plain */
#define PLAIN_DIGITS 15 /* a double has so many exactly */

/* A member of a plain object. */
struct member {
	struct slice key, text; /* borrowed from the line */
	int64_t number;
	enum ndjson_type type;
	bool is_true;
};

struct ndjson {
	json_t *object; /* owned; NULL: the object is plain */
	size_t count;
	struct member members[]; /* of a plain object */
};

/* Plain objects. */

static void
skip_space(struct slice *in)
{
	while (in->len > 0 &&
	    (*in->p == ' ' || *in->p == '\t' || *in->p == '\n' ||
		*in->p == '\r'))
		*in = slice_from(*in, 1);
}

static bool
take_char(struct slice *in, char c)
{
	if (in->len == 0 || *in->p != c)
		return false;
	*in = slice_from(*in, 1);
	return true;
}

/* Take one of the characters that stand between strings and values, and the
 * white space around it. */
static bool
take_mark(struct slice *in, char c)
{
	skip_space(in);
	if (!take_char(in, c))
		return false;
	skip_space(in);
	return true;
}

/* Take a string of printable ASCII without a backslash. */
static bool
take_text(struct slice *in, struct slice *text)
{
	size_t len = 0;

	if (!take_char(in, '"'))
		return false;
	while (len < in->len && in->p[len] >= ' ' && in->p[len] <= '~' &&
	    in->p[len] != '"' && in->p[len] != '\\')
		len++;
	*text = slice_make(in->p, len);
	*in = slice_from(*in, len);
	return take_char(in, '"');
}

static bool
take_number(struct slice *in, int64_t *number)
{
	size_t len = 0;

	*number = 0;
	while (len < in->len && in->p[len] >= '0' && in->p[len] <= '9' &&
	    len <= PLAIN_DIGITS)
		*number = *number * 10 + (in->p[len++] - '0');
	if (len == 0 || len > PLAIN_DIGITS || (len > 1 && *in->p == '0') ||
	    len == in->len || in->p[len] == '.' || in->p[len] == 'e' ||
	    in->p[len] == 'E')
		return false;
	*in = slice_from(*in, len);
	return true;
}

static bool
take_word(struct slice *in, const char *word)
{
	if (!slice_starts(*in, slice_of(word)))
		return false;
	*in = slice_from(*in, slice_of(word).len);
	return true;
}

static const struct member *
find(const struct ndjson *object, struct slice key)
{
	for (size_t i = 0; i < object->count; i++)
		if (slice_equal(object->members[i].key, key))
			return &object->members[i];
	return NULL;
}

static bool
take_member(struct slice *in, struct ndjson *object)
{
	struct member member = {.type = NDJSON_OTHER};

	if (object->count == PLAIN_MEMBERS || !take_text(in, &member.key) ||
	    find(object, member.key) != NULL || !take_mark(in, ':'))
		return false;
	if (take_number(in, &member.number))
		member.type = NDJSON_INTEGER;
	else if (take_word(in, "true"))
		member.is_true = true;
	else if (take_word(in, "null"))
		member.type = NDJSON_NONE;
	else if (take_text(in, &member.text))
		member.type = NDJSON_TEXT;
	else if (!take_word(in, "false"))
		return false;
	object->members[object->count++] = member;
	return true;
}

/* The plain object at the beginning of *in, which is behind it then; NULL:
 * jansson is to read it. */
static struct ndjson *
take_plain(struct slice *in)
{
	struct ndjson *object;
	bool is_plain;

	if (!take_mark(in, '{'))
		return NULL;
	object = mem_alloc(
	    sizeof(*object) + PLAIN_MEMBERS * sizeof(struct member));
	object->object = NULL;
	object->count = 0;
	do
		is_plain = take_member(in, object);
	while (is_plain && take_mark(in, ','));
	if (is_plain && take_char(in, '}'))
		return object;
	free(object);
	return NULL;
}

/* All objects. */

static struct ndjson *
parse(struct slice line, size_t flags, json_error_t *error)
{
	struct ndjson *object;
	json_t *json = json_loadb(
	    line.p, line.len, JSON_REJECT_DUPLICATES | flags, error);

	if (json == NULL || !json_is_object(json)) {
		json_decref(json);
		return NULL;
	}
	object = mem_zero(sizeof(*object));
	object->object = json;
	return object;
}

struct ndjson *
ndjson_parse(struct slice line)
{
	return parse(line, 0, NULL);
}

struct ndjson *
ndjson_parse_begin(struct slice line, struct slice *rest)
{
	json_error_t error = {0};
	struct ndjson *object;

	*rest = line;
	object = take_plain(rest);
	if (object != NULL)
		return object;
	object = parse(line, JSON_DISABLE_EOF_CHECK, &error);
	if (object != NULL)
		*rest = slice_from(line, (size_t)error.position);
	return object;
}

void
ndjson_free(struct ndjson *object)
{
	if (object == NULL)
		return;
	json_decref(object->object);
	free(object);
}

static struct slice
text_of(const json_t *value)
{
	if (!json_is_string(value))
		return slice_make(NULL, 0);
	return slice_make(json_string_value(value), json_string_length(value));
}

/* The member of a plain object; .type is NDJSON_NONE if there is none. */
static struct member
plain_member(const struct ndjson *object, const char *key)
{
	const struct member *member = find(object, slice_of(key));

	return member == NULL ? (struct member){.type = NDJSON_NONE} : *member;
}

struct slice
ndjson_text(const struct ndjson *object, const char *key)
{
	if (object->object == NULL)
		return plain_member(object, key).text;
	return text_of(json_object_get(object->object, key));
}

int64_t
ndjson_number(const struct ndjson *object, const char *key, int64_t otherwise)
{
	struct member member;
	const json_t *value;

	if (object->object == NULL) {
		member = plain_member(object, key);
		return member.type == NDJSON_INTEGER ? member.number
						     : otherwise;
	}
	value = json_object_get(object->object, key);
	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

bool
ndjson_flag(const struct ndjson *object, const char *key)
{
	if (object->object == NULL)
		return plain_member(object, key).is_true;
	return json_is_true(json_object_get(object->object, key));
}

enum ndjson_type
ndjson_type(const struct ndjson *object, const char *key)
{
	const json_t *value;

	if (object->object == NULL)
		return plain_member(object, key).type;
	value = json_object_get(object->object, key);
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
	if (object->object == NULL)
		return (double)plain_member(object, key).number;
	return json_number_value(json_object_get(object->object, key));
}

struct slice
ndjson_item(const struct ndjson *object, const char *key, size_t i)
{
	const json_t *list = json_object_get(object->object, key);

	return text_of(json_array_get(list, i));
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
	json_t *item = json_array_get(json_object_get(object->object, key), i);
	struct ndjson *found;

	if (!json_is_object(item))
		return NULL;
	found = mem_alloc(sizeof(*found));
	found->object = json_incref(item);
	return found;
}

void
ndjson_library(struct library *library)
{
	*library = (struct library){.name = "jansson"};
	(void)snprintf(
	    library->built, sizeof(library->built), "%s", JANSSON_VERSION);
	(void)snprintf(library->running, sizeof(library->running), "%s",
	    jansson_version_str());
}
