/* Opening and closing a crawler, and how its crawls end. */
#include "crawler/control/crawler.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/mem.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/scratch.h"
#include "crawler/event/stop_signals.h"
#include "crawler/frontier/frontier_lines.h"
#include "crawler/sandbox/sandbox.h"
#include "store/aside.h"
#include "store/depot/depot.h"
#include "store/depot/members.h"
#include "store/url_hashes.h"

#define SCRATCH_FREE_BYTES (16ull << 20) /* disk space that must stay free */
#define SHARES_MS 1000 /* until shares of budgets are looked at again */
#define AWAY_MS 3000 /* PostgreSQL may be away so long without a word */
#define MAIL_AGAIN_MS 100
#define MAX_READERS 8
#define MAX_BACKLOG 256 /* bodies that wait for readers */
#define JOBS_EACH 256 /* documents until a reader is replaced */
/* The reading of one document, as a reader sends it. */
#define MAX_RESULT_BYTES (64ull << 20)

bool
crawler_finds_store(const char *path)
{
	if (access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR))
		return true;
	complain("there is no store '%s'; 'freshet crawl' makes one", path);
	return false;
}

static void
crawler_on_warning(void *arg, const char *line)
{
	(void)arg;
	complain("warning: PostgreSQL: %s", line);
}

static void
crawler_await_depot(struct crawler *crawler, bool awaits)
{
	/* a command that was refused has no loop */
	if (awaits != crawler->awaits_depot)
		loop_await(crawler->loop, awaits ? 1 : -1);
	crawler->awaits_depot = awaits;
}

/* A timer that is set again in each round would never fire. */
static void
crawler_wake_depot(void *arg)
{
	struct crawler *crawler = arg;

	if (!crawler->wakes_depot && crawler->depot_timer != NULL) {
		loop_timer_set(crawler->depot_timer, 0);
		crawler_await_depot(crawler, true);
	}
	crawler->wakes_depot = true;
}

static void
crawler_unwatch_depot(void *arg)
{
	struct crawler *crawler = arg;

	loop_watch_free(crawler->depot_watch);
	crawler->depot_watch = NULL;
	crawler_wake_depot(crawler);
}

static void
crawler_on_depot(void *arg, int fd, int ready)
{
	(void)fd, (void)ready;
	crawler_wake_depot(arg);
}

/* Mail: requests that came through PostgreSQL. */

struct letter {
	struct letter *next;
	int64_t id;
	struct buf lines; /* the first is the request */
};

