/* The worker of a shard: see shard_worker.h. */
#include "crawler/control/shard_worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/control/crawler.h"
#include "crawler/event/ndjson.h"
#include "store/depot/depot.h"
#include "store/depot/members.h"

#define SHARES_MS 1000 /* until shares of budgets are looked at again */
#define AWAY_MS 3000 /* PostgreSQL may be away so long without a word */
#define MAIL_AGAIN_MS 100

/* Mail: a request that came through PostgreSQL. */
struct letter {
	int64_t id;
	char *lines; /* owned; the first is the request */
};

struct shard_worker {
	struct crawler *crawler;
	struct depot *depot; /* owned */
	struct loop_timer *step; /* owned: of the depot */
	struct loop_watch *watch; /* owned; NULL: none now */
	bool wakes; /* `step` fires in this round */
	bool awaits; /* see loop_await() */
	bool told_away; /* that PostgreSQL is not there */
	struct letter *letters; /* owned: mail that is not done, in order */
	size_t letter_count, letter_cap;
	struct loop_timer *mail; /* owned: do it */
	struct host_others others;
	struct names shared; /* hosts of this shard that others want, too */
	struct loop_timer *shares; /* owned */
};

static void
worker_on_warning(void *arg, const char *line)
{
	(void)arg;
	complain("warning: PostgreSQL: %s", line);
}

static void
worker_await(struct shard_worker *worker, bool awaits)
{
	if (awaits != worker->awaits)
		loop_await(worker->crawler->loop, awaits ? 1 : -1);
	worker->awaits = awaits;
}

/* A timer that is set again in each round would never fire. */
static void
worker_wake(void *arg)
{
	struct shard_worker *worker = arg;

	if (!worker->wakes) {
		loop_timer_set(worker->step, 0);
		worker_await(worker, true);
	}
	worker->wakes = true;
}

static void
worker_unwatch(void *arg)
{
	struct shard_worker *worker = arg;

	loop_watch_free(worker->watch);
	worker->watch = NULL;
	worker_wake(worker);
}

static void
worker_on_ready(void *arg, int fd, int ready)
{
	(void)fd, (void)ready;
	worker_wake(arg);
}

/* Let the depot do what it can, and tell those who wait for COMMITs. */
static void
worker_step(void *arg)
{
	struct shard_worker *worker = arg;
	struct crawler *crawler = worker->crawler;
	struct depot *depot = worker->depot;
	bool wants_write;
	int interest, fd;

	worker->wakes = false;
	depot_step(depot);
	if (depot_away_ms(depot) == 0) {
		worker->told_away = false;
	} else if (!worker->told_away && depot_away_ms(depot) >= AWAY_MS) {
		worker->told_away = true;
		complain("warning: PostgreSQL is not there: %s; this process "
			 "waits, and what is not committed is not told",
		    depot_why(depot));
	}
	if (crawler->run != NULL)
		run_acked(crawler->run);
	frontier_service_acked(crawler->service);
	fd = depot_fd(depot, &wants_write);
	interest = LOOP_READ | (wants_write ? LOOP_WRITE : 0);
	if (worker->watch != NULL)
		loop_watch_set(worker->watch, interest);
	else if (fd >= 0)
		worker->watch = loop_watch_new(
		    crawler->loop, fd, interest, worker_on_ready, worker);
	if (!worker->wakes) {
		loop_timer_set(worker->step, depot_wait_ms(depot));
		worker_await(worker, depot_is_waiting(depot));
	}
}

static void
worker_on_mail(void *arg, int64_t id, struct slice lines)
{
	struct shard_worker *worker = arg;

	*MEM_PUSH(worker->letters, worker->letter_count,
	    worker->letter_cap) = (struct letter){id, slice_dup(lines)};
	/* its answer waits for a COMMIT, and the depot is at work now */
	loop_timer_set(worker->mail, 0);
}

/* Nobody reads the answers: say what the end of one says. */
static void
letter_take(void *arg, struct slice text)
{
	struct ndjson *end = ndjson_parse(slice_trim(text), NULL);
	struct slice why = end == NULL ? slice_of("")
				       : ndjson_text(end, "text");

	(void)arg;
	if (why.len > 0)
		complain("a request that came through PostgreSQL: %.*s",
		    (int)why.len, why.p);
	ndjson_free(end);
}

/* Do the next letter, and wait until it is durable. */
static void
worker_do_mail(void *arg)
{
	struct shard_worker *worker = arg;
	struct crawler *crawler = worker->crawler;
	struct control_peer *peer;
	struct slice text, line;

	if (worker->letter_count == 0)
		return;
	loop_timer_set(worker->mail, MAIL_AGAIN_MS);
	/* there is no service for peers while options are read again */
	if (crawler->control == NULL)
		return;
	peer = control_join(crawler->control, -1, letter_take, NULL);
	text = slice_of(worker->letters[0].lines);
	crawler->takes_mail = true;
	while (slice_cut(&text, '\n', &line)) {
		control_line(peer, line);
		crawler->takes_mail = false;
	}
	crawler->takes_mail = false;
	frontier_service_settle(crawler->service);
	control_leave(peer);
	/* without a COMMIT, the next owner does it */
	if (store_failed(crawler->store) == DIAG_OK)
		depot_mail_done(worker->depot, worker->letters[0].id);
	free(worker->letters[0].lines);
	worker->letter_count--;
	memmove(worker->letters, worker->letters + 1,
	    worker->letter_count * sizeof(*worker->letters));
	loop_timer_set(worker->mail, 0);
}

