/*
 * Cases of kind http: SPEC.
 *
 * The case is crawled, and crawled again `pause_s` (3,600) later, as long as a
 * requested URL has another answer. The target is `target`, or else the first
 * URL that is not a robots.txt, or else the first URL. `document` (default: the
 * target) is the one whose outcome in the last crawl is judged; `retry`
 * (default: 0) is the number of further attempts in one crawl.
 */
#include <string.h>

#include "tests/conformance/cases.h"
#include "tests/conformance/drive.h"
#include "tests/conformance/script.h"
#include "tests/scenario/fake.h"

#define MAX_CRAWLS 16

static bool
is_robots(const char *url)
{
	size_t len = strlen(url), tail = strlen("/robots.txt");

	return len > tail && strcmp(url + len - tail, "/robots.txt") == 0;
}

static const char *
target_of(const json_t *c)
{
	const json_t *requests = json_object_get(c, "requests");
	const json_t *item;
	size_t i;

	if (case_text(c, "target") != NULL)
		return case_text(c, "target");
	json_array_foreach(requests, i, item)
	{
		if (!is_robots(case_text(item, "url")))
			return case_text(item, "url");
	}
	return case_text(json_array_get(requests, 0), "url");
}

/*
 * is_of_robots(code): does a robots.txt add the code to the documents that it
 * governs? That the robots.txt itself could not be fetched is reported for it
 * alone.
 */
static bool
is_of_robots(int code)
{
	return strstr(diag_name((enum diag_code)code), "robots") != NULL;
}

static bool
check_diagnostics(const struct drive *drive, const char *url,
    const json_t *expect, struct buf *why)
{
	struct code_set seen = {{false}};

	for (size_t i = 0; i < drive->count; i++) {
		const struct drive_document *document = &drive->documents[i];
		bool is_it = strcmp(document->url, url) == 0;

		if (document->kind != KIND_ROBOTS && !is_it)
			continue;
		for (int code = 0; code < DIAG_COUNT; code++)
			seen.has[code] |= document->has_code[code] &&
			    (is_it || is_of_robots(code));
	}
	seen.has[DIAG_PARTIAL_DOCUMENT] = false;
	return code_set_check(
	    &seen, json_object_get(expect, "diagnostics"), why);
}

/* check_requested(expect, why): requests for robots.txt count only where the
 * case lists them. */
static bool
check_requested(const json_t *expect, struct buf *why)
{
	const json_t *want = json_object_get(expect, "requested");
	const json_t *item;
	bool counts = false;
	size_t i, at = 0;
	bool ok = true;

	json_array_foreach(want, i, item)
	    counts |= is_robots(json_string_value(item));
	json_array_foreach(script_asked(), i, item)
	{
		if (!counts && is_robots(json_string_value(item)))
			continue;
		ok = ok && at < json_array_size(want) &&
		    json_equal(item, json_array_get(want, at));
		at++;
	}
	if (want == NULL || (ok && at == json_array_size(want)))
		return true;
	(void)buf_print(why, "requested:");
	json_array_foreach(script_asked(), i, item)(void)
	    buf_print(why, " %s", json_string_value(item));
	(void)buf_print(why, "\n");
	return false;
}

/* check_sent(expect, why): check the headers of the latest request; null: it
 * must not have the header. */
static bool
check_sent(const json_t *expect, struct buf *why)
{
	const char *name;
	json_t *value;
	bool ok = true;

	json_object_foreach(json_object_get(expect, "sent"), name, value)
	{
		const char *got = script_sent(name);

		ok &= case_same_text(why, name,
		    slice_of(json_is_string(value) ? json_string_value(value)
						   : "(none)"),
		    slice_of(got == NULL ? "(none)" : got));
	}
	return ok;
}

static bool
judge(const json_t *c, const struct drive *drive, struct buf *why)
{
	const json_t *expect = json_object_get(c, "expect");
	const json_t *retry = json_object_get(expect, "retry_after_s");
	const char *url = case_text(c, "document");
	const char *final = case_text(expect, "final_url");
	const struct drive_document *document;
	bool ok;

	if (url == NULL)
		url = target_of(c);
	document = drive_document(drive, url);
	if (document == NULL) {
		(void)buf_print(why, "nothing was said of %s\n", url);
		return false;
	}
	ok = check_diagnostics(drive, url, expect, why);
	ok &= case_same_text(why, "outcome",
	    slice_of(case_text(expect, "outcome")),
	    slice_of(outcome_name(document->outcome)));
	if (final != NULL)
		ok &= case_same_text(why, "final_url", slice_of(final),
		    slice_of(document->final_url == NULL
			    ? "(none)"
			    : document->final_url));
	if (retry != NULL)
		ok &= case_same_number(why, "retry_after_s",
		    json_is_null(retry) ? -1 : json_integer_value(retry),
		    script_retry_after_s());
	ok &= check_requested(expect, why);
	return check_sent(expect, why) && ok;
}

bool
case_http(const json_t *c, struct buf *why)
{
	const char *targets[] = {target_of(c), NULL};
	const json_t *pause = json_object_get(c, "pause_s");
	struct drive drive;
	bool passed;

	drive_init(&drive, c);
	script_begin(json_object_get(c, "requests"));
	passed = drive_crawl(&drive, targets);
	for (unsigned i = 1; passed && i < MAX_CRAWLS && script_goes_on();
	     i++) {
		fake_sleep(pause == NULL ? 3600 : json_integer_value(pause));
		passed = drive_crawl(&drive, targets);
	}
	if (!passed)
		(void)buf_print(why, "the case cannot be crawled\n");
	passed = passed && judge(c, &drive, why);
	script_end();
	drive_release(&drive);
	return passed;
}
