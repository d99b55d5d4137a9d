/* crawler/readers.c and all behind it: real processes (HOSTILE X33, X34). */
#include "tests/unit/fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/jail.h"
#include "crawler/reader.h"
#include "crawler/reader_protocol.h"
#include "crawler/readers.h"
#include "crawler/spool.h"
#include "tests/read_fixture.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0 /* memory has a limit */
#endif

#define MAX_JOBS 700
#define GUARD_MS 60000 /* a test that hangs fails */
#define HERE "http://a.example/s.xml"
#define MEMORY (512u << 20)

struct world;

struct answer {
	struct world *world;
	bool is_done;
	enum diag_code code;
	struct content content; /* owned */
	struct block_list *previous;
	size_t previous_at;
};

struct world {
	struct loop *loop;
	struct forkserver *forkserver;
	struct readers *readers;
	struct loop_timer *guard;
	struct loop_timer *event; /* what a test does in mid-flight */
	struct readers_options options;
	struct answer answers[MAX_JOBS];
	unsigned submitted;
	unsigned done;
	unsigned stop_at; /* done, 0: all */
	unsigned rewound;
	bool frees_in_done;
	int pids[64]; /* seen */
	unsigned pid_count;
};

static void
on_guard(void *arg)
{
	struct world *world = arg;

	loop_stop(world->loop);
	fail_msg("no result after %d ms", GUARD_MS);
}

static void
world_open(struct world *world, const struct forkserver_options *how)
{
	unsigned count = world->options.count;

	if (world->options.jobs_each == 0)
		world->options.jobs_each = 256;
	if (world->options.max_result_bytes == 0)
		world->options.max_result_bytes = 64u << 20;
	if (count > 0) {
		world->forkserver = forkserver_start(how);
		assert_non_null(world->forkserver);
	}
	world->loop = loop_new();
	assert_non_null(world->loop);
	world->readers = readers_new(
	    world->loop, world->forkserver, &world->options);
	world->guard = loop_timer_new(world->loop, on_guard, world);
}

static void
world_close(struct world *world)
{
	unsigned i;

	for (i = 0; i < world->submitted; i++) {
		if (world->answers[i].is_done)
			content_release(&world->answers[i].content);
	}
	readers_free(world->readers);
	loop_timer_free(world->guard);
	loop_timer_free(world->event);
	loop_free(world->loop);
	forkserver_free(world->forkserver);
}

static struct world *
world_new(unsigned count, const char *plant, uint32_t wall_ms)
{
	struct forkserver_options how = {.sandbox = SANDBOX_REQUIRED,
	    .reader_memory = MEMORY,
	    .job_cpu_s = 1,
	    .plant = plant};
	struct world *world = mem_zero(sizeof(*world));

	world->options.count = count;
	world->options.job_wall_ms = wall_ms;
	world_open(world, &how);
	return world;
}

static void
world_free(struct world *world)
{
	world_close(world);
	free(world);
}

static void
note_pids(struct world *world)
{
	int pids[8];
	unsigned count = readers_pids(world->readers, pids, COUNT(pids));
	unsigned i, j;

	for (i = 0; i < count; i++) {
		for (j = 0; j < world->pid_count; j++) {
			if (world->pids[j] == pids[i])
				break;
		}
		if (j == world->pid_count && j < COUNT(world->pids))
			world->pids[world->pid_count++] = pids[i];
	}
}

static void
on_done(void *arg, enum diag_code code, struct content *content)
{
	struct answer *answer = arg;
	struct world *world = answer->world;

	assert_false(answer->is_done);
	answer->is_done = true;
	answer->code = code;
	answer->content = *content;
	note_pids(world);
	world->done++;
	if (world->done == world->submitted || world->frees_in_done ||
	    world->done == world->stop_at)
		loop_stop(world->loop);
	if (world->frees_in_done) {
		readers_free(world->readers);
		world->readers = NULL;
	}
}

