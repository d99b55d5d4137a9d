/* Events of robots.txt, from its former texts. */
#include "crawler/events/robots_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/robots_difference.h"
#include "base/strings.h"
#include "base/url.h"
#include "store/changes.h"
#include "store/document.h"
#include "store/proof.h"

#define CHANGES_SHOWN 4 /* in the sentence */
#define AGENTS_SHOWN 3
#define ASKED_WITHIN_S 3600 /* a request and its answer */
/* What is one change of a site is seen at all of its origins by then. */
#define NEAR_S (2 * INT64_C(86400))

/* The origin at hand, and its text before. */
struct robots_walk {
	struct store *store;
	int64_t site_id;
	const struct events_span *span;
	struct site_event_list *list;
	struct strings origins; /* owned */
	int64_t document_id; /* its robots.txt; 0: of no document of the site */
	bool has_before, was_file;
	struct buf before;
	/* the readings that brought the text, and the one before */
	int64_t at_s, last_id, earlier_id, read_s;
};

/* The words of a difference. */
struct robots_words {
	struct buf text;
	unsigned shown;
};

static void
put_change(void *arg, const struct robots_change *change)
{
	struct robots_words *words = arg;

	if (words->shown++ >= CHANGES_SHOWN)
		return;
	(void)buf_print(&words->text, "%s%s ", words->shown > 1 ? "; " : "",
	    change->is_new ? "new" : "gone");
	robots_change_print(&words->text, change, AGENTS_SHOWN);
}

static bool
robots_events_on_reading(void *arg, const struct reading_row *row)
{
	struct robots_walk *walk = arg;

	if (row->at_s > walk->at_s)
		return false;
	walk->earlier_id = walk->last_id;
	walk->last_id = row->id;
	walk->read_s = row->at_s;
	return true;
}

/* Does the list tell of the change already?  Another origin changed likewise;
 * or only Sitemap lines changed, as an event of this reading says, or because
 * the pages moved to another origin.  Alerts do not wait for the latter. */
static bool
is_told(const struct robots_walk *walk, const struct site_event *change,
    bool is_of_sitemaps)
{
	for (size_t i = 0; i < walk->list->count; i++) {
		const struct site_event *event = &walk->list->items[i];
		bool is_near = llabs(event->at_s - change->at_s) <= NEAR_S;

		if (event->kind == EVENT_LINE_LOST ||
		    event->kind == EVENT_LINE_BACK) {
			if (is_of_sitemaps &&
			    event->document_id == walk->document_id &&
			    event->last_reading_id == walk->last_id)
				return true;
		} else if (event->kind == EVENT_ROBOTS_CHANGED) {
			if (is_near && strcmp(event->text, change->text) == 0)
				return true;
		} else if (event->kind == EVENT_PAGES_MOVED) {
			if (is_near && is_of_sitemaps &&
			    !walk->span->is_as_told &&
			    url_path_of(slice_of(event->from)).len == 0 &&
			    url_path_of(slice_of(event->to)).len == 0)
				return true;
		}
	}
	return false;
}

static void
add_change(struct robots_walk *walk, const struct robots_text *text)
{
	struct robots_words words = {.shown = 0};
	struct robots_difference difference;
	struct site_event event = {.kind = EVENT_ROBOTS_CHANGED,
	    .at_s = text->since_s,
	    .document_id = walk->document_id};

	buf_init(&words.text, 1 << 16);
	if (text->is_file != walk->was_file)
		(void)buf_print(&words.text, "%s: ",
		    text->is_file ? "there was none before"
				  : "there is none any more");
	difference = robots_compare(
	    buf_text(&walk->before), text->body, put_change, &words);
	if (words.shown > CHANGES_SHOWN)
		(void)buf_print(&words.text, "; and %u further",
		    words.shown - CHANGES_SHOWN);
	if (difference.is_cut)
		(void)buf_print(&words.text, "more rules than are compared");
	/* Find the reading that brought the text of that time, and the one
	 * before. */
	struct reading_from from = {
	    .at_s = walk->span->since_s - 2 * INT64_C(86400)};

	walk->at_s = text->since_s;
	walk->last_id = walk->earlier_id = walk->read_s = 0;
	if (walk->document_id != 0)
		store_each_document_reading(walk->store, walk->document_id,
		    from, robots_events_on_reading, walk);
	/* it may have been read for another site */
	if (walk->read_s < text->since_s - ASKED_WITHIN_S)
		walk->last_id = walk->earlier_id = 0;
	event.text = (char *)(uintptr_t)buf_str(&words.text);
	if (robots_is_different(&difference) &&
	    !is_told(walk, &event, difference.is_of_sitemaps)) {
		event.known_s = event.end_s = event.at_s;
		event.count = difference.came;
		event.of = difference.went;
		event.documents = 1;
		event.first_reading_id = walk->earlier_id != 0
		    ? walk->earlier_id
		    : walk->last_id;
		event.last_reading_id = walk->last_id;
		event.text = slice_dup(buf_text(&words.text));
		(void)site_event_add(walk->list, event);
	}
	buf_release(&words.text);
}

static bool
events_on_text(void *arg, const struct robots_text *text)
{
	struct robots_walk *walk = arg;

	if (walk->has_before && text->since_s >= walk->span->since_s &&
	    text->since_s < walk->span->until_s)
		add_change(walk, text);
	walk->has_before = true;
	walk->was_file = text->is_file;
	buf_clear(&walk->before);
	(void)buf_put_slice(&walk->before, text->body);
	return true;
}

static void
on_origin(void *arg, struct slice origin)
{
	struct robots_walk *walk = arg;

	strings_add(&walk->origins, origin);
}

void
robots_events(struct store *store, int64_t site_id,
    const struct events_span *span, struct site_event_list *list)
{
	struct robots_walk walk = {
	    .store = store, .site_id = site_id, .span = span, .list = list};
	struct buf url;

	buf_init(&walk.before, SIZE_MAX);
	buf_init(&url, SIZE_MAX);
	store_each_site_origin(store, site_id, on_origin, &walk);
	for (size_t i = 0; i < walk.origins.count; i++) {
		buf_clear(&url);
		(void)buf_print(&url, "%s/robots.txt", walk.origins.items[i]);
		walk.document_id = store_document_id(
		    store, site_id, buf_text(&url));
		walk.has_before = false;
		store_each_robots_text(store, slice_of(walk.origins.items[i]),
		    events_on_text, &walk);
	}
	strings_release(&walk.origins);
	buf_release(&walk.before);
	buf_release(&url);
}
