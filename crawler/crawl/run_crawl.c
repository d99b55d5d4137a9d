/* The driver: what one crawl hears, counts, and may still ask for. */
#include "crawler/crawl/run_crawl.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"

#define USUAL_ENTRIES                                           \
	50000 /* the most that one sitemap may have (SPEC R-36) \
	       */

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

/* What the crawl hears. */

void
crawl_problem(struct crawl *crawl, enum diag_code code, struct slice url,
    struct slice text)
{
	if (!crawl->is_dropped && !crawl->is_sampled)
		crawl->options.problem(crawl->options.arg, code, url, text);
}

void
crawl_returns(struct run *run, uint32_t number, int64_t document_id)
{
	const struct crawl *crawl = &run->crawls[number];

	if (!crawl->is_dropped && crawl->options.returned != NULL)
		crawl->options.returned(crawl->options.arg, document_id);
}

void
crawl_report_clock(struct run *run, uint32_t number)
{
	struct crawl *crawl = &run->crawls[number];
	struct buf text;

	if (run->behind_s == 0 || crawl->is_clock_reported)
		return;
	crawl->is_clock_reported = true;
	crawl->totals.codes[DIAG_CLOCK_JUMP]++;
	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "the clock says ");
	time_print(&text, loop_now_s(run->options.loop));
	(void)buf_print(&text, ", and it has been ");
	time_print(&text, run_now_s(run));
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
count(struct run_totals *totals, const struct reading *reading, bool is_robots)
{
	const struct content *content = &reading->content;

	for (size_t i = 0; i < content->findings.count; i++)
		totals->codes[content->findings.items[i].code] +=
		    content->findings.items[i].count;
	totals->wire_bytes += reading->http.wire_bytes;
	if (is_robots)
		return;
	count_outcome(totals, reading);
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
crawl_report(struct run *run, uint32_t number, const struct reading *reading)
{
	struct task *task = run_task(run, number);
	struct crawl *crawl = run_crawl_of(run, number);

	task->is_reported = true;
	count(&crawl->totals, reading, task->type == TASK_ROBOTS);
	crawl_report_clock(run, run->sites[task->site].crawl);
	if (!crawl->is_dropped && !crawl->is_sampled)
		crawl->options.document(crawl->options.arg, slice_of(task->url),
		    reading, &run_rules(run, number)->profile);
}

/* Answers for robots.txt rarely come long after one another, so that the wait
 * for the others is short: a server that does not answer, or never ends, must
 * not hold up the documents of the others. */
void
crawl_robots_known(struct run *run, uint32_t number, uint32_t origin)
{
	struct crawl *crawl = &run->crawls[number];
	int64_t until_ms = loop_now_ms(run->options.loop) + ROBOTS_QUIET_MS;

	crawl->robots_open--;
	/* An origin without an answer does not prolong the wait. */
	if (run->origins[origin].closed_by == DIAG_OK)
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
crawl_starts_anew(const struct run *run, uint32_t number)
{
	const struct crawl_options *options = &run->crawls[number].options;

	return options->is_forced && !options->is_continued;
}

/* Limits. */

void
crawl_claim(struct run *run, uint32_t task, uint64_t urls)
{
	struct crawl *crawl = run_crawl_of(run, task);
	struct crawled_site *site = &run->sites[run_task(run, task)->site];

	if (site->is_single)
		return;
	crawl->claimed += urls;
	crawl->claims++;
	site->claimed += urls;
	site->claims++;
	if (!crawl->is_closed && crawl->claimed >= crawl->options.max_urls)
		crawl->is_closed = run->has_closed = true;
	if (!site->is_closed && site->claimed >= site->rules->max_urls)
		site->is_closed = run->has_closed = true;
}

/* The number of documents that fit into what is left of a limit, if they are
 * as large as those so far. */
static uint64_t
documents(uint64_t left, uint64_t claimed, uint64_t claims)
{
	return left / (claims == 0 ? USUAL_ENTRIES : claimed / claims + 1);
}

static uint64_t
room(const struct crawl *crawl)
{
	return documents(crawl->options.max_urls - crawl->claimed,
	    crawl->claimed, crawl->claims);
}

bool
crawl_waits(struct run *run, uint32_t task)
{
	const struct crawled_site
	    *site = &run->sites[run_task(run, task)->site];

	return run_task(run, task)->type == TASK_DOCUMENT && !site->is_closed &&
	    site->at_readers > 0 &&
	    site->at_readers >= documents(site->rules->max_urls - site->claimed,
				    site->claimed, site->claims);
}

uint64_t
crawl_room(const struct run *run)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < run->crawl_count; i++) {
		const struct crawl *crawl = &run->crawls[i];

		if (crawl->state == CRAWL_DOCUMENTS && !crawl->is_closed &&
		    room(crawl) < least)
			least = room(crawl);
	}
	return least;
}

/* A page adds no URL to any limit, and there are few of them. */
bool
crawl_is_closed(struct run *run, uint32_t task)
{
	if (run_task(run, task)->type == TASK_PAGE)
		return run_crawl_of(run, task)->is_dropped;
	if (run_is_single(run, task))
		return run->is_full || run_crawl_of(run, task)->is_dropped;
	return run->is_full || run_crawl_of(run, task)->is_closed ||
	    run->sites[run_task(run, task)->site].is_closed;
}

bool
crawl_skips(struct run *run, uint32_t task)
{
	struct crawl *crawl = run_crawl_of(run, task);

	if (!crawl_is_closed(run, task))
		return false;
	if (!crawl->totals.is_over_budget && !crawl->is_dropped) {
		crawl->totals.is_over_budget = true;
		crawl_problem(crawl, DIAG_BUDGET_REACHED, slice_make(NULL, 0),
		    slice_of(run->is_full
			    ? "the store has the size that it may have"
			    : "the limit of URLs was reached"));
	}
	task_post(run, task, TASK_DONE);
	return true;
}