static struct slice
pull_list(void *arg)
{
	struct answer *answer = arg;
	const struct block_copy *block;

	if (answer->previous_at == answer->previous->count)
		return slice_of(NULL);
	block = &answer->previous->items[answer->previous_at++];
	return slice_make(block->data, block->len);
}

static void *
rewind_list(void *arg)
{
	struct answer *answer = arg;

	answer->previous_at = 0;
	answer->world->rewound++;
	return answer;
}

/* submit(world, body, previous): the number of its answer. */
static unsigned
submit(struct world *world, struct slice body, struct block_list *previous)
{
	struct answer *answer = &world->answers[world->submitted];
	struct reader_job job = {.body_fd = spool_scratch_fd(NULL),
	    .body_len = body.len,
	    .previous = pull_list,
	    .previous_arg = answer,
	    .previous_rewind = rewind_list};

	assert_true(world->submitted < MAX_JOBS);
	assert_true(job.body_fd >= 0);
	assert_int_equal(write(job.body_fd, body.p, body.len), body.len);
	assert_int_equal(lseek(job.body_fd, 0, SEEK_SET), 0);
	fixture_scope(&job.scope, PROFILE_GOOGLE, HERE);
	job.scope.has_previous = previous != NULL;
	answer->world = world;
	answer->previous = previous;
	readers_submit(world->readers, &job, on_done, answer);
	return world->submitted++;
}

static void
run(struct world *world)
{
	loop_timer_set(world->guard, GUARD_MS);
	loop_run(world->loop);
	loop_timer_stop(world->guard);
}

static void
later(struct world *world, loop_fn *fn, int64_t delay_ms)
{
	if (world->event == NULL)
		world->event = loop_timer_new(world->loop, fn, world);
	loop_timer_set(world->event, delay_ms);
}

/* Documents. */

static void
document(struct buf *out, unsigned first, unsigned count, unsigned day)
{
	unsigned i;

	buf_init(out, 64u << 20);
	(void)buf_print(out,
	    "<?xml version='1.0'?><urlset "
	    "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>");
	for (i = first; i < first + count; i++)
		(void)buf_print(out,
		    "<url><loc>http://a.example/p/%u/%08x</loc>"
		    "<lastmod>2025-01-%02u</lastmod></url>",
		    i, i * 2654435761u, i % 7 == 0 ? day : 1);
	(void)buf_print(out, "</urlset>");
}

static const char small[] =
    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
    "<url><loc>http://a.example/1</loc></url></urlset>";

static void
print_list(struct buf *out, const struct block_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		struct block block = {
		    slice_make(list->items[i].data, list->items[i].len),
		    slice_of(list->items[i].first_url),
		    slice_of(list->items[i].last_url), list->items[i].count};

		frame_put_block(out, &block);
	}
}

/* All of a result as bytes. */
static void
print_answer(struct buf *out, const struct answer *answer)
{
	buf_init(out, 64u << 20);
	wire_put_u32(out, answer->code);
	frame_put_content(out, &answer->content);
	print_list(out, &answer->content.segment);
	print_list(out, &answer->content.delta);
}

static void
expect_same(const struct answer *a, const struct answer *b)
{
	struct buf x, y;

	print_answer(&x, a);
	print_answer(&y, b);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.p, y.p, x.len);
	buf_release(&x);
	buf_release(&y);
}

static void
expect_failure(
    const struct answer *answer, enum diag_code code, const char *text)
{
	const struct finding *finding;

	assert_true(answer->is_done);
	assert_string_equal(diag_name(answer->code), diag_name(code));
	assert_int_equal(answer->content.failure, code);
	finding = findings_get(&answer->content.findings, code);
	assert_non_null(finding);
	assert_int_equal(finding->count, 1);
	assert_string_equal(finding->samples[0].text, text);
	assert_int_equal(answer->content.segment.count, 0);
	assert_int_equal(answer->content.delta.count, 0);
}

