/* Changes of the watch list, and of notes: how the owner of the store makes
 * them. */
#include "crawler/control/watch_change.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/out_json.h"
#include "base/target.h"
#include "base/vis.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/control/crawler.h"
#include "crawler/event/exit.h"
#include "crawler/event/ndjson.h"
#include "store/reach.h"
#include "store/site.h"
#include "store/watch.h"

const char *const watch_verb_names[] = {"add", "rm", "set", "note", "unnote"};
const char *const watch_change_names[WATCH_CHANGES] = {
    "added", "changed", "same", "removed", "noted", "unknown", "full", "bad"};

void
watch_request_release(struct watch_request *request)
{
	strings_release(&request->items);
	strings_release(&request->settings);
	free(request->note);
	request->note = NULL;
}

bool
watch_note_check(struct slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
			return false;
	return text.len > 0 && text.len <= NOTE_BYTES && vis_is_utf8(text);
}

bool
watch_item(const char *text, enum watch_verb verb, struct strings *out)
{
	struct target target;
	bool is_good;

	if (verb == WATCH_SET && text[0] == '@') {
		strings_add(out, slice_of(text));
		return value_has_shape(text + 1, SHAPE_TAG);
	}
	is_good = target_parse(&target, slice_of(text)) == DIAG_OK;
	if (is_good)
		strings_add(out,
		    verb == WATCH_ADD || verb == WATCH_RM
			? target_text(&target)
			: url_host(&target.url));
	url_release(&target.url);
	return is_good;
}

bool
watch_is_tag(const struct strings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		if (!slice_starts(
			slice_of(settings->items[i]), slice_of("budget=")))
			return false;
	return true;
}

static void
watch_put_setting(void *arg, const char *key, struct slice value)
{
	(void)buf_print(arg, "%s=%.*s\n", key, (int)value.len, value.p);
}

/* Apply the settings of the request, and add the target, unless that is empty.
 * False: nothing has changed. */
static bool
watch_apply(struct watch *watch, const struct watch_request *request,
    struct slice target)
{
	/* all settings and targets, before and after */
	struct buf texts[2] = {0};
	bool is_same;

	for (size_t k = 0; k < 2; k++) {
		watch_each_setting(watch, watch_put_setting, &texts[k]);
		for (size_t i = 0; i < watch->targets.count; i++)
			(void)buf_print(
			    &texts[k], "%s\n", watch->targets.items[i]);
		if (k == 1)
			break;
		if (target.len > 0 && !strings_has(&watch->targets, target))
			strings_add(&watch->targets, target);
		watch_settings_apply(watch, &request->settings);
	}
	is_same = slice_equal(buf_text(&texts[0]), buf_text(&texts[1]));
	buf_release(&texts[0]);
	buf_release(&texts[1]);
	return !is_same;
}

/* leave_target(store, site_id, text, now_s): the text is no target of the site
 * any more; documents that only this target led to are read no more. */
static void
leave_target(
    struct store *store, int64_t site_id, const char *text, int64_t now_s)
{
	struct unrooting what = {.at_s = now_s};
	struct target target;
	struct buf http = BUF_UP_TO(URL_MAX_BYTES);

	if (target_parse(&target, slice_of(text)) != DIAG_OK) {
		url_release(&target.url);
		return;
	}
	if (target.kind == TARGET_DOCUMENT) {
		what.document_id = store_document_id(
		    store, site_id, url_text(&target.url));
		if (what.document_id > 0)
			reach_unroot(store, site_id, &what);
	} else {
		/* Nor are its robots.txt and its default sitemap places roots
		 * any more. */
		what.origin = url_origin(&target.url);
		reach_unroot(store, site_id, &what);
	}
	/* A bare host may have been crawled over http, since https did not
	 * answer. */
	if (target.kind != TARGET_DOCUMENT && target.has_no_scheme &&
	    buf_print(&http, "http") &&
	    buf_put_slice(
		&http, slice_from(url_origin(&target.url), strlen("https")))) {
		what.origin = buf_text(&http);
		reach_unroot(store, site_id, &what);
	}
	buf_release(&http);
	url_release(&target.url);
}

