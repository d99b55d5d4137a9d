/*
 * A year of the whole daemon.
 *
 *	run-year [DAYS [SEED]]
 *
 * 24 times, or every four days, something happens: the daemon is killed, or
 * ends, and begins again; the clock is set wrong by an hour or by a year, or
 * right; the machine is suspended.  The same days and seed give the same log,
 * whose digest is the last word of the first line.
 */
#include "tests/scenario/year.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawler/frontier/frontier_show.h"
#include "crawler/parse/read.h"
#include "store/document.h"
#include "store/watch.h"
#include "tests/scenario/fake.h"
#include "tests/scenario/year_fetcher.h"
#include "tests/scenario/year_own.h"
#include "tests/scenario/year_world.h"

#define DAYS 365
#define DAY_S 86400
#define HOUR_S 3600
#define YEAR_S (365 * DAY_S)
#define STEPS 24 /* the least number of things that happen */
#define STEP_DAYS 4 /* the most days between two of them */
#define SUSPENDED_S (3 * DAY_S) /* the longest time */
#define MAX_SITES 16
#define MAX_DOCUMENTS 64

unsigned
year_site(struct slice url)
{
	char room[96];
	unsigned site;

	(void)snprintf(room, sizeof(room), "%.*s", (int)url.len, url.p);
	return sscanf(room, "https://s%u.example/", &site) == 1 && site < SITES
	    ? site
	    : SITES;
}

/* What the daemon reports. */

static bool
is_far(struct year *year, int64_t document_id)
{
	struct frontier_terms terms;

	return frontier_document_terms(year->frontier, document_id,
		   loop_now_s(year->options.loop), &terms) &&
	    terms.terms.is_distrusted;
}

void
year_look(struct year *year)
{
	struct asked *asked = &year->proof.asked;

	for (unsigned i = 0; i < SITES; i++)
		for (unsigned k = 0; k < DOCUMENTS; k++) {
			int64_t id = asked_late(asked, i, k);

			if (id != 0 && is_far(year, id))
				asked_far(asked, i, k);
		}
}

static void
on_event(void *arg, const struct daemon_event *event)
{
	struct year *year = arg;
	const char *why = event->why == NULL ? "" : event->why;
	struct heard heard;

	(void)buf_print(fake_log(), "event %d %" PRId64 " %.*s %s\n",
	    (int)event->kind, fake_elapsed_s(), (int)event->url.len,
	    event->url.p == NULL ? "" : event->url.p, why);
	if (event->kind == DAEMON_CLOCK)
		year->proof.jumps++;
	if (event->kind != DAEMON_DOCUMENT)
		return;
	year->proof.readings++;
	/* The requests of the log come before their answers. */
	proof_drain(&year->proof);
	heard.is_good = event->reading->outcome == OUTCOME_UNCHANGED ||
	    (event->reading->outcome == OUTCOME_READ &&
		event->reading->content.is_complete);
	heard.document_id = event->reading->document_id;
	heard.is_whole = strcmp(why, "crawl") == 0;
	heard.is_owed = strcmp(why, "owed") == 0;
	asked_heard(&year->proof, event->url, &heard);
	if (strcmp(why, "crawl") != 0 && strcmp(why, "robots") != 0)
		asked_spend(&year->proof, year_site(event->url));
}

static void
on_nothing(void *arg)
{
	(void)arg;
}

static void
before_commit(void *arg)
{
	const struct year *year = arg;

	if (year->daemon != NULL)
		frontier_save(year->frontier);
}

static const struct site_rules *
rules_of(void *arg, struct slice host)
{
	(void)host;
	return arg;
}

/* A life of the daemon. */

static void
begin_driver(struct year *year)
{
	struct readers_options readers = {.job_wall_ms = 60000,
	    .jobs_each = 256,
	    .max_result_bytes = 64 << 20};
	struct fetcher_options how = fetcher_defaults;
	struct run_options *options = &year->options;

	options->policy = policy_new();
	options->spool = spool_new(NULL);
	options->fetcher = fetcher_new(options->loop, &how);
	options->readers = readers_new(options->loop, NULL, &readers);
	year->run = run_new(options);
}

