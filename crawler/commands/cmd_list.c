/*
 * freshet list: the watch list, with the state of each site.
 *
 * The store is read twice: once for the widths of the columns, which must be
 * known before the first line, and once for the lines. What comes next is known
 * to a frontier alone, which is made only if -l asks for it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/robots.h"
#include "base/sort.h"
#include "base/target.h"
#include "base/w3cdate.h"
#include "base/wall.h"
#include "base/zone.h"
#include "crawler/cli/failing.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/commands/commands.h"
#include "crawler/control/frontier_make.h"
#include "crawler/control/past_keeper.h"
#include "crawler/event/exit.h"
#include "crawler/events/past.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/site_crawl.h"
#include "crawler/report/report_phrases.h"
#include "store/aside.h"
#include "store/depot/members.h"
#include "store/hold.h"
#include "store/proof.h"
#include "store/site_tally.h"
#include "store/watch.h"

#define SITE_MIN 16
/* Columns; without a terminal, a longer name shifts the rest of its line. */
#define SITE_MAX 48
#define EVERY_WIDTH 10
#define READ_WIDTH 12
#define SITEMAPS_WIDTH 8
#define URLS_WIDTH 13
#define PAGES_WIDTH 11
#define STATE_LEAST 2 /* "ok"; a longer state may stand below its site */
#define FAILING_SHOWN 10 /* documents, with -l */

/* The number of pages of a site. */
struct pages {
	int64_t site_id;
	uint64_t count;
};

struct list_command {
	const struct options *options;
	struct store *store;
	/* NULL: the output says nothing of what comes next */
	struct frontier *frontier;
	struct out out;
	struct strings wanted; /* owned: hosts; empty: all sites */
	bool *were_found; /* owned: which of `wanted` exist */
	struct pages *pages; /* owned; sorted by site */
	size_t page_count, page_cap;
	size_t width; /* columns of the first column */
	/* a terminal has no room for how often sites are read, and for pages */
	bool is_narrow;
	size_t tagged; /* sites that have a tag of --tag */
	size_t shown;
	size_t behind; /* of these: list_is_behind() */
};

/* One walk counts the pages of all sites: a count for each site would read its
 * pages again. */
static void
add_pages(void *arg, int64_t site_id, uint64_t count)
{
	struct list_command *list = arg;

	*MEM_PUSH(list->pages, list->page_count,
	    list->page_cap) = (struct pages){site_id, count};
}

/* The order in which list_pages_of() searches. */
static const struct sort_key list_by_site[] = {
    {SORT_KEY(struct pages, site_id), false}, {0}};

/* A site without pages is not in the list. */
static uint64_t
list_pages_of(const struct list_command *list, int64_t site_id)
{
	struct pages key = {.site_id = site_id};
	const struct pages *found = sort_find(
	    &key, list->pages, list->page_count, sizeof(key), list_by_site);

	return found == NULL ? 0 : found->count;
}

/* Is the site to be listed? Also notes in were_found that it exists. */
static bool
list_is_wanted(struct list_command *list, const struct watch *watch)
{
	bool is_wanted = list->wanted.count == 0;

	if (!watch->is_watched)
		return false;
	if (!watch_is_tagged(watch, &list->options->watch.tags))
		return false;
	list->tagged++;
	for (size_t i = 0; i < list->wanted.count; i++)
		if (strcmp(list->wanted.items[i], watch->host) == 0)
			is_wanted = list->were_found[i] = true;
	return is_wanted;
}

struct next {
	struct frontier *frontier;
	int64_t now_s;
	int64_t due_s;
};

/* A document that is held is due when its hold is over. */
static bool
list_on_document(void *arg, const struct document_row *row)
{
	struct next *next = arg;
	struct frontier_terms terms;
	int64_t due_s;

	if (!frontier_document_terms(
		next->frontier, row->document.id, next->now_s, &terms) ||
	    terms.is_removed)
		return true;
	due_s = terms.terms.is_waiting || terms.terms.is_overdue
	    ? next->now_s
	    : terms.terms.due_s;
	if (due_s < terms.held_until_s)
		due_s = terms.held_until_s;
	if (due_s < next->due_s)
		next->due_s = due_s;
	return true;
}

