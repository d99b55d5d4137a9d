/* crawler/archive/program.c: programs that take pages. */
#include "crawler/archive/program.h"

#include <stdio.h>
#include <sys/wait.h>

#include "tests/fixtures/fixture.h"

struct play {
	struct loop *loop;
	struct program *program; /* owned */
	struct buf log; /* what was called: "1+ 2- 3? =0" */
	unsigned wanted; /* answers, after which the loop stops; 0: the end */
};

static void
take_answer(void *arg, uint32_t id, enum program_answer answer)
{
	struct play *play = arg;

	(void)buf_print(&play->log, "%u%c ", id, "+-?"[answer]);
	if (play->wanted > 0 && --play->wanted == 0)
		loop_stop(play->loop);
}

static void
take_end(void *arg, int status)
{
	struct play *play = arg;

	if (WIFSIGNALED(status))
		(void)buf_print(&play->log, "signal %d", WTERMSIG(status));
	else
		(void)buf_print(&play->log, "=%d", WEXITSTATUS(status));
	program_free(play->program);
	play->program = NULL;
	loop_stop(play->loop);
}

static void
play_start(struct play *play, const char *command)
{
	*play = (struct play){.loop = loop_new(), .log = BUF_UP_TO(SIZE_MAX)};
	assert_non_null(play->loop);
	play->program = program_new(play->loop, command,
	    &(struct program_callbacks){play, take_answer, take_end});
	assert_non_null(play->program);
}

static void
play_end(struct play *play)
{
	program_free(play->program);
	loop_free(play->loop);
	buf_release(&play->log);
}

/* What programs do with three pages, and what that means. */
static void
test_programs(void **state)
{
	static const struct {
		const char *command, *log;
	} programs[] = {
	    {"while read -r a; do echo ok; done", "1+ 2+ 3+ =0"},
	    {"while read -r a; do echo ' ok\r'; done; exit 3", "1+ 2+ 3+ =3"},
	    {"read -r a; echo ok; read -r b; echo no; read -r c; echo OK",
		"1+ 2- 3- =0"},
	    {"read -r a; read -r b; echo ok; exit 7", "1+ 2? 3? =7"},
	    {"while read -r a; do echo \"${a#page }\"; done", "1- 2- 3- =0"},
	    {"while read -r a; do case $a in 'page 2') ;; *) false;; esac "
	     "&& echo ok || echo bad; done",
		"1- 2+ 3- =0"},
	    {"cat >/dev/null", "1? 2? 3? =0"},
	    {"printf 'ok\\nok'; cat >/dev/null", "1+ 2+ 3? =0"},
	    {"echo ok; echo ok; echo ok; echo ok; echo; cat >/dev/null",
		"1+ 2+ 3+ =0"},
	    {"kill -KILL $$", "1? 2? 3? signal 9"},
	    {"/nowhere/program", "1? 2? 3? =127"},
	    /* It closes its stdout, and does not end. */
	    {"read a; echo ok; exec >&-; exec sleep 100", "1+ 2? 3? signal 15"},
	    /* Its stdout stays open in another process. */
	    {"sleep 5 & read a; echo ok", "1+ 2? 3? =0"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(programs); i++) {
		struct play play;

		play_start(&play, programs[i].command);
		program_put(play.program, 1, slice_of("page 1"));
		program_put(play.program, 2, slice_of("page 2"));
		program_put(play.program, 3, slice_of("page 3"));
		program_finish(play.program);
		loop_run(play.loop);
		assert_row(programs[i].command, &play.log, programs[i].log);
		play_end(&play);
	}
}

/* Megabytes wait until the program reads them; pages come while others are
 * answered. */
static void
test_flow(void **state)
{
	struct play play;
	char *line = mem_alloc(100000);
	unsigned lines = 0;

	(void)state;
	memset(line, 'x', 100000);
	play_start(&play, "read a; echo ok; while read a; do echo ok; done");
	for (uint32_t id = 0; id < 30; id++)
		program_put(play.program, id, slice_make(line, 100000));
	assert_int_equal(program_bytes(play.program), 30 * 100001);
	play.wanted = 5;
	loop_run(play.loop);
	for (uint32_t id = 30; id < 60; id++)
		program_put(play.program, id, slice_make(line, 100000));
	program_finish(play.program);
	loop_run(play.loop);
	for (const char *p = buf_str(&play.log); *p != '\0'; p++)
		lines += *p == '+';
	assert_int_equal(lines, 60);
	assert_true(slice_ends(buf_text(&play.log), slice_of("58+ 59+ =0")));
	play_end(&play);
	/* It closes its stdin while megabytes wait, and does not end. */
	play_start(&play, "echo ok; exec <&-; exec sleep 100");
	for (uint32_t id = 0; id < 3; id++)
		program_put(play.program, id, slice_make(line, 100000));
	loop_run(play.loop);
	assert_string_equal(buf_str(&play.log), "0+ 1? 2? signal 15");
	free(line);
	play_end(&play);
	/* It runs, and is ended. */
	play_start(&play, "echo ok; while :; do sleep 1; done");
	program_put(play.program, 9, slice_of(""));
	play.wanted = 1;
	loop_run(play.loop);
	play_end(&play);
}

UNIT_TESTS(
    program, cmocka_unit_test(test_programs), cmocka_unit_test(test_flow));
