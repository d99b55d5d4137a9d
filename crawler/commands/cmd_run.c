/*
 * freshet run: the daemon as a process: signals, the service manager, the log.
 *
 *	begin -> RUNNING -> DRAINING -> end, and with SIGHUP begin again
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/host.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "crawler/alert/alert_send.h"
#include "crawler/cli/options_parse.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/control/crawler.h"
#include "crawler/control/crawler_serve.h"
#include "crawler/control/fetch_serve.h"
#include "crawler/control/past_keeper.h"
#include "crawler/control/served.h"
#include "crawler/control/store_client.h"
#include "crawler/daemon/daemon.h"
#include "crawler/daemon/keeper.h"
#include "crawler/event/exit.h"
#include "crawler/event/log.h"
#include "crawler/event/ndjson.h"
#include "crawler/event/spawn.h"
#include "crawler/event/stop_signals.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/hints/hints.h"
#include "crawler/serve/serve.h"
#include "store/aside.h"
#include "store/depot/depot.h"
#include "store/site.h"

struct service {
	/* the options in force; the first are main()'s */
	struct options *options;
	struct options *next; /* owned: the next options; NULL: none */
	bool is_renewed; /* `options` is owned */
	struct forkserver *forkserver;
	struct store_client *client; /* owned: how the store was got */
	struct crawler crawl; /* store, loop, driver, frontier, socket */
	struct daemon *daemon; /* owned */
	struct page_fetch *fetch; /* owned: of --fetch */
	bool is_fetched; /* it has ended */
	struct hint_listener *hints; /* owned: of --hints */
	/* owned; NULL: this process keeps a store, or a shard, itself */
	struct keeper *keeper;
	struct log log;
	struct notify notify;
	struct loop_watch *hangup;
	struct loop_timer *drain, *watchdog, *minute; /* owned */
	/* `serve` of --listen, and `alert send`, so that nobody who is told
	 * holds up the crawl; 0: it does not run */
	pid_t server, alerts;
	int64_t alerts_ms; /* when the next one begins */
	struct past_keeper *past; /* owned; NULL: with --once */
	struct daemon_counts counts; /* over all configurations */
	struct frontier_counts last_counts; /* leases up to the last minute */
	struct page_fetch_counts last_fetched; /* likewise */
	int64_t drain_end_ms;
	int64_t watchdog_ms; /* interval of the watchdog; 0: none */
	bool is_draining;
	bool has_terminal; /* stderr was a terminal at the start */
	bool was_ready; /* the service manager was told so before */
	bool has_warned; /* that it waits for the store */
	int status; /* the exit status, if it never owned the store */
};

/* Log and service manager. */

#define STATUS_MS 60000
#define ALERT_EVERY_MS 300000
/* The server only reads; but somebody who was told must not be told again, so
 * what is being told has time to end. */
#define SERVER_END_MS 2000
#define ALERT_END_MS 60000
#define LATE_TEXT_MAX 256

/* A worker says in each line which shard it is of. */
static void
run_open_log(struct service *service)
{
	log_init(&service->log, service->options->run.log, STDERR_FILENO);
	service->log.has_shard = service->options->store.has_shard;
	service->log.shard = service->options->store.shard;
}

/* Log an event with the totals so far; `text` says why, or is empty. */
static void
service_log(struct service *service, const char *event, struct slice text)
{
	struct log *log = &service->log;
	const struct run_totals *totals = &service->counts.totals;

	log_begin(log, loop_now_s(service->crawl.loop), event);
	log_number(log, "sites", (int64_t)service->counts.sites);
	log_number(log, "read", (int64_t)totals->read);
	log_number(log, "unchanged", (int64_t)totals->unchanged);
	log_number(log, "failed", (int64_t)(totals->failed + totals->refused));
	log_text(log, "text", text);
	log_end(log);
}

/* What any function says on stderr is a line of the log here. */
static void
on_complaint(void *arg, struct slice text)
{
	struct service *service = arg;

	log_begin(&service->log, loop_now_s(service->crawl.loop), "warning");
	log_text(&service->log, "text", text);
	log_end(&service->log);
}

/* The number in a variable of the environment; 0: none. */
static int64_t
run_number_of(const char *name)
{
	const char *text = getenv(name);
	char *end = NULL;
	long long n = text == NULL ? 0 : strtoll(text, &end, 10);

	return n > 0 && *end == '\0' ? n : 0;
}

/* Tell the service manager the status that `systemctl status` shows, behind
 * other lines. */