/* When a document of the site is due next; 0: not known. */
static int64_t
list_next_of(const struct list_command *list, const struct watch *watch)
{
	struct next next = {
	    list->frontier, list->options->now_s, SCHEDULER_NEVER};
	struct site_crawl crawl;

	if (list->frontier != NULL &&
	    site_crawl_get(list->store, watch, &crawl) && crawl.tries > 0 &&
	    crawl.whole_s != SITE_CRAWL_NEVER)
		return crawl.whole_s;
	if (list->frontier != NULL)
		store_each_document(list->store, DOCUMENTS_OF_SITE,
		    slice_of(watch->host), list_on_document, &next);
	return next.due_s == SCHEDULER_NEVER ? 0 : next.due_s;
}

/* For people. */

/* Print a line below a site, at a terminal several, and empty it. */
static void
list_put_line(struct list_command *list, struct buf *line)
{
	out_sentence(&list->out, "  ", 4, buf_text(line), SIZE_MAX);
	buf_clear(line);
}

/* In the form of 'set', to be copied into a command line. */
static void
list_put_setting(void *arg, const char *key, struct slice value)
{
	struct buf *line = arg;

	(void)buf_print(line, line->len > 0 ? "  %s=" : "%s=", key);
	(void)buf_put_slice(line, value);
}

/* Did the host of the document ask for a pause? While it is held the document
 * waits, and does not fail. */
static bool
list_is_paused(const struct document_row *row)
{
	return row->is_failing &&
	    slice_is(row->failure, diag_name(DIAG_FETCH_RATE_LIMITED));
}

/* What is told of a site that fails. */
struct failures {
	struct list_command *list;
	bool is_held; /* the host: what asked for that is no failure */
	bool is_none; /* nothing was found: a robots.txt may say why */
	size_t count; /* documents that fail */
	const struct wall *wall; /* that was told last */
};

/* Ten are enough to see what is wrong; 'ls' lists all. */
static bool
list_put_failing(void *arg, const struct document_row *row)
{
	struct failures *failures = arg;
	struct list_command *list = failures->list;
	const struct wall *wall;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	if ((!row->is_failing &&
		(!failures->is_none || row->failure.len == 0)) ||
	    (failures->is_held && list_is_paused(row)) ||
	    failures->count++ >= FAILING_SHOWN)
		return true;
	wall = failing_row_text(&line, list->store, row);
	(void)buf_print(&line, ": %s", row->document.url);
	if (row->failure.len > 0)
		(void)buf_print(
		    &line, " (%.*s)", (int)row->failure.len, row->failure.p);
	list_put_line(list, &line);
	if (wall != NULL && wall != failures->wall) {
		failures->wall = wall;
		(void)buf_print(&line, "  %s: %s", wall->name, wall->advice);
		list_put_line(list, &line);
	}
	buf_release(&line);
	return true;
}

/* Does a robots.txt forbid the place where a sitemap is looked for if nothing
 * names one, or does it want a login, as those places will? Then say so. */
static bool
list_put_forbidden(void *arg, const struct document_row *row)
{
	struct failures *lost = arg;
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct slice origin = slice_of(row->document.url);
	struct robots_fact fact = {0};
	struct robots_verdict verdict = {.is_allowed = true};
	struct robots *robots = NULL;
	struct buf body = BUF_UP_TO(SIZE_MAX), line = BUF_UP_TO(SIZE_MAX);

	if (!selection_is_robots(row))
		return true;
	/* what is kept of robots.txt is kept by origin */
	origin.len -= strlen("/robots.txt");
	if (store_robots_get(lost->list->store, origin, &fact, &body) &&
	    fact.has_body) {
		robots = robots_parse(fact.body, slice_of("freshet"), &profile,
		    (struct diag_sink){0});
		verdict = robots_verdict(robots, slice_of(target_places[0]));
	}
	if (!verdict.is_allowed) {
		(void)buf_print(&line,
		    "robots.txt forbids it (line %" PRIu32 ": ", verdict.line);
		(void)vis_put(&line,
		    slice_trim(robots_line(fact.body, verdict.line)), 120);
		(void)buf_print(&line, "): %.*s%s", (int)origin.len, origin.p,
		    target_places[0]);
		list_put_line(lost->list, &line);
		lost->count++;
	}
	if (fact.status == 401) {
		(void)buf_print(&line, "robots.txt: status 401; login: %s",
		    wall_of(DIAG_FETCH_UNAUTHORIZED, slice_of("status 401"))
			->advice);
		list_put_line(lost->list, &line);
		lost->count++;
	}
	robots_free(robots);
	buf_release(&line);
	buf_release(&body);
	return true;
}