static enum watch_change
watch_add_target(struct store *store, const struct watch_request *request,
    const char *text, int64_t now_s, struct watch *watch)
{
	struct watch before;
	struct target to;
	struct slice target;
	enum watch_change change = WATCH_BAD;
	bool was_watched;
	int64_t site_id;

	if (target_parse(&to, slice_of(text)) != DIAG_OK) {
		url_release(&to.url);
		return WATCH_BAD;
	}
	target = target_text(&to);
	site_id = store_site(store, url_host(&to.url));
	if (!store_watch_get(store, site_id, watch))
		watch->site_id = site_id;
	was_watched = watch->is_watched;
	if (!was_watched) {
		/* A site that was removed is added again: drop its old settings
		 * and the documents that its old targets led to, except for
		 * those of the new target. An interrupted crawl of the site is
		 * not continued. */
		before = *watch;
		if (before.added_s != 0)
			store_crawl_end(store, before.site_id);
		*watch = (struct watch)WATCH_DEFAULTS;
		watch->site_id = before.site_id;
		watch->host = before.host;
		before.host = NULL;
		for (size_t i = 0; i < before.targets.count; i++)
			if (!slice_is(target, before.targets.items[i]))
				leave_target(store, watch->site_id,
				    before.targets.items[i], now_s);
		watch_release(&before);
		watch->added_s = now_s;
	}
	if (watch->host == NULL)
		watch->host = slice_dup(url_host(&to.url));
	if (was_watched && watch->targets.count >= WATCH_MAX_TARGETS &&
	    !strings_has(&watch->targets, target)) {
		change = WATCH_FULL;
	} else {
		watch->is_watched = true;
		change = watch_apply(watch, request, target) ? WATCH_CHANGED
							     : WATCH_SAME;
		if (change == WATCH_CHANGED)
			store_watch_put(store, watch);
		if (!was_watched)
			change = WATCH_ADDED;
	}
	url_release(&to.url);
	return change;
}

/* The search for a tag. */
struct tag_search {
	struct slice tag;
	double per_hour; /* the budget; 0: none */
	bool is_known;
};

static void
is_budget(void *arg, struct slice tag, double per_hour)
{
	struct tag_search *search = arg;

	if (!slice_equal(tag, search->tag))
		return;
	search->per_hour = per_hour;
	search->is_known = true;
}

/* watch_find(store, host, watch): is the host on the watch list?  *watch: its
 * row. */
static bool
watch_find(struct store *store, struct slice host, struct watch *watch)
{
	/* store_site() would create a site that is not known. */
	int64_t site_id = store_site_find(store, host);

	return site_id != 0 && store_watch_get(store, site_id, watch) &&
	    watch->is_watched;
}

/* Remove a site, named by its host, or one of its targets; the site goes with
 * its last target.  A URL that is no target removes nothing: a request may come
 * twice, when the owner that removed the target died before it said so. */
static enum watch_change
watch_remove(
    struct store *store, const char *text, int64_t now_s, struct watch *watch)
{
	struct strings *targets = &watch->targets;
	struct target target;
	size_t count, kept = 0;
	bool is_host = false, is_found = false;

	if (target_parse(&target, slice_of(text)) == DIAG_OK) {
		is_host = slice_is(url_host(&target.url), text);
		is_found = watch_find(store, url_host(&target.url), watch);
	}
	url_release(&target.url);
	if (!is_found)
		return WATCH_UNKNOWN;
	/* With its last target the site goes as a whole: the store keeps what
	 * it knows of it.  Else the other targets stay. */
	count = targets->count;
	is_host |= count == 1 && strcmp(targets->items[0], text) == 0;
	for (size_t i = 0; i < count; i++)
		if (!is_host && strcmp(targets->items[i], text) == 0)
			free(targets->items[i]);
		else
			targets->items[kept++] = targets->items[i];
	targets->count = kept;
	if (!is_host && kept == count)
		return WATCH_UNKNOWN;
	if (!is_host)
		leave_target(store, watch->site_id, text, now_s);
	watch->is_watched = !is_host;
	store_watch_put(store, watch);
	return watch->is_watched ? WATCH_CHANGED : WATCH_REMOVED;
}

static enum watch_change
change_site(struct store *store, const struct watch_request *request,
    const char *host, int64_t now_s, struct watch *watch)
{
	struct tag_search search = {
	    .tag = slice_of(host[0] == '@' ? host + 1 : "")};

	/* The only setting of a tag is its budget. */
	if (host[0] == '@') {
		store_each_tag_budget(store, is_budget, &search);
		if (!search.is_known && !tag_is_used(store, search.tag))
			return WATCH_UNKNOWN;
		*watch = (struct watch)WATCH_DEFAULTS;
		watch->requests_per_hour = search.per_hour;
		if (!watch_apply(watch, request, slice_of("")))
			return WATCH_SAME;
		store_tag_budget_put(store, host + 1, watch->requests_per_hour);
		return WATCH_CHANGED;
	}
	if (request->verb == WATCH_RM)
		return watch_remove(store, host, now_s, watch);
	if (!watch_find(store, slice_of(host), watch))
		return WATCH_UNKNOWN;
	if (!watch_apply(watch, request, slice_of("")))
		return WATCH_SAME;
	store_watch_put(store, watch);
	return WATCH_CHANGED;
}

