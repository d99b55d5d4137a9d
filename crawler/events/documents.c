/* Events that follow from the readings of single documents. */
#include "crawler/events/documents.h"

#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/robots_difference.h"
#include "base/url.h"
#include "base/wall.h"
#include "store/document.h"
#include "store/proof.h"
#include "store/siblings.h"

#define NONE SIZE_MAX
/* So many accidents in a row, no longer apart, are no accident: a load balancer
 * has an old copy. */
#define ACCIDENTS_LEAST 3
#define TURNS_S (7 * DAY_S)
#define CHANGES_SHOWN 4 /* in the sentence */
#define AGENTS_SHOWN 3
#define ASKED_WITHIN_S 3600 /* a request and its answer */
/* What is one change of a site is seen at all of its origins by then. */
#define NEAR_S (2 * INT64_C(86400))
/* Documents that are open so long after a change are waited for.  A site that
 * is read every day has been read again by then, also if that came some hours
 * late. */
#define LOOK_S (DAY_S + DAY_S / 2)
#define MOST_S (14 * DAY_S)

struct document_state {
	int64_t good_s; /* last time it was read or unchanged; 0: never */
	int64_t added_s; /* last time it brought new pages; 0: never */
	int64_t failing_s; /* since when it fails; 0: it does not */
	bool has_event; /* an event says that it fails */
	bool has_ended;
	int64_t open_s; /* since when it is open (documents.h); 0: it is not */
	size_t waiting; /* event of the mass drop that is held; NONE: none */
	/* mass drops by accident, none of them long after the one before */
	uint64_t accidents;
	int64_t accident_s; /* the last one */
	bool has_lines, lost_lines; /* of a robots.txt that was read */
	bool has_sessions; /* its URLs change at every reading */
	/* the place of the latest event that counts the document, plus one; 0:
	 * none does */
	size_t counted[EVENT_KINDS];
};

/* So many entries came to the documents of the site by a reading. */
struct arrival {
	int64_t at_s;
	uint64_t count;
	uint64_t new_pages; /* of these: new, and not moved */
};

/* One of these had moved. */
struct arrival_move {
	int64_t at_s; /* of the reading */
	int64_t known_s; /* of the move */
};

struct documents {
	struct document_state *items; /* owned */
	size_t count, cap;
	struct idmap places; /* in items, by document */
	size_t open[EVENT_KINDS]; /* events that go on; NONE: none does */
	int64_t good_s; /* last time any sitemap was read */
	int64_t first_s; /* first time a sitemap was read; 0: not yet */
	struct arrival *arrivals; /* owned; in the order of readings */
	size_t arrival_count, arrival_cap;
	struct arrival_move *moves; /* owned; as they became known */
	size_t move_count, move_cap;
	int64_t blind_until_s; /* nobody had looked for UNSEEN_S before */
	struct open_documents closed; /* owned: times of open documents */
	int64_t lag_s; /* events do not change any more after that */
	struct site_event late; /* what comes too late for its event */
};

void
open_documents_add(struct open_documents *open, int64_t from_s, int64_t to_s)
{
	/* A time this short cannot reach from LOOK_S to after SETTLED_LEAST_S.
	 */
	if (to_s != 0 && to_s - from_s <= SETTLED_LEAST_S - LOOK_S)
		return;
	*MEM_PUSH(open->items, open->count, open->cap) = (struct open_interval){
	    from_s, to_s};
}

/* A document that was open by then may still say that pages have moved, so its
 * next reading is waited for, but not for ever. */
int64_t
open_documents_settled(struct open_documents *open, int64_t at_s)
{
	int64_t settled_s = at_s + SETTLED_LEAST_S;

	for (size_t i = 0; i < open->count; i++) {
		const struct open_interval *one = &open->items[i];

		if (one->from_s > at_s + LOOK_S)
			continue;
		if (one->to_s == 0)
			settled_s = at_s + MOST_S;
		else if (one->to_s > at_s + LOOK_S && one->to_s > settled_s)
			settled_s = one->to_s;
	}
	if (settled_s > at_s + MOST_S)
		settled_s = at_s + MOST_S;
	if (settled_s <= open->now_s)
		return settled_s;
	events_until(&open->until_s, settled_s);
	return 0;
}

