/* Cases of kind "xml": what is read from a decoded document. */
#include <jansson.h>
#include <stdlib.h>

#include "tests/conformance/cases.h"
#include "tests/conformance/common.h"
#include "tests/conformance/document_case.h"
#include "tests/fixtures/read_fixture.h"

static const char *
kind_name(enum document_kind kind)
{
	static const char *const names[KIND_COUNT] = {[KIND_UNKNOWN] = "none",
	    [KIND_INDEX] = "sitemapindex",
	    [KIND_URLSET] = "urlset",
	    [KIND_TEXT] = "text",
	    [KIND_RSS] = "rss",
	    [KIND_ATOM] = "atom"};

	return names[kind];
}

static bool
check_locs(const struct fixture *fixture, const json_t *expect, struct buf *why)
{
	const json_t *locs = json_object_get(expect, "locs");
	bool ok = json_array_size(locs) == fixture->count;

	for (size_t i = 0; ok && i < fixture->count; i++)
		ok = strcmp(json_string_value(json_array_get(locs, i)),
			 fixture->entries[i].url) == 0;
	if (ok)
		return true;
	buf_print(why, "locs:");
	for (size_t i = 0; i < fixture->count; i++)
		buf_print(why, " %s", fixture->entries[i].url);
	buf_print(why, "; ");
	return false;
}

static bool
check_dates(
    const struct fixture *fixture, const json_t *expect, struct buf *why)
{
	const json_t *dates = json_object_get(expect, "lastmods");
	bool ok = true;
	size_t i;
	const json_t *item;

	json_array_foreach(dates, i, item)
	{
		if (i >= fixture->count)
			return false;
		const struct date *date = &fixture->entries[i].entry.lastmod;
		bool is_same = json_is_null(item)
		    ? date->precision == DATE_NONE
		    : date->precision != DATE_NONE &&
			date->epoch_s == json_integer_value(item);
		if (is_same)
			continue;
		buf_print(
		    why, "lastmod %zu is %lld; ", i, (long long)date->epoch_s);
		ok = false;
	}
	return ok;
}

static bool
judge(const json_t *expect, const struct fixture *fixture, struct buf *why)
{
	const struct content *content = &fixture->content;
	const char *kind = kind_name(content->kind);
	struct code_set codes = {0};
	bool ok = true;

	for (size_t i = 0; i < content->findings.count; i++)
		codes.has[content->findings.items[i].code] = true;
	codes.has[DIAG_PARTIAL_DOCUMENT] = false;
	ok = code_set_check(
	    &codes, json_object_get(expect, "diagnostics"), why);
	if (strcmp(kind, case_text(expect, "kind")) != 0) {
		buf_print(why, "kind %s; ", kind);
		ok = false;
	}
	if (content->is_complete !=
	    json_is_true(json_object_get(expect, "complete"))) {
		buf_print(why, "complete %d; ", content->is_complete);
		ok = false;
	}
	return check_locs(fixture, expect, why) &&
	    check_dates(fixture, expect, why) && ok;
}

bool
case_xml(const json_t *c, struct buf *why)
{
	struct fixture fixture;
	struct scope scope;
	struct buf body;

	buf_init(&body, BODY_MAX);
	bool ok = document_case(c, &scope, &body);
	fixture_init(&fixture, buf_text(&body));
	fixture_read(&fixture, &scope);
	ok = judge(json_object_get(c, "expect"), &fixture, why) && ok;
	fixture_release(&fixture);
	buf_release(&body);
	scope_release(&scope);
	return ok;
}
