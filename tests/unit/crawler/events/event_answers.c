/* What is said of what pages answered. */
#include <string.h>

#include "crawler/events/event_answers.h"
#include "tests/fixtures/fixture.h"

#define MOST 6

struct said {
	int status;
	const char *location, *why;
};

struct row {
	enum answers_of of;
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
    {ANSWERS_OF_DROP, {SAID(200), SAID(200), SAID(206)},
	"3 of 3 still answer: left out, not taken down"},
    {ANSWERS_OF_DROP, {SAID(200)},
	"1 of 1 still answers: left out, not taken down"},
    {ANSWERS_OF_DROP, {SAID(410), SAID(410)}, "2 of 2 say 410: taken down"},
    {ANSWERS_OF_DROP, {SAID(404)}, "1 of 1 says 404: taken down"},
    {ANSWERS_OF_DROP, {SAID(503), SAID(503)}, "2 of 2 say 503"},
    {ANSWERS_OF_DROP, {SAID(404), SAID(200), SAID(200), SAID(404), SAID(200)},
	"3 of 5 still answer, 2 say 404"},
    {ANSWERS_OF_DROP, {SAID(404), SAID(410), SAID(410)},
	"2 of 3 say 410, 1 says 404"},
    {ANSWERS_OF_DROP, {BECAUSE(200, "noindex"), BECAUSE(200, "noindex")},
	"2 of 2 say 200 with noindex: hidden from search, not taken down"},
    {ANSWERS_OF_DROP, {BECAUSE(200, "soft-404")},
	"1 of 1 answers, but says that there is no such page: taken down, it "
	"seems"},
    {ANSWERS_OF_DROP, {BECAUSE(0, "robots.txt"), BECAUSE(0, "robots.txt")},
	"2 of 2 may not be asked, as robots.txt says"},
    {ANSWERS_OF_DROP,
	{BECAUSE(0, "no answer"), SAID(200), BECAUSE(403, "wall")},
	"1 of 3 gives no answer, 1 still answers, 1 asks for a login or the "
	"like"},
    /* where redirects lead */
    {ANSWERS_OF_DROP, {TO(INSIGHTS "a"), TO(INSIGHTS "b"), TO(INSIGHTS "b/c")},
	"3 of 3 redirect to /insights: moved"},
    {ANSWERS_OF_MOVE, {TO(INSIGHTS "a"), TO(INSIGHTS "b")},
	"2 of 2 redirect to /insights: moved"},
    {ANSWERS_OF_DROP, {TO(INSIGHTS "a")},
	"1 of 1 redirects to /insights/a: moved"},
    {ANSWERS_OF_DROP, {TO("http://a.example/"), TO("http://a.example/")},
	"2 of 2 redirect to the home page: taken down, it seems"},
    {ANSWERS_OF_DROP, {TO("http://a.example/a"), TO("http://a.example/b")},
	"2 of 2 redirect to other pages: moved"},
    {ANSWERS_OF_DROP, {TO("http://a.example/a"), TO("http://b.example/b")},
	"2 of 2 redirect to other pages: moved"},
    {ANSWERS_OF_MOVE, {TO("http://b.example/c/a"), TO("http://b.example/d")},
	"2 of 2 redirect to http://b.example: moved"},
    {ANSWERS_OF_MOVE, {TO("http://b.example/c/a"), TO("http://b.example/c/b")},
	"2 of 2 redirect to http://b.example/c: moved"},
    {ANSWERS_OF_MOVE,
	{TO("https://a.example/blog/a"), TO("https://a.example/blog/b")},
	"2 of 2 redirect to https://a.example/blog: moved"},
    {ANSWERS_OF_MOVE, {SAID(404), TO(INSIGHTS "a"), TO(INSIGHTS "b")},
	"2 of 3 redirect to /insights, 1 says 404"},
    {ANSWERS_OF_MOVE, {SAID(200), SAID(200)},
	"2 of 2 still answer: copied, not only moved"},
    {ANSWERS_OF_MOVE, {SAID(404)},
	"1 of 1 says 404: no redirect leads to the new URLs"},
    {ANSWERS_OF_LAUNCH, {SAID(200), SAID(200)}, "2 of 2 answer"},
    {ANSWERS_OF_LAUNCH, {SAID(404), SAID(404)},
	"2 of 2 say 404: listed, but not there"},
};

static void
test_sentences(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct answers answers = {.target = BUF_UP_TO(SIZE_MAX)};
		const struct said *said = rows[i].answers;

		/* nothing is said before all have answered */
		answers_add(&answers, &(struct verified){.status = 200});
		answers_sentence(
		    &out, &answers, rows[i].of, slice_of("a.example"));
		assert_int_equal(out.len, 0);
		buf_release(&answers.target);
		answers = (struct answers){.target = BUF_UP_TO(SIZE_MAX)};
		for (; said->status != 0 || said->why != NULL; said++)
			answers_add(&answers,
			    &(struct verified){.at_s = 9,
				.url = slice_of("http://a.example/blog/x"),
				.status = said->status,
				.location = slice_of(said->location),
				.why = slice_of(said->why)});
		answers_sentence(
		    &out, &answers, rows[i].of, slice_of("a.example"));
		assert_string_equal(buf_str(&out), rows[i].sentence);
		buf_clear(&out);
		buf_release(&answers.target);
	}
	buf_release(&out);
}

UNIT(event_answers)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sentences)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
