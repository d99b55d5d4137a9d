/* The driver: which of the listed pages are looked at. */
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_begin.h"
#include "crawler/crawl/run_page.h"
#include "crawler/crawl/run_task.h"
#include "sched/host_queue.h"
#include "store/query.h"

/* A document that lists pages. */
struct source {
	uint32_t task;
	uint64_t entries;
	uint64_t share; /* of the sample */
};

struct sample {
	struct run *run;
	struct source *sources; /* owned, by URL */
	size_t count, cap;
	struct string_set seen; /* URLs that were chosen */
	uint32_t *chosen; /* owned: visits */
	size_t chosen_count, chosen_cap;
};

static void
add_source(struct sample *sample, uint32_t task, uint64_t entries)
{
	sample->sources = mem_grow(sample->sources, &sample->cap,
	    sample->count + 1, sizeof(*sample->sources));
	sample->sources[sample->count++] = (struct source){
	    .task = task, .entries = entries};
}

static void
find_sources(struct sample *sample, uint32_t crawl)
{
	struct run *run = sample->run;

	for (uint32_t i = 0; i < run->task_count; i++) {
		const struct task *task = run_task(run, i);
		struct document document;

		if (task->site == NONE || task->type != TASK_DOCUMENT ||
		    run->sites[task->site].crawl != crawl ||
		    !store_document_get(
			run->options.store, task->document_id, &document))
			continue;
		uint64_t accepted = verdict_accepted(
		    document.entries, document.refused);
		if (document.kind != KIND_INDEX && accepted > 0)
			add_source(sample, i, accepted);
		document_release(&document);
	}
}

/* Visits are numbered as answers come; URLs are always the same. */
static int
compare_urls(const void *a, const void *b, void *arg)
{
	const struct source *x = a;
	const struct source *y = b;
	struct run *run = arg;

	return strcmp(run_task(run, x->task)->url, run_task(run, y->task)->url);
}

static size_t
count_open(const struct sample *sample)
{
	size_t open = 0;

	for (size_t i = 0; i < sample->count; i++)
		open += sample->sources[i].share < sample->sources[i].entries;
	return open;
}

/* share_out(sample, n): to all the same, as far as they have that many; what
 * is too little for all goes to some at even distances. */
static void
share_out(struct sample *sample, uint64_t n)
{
	size_t open = count_open(sample);

	while (n > 0 && open > 0) {
		uint64_t each = n / open, k = 0, given = 0;

		for (size_t i = 0; i < sample->count; i++) {
			struct source *source = &sample->sources[i];
			uint64_t room = source->entries - source->share;
			uint64_t part = each;

			if (room == 0)
				continue;
			k++;
			if (each == 0)
				part = k * n / open - (k - 1) * n / open;
			if (part > room)
				part = room;
			source->share += part;
			given += part;
		}
		n -= given;
		open = count_open(sample);
	}
}

static void
choose(struct sample *sample, uint32_t parent, struct slice url)
{
	const struct task *document = run_task(sample->run, parent);
	struct task task = {.url = slice_dup(url),
	    .type = TASK_PAGE,
	    .class = CLASS_CHILD,
	    .site = document->site,
	    .parent = parent,
	    .origin = NONE,
	    .newest_s = INT64_MIN};

	string_set_add(&sample->seen, url);
	sample->chosen = mem_grow(sample->chosen, &sample->chosen_cap,
	    sample->chosen_count + 1, sizeof(*sample->chosen));
	sample->chosen[sample->chosen_count++] = run_add_task(
	    sample->run, &task);
}

/* choose_from(sample, source): at even distances in the order of their URLs;
 * for one that another document lists too, the next. */
static void
choose_from(struct sample *sample, const struct source *source)
{
	struct block_source *blocks = block_source_segment(
	    sample->run->options.store,
	    run_task(sample->run, source->task)->document_id);
	struct block_reader *reader = block_reader_new(
	    block_source_pull, blocks);
	struct entry entry;
	uint64_t taken = 0, at = 0;

	while (taken < source->share && block_next(reader, &entry)) {
		uint64_t due = (2 * taken + 1) * source->entries /
		    (2 * source->share);

		if (entry.missed > 0 || entry.verdict != VERDICT_ACCEPTED ||
		    at++ < due || string_set_has(&sample->seen, entry.url))
			continue;
		choose(sample, source->task, entry.url);
		taken++;
	}
	block_reader_free(reader);
	block_source_free(blocks);
}

bool
page_sample(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];
	struct sample sample = {.run = run};

	if (crawl->options.pages == 0 || crawl->is_sampled || crawl->is_dropped)
		return false;
	crawl->is_sampled = true;
	find_sources(&sample, number);
	if (sample.count > 0)
		qsort_r(sample.sources, sample.count, sizeof(*sample.sources),
		    compare_urls, run);
	share_out(&sample, crawl->options.pages);
	for (size_t i = 0; i < sample.count; i++)
		if (sample.sources[i].share > 0)
			choose_from(&sample, &sample.sources[i]);
	free(sample.sources);
	string_set_release(&sample.seen);
	/* only now: the driver goes on within it */
	for (size_t i = 0; i < sample.chosen_count; i++)
		begin_later(run, sample.chosen[i]);
	free(sample.chosen);
	return sample.chosen_count > 0;
}