static void
run_notify(const struct service *service, const char *lines)
{
	const struct run_totals *totals = &service->counts.totals;
	struct buf text = BUF_UP_TO(1024);

	(void)buf_print(&text, "%sSTATUS=%s, %s read, %s unchanged, %s failed",
	    lines, human_of(service->counts.sites, "site").text,
	    human_of(totals->read, "document").text,
	    human_of(totals->unchanged, NULL).text,
	    human_of(totals->failed + totals->refused, NULL).text);
	notify_say(&service->notify, buf_str(&text));
	buf_release(&text);
}

/* Start this program with other words, unless it runs.  What it could not do is
 * a line of this process's log. */
static void
run_beside(pid_t *pid, const char *const words[])
{
	if (*pid != 0)
		return;
	*pid = spawn_program("/proc/self/exe", words, -1, STDERR_FILENO);
	if (*pid > 0)
		return;
	*pid = 0;
	complain(
	    "cannot start 'freshet %s': %s", words[1], strerrordesc_np(errno));
}

/* Start the server of --listen, if it does not run. */
static void
keep_server(struct service *service)
{
	const struct options *options = service->options;
	const char *const passed[] = {"--token-file", options->serve.token_file,
	    "--identity", options->identity.folder, "--signature-agent",
	    options->identity.agent, "--config", options->config.path};
	const char *words[8 + sizeof(passed) / sizeof(passed[0])] = {"freshet",
	    "serve", "--quiet", "--listen", options->serve.beside, "--store",
	    options->store.path};
	size_t count = 7;
	int status;

	if (options->serve.beside == NULL)
		return;
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i += 2)
		if (passed[i + 1] != NULL) {
			words[count++] = passed[i];
			words[count++] = passed[i + 1];
		}
	if (options->config.path == NULL)
		words[count++] = "--no-config";
	if (spawn_ended(&service->server, WNOHANG, &status))
		complain("the server of --listen has ended; it is started "
			 "again");
	run_beside(&service->server, words);
}

/* Log and count what became of `alert send`, and start it again.  One that
 * could not tell somebody has said so itself, and one that found another at
 * work had nothing to do. */
static void
keep_alerts(struct service *service)
{
	const struct options *options = service->options;
	char shard[32];
	const char *const words[] = {"freshet", "alert", "send", "--quiet",
	    "--store",
	    options->store.url != NULL ? options->store.url
				       : options->store.path,
	    "--config", options->config.path,
	    options->output.is_json ? "--json" : "--no-json",
	    options->store.has_shard ? shard : NULL, NULL};
	int64_t now_ms = loop_now_ms(service->crawl.loop);
	int how = 0;

	if (spawn_ended(&service->alerts, WNOHANG, &how)) {
		int status = WIFSIGNALED(how) ? WTERMSIG(how)
					      : WEXITSTATUS(how);
		bool is_well = !WIFSIGNALED(how) &&
		    (status == EXIT_DONE || status == EXIT_FINDINGS ||
			status == EXIT_LOCKED);

		/* its events are found again by the next */
		if (!is_well)
			complain("'freshet alert send' %s %d: what it had to "
				 "tell waits",
			    WIFSIGNALED(how) ? "was ended by signal"
					     : "ended with status",
			    status);
		store_alerts_ran(service->crawl.store,
		    loop_now_s(service->crawl.loop), is_well);
	}
	if (service->alerts != 0 || now_ms < service->alerts_ms ||
	    options->config.alerts.count == 0)
		return;
	service->alerts_ms = now_ms + ALERT_EVERY_MS;
	(void)snprintf(
	    shard, sizeof(shard), "--shard=%u", options->store.shard);
	run_beside(&service->alerts, words);
}

/* Others see in 'list --workers' how much this one has to do. */
static void
run_tell_load(const struct service *service)
{
	if (service->crawl.depot != NULL)
		depot_load(service->crawl.depot, (int64_t)service->counts.sites,
		    (int64_t)frontier_pages(service->crawl.frontier));
}