/* The state of a site, in a word or two. */
struct list_state {
	/* static: new, lost, set-aside, held, pages-held, ok */
	const char *name;
	struct hold_times held; /* of its host; times in the past are 0 */
	struct site_crawl crawl; /* for lost */
	uint64_t failing; /* failing documents, with robots.txt */
};

/* Take a document that waits out of the totals of those that fail. */
static bool
list_on_held(void *arg, const struct document_row *row)
{
	struct site_totals *totals = arg;
	bool is_index = row->document.kind == KIND_INDEX;

	if (!list_is_paused(row))
		return true;
	if (selection_is_robots(row))
		totals->failing_robots -= totals->failing_robots > 0;
	else
		totals->failing -= totals->failing > 0;
	totals->failing_indexes -= is_index && totals->failing_indexes > 0;
	return true;
}

/* The state, and the totals without what only waits. */
static void
list_state_of(const struct list_command *list, const struct watch *watch,
    struct site_totals *totals, struct list_state *state)
{
	int64_t now_s = list->options->now_s;
	bool is_known = site_crawl_get(list->store, watch, &state->crawl);

	state->held = store_hold_get(list->store, slice_of(watch->host), now_s);
	if (state->held.all_s <= now_s)
		state->held.all_s = 0;
	if (state->held.pages_s <= now_s)
		state->held.pages_s = 0;
	if (state->held.all_s > 0)
		store_each_document(list->store, DOCUMENTS_OF_SITE,
		    slice_of(watch->host), list_on_held, totals);
	state->failing = totals->failing + totals->failing_robots;
	/* The first of these that holds says most. */
	if (state->held.all_s > 0 &&
	    aside_until(list->store, watch->site_id, now_s) != 0)
		state->name = "set-aside";
	else if (is_known && state->crawl.tries > 0 &&
	    state->crawl.whole_s != SITE_CRAWL_NEVER)
		state->name = "lost";
	else if (state->held.all_s > 0)
		state->name = "held";
	else if (state->held.pages_s > 0)
		state->name = "pages-held";
	else if (totals->last_read_s == 0)
		state->name = "new";
	else
		state->name = "ok";
}

/* Append the state for people. */
static void
list_put_state(struct buf *out, const struct site_totals *totals,
    const struct list_state *state)
{
	bool is_lost = strcmp(state->name, "lost") == 0;
	size_t from = out->len;

	if (is_lost) {
		(void)buf_print(out, "not found");
		if (state->crawl.lost_s != 0)
			(void)buf_print(out, " since %s",
			    zone_text(state->crawl.lost_s, ZONE_FULL).text);
		(void)buf_print(out, ", next try %s",
		    zone_text(state->crawl.whole_s, ZONE_FULL).text);
	} else if (state->held.all_s > 0) {
		(void)buf_print(out, "%s until %s",
		    strcmp(state->name, "set-aside") == 0 ? "set aside"
							  : "held",
		    zone_text(state->held.all_s, ZONE_FULL).text);
	} else if (state->held.pages_s > 0) {
		(void)buf_print(out, "pages held until %s",
		    zone_text(state->held.pages_s, ZONE_FULL).text);
	} else if (strcmp(state->name, "ok") != 0 ||
	    (state->failing == 0 && totals->stale_since_s == 0)) {
		(void)buf_print(out, "%s", state->name);
	}
	if (state->failing > 0) {
		(void)buf_print(out, "%s", out->len > from ? ", " : "");
		/* Append what fails, and since when: if an earlier reading
		 * counts, since then.
		 */
		failing_site_text(out, totals);
		if (totals->stale_since_s == 0 && totals->failing_since_s > 0)
			(void)buf_print(out, " since %s",
			    zone_text(totals->failing_since_s, ZONE_MOMENT)
				.text);
	}
	if (totals->stale_since_s > 0)
		(void)buf_print(out, "%sstale since %s",
		    out->len > from ? ", " : "",
		    zone_text(totals->stale_since_s, ZONE_MOMENT).text);
	if (totals->waiting > 0)
		(void)buf_print(out, ", waiting: %s, %s",
		    human_of(totals->waiting, "sitemap").text,
		    human_of(totals->waiting_urls, "URL").text);
	if (totals->refused > 0) {
		(void)buf_print(out, ", ");
		verdict_put_refused(out, totals->refused, totals->refused_by);
	}
}

