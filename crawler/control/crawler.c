/* Opening and closing a crawler, and how its crawls end. */
#include "crawler/control/crawler.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/at_work.h"
#include "base/target.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/control/past_keeper.h"
#include "crawler/control/served.h"
#include "crawler/control/shard_worker.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "crawler/event/stop_signals.h"
#include "crawler/sandbox/sandbox.h"
#include "store/aside.h"
#include "store/depot/depot.h"
#include "store/document.h"
#include "store/url_hashes.h"
#include "store/watch.h"

#define SCRATCH_FREE_BYTES (16ull << 20) /* disk space that must stay free */
#define READINGS_MS 500 /* poll_ms of the frontier's service */
#define BURST_MS 300000 /* half of the lease that `due` asks for */
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
	return refuse(
	    "there is no store '%s'; 'freshet crawl' makes one", path);
}

/* Close the store, and the shard of which it is the cache. */
static void
crawler_close_store(struct crawler *crawler)
{
	depot_close(crawler->depot);
	store_close(crawler->store);
	crawler->store = NULL;
	shard_worker_free(crawler->worker);
	crawler->worker = NULL;
	crawler->depot = NULL;
	crawler->others = NULL;
}

static enum diag_code
crawler_open_file(struct crawler *crawler, const struct store_options *options,
    struct buf *why)
{
	enum diag_code code = store_open(options, &crawler->store, why);

	if (code == DIAG_OK && options->is_cache) {
		code = shard_worker_open(crawler, why);
		crawler->is_elsewhere = code == DIAG_STORE_LOCKED;
	}
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
	struct buf aside = {0};

