/* What is said of what pages answered. */
#include <string.h>

#include "base/mem.h"
#include "crawler/events/event_answers.h"
#include "tests/fixtures/fixture.h"

#define MOST 6
#define HERE "http://a.example/blog/x"

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
	"2 of 2 were not asked, as robots.txt says"},
    {ANSWERS_OF_DROP,
	{BECAUSE(0, "no answer"), SAID(200), BECAUSE(403, "wall")},
	"1 of 3 does not answer, 1 still answers, 1 asks for a login or the "
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
    {ANSWERS_OF_MOVE, {TO("http://b.example/a"), TO("http://b.example/c")},
	"2 of 2 redirect to http://b.example/: moved"},
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
		struct event_answers answers = {0};
		const struct said *said = rows[i].answers;

		for (; said->status != 0 || said->why != NULL; said++)
			*MEM_PUSH(answers.items, answers.count,
			    answers.cap) = (struct event_answer){
			    .url = mem_copy(HERE),
			    .at_s = 9,
			    .status = said->status,
			    .location = said->location == NULL
				? NULL
				: mem_copy(said->location),
			    .why = said->why == NULL ? NULL
						     : mem_copy(said->why)};
		assert_true(event_answers_are_whole(&answers));
		buf_clear(&out);
		event_answers_sentence(
		    &out, &answers, rows[i].of, slice_of("a.example"));
		assert_string_equal(buf_str(&out), rows[i].sentence);
		/* nothing is said before all have answered */
		answers.items[answers.count - 1].at_s = 0;
		assert_false(event_answers_are_whole(&answers));
		event_answers_release(&answers);
	}
	assert_false(event_answers_are_whole(&(struct event_answers){0}));
	buf_release(&out);
}

UNIT(event_answers)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sentences)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