static void
expect_good(const struct answer *answer)
{
	assert_true(answer->is_done);
	assert_string_equal(diag_name(answer->code), "ok");
	assert_int_equal(answer->content.accepted, 1);
	assert_int_equal(answer->content.segment.count, 1);
}

static unsigned
count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	(void)closedir(dir);
	return count;
}

/* Tests. */

#define DOCUMENTS 9

/* DESIGN 3.1: a reading is a pure function, wherever it runs. */
static void
test_same(void **state)
{
	struct buf bodies[DOCUMENTS];
	struct world *here = world_new(0, NULL, GUARD_MS);
	struct world *there = world_new(2, NULL, GUARD_MS);
	unsigned i;

	(void)state;
	document(&bodies[0], 0, 1, 1);
	document(&bodies[1], 0, 20000, 1);
	document(&bodies[2], 5000, 20000, 9); /* after 1 */
	document(&bodies[3], 0, 0, 1);
	document(&bodies[4], 0, 30000, 1);
	bodies[4].len /= 2; /* broken */
	document(&bodies[5], 0, 60000, 1); /* too many */
	for (i = 6; i < DOCUMENTS; i++)
		buf_init(&bodies[i], 4096);
	(void)buf_print(&bodies[6], "<html><body>no</body></html>");
	(void)buf_print(&bodies[7], "http://a.example/1\nhttp://b.example/\n");
	for (i = 0; i < DOCUMENTS; i++) {
		(void)submit(here, buf_text(&bodies[i]), NULL);
		(void)submit(there, buf_text(&bodies[i]), NULL);
	}
	run(here);
	run(there);
	for (i = 0; i < DOCUMENTS; i++)
		expect_same(&here->answers[i], &there->answers[i]);
	for (i = 0; i < DOCUMENTS; i++) {
		/* The last with more previous than its reading wants. */
		struct block_list *previous = &here->answers[i == 2 ? 1 : 4]
						   .content.segment;

		(void)submit(here, buf_text(&bodies[i]), previous);
		(void)submit(there, buf_text(&bodies[i]), previous);
	}
	run(here);
	run(there);
	for (; i < 2 * DOCUMENTS; i++)
		expect_same(&here->answers[i], &there->answers[i]);
	assert_true(here->answers[DOCUMENTS + 2].content.delta.count > 1);
	assert_int_equal(
	    here->answers[DOCUMENTS + 2].content.merge.changes[DELTA_REMOVED],
	    5000);
	for (i = 0; i < DOCUMENTS; i++)
		buf_release(&bodies[i]);
	world_free(here);
	world_free(there);
}

static const struct plant_case {
	const char *rule;
	const char *plant;
	enum diag_code code; /* of the job at which it happens */
	const char *text;
} plants[] = {
    {"X34", "open", DIAG_READER_CRASHED, "exit status 41"},
    {"X34", "socket", DIAG_READER_CRASHED, "signal 31"},
    {"X34", "exec", DIAG_READER_CRASHED, "signal 31"},
    {"X34", "fork", DIAG_READER_CRASHED, "signal 31"},
    {"X34", "map", DIAG_READER_CRASHED, "signal 31"},
    {"DESIGN 3.2", "fds", DIAG_READER_CRASHED, "exit status 41"},
    {"X33", "exit", DIAG_READER_CRASHED, "exit status 0"},
    {"X33", "garbage", DIAG_READER_KILLED, "bad frame"},
    {"X33", "oversize", DIAG_READER_KILLED, "bad frame"},
    {"X33", "flood", DIAG_READER_KILLED, "answer too large"},
    {"X33", "sleep", DIAG_READER_KILLED, "wall clock limit"},
    {"T15", "loop", DIAG_READER_KILLED, "CPU limit"},
    {"X33", "after-end", DIAG_OK, NULL},
#if defined(__x86_64__)
    {"X33", "crash", DIAG_READER_CRASHED, "signal 4"},
#endif
#if !IS_SANITIZED
    {"P9", "memory", DIAG_READER_CRASHED, "out of memory"},
#endif
};

