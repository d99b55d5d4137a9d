/* What pages of an event answered: see event_answers.h. */
#include "crawler/events/event_answers.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/section.h"
#include "base/url.h"
#include "store/document.h"
#include "store/page.h"
#include "store/page_says.h"
#include "store/site_changes.h"

/* Pages that left; pages that moved, whose old URLs are asked; new pages. */
enum answers_of { OF_DROP, OF_MOVE, OF_LAUNCH, OF_NONE };

/* What is said of pages that answered so; a star stands for the s of one page.
 * means: if all pages answered so. */
static const struct meaning {
	const char *why; /* NULL: the status decides */
	int from, to; /* statuses */
	const char *says;
	const char *means[OF_NONE];
} meanings[] = {
    {ANSWER_FORBIDDEN, 0, 0, "may not be asked, as robots.txt says", {0}},
    {ANSWER_WALL, 0, 0, "ask* for a login or the like", {0}},
    {ANSWER_NOINDEX, 0, 0, "say* 200 with noindex",
	{"hidden from search, not taken down", NULL, NULL}},
    {ANSWER_SOFT, 0, 0, "answer*, but say* that there is no such page",
	{"taken down, it seems", NULL, NULL}},
#define REDIRECTS 4
    {NULL, 300, 399, "redirect* to ", {"moved", "moved", NULL}},
    {NULL, 200, 299, "answer*", {NULL, NULL, NULL}},
#define STATUSES 6 /* which are printed, from here to the last but one */
    {NULL, 404, 404, "say* ",
	{"taken down", "no redirect leads to the new URLs",
	    "listed, but not there"}},
    {NULL, 100, 999, "say* ", {0}},
    {NULL, 0, 0, "give* no answer", {0}},
/* in place of "answer*", for URLs that were listed before */
#define STILL 9
    {NULL, 0, 0, "still answer*",
	{"left out, not taken down", "copied, not only moved", NULL}},
};

#define GROUPS_MOST 32

/* The answers of an event, in groups of one meaning and status. */
struct answers {
	enum answers_of of;
	struct answers_group {
		size_t meaning;
		int status;
		unsigned count;
	} groups[GROUPS_MOST];
	size_t group_count;
	unsigned count, waiting; /* pages; of these not asked yet */
	bool is_one_target; /* all redirects lead to the same URL */
	bool is_elsewhere; /* one leads to another origin */
	struct buf target; /* owned; what the targets of redirects begin with */
};

static void
answers_add(void *arg, const struct verified *page)
{
	struct answers *answers = arg;
	struct answers_group key = {0}, *group = answers->groups;
	/* 410 means what 404 means */
	int status = page->status == 410 ? 404 : page->status;
	struct buf *target = &answers->target;
	struct slice origin = page->url;
	size_t same = 0;

	answers->count++;
	answers->waiting += page->at_s == 0;
	while (meanings[key.meaning].why != NULL
		? !slice_is(page->why, meanings[key.meaning].why)
		: status < meanings[key.meaning].from ||
		    status > meanings[key.meaning].to ||
		    (key.meaning == REDIRECTS && page->location.len == 0))
		key.meaning++;
	if (key.meaning >= STATUSES)
		key.status = page->status;
	else if (key.meaning == REDIRECTS + 1 && answers->of != OF_LAUNCH)
		key.meaning = STILL;
	while (group < answers->groups + answers->group_count &&
	    (group->meaning != key.meaning || group->status != key.status))
		group++;
	if (group == answers->groups + GROUPS_MOST)
		return;
	if (group == answers->groups + answers->group_count) {
		*group = key;
		answers->group_count++;
	}
	group->count++;
	if (key.meaning != REDIRECTS)
		return;
	/* keep what this target and the others begin with */
	origin.len -= url_path_of(origin).len;
	answers->is_elsewhere |= !slice_starts(page->location, origin);
	if (group->count == 1)
		(void)buf_put_slice(target, page->location);
	while (same < target->len && same < page->location.len &&
	    target->p[same] == page->location.p[same])
		same++;
	answers->is_one_target = same == target->len &&
	    same == page->location.len &&
	    (group->count == 1 || answers->is_one_target);
	target->len = same;
}