bool
open_documents_is_none(const struct open_documents *open)
{
	for (size_t i = 0; i < open->count; i++)
		if (open->items[i].to_s == 0)
			return false;
	return true;
}

struct documents *
documents_new(int64_t lag_s)
{
	struct documents *documents = mem_zero(sizeof(*documents));

	documents->lag_s = lag_s;
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		documents->open[kind] = NONE;
	return documents;
}

void
documents_free(struct documents *documents)
{
	if (documents == NULL)
		return;
	free(documents->items);
	free(documents->arrivals);
	free(documents->moves);
	free(documents->closed.items);
	free(documents->places.slots);
	free(documents);
}

/* The state of a document, added if it is new; valid until the next call. */
static struct document_state *
state_of(struct documents *documents, int64_t id)
{
	uint32_t place = idmap_get(&documents->places, id);

	if (place != IDMAP_NONE)
		return &documents->items[place];
	mem_limit(documents->count, IDMAP_NONE);
	documents->items = mem_grow(documents->items, &documents->cap,
	    documents->count + 1, sizeof(*documents->items));
	idmap_put(&documents->places, id, (uint32_t)documents->count);
	documents->items[documents->count] = (struct document_state){
	    .waiting = NONE};
	return &documents->items[documents->count++];
}

/* Did the reading show what the document lists now? */
static bool
is_good(const struct reading_row *row)
{
	return row->is_read || row->outcome == OUTCOME_UNCHANGED;
}

static struct site_event
event_of(enum site_event_kind kind, const struct reading_row *row)
{
	return (struct site_event){.kind = kind,
	    .at_s = row->at_s,
	    .known_s = row->at_s,
	    .document_id = row->document_id,
	    .first_reading_id = row->id,
	    .last_reading_id = row->id};
}

/* Is an event complete that needs several readings? */
static bool
is_enough(const struct site_event *event)
{
	return event->kind != EVENT_OTHER_SITEMAP ||
	    event->count >= OTHER_SITEMAP_LEAST;
}

/* Is the document of the reading in the event of that kind that goes on? */
static bool
documents_is_counted(struct documents *documents,
    const struct site_event_list *list, enum site_event_kind kind,
    const struct reading_row *row)
{
	size_t at = documents->open[kind];

	return at != NONE &&
	    row->at_s - list->items[at].first_known_s < DAY_S &&
	    state_of(documents, row->document_id)->counted[kind] == at + 1;
}

/* Add an event of the reading, or count it in one of the same kind that began
 * at most a day before.  Returns the event, or NULL. */
static struct site_event *
documents_add_event(struct documents *documents, struct site_event_list *list,
    enum site_event_kind kind, const struct document_facts *facts)
{
	const struct reading_row *row = facts->row;
	size_t at = documents->open[kind];
	struct site_event *event = at == NONE ? NULL : &list->items[at];
	const struct wall *wall;
	bool is_repeated = documents_is_counted(documents, list, kind, row);

	if (event == NULL || row->at_s - event->first_known_s >= DAY_S) {
		event = site_event_add(list, event_of(kind, row));
		if (event == NULL)
			return NULL;
		event->first_known_s = row->at_s;
		documents->open[kind] = list->count - 1;
		if (facts->text.len > 0 &&
		    (kind == EVENT_FAILING || kind == EVENT_VERDICT_CHANGED))
			event->text = slice_dup(facts->text);
		wall = kind == EVENT_FAILING
		    ? wall_of(row->failure, facts->text)
		    : NULL;
		event->wall = wall == NULL ? NULL : wall->name;
	}
	if (is_enough(event) &&
	    row->at_s - event->known_s >= documents->lag_s) {
		documents->late = (struct site_event){.kind = kind};
		return &documents->late;
	}
	if (!is_repeated)
		event->documents++;
	state_of(documents, row->document_id)
	    ->counted[kind] = documents->open[kind] + 1;
	event->end_s = row->at_s;
	event->last_reading_id = row->id;
	return event;
}