/* The job fails alone: the next one on the same reader is read, and so is
 * what comes later. */
static void
try_plant(const struct plant_case *test)
{
	struct world *world;
	unsigned first;

	print_message("%s\n", test->plant);
	assert_true(reader_plant_is_known(test->plant));
	/* With a loop the CPU limit must come first, else the wall clock. */
	world = world_new(
	    1, test->plant, strcmp(test->plant, "sleep") == 0 ? 300 : GUARD_MS);
	first = submit(world, slice_of(small), NULL);
	(void)submit(world, slice_of(small), NULL);
	run(world);
	if (test->code == DIAG_OK)
		expect_good(&world->answers[first]);
	else
		expect_failure(&world->answers[first], test->code, test->text);
	expect_good(&world->answers[first + 1]);
	first = submit(world, slice_of(small), NULL);
	run(world);
	expect_good(&world->answers[first]);
	world_free(world);
}

static void
test_plants(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(plants); i++)
		try_plant(&plants[i]);
	assert_false(reader_plant_is_known("none such"));
}

static void
kill_readers(void *arg)
{
	struct world *world = arg;
	int pids[8];
	unsigned count = readers_pids(world->readers, pids, COUNT(pids));

	if (count == 0)
		loop_timer_set(world->event, 1);
	while (count > 0)
		assert_int_equal(kill(pids[--count], SIGKILL), 0);
}

/* P4: the first sleeps, the others follow it or go elsewhere. */
static void
test_kill_reader(void **state)
{
	struct world *world = world_new(1, "sleep", GUARD_MS);
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++)
		(void)submit(world, slice_of(small), NULL);
	later(world, kill_readers, 1);
	run(world);
	expect_failure(&world->answers[0], DIAG_READER_CRASHED, "signal 9");
	for (i = 1; i < 4; i++)
		expect_good(&world->answers[i]);
	world_free(world);
}

/* A job that is lost with another is read from its start, with its previous
 * segment from its start. */
static void
test_again(void **state)
{
	struct world *here = world_new(0, NULL, GUARD_MS);
	struct world *world = world_new(1, "exit", GUARD_MS);
	struct block_list *previous;
	struct buf body;

	(void)state;
	document(&body, 0, 20000, 1);
	(void)submit(here, buf_text(&body), NULL);
	run(here);
	previous = &here->answers[0].content.segment;
	(void)submit(here, buf_text(&body), previous);
	run(here);
	(void)submit(world, slice_of(small), previous);
	(void)submit(world, buf_text(&body), previous);
	run(world);
	expect_failure(
	    &world->answers[0], DIAG_READER_CRASHED, "exit status 0");
	assert_int_equal(world->rewound, 1);
	expect_same(&world->answers[1], &here->answers[1]);
	buf_release(&body);
	world_free(world);
	world_free(here);
}

static void
kill_server(void *arg)
{
	struct world *world = arg;

	assert_int_equal(kill(forkserver_pid(world->forkserver), SIGKILL), 0);
}

static void
test_kill_server(void **state)
{
	struct world *world = world_new(2, "sleep", GUARD_MS);
	unsigned last;

	(void)state;
	(void)submit(world, slice_of(small), NULL);
	later(world, kill_server, 50);
	run(world);
	expect_failure(
	    &world->answers[0], DIAG_READER_CRASHED, "fork server gone");
	last = submit(world, slice_of(small), NULL);
	run(world);
	expect_failure(
	    &world->answers[last], DIAG_READER_CRASHED, "fork server gone");
	assert_int_equal(readers_backlog(world->readers), 0);
	world_free(world);
}

static void
allow_fork(void *arg)
{
	struct world *world = arg;
	struct rlimit limit = {64, 64};

	assert_int_equal(prlimit(forkserver_pid(world->forkserver),
			     RLIMIT_NOFILE, &limit, NULL),
	    0);
}

