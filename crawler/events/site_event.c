/* Kinds of events, lists of events, and what is said of one. */
#include "crawler/events/site_event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/sort.h"
#include "base/url.h"
#include "base/zone.h"
#include "crawler/cli/options.h"

/* Sentences and JSON objects of events. */

#define IN_TURNS "; it seems that two versions of it come in turns"

/* "18 pages", or sitemaps of an index. */
static struct human
event_pages(const struct site_event *event, uint64_t n)
{
	return human_of(n, event->is_of_index ? "sitemap" : "page");
}

/* The path of the document if it is one of the site's own, as everybody who
 * reads of the site knows its host. */
static const char *
event_document(const struct site_event *event, struct slice host)
{
	return event->document == NULL
	    ? "a document"
	    : url_short(slice_of(event->document), host).p;
}

/* " and 2 further sitemaps", if there are several. */
static struct human
event_further(const struct site_event *event, const char *one)
{
	struct human further = {""};

	if (event->documents > 1)
		(void)snprintf(further.text, sizeof(further.text), " and %.50s",
		    human_of(event->documents - 1, one).text);
	return further;
}

/* "; 3 of them are back, away since 2026-11-10" */
static void
put_back(struct buf *out, const struct site_event *event)
{
	if (event->back > 0)
		(void)buf_print(out, "; %s of them %s back, away since %s",
		    human_of(event->back, NULL).text,
		    event->back == 1 ? "is" : "are",
		    zone_text(event->away_s, ZONE_DATE).text);
}

/* Sections that came or went.  A section most of whose pages had been there
 * before is back, not new. */
static void
put_section(struct buf *out, const struct site_event *event)
{
	int64_t days = zone_day(event->end_s) - zone_day(event->at_s) + 1;
	struct human within = {""};

	if (days > 1)
		(void)snprintf(within.text, sizeof(within.text),
		    " within %.50s", human_of((uint64_t)days, "day").text);
	if (event->kind == EVENT_SECTION_GONE) {
		(void)buf_print(out, "%s is gone: its last %s left%s",
		    event->section, event_pages(event, event->count).text,
		    within.text);
	} else if (event->replaced != NULL) {
		(void)buf_print(out, "%s replaced %s: %s came%s, and %s left",
		    event->section, event->replaced,
		    event_pages(event, event->count).text, within.text,
		    human_of(event->of, NULL).text);
		put_back(out, event);
	} else if (event->back > 0 && event->back * 2 >= event->count) {
		(void)buf_print(out, "%s is back: %s came%s, away since %s",
		    event->section, event_pages(event, event->count).text,
		    within.text, zone_text(event->away_s, ZONE_DATE).text);
	} else {
		(void)buf_print(out, "%s is new: %s came%s", event->section,
		    event_pages(event, event->count).text, within.text);
		put_back(out, event);
	}
}

/* "12 pages moved from /blog to /insights", or "moved within /blog", and of the
 * same origin what that means.  If one of the two is not below the site's own
 * host, or their origins differ, both are printed with origins. */
static void
put_moved(struct buf *out, const struct site_event *event, struct slice host)
{
	struct slice from = slice_of(event->from), to = slice_of(event->to);
	struct slice from_path = url_short(from, host);
	struct slice to_path = url_short(to, host);

	if (from.len - from_path.len == to.len - to_path.len &&
	    memcmp(from.p, to.p, from.len - from_path.len) == 0) {
		from = from_path;
		to = to_path;
	}
	(void)buf_print(out, "%s moved", event_pages(event, event->count).text);
	if (slice_equal(from, to) && url_path_of(from).len == 0 &&
	    !event->is_redirected)
		(void)buf_print(
		    out, ": only the letter case of their URLs changed");
	else if (slice_equal(from, to))
		(void)buf_print(out, " within %s", from.p);
	else
		(void)buf_print(out, " from %s to %s", from.p, to.p);
	if (event->is_configured)
		(void)buf_print(out, ", as told by the configuration");
	else if (event->is_redirected)
		(void)buf_print(out, ", as told by redirects");
}

