/*
 * The page fetcher: see page_fetch.h, which has the way of a page.
 *
 * What may not be lost lies in this order: the archive is synced, then the
 * result is in the transaction, then that is committed, and durable, and then
 * somebody hears of it.  A kill in between leaves a page whose lease is over,
 * and perhaps a record that no result names.
 */
#include "crawler/page_fetch/page_fetch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/addr.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/url.h"
#include "crawler/archive/program.h"
#include "crawler/crawl/run.h"
#include "crawler/fetch/policy.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_lines.h"
#include "crawler/page_fetch/page_object.h"
#include "crawler/parse/page.h"
#include "sched/host_table.h"
#include "store/archived.h"
#include "store/page_says.h"

/* A page is on the disk and stored this long after it came, with those that
 * came meanwhile; sooner if there are many. */
#define KEEP_MS 50
#define KEEP_PAGES 256
#define KEEP_BYTES (16u << 20)
#define TOLD_BYTES (1u << 20) /* of objects, at once */
#define UNHEARD_MS 100 /* between two looks whether the listener has room */
#define LEASE_MS 5 /* for leases, in one round of the loop */
#define LOOK_MS 500 /* between two looks for pages that are due */
#define DURABLE_MS 10 /* between two looks whether a COMMIT is durable */
/* So many pages have to fit, one after another, before a pause is over. */
#define FITS_MOST 8
#define AGAIN_MS 10000 /* until an archive, or a program, is tried again */
/* until more pages are taken, when many have come back in a row */
#define RETURNED_MS 1000
#define RETURNED_MOST 100 /* in a row: there is nothing to fetch */
#define PROGRAM_BYTES ((uint64_t)4 << 20) /* that it may not have read */
#define LEASE_S 86400

enum fetch_stage { FREE, OUT, CAME, KEPT, TOLD };

/* A page that is leased; its number in the table is its id in the driver. */
struct fetch_page {
	enum fetch_stage stage; /* changed by page_move() alone */
	char token[FRONTIER_TOKEN_SIZE];
	int64_t page_id;
	/* the last whole answer in the archive, and the one that came now */
	bool was_archived, is_archived;
	struct archived archived;
	bool is_lost; /* it could not be written to an archive */
	struct archive_place place; /* in the WARC; of its last answer */
	bool says; /* title and description were read */
	struct strings texts; /* owned: result and the next ones borrow */
	struct slice title, description, error;
	const char *wall;
	int64_t at_s; /* 0: there was no answer */
	struct frontier_result result;
	enum page_outcome outcome;
	struct buf json; /* its object, as listeners get it */
};

struct page_fetch {
	struct page_fetch_options how;
	struct archive *warc, *texts; /* owned; NULL: none */
	char *command; /* owned: of the program; NULL: none */
	struct program *program; /* owned; NULL: it does not run */
	int program_status; /* of a program that ended; 0: none has */
	struct frontier_consumer consumer;
	uint32_t crawl;
	bool is_dropped; /* the driver knows nothing of the crawl any more */
	struct fetch_page **pages; /* owned, as are the pages */
	size_t count, cap;
	size_t at[TOLD + 1]; /* how many are in each stage */
	struct loop_timer *take, *keep, *tell; /* owned */
	uint64_t left; /* pages that may still be leased */
	uint64_t waits; /* the COMMIT of those that are TOLD */
	bool is_waiting; /* it is not durable yet */
	bool is_paused; /* an archive could not be written */
	bool lacks_room; /* pauses before the disk of the store is full */
	size_t fits; /* pages that could, since then */
	int64_t again_ms; /* nothing is leased before */
	uint64_t returned; /* pages in a row, though no hold is known */
	int64_t held_until_ms; /* a page that came back may be asked for then */
	bool is_stopping, is_over;
	bool is_finished; /* the program knows that no page follows */
	int64_t stop_ms; /* then what is under way is given back */
	struct page_fetch_counts counts;
	struct buf text; /* empty: its memory is used again */
};

