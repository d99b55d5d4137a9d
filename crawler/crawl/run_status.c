/* The driver: what it does at this moment, for people who watch it. */
#include "crawler/crawl/run_status.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/fetch/fetch.h"

/* A host that takes longer than this until its answers begin is slow. */
#define SLOW_MS 1000

static struct run_rate *
slot_now(struct run *run)
{
	struct run_activity *activity = &run->activity;
	int64_t second = run_now_ms(run) / SECOND_MS;
	struct work_second *slot = &activity->slots[second % SLOTS];

	if (slot->second != second)
		*slot = (struct work_second){.second = second};
	return &slot->sum;
}

/* The list is as long as the fetcher allows requests at once, some hundreds, so
 * that it is searched from its beginning. */
void
activity_ended(
    struct run *run, uint32_t task, const struct fetch_result *result)
{
	struct run_activity *activity = &run->activity;
	struct run_rate *sum;

	for (size_t i = 0; i < activity->asked_count; i++)
		if (activity->asked[i].task == task) {
			activity->asked[i] =
			    activity->asked[--activity->asked_count];
			break;
		}
	if (result == NULL)
		return;
	sum = slot_now(run);
	sum->requests++;
	sum->bytes += result->wire_bytes;
}

void
activity_read(struct run *run, struct slice url, const struct reading *reading,
    int64_t at_s)
{
	struct run_activity *activity = &run->activity;
	struct run_rate *sum = slot_now(run);
	struct failure *failure;

	sum->readings++;
	if (reading->outcome != OUTCOME_FAILED &&
	    reading->outcome != OUTCOME_REFUSED)
		return;
	sum->failed++;
	failure = &activity
		       ->failures[activity->failure_count++ % RUN_STATUS_ROWS];
	failure->at_s = at_s;
	failure->code = reading->failure;
	failure->len = url.len < URL_ROOM ? url.len : URL_ROOM;
	memcpy(failure->url, url.p, failure->len);
}

/* What ended in the last span_s seconds, 60 at most. */
static struct run_rate
activity_rate(struct run *run, uint32_t span_s)
{
	struct run_activity *activity = &run->activity;
	int64_t second = run_now_ms(run) / SECOND_MS;
	struct run_rate rate = {.span_s = span_s};

	/* The second under way is not over, so it comes on top. */
	for (size_t i = 0; i < SLOTS; i++) {
		const struct work_second *slot = &activity->slots[i];

		if (slot->second < second - (int64_t)span_s)
			continue;
		rate.requests += slot->sum.requests;
		rate.bytes += slot->sum.bytes;
		rate.readings += slot->sum.readings;
		rate.failed += slot->sum.failed;
	}
	return rate;
}

/* The picture of a moment. */

static const struct sort_key asked_by_age[] = {
    {SORT_KEY(struct request_under_way, since_ms)}, {0}};

/* Why the host costs time, or NULL. */
static const char *
why_slow(struct run *run, uint32_t host, struct run_slow *row)
{
	const struct host_state *state = host_states_at(run, host);
	const char *text;

	row->answer_ms = state->answer_ms;
	row->delay_ms = run->table->items[host]->delay_ms;
	row->wait_ms = host_state_held_ms(run, host);
	/* Of several reasons the strongest is told. */
	if (row->wait_ms > 0)
		return "paused";
	if (host_state_is_dead(run, host, &text) != DIAG_OK)
		return "dead";
	if (state->failures > 0)
		return "failing";
	if (state->answer_ms >= SLOW_MS)
		return "slow";
	return row->delay_ms > HOST_DELAY_MS ? "delay" : NULL;
}

static int
slow_by_cost(const void *a, const void *b)
{
	const struct run_slow *x = a;
	const struct run_slow *y = b;
	int64_t x_ms = x->wait_ms + x->answer_ms + x->delay_ms;
	int64_t y_ms = y->wait_ms + y->answer_ms + y->delay_ms;

	return (x_ms < y_ms) - (x_ms > y_ms);
}

void
run_status(struct run *run, struct run_status *status)
{
	memset(status, 0, sizeof(*status));
	status->rates[0] = activity_rate(run, 10);
	status->rates[1] = activity_rate(run, 60);
	status->hosts_open = host_queue_hosts(run->host_queue);
	for (uint32_t i = 0; i < run->crawl_count; i++)
		status->open += run->crawls[i].open;
	struct run_activity *activity = &run->activity;
	int64_t now_ms = run_now_ms(run);

	status->in_flight = activity->asked_count;
	sort_rows(activity->asked, activity->asked_count,
	    sizeof(activity->asked[0]), asked_by_age);
	for (size_t i = 0;
	     i < activity->asked_count && status->asked_count < RUN_STATUS_ROWS;
	     i++) {
		const struct request_under_way *asked = &activity->asked[i];
		const struct task *task = run_task(run, asked->task);
		struct slice url;

		if (task->attempt == NULL)
			continue;
		url = url_text(&task->attempt->current);
		status->asked[status->asked_count++] = (struct run_asked){
		    slice_make(url.p, url.len < URL_ROOM ? url.len : URL_ROOM),
		    now_ms - asked->since_ms};
	}
	uint32_t count = run->host_state_count;
	struct run_slow *rows = mem_zero((count + 1) * sizeof(*rows));
	size_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct run_slow *row = &rows[found];

		if (run->host_states[i] == NULL)
			continue;
		row->why = why_slow(run, i, row);
		row->host = names_slice(&run->table->names, i);
		found += row->why != NULL;
	}
	/* Those that cost most time come first, and the rest is left out. */
	qsort(rows, found, sizeof(*rows), slow_by_cost);
	status->slow_count = found < RUN_STATUS_ROWS ? found : RUN_STATUS_ROWS;
	memcpy(status->slow, rows, status->slow_count * sizeof(*rows));
	free(rows);
	while (status->failed_count < RUN_STATUS_ROWS &&
	    status->failed_count < activity->failure_count) {
		const struct failure *failure =
		    &activity->failures[(activity->failure_count - 1 -
					    status->failed_count) %
			RUN_STATUS_ROWS];

		status->failed[status->failed_count++] = (struct run_failed){
		    .at_s = failure->at_s,
		    .url = slice_make(failure->url, failure->len),
		    .code = failure->code};
	}
}