static void
put_verdicts(struct buf *out, const struct site_event *event, struct slice host)
{
	/* The rule and the cause of the finding, whose numbers are those of its
	 * own document: "30 URLs now refused (RULE), 2 URLs now accepted;
	 * CAUSE". */
	const char *text = event->text;
	const char *cause = text == NULL ? NULL : strchr(text, ';');
	const char *rule = text == NULL ? NULL : strchr(text, '(');

	(void)buf_print(out, "freshet now ");
	if (event->count > 0)
		(void)buf_print(
		    out, "refuses %s", event_pages(event, event->count).text);
	if (event->of > 0)
		(void)buf_print(out, "%saccepts %s",
		    event->count > 0 ? ", and " : "",
		    event_pages(event, event->of).text);
	(void)buf_print(out, " of %s%s", event_document(event, host),
	    event_further(event, "further sitemap").text);
	if (rule != NULL && (cause == NULL || rule < cause))
		(void)buf_print(out, " %.*s)", (int)strcspn(rule, ")"), rule);
	if (cause != NULL)
		(void)buf_print(out, "%s", cause);
}

/* One sentence for each kind.  What freshet cannot know, such as why pages are
 * missing, is said as a doubt.  All of it is plain text: whoever shows it makes
 * what is foreign in it harmless. */
void
site_event_sentence(
    struct buf *out, const struct site_event *event, struct slice host)
{
	const char *document = event_document(event, host);
	const char *turns = event->is_in_turns ? IN_TURNS : "";
	const char *text = event->text != NULL ? event->text : "";
	const char *colon = event->text != NULL ? ": " : "";
	struct human count = human_of(event->count, NULL);
	struct human pages = event_pages(event, event->count);
	struct human of = event_pages(event, event->of);
	struct human sitemaps = event_further(event, "further sitemap");

	switch (event->kind) {
	case EVENT_FIRST_READING:
		(void)buf_print(out,
		    "read for the first time: %s, of which none counts as new",
		    pages.text);
		break;
	case EVENT_SECTION_LAUNCHED:
	case EVENT_SECTION_GONE:
		put_section(out, event);
		break;
	case EVENT_PAGES_MOVED:
		put_moved(out, event, host);
		break;
	case EVENT_MASS_DROP_WAITING:
		(void)buf_print(out,
		    "%s of %s are missing from %s; they count as listed unless "
		    "a reading a day later lacks them, too%s",
		    count.text, of.text, document, turns);
		break;
	case EVENT_MASS_DROP_CONFIRMED:
		(void)buf_print(out,
		    "%s of %s left %s at once; a later reading confirmed it",
		    count.text, of.text, document);
		break;
	case EVENT_MASS_DROP_ACCIDENT:
		(void)buf_print(out,
		    "%s of %s were missing from %s, and a later reading had "
		    "them again: nothing is gone%s",
		    count.text, of.text, document, turns);
		break;
	case EVENT_OTHER_SITEMAP:
		(void)buf_print(out,
		    "%s left %s%s; other sitemaps list them, or they were soon "
		    "back, so none is new or gone%s",
		    pages.text, document, sitemaps.text, turns);
		break;
	case EVENT_BURST:
		(void)buf_print(out,
		    "%s in a day; in the 28 days before at most %s a day",
		    human_of(event->count, "new page").text,
		    human_of(event->of, NULL).text);
		put_back(out, event);
		break;
	case EVENT_SILENCE:
		(void)buf_print(out,
		    "no new page for %s, since %s; before never longer than "
		    "%s",
		    human_of(event->count, "day").text,
		    zone_text(event->at_s, ZONE_DATE).text,
		    human_of(event->of, "day").text);
		break;
	case EVENT_REDATED:
		(void)buf_print(out,
		    "%s of %s with dates got another date in %s%s, and nearly "
		    "none came or went: a redeploy, it seems",
		    count.text, of.text, document, sitemaps.text);
		break;
	case EVENT_DATES_BACKWARDS:
		(void)buf_print(out,
		    "%s of %s with dates got an older date in %s%s", count.text,
		    of.text, document, sitemaps.text);
		break;
	case EVENT_VERDICT_CHANGED:
		put_verdicts(out, event, host);
		break;
	case EVENT_ROBOTS_CHANGED:
		(void)buf_print(out, "%s changed%s%s", document, colon, text);
		break;
	case EVENT_LINE_LOST:
		(void)buf_print(out,
		    "%s names no sitemap any more; freshet goes on reading "
		    "those that it named",
		    document);
		break;
	case EVENT_LINE_BACK:
		(void)buf_print(out, "%s names a sitemap again", document);
		break;
	case EVENT_FAILING:
		(void)buf_print(out, "%s%s cannot be read for a day%s%s",
		    document, event_further(event, "further document").text,
		    colon, text);
		break;
	case EVENT_BACK:
		(void)buf_print(out, "%s%s can be read again", document,
		    event_further(event, "further document").text);
		break;
	case EVENT_SESSION_URLS:
		(void)buf_print(out,
		    "the URLs of %s change at every reading (%s), as with a "
		    "session: from now on its pages count as neither new nor "
		    "gone",
		    document, text);
		break;
	case EVENT_KINDS:
		break;
	}
	/* It stands for others of its kind (site_event_list_fold()). */
	if (event->repeats > 0)
		(void)buf_print(out, "; %s such %s since %s%s",
		    human_of(event->repeats, NULL).text,
		    event->kind == EVENT_REDATED ? "redeploys" : "days",
		    zone_text(event->repeats_since_s, ZONE_DATE).text,
		    event->kind == EVENT_OTHER_SITEMAP
			? ": its sitemaps are pages of one list, it seems"
			: "");
	if (event->known_s == 0)
		(void)buf_print(out, " (so far)");
	for (size_t i = 0; i < event->headlines.count; i++)
		(void)buf_print(out, "%s\"%s\"", i == 0 ? "; " : ", ",
		    event->headlines.items[i]);
	if (event->verified != NULL)
		(void)buf_print(out, "; %s", event->verified);
}