	crawler->is_elsewhere = false;
	if (!crawler->makes_store && !crawler->is_scratch &&
	    command->store.url == NULL &&
	    !crawler_finds_store(command->store.path))
		return EXIT_USAGE;
	if (command->store.is_default && !options_make_folder(command))
		return EXIT_USAGE;
	code = crawler_open_file(crawler, &options, why);
	/* A crash of the machine may have damaged a cache, of which nothing is
	 * needed; that may be seen only when it is filled. */
	if (code == DIAG_STORE_DAMAGED && options.is_cache) {
		static const char *const endings[] = {"", "-wal", "-shm"};

		crawler_close_store(crawler);
		for (size_t i = 0; i < LENGTH(endings); i++) {
			(void)buf_print(
			    &aside, "%s%s", options.path, endings[i]);
			(void)unlink(buf_str(&aside));
			buf_release(&aside);
		}
		buf_clear(why);
		code = crawler_open_file(crawler, &options, why);
	}
	if (code == DIAG_OK && !crawler->is_scratch) {
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
	unsigned processors = (unsigned)get_nprocs();

	if (readers->has_count)
		return readers->count;
	return processors > MAX_READERS ? MAX_READERS : processors;
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

/* Robots.txt and sitemaps are read, also if they cannot be archived: one line
 * says so, until they can be again. */
static void
crawler_note_archive(struct crawler *crawler, bool is_good)
{
	if (!is_good && !crawler->is_archive_failing)
		complain("warning: %s; what is read now is not archived",
		    archive_error(crawler->archive));
	crawler->is_archive_failing = !is_good;
}

static void
crawler_archive(void *arg, const struct page_exchange *exchange)
{
	struct crawler *crawler = arg;
	struct archive_exchange put = {.url = exchange->url,
	    .at_us = exchange->at_us,
	    .result = exchange->result,
	    .body = exchange->body};
	struct archive_place place;

	/* a file of this machine is no answer of a server */
	if (exchange->result->request_head.len > 0)
		crawler_note_archive(
		    crawler, archive_put(crawler->archive, &put, &place));
}

static void
crawler_before_commit(void *arg)
{
	struct crawler *crawler = arg;

	if (crawler->archive != NULL && archive_unsynced(crawler->archive) > 0)
		crawler_note_archive(crawler, archive_sync(crawler->archive));
	if (crawler->before_commit != NULL)
		crawler->before_commit(crawler->hooks_arg);
}

struct archive_about
crawler_about(const struct crawler *crawler)
{
	return (struct archive_about){.software = "freshet/" FRESHET_VERSION,
	    .user_agent = (const char *)crawler->network.agent.p,
	    .robots = "obey"};
}

int
crawler_identity(
    const struct options *options, int64_t now_s, struct identity **identity)
{
	const struct site_table *sites = &options->config.sites;
	const char *folder = options->identity.folder;
	struct buf why = BUF_UP_TO(SIZE_MAX);
	enum diag_code code = folder == NULL
	    ? DIAG_OK
	    : identity_open(identity, folder, now_s, &why);
	bool is_always = sites->rules.sign == SIGN_ALWAYS;

	for (size_t i = 0; i < sites->count; i++)
		is_always |= sites->items[i].rules.sign == SIGN_ALWAYS;
	if (folder == NULL && is_always)
		return complain_with(EXIT_USAGE,
		    "sign is always, and there is no identity to sign with: "
		    "make a key with 'freshet identity new', and set identity");
	if (code != DIAG_OK)
		complain("%s: %s", diag_name(code), buf_str(&why));
	buf_release(&why);
	return code == DIAG_OK ? EXIT_DONE : EXIT_USAGE;
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
	status = crawler_identity(
	    crawler->options, loop_wall_s(crawler->loop), &crawler->identity);
	crawler->signer = (struct signer){crawler->identity,
	    crawler->options->identity.agent, crawler->store};
	if (status != EXIT_DONE || crawler->has_no_driver)
		return status;
	if (crawler->files != NULL)
		crawler->local = local_new(crawler->loop, crawler->files);
	crawler->spool = spool_new(NULL);
	crawler->readers = readers_new(crawler->loop, forkserver, &readers);
	status = network_open(
	    &crawler->network, crawler->loop, &crawler->options->network);
	if (status != EXIT_DONE)
		return status;
	if (crawler->options->fetch.archives_documents) {
		struct archive_about about = crawler_about(crawler);
		char why[256] = "";

		crawler->archive = archive_open(
		    crawler->options->fetch.warc, ARCHIVE_WARC, &about, why);
		if (crawler->archive == NULL)
			return complain_with(EXIT_DISK, "%s", why);
	}
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
	    .others = crawler->others,
	    .signer = crawler->signer,
	    .body = crawler->body,
	    .body_arg = crawler->hooks_arg,
	    .exchange = crawler->archive == NULL ? NULL : crawler_archive,
	    .exchange_arg = crawler,
	    .before_commit = crawler_before_commit,
	    .before_commit_arg = crawler,
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
	/* A cache is a copy of what a database has, which computes nothing. */
	if (crawler->depot == NULL && !crawler->is_scratch)
		crawler->last_id = store_number(
		    crawler->store, STORE_LAST_READING, 0, 0);
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
	archive_close(crawler->archive);
	crawler->archive = NULL;
	watch_rules_release(&crawler->watch_rules);
	identity_free(crawler->identity);
	crawler->identity = NULL;
	local_free(crawler->local);
	crawler->local = NULL;
	spool_free(crawler->spool);
	crawler->spool = NULL;
}

void
crawler_close(struct crawler *crawler)
{
	struct stop_signals_was was;

	/* Clients still get the answers that wait for a COMMIT, and what was
	 * read for them is kept. */
	at_work_begin(NULL, NULL);
	served_settle(crawler->served);
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
	/* Who looks at these sites need not wait.  Of very many sites this
	 * takes long, and whoever ends it then loses nothing. */
	if (crawler->last_id > 0 && crawler->stopped_by == 0 &&
	    store_failed(crawler->store) == DIAG_OK) {
		stop_signals_at_once(&was, true);
		past_keep_read(crawler->store, crawler->options,
		    crawler->last_id, loop_now_s(crawler->loop), NULL, NULL);
		stop_signals_at_once(&was, false);
	}
	crawler_close_store(crawler);
	stop_signals_free(crawler->signals);
	crawler->signals = NULL;
	if (crawler->owns_loop)
		loop_free(crawler->loop);
}

void
crawler_open_frontier(struct crawler *crawler,
    struct frontier_options *frontier, struct frontier_service_options *service)
{
	const char *budget = crawler->options->frontier.total_budget;
	struct stop_signals_was was;

	frontier->store = service->store = crawler->store;
	frontier->rules = watch_rules_of;
	frontier->rules_arg = &crawler->watch_rules;
	frontier->hosts = crawler->run == NULL ? NULL : run_hosts(crawler->run);
	frontier->others = crawler->others;
	frontier->hash_key = network_key();
	frontier->lease_prefix = crawler->lease_prefix;
	frontier->burst_ms = BURST_MS;
	if (budget != NULL)
		(void)value_amount(budget, true, &frontier->requests_per_hour);
	/* No page is out yet, and nothing of what is read is lost. */
	stop_signals_at_once(&was, true);
	crawler->frontier = frontier_new(frontier, loop_now_s(crawler->loop));
	stop_signals_at_once(&was, false);
	service->loop = crawler->loop;
	service->signer = crawler->signer;
	service->rules = watch_rules_of;
	service->rules_arg = &crawler->watch_rules;
	service->frontier = crawler->frontier;
	crawler->service = frontier_service_new(service);
}

/* Allow the private addresses of a site's targets, because the operator named
 * them (security.md). */
static void
crawler_allow(void *arg, const struct watch *watch)
{
	struct policy *policy = arg;

	for (size_t i = 0; watch->is_watched && i < watch->targets.count; i++) {
		struct target target;

		if (target_parse(&target, slice_of(watch->targets.items[i])) ==
		    DIAG_OK)
			policy_allow_target(policy, &target.url);
		url_release(&target.url);
	}
}

void
crawler_allow_watched(struct crawler *crawler)
{
	store_each_watch(
	    crawler->store, crawler_allow, crawler->network.policy);
}

void
crawler_need_frontier(struct crawler *crawler)
{
	struct frontier_service_options how = {
	    /* nobody else reads documents without a driver */
	    .poll_ms = crawler->has_no_driver ? 0 : READINGS_MS};
	struct frontier_options frontier = {.is_shown = false};

	/* after a long crawl this reads all that the crawl did */
	if (crawler->service == NULL)
		crawler_open_frontier(crawler, &frontier, &how);
}

bool
crawler_commit(struct crawler *crawler, struct control_peer *peer,
    struct slice answer, int status, struct slice why)
{
	struct buf trouble = BUF_UP_TO(SIZE_MAX);
	bool is_good;

	/* A driver commits by itself: its tasks wait for the COMMIT. */
	if (crawler->run == NULL && crawler->frontier != NULL)
		frontier_save(crawler->frontier);
	is_good = crawler->run != NULL
	    ? run_commit(crawler->run)
	    : store_flush(crawler->store) == DIAG_OK &&
		store_await(crawler->store) == DIAG_OK;
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

bool
crawler_trouble(const struct crawler *crawler, struct buf *out)
{
	int error;
	enum diag_code fatal = run_failure(crawler->run, &error);
	const char *why = strerrordesc_np(error);

	if (fatal == DIAG_READER_CRASHED && error == 0)
		(void)buf_print(out,
		    "the process that starts readers was killed, or died: "
		    "please report how; the last commit is intact, run the "
		    "same command to resume");
	else if (fatal == DIAG_READER_CRASHED)
		(void)buf_print(out,
		    "no reader can be started: %s; the last commit is intact, "
		    "run the same command to resume",
		    why);
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
	struct buf why = BUF_UP_TO(SIZE_MAX);

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
