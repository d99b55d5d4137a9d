/* A frontier over a store in a folder of its own, for tests. */
#include "tests/frontier_fixture.h"

#include <stdio.h>

#include "base/buf.h"
#include "store/page.h"
#include "store/proof.h"
#include "store/watch.h"
#include "tests/frontier_sites_fixture.h"
#include "tests/unit/fixture.h"

static const struct site_rules *
rules(void *arg, struct slice host)
{
	(void)host;
	return arg;
}

/* Each step is committed: nothing is synced, so that many cost little. */
static void
reopen(struct world *world)
{
	struct store_options options = {
	    .path = world->path, .is_scratch = true};
	struct buf why;

	store_close(world->store);
	buf_init(&why, SIZE_MAX);
	if (store_open(&options, &world->store, &why) != DIAG_OK)
		fail_msg("%s", buf_str(&why));
	buf_release(&why);
}

void
office_open(struct office *office)
{
	*office = (struct office){.now_s = OFFICE_S, .taker.lease_s = 600};
	office->rules.profile = profile_default(PROFILE_GOOGLE);
	world_open(&office->world);
	reopen(&office->world);
	office->options = (struct frontier_options){.rules = rules,
	    .rules_arg = &office->rules,
	    .agent = "freshet",
	    .hash_key = 7,
	    .reads_documents = true,
	    .burst_ms = 300000};
	office->map = document_make(
	    office->world.store, OFFICE_HOST, OFFICE_MAP);
	office_robots(office, NULL);
}

void
office_begin(struct office *office)
{
	office->options.store = office->world.store;
	office->frontier = frontier_new(&office->options, office->now_s);
}

void
office_commit(struct office *office)
{
	if (office->frontier != NULL)
		frontier_save(office->frontier);
	assert_int_equal(store_flush(office->world.store), DIAG_OK);
}

static void
end(struct office *office)
{
	if (office->frontier != NULL)
		frontier_taker_release(office->frontier, &office->taker);
	frontier_free(office->frontier);
	office->frontier = NULL;
}

void
office_restart(struct office *office)
{
	office_commit(office);
	office_kill(office);
}

void
office_kill(struct office *office)
{
	end(office);
	reopen(&office->world);
	office_begin(office);
}

void
office_close(struct office *office)
{
	end(office);
	world_close(&office->world);
}

void
office_robots(struct office *office, const char *body)
{
	struct store *store = office->world.store;
	int64_t id = document_make(store, OFFICE_HOST, HOST_TEXT "robots.txt");
	struct reading *reading = reading_new(id, office->now_s);
	struct slice origin = slice_of(HOST_TEXT);

	origin.len--;
	store_robots(store,
	    &(struct robots_fact){.origin = origin,
		.fetched_s = office->now_s,
		.expires_s = office->now_s + DAY_S,
		.status = body == NULL ? 404 : 200,
		.body = slice_of(body),
		.has_body = body != NULL});
	reading->content.kind = KIND_ROBOTS;
	reading->content.is_complete = true;
	reading->outcome = OUTCOME_READ;
	(void)submit(store, reading);
	if (office->frontier != NULL)
		frontier_catch_up(office->frontier, office->now_s);
}

void
office_site(struct office *office, const char *host)
{
	struct store *store = office->world.store;
	char text[64];
	int64_t map;
	int n = snprintf(text, sizeof(text), "http://%s", host);

	store_robots(store,
	    &(struct robots_fact){.origin = slice_make(text, (size_t)n),
		.fetched_s = OFFICE_S,
		.status = 404});
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "/map.xml");
	map = document_make(store, host, text);
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "/page");
	(void)store_page_add(store, map, slice_of(text));
	assert_int_equal(store_flush(store), DIAG_OK);
}

void
office_read(struct office *office, int64_t document_id, const char *listed)
{
	(void)submit(office->world.store,
	    reading_make(office->world.store, document_id, office->now_s,
		COMPLETE, listed));
	if (office->frontier != NULL)
		frontier_catch_up(office->frontier, office->now_s);
}

void
office_watch(
    struct office *office, int64_t site_id, const char *host, int64_t every_s)
{
	struct watch watch;

	watch_init(&watch);
	watch.site_id = site_id;
	watch.host = slice_dup(slice_of(host));
	watch.is_watched = true;
	watch.every_least_s = watch.every_most_s = every_s;
	store_watch_put(office->world.store, &watch);
	watch_release(&watch);
}

bool
office_take(struct office *office, struct frontier_page *page)
{
	bool is_taken = frontier_take(
	    office->frontier, &office->taker, office->now_s, page);

	office_commit(office);
	return is_taken;
}

int
office_count(struct office *office)
{
	struct frontier_page page;
	int taken = 0;

	while (frontier_take(
	    office->frontier, &office->taker, office->now_s, &page))
		taken++;
	office_commit(office);
	return taken;
}

const char *
office_taken(struct office *office, struct buf *out)
{
	struct frontier_page page;

	buf_clear(out);
	while (frontier_take(
	    office->frontier, &office->taker, office->now_s, &page)) {
		put_name(out, page.url);
		(void)buf_put_char(out, ' ');
	}
	office_commit(office);
	return buf_str(out);
}

const char *
office_done(
    struct office *office, const char *token, int status, const char *hash)
{
	struct frontier_result result = {.token = slice_of(token),
	    .status = status,
	    .has_hash = hash != NULL,
	    .content_hash = slice_of(hash)};
	struct frontier_answer answer;
	enum frontier_ack ack = frontier_done(
	    office->frontier, &result, office->now_s, &answer);

	office_commit(office);
	return ack == FRONTIER_OK ? "OK" : answer.reason;
}
