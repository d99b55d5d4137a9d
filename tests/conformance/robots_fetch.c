/* Cases of kind robots, op fetch: the meaning of an answer for robots.txt shows
 * in what a crawl requests afterwards (SPEC ). */
#include <stdio.h>
#include <string.h>

#include "tests/conformance/cases.h"
#include "tests/conformance/drive.h"
#include "tests/conformance/script.h"
#include "tests/scenario/fake.h"

#define ROBOTS "https://a.example/robots.txt"
#define OPEN "https://a.example/yes.xml"
/* The document that robots.txt forbids, if there is a robots.txt. */
#define SHUT "https://a.example/no.xml"

/* put_pages(requests): add two documents that can be fetched. */
static void
put_pages(json_t *requests)
{
	(void)json_array_append_new(requests,
	    json_pack("{s:s,s:i,s:s}", "url", OPEN, "status", 200, "body",
		"https://a.example/page\n"));
	(void)json_array_append_new(requests,
	    json_pack("{s:s,s:i,s:s}", "url", SHUT, "status", 200, "body",
		"https://a.example/page\n"));
}

static void
put_redirect(json_t *requests, const char *from, const char *to)
{
	(void)json_array_append_new(requests,
	    json_pack("{s:s,s:i,s:{s:s}}", "url", from, "status", 301,
		"headers", "Location", to));
}

/* put_robots(requests, fetch): add the answer for robots.txt, after its
 * redirects. */
static void
put_robots(json_t *requests, const json_t *fetch)
{
	json_int_t hops = json_integer_value(
	    json_object_get(fetch, "redirects"));
	const json_t *status = json_object_get(fetch, "status");
	char from[64] = ROBOTS, to[64];
	json_t *last;

	for (json_int_t i = 0; i < hops; i++) {
		(void)snprintf(
		    to, sizeof(to), "https://r%d.example/robots.txt", (int)i);
		put_redirect(requests, from, to);
		memcpy(from, to, sizeof(from));
	}
	last = json_pack("{s:s,s:s}", "url", from, "body",
	    "User-agent: *\nDisallow: /no.xml\n");
	(void)json_object_set_new(last, "status",
	    json_integer(status == NULL ? 0 : json_integer_value(status)));
	if (case_text(fetch, "error") != NULL)
		(void)json_object_set_new(
		    last, "error", json_string(case_text(fetch, "error")));
	(void)json_array_append_new(requests, last);
}

/* crawl(drive, fetch, open, shut): crawl once with that robots.txt; *open and
 * *shut: was that document requested? */
static bool
crawl(struct drive *drive, const json_t *fetch, bool *open, bool *shut)
{
	static const char *const targets[] = {OPEN, SHUT, NULL};
	json_t *requests = json_array();
	const json_t *item;
	bool is_good;
	size_t i;

	put_robots(requests, fetch);
	put_pages(requests);
	script_begin(requests);
	is_good = drive_crawl(drive, targets);
	*open = *shut = false;
	json_array_foreach(script_asked(), i, item)
	{
		*open |= strcmp(json_string_value(item), OPEN) == 0;
		*shut |= strcmp(json_string_value(item), SHUT) == 0;
	}
	script_end();
	json_decref(requests);
	return is_good;
}

/* sleep_until(elapsed_s): the crawl itself takes time, too, because it waits
 * for a throttled host. */
static void
sleep_until(int64_t elapsed_s)
{
	if (elapsed_s > fake_elapsed_s())
		fake_sleep(elapsed_s - fake_elapsed_s());
}

/* begin(drive, fetch): make the state before: a good copy, the first failure,
 * and a document that answered meanwhile. */
static bool
begin(struct drive *drive, const json_t *fetch)
{
	const json_t *failing = json_object_get(fetch, "failing_for_s");
	json_int_t failing_s = json_integer_value(failing);
	json_t *good = json_pack("{s:i}", "status", 200);
	bool open, shut, is_good = true;
	int64_t first_s;

	if (json_is_true(json_object_get(fetch, "cached"))) {
		is_good = crawl(drive, good, &open, &shut);
		fake_sleep(60);
	}
	if (failing != NULL) {
		first_s = fake_elapsed_s();
		is_good = is_good && crawl(drive, fetch, &open, &shut);
		if (json_is_true(json_object_get(fetch, "site_up"))) {
			sleep_until(first_s + failing_s - 3600);
			is_good = is_good && crawl(drive, fetch, &open, &shut);
		}
		sleep_until(first_s + failing_s);
	}
	json_decref(good);
	return is_good;
}

bool
case_robots_fetch(const json_t *c, struct buf *why)
{
	const json_t *fetch = json_object_get(c, "fetch");
	const char *effect = "deny-all";
	bool open = false, shut = false, is_good;
	struct drive drive;

	drive_init(&drive, c);
	is_good = begin(&drive, fetch) && crawl(&drive, fetch, &open, &shut);
	drive_release(&drive);
	if (!is_good) {
		(void)buf_print(why, "the case cannot be crawled\n");
		return false;
	}
	if (open && shut)
		effect = "allow-all";
	else if (open)
		effect = json_integer_value(json_object_get(fetch, "status")) /
			    100 ==
			2
		    ? "parse"
		    : "use-cached";
	return case_same_text(why, "effect",
	    slice_of(case_text(json_object_get(c, "expect"), "effect")),
	    slice_of(effect));
}