/* Nobody should believe that nothing happened because nothing is told yet. */
void
site_events_waiting_sentence(
    struct buf *out, const struct site_events_waiting *waiting, int64_t now_s)
{
	const char *before = ": ";

	(void)buf_print(out, "%s wait%s",
	    human_of(waiting->count, "event").text,
	    waiting->count == 1 ? "s" : "");
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		if (!waiting->kinds[kind])
			continue;
		(void)buf_print(out, "%s", before);
		(void)buf_put_slice(
		    out, site_event_kind_name((enum site_event_kind)kind));
		before = ", ";
	}
	if (waiting->until_s > now_s)
		(void)buf_print(out,
		    ", until %s: pages that came or went may have moved",
		    zone_text(waiting->until_s, ZONE_MOMENT).text);
	else
		(void)buf_print(out,
		    ", until a sitemap that lacked pages is read again: they "
		    "may have moved");
}

/* The sentence stands in it, too, for programs that pass it on to people. */
void
site_event_json(
    struct buf *out, const struct site_event *event, struct slice host)
{
	struct buf sentence = BUF_UP_TO(1 << 16);

	site_event_sentence(&sentence, event, host);
	out_json_line(out, "event");
	out_json_word(out, "site", host);
	out_json_word(out, "kind", site_event_kind_name(event->kind));
	out_json_flag(out, "note", site_event_is_note(event->kind));
	out_json_time(out, "at", event->at_s);
	out_json_time(out, "known", event->known_s);
	out_json_time(out, "end", event->end_s);
	out_json_word(out, "text", buf_text(&sentence));
	out_json_some(out, "count", event->count);
	out_json_some(out, "of", event->of);
	out_json_some(out, "documents", event->documents);
	out_json_string(out, "section", event->section);
	out_json_string(out, "to_section", event->to_section);
	out_json_string(out, "document", event->document);
	out_json_string(out, "from", event->from);
	out_json_string(out, "to", event->to);
	out_json_some(out, "back", event->back);
	out_json_time(out, "away_since", event->away_s);
	out_json_flag(out, "configured", event->is_configured);
	out_json_flag(out, "redirected", event->is_redirected);
	out_json_string(out, "finding", event->text);
	out_json_string(out, "wall", event->wall);
	out_json_some(out, "first_reading", (uint64_t)event->first_reading_id);
	out_json_some(out, "last_reading", (uint64_t)event->last_reading_id);
	if (event->headlines.count > 0)
		out_json_strings(out, "titles", &event->headlines);
	if (event->verified != NULL)
		out_json_string(out, "verified", event->verified);
	out_json_end(out, '}');
	buf_release(&sentence);
}

struct slice
site_event_kind_name(enum site_event_kind kind)
{
	const char *names = EVENT_NAMES;
	struct slice name;

	for (int i = 0; i <= (int)kind; i++)
		(void)slice_next(&names, '|', &name);
	return name;
}

