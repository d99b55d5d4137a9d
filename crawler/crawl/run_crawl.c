/* The driver's table of crawls. */
#include "crawler/crawl/run_crawl.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"
#include "crawler/crawl/run_clock.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_tasks.h"
#include "crawler/event/loop.h"

#define SMALL_S 2 /* smaller corrections of the clock are normal */
#define ROBOTS_QUIET_MS 100 /* the longest wait for one more robots.txt */

struct crawls {
	struct crawl *items; /* owned */
	size_t count, cap;
	uint64_t serials; /* so far */
};

struct crawls *
crawls_new(void)
{
	return mem_zero(sizeof(struct crawls));
}

void
crawls_free(struct crawls *crawls)
{
	if (crawls == NULL)
		return;
	for (size_t i = 0; i < crawls->count; i++)
		crawl_release(&crawls->items[i]);
	free(crawls->items);
	free(crawls);
}

uint32_t
crawls_count(const struct crawls *crawls)
{
	return (uint32_t)crawls->count;
}

struct crawl *
crawls_at(const struct crawls *crawls, uint32_t number)
{
	return &crawls->items[number];
}

uint32_t
crawls_add(struct crawls *crawls, const struct crawl_options *options,
    int64_t before_id)
{
	uint32_t number = 0;

	while (
	    number < crawls->count && crawls->items[number].state != CRAWL_FREE)
		number++;
	if (number == crawls->count) {
		crawls->items = mem_grow(crawls->items, &crawls->cap,
		    crawls->count + 1, sizeof(*crawls->items));
		crawls->count++;
	}
	crawls->items[number] = (struct crawl){.options = *options,
	    .serial = ++crawls->serials,
	    .before_id = before_id};
	return number;
}

void
crawl_release(struct crawl *crawl)
{
	for (size_t i = 0; i < crawl->target_count; i++)
		target_release(&crawl->targets[i].target);
	free(crawl->targets);
	crawl->targets = NULL;
	free(crawl->late);
	crawl->late = NULL;
	free(crawl->given);
	crawl->given = NULL;
	crawl->target_count = crawl->given_count = crawl->given_cap = 0;
}

void
crawl_give(struct crawl *crawl, int64_t document_id)
{
	crawl->given = mem_grow(crawl->given, &crawl->given_cap,
	    crawl->given_count + 1, sizeof(*crawl->given));
	crawl->given[crawl->given_count++] = document_id;
}

/* Callbacks of the crawl. */

void
crawl_problem(struct crawl *crawl, enum diag_code code, struct slice url,
    struct slice text)
{
	if (!crawl->is_dropped && !crawl->is_sampled)
		crawl->options.problem(crawl->options.arg, code, url, text);
}

void
crawl_returns(const struct crawl *crawl, int64_t document_id)
{
	if (!crawl->is_dropped && crawl->options.returned != NULL)
		crawl->options.returned(crawl->options.arg, document_id);
}

void
crawl_report_clock(struct crawl *crawl, struct run_clock *clock)
{
	int64_t wall_s = loop_wall_s(clock->loop);
	int64_t now_s = run_clock_now_s(clock);
	struct buf text;

	if (now_s - wall_s < SMALL_S || crawl->is_clock_reported)
		return;
	crawl->is_clock_reported = true;
	crawl->totals.codes[DIAG_CLOCK_JUMP]++;
	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "the clock says ");
	time_print(&text, wall_s);
	(void)buf_print(&text, ", and it has been ");
	time_print(&text, now_s);
	(void)buf_print(&text, " before; times go on from there");
	crawl_problem(
	    crawl, DIAG_CLOCK_JUMP, slice_make(NULL, 0), buf_text(&text));
	buf_release(&text);
}

static void
count_outcome(struct run_totals *totals, const struct reading *reading)
{
	totals->done++;
	switch (reading->outcome) {
	case OUTCOME_READ:
		totals->read++;
		totals->partial += !reading->content.is_complete;
		break;
	case OUTCOME_UNCHANGED:
		totals->unchanged++;
		break;
	case OUTCOME_FAILED:
		totals->failed++;
		break;
	case OUTCOME_REFUSED:
		totals->refused++;
		break;
	case OUTCOME_ENDED:
		break;
	}
}

static void
crawl_count_reading(
    struct run_totals *totals, const struct reading *reading, bool is_robots)
{
	const struct content *content = &reading->content;

	for (size_t i = 0; i < content->findings.count; i++)
		totals->codes[content->findings.items[i].code] +=
		    content->findings.items[i].count;
	totals->wire_bytes += reading->http.wire_bytes;
	if (is_robots) {
		/* It is no document of the site, but one that could not be
		 * read is among those that the end of a crawl names. */
		if (reading->outcome == OUTCOME_FAILED ||
		    reading->outcome == OUTCOME_REFUSED)
			count_outcome(totals, reading);
		return;
	}
	count_outcome(totals, reading);
	/* Which parser read the document? */
	if (content->is_scanned) {
		totals->scanned++;
		totals->scanned_bytes += content->decoded_bytes;
	} else if (content->decoded_bytes > 0) {
		totals->parsed++;
		totals->parsed_bytes += content->decoded_bytes;
		totals->asides[content->aside]++;
	}
	totals->refused_entries += content->refused;
	if (content->kind == KIND_INDEX)
		totals->refused_children += content->refused;
	if (content->kind == KIND_INDEX)
		return;
	totals->listed += content->merge.entries;
	totals->refused_by[merge_refused_by(&content->merge)] += content->merge
								     .refused;
	for (int i = 0; i < DELTA_KINDS; i++)
		totals->changes[i] += content->merge.changes[i];
}

void
crawl_report(struct crawl *crawl, struct task *task,
    const struct reading *reading, const struct profile *profile)
{
	task->is_reported = true;
	crawl_count_reading(&crawl->totals, reading, task->type == TASK_ROBOTS);
	if (!crawl->is_dropped && !crawl->is_sampled)
		crawl->options.document(
		    crawl->options.arg, slice_of(task->url), reading, profile);
}

/* The answers for robots.txt usually come shortly after one another. So after
 * each answer the wait for the others is short: a server that does not answer,
 * or whose answer never ends, must not hold up the documents of other sites. */
void
crawl_robots_known(
    struct crawl *crawl, uint32_t origin, bool is_closed, int64_t now_ms)
{
	int64_t until_ms = now_ms + ROBOTS_QUIET_MS;

	crawl->robots_open--;
	/* An origin without an answer does not prolong the wait. */
	if (!is_closed)
		crawl->robots_until_ms = until_ms < crawl->robots_end_ms
		    ? until_ms
		    : crawl->robots_end_ms;
	if (crawl->state != CRAWL_DOCUMENTS)
		return;
	crawl->late = mem_grow(crawl->late, &crawl->late_cap,
	    crawl->late_count + 1, sizeof(*crawl->late));
	crawl->late[crawl->late_count++] = origin;
}

bool
crawl_starts_anew(const struct crawl *crawl)
{
	return crawl->options.is_forced && !crawl->options.is_continued;
}

bool
crawls_site_is_busy(
    const struct crawls *crawls, const struct crawled_site *site)
{
	const struct crawl *crawl = crawls_at(crawls, site->crawl);

	return site->open > 0 || crawl->state == CRAWL_ROBOTS ||
	    crawl->robots_open > 0 || crawl->pending > 0;
}
