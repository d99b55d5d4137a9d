/* crawler/event/standard.c: stdin and stdout without blocking. */
#include "tests/fixtures/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "crawler/event/standard.h"

#define MAX_LINE 8
#define MUCH (1 << 20)

struct ear {
	struct loop *loop;
	struct inlet inlet;
	struct buf heard; /* the lines, each with a '|' behind it */
	unsigned pause_after; /* lines; 0: never */
	bool has_ended;
	int error;
};

static void
on_line(void *arg, struct slice line)
{
	struct ear *ear = arg;

	(void)buf_put_slice(&ear->heard, line);
	(void)buf_put_char(&ear->heard, '|');
	if (ear->pause_after > 0 && --ear->pause_after == 0) {
		inlet_pause(&ear->inlet, true);
		loop_stop(ear->loop);
	}
}

static void
on_end(void *arg, int error)
{
	struct ear *ear = arg;

	ear->has_ended = true;
	ear->error = error;
	loop_stop(ear->loop);
}

static void
listen_to(struct ear *ear, int fd)
{
	struct inlet_options how = {
	    .max_line = MAX_LINE, .line = on_line, .end = on_end, .arg = ear};

	ear->loop = loop_new();
	buf_init(&ear->heard, SIZE_MAX);
	inlet_init(&ear->inlet, ear->loop, fd, &how);
}

static void
release(struct ear *ear)
{
	inlet_release(&ear->inlet);
	loop_free(ear->loop);
	buf_release(&ear->heard);
}

struct text_case {
	const char *text;
	const char *heard;
};

static const struct text_case texts[] = {
    {"", ""},
    {"a\nbc\n", "a|bc|"},
    {"a\n\nb", "a||b|"},
    {"12345678\n123456789\nx\n", "12345678|123456789|x|"},
    {"123456789abcdefgh\nx", "123456789|x|"},
    {"123456789abcdefgh", "123456789|"},
};

/* The loop cannot watch a file, but a pipe. */
static void
test_lines(void **state)
{
	for (size_t i = 0; i < 2 * COUNT(texts); i++) {
		const struct text_case *text = &texts[i / 2];
		char name[] = "/tmp/freshet-test-XXXXXX";
		struct ear ear = {0};
		int fds[2];

		if (i % 2 == 0) {
			fds[0] = mkstemp(name);
			fds[1] = open(name, O_WRONLY);
			assert_int_equal(unlink(name), 0);
		} else {
			assert_int_equal(pipe(fds), 0);
		}
		assert_int_equal(write(fds[1], text->text, strlen(text->text)),
		    (ssize_t)strlen(text->text));
		assert_int_equal(close(fds[1]), 0);
		listen_to(&ear, fds[0]);
		loop_run(ear.loop);
		assert_string_equal(buf_str(&ear.heard), text->heard);
		assert_true(ear.has_ended);
		assert_int_equal(ear.error, 0);
		release(&ear);
		assert_int_equal(close(fds[0]), 0);
	}
}

static void
test_pause(void **state)
{
	struct ear ear = {.pause_after = 2};
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "a\nb\nc\nd\ne", 9), 9);
	listen_to(&ear, fds[0]);
	loop_run(ear.loop);
	assert_string_equal(buf_str(&ear.heard), "a|b|");
	ear.pause_after = 2;
	inlet_pause(&ear.inlet, false);
	loop_run(ear.loop);
	assert_string_equal(buf_str(&ear.heard), "a|b|c|d|");
	assert_int_equal(write(fds[1], "f\n", 2), 2);
	assert_int_equal(close(fds[1]), 0);
	inlet_pause(&ear.inlet, false);
	loop_run(ear.loop);
	assert_string_equal(buf_str(&ear.heard), "a|b|c|d|ef|");
	release(&ear);
	(void)close(fds[0]);
}

static void
test_unreadable(void **state)
{
	struct ear ear = {0};
	int fd = open("/tmp", O_RDONLY | O_DIRECTORY);

	listen_to(&ear, fd);
	loop_run(ear.loop);
	assert_int_equal(ear.error, EISDIR);
	release(&ear);
	(void)close(fd);
}

/* Out. */

struct mouth {
	struct loop *loop;
	struct outlet outlet;
	struct loop_timer *rest; /* ends the loop when nothing more happens */
	unsigned calls;
};