static void
add_dates(struct documents *documents, const struct document_facts *facts,
    struct site_event_list *list)
{
	const struct reading_row *row = facts->row;
	uint64_t redated = row->site[DELTA_REDATED];
	uint64_t others = row->changes[DELTA_ADDED] +
	    row->changes[DELTA_REMOVED] + row->changes[DELTA_RETURNED] +
	    row->changes[DELTA_GONE] + row->changes[DELTA_LEFT] +
	    row->changes[DELTA_BACK];
	bool is_backwards = row->regressed >= BACKWARDS_LEAST &&
	    row->regressed * BACKWARDS_SHARE >= row->dated;
	bool is_redated = redated >= REDATED_LEAST &&
	    redated * 2 >= row->dated && others <= redated / REDATED_QUIET;
	enum site_event_kind kind = is_backwards ? EVENT_DATES_BACKWARDS
						 : EVENT_REDATED;
	struct site_event *event;
	bool is_repeated;

	if (!row->is_read || !row->is_complete || !row->lists_pages ||
	    row->is_in_turns || (!is_backwards && !is_redated))
		return;
	/* a page that is re-dated several times a day is one page */
	is_repeated = documents_is_counted(documents, list, kind, row);
	event = documents_add_event(documents, list, kind, facts);
	if (event == NULL || is_repeated)
		return;
	event->count += is_backwards ? row->regressed : redated;
	event->of += row->dated;
}

/* Pages that left a document, while another one lists them, or until this one
 * did again. */
static void
add_elsewhere(struct documents *documents, const struct document_facts *facts,
    struct site_event_list *list)
{
	const struct reading_row *row = facts->row;
	struct site_event *event;

	if (row->kind == KIND_INDEX || row->kind == KIND_ROBOTS ||
	    row->sessions >= SESSION_READINGS ||
	    row->changes[DELTA_GONE] <= row->site[DELTA_GONE])
		return;
	event = documents_add_event(
	    documents, list, EVENT_OTHER_SITEMAP, facts);
	if (event == NULL)
		return;
	if (!is_enough(event))
		event->known_s = row->at_s;
	event->is_in_turns |= row->is_in_turns;
	event->count += row->changes[DELTA_GONE] - row->site[DELTA_GONE];
}

void
documents_moved(struct documents *documents, int64_t at_s, int64_t known_s)
{
	*MEM_PUSH(documents->moves, documents->move_count,
	    documents->move_cap) = (struct arrival_move){at_s, known_s};
}

/* Note the entries that came.  A first reading of a document brings all of its
 * entries, but those of the site's first day are the baseline. */
static void
add_arrival(struct documents *documents, const struct document_state *state,
    const struct document_facts *facts)
{
	const struct reading_row *row = facts->row;
	uint64_t count = row->changes[DELTA_ADDED];

	if (!row->is_read || !row->lists_pages || state->has_sessions)
		return;
	if (documents->first_s == 0)
		documents->first_s = row->at_s;
	if (!row->has_delta && state->good_s == 0)
		count = row->at_s - documents->first_s >= DAY_S ? row->entries
								: 0;
	if (count == 0)
		return;
	*MEM_PUSH(documents->arrivals, documents->arrival_count,
	    documents->arrival_cap) = (struct arrival){
	    row->at_s, count, facts->new_pages};
}

/* May what came by a reading replace what a drop lacks?  That is so within a
 * day before it, and just after it. */
static bool
drop_is_near(const struct site_event *waiting, int64_t at_s)
{
	return at_s >= waiting->known_s - DAY_S &&
	    at_s < waiting->known_s + EVENTS_LAG_S;
}