static void
page_move(
    struct page_fetch *fetch, struct fetch_page *page, enum fetch_stage stage)
{
	fetch->at[page->stage]--;
	fetch->at[stage]++;
	page->stage = stage;
	if (stage != FREE)
		return;
	strings_release(&page->texts);
	buf_release(&page->json);
	*page = (struct fetch_page){.stage = FREE};
	/* the next page may be leased, or none follows */
	loop_timer_set(fetch->take, 0);
}

/* The archive that has to have what "not modified" means. */
static struct archive *
fetch_known(const struct page_fetch *fetch)
{
	return fetch->warc != NULL ? fetch->warc : fetch->texts;
}

static bool
fetch_is_heard(const struct page_fetch *fetch)
{
	return fetch->how.has_room == NULL ||
	    fetch->how.has_room(fetch->how.arg);
}

static size_t
fetch_leased(const struct page_fetch *fetch)
{
	return fetch->at[OUT] + fetch->at[CAME] + fetch->at[KEPT];
}

/* A page without a result: anybody may have it. */
static void
page_give_back(struct page_fetch *fetch, struct fetch_page *page)
{
	struct frontier_answer answer;

	(void)frontier_release(fetch->how.frontier, slice_of(page->token),
	    loop_now_s(fetch->how.loop), &answer);
	fetch->counts.returned++;
	fetch->left += fetch->left != UINT64_MAX;
	page_move(fetch, page, FREE);
}

static struct slice
page_text(struct fetch_page *page, struct slice text)
{
	strings_add(&page->texts, text);
	text.p = page->texts.items[page->texts.count - 1];
	return text;
}

static void
fetch_warn(const struct page_fetch *fetch, const char *format, const char *why)
{
	char text[640];

	(void)snprintf(text, sizeof(text), format, why);
	fetch->how.warn(fetch->how.arg, slice_of(text));
}

/* An archive cannot be written: try again later, and say so once. */
static void
fetch_pause(struct page_fetch *fetch, const struct archive *archive)
{
	fetch->again_ms = loop_now_ms(fetch->how.loop) + AGAIN_MS;
	fetch->fits = 0;
	if (!fetch->is_paused)
		fetch_warn(fetch, "%s: fetching pauses until it can be written",
		    archive_error(archive));
	fetch->is_paused = true;
}

/* What came of a page. */

static bool
wants_text(const struct page_fetch *fetch)
{
	return fetch->how.wants_text || fetch->texts != NULL ||
	    fetch->command != NULL;
}

/* Make the result and the object of a page, without the end of the object. */
static void
page_describe(struct page_fetch *fetch, struct fetch_page *page,
    const struct listed_page *listed, const uint8_t *body)
{
	char hash[PAGE_HASH_BYTES];
	struct frontier_result *result = &page->result;

	if (page->at_s == 0)
		page->at_s = loop_now_s(fetch->how.loop);
	*result = page_result(listed, page->at_s, body, hash);
	page->outcome = frontier_outcome(
	    fetch->how.frontier, page->page_id, result);
	page_object_begin(&page->json, listed, result, page->outcome);
	/* the page outlives what the driver lends */
	result->url = page_text(page, result->url);
	result->content_hash = page_text(page, result->content_hash);
	result->etag = page_text(page, result->etag);
	result->last_modified = page_text(page, result->last_modified);
	result->location = page_text(page, result->location);
	page->wall = listed->wall;
	page->error = listed->end == PAGE_ANSWERED
	    ? slice_of("")
	    : page_text(page, listed->detail);
	page->says = listed->facts != NULL && result->status == 200 &&
	    page->outcome != PAGE_FAILED;
	if (listed->facts != NULL) {
		page->title = page_text(page, listed->facts->title);
		page->description = page_text(page, listed->facts->description);
	}
}

/* Put an exchange into an archive.  What stands for the page there from now on
 * is in the archive that decides about conditional requests: the whole answer
 * of the page's own URL, and not what that redirects to. */
static void
fetch_archive(struct page_fetch *fetch, struct fetch_page *page,
    struct archive *archive, const struct page_exchange *exchange,
    struct archive_exchange *put, struct archive_place *place)
{
	const struct fetch_result *result = exchange->result;