bool
site_event_is_note(enum site_event_kind kind)
{
	return kind == EVENT_OTHER_SITEMAP;
}

unsigned
site_event_rank(enum site_event_kind kind)
{
	/* what is new or moved, what is lost or broken, what is odd, what is
	 * over */
	static const enum site_event_kind order[] = {EVENT_SECTION_LAUNCHED,
	    EVENT_PAGES_MOVED, EVENT_SECTION_GONE, EVENT_MASS_DROP_CONFIRMED,
	    EVENT_MASS_DROP_WAITING, EVENT_FAILING, EVENT_LINE_LOST,
	    EVENT_BURST, EVENT_SILENCE, EVENT_VERDICT_CHANGED,
	    EVENT_ROBOTS_CHANGED, EVENT_DATES_BACKWARDS, EVENT_REDATED,
	    EVENT_SESSION_URLS, EVENT_MASS_DROP_ACCIDENT, EVENT_BACK,
	    EVENT_LINE_BACK, EVENT_FIRST_READING, EVENT_OTHER_SITEMAP};
	unsigned rank = 0;

	_Static_assert(sizeof(order) / sizeof(order[0]) == EVENT_KINDS,
	    "each kind has a rank");
	while (rank < EVENT_KINDS && order[rank] != kind)
		rank++;
	return rank;
}

void
site_event_release(struct site_event *event)
{
	free(event->section);
	free(event->replaced);
	free(event->to_section);
	free(event->document);
	free(event->from);
	free(event->to);
	free(event->text);
	strings_release(&event->headlines);
	strings_release(&event->sample);
	free(event->verified);
	free(event->name);
}

struct site_event *
site_event_add(struct site_event_list *list, struct site_event event)
{
	if (list->count >= EVENTS_MOST) {
		list->has_more = true;
		site_event_release(&event);
		return NULL;
	}
	list->items = mem_grow(
	    list->items, &list->cap, list->count + 1, sizeof(*list->items));
	list->items[list->count] = event;
	return &list->items[list->count++];
}

/* A total order, so that the same events always come in the same order. */
static const struct sort_key event_by_time[] = {
    {SORT_KEY(struct site_event, at_s), false},
    {SORT_KEY(struct site_event, kind), false},
    {SORT_KEY(struct site_event, first_reading_id), false},
    {SORT_KEY(struct site_event, section), false}, {0}};

void
site_event_list_sort(struct site_event_list *list)
{
	sort_rows(
	    list->items, list->count, sizeof(*list->items), event_by_time);
}

/* Events of a kind are one line if there are so many, on every third day at
 * least. */
#define FOLD_REDATED 5
#define FOLD_NOTES 3
#define FOLD_APART_S (3 * INT64_C(86400))

/* The last event of a kind is left, if there are `least` and they come on every
 * third day on average; it stands for all. */
void
site_event_list_fold(struct site_event_list *list)
{
	static const struct {
		enum site_event_kind kind;
		size_t least;
	} folds[] = {
	    {EVENT_REDATED, FOLD_REDATED}, {EVENT_OTHER_SITEMAP, FOLD_NOTES}};

	for (size_t n = 0; n < sizeof(folds) / sizeof(folds[0]); n++) {
		enum site_event_kind kind = folds[n].kind;
		struct site_event *first = NULL, *last = NULL;
		size_t count = 0, kept = 0;
		int64_t since_s;

		for (size_t i = 0; i < list->count; i++) {
			if (list->items[i].kind != kind)
				continue;
			first = count++ == 0 ? &list->items[i] : first;
			last = &list->items[i];
		}
		if (count < folds[n].least ||
		    last->at_s - first->at_s >= (int64_t)count * FOLD_APART_S)
			continue;
		since_s = first->at_s;
		last->repeats = count;
		last->repeats_since_s = since_s;
		for (size_t i = 0; i < list->count; i++) {
			if (list->items[i].kind == kind &&
			    list->items[i].repeats == 0)
				site_event_release(&list->items[i]);
			else
				list->items[kept++] = list->items[i];
		}
		list->count = kept;
	}
}

size_t
site_event_list_count(const struct site_event_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += !site_event_is_note(list->items[i].kind);
	return count;
}

/* Events are of one fact if they happened at most so long apart. */
#define FACT_S INT64_C(86400)

static bool
is_near(const struct site_event *a, const struct site_event *b)
{
	int64_t apart_s = a->at_s - b->at_s;

	return apart_s < FACT_S && -apart_s < FACT_S;
}