/* Hosts and budgets that shards share: see sched/host_table.h, and frontier.h.
 */

static bool
worker_has_others(void *arg, struct slice host)
{
	const struct shard_worker *worker = arg;

	return depot_home(worker->depot, host) != depot_shard(worker->depot) ||
	    names_find(&worker->shared, host) != NAMES_NONE;
}

static void
worker_ask_others(void *arg, struct slice host, int64_t delay_ms)
{
	const struct shard_worker *worker = arg;

	if (delay_ms < 0)
		depot_back(worker->depot, host);
	else
		depot_reserve(worker->depot, host, delay_ms);
}

static bool
worker_may_ask(void *arg)
{
	return depot_may_ask(((const struct shard_worker *)arg)->depot);
}

/* The hosts that this process may ask; NULL: it asks none now. */
static struct host_table *
worker_hosts(const struct shard_worker *worker)
{
	const struct crawler *crawler = worker->crawler;

	if (crawler->run != NULL)
		return run_hosts(crawler->run);
	return crawler->frontier == NULL ? NULL
					 : frontier_hosts(crawler->frontier);
}

static void
worker_on_shared(void *arg, struct slice host)
{
	struct shard_worker *worker = arg;
	struct host_table *hosts = worker_hosts(worker);

	(void)names_put(&worker->shared, host);
	if (hosts != NULL)
		host_share(hosts, host);
	else
		depot_back(worker->depot, host);
}

/* Without a host: all that was reserved may be another's. */
static void
worker_on_reserved(void *arg, struct slice host, int64_t wait_ms)
{
	struct host_table *hosts = worker_hosts(arg);

	if (hosts != NULL && host.len == 0)
		host_tidy(hosts, true);
	else if (hosts != NULL)
		host_reserved(hosts, host, wait_ms);
}

static void
worker_on_share(void *arg, const char *name, double rate)
{
	const struct crawler *crawler = ((struct shard_worker *)arg)->crawler;

	if (crawler->frontier != NULL)
		frontier_set_share(crawler->frontier, name, rate);
	if (crawler->service != NULL)
		frontier_service_wake(crawler->service);
}

static void
worker_step_shares(void *arg)
{
	struct shard_worker *worker = arg;
	struct crawler *crawler = worker->crawler;
	struct host_table *hosts = worker_hosts(worker);
	struct frontier_share share;

	if (hosts != NULL)
		host_tidy(hosts, false);
	while (crawler->frontier != NULL &&
	    frontier_next_share(
		crawler->frontier, loop_now_s(crawler->loop), &share))
		depot_share(
		    worker->depot, share.name, share.per_hour, share.wanted);
	loop_timer_set(worker->shares, SHARES_MS);
}

enum diag_code
shard_worker_open(struct crawler *crawler, struct buf *why)
{
	const struct options_store *place = &crawler->options->store;
	struct shard_worker *worker = mem_zero(sizeof(*worker));
	struct loop *loop = crawler->loop;
	char owner[MEMBER_NAME_BYTES];
	struct depot_options how = {.url = place->url,
	    .owner = owner,
	    .shard = place->shard,
	    .mail = worker_on_mail,
	    .warned = worker_on_warning,
	    .shared = worker_on_shared,
	    .reserved = worker_on_reserved,
	    .shared_out = worker_on_share,
	    .events_arg = worker,
	    .wake = worker_wake,
	    .closes = worker_unwatch,
	    .wake_arg = worker};
	enum diag_code code;
	int fd;

	*worker = (struct shard_worker){.crawler = crawler,
	    .step = loop_timer_new(loop, worker_step, worker),
	    .mail = loop_timer_new(loop, worker_do_mail, worker),
	    .shares = loop_timer_new(loop, worker_step_shares, worker),
	    .shared = {.key = network_key()},
	    .others = {.has = worker_has_others,
		.ask = worker_ask_others,
		.may_ask = worker_may_ask,
		.arg = worker}};
	crawler->worker = worker;
	crawler->others = &worker->others;
	/* The owner is this machine: the lock of the cache makes sure that only
	 * one process of it holds the shard. */
	fd = members_name(place->machine, owner);
	if (fd < 0) {
		(void)buf_print(
		    why, "cannot write beside the cache '%s'", place->path);
		return DIAG_STORE_UNUSABLE;
	}
	(void)close(fd);
	loop_timer_keep(worker->step);
	loop_timer_set(worker->step, 0);
	code = depot_open(&how, crawler->store, &worker->depot, why);
	crawler->depot = worker->depot;
	/* a store of one shard shares nothing */
	worker->others.has_shares = code == DIAG_OK &&
	    depot_shards(worker->depot) > 1;
	if (worker->others.has_shares) {
		loop_timer_set(worker->shares, SHARES_MS);
		(void)snprintf(crawler->lease_prefix,
		    sizeof(crawler->lease_prefix), "%x:", place->shard);
	}
	return code;
}

void
shard_worker_free(struct shard_worker *worker)
{
	if (worker == NULL)
		return;
	loop_watch_free(worker->watch);
	worker_await(worker, false);
	loop_timer_free(worker->step);
	loop_timer_free(worker->mail);
	loop_timer_free(worker->shares);
	names_release(&worker->shared);
	/* mail that is not done comes to the next owner */
	for (size_t i = 0; i < worker->letter_count; i++)
		free(worker->letters[i].lines);
	free(worker->letters);
	depot_free(worker->depot);
	free(worker);
}
