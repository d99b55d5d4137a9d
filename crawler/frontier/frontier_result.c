/* What fetchers report of leased pages. */
#include "crawler/frontier/frontier_result.h"

#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_tables.h"
#include "crawler/frontier/import.h"
#include "crawler/frontier/page_parents.h"
#include "sched/scheduler.h"
#include "sched/scheduler_next.h"
#include "store/page.h"

/* The clocks of two machines differ by no more. */
#define FUTURE_S 300

/* A result, and the page that it is of. */
struct page_report {
	const struct frontier_result *result;
	uint32_t page;
	struct page_row row; /* borrowed */
	uint32_t number; /* of the lease; 0: of none */
	int64_t at_s; /* when the page was requested */
};

static enum frontier_ack
result_refuse(
    struct frontier_answer *answer, enum frontier_ack ack, const char *reason)
{
	*answer = (struct frontier_answer){
	    .reason = reason, .next_due_s = FRONTIER_NEVER};
	return ack;
}

/* Finding the page. */

/* Read a number of at most `most` in hexadecimal digits. */
static bool
hex(struct slice text, uint64_t most, uint64_t *number)
{
	*number = 0;
	if (text.len == 0 || text.len > 16)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		int digit = slice_hex(text.p[i]);

		if (digit < 0)
			return false;
		*number = *number << 4 | (uint64_t)digit;
	}
	return *number > 0 && *number <= most;
}

/* A token is the id of the page and the number of its lease: "1f3.2"; or that
 * with the shard in front, in a store of several: "3:1f3.2". */
static bool
token_parse(
    const struct frontier *f, struct slice token, int64_t *id, uint32_t *number)
{
	const char *prefix = f->options.lease_prefix;
	size_t dot = 0;
	uint64_t page, lease;

	if (prefix != NULL && slice_starts(token, slice_of(prefix)))
		token = slice_from(token, strlen(prefix));
	while (dot < token.len && token.p[dot] != '.')
		dot++;
	if (dot == token.len ||
	    !hex(slice_make(token.p, dot), INT64_MAX, &page) ||
	    !hex(slice_from(token, dot + 1), UINT32_MAX, &lease))
		return false;
	*id = (int64_t)page;
	*number = (uint32_t)lease;
	return true;
}

static enum frontier_ack
find_lease(struct frontier *f, struct slice token, struct page_report *report,
    struct frontier_answer *answer)
{
	int64_t id;

	if (!token_parse(f, token, &id, &report->number))
		return result_refuse(answer, FRONTIER_FAIL, "bad-lease");
	report->page = page_by_id(f, id);
	if (report->page == NONE || !store_page_get(f->store, id, &report->row))
		return result_refuse(answer, FRONTIER_SKIPPED, "unknown-lease");
	const struct page_row *row = &report->row;
	bool is_leased = (page_at(f, report->page)->owner_flags &
			     PAGE_LEASED) != 0;
	const char *why = report->number > row->leases ? "unknown-lease"
	    : report->number == row->done              ? "repeated-lease"
	    : report->number < row->leases             ? "superseded-lease"
	    : !is_leased                               ? "expired-lease"
						       : NULL;

	return why == NULL ? FRONTIER_OK
			   : result_refuse(answer, FRONTIER_SKIPPED, why);
}

bool
frontier_token_url(struct frontier *f, struct slice token, struct slice *url)
{
	struct page_row row;
	int64_t id;
	uint32_t number;

	if (!token_parse(f, token, &id, &number) ||
	    !store_page_get(f->store, id, &row))
		return false;
	*url = row.url;
	return true;
}

static bool
is_same_url(struct slice given, struct slice known)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct url url = {0};
	bool is_same;

	if (given.len == 0 || slice_equal(given, known))
		return true;
	/* a URL from outside is normalised as the store's URLs are */
	is_same = url_parse(&url, given, NULL, &profile,
		      (struct diag_sink){0}) == DIAG_OK &&
	    slice_equal(url_text(&url), known);
	url_release(&url);
	return is_same;
}

/* The page of a URL, without a token.  If the page is leased, the result counts
 * as that of the lease. */