/* Log what --fetch fetched in the last minute. */
static void
log_fetched(struct service *service)
{
	struct page_fetch_counts now, *before = &service->last_fetched;
	struct log *log = &service->log;

	if (service->fetch == NULL)
		return;
	now = page_fetch_counts(service->fetch);
	if (memcmp(&now, before, sizeof(now)) != 0) {
		log_begin(log, loop_now_s(service->crawl.loop), "fetched");
		log_number(log, "pages", (int64_t)(now.told - before->told));
		for (int i = 0; i < PAGE_OUTCOMES; i++)
			if (now.outcomes[i] > before->outcomes[i])
				log_number(log,
				    page_outcome_name((enum page_outcome)i),
				    (int64_t)(now.outcomes[i] -
					before->outcomes[i]));
		log_number(log, "walls", (int64_t)(now.walls - before->walls));
		log_number(log, "returned",
		    (int64_t)(now.returned - before->returned));
		log_number(log, "bytes", (int64_t)(now.bytes - before->bytes));
		log_end(log);
	}
	*before = now;
}

/* Once a minute: what the log, the service manager and the processes beside
 * this one have to hear. */
static void
on_minute(void *arg)
{
	struct service *service = arg;

	/* Log the leases and results of the last minute. */
	struct frontier_counts now = frontier_service_counts(
	    service->crawl.service);
	struct frontier_counts before = service->last_counts;
	struct complain_sink sink;
	struct log *log = &service->log;

	service->last_counts = now;
	if (memcmp(&now, &before, sizeof(now)) != 0) {
		log_begin(log, loop_now_s(service->crawl.loop), "handed");
		log_number(
		    log, "leased", (int64_t)(now.leased - before.leased));
		log_number(
		    log, "released", (int64_t)(now.released - before.released));
		log_number(log, "ok", (int64_t)(now.ok - before.ok));
		log_number(
		    log, "skipped", (int64_t)(now.skipped - before.skipped));
		log_number(
		    log, "failed", (int64_t)(now.failed - before.failed));
		log_end(log);
	}

	log_fetched(service);
	sink = complain_through((struct complain_sink){on_complaint, service});
	keep_alerts(service);
	keep_server(service);
	(void)complain_through(sink);
	run_tell_load(service);
	run_notify(service, "");
	loop_timer_set(service->minute, STATUS_MS);
}

/* The loop runs: tell the watchdog. */
static void
on_watchdog(void *arg)
{
	struct service *service = arg;

	if (service->watchdog_ms == 0)
		return;
	notify_say(&service->notify, "WATCHDOG=1");
	loop_timer_set(service->watchdog, service->watchdog_ms);
}

/* Free options that lie in memory of mem_alloc(). */
static void
service_free_options(struct options *options)
{
	options_clear(options);
	free(options);
}

/* Shorter than the patience of a command that waits for an answer: such a
 * command continues by itself when the store is free. */
#define DRAIN_MS 3000
#define DRAIN_STEP_MS 20
#define MAX_SITES \
	1000 /* DESIGN section 7: memory for hosts in use at the same time */
#define MAX_DOCUMENTS 4000

/* What the daemon knows is kept in the same transaction as what was read. */
static void
before_commit(void *arg)
{
	const struct service *service = arg;

	if (service->daemon == NULL)
		return;
	frontier_save(service->crawl.frontier);
	run_tell_load(service);
}

/* Events of commands that this process serves. */

/* A command has read a document, or a lease waits for one: the daemon plans
 * anew. */
static void
client_read(void *arg)
{
	const struct service *service = arg;

	if (service->daemon != NULL)
		daemon_wake(service->daemon);
}

/* A site that was added is read at once, and not at the next look. */
static void
watch_changed(void *arg, int64_t site_id)
{
	const struct service *service = arg;

	if (service->daemon != NULL)
		daemon_watch_changed(service->daemon, site_id);
}

/* The daemon knows no log: it tells what happened. */
static void
on_event(void *arg, const struct daemon_event *event)
{
	struct service *service = arg;

	daemon_log(&service->log, loop_now_s(service->crawl.loop), event);
	if (service->hints != NULL && event->kind == DAEMON_DOCUMENT &&
	    event->reading->outcome == OUTCOME_READ &&
	    (event->reading->content.kind == KIND_ATOM ||
		event->reading->content.kind == KIND_RSS))
		hints_feed(service->hints,
		    store_site_find(service->crawl.store, event->site),
		    event->url,
		    /* WebSub, 4: a header comes before the feed itself */
		    event->reading->http.hub != NULL
			? slice_of(event->reading->http.hub)
			: buf_text(&event->reading->content.page));
}

static void
run_log_problem(
    void *arg, struct slice host, enum diag_code code, struct slice text)
{
	struct daemon_event event = {
	    .kind = DAEMON_PROBLEM, .site = host, .code = code, .text = text};

	on_event(arg, &event);
}

