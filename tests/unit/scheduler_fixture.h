/* A scheduler and its clock, for unit tests. */
#ifndef FRESHET_SCHEDULER_FIXTURE_H
#define FRESHET_SCHEDULER_FIXTURE_H

#include "tests/unit/fixture.h"

#include "sched/limiter_level.h"
#include "sched/scheduler.h"
#include "sched/scheduler_holds.h"
#include "sched/scheduler_internal.h"
#include "sched/scheduler_tell.h"

#define HOUR 3600
#define DAY 86400
#define T0 1800000000 /* any time */

struct bench {
	struct scheduler *s;
	int64_t now_s;
	struct scheduler_choice choice;
};

static inline void
bench_open(struct bench *bench, const struct scheduler_options *options)
{
	struct scheduler_host host = {0};

	*bench = (struct bench){.s = scheduler_new(options), .now_s = T0};
	assert_int_equal(scheduler_add_host(bench->s, &host), 0);
}

static inline struct scheduler_options
pages_only(void)
{
	struct scheduler_options options = scheduler_options_default();

	options.reads_documents = false;
	return options;
}

/* Of a site that wants no quota of its pages (tests/unit/quota.c). */
static inline struct scheduler_site
plain_site(void)
{
	struct scheduler_site site = scheduler_site_default();

	site.pages_per_day = 0;
	return site;
}

/* What goes out is worth that. */
static inline void
set_level(struct bench *bench, double level)
{
	limiter_set_level(bench->s->limiter, bench->s->limit, level);
	site_levels_change(bench->s);
}

static inline uint32_t
add_site(struct bench *bench, int64_t ceiling_s)
{
	struct scheduler_site site = plain_site();

	site.page_ceiling_s = ceiling_s;
	return scheduler_add_site(bench->s, &site);
}

static inline uint32_t
add_document(struct bench *bench, uint32_t parent, const char *name)
{
	struct scheduler_document document = {.site = 0,
	    .parent = parent,
	    .is_index = strstr(name, "index") != NULL,
	    .name = slice_of(name)};

	return scheduler_add_document(bench->s, &document, bench->now_s);
}

/* A page fetched, and dated, so long ago; 0: never. */
static inline uint32_t
add_page(struct bench *bench, float weight, int64_t ago_s)
{
	struct scheduler_page page = {.weight = weight,
	    .lastmod_s = bench->now_s - ago_s,
	    .fetched_s = ago_s == 0 ? SCHEDULER_NEVER : bench->now_s - ago_s};

	return scheduler_add_page(bench->s, &page, bench->now_s);
}

static inline void
expect(struct bench *bench, enum scheduler_kind kind, uint32_t number,
    enum scheduler_reason reason)
{
	assert_true(scheduler_next(bench->s, bench->now_s, &bench->choice));
	assert_int_equal(bench->choice.kind, kind);
	assert_int_equal(bench->choice.number, number);
	assert_int_equal(bench->choice.reason, reason);
}

static inline void
expect_nothing(struct bench *bench)
{
	assert_false(scheduler_next(bench->s, bench->now_s, &bench->choice));
}

static inline void
answer(struct bench *bench, uint32_t page, enum scheduler_outcome_kind kind)
{
	scheduler_outcome(bench->s, page,
	    &(struct scheduler_outcome){.now_s = bench->now_s, .kind = kind});
}

static inline void
read_document(
    struct bench *bench, uint32_t document, uint32_t listed, uint32_t moved)
{
	scheduler_reading(bench->s, document,
	    &(struct scheduler_reading){.now_s = bench->now_s,
		.listed = listed,
		.dated = listed,
		.moved = moved,
		.is_unchanged = moved == 0,
		.cost = 1});
}

static inline void
move(struct bench *bench, uint32_t page, int64_t lastmod_s)
{
	scheduler_page_signal(bench->s, page,
	    &(struct scheduler_signal){
		.kind = SIGNAL_MOVED, .lastmod_s = lastmod_s});
}

#endif