/* How long a round over all pages and all documents of the site takes; false:
 * there is no frontier to ask. */
static bool
list_rounds(const struct list_command *list, const struct watch *watch,
    struct frontier_round *pages, struct frontier_round *documents)
{
	return list->frontier != NULL &&
	    frontier_site_rounds(list->frontier, watch->site_id,
		list->options->now_s, pages, documents);
}

/* Print what fails at a site, its targets, and its settings in the form of
 * `set`. */
static void
list_put_long(struct list_command *list, const struct watch *watch,
    const struct list_state *state)
{
	struct failures failing = {
	    .list = list, .is_held = state->held.all_s > 0};
	int64_t next_s = list_next_of(list, watch);
	struct scheduler_site is;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	failing.is_none = strcmp(state->name, "lost") == 0 ||
	    strcmp(state->name, "new") == 0;
	if (state->failing > 0 || failing.is_none) {
		/* Name what fails. */
		store_each_document(list->store, DOCUMENTS_OF_SITE,
		    slice_of(watch->host), list_put_failing, &failing);
		if (failing.count > FAILING_SHOWN) {
			(void)buf_print(&line,
			    "and %zu more fail; 'freshet ls --sitemaps -l' "
			    "lists them",
			    failing.count - FAILING_SHOWN);
			list_put_line(list, &line);
		}
	}
	if (failing.count == 0 && strcmp(state->name, "lost") == 0) {
		store_each_document(list->store, DOCUMENTS_OF_SITE,
		    slice_of(watch->host), list_put_forbidden, &failing);
		if (failing.count == 0) {
			(void)buf_print(&line,
			    "no sitemap: robots.txt names none, and none can "
			    "be had at the usual places");
			list_put_line(list, &line);
		}
	}
	for (size_t i = 0; i < watch->targets.count; i++) {
		(void)buf_print(&line, "target=%s", watch->targets.items[i]);
		list_put_line(list, &line);
	}
	watch_each_setting(watch, list_put_setting, &line);
	if (line.len > 0)
		list_put_line(list, &line);
	(void)buf_print(&line, "on the list since %s",
	    zone_text(watch->added_s, ZONE_FULL).text);
	if (next_s > 0)
		(void)buf_print(&line, "; next reading %s",
		    zone_text(next_s, ZONE_FULL).text);
	is = watch_schedule(watch);
	(void)buf_print(&line, "; pages are fetched every ");
	watch_put_bounds(&line, is.page_floor_s, is.page_ceiling_s);
	/* Say which longest intervals cannot be kept. */
	struct frontier_round pages, documents;

	if (list_rounds(list, watch, &pages, &documents)) {
		if (frontier_round_is_late(&pages)) {
			(void)buf_print(&line, ", which cannot be kept: ");
			frontier_round_text(&line, &pages, true);
		}
		if (frontier_round_is_late(&documents)) {
			(void)buf_print(
			    &line, "; documents cannot be read every ");
			watch_put_seconds(&line, documents.most_s);
			(void)buf_print(&line, ": ");
			frontier_round_text(&line, &documents, false);
		}
	}
	list_put_line(list, &line);
	buf_release(&line);
}

/* For programs. */