static struct arrival
arrived(const struct documents *documents, const struct site_event *waiting)
{
	struct arrival sum = {0};

	for (size_t i = documents->arrival_count; i-- > 0;) {
		const struct arrival *arrival = &documents->arrivals[i];

		if (arrival->at_s < waiting->known_s - DAY_S)
			break;
		if (!drop_is_near(waiting, arrival->at_s))
			continue;
		sum.count += arrival->count;
		sum.new_pages += arrival->new_pages;
	}
	return sum;
}

/* Is a drop to be told?  If as much came as is missing, the site was
 * reorganised, it seems.  What moved here replaces other pages, because what is
 * held is not gone; so the drop may become known by a move, up to the reading
 * that decides. */
static bool
drop_is_told(const struct documents *documents, struct site_event *waiting)
{
	uint64_t came = arrived(documents, waiting).count;
	int64_t known_s = waiting->known_s;

	for (size_t i = 0; came >= waiting->count && i < documents->move_count;
	     i++) {
		const struct arrival_move *move = &documents->moves[i];

		if (waiting->end_s > 0 && move->known_s >= waiting->end_s)
			break;
		if (!drop_is_near(waiting, move->at_s))
			continue;
		came--;
		if (move->known_s > known_s)
			known_s = move->known_s;
	}
	waiting->known_s = known_s;
	return came < waiting->count;
}

static void
decide(const struct documents *documents, struct document_state *state,
    const struct document_facts *facts, struct site_event_list *list)
{
	const struct reading_row *row = facts->row;
	struct site_event *waiting = &list->items[state->waiting];
	struct site_event event = event_of(EVENT_MASS_DROP_ACCIDENT, row);

	event.at_s = waiting->at_s;
	event.end_s = row->at_s;
	event.count = waiting->count;
	event.of = waiting->of;
	event.is_of_index = waiting->is_of_index;
	event.is_in_turns = row->is_in_turns;
	event.first_reading_id = waiting->first_reading_id;
	waiting->end_s = row->at_s;
	state->waiting = NONE;
	if (row->changes[DELTA_GONE] > 0) {
		uint64_t replaced = arrived(documents, waiting).new_pages;

		/* some were still taken for new when they came */
		for (size_t i = 0; replaced > 0 && i < documents->move_count;
		     i++) {
			const struct arrival_move *move = &documents->moves[i];

			if (drop_is_near(waiting, move->at_s) &&
			    move->known_s - move->at_s >= documents->lag_s &&
			    move->known_s - row->at_s < documents->lag_s)
				replaced--;
		}
		event.kind = EVENT_MASS_DROP_CONFIRMED;
		event.count = facts->gone_pages > replaced
		    ? facts->gone_pages - replaced
		    : 0;
		if (event.is_of_index)
			event.count = row->changes[DELTA_GONE];
		/* all pages were replaced or are in other documents, and other
		 * events or notes say so */
		if (event.count == 0)
			return;
	} else if (facts->held > 0 || row->changes[DELTA_LEFT] > 0) {
		/* another drop waits now, or it was what moves on */
		return;
	}
	if (event.kind == EVENT_MASS_DROP_ACCIDENT) {
		state->accidents = row->at_s - state->accident_s > TURNS_S
		    ? 1
		    : state->accidents + 1;
		state->accident_s = row->at_s;
		event.is_in_turns |= state->accidents >= ACCIDENTS_LEAST;
	}
	(void)site_event_add(list, event);
}

/* Begin an event when a mass drop is held, and end it with the reading that
 * decides.  A drop that grows while it is held is one event. */