static void
crawler_on_mail(void *arg, int64_t id, struct slice lines)
{
	struct crawler *crawler = arg;
	struct letter **at = &crawler->letters;

	while (*at != NULL)
		at = &(*at)->next;
	*at = mem_zero(sizeof(**at));
	(*at)->id = id;
	buf_init(&(*at)->lines, SIZE_MAX);
	(void)buf_put_slice(&(*at)->lines, lines);
	/* its answer waits for a COMMIT, and the depot is at work now */
	loop_timer_set(crawler->mail, 0);
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
crawler_do_mail(void *arg)
{
	struct crawler *crawler = arg;
	struct letter *letter = crawler->letters;
	struct control_peer *peer;
	struct slice text, line;

	if (letter == NULL)
		return;
	loop_timer_set(crawler->mail, MAIL_AGAIN_MS);
	/* there is no service for peers while options are read again */
	if (crawler->control == NULL)
		return;
	peer = control_join(crawler->control, -1, letter_take, NULL);
	text = buf_text(&letter->lines);
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
		depot_mail_done(crawler->depot, letter->id);
	crawler->letters = letter->next;
	buf_release(&letter->lines);
	free(letter);
	loop_timer_set(crawler->mail, 0);
}

/* Let the depot do what it can, and tell those who wait for COMMITs. */
static void
crawler_step_depot(void *arg)
{
	struct crawler *crawler = arg;
	bool wants_write;
	int interest, fd;

	crawler->wakes_depot = false;
	depot_step(crawler->depot);
	if (depot_away_ms(crawler->depot) == 0) {
		crawler->told_away = false;
	} else if (!crawler->told_away &&
	    depot_away_ms(crawler->depot) >= AWAY_MS) {
		crawler->told_away = true;
		complain("warning: PostgreSQL is not there: %s; this process "
			 "waits, and what is not committed is not told",
		    depot_why(crawler->depot));
	}
	if (crawler->run != NULL)
		run_acked(crawler->run);
	frontier_service_acked(crawler->service);
	fd = depot_fd(crawler->depot, &wants_write);
	interest = LOOP_READ | (wants_write ? LOOP_WRITE : 0);
	if (crawler->depot_watch != NULL)
		loop_watch_set(crawler->depot_watch, interest);
	else if (fd >= 0)
		crawler->depot_watch = loop_watch_new(
		    crawler->loop, fd, interest, crawler_on_depot, crawler);
	if (!crawler->wakes_depot) {
		loop_timer_set(
		    crawler->depot_timer, depot_wait_ms(crawler->depot));
		crawler_await_depot(crawler, depot_is_waiting(crawler->depot));
	}
}

/* Hosts and budgets that shards share: see sched/host_table.h, and frontier.h.
 */

static bool
crawler_has_others(void *arg, struct slice host)
{
	const struct crawler *crawler = arg;

	return depot_home(crawler->depot, host) !=
	    depot_shard(crawler->depot) ||
	    names_find(&crawler->shared, host) != NAMES_NONE;
}

static void
crawler_ask_others(void *arg, struct slice host, int64_t delay_ms)
{
	const struct crawler *crawler = arg;

	if (delay_ms < 0)
		depot_back(crawler->depot, host);
	else
		depot_reserve(crawler->depot, host, delay_ms);
}

static bool
crawler_may_ask(void *arg)
{
	return depot_may_ask(((const struct crawler *)arg)->depot);
}

/* The hosts that this process may ask; NULL: it asks none now. */
static struct host_table *
crawler_hosts(const struct crawler *crawler)
{
	if (crawler->run != NULL)
		return run_hosts(crawler->run);
	return crawler->frontier == NULL ? NULL
					 : frontier_hosts(crawler->frontier);
}

static void
crawler_on_shared(void *arg, struct slice host)
{
	struct crawler *crawler = arg;

	(void)names_put(&crawler->shared, host);
	if (crawler_hosts(crawler) != NULL)
		host_share(crawler_hosts(crawler), host);
	else
		depot_back(crawler->depot, host);
}

/* Without a host: all that was reserved may be another's. */
static void
crawler_on_reserved(void *arg, struct slice host, int64_t wait_ms)
{
	struct host_table *hosts = crawler_hosts(arg);

	if (hosts != NULL && host.len == 0)
		host_tidy(hosts, true);
	else if (hosts != NULL)
		host_reserved(hosts, host, wait_ms);
}

static void
crawler_on_share(void *arg, const char *name, double rate)
{
	struct crawler *crawler = arg;

	if (crawler->frontier != NULL)
		frontier_set_share(crawler->frontier, name, rate);
	if (crawler->service != NULL)
		frontier_service_wake(crawler->service);
}

static void
crawler_step_shares(void *arg)
{
	struct crawler *crawler = arg;
	struct frontier_share share;

	if (crawler_hosts(crawler) != NULL)
		host_tidy(crawler_hosts(crawler), false);
	while (crawler->frontier != NULL &&
	    frontier_next_share(
		crawler->frontier, loop_now_s(crawler->loop), &share))
		depot_share(
		    crawler->depot, share.name, share.per_hour, share.wanted);
	loop_timer_set(crawler->shares_timer, SHARES_MS);
}

/* The store is the cache of a shard in PostgreSQL: take the shard and fill the
 * cache. */
static enum diag_code
crawler_open_depot(struct crawler *crawler, struct buf *why)
{
	const struct options_store *place = &crawler->options->store;
	char owner[MEMBER_NAME_BYTES];
	struct depot_options how = {.url = place->url,
	    .owner = owner,
	    .shard = place->shard,
	    .mail = crawler_on_mail,
	    .warned = crawler_on_warning,
	    .shared = crawler_on_shared,
	    .reserved = crawler_on_reserved,
	    .shared_out = crawler_on_share,
	    .events_arg = crawler,
	    .wake = crawler_wake_depot,
	    .closes = crawler_unwatch_depot,
	    .wake_arg = crawler};
	enum diag_code code;
	int fd;

	/* The owner is this machine: the lock of the cache makes sure that only
	 * one process of it holds the shard. */
	fd = members_name(place->machine, owner);
	if (fd < 0) {
		(void)buf_print(
		    why, "cannot write beside the cache '%s'", place->path);
		return DIAG_STORE_UNUSABLE;
	}
	(void)close(fd);
	crawler->depot_timer = loop_timer_new(
	    crawler->loop, crawler_step_depot, crawler);
	loop_timer_keep(crawler->depot_timer);
	loop_timer_set(crawler->depot_timer, 0);
	crawler->mail = loop_timer_new(crawler->loop, crawler_do_mail, crawler);
	code = depot_open(&how, crawler->store, &crawler->depot, why);
	crawler->shared = (struct names){.key = network_key()};
	crawler->others = (struct host_others){.has = crawler_has_others,
	    .ask = crawler_ask_others,
	    .may_ask = crawler_may_ask,
	    .has_shares = code == DIAG_OK && depot_shards(crawler->depot) > 1,
	    .arg = crawler};
	crawler->shares_timer = loop_timer_new(
	    crawler->loop, crawler_step_shares, crawler);
	/* a store of one shard shares nothing */
	if (crawler->others.has_shares)
		loop_timer_set(crawler->shares_timer, SHARES_MS);
	crawler->is_elsewhere = code == DIAG_STORE_LOCKED;
	if (code == DIAG_OK && depot_shards(crawler->depot) > 1)
		(void)snprintf(crawler->lease_prefix,
		    sizeof(crawler->lease_prefix), "%x:", place->shard);
	return code;
}

static int
crawler_open_store(struct crawler *crawler, struct buf *why)
{
	const struct options *command = crawler->options;
	struct store_options options = {.path = command->store.path,
	    .is_scratch = crawler->is_scratch,
	    .is_cache = !crawler->is_scratch && command->store.url != NULL,
	    .min_free_bytes = crawler->is_scratch ? SCRATCH_FREE_BYTES
						  : command->limits.free_bytes};
	enum diag_code code;
	struct buf aside;

	crawler->is_elsewhere = false;
	if (!crawler->makes_store && !crawler->is_scratch &&
	    command->store.url == NULL &&
	    !crawler_finds_store(command->store.path))
		return EXIT_USAGE;
	if (command->store.is_default && !options_make_folder(command))
		return EXIT_USAGE;
	code = store_open(&options, &crawler->store, why);
	/* A crash of the machine may have damaged a cache, of which nothing is
	 * needed. */
	if (code == DIAG_STORE_DAMAGED && options.is_cache) {
		static const char *const endings[] = {"", "-wal", "-shm"};

		for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]);
		     i++) {
			buf_init(&aside, SIZE_MAX);
			(void)buf_print(
			    &aside, "%s%s", options.path, endings[i]);
			(void)unlink(buf_str(&aside));
			buf_release(&aside);
		}
		buf_clear(why);
		code = store_open(&options, &crawler->store, why);
	}
	if (code == DIAG_OK && options.is_cache)
		code = crawler_open_depot(crawler, why);
	if (code == DIAG_OK && !crawler->is_scratch) {
		buf_init(&aside, SIZE_MAX);
		aside_begin(crawler->store, command->store.path, command->now_s,
		    &aside);
		if (aside.len > 0)
			complain("warning: %s", buf_str(&aside));
		buf_release(&aside);
	}
	if (code != DIAG_OK && code != DIAG_STORE_LOCKED)
		complain("%s: %s", diag_name(code), buf_str(why));
	return exit_of_store(code);
}

