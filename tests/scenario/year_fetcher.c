/* The year: fetchers that answer, are late, are silent, or send an answer
 * twice. */
#include "tests/scenario/year_fetcher.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/crawl/run.h"
#include "tests/fixtures/lease.h"
#include "tests/scenario/fake.h"
#include "tests/scenario/year.h"
#include "tests/scenario/year_world.h"

#define TICK_MS 60000
#define AT_ONCE 20 /* pages in one answer */
#define LEASE_S 1800
#define NEVER INT64_MAX

static void
note(struct year *year, const struct leased_page *page, const char *what)
{
	(void)year;
	(void)buf_print(fake_log(), "%s %" PRId64 " %s %s\n", what,
	    fake_elapsed_s(), page->token, page->url);
}

/* Decide how the fetcher will treat the page. */
static void
plan(struct fetchers *fetchers, struct leased_page *page)
{
	unsigned fate = random_below(&fetchers->random, 100);
	int64_t now_s = fake_elapsed_s();

	page->times = 1;
	page->at_s = now_s + 1 + random_below(&fetchers->random, 120);
	if (fate < 8)
		page->at_s += LEASE_S + 100;
	else if (fate < 16)
		page->at_s = NEVER;
	else if (fate < 24)
		page->times = 2;
	else if (fate < 27)
		page->times = 0; /* the page is given back */
}

/* Does a fetcher have the page already? */
static bool
is_out(const struct fetchers *fetchers, struct slice url, int64_t now_s)
{
	for (size_t i = 0; i < fetchers->count; i++)
		if (!fetchers->out[i].is_over &&
		    fetchers->out[i].until_s > now_s &&
		    slice_equal(slice_of(fetchers->out[i].url), url))
			return true;
	return false;
}

static void
add(struct year *year, const struct frontier_consumer *consumer,
    const struct frontier_page *page, int64_t now_s)
{
	struct fetchers *fetchers = &year->fetchers;
	struct leased_page *out;

	if (world_is_closed(page->url.p + page->host.len + strlen("https://")))
		proof_fail(
		    &year->proof, "is forbidden by robots.txt", page->url);
	if (is_out(fetchers, page->url, now_s))
		proof_fail(&year->proof, "is leased twice at once", page->url);
	fetchers->out = mem_grow(fetchers->out, &fetchers->cap,
	    fetchers->count + 1, sizeof(*fetchers->out));
	out = &fetchers->out[fetchers->count++];
	*out = (struct leased_page){
	    .url = slice_dup(page->url), .until_s = page->lease_until_s};
	(void)snprintf(out->token, sizeof(out->token), "%s", page->token);
	plan(fetchers, out);
	note(year, out, page->why);
	year->proof.takes++;
	asked_handed(&year->proof, year_site(page->url), consumer->is_spaced);
}

static void
take(struct year *year, struct frontier_consumer *consumer)
{
	int64_t now_s = loop_now_s(year->options.loop);
	struct frontier_page page;

	for (int i = 0; i < AT_ONCE; i++) {
		if (!lease_page(year->frontier, consumer, now_s, &page))
			break;
		add(year, consumer, &page, now_s);
	}
}

/* Send an answer, or give the page back. */
static enum frontier_ack
say(struct year *year, const struct leased_page *page)
{
	int64_t now_s = loop_now_s(year->options.loop);
	struct frontier_result result = {.token = slice_of(page->token),
	    .url = slice_of(page->url),
	    .ms = 300};
	struct frontier_answer answer = {0};
	enum frontier_ack ack;
	char text[32] = "";

	result.status = world_page(result.url, text);
	result.has_hash = result.status == 200;
	result.content_hash = slice_of(text);
	if (page->times == 0)
		ack = frontier_release(
		    year->frontier, result.token, now_s, &answer);
	else
		ack = frontier_done(year->frontier, &result, now_s, &answer);
	if (ack == FRONTIER_FAIL)
		proof_fail(&year->proof, answer.reason, result.url);
	(void)buf_print(
	    fake_log(), "%s ", answer.reason == NULL ? "ok" : answer.reason);
	note(year, page, "said");
	return ack;
}

/* The answer was acknowledged. */
static void
heard(struct year *year, const struct leased_page *page)
{
	int64_t id = (int64_t)strtoull(page->token, NULL, 16);
	const char *dot = strchr(page->token, '.');

	outcomes_add(
	    &year->proof.acked, id, (uint32_t)strtoul(dot + 1, NULL, 16));
}

static bool
is_ready(const struct leased_page *page)
{
	return !page->is_over && page->at_s <= fake_elapsed_s();
}

void
fetchers_say(struct year *year, bool is_heard)
{
	struct fetchers *fetchers = &year->fetchers;

	for (size_t i = 0; i < fetchers->count; i++) {
		struct leased_page *page = &fetchers->out[i];
		enum frontier_ack ack;

		if (!is_ready(page))
			continue;
		ack = say(year, page);
		if (!is_heard)
			continue;
		if (page->times == 2 && say(year, page) == FRONTIER_OK)
			proof_fail(&year->proof, "is believed twice",
			    slice_of(page->url));
		if (ack == FRONTIER_OK && page->times > 0)
			heard(year, page);
		page->is_over = true;
	}
}

/* Drop answers that nobody will send any more. */
static void
forget(struct year *year)
{
	struct fetchers *fetchers = &year->fetchers;
	int64_t now_s = loop_now_s(year->options.loop);
	size_t kept = 0;

	for (size_t i = 0; i < fetchers->count; i++) {
		struct leased_page *page = &fetchers->out[i];

		if (page->is_over ||
		    (page->at_s == NEVER && page->until_s <= now_s))
			free(page->url);
		else
			fetchers->out[kept++] = *page;
	}
	fetchers->count = kept;
}

static void
tick(void *arg)
{
	struct year *year = arg;

	year_look(year);
	fetchers_say(year, true);
	forget(year);
	take(year, &year->fetchers.consumers[0]);
	take(year, &year->fetchers.consumers[1]);
	if (store_pending(year->options.store))
		(void)run_commit(year->run);
	proof_drain(&year->proof);
	loop_timer_set(year->fetchers.timer, TICK_MS);
}

void
fetchers_begin(struct year *year)
{
	year->fetchers.timer = loop_timer_new(year->options.loop, tick, year);
}

void
fetchers_release(struct year *year)
{
	loop_timer_free(year->fetchers.timer);
	for (size_t i = 0; i < year->fetchers.count; i++)
		free(year->fetchers.out[i].url);
	free(year->fetchers.out);
}

void
fetchers_open(struct year *year)
{
	year->fetchers.consumers[0] = (struct frontier_consumer){
	    .lease_s = LEASE_S, .per_host = 4};
	year->fetchers.consumers[1] = (struct frontier_consumer){
	    .lease_s = LEASE_S / 2, .hosts = 8, .is_spaced = true};
	loop_timer_set(year->fetchers.timer, TICK_MS);
}

void
fetchers_close(struct year *year)
{
	for (int i = 0; i < 2; i++)
		frontier_consumer_release(
		    year->frontier, &year->fetchers.consumers[i]);
	loop_timer_set(year->fetchers.timer, LOOP_NEVER);
}

void
fetchers_shift(struct year *year, int64_t by_s)
{
	for (size_t i = 0; i < year->fetchers.count; i++)
		year->fetchers.out[i].until_s -= by_s;
}
