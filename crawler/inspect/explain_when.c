/* Explain: when it is due, or why not: the first line. */
#include "crawler/inspect/explain_when.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "crawler/inspect/explain_due.h"
#include "crawler/inspect/explain_print.h"

void
explain_times(struct buf *text, unsigned n)
{
	if (n == 1)
		(void)buf_print(text, "once");
	else
		human_plural(text, n, "time");
}

void
explain_time(struct buf *text, const char *before, int64_t at_s)
{
	(void)buf_print(text, "%s", before);
	time_print(text, at_s);
}

static void
put_later(struct buf *text, const struct frontier_terms *it, int64_t now_s)
{
	int64_t at_s = it->terms.again_s > now_s ? it->terms.again_s
						 : it->terms.due_s;

	if (at_s == SCHEDULER_NEVER) {
		(void)buf_print(text, "not before something is heard of it");
		return;
	}
	if (it->terms.again_s > now_s) {
		(void)buf_print(text, "failed ");
		explain_times(text, it->terms.failures);
	}
	(void)buf_print(text, "%s again ",
	    it->terms.again_s > now_s ? ": tried" : "looked at");
	time_print(text, at_s);
	(void)buf_print(text, ", in ");
	human_span(text, (double)(at_s - now_s));
	if (it->terms.owed_s != 0 && it->terms.owed_s == at_s)
		(void)buf_print(text, ", for what its last reading lacked");
	if (it->terms.is_quota)
		(void)buf_print(text, ", when its site's courtesy allows it");
}

static void
put_robots(struct buf *text, const struct frontier_terms *it)
{
	if (it->robots == FRONTIER_ROBOTS_REFUSE)
		(void)buf_print(text, "robots.txt forbids it, line %u",
		    (unsigned)it->robots_line);
	else if (it->robots == FRONTIER_ROBOTS_UNKNOWN && !it->is_watched)
		(void)buf_print(text,
		    "no robots.txt of its origin was read yet, and its site is "
		    "not on the watch list: 'crawl' of that host does that, "
		    "or 'run' once it is added");
	else if (it->robots == FRONTIER_ROBOTS_UNKNOWN)
		(void)buf_print(text,
		    "no robots.txt of its origin was read yet: 'run' does "
		    "that, or 'crawl' of that host");
	else
		(void)buf_print(text,
		    "robots.txt cannot be had, and nothing is fetched without "
		    "it");
}

/* A page may have failed, too, and wait for longer. */
void
explain_held(struct buf *text, const struct explain_due *due)
{
	const struct frontier_terms *it = &due->terms;

	explain_time(text,
	    it->is_pages_hold ? "pages of its host failed: they are held until "
			      : "its host is held until ",
	    it->held_until_s);
	if (due->document_id != 0 || it->terms.again_s <= it->held_until_s)
		return;
	(void)buf_print(text, "; it failed ");
	explain_times(text, it->terms.failures);
	explain_time(text, ": not tried again before ", it->terms.again_s);
}

/* put_unpromoted(text, terms): what it takes turns with. */
static void
put_unpromoted(struct buf *text, const struct frontier_terms *it)
{
	uint64_t others = it->unpromoted > 0 ? it->unpromoted - 1 : 0;

	(void)buf_print(
	    text, "never handed out; it waits in its sitemap for its turn");
	if (others > 0) {
		(void)buf_print(text, ", with about ");
		human_plural(text, others, "page");
		(void)buf_print(text, " that never %s either",
		    others == 1 ? "was" : "were");
	}
	if (it->site_unpromoted > it->unpromoted)
		(void)buf_print(text, "%s about %" PRIu64 " in other sitemaps",
		    others > 0 ? ", and" : ", with",
		    it->site_unpromoted - it->unpromoted);
}

const char *
explain_when(struct buf *text, const struct explain_due *due, int64_t now_s)
{
	const struct frontier_terms *it = &due->terms;
	const char *state = explain_due_state(due, now_s);
	bool is_page = due->document_id == 0;

	if (strcmp(state, "removed") == 0)
		(void)buf_print(text,
		    it->is_orphan ? "neither an index nor robots.txt nor a "
				    "target leads to it any more"
				  : "its site was taken off the watch list");
	else if (strcmp(state, "unwatched") == 0)
		(void)buf_print(text,
		    "its site is not on the watch list: 'run' does not read "
		    "it");
	else if (strcmp(state, "refused") == 0 ||
	    strcmp(state, "unknown-robots") == 0)
		put_robots(text, it);
	else if (strcmp(state, "out") == 0 && is_page)
		explain_time(
		    text, "a fetcher has it, until ", it->lease_until_s);
	else if (strcmp(state, "out") == 0)
		(void)buf_print(text, "it is being read");
	else if (strcmp(state, "unwanted") == 0)
		(void)buf_print(
		    text, "outside of the sections that are wanted");
	else if (strcmp(state, "unpromoted") == 0)
		put_unpromoted(text, it);
	else if (strcmp(state, "held") == 0)
		explain_held(text, due);
	else if (strcmp(state, "later") == 0)
		put_later(text, it, now_s);
	else if (it->terms.owed_s != 0 && it->terms.owed_s <= now_s)
		(void)buf_print(text,
		    "what its last reading lacked is looked for once more");
	else if (it->terms.is_overdue)
		(void)buf_print(text, "its longest interval is over");
	else if (isinf(it->terms.value))
		(void)buf_print(text, "its time has come");
	else
		(void)buf_print(text, "it waits for its turn");
	return strcmp(state, "due") == 0       ? "due now"
	    : strcmp(state, "later") == 0      ? "due later"
	    : strcmp(state, "unpromoted") == 0 ? "waiting"
	    : strcmp(state, "out") == 0        ? "out"
					       : "not due";
}