/* Where the redirects lead: to one URL, or to the folder of all; whether that
 * is the home page, where what was taken down often leads. */
static bool
put_target(struct buf *out, const struct answers *answers, struct slice host)
{
	struct slice to = buf_text(&answers->target);
	bool is_one = answers->is_one_target;
	struct slice path;

	while (!is_one && to.len > 0 && to.p[to.len - 1] != '/')
		to.len--;
	path = url_path_of(to);
	if (!is_one && to.len > 0)
		to.len--;
	if (path.len == 0 ||
	    (path.len == 1 && !is_one && !answers->is_elsewhere))
		(void)buf_print(out, "other pages");
	else if (path.len == 1 && is_one)
		(void)buf_print(out, "the home page");
	else
		(void)buf_put_slice(
		    out, answers->is_elsewhere ? to : url_short(to, host));
	return path.len == 1 && is_one;
}

/* Answers of one meaning are counted together, the most first: "3 of 5 still
 * answer, 2 say 404".  Only if all are one does that say what happened. */
static void
put_sentence(struct buf *out, struct answers *answers, struct slice host)
{
	for (size_t shown = 0; shown < answers->group_count; shown++) {
		struct answers_group *group = answers->groups;
		const struct meaning *meaning;
		const char *means;

		for (size_t k = 1; k < answers->group_count; k++)
			if (answers->groups[k].count > group->count)
				group = &answers->groups[k];
		meaning = &meanings[group->meaning];
		means = meaning->means[answers->of];
		(void)buf_print(
		    out, "%s%u ", shown > 0 ? ", " : "", group->count);
		if (shown == 0)
			(void)buf_print(out, "of %u ", answers->count);
		for (const char *p = meaning->says; *p != '\0'; p++)
			if (*p != '*')
				(void)buf_put_char(out, *p);
			else if (group->count == 1)
				(void)buf_put_char(out, 's');
		if (group->meaning == REDIRECTS &&
		    put_target(out, answers, host))
			means = "taken down, it seems";
		else if (group->status > 0)
			(void)buf_print(out, "%d", group->status);
		if (group->count == answers->count && means != NULL)
			(void)buf_print(out, ": %s", means);
		group->count = 0;
	}
}

struct sampling {
	struct site_event *event;
	const struct event_site *site;
	uint64_t seen;
};

/* The pages that are taken are spread over all that the event counts. */
static void
sampling_add(struct sampling *sampling, struct slice url)
{
	const struct event_site *site = sampling->site;
	uint64_t step = sampling->event->count / site->sample;

	if (!section_is_ignored(site->sections, url) &&
	    sampling->seen++ % (step > 0 ? step : 1) == 0 &&
	    sampling->event->sample.count < site->sample)
		strings_add(&sampling->event->sample, url);
}

/* A page that moved is told by another event. */
static bool
sampling_on_change(void *arg, const struct reading_row *row,
    const struct change *change, const struct move *move)
{
	struct sampling *sampling = arg;
	const struct site_event *event = sampling->event;

	(void)row;
	if (change->kind ==
		(event->kind == EVENT_SECTION_LAUNCHED ? DELTA_ADDED
						       : DELTA_GONE) &&
	    move == NULL &&
	    (event->section == NULL ||
		slice_is(section_of(sampling->site->sections, change->url),
		    event->section)))
		sampling_add(sampling, change->url);
	return true;
}

static bool
sampling_on_reading(void *arg, const struct reading_row *row)
{
	struct sampling *sampling = arg;
	const struct site_event *event = sampling->event;
	/* what has left by a mass drop has left by its last reading */
	int64_t first_id = event->kind == EVENT_MASS_DROP_CONFIRMED
	    ? event->last_reading_id
	    : event->first_reading_id;

	/* children that an index lists are no pages of the site */
	if (row->id >= first_id && row->id <= event->last_reading_id)
		reading_change_walk(sampling->site->store, row,
		    !event->is_of_index, sampling->site->changes,
		    sampling_on_change, sampling);
	return row->id < event->last_reading_id;
}