	put->url = exchange->url;
	put->at_us = exchange->at_us;
	put->result = result;
	put->body = exchange->body;
	if (!archive_put(archive, put, place)) {
		page->is_lost = true;
		fetch_pause(fetch, archive);
	} else if (archive == fetch_known(fetch) && exchange->hop == 0 &&
	    result->status == 200 && result->truncated == NULL &&
	    !place->is_revisit) {
		page->is_archived = true;
		page->archived = (struct archived){
		    .archive = archive_id(archive), .at_us = exchange->at_us};
		memcpy(page->archived.digest, place->digest, ARCHIVED_DIGEST);
	}
}

static void
fetch_on_exchange(void *arg, const struct page_exchange *exchange)
{
	struct page_fetch *fetch = arg;
	struct fetch_page *page = fetch->pages[exchange->id];
	const struct listed_page *listed = exchange->page;
	struct digest digest;
	bool has_body = exchange->body != NULL &&
	    exchange->body->digester != NULL &&
	    exchange->result->code == DIAG_OK;

	loop_doing(fetch->how.loop, "a fetched page");
	if (page->at_s == 0)
		page->at_s = exchange->at_us / 1000000;
	if (listed != NULL) {
		if (has_body)
			digest = digester_value(exchange->body->digester);
		page_describe(fetch, page, listed,
		    has_body && listed->facts == NULL ? digest.bytes : NULL);
	}
	/* what its site does not want to be used is not kept */
	if (fetch->warc != NULL && !page->is_lost &&
	    (listed == NULL || listed->end != PAGE_DISALLOWED ||
		exchange->result->status / 100 != 2)) {
		struct archive_known known = {.at_us = page->archived.at_us};
		struct archive_exchange put = {
		    .before = exchange->hop == 0 && page->was_archived ? &known
								       : NULL};

		memcpy(known.digest, page->archived.digest, ARCHIVED_DIGEST);
		/* the object is whole for a moment */
		if (listed != NULL) {
			(void)buf_put_char(&page->json, '}');
			put.json = buf_text(&page->json);
		}
		fetch_archive(
		    fetch, page, fetch->warc, exchange, &put, &page->place);
		if (listed != NULL)
			page->json.len--;
	}
	if (listed == NULL)
		return;
	/* A text that is not what the reader says is as good as none. */
	buf_clear(&fetch->text);
	if (wants_text(fetch) && listed->facts != NULL && listed->text_fd >= 0)
		(void)page_text_load(
		    listed->text_fd, listed->facts, &fetch->text);
	if (fetch->texts != NULL && page->says && !page->is_lost) {
		struct archive_place none = {.file = ""};
		struct archive_exchange put = {0};
		struct buf line = BUF_UP_TO(SIZE_MAX);

		(void)buf_put_slice(&line, buf_text(&page->json));
		out_json_text(&line, "text", buf_text(&fetch->text));
		out_json_end(&line, '}');
		put.json = buf_text(&line);
		fetch_archive(fetch, page, fetch->texts, exchange, &put, &none);
		buf_release(&line);
	}
	if (listed->facts != NULL &&
	    (fetch->how.wants_text || fetch->command != NULL))
		out_json_text(&page->json, "text", buf_text(&fetch->text));
}

/* KEPT: its result is told as soon as it is on the disk. */
static void
page_keep(struct page_fetch *fetch, struct fetch_page *page)
{
	page_move(fetch, page, KEPT);
	if (fetch->at[KEPT] >= KEEP_PAGES ||
	    (fetch->warc != NULL && archive_unsynced(fetch->warc) > KEEP_BYTES))
		loop_timer_set(fetch->keep, 0);
	else if (fetch->at[KEPT] == 1)
		loop_timer_set(fetch->keep, KEEP_MS);
}

static void
fetch_on_page(void *arg, const struct listed_page *listed)
{
	struct page_fetch *fetch = arg;
	struct fetch_page *page = fetch->pages[listed->id];

	fetch->returned = 0;
	/* without an answer there was no last exchange */
	if (page->json.len == 0)
		page_describe(fetch, page, listed, NULL);
	if (page->place.file[0] != '\0')
		page_object_archive(&page->json, &page->place);
	out_json_end(&page->json, '}');
	if (page->is_lost || (fetch->command != NULL && fetch->program == NULL))
		page_give_back(fetch, page);
	else if (fetch->program != NULL) {
		page_move(fetch, page, CAME);
		program_put(fetch->program, (uint32_t)listed->id,
		    buf_text(&page->json));
	} else {
		page_keep(fetch, page);
	}
}

