/* Readers with real processes, for tests. */
#ifndef FRESHET_READERS_FIXTURE_H
#define FRESHET_READERS_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "crawler/sandbox/readers.h"

#define MAX_JOBS 700
#define GUARD_MS 60000 /* a test that hangs fails */

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
	uint64_t sort_memory; /* of the jobs, 0: as usual */
	int64_t site_id; /* of the jobs that follow */
	bool is_held; /* the same */
	bool is_vast; /* the same: no frame can hold their scopes */
	struct read_checks checks; /* of the jobs */
	bool frees_in_done;
	int pids[64]; /* seen */
	unsigned pid_count;
};

/* One entry. */
extern const char small_document[];

/* make_document(out, first, count, day): entries first to first + count - 1,
 * a seventh of them with that day's date; out is initialised. */
void make_document(
    struct buf *out, unsigned first, unsigned count, unsigned day);

/* make_segment(list, urls, count, first_seen_s): of these, ascending. */
void make_segment(struct block_list *, const char *const *urls, unsigned count,
    int64_t first_seen_s);

/*
 * world_new(count, plant, wall_ms): loop, fork server and readers, in the
 * sandbox, with one second of CPU for a job; plant as in reader.h.
 */
struct world *world_new(unsigned count, const char *plant, uint32_t wall_ms);
void world_free(struct world *);

/* world_isolate(world, isolation): of what is submitted afterwards. */
void world_isolate(struct world *, enum isolation);

/* world_submit(world, body, previous): the number of its answer; previous is
 * NULL or outlives the job. */
unsigned world_submit(
    struct world *, struct slice body, struct block_list *previous);

/* world_run(world): until all, or stop_at, are answered. */
void world_run(struct world *);

/* world_later(world, fn, delay_ms): in mid-flight, with the world. */
void world_later(struct world *, loop_fn *, int64_t delay_ms);

void expect_same(const struct answer *, const struct answer *);

/* expect_failure: with that one finding, that text and no blocks. */
void expect_failure(const struct answer *, enum diag_code, const char *text);

/* expect_good(answer): of small_document. */
void expect_good(const struct answer *);

/* count_fds(): open in this process. */
unsigned count_fds(void);

#endif
