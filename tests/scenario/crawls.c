/* The crawls of one run of a scenario. */
#include "tests/scenario/crawls.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "crawler/crawl/run_status.h"
#include "sched/host_table.h"
#include "store/lookup.h"
#include "tests/scenario/fake.h"

struct meeting;

struct member {
	struct meeting *meeting;
	const struct crawl_plan *plan;
	struct loop_timer *timer; /* owned */
	uint32_t crawl;
	size_t number; /* from 1 */
	bool has_begun;
	size_t ordered; /* pages that are under way */
};

/* A page of the plan, and the timer that comes when it is requested. */
struct other {
	struct meeting *meeting;
	const struct crawl_page *page;
	struct loop_timer *timer; /* owned */
};

struct meeting {
	const struct crawls *crawls;
	struct loop *loop;
	struct run *run;
	struct store *store;
	struct member members[MAX_CRAWLS];
	struct other others[MAX_PAGES];
	size_t open;
	bool has_failed;
};

static struct buf *
begin_line(const struct member *member)
{
	if (member->number > 1)
		(void)buf_print(fake_log(), "%zu: ", member->number);
	return fake_log();
}

/* Append how many listed entries are refused, and how many since this
 * reading; a count of 0 is left out. */
static void
put_refused(struct buf *log, const struct merge_counts *counts)
{
	const struct {
		const char *name;
		uint64_t count;
	} parts[] = {
	    {"refused", counts->refused},
	    {"now-refused", counts->changes[DELTA_REFUSED]},
	    {"now-accepted", counts->changes[DELTA_ACCEPTED]},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].count > 0)
			(void)buf_print(
			    log, " %s %" PRIu64, parts[i].name, parts[i].count);
}

static void
on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct buf *log = begin_line(arg);
	const struct content *content = &reading->content;

	(void)profile;
	(void)buf_print(log, "%s %.*s", outcome_name(reading->outcome),
	    (int)url.len, url.p);
	if (reading->outcome == OUTCOME_READ && content->kind != KIND_ROBOTS) {
		(void)buf_print(log,
		    " %s %" PRIu64 " new %" PRIu64 " removed %" PRIu64
		    " redated %" PRIu64 " gone %" PRIu64 "%s",
		    document_kind_name(content->kind), content->merge.entries,
		    content->merge.changes[DELTA_ADDED],
		    content->merge.changes[DELTA_REMOVED],
		    content->merge.changes[DELTA_REDATED],
		    content->merge.changes[DELTA_GONE],
		    content->is_complete ? "" : " partial");
		put_refused(log, &content->merge);
	}
	if (reading->outcome == OUTCOME_UNCHANGED &&
	    content->merge.changes[DELTA_GONE] > 0)
		(void)buf_print(
		    log, " gone %" PRIu64, content->merge.changes[DELTA_GONE]);
	for (size_t i = 0; i < content->findings.count; i++)
		(void)buf_print(log, " %s:%" PRIu64,
		    diag_name(content->findings.items[i].code),
		    content->findings.items[i].count);
	(void)buf_put_char(log, '\n');
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct buf *log = begin_line(arg);

	(void)text;
	(void)buf_print(
	    log, "problem %s %.*s\n", diag_name(code), (int)url.len, url.p);
}

static void
on_returned(void *arg, int64_t document_id)
{
	(void)buf_print(begin_line(arg), "returned %" PRId64 "\n", document_id);
}

/* Pages that were ordered. */

static struct slice
ordered_url(const struct member *member, uint64_t id)
{
	return member->plan->targets[id - 1];
}

static void
on_exchange(void *arg, const struct page_exchange *exchange)
{
	struct buf *log = begin_line(arg);
	int64_t ms = exchange->at_us / 1000 - (int64_t)BEGIN_S * 1000;

	(void)buf_print(log, "hop %u of %" PRIu64 " %.*s %d at %" PRId64 " s",
	    exchange->hop, exchange->id, (int)exchange->url.len,
	    exchange->url.p, exchange->result->status, ms / 1000);
	if (exchange->body != NULL && exchange->body->length > 0)
		(void)buf_print(
		    log, " with %" PRIu64 " bytes", exchange->body->length);
	(void)buf_print(log, "%s\n", exchange->page == NULL ? "" : " last");
}

static void
member_ends_page(struct member *member)
{
	if (--member->ordered == 0)
		loop_timer_set(member->timer, 0);
}