static void
fetch_on_returned(void *arg, uint64_t id, int64_t held_ms)
{
	struct page_fetch *fetch = arg;
	int64_t now_ms = loop_now_ms(fetch->how.loop);

	/* Other hosts need not wait until the hold is over. */
	if (held_ms == 0 && ++fetch->returned > RETURNED_MOST)
		fetch->again_ms = now_ms + RETURNED_MS;
	if (held_ms <= MAX_PARK_MS && now_ms + held_ms > fetch->held_until_ms)
		fetch->held_until_ms = now_ms + held_ms;
	page_give_back(fetch, fetch->pages[id]);
}

/* The program. */

/* The program did not take the page.  If it were given back, it would be the
 * best page again, and be asked for without end; so it counts as failed, and
 * waits as long as others that fail. */
static void
page_refuse(struct page_fetch *fetch, struct fetch_page *page)
{
	struct listed_page listed = {.url = page->result.url,
	    .end = PAGE_LOST,
	    .detail = slice_of("the program of --exec did not take it")};

	page->error = listed.detail;
	page->title = page->description = slice_of("");
	page->says = false;
	page->result = (struct frontier_result){
	    .url = listed.url, .at_s = page->at_s, .is_own = true};
	page->outcome = PAGE_FAILED;
	buf_clear(&page->json);
	page_object_begin(&page->json, &listed, &page->result, page->outcome);
	out_json_end(&page->json, '}');
	page_keep(fetch, page);
}

static void
fetch_on_answered(void *arg, uint32_t id, enum program_answer answer)
{
	struct page_fetch *fetch = arg;
	struct fetch_page *page = fetch->pages[id];

	if (page->is_lost || answer == PROGRAM_ENDED)
		page_give_back(fetch, page);
	else if (answer == PROGRAM_TAKES)
		page_keep(fetch, page);
	else
		page_refuse(fetch, page);
}

static void
fetch_on_program_ended(void *arg, int status)
{
	struct page_fetch *fetch = arg;

	program_free(fetch->program);
	fetch->program = NULL;
	if (status != -1 && WIFEXITED(status))
		fetch->program_status = WEXITSTATUS(status);
	else
		fetch->program_status = status == -1 ? 127
						     : 128 + WTERMSIG(status);
	if (fetch->is_stopping) {
		loop_timer_set(fetch->take, 0);
	} else if (fetch->how.restarts_program) {
		fetch_warn(fetch,
		    "the program '%s' has ended: it is started again in ten "
		    "seconds",
		    fetch->command);
		fetch->again_ms = loop_now_ms(fetch->how.loop) + AGAIN_MS;
	} else {
		page_fetch_stop(fetch, 0);
	}
}

static bool
fetch_start_program(struct page_fetch *fetch)
{
	struct program_callbacks callbacks = {.arg = fetch,
	    .answered = fetch_on_answered,
	    .ended = fetch_on_program_ended};

	if (fetch->command != NULL && fetch->program == NULL)
		fetch->program = program_new(
		    fetch->how.loop, fetch->command, &callbacks);
	return fetch->command == NULL || fetch->program != NULL;
}

/* Results. */

static void
page_tell_store(struct page_fetch *fetch, struct fetch_page *page)
{
	int64_t now_s = loop_now_s(fetch->how.loop);
	struct store *store = fetch->how.store;
	struct frontier_answer answer = {0};

	page->result.token = slice_of(page->token);
	/* another result came, or somebody gave the lease back */
	if (frontier_done(fetch->how.frontier, &page->result, now_s, &answer) !=
	    FRONTIER_OK) {
		page_give_back(fetch, page);
		return;
	}
	page->archived.validators = archived_validators(
	    store, page->result.etag, page->result.last_modified);
	/* of the answer that the validators in the store are of */
	if (page->is_archived && page->outcome != PAGE_FAILED)
		store_archived_put(store, page->page_id, &page->archived);
	if (page->says)
		store_page_says_put(store, page->page_id, page->result.at_s,
		    page->title, page->description);
	page_move(fetch, page, TOLD);
}