/* A host that is held is not asked; whoever reads the log sees why. */
static void
run_on_held(void *arg, const struct frontier_held *held)
{
	struct service *service = arg;
	struct log *log = &service->log;

	log_begin(log, loop_now_s(service->crawl.loop),
	    held->until_s == 0 ? "hold-over" : "hold");
	log_text(log, "host", held->host);
	log_text(log, "what", slice_of(held->is_pages ? "pages" : "all"));
	if (held->until_s != 0) {
		log_time(log, "until", held->until_s);
		log_text(log, "why", slice_of(held->why));
	}
	log_end(log);
	/* the daemon plans its next step after this event */
	client_read(service);
}

/* A site lists as many URLs as its rules allow: sitemaps of it that were never
 * read stay unread. */
static void
on_full(void *arg, struct slice host)
{
	run_log_problem(arg, host, DIAG_BUDGET_REACHED,
	    slice_of("the limit of URLs was reached: sitemaps that are new are "
		     "not read"));
}

/* The longest interval of a site cannot be kept with its budget: its owner
 * should know. */
static void
on_late(void *arg, struct slice host, const struct frontier_round *round)
{
	struct buf text = BUF_UP_TO(LATE_TEXT_MAX);

	(void)buf_print(&text,
	    "%" PRIu64 " pages cannot each be fetched every %s at %.3g s a "
	    "request: they take turns",
	    round->requests, human_span((double)round->most_s).text,
	    round->each_s);
	run_log_problem(arg, host, DIAG_OK, buf_text(&text));
	buf_release(&text);
}

/* The loop stood still: a callback took long, or the machine did. */
static void
on_stall(void *arg, const struct loop_stall *stall)
{
	struct service *service = arg;
	struct log *log = &service->log;
	const char *why = "freshet itself was at work; if that is often so, "
			  "please report it";

	if (stall->commit_us > stall->us / 2)
		why = "it waited for the disk: a store on a faster disk helps";
	else if (stall->cpu_us < stall->us / 2)
		why = "it waited for the processor: other programs are busy, "
		      "or the machine is too small";
	log_begin(log, loop_now_s(service->crawl.loop), "stall");
	log_number(log, "ms", stall->us / 1000);
	log_number(log, "commit_ms", stall->commit_us / 1000);
	log_number(log, "cpu_ms", stall->cpu_us / 1000);
	log_text(log, "during", slice_of(stall->what));
	log_text(log, "text", slice_of(why));
	log_end(log);
}

/* A site that made a process abort twice is left alone for a while. */
static void
run_on_aside(void *arg, struct slice host, int64_t until_s)
{
	struct buf why = BUF_UP_TO(SIZE_MAX);

	aside_text(&why, host, until_s);
	run_log_problem(arg, host, DIAG_SITE_SET_ASIDE, buf_text(&why));
	buf_release(&why);
}

/* Pages that became due while readings were applied can be handed out now. */
static void
on_caught_up(void *arg)
{
	const struct service *service = arg;

	frontier_service_wake(service->crawl.service);
}

static void
run_on_fetch_over(void *arg)
{
	struct service *service = arg;

	service->is_fetched = true;
	/* --once reads sitemaps first */
	if (service->options->run.is_once)
		run_stop(service->crawl.run);
}

/* Begin to fetch pages, if they are to be fetched and the archives can be
 * used. */
static bool
begin_fetch(struct service *service)
{
	const struct options_fetch *options = &service->options->fetch;
	struct page_fetch_options how = fetch_options(&service->crawl);
	char why[256] = "";

	service->is_fetched = false;
	service->last_fetched = (struct page_fetch_counts){0};
	if (!options->is_wanted)
		return false;
	how.is_endless = how.restarts_program = !service->options->run.is_once;
	how.warc = options->warc;
	how.texts = options->texts;
	how.program = options->program;
	how.warn = on_complaint;
	how.over = run_on_fetch_over;
	how.arg = service;
	service->fetch = page_fetch_new(&how, why);
	if (service->fetch == NULL)
		on_complaint(service, slice_of(why));
	return service->fetch != NULL;
}