static void
add_drop(const struct documents *documents, struct document_state *state,
    const struct document_facts *facts, struct site_event_list *list)
{
	const struct reading_row *row = facts->row;
	bool decides = row->outcome == OUTCOME_ENDED ||
	    row->outcome == OUTCOME_UNCHANGED ||
	    (row->is_read && row->is_complete);
	struct site_event *event;

	if (state->waiting != NONE && facts->is_still_held) {
		event = &list->items[state->waiting];
		if (facts->held > event->count) {
			event->count = facts->held;
			event->of = facts->held_of;
		}
		return;
	}
	if (state->waiting != NONE && decides)
		decide(documents, state, facts, list);
	if (facts->held == 0 || state->has_sessions ||
	    (row->kind == KIND_INDEX &&
		row->changes[DELTA_ADDED] >= facts->held))
		return;
	event = site_event_add(list, event_of(EVENT_MASS_DROP_WAITING, row));
	if (event == NULL)
		return;
	event->count = facts->held;
	event->of = facts->held_of;
	event->is_of_index = row->kind == KIND_INDEX;
	event->is_in_turns = row->is_in_turns;
	state->waiting = list->count - 1;
}

/* A document fails for a day before that is an event: servers restart, and
 * nobody wants to be told of each time. */
static void
add_failing(struct documents *documents, struct document_state *state,
    const struct document_facts *facts, struct site_event_list *list)
{
	const struct reading_row *row = facts->row;
	struct site_event *event;

	/* a document that ends because it fails goes on failing */
	if (row->outcome == OUTCOME_ENDED) {
		if (!state->has_event)
			state->failing_s = 0;
		return;
	}
	if (is_good(row)) {
		if (state->has_event)
			(void)documents_add_event(
			    documents, list, EVENT_BACK, facts);
		state->failing_s = 0;
		state->has_event = false;
		return;
	}
	if (state->failing_s == 0)
		state->failing_s = row->at_s;
	if (state->has_event || row->at_s - state->failing_s < FAILING_S)
		return;
	state->has_event = true;
	event = documents_add_event(documents, list, EVENT_FAILING, facts);
	if (event != NULL && state->failing_s < event->at_s)
		event->at_s = state->failing_s;
}

/* Drops come first, because they look at what had come before this reading; the
 * state of the document changes last, because events are made from what it was
 * before. */
void
documents_reading(struct documents *documents,
    const struct document_facts *facts, struct site_event_list *list)
{
	const struct reading_row *row = facts->row;
	struct document_state *state = state_of(documents, row->document_id);
	bool had_sessions = state->has_sessions;
	bool is_open;

	/* other readings changed nothing */
	if (row->changes[DELTA_ADDED] + row->changes[DELTA_REMOVED] +
		row->changes[DELTA_RETURNED] + row->changes[DELTA_GONE] >
	    0)
		state->has_sessions = row->sessions >= SESSION_READINGS;
	if (row->sessions == SESSION_READINGS && !had_sessions) {
		struct site_event event = event_of(EVENT_SESSION_URLS, row);

		event.text = slice_dup(facts->part);
		(void)site_event_add(list, event);
	}
	add_drop(documents, state, facts, list);
	add_arrival(documents, state, facts);
	add_dates(documents, facts, list);
	/* pages that the location rules judge otherwise than before */
	if (row->site[DELTA_REFUSED] + row->site[DELTA_ACCEPTED] > 0) {
		struct site_event *event = documents_add_event(
		    documents, list, EVENT_VERDICT_CHANGED, facts);

		if (event != NULL) {
			event->count += row->site[DELTA_REFUSED];
			event->of += row->site[DELTA_ACCEPTED];
		}
	}
	add_elsewhere(documents, facts, list);
	/* The first robots.txt is the baseline: nobody was told what it named.
	 */
	if (row->kind == KIND_ROBOTS && row->is_read && row->is_complete) {
		if (state->has_lines &&
		    state->lost_lines != facts->has_lost_line)
			(void)site_event_add(list,
			    event_of(facts->has_lost_line ? EVENT_LINE_LOST
							  : EVENT_LINE_BACK,
				row));
		state->has_lines = true;
		state->lost_lines = facts->has_lost_line;
	}

	add_failing(documents, state, facts, list);
	/* A document is open while its entries may have gone, or may be back
	 * when it is read again. */
	is_open = row->outcome != OUTCOME_ENDED && !state->has_sessions &&
	    (facts->held > 0 || row->missed > 0);

	if (row->outcome == OUTCOME_ENDED ||
	    (is_good(row) && (!row->is_read || row->is_complete))) {
		if (state->open_s > 0)
			open_documents_add(
			    &documents->closed, state->open_s, row->at_s);
		state->open_s = is_open ? row->at_s : 0;
	}

	state->has_ended = row->outcome == OUTCOME_ENDED;
	if (facts->new_pages > 0)
		state->added_s = row->at_s;
	if (!is_good(row))
		return;
	state->good_s = row->at_s;
	if (row->kind != KIND_ROBOTS)
		documents->good_s = row->at_s;
}