/* reader_count(&options->readers): a reader for each processor, unless the
 * options say another number. */
static unsigned
reader_count(const struct options_readers *readers)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (readers->has_count)
		return readers->count;
	if (processors < 1)
		return 1;
	return processors > MAX_READERS ? MAX_READERS : (unsigned)processors;
}

const char *
crawler_sandbox(const struct options_readers *readers)
{
	/* Without processes there is nothing that could be locked in. */
	if (reader_count(readers) == 0)
		return "in-process";
	if (readers->sandbox == SANDBOX_OFF)
		return "off";
	return sandbox_is_supported() ? "jailed" : "unsupported";
}

static int
hashes_file(void)
{
	return scratch_fd(NULL);
}

int
crawler_open_run(struct crawler *crawler, struct forkserver *forkserver)
{
	struct readers_options readers = {
	    .count = reader_count(&crawler->options->readers),
	    .job_wall_ms = (uint32_t)crawler->options->limits.reader_time_ms,
	    .jobs_each = JOBS_EACH,
	    .isolation = crawler->options->readers.isolation,
	    .max_result_bytes = MAX_RESULT_BYTES};
	struct run_options how;
	int status;

	crawler->watch_rules = (struct watch_rules){
	    .options = crawler->options, .store = crawler->store};
	if (crawler->has_no_driver)
		return EXIT_DONE;
	if (crawler->files != NULL)
		crawler->local = local_new(crawler->loop, crawler->files);
	crawler->spool = spool_new(NULL);
	crawler->readers = readers_new(crawler->loop, forkserver, &readers);
	status = network_open(
	    &crawler->network, crawler->loop, &crawler->options->network);
	if (status != EXIT_DONE)
		return status;
	how = (struct run_options){.loop = crawler->loop,
	    .store = crawler->store,
	    .fetcher = crawler->network.fetcher,
	    .local = crawler->local,
	    .checks = crawler->checks,
	    .is_scratch = crawler->is_scratch,
	    .is_scan_off = crawler->options->readers.parser == PARSER_LIBXML2,
	    .policy = crawler->network.policy,
	    .spool = crawler->spool,
	    .readers = crawler->readers,
	    .rules = watch_rules_of,
	    .rules_arg = &crawler->watch_rules,
	    .others = crawler->depot == NULL ? NULL : &crawler->others,
	    .body = crawler->body,
	    .body_arg = crawler->hooks_arg,
	    .before_commit = crawler->before_commit,
	    .before_commit_arg = crawler->hooks_arg,
	    .agent = crawler->agent,
	    .hash_key = network_key(),
	    .max_store_bytes = crawler->is_scratch
		? 0
		: crawler->options->limits.store_bytes,
	    .max_backlog = MAX_BACKLOG};

	crawler->run = run_new(&how);
	return EXIT_DONE;
}