static void
fetch_commit(struct page_fetch *fetch)
{
	struct loop *loop = fetch->how.loop;

	frontier_save(fetch->how.frontier);
	loop_commit(loop, true);
	(void)store_flush(fetch->how.store);
	loop_commit(loop, false);
	fetch->waits = store_commits(fetch->how.store);
	fetch->is_waiting = true;
	loop_timer_set(fetch->tell, 0);
	/* the hosts of these pages may be asked for the next ones */
	loop_timer_set(fetch->take, 0);
}

static void
fetch_give_back(struct page_fetch *fetch, enum fetch_stage stage)
{
	for (size_t i = 0; i < fetch->count && fetch->at[stage] > 0; i++)
		if (fetch->pages[i]->stage == stage)
			page_give_back(fetch, fetch->pages[i]);
}

/* What is kept goes to the disk, then to the store. */
static void
fetch_on_keep(void *arg)
{
	struct page_fetch *fetch = arg;
	struct archive *archives[] = {fetch->warc, fetch->texts};
	uint64_t bytes = 0;
	bool is_good = true;

	/* one COMMIT after another */
	if (fetch->is_waiting || fetch->at[KEPT] == 0)
		return;
	if (!fetch_is_heard(fetch) && !fetch->is_stopping) {
		loop_timer_set(fetch->keep, UNHEARD_MS);
		return;
	}
	loop_doing(fetch->how.loop, "fetched pages");
	loop_commit(fetch->how.loop, true);
	for (size_t i = 0; i < 2 && is_good; i++) {
		is_good = archives[i] == NULL || archive_sync(archives[i]);
		if (!is_good)
			fetch_pause(fetch, archives[i]);
	}
	loop_commit(fetch->how.loop, false);
	if (!is_good) {
		fetch_give_back(fetch, KEPT);
		/* nothing is there that was put since the last sync, of pages
		 * that are on their way either */
		for (size_t i = 0; i < fetch->count; i++)
			fetch->pages[i]->is_lost = fetch->pages[i]->stage ==
				OUT ||
			    fetch->pages[i]->stage == CAME;
		return;
	}
	fetch->fits += fetch->at[KEPT];
	if (fetch->is_paused && fetch->fits >= FITS_MOST) {
		fetch_warn(fetch, "%s",
		    "the archive can be written again: fetching goes on");
		fetch->is_paused = false;
	}
	for (size_t i = 0; i < fetch->count && fetch->at[KEPT] > 0; i++)
		if (fetch->pages[i]->stage == KEPT &&
		    (bytes < TOLD_BYTES || fetch->is_stopping)) {
			bytes += fetch->pages[i]->json.len;
			page_tell_store(fetch, fetch->pages[i]);
		}
	fetch_commit(fetch);
}

/* Tell who listens of a page whose outcome is durable. */
static void
page_tell(struct page_fetch *fetch, struct fetch_page *page)
{
	struct page_fetched fetched = {.url = page->result.url,
	    .outcome = page->outcome,
	    .status = page->result.status,
	    .bytes = page->result.bytes,
	    .wall = page->wall,
	    .location = page->result.location,
	    .title = page->title,
	    .error = page->error,
	    .json = buf_text(&page->json)};

	fetch->counts.told++;
	fetch->counts.outcomes[page->outcome]++;
	fetch->counts.walls += page->wall != NULL;
	fetch->counts.bytes += page->result.bytes;
	if (fetch->how.page != NULL)
		fetch->how.page(fetch->how.arg, &fetched);
	page_move(fetch, page, FREE);
}

