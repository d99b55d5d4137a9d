/* crawler/serve/serve_workers.c: answers that processes make. */
#include "crawler/serve/serve_workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/sanitized.h"

#define MAX_BYTES 100
#define SOON_MS 30
#define LATER_MS 60000
#define MEMORY (64u << 20)

/* An answer, and what came of it. */
struct answer {
	const char *text; /* NULL: nothing, for ever */
	unsigned times; /* that the text is printed; 0: once */
	int status;
	const char *why;
	size_t memory; /* that it takes */
	/* of the result */
	bool is_done;
	struct serve_result result;
	char body[MAX_BYTES + 1], said[64];
	unsigned *left; /* answers that are not done */
	struct loop *loop;
};

static int
print(void *arg)
{
	const struct answer *answer = arg;
	ssize_t n = 0;

	if (answer->memory > 0)
		memset(mem_alloc(answer->memory), 1, answer->memory);
	if (answer->text == NULL)
		for (;;)
			(void)pause();
	for (unsigned i = 0; n >= 0 && i < answer->times + !answer->times; i++)
		n = write(STDOUT_FILENO, answer->text, strlen(answer->text));
	if (answer->why != NULL)
		n = write(STDERR_FILENO, answer->why, strlen(answer->why));
	return n < 0 ? 99 : answer->status;
}

static void
done(void *arg, const struct serve_result *result)
{
	struct answer *answer = arg;

	assert_false(answer->is_done);
	answer->is_done = true;
	answer->result = *result;
	assert_true(result->body.len <= MAX_BYTES);
	(void)snprintf(answer->body, sizeof(answer->body), "%.*s",
	    (int)result->body.len, result->body.p);
	(void)snprintf(answer->said, sizeof(answer->said), "%.*s",
	    (int)result->why.len, result->why.p);
	if (--*answer->left == 0)
		loop_stop(answer->loop);
}

/* Run all of them, two at once. */
static void
run(struct answer *answers, size_t count, int64_t deadline_ms,
    const struct serve_work *how)
{
	struct serve_workers_options options = {.loop = loop_new(),
	    .at_once = 2,
	    .deadline_ms = deadline_ms,
	    .max_bytes = MAX_BYTES,
	    .memory_bytes = MEMORY};
	struct serve_workers own = {.options = options};
	struct serve_workers *workers = &own;
	unsigned left = (unsigned)count;

	for (size_t i = 0; i < count; i++) {
		struct serve_work work = *how;

		answers[i].left = &left;
		answers[i].loop = options.loop;
		work.print = print;
		work.done = done;
		work.arg = &answers[i];
		assert_true(serve_workers_submit(workers, &work));
	}
	loop_run(options.loop);
	serve_workers_release(workers);
	loop_free(options.loop);
}

/* All get their own answer, though only two are made at once. */
static void
answers(void **state)
{
	static const struct serve_work how;
	struct answer all[] = {
	    {.text = "one"},
	    {.text = "two", .status = 4, .why = "freshet: none\n"},
	    {.text = "", .status = 6},
	    {.text = "four"},
	    {.text = "five"},
	};

	run(all, COUNT(all), LATER_MS, &how);
	for (size_t i = 0; i < COUNT(all); i++) {
		assert_string_equal(all[i].body, all[i].text);
		assert_int_equal(all[i].result.status, all[i].status);
		assert_string_equal(
		    all[i].said, all[i].why == NULL ? "" : all[i].why);
		assert_false(all[i].result.is_late);
	}
}

static void
too_long(void **state)
{
	static const struct serve_work text;
	static const struct serve_work lines = {.is_lines = true, .limit = 9};
	struct answer all[] = {{.text = "0123456789", .times = 1000},
	    {.text = "0123456789", .times = 10}};
	struct answer line = {.text = "0123456789", .times = 10000};

	run(all, COUNT(all), LATER_MS, &text);
	assert_true(all[0].result.is_too_long);
	assert_false(all[1].result.is_too_long);
	assert_int_equal(strlen(all[1].body), MAX_BYTES);
	run(&line, 1, LATER_MS, &lines);
	assert_true(line.result.is_too_long);
	assert_string_equal(line.body, "");
}

/* Neither one that runs nor one that waits has longer than the deadline. */
static void
late(void **state)
{
	static const struct serve_work how;
	struct answer all[5] = {{0}};

	run(all, COUNT(all), SOON_MS, &how);
	for (size_t i = 0; i < COUNT(all); i++)
		assert_true(all[i].result.is_late);
}