static bool
open_store(struct year *year)
{
	struct store_options where = {.path = year->path, .is_scratch = true};
	struct buf why;
	bool is_open;

	buf_init(&why, SIZE_MAX);
	is_open = store_open(&where, &year->options.store, &why) == DIAG_OK;
	if (!is_open)
		(void)printf("no store: %s\n", buf_str(&why));
	buf_release(&why);
	return is_open;
}

static void
begin(struct year *year)
{
	struct daemon_options daemon = {.loop = year->options.loop,
	    .store = year->options.store,
	    .max_sites = MAX_SITES,
	    .max_documents = MAX_DOCUMENTS,
	    .counts = &year->counts,
	    .event = on_event,
	    .synced = on_nothing,
	    .over = on_nothing,
	    .arg = year};

	begin_driver(year);
	year->counter.store = year->options.store;
	year->counter.hosts = run_hosts(year->run);
	year->frontier = frontier_new(
	    &year->counter, loop_now_s(year->options.loop));
	daemon.run = year->run;
	daemon.frontier = year->frontier;
	year->daemon = daemon_new(&daemon);
	fetchers_open(year);
	own_open(year);
	year->proof.lives++;
}

/* Of a daemon that is killed, only what is committed stays. */
static void
end(struct year *year)
{
	/* its pages are stored, and their hosts' delays tell whether that is
	 * in time; what others have out is lost */
	own_close(year);
	if (year->is_killed) {
		fetchers_say(year, false);
		frontier_save(year->frontier);
	}
	fetchers_close(year);
	daemon_free(year->daemon);
	year->daemon = NULL;
	fetcher_free(year->options.fetcher);
	readers_free(year->options.readers);
	frontier_free(year->frontier);
	run_free(year->run);
	spool_free(year->options.spool);
	policy_free(year->options.policy);
	store_close(year->options.store);
	year->options.store = NULL;
}

/* What happens to the daemon. */

/* The clock becomes wrong by an hour or by a year, or right; it changes
 * always. */
static void
set_clock(struct year *year)
{
	static const int64_t wrong_s[] = {0, HOUR_S, -HOUR_S, YEAR_S, -YEAR_S};
	int64_t by_s;

	do
		by_s = wrong_s[random_below(&year->random, 5)] - year->wrong_s;
	while (by_s == 0);
	year->wrong_s += by_s;
	fake_jump(by_s);
	asked_clock(&year->proof, by_s);
}

static void
restart(struct year *year, bool is_killed)
{
	year->is_killed = is_killed;
	if (is_killed) {
		loop_stop(year->options.loop);
		return;
	}
	daemon_stop(year->daemon);
	run_stop(year->run);
}

static void
plan(struct year *year)
{
	int64_t step_s = year->span_s / STEPS < STEP_DAYS * DAY_S
	    ? year->span_s / STEPS
	    : STEP_DAYS * DAY_S;

	loop_timer_set(year->fate,
	    (int64_t)(random_unit(&year->random) * 2000 * (double)step_s) + 1);
}

static void
suspend(struct year *year)
{
	int64_t for_s = random_below(&year->random, SUSPENDED_S);

	fake_suspend(for_s);
	year->proof.asked.slept_s += for_s;
}

static void
befall(void *arg)
{
	struct year *year = arg;

	plan(year);
	switch (random_below(&year->random, 6)) {
	case 0:
	case 1:
		set_clock(year);
		break;
	case 2:
		suspend(year);
		break;
	case 3:
		restart(year, false);
		break;
	default:
		restart(year, true);
		break;
	}
}

static void
on_day(void *arg)
{
	struct year *year = arg;

	loop_timer_set(year->timer, (int64_t)DAY_S * 1000);
	proof_day(year);
	own_day(year);
	if (fake_elapsed_s() < year->span_s)
		return;
	year->is_over = true;
	restart(year, false);
}

