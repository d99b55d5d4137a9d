/* The daemon's events as lines: see daemon_log.h. */
#include "crawler/daemon/daemon_log.h"

#include <inttypes.h>

#include "base/human.h"
#include "base/w3cdate.h"
#include "crawler/crawl/totals.h"
#include "crawler/event/loop.h"
#include "crawler/frontier/frontier.h"

#define TEXT_MAX 256

void
daemon_log_time(struct log *log, const char *key, int64_t at_s)
{
	struct buf text;

	buf_init(&text, 64);
	time_print(&text, at_s);
	log_text(log, key, buf_text(&text));
	buf_release(&text);
}

static void
log_document(struct log *log, int64_t now_s, const struct daemon_event *event)
{
	const struct reading *reading = event->reading;

	log_begin(log, now_s, outcome_name(reading->outcome));
	log_text(log, "site", event->site);
	log_text(log, "url", event->url);
	log_text(log, "why", slice_of(event->why));
	if (reading->http.status != 0)
		log_number(log, "status", reading->http.status);
	if (reading->failure != DIAG_OK)
		log_text(log, "code", slice_of(diag_name(reading->failure)));
	if (reading->outcome == OUTCOME_READ) {
		/* What a document lists, and what has changed in it. */
		static const char *const names[DELTA_KINDS] = {"added",
		    "removed", "returned", "redated", "gone", "now_refused",
		    "now_accepted", "left", "back"};

		log_text(log, "kind",
		    slice_of(document_kind_name(reading->content.kind)));
		log_number(
		    log, "entries", (int64_t)reading->content.merge.entries);
		if (reading->content.merge.refused > 0)
			log_number(log, "refused",
			    (int64_t)reading->content.merge.refused);
		for (int i = 0; i < DELTA_KINDS; i++)
			if (reading->content.merge.changes[i] > 0)
				log_number(log, names[i],
				    (int64_t)reading->content.merge.changes[i]);
		if (!reading->content.is_complete)
			log_number(log, "partial", 1);
	}
	log_number(log, "bytes", (int64_t)reading->http.wire_bytes);
	log_number(log, "ms", reading->http.duration_ms);
	log_end(log);
}

static void
log_site(struct log *log, int64_t now_s, const char *what, struct slice site)
{
	log_begin(log, now_s, what);
	log_text(log, "site", site);
	log_end(log);
}

static void
log_problem(struct log *log, int64_t now_s, const struct daemon_event *event)
{
	log_begin(log, now_s, "problem");
	log_text(log, "site", event->site);
	log_text(log, "url", event->url);
	if (event->code != DIAG_OK)
		log_text(log, "code", slice_of(diag_name(event->code)));
	log_text(log, "text", event->text);
	log_end(log);
}

void
daemon_log(struct log *log, int64_t now_s, const struct daemon_event *event)
{
	switch (event->kind) {
	case DAEMON_ADDED:
		log_site(log, now_s, "added", event->site);
		break;
	case DAEMON_REMOVED:
		log_site(log, now_s, "removed", event->site);
		break;
	case DAEMON_DOCUMENT:
		log_document(log, now_s, event);
		break;
	case DAEMON_PROBLEM:
		log_problem(log, now_s, event);
		break;
	case DAEMON_CRAWLED: {
		const struct run_totals *totals = event->totals;
		enum verdict most;
		uint64_t refused = totals_refused(totals, &most);

		log_begin(log, now_s, event->next_s == 0 ? "crawled" : "lost");
		log_text(log, "site", event->site);
		log_number(log, "read", (int64_t)totals->read);
		log_number(log, "unchanged",
		    (int64_t)(totals->unchanged + totals->already));
		log_number(log, "failed", (int64_t)totals->failed);
		log_number(log, "refused", (int64_t)totals->refused);
		log_number(log, "entries", (int64_t)totals->listed);
		if (refused > 0)
			log_number(log, "entries_refused", (int64_t)refused);
		if (event->next_s != 0)
			daemon_log_time(log, "next", event->next_s);
		log_end(log);
	} break;
	case DAEMON_CLOCK:
		log_begin(log, now_s, "clock");
		log_number(log, "jump_s", event->jump_s);
		log_end(log);
		break;
	}
}

void
daemon_log_hold(
    struct log *log, int64_t now_s, const struct frontier_held *held)
{
	log_begin(log, now_s, held->until_s == 0 ? "hold-over" : "hold");
	log_text(log, "host", held->host);
	log_text(log, "what", slice_of(held->is_pages ? "pages" : "all"));
	if (held->until_s != 0) {
		daemon_log_time(log, "until", held->until_s);
		log_text(log, "why", slice_of(held->why));
	}
	log_end(log);
}

void
daemon_log_full(struct log *log, int64_t now_s, struct slice host)
{
	struct daemon_event event = {.site = host,
	    .code = DIAG_BUDGET_REACHED,
	    .text = slice_of("the limit of URLs was reached: sitemaps that are "
			     "new are not read")};

	log_problem(log, now_s, &event);
}

void
daemon_log_stall(struct log *log, int64_t now_s, const struct loop_stall *stall)
{
	const char *why;

	if (stall->commit_us > stall->us / 2)
		why = "it waited for the disk: a store on a faster disk helps";
	else if (stall->cpu_us < stall->us / 2)
		why = "it waited for the processor: other programs are busy, "
		      "or the machine is too small";
	else
		why = "freshet itself was at work; if that is often so, please "
		      "report it";
	log_begin(log, now_s, "stall");
	log_number(log, "ms", stall->us / 1000);
	log_number(log, "commit_ms", stall->commit_us / 1000);
	log_number(log, "cpu_ms", stall->cpu_us / 1000);
	log_text(log, "during", slice_of(stall->what));
	log_text(log, "text", slice_of(why));
	log_end(log);
}

void
daemon_log_late(
    struct log *log, int64_t now_s, const struct frontier_late *late)
{
	struct daemon_event event = {.site = late->host};
	struct buf text;

	buf_init(&text, TEXT_MAX);
	(void)buf_print(&text,
	    "%" PRIu64 " pages cannot each be fetched every ", late->pages);
	human_span(&text, (double)late->ceiling_s);
	(void)buf_print(
	    &text, " at %.3g s a request: they take turns", late->each_s);
	event.text = buf_text(&text);
	log_problem(log, now_s, &event);
	buf_release(&text);
}