bool
documents_unseen(struct documents *documents, const struct reading_row *row)
{
	const struct document_state *state = state_of(
	    documents, row->document_id);

	if (is_good(row) && row->kind != KIND_ROBOTS && documents->good_s > 0 &&
	    row->at_s - documents->good_s > UNSEEN_S)
		documents->blind_until_s = row->at_s + DAY_S;
	return row->at_s < documents->blind_until_s ||
	    (state->good_s > 0 && row->at_s - state->good_s > UNSEEN_S);
}

bool
documents_are_seen(
    const struct documents *documents, int64_t since_s, int64_t at_s)
{
	for (size_t i = 0; i < documents->count; i++) {
		const struct document_state *state = &documents->items[i];

		if (state->added_s > 0 && state->added_s >= since_s &&
		    !state->has_ended && at_s - state->good_s > UNSEEN_S)
			return false;
	}
	return true;
}

void
documents_end(struct documents *documents, struct open_documents *open,
    struct site_event_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < documents->closed.count; i++)
		open_documents_add(open, documents->closed.items[i].from_s,
		    documents->closed.items[i].to_s);
	for (size_t i = 0; i < documents->count; i++)
		if (documents->items[i].open_s > 0)
			open_documents_add(open, documents->items[i].open_s, 0);
	for (size_t i = 0; i < list->count; i++) {
		struct site_event *event = &list->items[i];
		bool is_kept = is_enough(event);

		if (event->kind == EVENT_MASS_DROP_WAITING &&
		    !event->is_of_index)
			is_kept = drop_is_told(documents, event);
		if (is_kept)
			list->items[count++] = *event;
		else
			site_event_release(&list->items[i]);
	}
	list->count = count;
}

/* The origin at hand, and its text before. */
struct robots_walk {
	struct store *store;
	int64_t site_id;
	const struct events_span *window;
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

/* The last reading up to the time of a text brought it. */
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
			    !walk->window->is_as_told &&
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
	struct reading_from from = {.by = READINGS_OF_DOCUMENT,
	    .id = walk->document_id,
	    .at_s = walk->window->since_s - 2 * INT64_C(86400)};

	walk->at_s = text->since_s;
	walk->last_id = walk->earlier_id = walk->read_s = 0;
	if (walk->document_id != 0)
		store_each_reading(
		    walk->store, from, robots_events_on_reading, walk);
	/* it may have been read for another site */
	if (walk->read_s < text->since_s - ASKED_WITHIN_S)
		walk->last_id = walk->earlier_id = 0;
	event.text = (char *)(uintptr_t)buf_str(&words.text);
	if (difference.is_different &&
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

/* The first text is what others are compared with. */
static bool
events_on_text(void *arg, const struct robots_text *text)
{
	struct robots_walk *walk = arg;

	if (walk->has_before && text->since_s >= walk->window->since_s)
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
    const struct events_span *window, struct site_event_list *list)
{
	struct robots_walk walk = {
	    .store = store, .site_id = site_id, .window = window, .list = list};
	struct buf url = BUF_UP_TO(SIZE_MAX);

	store_each_url(
	    store, URLS_ORIGINS, site_id, slice_of(""), on_origin, &walk);
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