/* The beginning and the end. */

static void
fill_list(struct year *year)
{
	struct store *store = year->options.store;

	for (unsigned i = 0; i < SITES; i++) {
		struct watch watch;
		char host[32], target[48];

		(void)snprintf(host, sizeof(host), "s%u.example", i);
		(void)snprintf(target, sizeof(target), "https://%s/", host);
		watch = (struct watch)WATCH_DEFAULTS;
		watch.site_id = store_site(store, slice_of(host));
		watch.added_s = BEGIN_S;
		watch.every_least_s = LEAST_S;
		watch.every_most_s = MOST_S;
		watch.page_least_s = 3 * DAY_S;
		watch.page_most_s = 30 * DAY_S;
		watch.requests_per_hour = world_per_hour(i);
		strings_add(&watch.targets, slice_of(target));
		store_watch_put(store, &watch);
		watch_release(&watch);
	}
	(void)store_flush(store);
}

static void
set_up(struct year *year, const struct string_set *own)
{
	year->rules = (struct site_rules){
	    .profile = profile_default(PROFILE_GOOGLE),
	    .own = own,
	    .has_delay = true,
	    .delay_ms = DELAY_MS,
	    .max_urls = 10000,
	    .max_bytes = 1 << 20,
	    .max_children = 10,
	    .max_drop = 100};
	year->options = (struct run_options){.loop = loop_new(),
	    .rules = rules_of,
	    .rules_arg = &year->rules,
	    .hash_key = 7,
	    .max_backlog = 8,
	    .before_commit = before_commit,
	    .before_commit_arg = year};
	year->counter = (struct frontier_options){.rules = rules_of,
	    .rules_arg = &year->rules,
	    .hash_key = 7,
	    .reads_documents = true,
	    .burst_ms = BURST_MS};
	year->timer = loop_timer_new(year->options.loop, on_day, year);
	year->fate = loop_timer_new(year->options.loop, befall, year);
	loop_timer_set(year->timer, (int64_t)DAY_S * 1000);
	plan(year);
	proof_begin(&year->proof);
	fetchers_begin(year);
	fake_serve_by(world_answer);
}

static void
live(struct year *year)
{
	fill_list(year);
	for (;;) {
		begin(year);
		loop_run(year->options.loop);
		proof_drain(&year->proof);
		if (year->is_over)
			return;
		end(year);
		int64_t back_s = fake_restart();

		if (back_s > 0) {
			fetchers_shift(year, back_s);
			asked_clock(&year->proof, -back_s);
		}
		if (!open_store(year)) {
			proof_fail(&year->proof, "cannot be opened again",
			    slice_of("the store"));
			return;
		}
		proof_life(year);
		asked_clock(&year->proof, 0);
	}
}

int
main(int argc, char **argv)
{
	static struct year year;
	char path[] = "/tmp/freshet-year-XXXXXX";
	char lock[sizeof(path) + 8];
	struct string_set own = {0};
	int fd = mkstemp(path);
	int64_t days = argc > 1 ? strtoll(argv[1], NULL, 10) : DAYS;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	/* a library that is in use goes on counting its memory: see used() */
	(void)sqlite3_initialize();
	read_warm();
	year.path = path;
	year.span_s = days * DAY_S;
	if (fd < 0 || days < 1)
		return 1;
	world_begin(seed, year.span_s);
	random_init(&year.fetchers.random, seed, 2);
	random_init(&year.random, seed, 3);
	set_up(&year, &own);
	if (!open_store(&year))
		return 1;
	live(&year);
	if (year.options.store != NULL) {
		proof_end(&year);
		end(&year);
	}
	fetchers_release(&year);
	loop_timer_free(year.timer);
	loop_timer_free(year.fate);
	loop_free(year.options.loop);
	fake_forget();
	(void)close(fd);
	(void)unlink(path);
	(void)snprintf(lock, sizeof(lock), "%s.lock", path);
	(void)unlink(lock);
	return year.proof.faults != 0;
}