/* What is missing from a mass drop that waits is held in its document. */
static bool
sampling_on_entry(void *arg, const struct entry *entry)
{
	if (entry->is_held)
		sampling_add(arg, entry->url);
	return true;
}

/* The prefixes of an event end at their stars. */
bool
event_has_move(const struct site_event *event, const struct move *move)
{
	struct slice from = slice_make(event->from, strcspn(event->from, "*"));
	struct slice to = slice_make(event->to, strcspn(event->to, "*"));

	return move->to.at_s >= event->at_s && move->to.at_s <= event->end_s &&
	    slice_starts(move->from.url, from) &&
	    slice_starts(move->to.url, to);
}

void
event_answers_fill(struct site_event *event, const struct event_site *site)
{
	static const enum answers_of kinds[EVENT_KINDS] = {
	    [EVENT_MASS_DROP_WAITING] = OF_DROP + 1,
	    [EVENT_MASS_DROP_CONFIRMED] = OF_DROP + 1,
	    [EVENT_MASS_DROP_ACCIDENT] = OF_DROP + 1,
	    [EVENT_SECTION_GONE] = OF_DROP + 1,
	    [EVENT_PAGES_MOVED] = OF_MOVE + 1,
	    [EVENT_SECTION_LAUNCHED] = OF_LAUNCH + 1};
	struct answers answers = {.target = BUF_UP_TO(SIZE_MAX)};
	struct sampling sampling = {event, site, 0};
	struct buf text = BUF_UP_TO(SIZE_MAX), host = BUF_UP_TO(SIZE_MAX);
	struct reading_from from = {
	    .by = READINGS_OF_SITE, .id = site->id, .at_s = event->at_s};
	uint64_t hash;

	if (kinds[event->kind] == 0)
		return;
	answers.of = kinds[event->kind] - 1;
	/* A name for its answers, which the event keeps as long as the reading
	 * that it began with; a drop keeps it when that is decided.  Sections
	 * and folders can be long: they are hashed. */
	(void)buf_print(&text, "%s %s %s",
	    event->section == NULL ? "" : event->section,
	    event->from == NULL ? "" : event->from,
	    event->to == NULL ? "" : event->to);
	hash = hash_key(buf_text(&text), store_hash_key(site->store));
	buf_clear(&text);
	(void)buf_print(&text, "%d %" PRId64 " %016" PRIx64, answers.of,
	    event->first_reading_id, hash);
	store_each_verified(
	    site->store, site->id, buf_text(&text), answers_add, &answers);
	if (answers.count > 0 && answers.waiting == 0) {
		(void)store_site_host(site->store, site->id, &host);
		buf_clear(&text);
		put_sentence(&text, &answers, buf_text(&host));
		event->verified = slice_dup(buf_text(&text));
	}
	/* A section that is gone is asked before it may be back; of an
	 * accident, everything is there again. */
	if (site->sample > 0 && answers.count == 0 &&
	    (event->known_s != 0 || event->kind == EVENT_SECTION_GONE) &&
	    event->kind != EVENT_MASS_DROP_ACCIDENT) {
		event->name = slice_dup(buf_text(&text));
		if (event->kind == EVENT_MASS_DROP_WAITING)
			store_each_entry(site->store, event->document_id,
			    sampling_on_entry, &sampling);
		else if (event->kind != EVENT_PAGES_MOVED)
			store_each_reading(
			    site->store, from, sampling_on_reading, &sampling);
		else
			for (size_t i = 0; i < site->changes->move_count; i++) {
				const struct move *move = &site->changes
							       ->moves[i];

				if (event_has_move(event, move))
					sampling_add(&sampling, move->from.url);
			}
	}
	buf_release(&answers.target);
	buf_release(&host);
	buf_release(&text);
}