/* All columns and all settings, whatever the terminal has room for. */
static void
list_json_site(struct list_command *list, const struct watch *watch)
{
	struct buf *text = &list->out.text;
	struct site_numbers numbers = store_site_numbers(
	    list->store, watch->site_id, false);
	struct site_totals totals;
	struct list_state state;

	store_site_totals(list->store, watch->site_id, &totals);
	list_state_of(list, watch, &totals, &state);
	out_json_line(text, "site");
	out_json_string(text, "site", watch->host);
	out_json_strings(text, "targets", &watch->targets);
	struct buf bounds = BUF_UP_TO(256);

	watch_put_bounds(&bounds, watch->every_least_s, watch->every_most_s);
	out_json_word(text, "every", buf_text(&bounds));
	buf_clear(&bounds);
	watch_put_bounds(&bounds, watch->page_least_s, watch->page_most_s);
	out_json_word(text, "pages_every", buf_text(&bounds));
	buf_release(&bounds);
	/* null if there is none: 0 would be a budget */
	out_json_real(text, "requests_per_hour",
	    watch->requests_per_hour > 0 ? watch->requests_per_hour : NAN);
	out_json_real(text, "weight", watch->weight);
	out_json_string(text, "profile", watch->profile);
	out_json_strings(text, "tags", &watch->tags);
	out_json_begin(text, "below", '[');
	for (size_t i = 0; i < watch->filters.count; i++)
		if (page_filter_key(watch->filters.items[i]) == FILTER_BELOW)
			out_json_string(text, NULL,
			    strchr(watch->filters.items[i], '=') + 1);
	out_json_end(text, ']');
	out_json_strings(text, "filters", &watch->filters);
	if (watch->titles.count > 0)
		out_json_string(text, "titles", watch->titles.items[0]);
	if (watch->verify.count > 0)
		out_json_string(text, "verify", watch->verify.items[0]);
	if (watch->sign.count > 0)
		out_json_string(text, "sign", watch->sign.items[0]);
	out_json_time(text, "added", watch->added_s);
	out_json_time(text, "last_read", totals.last_read_s);
	out_json_time(text, "next_reading", list_next_of(list, watch));
	struct frontier_round pages, documents;

	if (list_rounds(list, watch, &pages, &documents)) {
		out_json_flag(
		    text, "every_kept", !frontier_round_is_late(&documents));
		out_json_flag(
		    text, "pages_every_kept", !frontier_round_is_late(&pages));
	} else {
		out_json_string(text, "every_kept", NULL);
		out_json_string(text, "pages_every_kept", NULL);
	}
	out_json_number(text, "sitemaps", totals.documents - totals.indexes);
	out_json_number(text, "indexes", totals.indexes);
	out_json_number(text, "failing", state.failing);
	out_json_number(text, "urls", numbers.listed);
	out_json_number(text, "refused", numbers.refused);
	out_json_string(text, "refused_by",
	    totals.refused == 0 ? ""
				: diag_name(verdict_codes[totals.refused_by]));
	out_json_number(text, "pages", list_pages_of(list, watch->site_id));
	bool is_lost = strcmp(state.name, "lost") == 0;

	out_json_string(text, "state", state.name);
	out_json_time(text, "held_until", state.held.all_s);
	out_json_time(text, "pages_held_until",
	    state.held.pages_s > state.held.all_s ? state.held.pages_s
						  : state.held.all_s);
	out_json_time(text, "lost_since", is_lost ? state.crawl.lost_s : 0);
	out_json_time(text, "next_try", is_lost ? state.crawl.whole_s : 0);
	out_json_time(text, "stale_since", totals.stale_since_s);
	out_json_begin(text, "waiting", '{');
	out_json_number(text, "documents", totals.waiting);
	out_json_number(text, "urls", totals.waiting_urls);
	out_json_end(text, '}');
	(void)out_end_json(&list->out);
}

/* The first column is as wide as the longest host. */
static void
list_widen(void *arg, const struct watch *watch)
{
	struct list_command *list = arg;
	size_t len = strlen(watch->host);

	if (list_is_wanted(list, watch) && len > list->width)
		list->width = len;
}

/* Is what is told of the past of the site computed anew by whoever looks? A
 * site that is known for less than a day has none, and what 'run' leaves out is
 * waited for by nobody; a copy of PostgreSQL keeps no past. */
static bool
list_is_behind(const struct list_command *list, const struct watch *watch)
{
	const struct options *own = options_of_site(
	    list->options, slice_of(watch->host));
	int64_t known_s = store_number(
	    list->store, STORE_SITE_KNOWN_S, watch->site_id, 0);

	return list->options->store.url == NULL && known_s != 0 &&
	    known_s < list->options->now_s - DAY_S &&
	    store_site_numbers(list->store, watch->site_id, false).listed <=
	    PAST_KEEPER_PAGES &&
	    !past_is_kept(list->store, watch->site_id,
		&(struct events_span){.now_s = list->options->now_s,
		    .sections = own->sections.rules,
		    .renamings = own->moves.renamings});
}