/* --once has nothing more to do, or the store cannot be written. */
static void
on_over(void *arg)
{
	struct service *service = arg;
	const struct run_totals *totals = &service->counts.totals;

	if (service->options->run.is_once && service->counts.sites > 0 &&
	    service->counts.crawls + totals->read + totals->unchanged +
		    totals->failed + totals->refused ==
		0 &&
	    store_failed(service->crawl.store) == DIAG_OK) {
		/* Say that --once found nothing to do, and when there will be
		 * something. */
		struct log *log = &service->log;
		int64_t now_s = loop_now_s(service->crawl.loop);
		int64_t next_s = daemon_next_s(service->daemon, now_s);

		log_begin(log, now_s, "nothing-due");
		if (next_s != INT64_MAX)
			log_time(log, "next", next_s);
		log_text(log, "text",
		    slice_of("no sitemap is due; 'freshet crawl SITE' or "
			     "'freshet crawl --tag TAG' reads at once"));
		log_end(log);
	}
	/* what the sitemaps list is there for --fetch now */
	if (!service->options->run.is_once ||
	    store_failed(service->crawl.store) != DIAG_OK ||
	    service->fetch != NULL || !begin_fetch(service))
		run_stop(service->crawl.run);
}

/* Hints. */

/* Pages and documents may be due now. */
static void
run_on_hints(void *arg, struct slice by, size_t urls, size_t known)
{
	struct service *service = arg;
	struct log *log = &service->log;

	log_begin(log, loop_now_s(service->crawl.loop), "hints");
	log_text(log, "by", by);
	log_number(log, "urls", (int64_t)urls);
	log_number(log, "known", (int64_t)known);
	log_end(log);
	client_read(service);
	on_caught_up(service);
}

/* Listen for hints, if that is wanted. */
static void
begin_hints(struct service *service)
{
	struct crawler *crawl = &service->crawl;
	struct hints_options how = {.listen = service->options->run.hints,
	    .loop = crawl->loop,
	    .store = crawl->store,
	    .run = crawl->run,
	    .frontier = crawl->frontier,
	    .fetcher = crawl->network.fetcher,
	    .spool = crawl->spool,
	    .public_url = service->options->run.hints_url,
	    .hash_key = network_key(),
	    .told = run_on_hints,
	    .problem = run_log_problem,
	    .arg = service};
	uint16_t port;

	if (how.listen == NULL)
		return;
	service->hints = hints_new(&how, &port);
	if (service->hints == NULL) {
		complain("cannot listen on '%s': %s", how.listen,
		    strerrordesc_np(errno));
		return;
	}
	log_begin(&service->log, loop_now_s(crawl->loop), "listening");
	log_number(&service->log, "port", port);
	log_end(&service->log);
}

/* Ending. */

/* Go on for a while, to commit what is under way. */
static void
drain(void *arg)
{
	struct service *service = arg;
	struct crawler *crawl = &service->crawl;

	/* requests, readers and the store each may have something under way */
	if (loop_now_ms(crawl->loop) < service->drain_end_ms &&
	    ((service->fetch != NULL && !service->is_fetched) ||
		fetch_active(crawl->network.fetcher) > 0 ||
		readers_backlog(crawl->readers) > 0 ||
		store_pending(crawl->store)))
		loop_timer_set(service->drain, DRAIN_STEP_MS);
	else
		run_stop(crawl->run);
}

/* Start no further request, and close the socket. Commands that this process
 * served continue by themselves, or ask the next owner of the store. */
static void
begin_drain(struct service *service)
{
	struct crawler *crawl = &service->crawl;

	if (service->is_draining)
		return;
	service->is_draining = true;
	service->drain_end_ms = loop_now_ms(crawl->loop) + DRAIN_MS;
	daemon_stop(service->daemon);
	/* the COMMIT of what comes at last takes a moment */
	if (service->fetch != NULL)
		page_fetch_stop(service->fetch, DRAIN_MS - 1000);
	served_settle(crawl->served);
	frontier_service_settle(crawl->service);
	control_free(crawl->control);
	crawl->control = NULL;
	loop_timer_set(service->drain, 0);
}

/* The first signal: what is under way ends in good order, within the time of
 * begin_drain(). */
static void
stop_run(void *arg, int number)
{
	struct service *service = arg;

	service->crawl.stopped_by = number;
	notify_say(&service->notify, "STOPPING=1\nSTATUS=stopping");
	if (service->keeper != NULL) {
		keeper_stop(service->keeper);
		return;
	}
	service_log(service, "stopping", slice_of(""));
	begin_drain(service);
}

/* Reading the configuration again. */

/* Keep the first errors only. */
static void
run_note(void *arg, struct slice text)
{
	struct buf *why = arg;

	(void)buf_put_slice(why, slice_of(why->len > 0 ? "; " : ""));
	(void)buf_put_slice(why, text);
}

/* Read the options again. NULL: the configuration has an error, and `why` gets
 * it. */
