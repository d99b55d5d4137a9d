/* Readers that misbehave, and processes that are killed (HOSTILE X33, X34). */
#include "tests/fixtures/fixture.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fixtures/reader_faults.h"
#include "tests/fixtures/readers_fixture.h"
#include "tests/fixtures/sanitized.h"

#define NO_ENTRY "an entry that the document may not list"

static const struct fault_case {
	const char *rule;
	const char *fault;
	enum diag_code code; /* of the job during which it happens */
	const char *text;
} faults[] = {
    {"X34", "open", DIAG_READER_CRASHED, "exit status 41"},
    {"X34", "socket", DIAG_READER_CRASHED, "signal 31"},
    {"X34", "exec", DIAG_READER_CRASHED, "signal 31"},
    {"X34", "fork", DIAG_READER_CRASHED, "signal 31"},
    {"X34", "map", DIAG_READER_CRASHED, "signal 31"},
    {"DESIGN 3.2", "fds", DIAG_READER_CRASHED, "exit status 41"},
    {"X33", "exit", DIAG_READER_CRASHED, "exit status 0"},
    {"X33", "garbage", DIAG_READER_KILLED, "bad frame"},
    {"X33", "oversize", DIAG_READER_KILLED, "bad frame"},
    {"X33", "flood", DIAG_READER_KILLED,
	"answer too large: what it lists, and what changed, takes more than 64 "
	"MiB; smaller sitemaps are read"},
    {"E37", "pack", DIAG_READER_KILLED, "more URLs than the document can hold"},
    {"X33", "sleep", DIAG_READER_KILLED, "wall clock limit"},
    {"X33", "after-end", DIAG_OK, NULL},
    {"X33", "ends", DIAG_OK, NULL},
    {"X33", "lie-none", DIAG_OK, NULL},
    {"X33", "lie-host", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-refused", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-rule", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-private", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-dots", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-shared-dot", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-escape", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-alphabet", DIAG_READER_KILLED,
	"a block that cannot be decoded"},
    {"X33", "lie-order", DIAG_READER_KILLED, "blocks out of order"},
    {"X33", "lie-beside", DIAG_READER_KILLED,
	"a block of other entries than it says"},
    {"X33", "lie-later", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-missed", DIAG_READER_KILLED, NO_ENTRY},
    {"X33", "lie-change", DIAG_READER_KILLED,
	"a change that the document may not list"},
    {"X33", "lie-count", DIAG_READER_KILLED, "counts of other entries"},
    {"X33", "lie-sum", DIAG_READER_KILLED, "counts that make no sum"},
    {"X33", "lie-kind", DIAG_READER_KILLED, "a document of no kind"},
    {"X33", "lie-damage", DIAG_READER_KILLED, "damage that is not there"},
    {"X33", "lie-failure", DIAG_READER_KILLED, "a finding that is no reader's"},
    {"X33", "lie-finding", DIAG_READER_KILLED, "a finding that is no reader's"},
#if defined(__x86_64__)
    {"X33", "crash", DIAG_READER_CRASHED, "signal 4"},
#endif
#if !IS_SANITIZED
    /* a limit of the kernel, at which no sanitizer looks, after 3 s */
    {"T15", "loop", DIAG_READER_KILLED, "CPU limit"},
    {"P9", "memory", DIAG_READER_CRASHED, "out of memory"},
#endif
};

/* try_fault(test): only the job with the fault fails; the next job of the same
 * reader is read, and so is a later one. */
static void
try_fault(const struct fault_case *test)
{
	struct world *world;
	unsigned first;

	print_message("%s\n", test->fault);
	assert_true(reader_fault_is_known(test->fault));
	/* The CPU limit must end "loop", and the wall clock limit "sleep". */
	world = world_new(1, test->fault,
	    strcmp(test->fault, "sleep") == 0 ? 2000 : GUARD_MS);
	first = world_submit_small(world, 1);
	(void)world_submit_small(world, 1);
	world_run(world);
	if (test->code == DIAG_OK)
		expect_good(&world->answers[first]);
	else
		expect_failure(&world->answers[first], test->code, test->text);
	expect_good(&world->answers[first + 1]);
	first = world_submit_small(world, 1);
	world_run(world);
	expect_good(&world->answers[first]);
	world_free(world);
}

static void
test_faults(void **state)
{

	for (unsigned i = 0; i < COUNT(faults); i++)
		try_fault(&faults[i]);
	assert_false(reader_fault_is_known("none such"));
}

/* False answers are found even if there is a previous segment. */
static void
test_lies_of_before(void **state)
{
	static const char *const names[] = {"lie-host", "lie-refused",
	    "lie-rule", "lie-later", "lie-missed", "lie-change"};
	static const char *const urls[] = {"http://a.example/1"};
	struct block_list previous = {0};

	make_segment(&previous, urls, COUNT(urls), 1);
	for (unsigned i = 0; i < COUNT(names); i++) {
		struct world *world = world_new(1, names[i], GUARD_MS);

		print_message("%s\n", names[i]);
		(void)world_submit(world, slice_of(small_document), &previous);
		world_run(world);
		expect_failure(&world->answers[0], DIAG_READER_KILLED,
		    strcmp(names[i], "lie-change") == 0
			? "a change that the document may not list"
			: NO_ENTRY);
		world_free(world);
	}
	block_list_release(&previous);
}

static void
kill_readers(void *arg)
{
	struct world *world = arg;
	int pids[8];
	unsigned count = world_readers(world, pids, COUNT(pids));

	if (count == 0)
		loop_timer_set(world->event, 1);
	while (count > 0)
		assert_int_equal(kill(pids[--count], SIGKILL), 0);
}

/* P4: the first job sleeps, the others wait behind it or go elsewhere; the next
 * reader reads what was lost. */
static void
test_kill_reader(void **state)
{
	struct world *world = world_new(1, "sleep", GUARD_MS);

	(void)world_submit_small(world, 4);
	world_later(world, kill_readers, 50);
	world_run(world);
	expect_all_good(world);
	world_free(world);
}

static void
kill_server(void *arg)
{
	struct world *world = arg;

	assert_int_equal(kill(world->forkserver->pid, SIGKILL), 0);
}

/* There is no other: the jobs fail, and those that follow, and no document is
 * to blame for it. */
static void
test_kill_server(void **state)
{
	unsigned before = count_fds();
	struct world *world = world_new(2, "sleep", GUARD_MS);
	int error;

	(void)world_submit_small(world, 4);
	world_later(world, kill_server, 50);
	world_run(world);
	expect_failure(
	    &world->answers[0], DIAG_READER_CRASHED, "fork server gone");
	assert_true(readers_are_lost(world->readers, &error));
	assert_int_equal(error, 0);
	(void)world_submit_small(world, 1);
	world_run(world);
	expect_failure(
	    &world->answers[4], DIAG_READER_CRASHED, "fork server gone");
	assert_int_equal(readers_backlog(world->readers), 0);
	world_free(world);
	assert_int_equal(count_fds(), before);
}

/* main_to_be(out): plays main in test_orphans, and is killed while jobs run. */
static _Noreturn void
main_to_be(int out)
{
	struct world *world = world_new(2, "sleep", GUARD_MS);
	int pids[3] = {0, 0, world->forkserver->pid};

	(void)world_submit_small(world, 1);
	(void)world_submit_small(world, 1);
	/* The second reader has answered, the first sleeps. */
	world->stop_at = 1;
	world_run(world);
	if (world_readers(world, pids, 2) != 2 ||
	    write(out, pids, sizeof(pids)) != (ssize_t)sizeof(pids))
		_exit(1);
	for (;;)
		(void)pause();
}

/* P5: no process outlives main by more than a second. */
static void
test_orphans(void **state)
{
	int pids[3];
	int fds[2];
	pid_t pid;

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		main_to_be(fds[1]);
	assert_int_equal(read(fds[0], pids, sizeof(pids)), sizeof(pids));
	(void)alarm(60); /* a reader that is left ends the test */
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* The server comes first: when it is dead, readers that it has not
	 * reaped become children of this process. */
	for (size_t i = COUNT(pids); i-- > 0;) {
		if (waitpid(pids[i], NULL, 0) != pids[i])
			assert_int_equal(errno, ECHILD);
		assert_int_equal(kill(pids[i], 0), -1);
	}
	(void)alarm(0);
	(void)close(fds[0]);
	(void)close(fds[1]);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

SANDBOX_TESTS(readers_faults, NULL, cmocka_unit_test(test_faults),
    cmocka_unit_test(test_lies_of_before), cmocka_unit_test(test_kill_reader),
    cmocka_unit_test(test_kill_server), cmocka_unit_test(test_orphans));