static void
on_ordered(void *arg, const struct listed_page *page)
{
	static const char *const ends[] = {[PAGE_ANSWERED] = "answered",
	    [PAGE_DISALLOWED] = "disallowed",
	    [PAGE_LOST] = "failed"};
	struct member *member = arg;
	struct buf *log = begin_line(member);
	struct slice url = ordered_url(member, page->id);

	assert(slice_equal(url, page->url));
	(void)buf_print(log, "page %.*s %s %d", (int)url.len, url.p,
	    ends[page->end], page->status);
	if (page->final_status != page->status)
		(void)buf_print(log, " then %d", page->final_status);
	if (!slice_equal(url, page->final_url))
		(void)buf_print(log, " at %.*s", (int)page->final_url.len,
		    page->final_url.p);
	if (page->end != PAGE_ANSWERED)
		(void)buf_print(log, " %s", diag_name(page->failure));
	if (page->is_cut)
		(void)buf_print(log, " cut");
	if (page->was_read)
		(void)buf_print(log, " read");
	if (page->wall != NULL)
		(void)buf_print(log, " wall %s", page->wall);
	if (page->retry_after_s >= 0)
		(void)buf_print(log, " after %" PRId64, page->retry_after_s);
	(void)buf_put_char(log, '\n');
	member_ends_page(member);
}

static void
on_page_returned(void *arg, uint64_t id, int64_t held_ms)
{
	struct member *member = arg;
	struct slice url = ordered_url(member, id);

	struct buf *log = begin_line(member);

	(void)buf_print(log, "returned %.*s", (int)url.len, url.p);
	if (held_ms > 0)
		(void)buf_print(log, " held %" PRId64, held_ms / 1000);
	(void)buf_put_char(log, '\n');
	member_ends_page(member);
}

/* Order the page; words with a sign of equality say how those behind them are
 * asked for. */
static void
order(struct member *member, size_t i, struct page_order *how)
{
	struct slice word = member->plan->targets[i];
	const struct slice etag = slice_of("etag="), max = slice_of("max=");
	char *text;

	if (slice_starts(word, etag)) {
		how->etag = slice_from(word, etag.len);
	} else if (slice_starts(word, max)) {
		text = slice_dup(slice_from(word, max.len));
		how->max_bytes = strtoull(text, NULL, 10);
		free(text);
	} else if (slice_is(word, "head=1")) {
		how->is_head = true;
	} else {
		how->url = word;
		how->id = i + 1;
		member->ordered++;
		run_page(member->meeting->run, member->crawl, how);
	}
}

static void
leave(struct meeting *meeting)
{
	if (--meeting->open == 0)
		loop_stop(meeting->loop);
}

static void
put_end(const struct member *member)
{
	const struct run_totals *totals = run_totals(
	    member->meeting->run, member->crawl);
	struct buf *log = begin_line(member);

	(void)buf_print(log,
	    "end read %" PRIu64 " unchanged %" PRIu64 " failed %" PRIu64
	    " refused %" PRIu64 " known %" PRIu64 " listed %" PRIu64 "%s\n",
	    totals->read, totals->unchanged, totals->failed, totals->refused,
	    totals->known, totals->listed,
	    totals->is_over_budget ? " over budget" : "");
}

static void
on_done(void *arg)
{
	struct member *member = arg;

	loop_timer_set(member->timer, LOOP_NEVER);
	put_end(member);
	leave(member->meeting);
}

static bool
take_id(void *arg, const struct document_row *row)
{
	int64_t *id = arg;

	*id = row->document.id;
	return false;
}

/* A target, or the URL of a document. */
static bool
add(struct member *member, struct slice text)
{
	struct meeting *meeting = member->meeting;
	int64_t id = 0;

	if (!member->plan->is_read)
		return run_target(meeting->run, member->crawl, text) == DIAG_OK;
	store_each_document(meeting->store, DOCUMENTS_AT, text, take_id, &id);
	run_document(meeting->run, member->crawl, id);
	return id != 0;
}

/* Documents for the crawl before; this plan has no other purpose. */
static void
give_more(struct member *member)
{
	struct member *before = member - 1;

	for (size_t i = 0; i < member->plan->target_count; i++)
		if (!add(before, member->plan->targets[i]))
			member->meeting->has_failed = true;
	leave(member->meeting);
}

static void
begin(struct member *member)
{
	struct meeting *meeting = member->meeting;
	struct crawl_options how = {.max_urls = meeting->crawls->max_urls,
	    .is_forced = meeting->crawls->is_forced,
	    .document = on_document,
	    .problem = on_problem,
	    .returned = on_returned,
	    .done = on_done,
	    .takes_pages = member->plan->is_order,
	    .page = on_ordered,
	    .page_returned = on_page_returned,
	    .exchange = on_exchange,
	    .arg = member,
	    .done_arg = member};

	member->has_begun = true;
	if (member->plan->is_more) {
		give_more(member);
		return;
	}
	struct page_order page = {.site_id = 1, .wants_exchange = true};

	member->crawl = run_crawl(meeting->run, &how);
	for (size_t i = 0; i < member->plan->target_count; i++)
		if (member->plan->is_order)
			order(member, i, &page);
		else if (!add(member, member->plan->targets[i]))
			meeting->has_failed = true;
	run_start(meeting->run, member->crawl);
	if (member->plan->drop_ms >= 0)
		loop_timer_set(
		    member->timer, member->plan->drop_ms - member->plan->at_ms);
}