static void
on_written(void *arg)
{
	struct mouth *mouth = arg;

	mouth->calls++;
	if (mouth->outlet.out.len == 0 || mouth->outlet.error != 0)
		loop_stop(mouth->loop);
	else
		loop_timer_set(mouth->rest, 50);
}

static void
on_rest(void *arg)
{
	struct mouth *mouth = arg;

	loop_stop(mouth->loop);
}

/* While no process reads, the loop goes on, and waiting bytes are kept. */
static void
test_slow_reader(void **state)
{
	struct mouth mouth = {0};
	char *text = calloc(1, MUCH);
	size_t got = 0;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	mouth.loop = loop_new();
	mouth.rest = loop_timer_new(mouth.loop, on_rest, &mouth);
	outlet_init(&mouth.outlet, mouth.loop, fds[1], on_written, &mouth);
	outlet_put(&mouth.outlet, slice_make(text, MUCH));
	loop_run(mouth.loop);
	assert_true(mouth.outlet.out.len > 0);
	while (got < MUCH) {
		ssize_t n = read(fds[0], text, MUCH);

		assert_true(n > 0);
		got += (size_t)n;
		if (got < MUCH) {
			loop_timer_set(mouth.rest, 50);
			loop_run(mouth.loop);
		}
	}
	assert_int_equal(mouth.outlet.out.len, 0);
	assert_int_equal(mouth.outlet.written_bytes, MUCH);
	outlet_release(&mouth.outlet);
	loop_timer_free(mouth.rest);
	loop_free(mouth.loop);
	(void)close(fds[0]);
	(void)close(fds[1]);
	free(text);
}

/* A file is always ready: the loop must not be asked to watch it. */
static void
test_file(void **state)
{
	struct mouth mouth = {0};
	char name[] = "/tmp/freshet-test-XXXXXX";
	char *text = calloc(1, MUCH);
	int fd = mkstemp(name);
	int err = dup(STDERR_FILENO);
	int fds[2];

	assert_int_equal(unlink(name), 0);
	assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
	assert_int_equal(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
	mouth.loop = loop_new();
	mouth.rest = loop_timer_new(mouth.loop, on_rest, &mouth);
	outlet_init(&mouth.outlet, mouth.loop, fd, on_written, &mouth);
	outlet_put(&mouth.outlet, slice_make(text, MUCH));
	loop_run(mouth.loop);
	assert_int_equal(dup2(err, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(mouth.outlet.written_bytes, MUCH);
	/* libevent would complain on stderr. */
	assert_int_equal(read(fds[0], text, MUCH), -1);
	outlet_release(&mouth.outlet);
	loop_timer_free(mouth.rest);
	loop_free(mouth.loop);
	(void)close(fds[0]);
	(void)close(fds[1]);
	(void)close(err);
	(void)close(fd);
	free(text);
}

/* The reader goes away while nothing waits to be written; what it has not taken
 * is still known. */
static void
test_reader_gone(void **state)
{
	struct mouth mouth = {0};
	char c;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	mouth.loop = loop_new();
	mouth.rest = loop_timer_new(mouth.loop, on_rest, &mouth);
	outlet_init(&mouth.outlet, mouth.loop, fds[1], on_written, &mouth);
	outlet_put(&mouth.outlet, slice_of("abc"));
	loop_run(mouth.loop);
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_int_equal(close(fds[0]), 0);
	loop_timer_set(mouth.rest, 5000);
	loop_run(mouth.loop);
	assert_int_equal(mouth.outlet.error, EPIPE);
	assert_int_equal(mouth.calls, 2);
	assert_int_equal(mouth.outlet.written_bytes, 3);
	assert_int_equal(outlet_taken(&mouth.outlet), 1);
	outlet_release(&mouth.outlet);
	loop_timer_free(mouth.rest);
	loop_free(mouth.loop);
	(void)close(fds[1]);
}

UNIT_TESTS(standard, cmocka_unit_test(test_lines), cmocka_unit_test(test_pause),
    cmocka_unit_test(test_unreadable), cmocka_unit_test(test_slow_reader),
    cmocka_unit_test(test_file), cmocka_unit_test(test_reader_gone));