static void
lines(void **state)
{
	static const char text[] = "a1\nb2\na3\nb4\na5\n";
	static const struct {
		const char *only;
		uint64_t offset, limit;
		const char *body;
		uint64_t taken;
		bool has_more;
	} rows[] = {
	    {NULL, 0, 5, "a1,\nb2,\na3,\nb4,\na5", 5, false},
	    {NULL, 0, 9, "a1,\nb2,\na3,\nb4,\na5", 5, false},
	    {NULL, 0, 2, "a1,\nb2", 2, true},
	    {NULL, 2, 2, "a3,\nb4", 2, true},
	    {NULL, 3, 2, "b4,\na5", 2, false},
	    {NULL, 5, 2, "", 0, false},
	    {NULL, 9, 2, "", 0, false},
	    {"a", 0, 2, "a1,\na3", 2, true},
	    {"a", 1, 2, "a3,\na5", 2, false},
	    {"b", 0, 2, "b2,\nb4", 2, false},
	    {"c", 0, 2, "", 0, false},
	    {"c|b", 0, 2, "b2,\nb4", 2, false},
	    {"a1|b|c", 0, 9, "a1,\nb2,\nb4", 3, false},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct serve_work how = {.is_lines = true,
		    .only = rows[i].only,
		    .offset = rows[i].offset,
		    .limit = rows[i].limit};
		struct answer answer = {.text = text};

		run(&answer, 1, LATER_MS, &how);
		assert_string_equal(answer.body, rows[i].body);
		assert_int_equal(answer.result.taken, rows[i].taken);
		assert_int_equal(answer.result.has_more, rows[i].has_more);
		assert_false(answer.result.is_too_long);
	}
}

/* A list that has no room for its limit has a further part. */
static void
full_list(void **state)
{
	static const struct serve_work how = {.is_lines = true, .limit = 1000};
	struct answer answer = {.text = "0123456789\n", .times = 1000};

	run(&answer, 1, LATER_MS, &how);
	assert_true(answer.result.has_more);
	assert_int_equal(answer.result.taken, 8);
	/* behind the last line there is no comma */
	assert_int_equal(strlen(answer.body), 8 * 10 + 7 * 2);
}

/* An answer that takes too much memory ends alone. */
static void
too_large(void **state)
{
	static const struct serve_work how;
	struct answer all[] = {{.text = "one", .memory = MEMORY},
	    {.text = "two", .memory = MEMORY / 8}};

	if (IS_SANITIZED)
		return;
	run(all, COUNT(all), LATER_MS, &how);
	assert_int_equal(all[0].result.status, EXIT_RESOURCES);
	assert_string_equal(all[0].said, "freshet: out of memory\n");
	assert_string_equal(all[1].body, "two");
}

/* Work that is not wanted any more makes room for other work. */
static void
cancelled(void **state)
{
	struct serve_workers_options options = {.loop = loop_new(),
	    .at_once = 1,
	    .deadline_ms = LATER_MS,
	    .max_bytes = MAX_BYTES};
	struct serve_workers own = {.options = options};
	struct serve_workers *workers = &own;
	unsigned left = 1;
	struct answer all[3] = {
	    {0}, {0}, {.text = "three", .left = &left, .loop = options.loop}};

	for (size_t i = 0; i < COUNT(all); i++) {
		struct serve_work work = {
		    .print = print, .done = done, .arg = &all[i]};

		assert_true(serve_workers_submit(workers, &work));
	}
	serve_workers_cancel(workers, &left);
	serve_workers_cancel(workers, &all[1]);
	serve_workers_cancel(workers, &all[0]);
	loop_run(options.loop);
	assert_string_equal(all[2].body, "three");
	assert_false(all[0].is_done || all[1].is_done);
	serve_workers_cancel(workers, &all[2]);
	serve_workers_release(workers);
	loop_free(options.loop);
}

/* Answers that nobody waits for any more are not told. */
static void
freed(void **state)
{
	struct serve_workers_options options = {.loop = loop_new(),
	    .at_once = 1,
	    .deadline_ms = LATER_MS,
	    .max_bytes = MAX_BYTES};
	struct serve_workers own = {.options = options};
	struct serve_workers *workers = &own;
	struct answer answer = {0};
	struct serve_work work = {.print = print, .done = done, .arg = &answer};

	assert_true(serve_workers_submit(workers, &work));
	assert_true(serve_workers_submit(workers, &work));
	serve_workers_release(workers);
	loop_free(options.loop);
	assert_false(answer.is_done);
}

UNIT(serve_workers)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(answers),
	    cmocka_unit_test(too_long),
	    cmocka_unit_test(late),
	    cmocka_unit_test(lines),
	    cmocka_unit_test(full_list),
	    cmocka_unit_test(too_large),
	    cmocka_unit_test(cancelled),
	    cmocka_unit_test(freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