/* P10: no reader can be forked for a while, or not at all. */
static void
test_no_fork(void **state)
{
	struct world *world = world_new(1, "exit", GUARD_MS);
	struct rlimit limit = {3, 64};

	(void)state;
	/* The first reader is gone, the server is there. */
	(void)submit(world, slice_of(small), NULL);
	run(world);
	assert_int_equal(prlimit(forkserver_pid(world->forkserver),
			     RLIMIT_NOFILE, &limit, NULL),
	    0);
	(void)submit(world, slice_of(small), NULL);
	run(world);
	expect_failure(&world->answers[1], DIAG_READER_CRASHED, "cannot fork");
	(void)submit(world, slice_of(small), NULL);
	later(world, allow_fork, 20);
	run(world);
	expect_good(&world->answers[2]);
	world_free(world);
}

/* The part of main in test_orphans: it is killed in the midst of jobs. */
static _Noreturn void
main_to_be(int out)
{
	struct world *world = world_new(2, "sleep", GUARD_MS);
	int pids[3] = {0, 0, forkserver_pid(world->forkserver)};

	(void)submit(world, slice_of(small), NULL);
	(void)submit(world, slice_of(small), NULL);
	/* The second reader has answered, the first sleeps. */
	world->stop_at = 1;
	run(world);
	if (readers_pids(world->readers, pids, 2) != 2 ||
	    write(out, pids, sizeof(pids)) != (ssize_t)sizeof(pids))
		_exit(1);
	for (;;)
		(void)pause();
}

/* P5: no process outlives main by a second. */
static void
test_orphans(void **state)
{
	int pids[3];
	int fds[2];
	size_t i;
	pid_t pid;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		main_to_be(fds[1]);
	assert_int_equal(read(fds[0], pids, sizeof(pids)), sizeof(pids));
	(void)alarm(1); /* it ends the test */
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* The server first: the readers are ours when it is dead, if it has
	 * not reaped them. */
	for (i = COUNT(pids); i-- > 0;) {
		if (waitpid(pids[i], NULL, 0) != pids[i])
			assert_int_equal(errno, ECHILD);
		assert_int_equal(kill(pids[i], 0), -1);
	}
	(void)alarm(0);
	(void)close(fds[0]);
	(void)close(fds[1]);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/* A reader is replaced after 256 readings; nothing is left open. */
static void
test_many(void **state)
{
	unsigned before = count_fds();
	struct world *world = world_new(2, NULL, GUARD_MS);
	unsigned i;

	(void)state;
	for (i = 0; i < 600; i++)
		(void)submit(world, slice_of(small), NULL);
	assert_int_equal(readers_backlog(world->readers), 600);
	run(world);
	for (i = 0; i < 600; i++)
		expect_good(&world->answers[i]);
	assert_int_equal(readers_backlog(world->readers), 0);
	assert_true(world->pid_count >= 3 && world->pid_count <= 4);
	/* Two ends of sockets, two scratch files each, loop, server. */
	assert_true(count_fds() <= before + 16);
	world_free(world);
	assert_int_equal(count_fds(), before);
}

static void
test_free_in_done(void **state)
{
	unsigned before = count_fds();
	unsigned count;
	unsigned i;

	(void)state;
	for (count = 0; count <= 2; count += 2) {
		struct world *world = world_new(count, NULL, GUARD_MS);

		world->frees_in_done = true;
		for (i = 0; i < 20; i++)
			(void)submit(world, slice_of(small), NULL);
		run(world);
		assert_int_equal(world->done, 1);
		world_free(world);
	}
	assert_int_equal(count_fds(), before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same),
	    cmocka_unit_test(test_plants),
	    cmocka_unit_test(test_kill_reader),
	    cmocka_unit_test(test_again),
	    cmocka_unit_test(test_kill_server),
	    cmocka_unit_test(test_no_fork),
	    cmocka_unit_test(test_orphans),
	    cmocka_unit_test(test_many),
	    cmocka_unit_test(test_free_in_done),
	};

	if (!jail_is_supported()) {
		print_message("no seccomp here\n");
		return 77; /* meson: skipped */
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