static void
fetch_on_tell(void *arg)
{
	struct page_fetch *fetch = arg;

	if (!fetch->is_waiting)
		return;
	/* whoever owns the store frees the fetcher then */
	if (store_failed(fetch->how.store) != DIAG_OK) {
		run_stop(fetch->how.run);
		return;
	}
	if (!store_is_durable(fetch->how.store, fetch->waits)) {
		loop_timer_set(fetch->tell, DURABLE_MS);
		return;
	}
	fetch->is_waiting = false;
	for (size_t i = 0; i < fetch->count && fetch->at[TOLD] > 0; i++)
		if (fetch->pages[i]->stage == TOLD)
			page_tell(fetch, fetch->pages[i]);
	if (fetch->at[KEPT] > 0)
		loop_timer_set(fetch->keep, 0);
}

/* Leases. */

/* A site has a private host only if the operator named it as a target, perhaps
 * of another command. */
static void
fetch_allow(struct page_fetch *fetch, const struct frontier_page *leased)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct url url = {0};

	if (addr_host_reach(leased->site) == ADDR_PUBLIC ||
	    !slice_equal(leased->site, leased->host))
		return;
	if (url_parse(&url, leased->url, NULL, &profile,
		(struct diag_sink){0}) == DIAG_OK)
		policy_allow_target(fetch->how.policy, &url);
	url_release(&url);
}

static void
fetch_order(struct page_fetch *fetch, const struct frontier_page *leased)
{
	struct archive *archive = fetch_known(fetch);
	struct page_order order = {.site_id = leased->site_id,
	    .url = leased->url,
	    .max_bytes = fetch->how.max_bytes,
	    .wants_text = wants_text(fetch),
	    .wants_exchange = true};
	struct fetch_page *page;

	while (order.id < fetch->count && fetch->pages[order.id]->stage != FREE)
		order.id++;
	if (order.id == fetch->count) {
		*MEM_PUSH(fetch->pages, fetch->count, fetch->cap) = mem_zero(
		    sizeof(struct fetch_page));
		fetch->at[FREE]++;
	}
	page = fetch->pages[order.id];
	page_move(fetch, page, OUT);
	buf_init(&page->json, SIZE_MAX);
	(void)snprintf(page->token, sizeof(page->token), "%s", leased->token);
	page->page_id = leased->page_id;
	page->was_archived = archive != NULL &&
	    store_archived(fetch->how.store, page->page_id, &page->archived) &&
	    page->archived.archive == archive_id(archive);
	/* "Not modified" is an answer only if the archive has what it means. */
	if (archive == NULL ||
	    (page->was_archived &&
		page->archived.validators ==
		    archived_validators(fetch->how.store, leased->etag,
			leased->last_modified))) {
		order.etag = leased->etag;
		order.last_modified = leased->last_modified;
	}
	fetch_allow(fetch, leased);
	fetch->counts.leased++;
	fetch->left -= fetch->left != UINT64_MAX;
	run_page(fetch->how.run, fetch->crawl, &order);
}

/* An archive on the disk of the store must leave it room. */
static bool
fetch_leaves_room(struct page_fetch *fetch)
{
	bool lacks_room = store_lacks_room(fetch->how.store);

	if (lacks_room != fetch->lacks_room)
		fetch_warn(fetch, "%s",
		    lacks_room ? "the disk of the store is nearly full: "
				 "fetching pauses until it has room"
			       : "the disk of the store has room: fetching "
				 "goes on");
	fetch->lacks_room = lacks_room;
	return !lacks_room;
}

static bool
fetch_has_room(const struct page_fetch *fetch)
{
	/* what does not fit is found out with one page */
	size_t most = fetch->is_paused ? 1 : SIZE_MAX;

	return fetch->left > 0 && fetch_leased(fetch) < most &&
	    fetch_is_heard(fetch) &&
	    loop_now_ms(fetch->how.loop) >= fetch->again_ms &&
	    (fetch->program == NULL ||
		program_bytes(fetch->program) < PROGRAM_BYTES) &&
	    !store_is_full(fetch->how.store) &&
	    host_may_ask(frontier_hosts(fetch->how.frontier));
}

/* Lease pages; returns in how many milliseconds to look again, or LOOP_NEVER if
 * there is nothing more to fetch. */