static enum frontier_ack
result_find_url(struct frontier *f, struct slice raw,
    struct page_report *report, struct frontier_answer *answer)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct url url = {0};

	if (raw.len == 0)
		return result_refuse(answer, FRONTIER_FAIL, "nothing-named");
	report->page = idmap_get(&f->page_by_url, page_key(f, raw));
	if (report->page == NONE) {
		if (url_parse(&url, raw, NULL, &profile,
			(struct diag_sink){0}) != DIAG_OK) {
			url_release(&url);
			return result_refuse(answer, FRONTIER_FAIL, "bad-url");
		}
		report->page = idmap_get(
		    &f->page_by_url, page_key(f, url_text(&url)));
		if (report->page == NONE)
			report->page = frontier_promote_listed(
			    f, url_text(&url));
	}
	url_release(&url);
	if (report->page == NONE ||
	    !store_page_get(
		f->store, page_at(f, report->page)->id, &report->row) ||
	    !is_same_url(raw, report->row.url))
		return result_refuse(answer, FRONTIER_SKIPPED, "unknown-url");

	if ((page_at(f, report->page)->owner_flags & PAGE_LEASED) != 0)
		report->number = report->row.leases;
	return FRONTIER_OK;
}

/* Find the page of a result, and the time of its request. */
static enum frontier_ack
result_check(struct frontier *f, struct page_report *report,
    struct frontier_answer *answer)
{
	const struct frontier_result *result = report->result;
	const struct page_row *row = &report->row;
	enum frontier_ack ack;

	if (result->status != 0 &&
	    (result->status < 100 || result->status > 599))
		return result_refuse(answer, FRONTIER_FAIL, "bad-status");
	/* the driver's clock is never before the latest time in the store */
	if (result->at_s > f->now_s + FUTURE_S && !result->is_own)
		return result_refuse(answer, FRONTIER_FAIL, "from-the-future");
	if (result->token.len > 0)
		ack = find_lease(f, result->token, report, answer);
	else
		ack = result_find_url(f, result->url, report, answer);
	if (ack != FRONTIER_OK)
		return ack;
	if (!is_same_url(result->url, row->url))
		return result_refuse(
		    answer, FRONTIER_FAIL, "url-of-another-page");
	report->at_s = result->at_s > 0 && result->at_s < f->now_s
	    ? result->at_s
	    : f->now_s;
	/* the fetcher's clock is behind: no page is fetched before its lease */
	if (report->number > 0 && report->at_s < row->lease_asked_s &&
	    row->lease_asked_s <= f->now_s)
		report->at_s = row->lease_asked_s;
	/* a stored fetch that is later than now came from a wrong clock */
	if (report->number == 0 && row->fetched_s <= f->now_s &&
	    report->at_s <= row->fetched_s && result->at_s > 0)
		return result_refuse(answer, FRONTIER_SKIPPED, "older-result");
	return FRONTIER_OK;
}

static enum page_outcome
result_outcome_of(const struct page_report *report, uint64_t hash)
{
	const struct frontier_result *result = report->result;
	const struct page_row *row = &report->row;
	enum page_outcome kind = result->is_walled
	    ? PAGE_FAILED
	    : page_outcome_of(
		  row, result->status, result->has_hash ? &hash : NULL);

	/* a page that was never fetched has no version to be the same as */
	if (kind == PAGE_NOT_MODIFIED && row->fetched_s <= 0)
		return PAGE_FETCHED;
	/* A weak ETag says that the page means the same, not that it is the
	 * same. */
	if (kind == PAGE_FETCHED && row->fetched_s > 0 && !result->has_hash &&
	    result->etag.len > 0 && result->etag.p[0] == '"' &&
	    slice_equal(result->etag, row->etag))
		return PAGE_SAME;
	return kind;
}

/* Hold the host until then and save the hold, if it is longer than the one
 * before. */
static void
keep_hold(struct frontier *f, uint32_t name, enum held_kind kind,
    int64_t until_s, const char *why)
{
	if (until_s <= f->now_s ||
	    until_s <= f->hosts->items[name]->held_s[kind])
		return;
	host_hold(
	    f->hosts, f->hosts->items[name], kind, until_s, f->now_s, why);
	store_hold(
	    f->store, names_slice(&f->hosts->names, name), host_times(f, name));
}