static enum watch_change
change_note(
    struct store *store, const struct watch_request *request, const char *host)
{
	static const enum watch_change changes[] = {[NOTE_ADDED] = WATCH_ADDED,
	    [NOTE_SAME] = WATCH_SAME,
	    [NOTE_FULL] = WATCH_FULL,
	    [NOTE_REMOVED] = WATCH_REMOVED,
	    [NOTE_NONE] = WATCH_UNKNOWN};
	int64_t site_id = store_site_find(store, slice_of(host));

	if (site_id == 0)
		return WATCH_UNKNOWN;
	return changes[store_note_set(store, site_id, request->note_s,
	    request->verb == WATCH_UNNOTE ? NULL : request->note)];
}

/* watch_take(request, to): read the request; false when no command of this
 * version sends such a one. */
static bool
watch_take(const struct ndjson *request, struct watch_request *to)
{
	struct slice command = ndjson_text(request, "command");

	while (!slice_is(command, watch_verb_names[to->verb]))
		to->verb++;
	to->note_s = ndjson_number(request, "at_s", 0);
	if (to->verb == WATCH_NOTE) {
		if (!watch_note_check(ndjson_text(request, "note")))
			return false;
		to->note = slice_dup(ndjson_text(request, "note"));
	}
	ndjson_strings(request, "targets", &to->items);
	ndjson_strings(request, "settings", &to->settings);
	for (size_t i = 0; i < to->items.count; i++)
		if (to->items.items[i][0] == '@' &&
		    !watch_is_tag(&to->settings))
			return false;
	/* Are the settings valid?  The command has checked them, but the sender
	 * may be hostile. */
	struct buf why = BUF_UP_TO(1 << 12);
	bool are_good = true;

	for (size_t i = 0; are_good && i < to->settings.count; i++)
		are_good = watch_setting_check(to->settings.items[i], &why);
	buf_release(&why);
	return are_good;
}

struct control_client *
watch_serve(struct crawler *crawler, struct control_peer *peer,
    const struct ndjson *request)
{
	struct watch_request wanted = {0};
	int64_t *written = NULL; /* sites whose rows were written */
	size_t count = 0, cap = 0;
	int64_t now_s = loop_now_s(crawler->loop);
	struct buf answer = BUF_UP_TO(SIZE_MAX);

	if (!watch_take(request, &wanted)) {
		control_end(peer, EXIT_USAGE, slice_of(CONTROL_UNKNOWN));
		watch_request_release(&wanted);
		return NULL;
	}
	for (size_t i = 0; i < wanted.items.count; i++) {
		const char *item = wanted.items.items[i];
		struct watch watch = {0};
		bool is_note = wanted.verb == WATCH_NOTE ||
		    wanted.verb == WATCH_UNNOTE;
		enum watch_change change = is_note
		    ? change_note(crawler->store, &wanted, item)
		    : wanted.verb == WATCH_ADD
		    ? watch_add_target(
			  crawler->store, &wanted, item, now_s, &watch)
		    : change_site(crawler->store, &wanted, item, now_s, &watch);

		out_json_line(&answer, "site");
		out_json_text(&answer, "site",
		    slice_of(watch.host != NULL && change != WATCH_UNKNOWN
			    ? watch.host
			    : item));
		out_json_string(&answer, "change", watch_change_names[change]);
		out_json_line_end(&answer);
		/* Only these changes write the row of the site; notes are in no
		 * row of a site. */
		if (!is_note &&
		    (change <= WATCH_CHANGED || change == WATCH_REMOVED))
			*MEM_PUSH(written, count, cap) = watch.site_id;
		watch_release(&watch);
	}
	if (crawler_commit(
		crawler, peer, buf_text(&answer), EXIT_DONE, slice_of("")))
		/* Without a frontier nothing in this process depends on the
		 * watch list. */
		for (size_t i = 0; crawler->frontier != NULL && i < count;
		     i++) {
			frontier_watch_changed(
			    crawler->frontier, written[i], now_s);
			frontier_service_wake(crawler->service);
			if (crawler->watch_changed != NULL)
				crawler->watch_changed(
				    crawler->hooks_arg, written[i]);
		}
	buf_release(&answer);
	free(written);
	watch_request_release(&wanted);
	return NULL;
}