int
crawler_open(
    struct crawler *crawler, struct forkserver *forkserver, struct buf *why)
{
	int status = EXIT_DONE;

	/* The policy comes first: a wrong address must not make a store. */
	if (!crawler->has_no_driver)
		status = network_policy(
		    &crawler->network, &crawler->options->network);
	if (status != EXIT_DONE)
		return status;
	if (crawler->loop == NULL) {
		crawler->loop = loop_new();
		crawler->owns_loop = true;
	}
	status = crawler_open_store(crawler, why);
	if (status != EXIT_DONE)
		return status;
	/* Once: a configuration that is read again changes the run alone. */
	store_keep_hashes(crawler->store, hashes_file);
	return crawler_open_run(crawler, forkserver);
}

/* The order matters: requests and readers end before the driver that they
 * report to, and the spool goes last, since all of them hold bodies in it. */
void
crawler_close_run(struct crawler *crawler)
{
	/* What is committed and not durable yet calls back the driver. */
	if (crawler->store != NULL)
		(void)store_await(crawler->store);
	frontier_service_free(crawler->service);
	crawler->service = NULL;
	frontier_free(crawler->frontier);
	crawler->frontier = NULL;
	network_release(&crawler->network);
	readers_free(crawler->readers);
	crawler->readers = NULL;
	run_free(crawler->run);
	crawler->run = NULL;
	watch_rules_release(&crawler->watch_rules);
	local_free(crawler->local);
	crawler->local = NULL;
	spool_free(crawler->spool);
	crawler->spool = NULL;
}

void
crawler_close(struct crawler *crawler)
{
	/* Clients still get the answers that wait for a COMMIT, and what was
	 * read for them is kept. */
	at_work_begin(NULL, NULL);
	frontier_service_settle(crawler->service);
	if (crawler->run != NULL && !crawler->is_scratch)
		run_stop(crawler->run);
	/* The socket goes before the store: who connects now is not answered,
	 * and looks for the next owner. */
	control_free(crawler->control);
	crawler->control = NULL;
	progress_free(crawler->progress);
	crawler->progress = NULL;
	crawler_close_run(crawler);
	loop_watch_free(crawler->depot_watch);
	crawler->depot_watch = NULL;
	loop_timer_free(crawler->depot_timer);
	crawler->depot_timer = NULL;
	loop_timer_free(crawler->shares_timer);
	crawler->shares_timer = NULL;
	names_release(&crawler->shared);
	crawler_await_depot(crawler, false);
	/* mail that is not done comes to the next owner */
	loop_timer_free(crawler->mail);
	crawler->mail = NULL;
	while (crawler->letters != NULL) {
		struct letter *letter = crawler->letters;

		crawler->letters = letter->next;
		buf_release(&letter->lines);
		free(letter);
	}
	depot_close(crawler->depot);
	store_close(crawler->store);
	crawler->store = NULL;
	depot_free(crawler->depot);
	crawler->depot = NULL;
	stop_signals_free(crawler->signals);
	crawler->signals = NULL;
	if (crawler->owns_loop)
		loop_free(crawler->loop);
}

