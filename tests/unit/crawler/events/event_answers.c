/* What is said of what pages answered. */
#include <stdlib.h>

#include "crawler/events/event_answers.h"
#include "store/page_says.h"
#include "store/site.h"
#include "store/site_changes.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/store_fixture.h"

#define MOST 6

struct said {
	int status;
	const char *location, *why;
};

struct row {
	enum { OF_DROP, OF_MOVE, OF_LAUNCH } of;
	struct said answers[MOST]; /* ends with one that is zeroed */
	const char *sentence;
};

#define SAID(code)               \
	{                        \
		.status = (code) \
	}
#define BECAUSE(code, word)                     \
	{                                       \
		.status = (code), .why = (word) \
	}
#define TO(target)                                  \
	{                                           \
		.status = 301, .location = (target) \
	}
#define INSIGHTS "http://a.example/insights/"

static const struct row rows[] = {
    {OF_DROP, {SAID(200), SAID(200), SAID(206)},
	"3 of 3 still answer: left out, not taken down"},
    {OF_DROP, {SAID(200)}, "1 of 1 still answers: left out, not taken down"},
    {OF_DROP, {SAID(410), SAID(410)}, "2 of 2 say 410: taken down"},
    {OF_DROP, {SAID(404)}, "1 of 1 says 404: taken down"},
    {OF_DROP, {SAID(503), SAID(503)}, "2 of 2 say 503"},
    {OF_DROP, {SAID(404), SAID(200), SAID(200), SAID(404), SAID(200)},
	"3 of 5 still answer, 2 say 404"},
    {OF_DROP, {SAID(404), SAID(410), SAID(410)}, "2 of 3 say 410, 1 says 404"},
    {OF_DROP, {BECAUSE(200, "noindex"), BECAUSE(200, "noindex")},
	"2 of 2 say 200 with noindex: hidden from search, not taken down"},
    {OF_DROP, {BECAUSE(200, "soft-404")},
	"1 of 1 answers, but says that there is no such page: taken down, it "
	"seems"},
    {OF_DROP, {BECAUSE(0, "robots.txt"), BECAUSE(0, "robots.txt")},
	"2 of 2 may not be asked, as robots.txt says"},
    {OF_DROP, {BECAUSE(0, "no answer"), SAID(200), BECAUSE(403, "wall")},
	"1 of 3 gives no answer, 1 still answers, 1 asks for a login or the "
	"like"},
    /* where redirects lead */
    {OF_DROP, {TO(INSIGHTS "a"), TO(INSIGHTS "b"), TO(INSIGHTS "b/c")},
	"3 of 3 redirect to /insights: moved"},
    {OF_MOVE, {TO(INSIGHTS "a"), TO(INSIGHTS "b")},
	"2 of 2 redirect to /insights: moved"},
    {OF_DROP, {TO(INSIGHTS "a")}, "1 of 1 redirects to /insights/a: moved"},
    {OF_DROP, {TO("http://a.example/"), TO("http://a.example/")},
	"2 of 2 redirect to the home page: taken down, it seems"},
    {OF_DROP, {TO("http://a.example/a"), TO("http://a.example/b")},
	"2 of 2 redirect to other pages: moved"},
    {OF_DROP, {TO("http://a.example/a"), TO("http://b.example/b")},
	"2 of 2 redirect to other pages: moved"},
    {OF_MOVE, {TO("http://b.example/c/a"), TO("http://b.example/d")},
	"2 of 2 redirect to http://b.example: moved"},
    {OF_MOVE, {TO("http://b.example/c/a"), TO("http://b.example/c/b")},
	"2 of 2 redirect to http://b.example/c: moved"},
    {OF_MOVE, {TO("https://a.example/blog/a"), TO("https://a.example/blog/b")},
	"2 of 2 redirect to https://a.example/blog: moved"},
    {OF_MOVE, {SAID(404), TO(INSIGHTS "a"), TO(INSIGHTS "b")},
	"2 of 3 redirect to /insights, 1 says 404"},
    {OF_MOVE, {SAID(200), SAID(200)},
	"2 of 2 still answer: copied, not only moved"},
    {OF_MOVE, {SAID(404)},
	"1 of 1 says 404: no redirect leads to the new URLs"},
    {OF_LAUNCH, {SAID(200), SAID(200)}, "2 of 2 answer"},
    {OF_LAUNCH, {SAID(404), SAID(404)},
	"2 of 2 say 404: listed, but not there"},
};

static const enum site_event_kind kinds[] = {
    EVENT_MASS_DROP_WAITING, EVENT_PAGES_MOVED, EVENT_SECTION_LAUNCHED};

static void
test_sentences(void **state)
{
	struct world *world = *state;
	struct site_changes changes = {0};
	struct event_site site = {world->store,
	    store_site(world->store, slice_of("a.example")), &changes, NULL, 1};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct site_event event = {.kind = kinds[rows[i].of],
		    .known_s = 1,
		    .first_reading_id = (int64_t)i + 1,
		    .last_reading_id = (int64_t)i + 1};
		struct verified page = {.site_id = site.id,
		    .url = slice_of("http://a.example/blog/x")};
		const struct said *said = rows[i].answers;

		/* nobody asked: the event gets a name for its answers */
		event_answers_fill(&event, &site);
		assert_non_null(event.name);
		page.event = slice_of(event.name);
		for (; said->status != 0 || said->why != NULL; said++) {
			page.number = (unsigned)(said - rows[i].answers);
			page.at_s = 9;
			page.status = said->status;
			page.location = slice_of(said->location);
			page.why = slice_of(said->why);
			store_verified_put(world->store, &page);
		}
		event_answers_fill(&event, &site);
		assert_string_equal(event.verified, rows[i].sentence);
		free(event.verified);
		event.verified = NULL;
		/* nothing is said while one is to be asked */
		page.at_s = 0;
		store_verified_put(world->store, &page);
		event_answers_fill(&event, &site);
		assert_null(event.verified);
		free(event.name);
	}
}

UNIT(event_answers)
{
	static const struct CMUnitTest tests[] = {world_test(test_sentences)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