/* Applying the result. */

static void
result_apply(struct frontier *f, const struct page_report *report,
    enum page_outcome kind)
{
	const struct sched_page *page = page_at(f, report->page);
	const struct frontier_result *result = report->result;
	uint32_t name = page_host_of(f, page);
	struct host *host = f->hosts->items[name];
	/* Was the host asked too much? */
	bool was_limited = result->status == 429 || result->status == 503;
	/* The scheduler holds only the host of the page's site. */
	bool is_of_site = site_at(f, page_site_of(f, page))->host == name;
	/* Many fetches that began before the first one failed count as one
	 * failure: the page is due when the hold is over.  A host that answers
	 * 429 or 503 is held apart from its failing pages. */
	bool is_late = (host->held_s[HELD_ALL] > f->now_s &&
			   !(result->is_own && was_limited)) ||
	    (!was_limited && host->limit != NONE &&
		scheduler_held_s(f->scheduler, host->limit, HELD_PAGES) >
		    f->now_s);
	bool is_limited = false;
	int64_t hold_s = result->retry_after_s;
	struct scheduler_outcome outcome = {.now_s = report->at_s,
	    .kind = page_outcome_kind(kind),
	    .bytes = result->bytes};

	/* For how long does the answer want its host to be left alone?
	 * is_limited: because the host gets too many requests, and named no
	 * time, or too short a one.  Any other answer than 429 and 503 ends a
	 * row of them. */
	if (was_limited && result->is_own) {
		hold_s = host->held_s[HELD_ALL] - f->now_s;
		if (hold_s < 0)
			hold_s = 0;
	} else if (was_limited) {
		host->is_limited = true;
		is_limited = store_limited(f->store,
		    names_slice(&f->hosts->names, name), f->now_s,
		    hold_s > 0 ? hold_s : -1, &hold_s);
	} else if (result->status != 0 && host->is_limited && !result->is_own) {
		host->is_limited = false;
		store_answered(f->store, names_slice(&f->hosts->names, name));
	}
	/* Did the host answer, though not with the page: with a login, a
	 * consent or a bot wall?  Then the host is well, and its other pages
	 * need not wait. */
	if (result->is_walled ||
	    (kind == PAGE_FAILED && result->status >= 300 &&
		result->status < 500 && result->status != 408 &&
		result->status != 429 && result->retry_after_s <= 0)) {
		outcome.kind = FETCH_READ;
		outcome.is_refused = is_of_site &&
		    (result->status == 401 || result->status == 403);
	}
	if (outcome.kind == FETCH_FAILED && is_late) {
		page_return(f, report->page);
	} else {
		if (outcome.kind == FETCH_FAILED && is_of_site) {
			outcome.hold_s = hold_s;
			outcome.is_limited = was_limited;
		}
		scheduler_outcome(f->scheduler, report->page, &outcome);
		page_learned(f, report->page, report->row.url);
	}
	/* After a failure the host is held for as long as it wants to be left
	 * alone, and its pages for as long as the scheduler holds them. */
	if (outcome.kind == FETCH_FAILED) {
		if (hold_s > HOLD_RETRY_AFTER_MOST_S)
			hold_s = HOLD_RETRY_AFTER_MOST_S;
		keep_hold(f, name, HELD_ALL, f->now_s + hold_s,
		    is_limited ? "limited" : "retry-after");
	}
	if ((outcome.kind == FETCH_FAILED || outcome.is_refused) &&
	    host->limit != NONE)
		keep_hold(f, name, HELD_PAGES,
		    scheduler_held_s(f->scheduler, host->limit, HELD_PAGES),
		    outcome.is_refused ? "refused" : "failures");
}

static uint64_t
result_hash(struct frontier *f, const struct frontier_result *result)
{
	return result->has_hash
	    ? page_text_hash(result->content_hash, store_hash_key(f->store))
	    : 0;
}

enum page_outcome
frontier_outcome(
    struct frontier *f, int64_t page_id, const struct frontier_result *result)
{
	struct page_report report = {.result = result};

	if (!store_page_get(f->store, page_id, &report.row))
		return PAGE_FAILED;
	return result_outcome_of(&report, result_hash(f, result));
}

