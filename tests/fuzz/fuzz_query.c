/*
 * Any bytes as the target of a request to `serve`: what is taken is bounded and
 * printable, comes back when it is written into a link, and stays one value in
 * a query of SQL.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/chart/markup.h"
#include "crawler/serve/serve.h"
#include "crawler/serve/serve_api.h"
#include "tests/fuzz/fuzz.h"

#define LEAST 7
#define MOST 4000000000u

static void
check_plain(const char *text)
{
	for (; *text != '\0'; text++)
		assert((unsigned char)*text >= ' ' && *text != 0x7f);
}

/* A reader of SQL finds one literal, which is the value. */
static void
check_literal(const char *value)
{
	struct buf text;
	const char *at;

	buf_init(&text, SIZE_MAX);
	serve_rows_literal(&text, value);
	at = buf_str(&text);
	assert(*at++ == '\'');
	for (; *value != '\0'; value++, at++) {
		assert(*at == *value);
		if (*at == '\'')
			assert(*++at == '\'');
	}
	assert(strcmp(at, "'") == 0);
	buf_release(&text);
}

static void
check_number(const struct serve_query *query, const char *name)
{
	const char *value = serve_query_get(query, name);
	uint64_t n = 1;
	char *end;

	if (!serve_query_number(query, name, LEAST, MOST, &n)) {
		assert(value != NULL && n == 1);
		return;
	}
	assert(value != NULL || n == 1);
	if (value == NULL)
		return;
	assert(n >= LEAST && n <= MOST);
	assert(strspn(value, "0123456789") == strlen(value));
	assert(strtoull(value, &end, 10) == n && *end == '\0');
}

static bool
is_equal(const struct serve_query *a, const struct serve_query *b)
{
	bool is_so = strcmp(a->path, b->path) == 0 && a->count == b->count;

	for (size_t i = 0; is_so && i < a->count; i++)
		is_so = strcmp(a->items[i].name, b->items[i].name) == 0 &&
		    strcmp(a->items[i].value, b->items[i].value) == 0;
	return is_so;
}

/* A link with these parameters leads to the same question. */
static void
check_link(const struct serve_query *query)
{
	struct serve_query again;
	struct buf link;

	buf_init(&link, SIZE_MAX);
	(void)buf_print(&link, "%s", query->path);
	for (size_t i = 0; i < query->count; i++) {
		(void)buf_put_char(&link, i == 0 ? '?' : '&');
		markup_parameter(&link, slice_of(query->items[i].name));
		(void)buf_put_char(&link, '=');
		markup_parameter(&link, slice_of(query->items[i].value));
	}
	assert(serve_query_parse(&again, buf_str(&link)));
	assert(is_equal(query, &again));
	serve_query_release(&again);
	buf_release(&link);
}

static void
check_parts(const struct serve_query *query, const char *target)
{
	const struct serve_route *route = serve_route_find(query->path);

	assert(route == NULL || strcmp(route->path, query->path) == 0);
	assert(strchr(query->path, '?') == NULL);
	assert(strncmp(target, query->path, strlen(query->path)) == 0);
	assert(query->count <= SERVE_PARAMETERS);
	for (size_t i = 0; i < query->count; i++) {
		const struct serve_parameter *item = &query->items[i];

		check_plain(item->name);
		check_plain(item->value);
		check_literal(item->value);
		check_number(query, item->name);
		for (size_t k = 0; k < i; k++)
			assert(strcmp(item->name, query->items[k].name) != 0);
		if (route != NULL &&
		    serve_query_is_among(query, route->parameters))
			assert(item->name[0] != '\0' &&
			    strstr(route->parameters, item->name) != NULL);
	}
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *target = slice_dup(slice_make((const char *)data, size));
	struct serve_query query;

	if (serve_query_parse(&query, target)) {
		check_parts(&query, target);
		check_link(&query);
	}
	serve_query_release(&query);
	free(target);
	return 0;
}