static int64_t
fetch_lease(struct page_fetch *fetch)
{
	struct frontier *frontier = fetch->how.frontier;
	struct loop *loop = fetch->how.loop;
	int64_t end_ms = loop_now_ms(loop) + LEASE_MS;
	int64_t now_s = loop_now_s(loop);
	struct frontier_page page;

	if (!fetch_leaves_room(fetch))
		return LOOK_MS;
	loop_doing(loop, "pages to fetch");
	(void)frontier_sync(frontier, now_s);
	while (fetch_has_room(fetch) && fetch_start_program(fetch)) {
		if (frontier_lease(frontier, &fetch->consumer, now_s, &page))
			fetch_order(fetch, &page);
		else if (!fetch->consumer.is_later) {
			int64_t paced_ms = frontier_paced_ms(frontier);

			if (paced_ms < LOOK_MS)
				return paced_ms;
			return fetch->how.is_endless || paced_ms != INT64_MAX ||
				loop_now_ms(loop) < fetch->held_until_ms ||
				fetch_leased(fetch) + fetch->at[TOLD] > 0
			    ? LOOK_MS
			    : LOOP_NEVER;
		}
		if (loop_now_ms(loop) >= end_ms)
			return 0;
	}
	/* the last page has come, or none can be had */
	if (fetch_leased(fetch) + fetch->at[TOLD] == 0 &&
	    (fetch->left == 0 ||
		(!fetch->how.is_endless && fetch->returned > RETURNED_MOST)))
		return LOOP_NEVER;
	return LOOK_MS;
}

/* No page follows: what is under way may end until stop_ms. */
static int64_t
fetch_end(struct page_fetch *fetch)
{
	int64_t left_ms = fetch->stop_ms - loop_now_ms(fetch->how.loop);

	if (fetch->at[OUT] + fetch->at[CAME] > 0 && left_ms > 0)
		return left_ms < LOOK_MS ? left_ms : LOOK_MS;
	if (!fetch->is_dropped)
		run_drop(fetch->how.run, fetch->crawl);
	fetch->is_dropped = true;
	fetch_give_back(fetch, OUT);
	if (fetch->program != NULL && fetch->at[CAME] == 0 && left_ms > 0) {
		/* it may have something to finish */
		if (!fetch->is_finished)
			program_finish(fetch->program);
		fetch->is_finished = true;
		return left_ms < LOOK_MS ? left_ms : LOOK_MS;
	}
	program_free(fetch->program);
	fetch->program = NULL;
	fetch_give_back(fetch, CAME);
	if (fetch->at[KEPT] + fetch->at[TOLD] > 0)
		return LOOK_MS;
	return LOOP_NEVER;
}

static void
fetch_on_take(void *arg)
{
	struct page_fetch *fetch = arg;
	int64_t next_ms = LOOP_NEVER;

	if (fetch->is_over || store_failed(fetch->how.store) != DIAG_OK)
		return;
	if (!fetch->is_stopping)
		next_ms = fetch_lease(fetch);
	if (!fetch->is_stopping && next_ms == LOOP_NEVER) {
		fetch->is_stopping = true;
		/* a program takes the time that it needs */
		fetch->stop_ms = INT64_MAX;
	}
	if (fetch->is_stopping)
		next_ms = fetch_end(fetch);
	loop_timer_set(fetch->take, next_ms);
	if (next_ms != LOOP_NEVER)
		return;
	fetch->is_over = true;
	fetch->how.over(fetch->how.arg);
}

void
page_fetch_stop(struct page_fetch *fetch, int64_t grace_ms)
{
	fetch->is_stopping = true;
	fetch->stop_ms = loop_now_ms(fetch->how.loop) + grace_ms;
	loop_timer_set(fetch->take, 0);
}

static bool
fetch_open_archives(const struct page_fetch_options *options,
    struct archive **warc, struct archive **texts, char why[static 256])
{
	if (options->warc != NULL)
		*warc = archive_open(
		    options->warc, ARCHIVE_WARC, &options->about, why);
	if (options->texts != NULL && (options->warc == NULL || *warc != NULL))
		*texts = archive_open(
		    options->texts, ARCHIVE_TEXTS, &options->about, why);
	return (options->warc == NULL || *warc != NULL) &&
	    (options->texts == NULL || *texts != NULL);
}

