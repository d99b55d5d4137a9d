/* Readers with real processes, for tests. */
#include "tests/readers_fixture.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/wire.h"
#include "crawler/event/scratch.h"
#include "crawler/event/spool.h"
#include "crawler/sandbox/reader_protocol.h"
#include "tests/read_fixture.h"
#include "tests/unit/fixture.h"

#define HERE "http://a.example/s.xml"
#define MEMORY (512u << 20)

const char small_document[] =
    "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
    "<url><loc>http://a.example/1</loc></url></urlset>";

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

struct world *
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

void
world_isolate(struct world *world, enum isolation isolation)
{
	world->options.isolation = isolation;
	readers_free(world->readers);
	world->readers = readers_new(
	    world->loop, world->forkserver, &world->options);
}

void
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

static char *
vast_text(void)
{
	char *text = mem_alloc(FRAME_MAX_BYTES + 1);

	memset(text, 'x', FRAME_MAX_BYTES);
	text[FRAME_MAX_BYTES] = '\0';
	return text;
}

unsigned
world_submit(
    struct world *world, struct slice body, struct block_list *previous)
{
	struct answer *answer = &world->answers[world->submitted];
	struct reader_job job = {.body_fd = scratch_fd(NULL),
	    .body_len = body.len,
	    .site_id = world->site_id,
	    .previous = pull_list,
	    .previous_arg = answer,
	    .previous_rewind = rewind_list};

	assert_true(world->submitted < MAX_JOBS);
	assert_true(job.body_fd >= 0);
	assert_int_equal(write(job.body_fd, body.p, body.len), body.len);
	assert_int_equal(lseek(job.body_fd, 0, SEEK_SET), 0);
	fixture_scope(&job.scope, PROFILE_GOOGLE, HERE);
	job.scope.has_previous = previous != NULL;
	job.scope.is_held = world->is_held;
	job.scope.checks = world->checks;
	if (world->is_vast)
		job.scope.content_type = vast_text();
	if (world->sort_memory != 0)
		job.scope.limits.sort_memory = world->sort_memory;
	answer->world = world;
	answer->previous = previous;
	readers_submit(world->readers, &job, on_done, answer);
	return world->submitted++;
}

void
world_run(struct world *world)
{
	loop_timer_set(world->guard, GUARD_MS);
	loop_run(world->loop);
	loop_timer_stop(world->guard);
}

void
world_later(struct world *world, loop_fn *fn, int64_t delay_ms)
{
	if (world->event == NULL)
		world->event = loop_timer_new(world->loop, fn, world);
	loop_timer_set(world->event, delay_ms);
}

void
make_document(struct buf *out, unsigned first, unsigned count, unsigned day)
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

static void
add_block(void *arg, const struct block *block)
{
	block_list_add(arg, block);
}

void
make_segment(struct block_list *list, const char *const *urls, unsigned count,
    int64_t first_seen_s)
{
	struct block_writer *writer = block_writer_new(add_block, list);

	for (unsigned i = 0; i < count; i++)
		block_writer_add(writer,
		    &(struct entry){.url = slice_of(urls[i]),
			.first_seen_s = first_seen_s});
	block_writer_finish(writer);
	block_writer_free(writer);
}

static void
print_list(struct buf *out, const struct block_list *list)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		struct block block = {
		    slice_make(list->items[i].data, list->items[i].len),
		    slice_of(list->items[i].first_url),
		    slice_of(list->items[i].last_url), list->items[i].count,
		    slice_make(list->items[i].bloom, list->items[i].bloom_len)};

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

void
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

void
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

void
expect_good(const struct answer *answer)
{
	assert_true(answer->is_done);
	assert_string_equal(diag_name(answer->code), "ok");
	assert_int_equal(answer->content.accepted, 1);
	assert_int_equal(answer->content.segment.count, 1);
}

unsigned
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
