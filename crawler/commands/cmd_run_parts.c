/* freshet run: what it says, and to whom. */
#include "crawler/commands/cmd_run_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "crawler/cli/options_parse.h"
#include "crawler/cli/out.h"

#define STATUS_MS 60000

struct daemon_counts
service_counts(const struct service *service)
{
	struct daemon_counts sum = service->past;
	const struct daemon_counts *now;

	if (service->daemon == NULL)
		return sum;
	now = daemon_counts(service->daemon);
	sum.sites = now->sites;
	sum.crawls += now->crawls;
	sum.read += now->read;
	sum.unchanged += now->unchanged;
	sum.failed += now->failed;
	sum.refused += now->refused;
	sum.partial += now->partial;
	sum.refused_children += now->refused_children;
	sum.lost += now->lost;
	sum.is_over_budget = sum.is_over_budget || now->is_over_budget;
	return sum;
}

void
service_log(struct service *service, const char *event, struct slice text)
{
	struct log *log = &service->log;
	struct daemon_counts counts = service_counts(service);

	log_begin(log, loop_now_s(service->crawl.loop), event);
	log_number(log, "sites", (int64_t)counts.sites);
	log_number(log, "read", (int64_t)counts.read);
	log_number(log, "unchanged", (int64_t)counts.unchanged);
	log_number(log, "failed", (int64_t)(counts.failed + counts.refused));
	log_text(log, "text", text);
	log_end(log);
}

static void
warn(struct service *service, const char *text)
{
	log_begin(&service->log, loop_now_s(service->crawl.loop), "warning");
	log_text(&service->log, "text", slice_of(text));
	log_end(&service->log);
}

void
service_warn(struct service *service)
{
	const struct options *options = service->options;

	if (options->is_quiet)
		return;
	if (options->contact == NULL && options->user_agent == NULL)
		warn(service,
		    "no contact is set: who wonders about your requests cannot "
		    "reach you; see 'contact' in 'freshet help config'");
	if (daemon_counts(service->daemon)->sites == 0)
		warn(service,
		    "the watch list is empty: 'freshet add SITE' puts a site "
		    "on it");
}

/* number_of(name): of a variable of the environment; 0: none. */
static int64_t
number_of(const char *name)
{
	const char *text = getenv(name);
	char *end = NULL;
	long long n = text == NULL ? 0 : strtoll(text, &end, 10);

	return n > 0 && *end == '\0' ? n : 0;
}

/* put_status(service, out): what `systemctl status` shows. */
static void
put_status(const struct service *service, struct buf *out)
{
	struct daemon_counts counts = service_counts(service);

	(void)buf_print(out, "STATUS=");
	human_plural(out, counts.sites, "site");
	(void)buf_print(out, ", ");
	human_plural(out, counts.read, "document");
	(void)buf_print(out, " read, ");
	human_count(out, counts.unchanged);
	(void)buf_print(out, " unchanged, ");
	human_count(out, counts.failed + counts.refused);
	(void)buf_print(out, " failed");
}

/* log_handed(service): what went over the counter in this minute. */
static void
log_handed(struct service *service)
{
	struct frontier_counts now = frontier_service_counts(
	    service->crawl.service);
	struct frontier_counts before = service->handed;
	struct log *log = &service->log;

	service->handed = now;
	if (memcmp(&now, &before, sizeof(now)) == 0)
		return;
	log_begin(log, loop_now_s(service->crawl.loop), "handed");
	log_number(log, "leased", (int64_t)(now.leased - before.leased));
	log_number(log, "released", (int64_t)(now.released - before.released));
	log_number(log, "ok", (int64_t)(now.ok - before.ok));
	log_number(log, "skipped", (int64_t)(now.skipped - before.skipped));
	log_number(log, "failed", (int64_t)(now.failed - before.failed));
	log_end(log);
}

static void
on_minute(void *arg)
{
	struct service *service = arg;
	struct buf text;

	log_handed(service);
	buf_init(&text, 1024);
	put_status(service, &text);
	notify_say(&service->notify, buf_str(&text));
	buf_release(&text);
	loop_timer_set(service->minute, STATUS_MS);
}

/* The loop turns: it is alive. */
static void
on_watchdog(void *arg)
{
	struct service *service = arg;

	notify_say(&service->notify, "WATCHDOG=1");
	loop_timer_set(service->watchdog, service->watchdog_ms);
}

void
service_open_manager(struct service *service)
{
	struct loop *loop = service->crawl.loop;
	int64_t pid = number_of("WATCHDOG_PID");
	char room[128];

	service->watchdog = loop_timer_new(loop, on_watchdog, service);
	service->minute = loop_timer_new(loop, on_minute, service);
	if (!notify_open(&service->notify, getenv("NOTIFY_SOCKET")))
		complain("cannot notify at NOTIFY_SOCKET: %s",
		    strerror_r(errno, room, sizeof(room)));
	if (service->notify.fd >= 0 && (pid == 0 || pid == getpid()))
		service->watchdog_ms = number_of("WATCHDOG_USEC") / 2000;
}

void
service_ready(struct service *service)
{
	struct buf text;

	service_log(
	    service, service->was_ready ? "reloaded" : "started", slice_of(""));
	service->was_ready = true;
	service->handed = (struct frontier_counts){0};
	loop_timer_set(service->minute, STATUS_MS);
	if (service->notify.fd < 0)
		return;
	buf_init(&text, 1024);
	(void)buf_print(&text, "READY=1\n");
	put_status(service, &text);
	notify_say(&service->notify, buf_str(&text));
	buf_release(&text);
	if (service->watchdog_ms > 0)
		on_watchdog(service);
}

void
service_free_options(struct options *options)
{
	options_release(options);
	free(options);
}

void
service_close(struct service *service)
{
	loop_timer_free(service->drain);
	loop_timer_free(service->watchdog);
	loop_timer_free(service->minute);
	loop_signal_free(service->hangup);
	crawl_close(&service->crawl);
	if (service->next != NULL)
		service_free_options(service->next);
	if (service->is_renewed)
		service_free_options(service->options);
	notify_close(&service->notify);
	log_release(&service->log);
}