bool
page_fetch_has_archives(
    const struct page_fetch_options *options, char why[static 256])
{
	struct archive *warc = NULL, *texts = NULL;
	bool is_good = fetch_open_archives(options, &warc, &texts, why);

	archive_close(warc);
	archive_close(texts);
	return is_good;
}

struct page_fetch *
page_fetch_new(const struct page_fetch_options *options, char why[static 256])
{
	struct page_fetch *fetch = mem_zero(sizeof(*fetch));
	struct crawl_options crawl = {.takes_pages = true,
	    .page = fetch_on_page,
	    .page_returned = fetch_on_returned,
	    .exchange = fetch_on_exchange,
	    .arg = fetch};

	fetch->how = *options;
	buf_init(&fetch->text, PAGE_MAX_TEXT + 65536);
	fetch->is_dropped = true;
	fetch->left = options->count > 0 ? options->count : UINT64_MAX;
	fetch->consumer = (struct frontier_consumer){.hosts = options->at_once,
	    .lease_s = LEASE_S,
	    .is_own = true,
	    .sites = options->sites,
	    .tags = options->tags};
	fetch->take = loop_timer_new(options->loop, fetch_on_take, fetch);
	fetch->keep = loop_timer_new(options->loop, fetch_on_keep, fetch);
	fetch->tell = loop_timer_new(options->loop, fetch_on_tell, fetch);
	fetch->command = mem_copy(options->program);
	if ((options->filter != NULL &&
		!frontier_consumer_filter(&fetch->consumer, options->filter)) ||
	    !fetch_open_archives(options, &fetch->warc, &fetch->texts, why)) {
		page_fetch_free(fetch);
		return NULL;
	}
	if (!fetch_start_program(fetch)) {
		(void)snprintf(why, 256, "cannot start a program: %s",
		    strerrordesc_np(errno));
		page_fetch_free(fetch);
		return NULL;
	}
	fetch->crawl = run_crawl(options->run, &crawl);
	fetch->is_dropped = false;
	run_start(options->run, fetch->crawl);
	loop_timer_set(fetch->take, 0);
	return fetch;
}

static void
fetch_settle(struct page_fetch *fetch)
{
	if (!fetch->is_dropped)
		run_drop(fetch->how.run, fetch->crawl);
	fetch->is_dropped = fetch->is_stopping = true;
	if (store_await(fetch->how.store) != DIAG_OK)
		return;
	fetch_give_back(fetch, OUT);
	fetch_give_back(fetch, CAME);
	fetch->is_waiting = false;
	fetch_on_keep(fetch);
	fetch_commit(fetch);
}

void
page_fetch_settle(struct page_fetch *fetch)
{
	fetch_settle(fetch);
	(void)store_await(fetch->how.store);
	fetch_on_tell(fetch);
}

void
page_fetch_free(struct page_fetch *fetch)
{
	if (fetch == NULL)
		return;
	fetch_settle(fetch);
	program_free(fetch->program);
	archive_close(fetch->warc);
	archive_close(fetch->texts);
	frontier_consumer_release(fetch->how.frontier, &fetch->consumer);
	loop_timer_free(fetch->take);
	loop_timer_free(fetch->keep);
	loop_timer_free(fetch->tell);
	for (size_t i = 0; i < fetch->count; i++) {
		strings_release(&fetch->pages[i]->texts);
		buf_release(&fetch->pages[i]->json);
		free(fetch->pages[i]);
	}
	free(fetch->pages);
	free(fetch->command);
	buf_release(&fetch->text);
	free(fetch);
}

struct page_fetch_counts
page_fetch_counts(const struct page_fetch *fetch)
{
	return fetch->counts;
}

int
page_fetch_program_status(const struct page_fetch *fetch)
{
	return fetch->program_status;
}

void
page_fetch_next(struct page_fetch *fetch, struct buf *line)
{
	struct frontier_spent spent;
	int64_t next_s = frontier_next_s(fetch->how.frontier, &fetch->consumer,
	    loop_now_s(fetch->how.loop), &spent);

	frontier_line_more(line, 0, next_s, &spent);
}