static struct options *
read_anew(struct service *service, struct buf *why)
{
	struct options *options = mem_zero(sizeof(*options));
	struct network network = {0};
	struct complain_sink before = complain_through(
	    (struct complain_sink){run_note, why});
	int status = options_parse(
	    options, service->options->run.argc, service->options->run.argv);

	struct identity *identity = NULL;

	/* a network that cannot be made would end the daemon, as keys would
	 * that cannot be read; both are tried first */
	if (status == EXIT_DONE)
		status = network_policy(&network, &options->network);
	network_release(&network);
	if (status == EXIT_DONE)
		status = crawler_identity(
		    options, loop_wall_s(service->crawl.loop), &identity);
	identity_free(identity);
	if (status == EXIT_DONE &&
	    strcmp(options->store.path, service->options->store.path) != 0)
		status = complain_with(EXIT_USAGE,
		    "it names another store: that takes a new start");
	(void)complain_through(before);
	if (status == EXIT_DONE) {
		options->now_s = loop_now_s(service->crawl.loop);
		return options;
	}
	service_free_options(options);
	return NULL;
}

/* SIGHUP: read the configuration again. If it has a mistake, the old one stays
 * in force. */
static void
on_hangup(void *arg, int number, int ready)
{
	struct service *service = arg;
	struct options *next;
	struct buf text;

	(void)number;
	(void)ready;
	if (service->crawl.stopped_by != 0)
		return;
	/* its terminal was closed, so its user is gone */
	if (service->has_terminal && isatty(STDERR_FILENO) != 1) {
		stop_run(service, SIGTERM);
		return;
	}
	/* systemd waits for the answer to this line */
	buf_init(&text, 128);
	(void)buf_print(&text, "RELOADING=1\nMONOTONIC_USEC=%" PRId64 "000",
	    loop_now_ms(service->crawl.loop));
	notify_say(&service->notify, buf_str(&text));
	buf_release(&text);
	/* its workers read the configuration, and say what is wrong with it */
	if (service->keeper != NULL) {
		(void)keeper_signal(service->keeper, SIGHUP);
		notify_say(&service->notify, "READY=1");
		return;
	}
	buf_init(&text, LOG_TEXT_BYTES);
	next = read_anew(service, &text);
	if (next == NULL) {
		service_log(service, "reload-failed", buf_text(&text));
		notify_say(&service->notify, "READY=1");
	} else {
		if (text.len > 0)
			complain("%s", buf_str(&text));
		/* an earlier SIGHUP may still wait for what is under way */
		if (service->next != NULL)
			service_free_options(service->next);
		service->next = next;
		begin_drain(service);
	}
	buf_release(&text);
}

/* Put the new configuration in force. The store stays open and locked. */
static int
run_renew(struct service *service)
{
	struct crawler *crawl = &service->crawl;
	int status;

	crawler_close_run(crawl);
	if (service->is_renewed)
		service_free_options(service->options);
	service->is_renewed = true;
	service->options = service->next;
	service->next = NULL;
	crawl->options = service->options;
	service->is_draining = false;
	buf_release(&service->log.line);
	run_open_log(service);
	status = network_policy(&crawl->network, &crawl->options->network);
	return status == EXIT_DONE
	    ? crawler_open_run(crawl, service->forkserver)
	    : status;
}

static void
run_warn_of_contact(struct service *service)
{
	const struct options *options = service->options;

	if (options->network.contact == NULL &&
	    options->network.user_agent == NULL && !options->output.is_quiet)
		on_complaint(service,
		    slice_of("no contact is set: who wonders about your "
			     "requests cannot reach you; see 'contact' in "
			     "'freshet help config'"));
}

/* All parts that depend on the options are made here, at the start and after
 * each SIGHUP. */