static void
result_believe(struct frontier *f, const struct page_report *report)
{
	const struct frontier_result *result = report->result;
	struct sched_page *page = page_at(f, report->page);
	uint32_t host = page_host_of(f, page);
	struct buf learned = BUF_UP_TO(SIZE_MAX);
	uint64_t hash = result_hash(f, result);
	struct outcome_row row = {.page_id = page->id,
	    .number = report->number,
	    .at_s = report->at_s,
	    .now_s = f->now_s,
	    .kind = result_outcome_of(report, hash),
	    .status = result->status,
	    .has_hash = result->has_hash,
	    .hash = hash,
	    .etag = result->etag,
	    .last_modified = result->last_modified,
	    .location = result->location,
	    .is_noindex = result->is_noindex,
	    .bytes = result->bytes,
	    .ms = result->ms};

	result_apply(f, report, row.kind);
	/* A page whose fetch failed keeps the time of the fetch before, so the
	 * next owner of the store knows of this request by the log alone. */
	if (row.kind == PAGE_FAILED && !result->is_own)
		store_request_log_add(f->store,
		    names_slice(&f->hosts->names, host),
		    &(struct request_log_note){
			.minute_s = f->now_s - f->now_s % 60,
			.last_s = f->now_s,
			.least_gap_ms = -1,
			.delay_ms = f->hosts->items[host]->delay_ms});
	if ((page->owner_flags & PAGE_DIRTY) != 0) {
		scheduler_save_page(f->scheduler, report->page, &learned);
		page->owner_flags &= (uint8_t)~PAGE_DIRTY;
	}
	row.learned = buf_text(&learned);
	store_outcome(f->store, &report->row, &row);
	buf_release(&learned);
}

enum frontier_ack
frontier_done(struct frontier *f, const struct frontier_result *result,
    int64_t now_s, struct frontier_answer *answer)
{
	struct page_report report = {.result = result};
	struct scheduler_terms terms;
	enum frontier_ack ack;
	struct host *host;
	int64_t held_s, age_ms;

	frontier_expire(f, now_s);
	ack = result_check(f, &report, answer);
	if (ack != FRONTIER_OK)
		return ack;
	/* A result may come long after the fetch.  The page was requested no
	 * later than any of the times in the result say; at_s may be the
	 * beginning or the end of that second. */
	age_ms = result->ms;
	if (result->at_s > 0 && host_age_ms(result->at_s, f->now_s) > age_ms)
		age_ms = host_age_ms(result->at_s, f->now_s);
	host = f->hosts->items[page_host_of(f, page_at(f, report.page))];
	if (host->delay_ms > 0 && !result->is_own)
		host_note(host, host_table_now_ms(f->hosts) - age_ms);
	if ((page_at(f, report.page)->owner_flags & PAGE_LEASED) != 0)
		lease_end(f, report.page);
	ready_drop(f, report.page);
	result_believe(f, &report);
	scheduler_explain_page(f->scheduler, report.page, f->now_s, &terms);
	*answer = (struct frontier_answer){
	    .next_due_s = terms.due_s, .url = report.row.url};
	/* the page already waits for its turn, or for its host */
	if (terms.is_waiting)
		answer->next_due_s = f->now_s;
	held_s = host_held_s(host);
	if (answer->next_due_s < held_s)
		answer->next_due_s = held_s;
	return FRONTIER_OK;
}

enum frontier_ack
frontier_release(struct frontier *f, struct slice token, int64_t now_s,
    struct frontier_answer *answer)
{
	struct page_report report = {0};
	enum frontier_ack ack;

	frontier_expire(f, now_s);
	ack = find_lease(f, token, &report, answer);
	if (ack != FRONTIER_OK)
		return ack;
	lease_return(f, report.page);
	*answer = (struct frontier_answer){.next_due_s = f->now_s};
	return FRONTIER_OK;
}

size_t
frontier_release_all(struct frontier *f, int64_t now_s)
{
	size_t count = 0;

	frontier_expire(f, now_s);
	for (; lease_first(f) != NONE; count++)
		lease_return(f, lease_first(f));
	return count;
}
