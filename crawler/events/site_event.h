/* What happened at a site: events, and a list of them (SPEC section 16). */
#ifndef FRESHET_SITE_EVENT_H
#define FRESHET_SITE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "base/strings.h"

/* In the order of EVENT_NAMES. */
enum site_event_kind {
	EVENT_FIRST_READING,
	EVENT_SECTION_LAUNCHED,
	EVENT_SECTION_GONE,
	EVENT_MASS_DROP_WAITING,
	EVENT_MASS_DROP_CONFIRMED,
	EVENT_MASS_DROP_ACCIDENT,
	EVENT_PAGES_MOVED,
	EVENT_OTHER_SITEMAP, /* a note: no event */
	EVENT_BURST,
	EVENT_SILENCE,
	EVENT_REDATED,
	EVENT_DATES_BACKWARDS,
	EVENT_VERDICT_CHANGED,
	EVENT_ROBOTS_CHANGED,
	EVENT_LINE_LOST,
	EVENT_LINE_BACK,
	EVENT_FAILING,
	EVENT_BACK,
	EVENT_SESSION_URLS,
	EVENT_KINDS
};

/* site_event_kind_name(kind): its name in EVENT_NAMES (crawler/cli/options.h),
 * borrowed and without NUL.
 * site_event_is_note(kind): is it only a note?
 * site_event_rank(kind): 0 is the kind that matters most to somebody who reads
 * one event of many; EVENT_KINDS has the highest rank. */
struct slice site_event_kind_name(enum site_event_kind);
bool site_event_is_note(enum site_event_kind);
unsigned site_event_rank(enum site_event_kind);

/* An event is told so long after it is known at the earliest, because the
 * readings of a crawl are stored as the crawl goes on. */
#define EVENTS_LAG_S 300

/* What is 0 or empty is unknown, or does not belong to the kind. */
struct site_event {
	enum site_event_kind kind;
	int64_t at_s; /* when it happened */
	/* from when on it is known: each span of time has the events that
	 * became known in it; 0: it is not over, and counts may grow */
	int64_t known_s;
	/* not known yet, because the pages may turn out to have moved: when
	 * that is known, if no document is open then; else 0 */
	int64_t settles_s;
	/* likewise, and a document is open now: nothing is told, except that an
	 * event waits */
	bool is_doubtful;
	int64_t end_s; /* when its last part happened */
	int64_t first_known_s; /* its first part: a reading, or a pair */
	/* pages; of an index and of documents: these; of robots.txt: records
	 * that came, and in `of` those that went */
	uint64_t count;
	uint64_t of; /* `count` of so many, or the usual count */
	uint64_t documents; /* how many documents */
	int64_t document_id; /* the first of these */
	int64_t first_reading_id, last_reading_id;
	/* of a launch or burst: pages that had been gone, and when the last of
	 * these went */
	uint64_t back;
	int64_t away_s;
	/* it stands for so many of its kind since then, itself included; 0: for
	 * itself alone */
	uint64_t repeats;
	int64_t repeats_since_s;
	bool is_configured; /* pages moved as the user says */
	bool is_redirected; /* pages moved, and a redirect proved it first */
	bool is_of_index; /* count and of are sitemaps that an index lists */
	/* mass drops, and what other sitemaps list: two versions of the
	 * document come in turns, or such accidents come again and again */
	bool is_in_turns;
	/* owned; "/blog", "products": where pages are, or moved from; NULL also
	 * if pages moved from several sections */
	char *section;
	/* owned; of a launch: the section that went for it; NULL: none did */
	char *replaced;
	char *to_section; /* owned; where pages moved to; likewise */
	char *document; /* owned; the URL of document_id */
	/* owned; prefixes of URLs that moved; the same, if they moved within
	 * that folder */
	char *from, *to;
	/* owned; the text of its finding, what changed in robots.txt, or the
	 * part of URLs that changes */
	char *text;
	const char *wall; /* static: why it fails (base/wall.h); NULL */
	/* owned; of a launch or burst: headlines of some of its new pages, as
	 * far as pages said them (store/page_says.h): foreign texts */
	struct strings headlines;
	/* owned: what some of its pages answered (event_answers.h); NULL:
	 * nobody asked, or not all have answered */
	char *verified;
	/* owned: some of its pages, to be asked, and its name for that
	 * (events_span.sample) */
	struct strings sample;
	char *name;
};

/* At most EVENTS_MOST events are kept; the list says if there were more. */
#define EVENTS_MOST 10000

struct site_event_list {
	struct site_event *items; /* owned, and what they own */
	size_t count, cap;
	bool has_more;
};

/* site_event_add(list, event): append the event; the list owns what it owns.
 * Returns where it is now, valid until the next call; NULL: the list is full.
 * site_event_list_sort(list): by at_s, then by kind and reading.
 * site_event_list_fold(list): leave the last of events of one kind that come
 * nearly every day, as redeploys and pages that wander between sitemaps do.
 * site_event_list_facts(list): leave one event of each fact, for somebody who
 * reads a few.  Both take sorted lists.
 * site_event_list_count(list): how many are no notes.
 * site_event_list_release(list): free; zeroed is allowed. */
struct site_event *site_event_add(struct site_event_list *, struct site_event);
void site_event_list_sort(struct site_event_list *);
void site_event_list_fold(struct site_event_list *);
void site_event_list_facts(struct site_event_list *);
size_t site_event_list_count(const struct site_event_list *);
void site_event_list_release(struct site_event_list *);
/* site_event_release(event): free what the event owns.
 * site_event_is_in(event, sections): does it concern one of these sections?
 * Pages that moved from or to several ones concern each. */
void site_event_release(struct site_event *);
bool site_event_is_in(const struct site_event *, const struct strings *);

/* Events that wait until it is known whether their pages moved.  Zeroed before
 * its first use.  site_events_wait_for(waiting, event): count the event, if it
 * waits. */
struct site_events_waiting {
	uint64_t count;
	bool kinds[EVENT_KINDS];
	int64_t until_s; /* the latest settles_s */
};
void site_events_wait_for(
    struct site_events_waiting *, const struct site_event *);

/* site_event_sentence(out, event, host): append a sentence that says what
 * happened. It may contain foreign text; host is that of the site.
 * site_events_waiting_sentence(out, waiting, now_s): append how many events
 * wait, of which kinds, and until when. site_event_json(out, event, host):
 * append an object with its facts, without a line end. */
void site_event_sentence(
    struct buf *, const struct site_event *, struct slice host);
void site_events_waiting_sentence(
    struct buf *, const struct site_events_waiting *, int64_t now_s);
void site_event_json(
    struct buf *, const struct site_event *, struct slice host);

#endif