static void
run_begin(struct service *service)
{
	struct crawler *crawl = &service->crawl;
	struct frontier_options frontier = {.reads_documents = true,
	    .held = run_on_held,
	    .wanted = client_read,
	    .full = on_full,
	    .late = on_late,
	    .arg = service};
	struct frontier_service_options how = {
	    .failed = on_over, .failed_arg = service};
	struct daemon_options daemon = {.loop = crawl->loop,
	    .keep_s = service->options->run.keep_s,
	    .store = crawl->store,
	    .run = crawl->run,
	    .max_sites = MAX_SITES,
	    .max_documents = MAX_DOCUMENTS,
	    .is_once = service->options->run.is_once,
	    .options = service->options,
	    .counts = &service->counts,
	    .event = on_event,
	    .synced = on_caught_up,
	    .over = on_over,
	    .arg = service};

	/* commands may connect from now on; they are answered later */
	crawler_serve(crawl);
	crawler_allow_watched(crawl);
	crawler_open_frontier(crawl, &frontier, &how);
	daemon.frontier = crawl->frontier;
	service->daemon = daemon_new(&daemon);
	if (!service->options->run.is_once && crawl->depot == NULL)
		service->past = past_keeper_new(crawl);
	aside_each(
	    crawl->store, loop_now_s(crawl->loop), run_on_aside, service);
	/* Log warnings that the operator should see. */
	const struct options *options = service->options;
	struct complain_sink before = complain_through(
	    (struct complain_sink){on_complaint, service});

	for (size_t i = 0;
	     !options->output.is_quiet && i < options->config.alerts.count; i++)
		alert_complain_tags(
		    crawl->store, &options->config.alerts.items[i]);
	/* the keeper says it for its workers, whose shards may be empty */
	if (!options->store.has_shard)
		run_warn_of_contact(service);
	if (service->counts.sites == 0 && !options->store.has_shard &&
	    !options->output.is_quiet)
		complain("the watch list is empty: 'freshet add SITE' puts a "
			 "site on it");
	begin_hints(service);
	keep_server(service);
	(void)complain_through(before);

	service_log(
	    service, service->was_ready ? "reloaded" : "started", slice_of(""));
	service->was_ready = true;
	service->last_counts = (struct frontier_counts){0};
	loop_timer_set(service->minute, STATUS_MS);
	run_notify(service, "READY=1\n");
	on_watchdog(service);
	/* --once reads sitemaps first */
	if (!service->options->run.is_once)
		(void)begin_fetch(service);
}

/* One turn for each configuration that comes into force. */
static int
live(struct service *service)
{
	struct crawler *crawl = &service->crawl;
	int status = EXIT_DONE;

	do {
		run_begin(service);
		loop_run(crawl->loop);
		log_fetched(service);
		page_fetch_free(service->fetch);
		service->fetch = NULL;
		frontier_service_settle(crawl->service);
		control_free(crawl->control);
		crawl->control = NULL;
		hints_free(service->hints);
		service->hints = NULL;
		past_keeper_free(service->past);
		service->past = NULL;
		daemon_free(service->daemon);
		service->daemon = NULL;

		/* without a new configuration this is the end */
		if (service->next == NULL)
			break;
		status = run_renew(service);
	} while (status == EXIT_DONE && crawl->stopped_by == 0);
	if (status != EXIT_DONE)
		return status;
	(void)crawler_complain(crawl);
	service_log(service, "stopped", slice_of(""));
	/* The exit status (exit.h). */
	struct run_totals totals = service->counts.totals;

	/* if nothing was due, that is no error */
	if (totals.failed + totals.refused + totals.lost_targets == 0)
		totals.already = 1;
	return crawler_status(&service->crawl, &totals);
}

/* The last worker has ended; or the store cannot be had: it is damaged, or
 * another 'run' has it. */
static void
run_on_over(void *arg, int status)
{
	struct service *service = arg;

	service->status = service->crawl.stopped_by != 0
	    ? 128 + service->crawl.stopped_by
	    : status;
	loop_stop(service->crawl.loop);
}

/* The store: this process waits until it is the owner.  A process that owns
 * the store only to lease pages leaves it, and its leases go on here. */

/* Either this process is the owner now, or it tells the owner that a 'run'
 * waits. */
static void
on_store_ready(void *arg)
{
	struct service *service = arg;
	struct buf line;

	if (store_client_is_owner(service->client)) {
		loop_stop(service->crawl.loop);
		return;
	}
	store_call_begin(&line, "run");
	out_json_line_end(&line);
	(void)store_client_send(service->client, &line);
}

/* A crawl ends by itself, so that waiting is right; it should not look like a
 * hang. */
static void
on_store_line(void *arg, struct slice line, const struct ndjson *object)
{
	struct service *service = arg;

	(void)line;
	if (object == NULL || service->has_warned ||
	    !slice_is(ndjson_text(object, "type"), "wait"))
		return;
	/* Once: crawl may follow crawl while this process waits. */
	service->has_warned = true;
	complain("warning: a crawl is under way in this store (%" PRId64
		 "); 'run' begins when it has ended",
	    ndjson_number(object, "pid", 0));
}

