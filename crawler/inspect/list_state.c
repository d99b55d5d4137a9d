/* The state of a watched site. */
#include "crawler/inspect/list_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/verdict.h"
#include "base/zone.h"
#include "crawler/cli/failing.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/inspect/explain_due.h"
#include "store/aside.h"
#include "store/document.h"
#include "store/hold.h"
#include "store/proof.h"
#include "store/site.h"
#include "store/watch.h"

/* Can the longest intervals of a site be kept? */

void
list_rounds_text(
    struct buf *out, struct frontier *frontier, int64_t site_id, int64_t now_s)
{
	struct frontier_round pages, documents;

	if (frontier == NULL ||
	    !frontier_site_rounds(frontier, site_id, now_s, &pages, &documents))
		return;
	if (frontier_round_is_late(&pages)) {
		(void)buf_print(out, ", which cannot be kept: ");
		explain_round_text(out, &pages, true);
	}
	if (frontier_round_is_late(&documents)) {
		(void)buf_print(out, "; documents cannot be read every ");
		watch_put_seconds(out, documents.most_s);
		(void)buf_print(out, ": ");
		explain_round_text(out, &documents, false);
	}
}

/* round NULL: there is no frontier to ask. */
static void
state_put_kept(
    struct buf *out, const char *key, const struct frontier_round *round)
{
	if (round != NULL) {
		out_json_flag(out, key, !frontier_round_is_late(round));
		return;
	}
	out_json_null(out, key);
}

void
list_rounds_json(
    struct buf *out, struct frontier *frontier, int64_t site_id, int64_t now_s)
{
	struct frontier_round pages, documents;
	bool is_known = frontier != NULL &&
	    frontier_site_rounds(frontier, site_id, now_s, &pages, &documents);

	state_put_kept(out, "every_kept", is_known ? &documents : NULL);
	state_put_kept(out, "pages_every_kept", is_known ? &pages : NULL);
}

struct held_loading {
	struct held_hosts *hosts;
	int64_t now_s;
};

static void
on_hold(void *arg, struct slice host, const struct hold_times *times)
{
	const struct held_loading *loading = arg;
	struct held_hosts *hosts = loading->hosts;
	struct hold_times until = *times;

	if (until.all_s <= loading->now_s)
		until.all_s = 0;
	if (until.pages_s <= loading->now_s)
		until.pages_s = 0;
	if (until.all_s == 0 && until.pages_s == 0)
		return;
	hosts->items = mem_grow(
	    hosts->items, &hosts->cap, hosts->count + 1, sizeof(*hosts->items));
	hosts->items[hosts->count++] = (struct held_host){
	    slice_dup(host), until};
}

void
held_hosts_load(struct store *store, int64_t now_s, struct held_hosts *hosts)
{
	struct held_loading loading = {hosts, now_s};

	hosts->now_s = now_s;
	store_each_hold(store, on_hold, &loading);
}

static int
by_host(const void *a, const void *b)
{
	const struct held_host *host = b;

	return strcmp(a, host->host);
}

void
held_hosts_release(struct held_hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		free(hosts->items[i].host);
	free(hosts->items);
	*hosts = (struct held_hosts){0};
}

void
list_state(struct store *store, const struct watch *watch,
    const struct site_totals *totals, const struct held_hosts *hosts,
    struct list_state *state)
{
	bool is_known = site_crawl_get(store, watch, &state->crawl);

	const struct held_host *found = hosts->count == 0
	    ? NULL
	    : bsearch(watch->host, hosts->items, hosts->count,
		  sizeof(*hosts->items), by_host);
	state->held = found == NULL ? (struct hold_times){0} : found->until;
	state->totals = *totals;
	state->failing = totals->failing + totals->failing_robots;
	if (state->held.all_s > 0 &&
	    aside_until(store, watch->site_id, hosts->now_s) != 0)
		state->name = "set-aside";
	else if (is_known && site_crawl_is_lost(&state->crawl))
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

static void
state_put_time(struct buf *out, const char *before, int64_t at_s)
{
	(void)buf_print(out, "%s", before);
	zone_print(out, at_s);
}

void
list_state_text(struct buf *out, const struct list_state *state)
{
	const struct site_totals *totals = &state->totals;
	bool is_lost = strcmp(state->name, "lost") == 0;
	size_t from = out->len;

	if (is_lost) {
		(void)buf_print(out, "not found");
		if (state->crawl.lost_s != 0)
			state_put_time(out, " since ", state->crawl.lost_s);
		state_put_time(out, ", next try ", state->crawl.whole_s);
	} else if (strcmp(state->name, "set-aside") == 0) {
		state_put_time(out, "set aside until ", state->held.all_s);
	} else if (state->held.all_s > 0) {
		state_put_time(out, "held until ", state->held.all_s);
	} else if (state->held.pages_s > 0) {
		state_put_time(out, "pages held until ", state->held.pages_s);
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
		if (totals->stale_since_s == 0 && totals->failing_since_s > 0) {
			(void)buf_print(out, " since ");
			zone_moment(out, totals->failing_since_s);
		}
	}
	if (totals->stale_since_s > 0) {
		(void)buf_print(
		    out, "%sstale since ", out->len > from ? ", " : "");
		zone_moment(out, totals->stale_since_s);
	}
	if (totals->waiting > 0) {
		(void)buf_print(out, ", waiting: ");
		human_waiting(out, totals->waiting, totals->waiting_urls);
	}
	if (totals->refused > 0) {
		(void)buf_print(out, ", ");
		verdict_put_refused(out, totals->refused, totals->refused_by);
	}
}

void
list_state_json(struct buf *out, const struct list_state *state)
{
	const struct site_totals *totals = &state->totals;
	bool is_lost = strcmp(state->name, "lost") == 0;

	out_json_string(out, "state", state->name);
	out_json_time(out, "held_until", state->held.all_s);
	out_json_time(out, "pages_held_until",
	    state->held.pages_s > state->held.all_s ? state->held.pages_s
						    : state->held.all_s);
	out_json_time(out, "lost_since", is_lost ? state->crawl.lost_s : 0);
	out_json_time(out, "next_try", is_lost ? state->crawl.whole_s : 0);
	out_json_time(out, "stale_since", totals->stale_since_s);
	out_json_begin(out, "waiting");
	out_json_number(out, "documents", totals->waiting);
	out_json_number(out, "urls", totals->waiting_urls);
	out_json_end(out);
}