bool
crawler_commit(struct crawler *crawler, struct control_peer *peer,
    struct slice answer, int status, struct slice why)
{
	struct buf trouble;
	bool is_good;

	/* A driver commits by itself: its tasks wait for the COMMIT. */
	if (crawler->run == NULL && crawler->frontier != NULL)
		frontier_save(crawler->frontier);
	is_good = crawler->run != NULL
	    ? run_commit(crawler->run)
	    : store_flush(crawler->store) == DIAG_OK &&
		store_await(crawler->store) == DIAG_OK;
	buf_init(&trouble, SIZE_MAX);
	if (is_good) {
		control_send(peer, answer);
	} else {
		status = exit_of_store(store_failed(crawler->store));
		store_complaint(
		    &trouble, crawler->store, store_failed(crawler->store));
		why = buf_text(&trouble);
	}
	control_end(peer, status, why);
	buf_release(&trouble);
	return is_good;
}

struct crawl_options
crawler_request(const struct crawler *crawler)
{
	const struct options *options = crawler->options;

	return (struct crawl_options){.max_urls = options->limits.urls > 0
		? options->limits.urls
		: UINT64_MAX,
	    .is_forced = options->is_forced};
}

void
crawler_readers_trouble(int error, struct buf *out)
{
	char room[128];

	if (error == 0)
		(void)buf_print(out,
		    "the process that starts readers died again and again: "
		    "please report how; the last commit is intact, run the "
		    "same command to resume");
	else
		(void)buf_print(out,
		    "no reader can be started: %s; the last commit is intact, "
		    "run the same command to resume",
		    strerror_r(error, room, sizeof(room)));
}

bool
crawler_trouble(const struct crawler *crawler, struct buf *out)
{
	char room[128];
	int error;
	enum diag_code fatal = run_failure(crawler->run, &error);
	const char *why = strerror_r(error, room, sizeof(room));

	if (fatal == DIAG_READER_CRASHED)
		crawler_readers_trouble(error, out);
	else if (error == EMFILE || error == ENFILE)
		(void)buf_print(out,
		    "no descriptor is left for a body: %s; see 'ulimit -n'",
		    why);
	else if (error != 0)
		(void)buf_print(out,
		    "no room for a body in the folder for temporary files: %s",
		    why);
	else if (fatal != DIAG_OK) {
		store_complaint(out, crawler->store, fatal);
		if (depot_why(crawler->depot)[0] != '\0')
			(void)buf_print(
			    out, "; PostgreSQL: %s", depot_why(crawler->depot));
	}
	return fatal != DIAG_OK || error != 0;
}

bool
crawler_complain(const struct crawler *crawler)
{
	bool has_failed;
	struct buf why;

	buf_init(&why, SIZE_MAX);
	has_failed = crawler_trouble(crawler, &why);
	if (has_failed)
		complain("%s", buf_str(&why));
	buf_release(&why);
	return has_failed;
}

int
crawler_status(const struct crawler *crawler, const struct run_totals *totals)
{
	int error;
	enum diag_code fatal = run_failure(crawler->run, &error);

	if (fatal == DIAG_READER_CRASHED)
		return error == 0 ? EXIT_BUG : EXIT_RESOURCES;
	if (error == EMFILE || error == ENFILE)
		return EXIT_RESOURCES;
	if (fatal != DIAG_OK)
		return exit_of_store(fatal);
	if (totals->codes[DIAG_STORE_DAMAGED] > 0)
		return EXIT_DAMAGED;
	if (crawler->stopped_by != 0)
		return 128 + crawler->stopped_by;
	/* A budget may have been used up before the first request. */
	if (totals->is_over_budget &&
	    totals->failed + totals->refused + totals->lost_targets == 0)
		return EXIT_BUDGET;
	if (totals->read + totals->unchanged + totals->already == 0)
		return EXIT_NO_TARGET;
	if (totals->is_over_budget)
		return EXIT_BUDGET;
	if (totals->failed + totals->refused + totals->partial +
		totals->lost_targets + totals->refused_children >
	    0)
		return EXIT_FINDINGS;
	return EXIT_DONE;
}