int
command_run(struct options *options, struct forkserver *forkserver)
{
	if (options->run.hints_url != NULL && options->run.hints == NULL)
		return complain_with(
		    EXIT_USAGE, "'--hints-url' needs --hints ADDR:PORT");
	struct service service = {.options = options,
	    .forkserver = forkserver,
	    .notify = {.fd = -1},
	    .has_terminal = isatty(STDERR_FILENO) == 1,
	    .crawl = {.options = options,
		.loop = loop_new(),
		.makes_store = true,
		.before_commit = before_commit,
		.client_read = client_read,
		.watch_changed = watch_changed,
		.hooks_arg = &service}};
	struct store_client_options store = {.options = options,
	    .loop = service.crawl.loop,
	    .ready = on_store_ready,
	    .line = on_store_line,
	    .ended = run_on_over,
	    .arg = &service,
	    .has_driver = true,
	    .forkserver = forkserver,
	    .crawler = &service.crawl};

	struct keeper_options keeper = {.loop = service.crawl.loop,
	    .options = options,
	    .program = FRESHET_VERSION,
	    .log = &service.log,
	    .over = run_on_over,
	    .arg = &service};

	if (service.crawl.loop == NULL)
		return EXIT_RESOURCES;
	if (options->serve.beside != NULL &&
	    !serve_is_allowed(
		options->serve.beside, options->serve.token_file)) {
		loop_free(service.crawl.loop);
		return EXIT_USAGE;
	}
	/* A keeper would start workers that cannot fetch again and again. */
	const struct page_fetch_options archives = {
	    .warc = options->fetch.warc, .texts = options->fetch.texts};
	char why[256] = "";

	if (options->fetch.is_wanted &&
	    !page_fetch_has_archives(&archives, why)) {
		complain("%s", why);
		loop_free(service.crawl.loop);
		return EXIT_DISK;
	}
	/* until a handler is there, SIGHUP must not end the process */
	(void)signal(SIGHUP, SIG_IGN);
	/* A process that runs for months does not wait for the first name that
	 * is not ASCII to see that a library is missing. */
	host_warm();
	run_open_log(&service);
	bool is_good;

	if (options->store.url != NULL && !options->store.has_shard) {
		service.keeper = keeper_new(&keeper, &service.status);
		is_good = service.keeper != NULL;
	} else {
		service.client = store_client_new(&store);
		loop_run(service.crawl.loop);
		is_good = store_client_is_owner(service.client);
	}
	if (is_good) {
		struct loop *loop = service.crawl.loop;

		service.crawl.signals = stop_signals_new(
		    loop, stop_run, &service);
		service.hangup = loop_watch_new(
		    loop, SIGHUP, LOOP_SIGNAL, on_hangup, &service);
		/* a log rotation may send it */
		(void)signal(SIGUSR1, SIG_IGN);
		service.drain = loop_timer_new(loop, drain, &service);
		/* Open the socket that the environment names, and tell the
		 * service manager what it waits for. */
		int64_t pid = run_number_of("WATCHDOG_PID");

		service.watchdog = loop_timer_new(loop, on_watchdog, &service);
		service.minute = loop_timer_new(loop, on_minute, &service);
		if (!notify_open(&service.notify, getenv("NOTIFY_SOCKET")))
			complain("cannot notify at NOTIFY_SOCKET: %s",
			    strerrordesc_np(errno));
		if (service.notify.fd >= 0 && (pid == 0 || pid == getpid()))
			service.watchdog_ms = run_number_of("WATCHDOG_USEC") /
			    2000;

		loop_on_stall(loop, on_stall, &service);
		if (service.keeper != NULL) {
			notify_say(
			    &service.notify, "READY=1\nSTATUS=keeping shards");
			run_warn_of_contact(&service);
			on_watchdog(&service);
			loop_run(loop);
			stop_signals_free(service.crawl.signals);
		} else {
			service.status = live(&service);
		}
	}
	/* Free all that the service owns. */
	spawn_end(&service.server, SERVER_END_MS);
	loop_timer_free(service.drain);
	loop_timer_free(service.watchdog);
	loop_timer_free(service.minute);
	loop_watch_free(service.hangup);
	keeper_free(service.keeper);
	store_client_free(service.client);
	/* others can have the store while this process waits */
	spawn_end(&service.alerts, ALERT_END_MS);
	if (service.next != NULL)
		service_free_options(service.next);
	if (service.is_renewed)
		service_free_options(service.options);
	if (service.notify.fd >= 0)
		(void)close(service.notify.fd);
	buf_release(&service.log.line);

	loop_free(service.crawl.loop);
	return service.status;
}