static void
put_watch(void *arg, const struct watch *watch)
{
	struct list_command *list = arg;

	if (!list_is_wanted(list, watch) || list->out.error != 0)
		return;
	list->shown++;
	list->behind += list_is_behind(list, watch);
	if (list->options->output.is_json)
		list_json_site(list, watch);
	else {
		struct out *out = &list->out;
		struct site_totals totals;
		struct list_state state;
		size_t from = out->text.len;
		size_t read;

		store_site_totals(list->store, watch->site_id, &totals);
		(void)vis_put_middle(&out->text, slice_of(watch->host),
		    out->columns > 0 ? list->width : SIZE_MAX);
		out_pad(out, from, list->width);
		(void)buf_print(&out->text, "  ");
		if (!list->is_narrow) {
			size_t begin = out->text.len;

			watch_put_bounds(&out->text, watch->every_least_s,
			    watch->every_most_s);
			if (out->text.len == begin)
				(void)buf_print(&out->text, "auto");
			out_pad(out, begin, EVERY_WIDTH);
		}
		read = out->text.len;
		if (totals.last_read_s == 0)
			(void)buf_print(&out->text, "never");
		else
			report_put_age(&out->text,
			    &(struct date){.epoch_s = totals.last_read_s,
				.precision = DATE_SECOND},
			    list->options->now_s);
		out_pad(out, read, READ_WIDTH);
		out_grouped(
		    out, totals.documents - totals.indexes, SITEMAPS_WIDTH);
		out_grouped(out,
		    store_site_numbers(list->store, watch->site_id, false)
			.listed,
		    URLS_WIDTH);
		if (!list->is_narrow)
			out_grouped(out, list_pages_of(list, watch->site_id),
			    PAGES_WIDTH);
		list_state_of(list, watch, &totals, &state);
		/* Print the state, below the site if it does not fit beside. */
		struct buf text = BUF_UP_TO(SIZE_MAX);

		list_put_state(&text, &totals, &state);
		if (out->columns == 0 ||
		    slice_chars(slice_from(buf_text(&out->text), from)) + 2 +
			    text.len <=
			out->columns) {
			(void)buf_print(&out->text, "  ");
			out_text(out, buf_text(&text));
			(void)buf_put_char(&out->text, '\n');
		} else {
			(void)buf_put_char(&out->text, '\n');
			list_put_line(list, &text);
		}
		(void)out_line(out);
		buf_release(&text);

		if (list->options->listing.is_long)
			list_put_long(list, watch, &state);
	}
}

/* Print the common budget of the sites of a tag. */
static void
put_tag(void *arg, struct slice tag, double per_hour)
{
	struct list_command *list = arg;
	struct buf *text = &list->out.text;
	const struct strings *tags = &list->options->watch.tags;
	bool is_wanted = tags->count == 0;

	for (size_t i = 0; i < tags->count; i++)
		is_wanted |= slice_is(tag, tags->items[i]);
	if (!is_wanted)
		return;
	if (list->options->output.is_json) {
		out_json_line(text, "tag");
		out_json_word(text, "tag", tag);
		out_json_real(text, "requests_per_hour", per_hour);
		(void)out_end_json(&list->out);
	} else {
		(void)buf_put_char(text, '@');
		out_text(&list->out, tag);
		(void)buf_print(text, "  budget=%.10g/h together", per_hour);
		out_end_line(&list->out);
	}
}

/* Print all sites. The exit status is 4 if none of those asked for exists, 1 if
 * some do not (exit.h). */