static bool
event_tells(const struct site_event *main, const struct site_event *event)
{
	bool is_later = event->at_s >= main->at_s;
	bool has_lines_alone = true;

	switch (event->kind) {
	case EVENT_SECTION_GONE:
		/* it was replaced, or came back since */
		return main->kind == EVENT_SECTION_LAUNCHED &&
		    ((main->replaced != NULL && is_near(main, event) &&
			 strcmp(main->replaced, event->section) == 0) ||
			(main->back * 2 >= main->count && main->back > 0 &&
			    main->at_s >= event->at_s &&
			    strcmp(main->section, event->section) == 0));
	case EVENT_MASS_DROP_WAITING:
	case EVENT_MASS_DROP_CONFIRMED:
		return main->kind == EVENT_SECTION_GONE &&
		    is_near(main, event) && main->count * 2 >= event->count;
	case EVENT_ROBOTS_CHANGED:
		/* did robots.txt change in nothing but its Sitemap lines? */
		for (const char *part = event->text; part != NULL;
		     part = strstr(part, "; ")) {
			part += strspn(part, " ;");
			if (strncmp(part, "new Sitemap:", 12) != 0 &&
			    strncmp(part, "gone Sitemap:", 13) != 0)
				has_lines_alone = false;
		}
		return ((main->kind == EVENT_PAGES_MOVED && has_lines_alone) ||
			   main->kind == EVENT_LINE_LOST ||
			   main->kind == EVENT_LINE_BACK) &&
		    is_near(main, event);
	case EVENT_VERDICT_CHANGED:
		return (main->kind == EVENT_LINE_LOST ||
			   main->kind == EVENT_LINE_BACK) &&
		    is_near(main, event) &&
		    (event->text != NULL &&
			strstr(event->text, "Sitemap") != NULL);
	case EVENT_LINE_BACK:
		return main->kind == EVENT_LINE_LOST && is_later &&
		    main->document_id == event->document_id;
	case EVENT_BACK:
		return main->kind == EVENT_FAILING && is_later &&
		    main->document_id == event->document_id;
	default:
		return false;
	}
}

/* One fact may be several events, because each follows from other data: a
 * section that is replaced went and came, and its sitemap had a mass drop. */
void
site_event_list_facts(struct site_event_list *list)
{
	bool *is_told = mem_zero(list->count + 1);
	size_t count = 0;

	/* Pair each section that went with one that came by the same reading.
	 */
	for (size_t i = 0; i < list->count; i++) {
		struct site_event *gone = &list->items[i], *best = NULL;

		if (gone->kind != EVENT_SECTION_GONE)
			continue;
		for (size_t k = 0; k < list->count; k++) {
			struct site_event *came = &list->items[k];

			if (came->kind == EVENT_SECTION_LAUNCHED &&
			    came->replaced == NULL &&
			    came->at_s == gone->at_s &&
			    (best == NULL || came->count > best->count))
				best = came;
		}
		if (best == NULL)
			continue;
		best->replaced = mem_copy(gone->section);
		best->of = gone->count;
	}
	for (size_t i = 0; i < list->count; i++)
		for (size_t k = 0; k < list->count && !is_told[i]; k++)
			is_told[i] = k != i &&
			    event_tells(&list->items[k], &list->items[i]);
	for (size_t i = 0; i < list->count; i++) {
		if (is_told[i])
			site_event_release(&list->items[i]);
		else
			list->items[count++] = list->items[i];
	}
	list->count = count;
	free(is_told);
}

void
site_event_list_release(struct site_event_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		site_event_release(&list->items[i]);
	free(list->items);
	*list = (struct site_event_list){0};
}

bool
site_event_is_in(const struct site_event *event, const struct strings *sections)
{
	if (event->kind == EVENT_PAGES_MOVED &&
	    (event->section == NULL || event->to_section == NULL))
		return true;
	return strings_has(sections, slice_of(event->section)) ||
	    strings_has(sections, slice_of(event->to_section));
}

void
site_events_wait_for(
    struct site_events_waiting *waiting, const struct site_event *event)
{
	if (event->settles_s == 0)
		return;
	waiting->count++;
	waiting->kinds[event->kind] = true;
	if (event->settles_s > waiting->until_s)
		waiting->until_s = event->settles_s;
}