/* The crawl begins, or is dropped. */
static void
on_time(void *arg)
{
	struct member *member = arg;

	if (!member->has_begun) {
		begin(member);
		return;
	}
	run_drop(member->meeting->run, member->crawl);
	if (member->ordered > 0 || !member->plan->is_order)
		(void)buf_print(begin_line(member), "dropped\n");
	leave(member->meeting);
}

/* Log what the run does at this moment, and what it did lately. */
static void
look(struct run *run)
{
	struct buf *log = fake_log();
	struct run_status status;

	run_status(run, &status);
	(void)buf_print(log, "LOOK ");
	fake_time(log);
	(void)buf_print(log,
	    " open %" PRIu64 " in flight %" PRIu64 " hosts %" PRIu64 "\n",
	    status.open, status.in_flight, status.hosts_open);
	for (size_t i = 0; i < 2; i++)
		(void)buf_print(log,
		    " in %" PRIu32 " s: requests %" PRIu64 " bytes %" PRIu64
		    " readings %" PRIu64 " failed %" PRIu64 "\n",
		    status.rates[i].span_s, status.rates[i].requests,
		    status.rates[i].bytes, status.rates[i].readings,
		    status.rates[i].failed);
	for (size_t i = 0; i < status.asked_count; i++)
		(void)buf_print(log, " asked %.*s for %" PRId64 " ms\n",
		    (int)status.asked[i].url.len, status.asked[i].url.p,
		    status.asked[i].ms);
	for (size_t i = 0; i < status.slow_count; i++)
		(void)buf_print(log,
		    " %s %.*s answer %" PRId64 " delay %" PRId64
		    " wait %" PRId64 "\n",
		    status.slow[i].why, (int)status.slow[i].host.len,
		    status.slow[i].host.p, status.slow[i].answer_ms,
		    status.slow[i].delay_ms, status.slow[i].wait_ms);
	for (size_t i = 0; i < status.failed_count; i++)
		(void)buf_print(log, " failed %.*s %s\n",
		    (int)status.failed[i].url.len, status.failed[i].url.p,
		    diag_name(status.failed[i].code));
}

/* A fetcher gets a page, somebody holds a host, or looks. */
static void
on_page(void *arg)
{
	const struct other *other = arg;
	const struct crawl_page *page = other->page;
	struct host_table *table = run_hosts(other->meeting->run);
	int64_t now_s = loop_now_s(other->meeting->loop);
	struct host *host;
	uint32_t number;

	if (page->host.len == 0) {
		look(other->meeting->run);
		return;
	}
	number = host_put(table, page->host);
	host = table->items[number];
	if (page->is_hold) {
		host_hold(table, host, HELD_ALL, now_s + page->wait_ms / 1000,
		    now_s, "order");
		(void)buf_print(fake_log(), "HOLD ");
		fake_time(fake_log());
		(void)buf_put_char(fake_log(), '\n');
		return;
	}
	table->streamed_ms = host_table_now_ms(table);
	host->waiting[HOST_PAGES] = (uint32_t)page->wait_ms;
	host_lend(table, host, true, false);
	(void)buf_print(fake_log(), "PAGE ");
	fake_time(fake_log());
	(void)buf_print(fake_log(), " %.*s%s\n", (int)page->host.len,
	    page->host.p,
	    host->waiting[HOST_DOCUMENTS] > 0 ? " a task waits" : "");
}

bool
crawls_run(const struct crawls *crawls, const struct run_options *options)
{
	struct meeting meeting = {.crawls = crawls,
	    .loop = options->loop,
	    .run = run_new(options),
	    .store = options->store,
	    .open = crawls->count};

	for (size_t i = 0; i < crawls->page_count; i++) {
		struct other *other = &meeting.others[i];

		*other = (struct other){&meeting, &crawls->pages[i],
		    loop_timer_new(options->loop, on_page, other)};
		loop_timer_set(other->timer, other->page->at_ms);
	}
	for (size_t i = 0; i < crawls->count; i++) {
		struct member *member = &meeting.members[i];

		*member = (struct member){.meeting = &meeting,
		    .plan = &crawls->plans[i],
		    .number = i + 1};
		member->timer = loop_timer_new(options->loop, on_time, member);
		if (member->plan->at_ms > 0)
			loop_timer_set(member->timer, member->plan->at_ms);
		else
			begin(member);
	}
	loop_run(options->loop);
	for (size_t i = 0; i < crawls->count; i++)
		loop_timer_free(meeting.members[i].timer);
	for (size_t i = 0; i < crawls->page_count; i++)
		loop_timer_free(meeting.others[i].timer);
	fetcher_free(options->fetcher);
	readers_free(options->readers);
	run_free(meeting.run);
	return !meeting.has_failed;
}