static int
list_put_all(struct list_command *list)
{
	size_t columns = list->out.columns;
	/* columns beside that of the site */
	size_t others = 2 + READ_WIDTH + SITEMAPS_WIDTH + URLS_WIDTH + 2 +
	    STATE_LEAST;
	size_t missing = 0;

	store_each_site_pages(list->store, add_pages, list);
	list->width = SITE_MIN;
	store_each_watch(list->store, list_widen, list);
	/* fit the columns to the terminal */
	list->is_narrow = columns > 0 &&
	    list->width + others + EVERY_WIDTH + PAGES_WIDTH > columns;
	if (!list->is_narrow)
		others += EVERY_WIDTH + PAGES_WIDTH;
	if (columns > 0 && list->width + others > columns)
		list->width = columns - others;
	else if (columns == 0 && list->width > SITE_MAX)
		list->width = SITE_MAX;
	for (size_t i = 0; i < list->wanted.count; i++)
		if (!list->were_found[i]) {
			complain("'%s' is not on the watch list%s",
			    list->wanted.items[i],
			    list->options->watch.tags.count > 0
				? " with this tag"
				: "");
			missing++;
		}
	if (missing > 0 && missing == list->wanted.count)
		return EXIT_NO_TARGET;
	complain_unused_tags(list->store, &list->options->watch.tags);
	if (list->tagged == 0 && list->options->watch.tags.count > 0)
		return EXIT_NO_TARGET;
	if (!list->options->output.is_json) {
		struct buf *text = &list->out.text;
		size_t from = text->len;

		(void)buf_print(text, "%-*s  ", (int)list->width, "SITE");
		if (!list->is_narrow)
			(void)buf_print(text, "%-*s", EVERY_WIDTH, "EVERY");
		(void)buf_print(text, "%-*s%*s%*s", READ_WIDTH, "READ",
		    SITEMAPS_WIDTH, "SITEMAPS", URLS_WIDTH, "URLS");
		if (!list->is_narrow)
			(void)buf_print(text, "%*s", PAGES_WIDTH, "PAGES");
		if (list->out.columns == 0 ||
		    text->len - from + 2 + strlen("STATE") <= list->out.columns)
			(void)buf_print(text, "  STATE");
		out_end_line(&list->out);
	}
	store_each_watch(list->store, put_watch, list);
	if (list->wanted.count == 0)
		store_each_tag_budget(list->store, put_tag, list);
	if (list->behind > 0 && !list->options->output.is_quiet)
		complain("the past of %s is not kept yet: looking at it takes "
			 "longer; 'freshet run' keeps it",
		    human_of(list->behind, "site").text);
	if (list->shown == 0 && !list->options->output.is_quiet)
		complain(
		    "the watch list is empty; 'freshet add www.example.org' "
		    "puts a site on it");
	return missing > 0 ? EXIT_FINDINGS : EXIT_DONE;
}

/* The shards of a store in PostgreSQL, and its machines. */
static int
list_workers(const struct options *options)
{
	struct members *members = NULL;
	enum diag_code code;
	struct out out;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	if (options->store.url == NULL)
		return complain_with(
		    EXIT_USAGE, "'--workers' is about a store in PostgreSQL");
	out_init(&out, &options->output);
	code = members_open(options->store.url, &members, &why);
	if (code == DIAG_OK &&
	    !members_show(members, options->output.is_json, &out.text, &why))
		code = DIAG_STORE_UNUSABLE;
	members_free(members);
	if (code != DIAG_OK)
		complain("%s: %s", diag_name(code), buf_str(&why));
	buf_release(&why);
	return out_end(&out, exit_of_store(code));
}

int
command_list(struct options *options)
{
	if (options->listing.wants_workers)
		return list_workers(options);

	struct list_command list = {.options = options};
	struct watch_rules rules = {.options = options};
	int status = EXIT_USAGE;

	if (sites_of(&options->targets.args, &list.wanted))
		status = selection_open(options, &list.store);
	if (status == EXIT_DONE) {
		list.were_found = mem_zero(list.wanted.count + 1);
		out_init(&list.out, &options->output);
		/* with -l, a frontier tells what is due next */
		if (options->listing.is_long) {
			rules.store = list.store;
			list.frontier = frontier_to_show(
			    &rules, NULL, options, options->now_s);
		}
		status = list_put_all(&list);
		frontier_free(list.frontier);
		watch_rules_release(&rules);
		status = selection_close(
		    list.store, out_end(&list.out, status));
	}
	strings_release(&list.wanted);
	free(list.were_found);
	free(list.pages);
	return status;
}
