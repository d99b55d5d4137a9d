/*
 * The driver's tables: what is known of tasks, sites, crawls and origins, and
 * what is under way for each of them.
 *
 * The entries of a table are named by their numbers; a pointer to an entry is
 * valid until the next one is added to the table.  Some numbers are free.
 *
 * A run can live for ever, so tasks are removed. A task of a crawl stays until
 * the end of the crawl, because its children, and proofs that come later, need
 * it. The task of a single document is removed after its commit.
 *
 * No module moves a task itself: the module posts the task's next state, and
 * run_machine.c moves all posted tasks before the event at hand is over.
 */
#ifndef FRESHET_RUN_TABLES_H
#define FRESHET_RUN_TABLES_H

#include "base/civil.h"
#include "base/diag.h"
#include "base/fifo.h"
#include "base/idmap.h"
#include "base/names.h"
#include "base/target.h"
#include "base/url.h"
#include "base/w3cdate.h"
#include "crawler/crawl/run.h"
#include "crawler/crawl/run_status.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/fetch.h"
#include "sched/host_queue.h"
#include "sched/host_table.h"
#include "store/location.h"
#include "store/segment/finding.h"
#include "store/segment/reading.h"

struct accept;
struct ancestry;
struct challenge;
struct host_state;
struct loop_timer;
struct reader_job;
struct site_tally;
struct self_listed;
struct site_rules;
struct spool_file;

#define NONE UINT32_MAX /* no task, site, origin, host or crawl */

/*
 *	NEW -> WAITING (robots.txt of its origin) -> QUEUED (host queue)
 *	    -> FETCHING -> READING (a reader) -> ACCEPTING (children)
 *	    -> COMMITTING -> EXPANDING (children begin) -> DONE
 *
 * A redirect leads from FETCHING back to NEW; another try leads back to QUEUED,
 * also from READING, if the segment to compare with is damaged.  What was read
 * already goes from NEW to EXPANDING, what is unchanged from FETCHING to
 * COMMITTING.  From each state before READING a task may become GIVEN_UP, and
 * from there COMMITTING (the failure is stored) or DONE.  run_machine.c has the
 * one switch over these states, with what each of them begins.
 */
enum task_state {
	TASK_NEW,
	TASK_WAITING,
	TASK_QUEUED,
	TASK_FETCHING,
	TASK_READING,
	TASK_ACCEPTING,
	TASK_COMMITTING,
	TASK_EXPANDING,
	TASK_GIVEN_UP, /* attempt.failure and attempt.why say the reason */
	TASK_DONE,
	TASK_STATES /* as task.next: no state is posted */
};

/* PROBE: a default location that may have a document.  PAGE: a page that a
 * document lists (run_page.c), whose parent is the document; or one that
 * run_page() was asked for, which is_given. */
enum task_type { TASK_ROBOTS, TASK_DOCUMENT, TASK_PROBE, TASK_PAGE };

/* One document to read in this run. The struct is small, because there may be
 * 100,000 tasks. */
struct task {
	char *url; /* owned */
	/* 0: the task is a probe that has found no document yet */
	int64_t document_id;
	uint64_t owner; /* in the DNS queue: of the name, see fetch_owner() */
	struct date lastmod; /* as the index lists it */
	uint64_t fingerprint; /* fingerprint of the scope of the last reading */
	struct attempt *attempt; /* owned; NULL while nothing is under way */
	uint32_t site; /* NONE: the number of this task is free */
	/* task of the index, or of a document that lists the page; NONE for a
	 * seed, and for a start page */
	uint32_t parent;
	/* ROBOTS, PROBE, start page: the origin asked; else NONE */
	uint32_t origin;
	/* hash of the proofs of the index that listed the document last; 0:
	 * there are none */
	uint64_t proof;
	/* how often the document was read again, and looked at again, because
	 * of proofs that came later */
	uint8_t rereads, checks;
	uint8_t type, state, class, depth;
	uint8_t next; /* the state that is posted, or TASK_STATES */
	bool is_guess; /* the document was found at a default location */
	/* PROBE: the location is below a target, not at the origin's root */
	bool is_below;
	bool is_renewed; /* the stored segment cannot be decoded: ignore it */
	bool is_child; /* an index lists the document */
	bool is_suspect; /* the task is in LIST_SUSPECTS */
	/* a proof came while the task was at work; when it is done, it is
	 * looked at */
	bool has_new_proof;
	/* single document or page, given to run_document() or run_page() */
	bool is_given;
	/* the same: its reading was committed and reported, or the page was */
	bool is_reported;
};

/* What a task needs only while one try is under way. */
struct attempt {
	struct run *run; /* callbacks get the attempt, and find the run here */
	uint32_t number; /* of the task */
	struct url current; /* of this hop */
	struct string_set passed; /* URLs of the hops before */
	unsigned hops;
	unsigned tries; /* tries that failed on the network */
	bool is_conditional; /* the request has validators */
	/* Validators spoilt an answer, so that no other request has any. */
	bool is_spoilt;
	/* The index dates the document newer than it was, and yet it is said to
	 * be unchanged: it is asked for without conditions. */
	bool is_settling;
	bool is_signed; /* the request has a signature */
	/* owned: what the next request answers (run_sign.h); NULL: nothing */
	struct challenge *challenge;
	bool is_truncated; /* the body ended early */
	/* the index has too many children for one reading: it must be read
	 * again */
	bool is_lacking;
	/* so many entries are missing that the document is read again (SPEC
	 * */
	bool is_held;
	/* the store has a digest of the document as a whole */
	bool has_digest;
	bool is_first; /* first reading: its new entries are no changes */
	bool is_baseline; /* refused entries are no changes, see struct scope */
	/* lastmod in the index at the time of the request */
	struct date index_lastmod;
	/* what the store had of the document at the time of the request; if the
	 * answer brings nothing new, this is what the document has */
	enum document_kind kind;
	uint64_t entries;
	uint64_t refused;
	enum verdict refused_by;
	/* stamp of the rules that allow this hop; 0: no rules have allowed it
	 * yet */
	uint64_t judged_by;
	uint32_t host; /* number in the host queue */
	struct spool_file *spool; /* owned; the body */
	struct reader_job *job; /* owned; until the readers have it */
	/* location scope of the reading under way */
	struct location_scope location;
	struct reading *reading; /* owned until it is committed */
	int64_t expires_s; /* of a robots.txt (SPEC R-104) */
	/* findings of the hops, kept for the reading */
	struct findings findings;
	enum diag_code failure; /* GIVEN_UP: why */
	char *why; /* owned; the failure in words; NULL: none */
	/* owned; set when the server of a page has answered */
	struct page_look *look;
	struct ordered_page *ordered; /* owned; for run_page(); else NULL */
	struct accept *accept; /* owned; the state of the work in ACCEPTING */
	/* owned; for a single document that is an index */
	struct ancestry *ancestry;
	int64_t last_child; /* id of the last child that has begun */
};

/* What the server of a listed page answered. */
struct page_look {
	int status; /* of the first answer, 0: none */
	struct slice url; /* that was asked for last */
	struct fetch_result last; /* its answer */
	struct buf texts; /* owned: what the two borrow */
};

/* What run_page() was asked for. */
struct ordered_page {
	struct page_order order; /* its texts are empty */
	char *etag, *last_modified; /* owned; NULL: none */
	char *first_location; /* owned; NULL: no redirect so far */
	/* static: why the page is not for everybody; NULL: it is */
	const char *wall;
	int text_fd; /* owned; what a reader wrote; -1: nothing */
	bool is_told; /* `exchange` was called for the last answer */
};

/* Lists of tasks, each in the order in which the tasks were added. */
enum task_list {
	/* a state is posted: run_machine.c empties this list before the event
	 * at hand is over */
	LIST_POSTED,
	LIST_BEGINNING, /* tasks that begin one after the other */
	LIST_ACCEPTING, /* in the state of that name */
	LIST_EXPANDING, /* in the state of that name */
	LIST_SUSPECTS, /* with is_suspect */
	TASK_LISTS
};

/* One crawl of one site, or one single document of the site. */
struct crawled_site {
	int64_t id; /* in the store */
	uint32_t at_work; /* see at_work.h */
	bool is_single; /* one document and its robots.txt; or is_pages */
	bool is_pages; /* the pages of run_page(), and their robots.txt */
	bool is_found; /* its documents were found in a folder */
	uint32_t crawl; /* that asked for it; NONE: the number is free */
	int64_t begun_s; /* begin of the crawl, see store/site.h */
	const struct site_rules *rules;
	/* number of children that the indexes of the site lead to */
	uint32_t children;
	uint64_t child_bytes; /* bytes of the URLs of new children */
	uint64_t claimed, claims; /* URLs read; readings with URLs */
	uint32_t at_readers; /* documents that readers have, or will have */
	bool is_closed; /* the limit of URLs is reached */
	uint32_t open; /* tasks that are not done, robots.txt included */
	bool is_resumed; /* an earlier run began the crawl */
	/* one reference: the documents that the site's own robots.txt lists;
	 * NULL: not known */
	struct self_listed *listed;
	uint64_t listed_at; /* run.proofs when `listed` was made */
};

/* What is at work at a site: one crawl, or single documents. */
struct site_place {
	int64_t site_id;
	uint32_t crawl; /* the latest site entry of a crawl, NONE: none */
	uint32_t singles; /* single documents under way */
	bool is_wanted; /* a crawl waits for the single documents to end */
	/* the latest site entry with is_pages, which hinders no crawl; NONE:
	 * none */
	uint32_t pages;
};

#define ROBOTS_WAIT_MS 30000 /* longest wait of a crawl for all robots.txt */

struct crawl_target {
	struct target target;
	uint32_t site; /* NONE: the target waits because its site is busy */
};

/*
 *	NEW -> ROBOTS (robots.txt of the targets) -> DOCUMENTS
 *	    -> OVER (the first crawl), or FREE (the entry can be used again)
 */
enum crawl_state {
	CRAWL_NEW,
	CRAWL_ROBOTS,
	CRAWL_DOCUMENTS,
	CRAWL_OVER,
	CRAWL_FREE
};

/* One request for targets or documents, and how far it has come. */
struct crawl {
	struct crawl_options options;
	struct run_totals totals;
	struct crawl_target *targets; /* owned */
	size_t target_count, target_cap;
	size_t waiting; /* targets whose sites are busy */
	int64_t *given; /* owned: ids of documents that have not begun */
	size_t given_count, given_cap;
	uint64_t serial; /* larger than the serials of earlier crawls */
	size_t robots_open; /* robots.txt of targets that are not known yet */
	size_t open; /* tasks that are not done */
	size_t pending; /* jobs that may add further tasks */
	uint64_t claimed; /* URLs of readings, committed or not */
	uint64_t claims; /* readings with URLs */
	int64_t robots_until_ms; /* end of the wait for robots.txt */
	int64_t robots_end_ms; /* the latest such end */
	struct fifo late; /* owned: origins whose robots.txt came later */
	int64_t before_id; /* the last reading when the crawl began */
	/* the crawl ends when this COMMIT of the store is durable; 0: it goes
	 * on
	 */
	uint64_t ended;
	uint64_t sealed; /* the same for the commit that records the end */
	uint8_t state; /* enum crawl_state */
	bool is_closed; /* no further requests are sent */
	bool is_dropped; /* nobody waits for the result */
	/* it was reported that the clock was set back */
	bool is_clock_reported;
	bool is_sampled; /* the pages were chosen */
};

enum origin_state { ORIGIN_NEW, ORIGIN_ASKED, ORIGIN_KNOWN };

/* What an origin has used today of its owner's budget, see run_limits.h. */
struct origin_use {
	uint32_t robots_bytes, sitemaps;
	bool is_asked;
};

struct origin {
	/* borrowed from the table: "https://host:port"; NULL: the number is
	 * free */
	const char *text;
	uint32_t host; /* number in the host queue */
	uint64_t serial; /* of the crawl for which robots.txt was asked last */
	uint32_t seed_site; /* site whose seeds the Sitemap lines will be */
	/* id of the site that has the origin as a target: requests to the
	 * origin may carry the site's headers; 0: none */
	int64_t named_by;
	uint8_t state; /* enum origin_state: of robots.txt */
	/* SPEC R-102: why nothing may be fetched, or DIAG_OK */
	enum diag_code closed_by;
	uint32_t crawl_delay_ms; /* of robots.txt, 0: none */
	int64_t used_ms; /* when the origin was looked up last */
	int64_t fresh_until_s; /* robots.txt (SPEC R-104) */
	bool is_seeded; /* its Sitemap lines are wanted */
	/* origins_seed_later() has put the origin into its list */
	bool is_to_seed;
	/* given without a scheme: http is tried if https fails */
	bool may_be_http;
	/* the host was given without a scheme, see struct robots_fact */
	bool is_of_host;
	unsigned probes; /* default locations tried */
	unsigned places; /* bits of those that the start page chose */
	bool is_start_known; /* it was asked for */
	/* owned: a sitemap in a folder that the start page names; or NULL */
	char *linked;
	struct fifo awaiting; /* owned: crawls whose documents wait for it */
	/* store_rules() has its rules; false: all is allowed */
	bool has_rules;
	bool repairs; /* the rules are read with repairs (SPEC R-97) */
	uint64_t rules_stamp; /* of these rules only */
	struct origin_use used;
	struct fifo waiting; /* owned: tasks in state WAITING */
};

/* What the hosts of one owner of names have used today, see run_limits.h. */
struct owner {
	uint64_t work, robots_bytes;
	uint32_t hosts, sitemaps;
};

/* Tasks that wait for a look-up, see run_machine.c. */

#define DNS_QUEUE_ROWS 512

struct dns_queue {
	struct fifo rows[DNS_QUEUE_ROWS]; /* owned: tasks */
	size_t count; /* in all rows */
	unsigned turn;
};

/* What is done with each Sitemap line of an origin, see run_seed.h. */
enum line_use {
	/* the crawl of a site reads the documents that the lines name, or once
	 * named; if there are none, default locations are tried */
	USE_SEED,
	/* the same for a site whose documents are read one by one: the
	 * documents become known, and are not read now */
	USE_SEED_SINGLE,
	/* if documents that the lines name were read before the lines were
	 * known, and the proof makes a difference, they are read again */
	USE_PROVE
};

struct line_job {
	struct line_job *next; /* lines_add() sets it */
	enum line_use use;
	uint32_t origin;
	/* the crawl that waits for the job; NONE: no crawl waits */
	uint32_t crawl;
	uint32_t site; /* USE_SEED */
	int64_t site_id; /* USE_SEED_SINGLE */
};

struct sitemap_lines {
	struct line_job *first; /* owned; first in, first out */
	struct line_job **end; /* where the next one goes; NULL: to first */
	bool is_loaded; /* `urls` are those of the first job */
	char **urls; /* owned */
	size_t url_count, url_cap, next;
	/* how many of `urls` are in robots.txt today; the others were in it
	 * once, or are default locations */
	size_t named;
};

/* The count of a site, see run.c. */
struct run_tally {
	bool is_due; /* something was stored since all sites were counted */
	int64_t next_ms; /* no site is counted before this time */
	int64_t last_id; /* the last site looked at in this round */
	/* In this round a site in doubt was not counted: what is reachable
	 * there must be worked out first. */
	bool is_in_doubt;
	struct store *snapshot; /* owned; NULL: none is open */
	/* owned; the count of site_id; NULL: none is under way */
	struct site_tally *tally;
	int64_t site_id;
	uint32_t ending; /* a crawl that waits for the numbers of its sites */
	uint32_t over; /* its sites before this one are counted */
	struct loop_timer *timer; /* owned; fires at next_ms */
};

struct run {
	struct run_options options;
	struct steady steady; /* for run_now_s() */
	struct host_table *table; /* owned, as all that follows is */
	struct host_queue *host_queue;
	/* owned, with what they point to; NULL: the driver does not know the
	 * host of that number */
	struct host_state **host_states;
	uint32_t host_state_count;
	size_t host_state_cap;
	/* when this run began, a page of any host was asked for last; 0: none
	 */
	int64_t paged_s;
	struct fifo noted; /* owned: hosts with a note for the request log */
	struct dns_queue dns_queue;
	struct sitemap_lines lines;
	struct run_tally tally;
	struct run_activity activity;
	struct loop_timer *pump, *commit, *patience; /* see run_new() */

	struct task *tasks;
	uint32_t task_count; /* numbers of tasks are below this, as below */
	size_t task_cap;
	/* The first free number; free numbers form lists: of tasks through
	 * task.parent, of sites through crawled_site.open, of places through
	 * site_place.singles. NONE: none is free. */
	uint32_t free_task, free_site, free_place;
	struct idmap task_by_document; /* document id -> the latest task */
	struct fifo lists[TASK_LISTS];

	struct crawled_site *sites;
	uint32_t site_count;
	size_t site_cap;
	struct site_place *places;
	uint32_t place_count;
	size_t place_cap;
	struct idmap place_by_site; /* site id -> place */
	uint64_t proofs; /* grows when proofs may have changed; not 0 */

	struct crawl *crawls;
	uint32_t crawl_count;
	size_t crawl_cap;
	uint64_t serials; /* of crawls, so far */

	struct names origin_names; /* numbered as the origins are */
	struct origin *origins;
	uint32_t origin_count;
	size_t origin_cap;
	uint32_t origins_used; /* entries with a name */
	/* `origins_used` after unused origins were forgotten last */
	uint32_t origins_kept;
	/* Origins whose Sitemap lines become seeds when the time has come; the
	 * seed_site of some may be NONE by now. This list is shorter than the
	 * table of all origins. */
	struct fifo to_seed;
	uint64_t stamps; /* of rules, so far: no two rules have the same */
	/* Origins whose robots.txt became known.  run_machine.c takes them out,
	 * and continues the tasks and crawls that waited for them. */
	struct fifo known;

	struct names owner_names; /* numbered as the owners are */
	struct owner *owners;
	size_t owner_count, owner_cap;
	int64_t owner_day; /* the day for which their counts hold */

	enum diag_code fatal; /* DIAG_OK, or why the run cannot go on */
	int error; /* errno behind `fatal`, 0: none */
	unsigned short_of; /* attempts in a row without a descriptor */
	bool has_closed; /* a limit was reached since the queues were drained */
	/* documents given to run_document() can perhaps begin now */
	bool has_given;
	bool has_held; /* a host was held since machine_hold() */
	bool is_moving; /* run_machine.c is at work */
	bool is_stopping;
	bool is_committing; /* the commit timer runs */
	bool is_full; /* the store has its largest size: no requests are sent */
};

static inline int64_t
run_now_ms(const struct run *run)
{
	return loop_now_ms(run->options.loop);
}

/* run_now_s(run): the driver's clock, whose time is stored with everything.  It
 * is the time of the loop, but never before the latest time in the store
 * (HOSTILE T21): a stored time never lies after one that is stored later. */
static inline int64_t
run_now_s(struct run *run)
{
	return steady_now_s(&run->steady, loop_now_s(run->options.loop),
	    loop_now_ms(run->options.loop));
}

/* run_asked_us(run, result): when that request was sent, in microseconds by the
 * driver's clock; result->asked_ms may be 0. */
int64_t run_asked_us(struct run *, const struct fetch_result *);

/* run_kick(run): look for work in the next round of the loop. */
void run_kick(struct run *);

/* run_fail(run, code): the run cannot go on; the loop stops.
 * run_fail_spool(run): the same, because there is no room for a body; errno has
 * the reason. */
void run_fail(struct run *, enum diag_code);
void run_fail_spool(struct run *);

/* Tasks. */

/* run_task(run, task): that task.
 * run_site_of(run, task): the site entry of the task.
 * run_crawl_of(run, task): the crawl of the task. */
struct task *run_task(const struct run *, uint32_t task);
struct crawled_site *run_site_of(const struct run *, uint32_t task);
struct crawl *run_crawl_of(const struct run *, uint32_t task);

/* run_work_for(run, task): from now on the process works for the site of the
 * task (at_work.h). */
void run_work_for(const struct run *, uint32_t task);

/* run_add_task(run, task): the number of a copy, which is counted for its site
 * and its crawl; the copy owns the URL.
 * task_remove(run, task): the number of a task that is DONE becomes free. */
uint32_t run_add_task(struct run *, const struct task *);
void task_remove(struct run *, uint32_t task);

/* run_leaves_out(run, site, url, lastmod, indexes): does the filter of the site
 * leave out the sitemap, which so many indexes above it lead to? */
bool run_leaves_out(struct run *, uint32_t site, struct slice url,
    const struct date *lastmod, unsigned indexes);

/* run_find(run, site, document_id): the task of this site entry for the
 * document, or NONE. */
uint32_t run_find(const struct run *, uint32_t site, int64_t document_id);

/* run_suspect(run, task): the task's document has further proofs now: once it
 * was read, it is read again if these make a difference (SPEC 15.4). */
void run_suspect(struct run *, uint32_t task);

/* task_attempt(run, task): the attempt under way, or a new one.
 * task_drop_attempt(run, task): free the attempt.
 * task_rest(run, task): free the attempt if it holds nothing that is needed
 * later.
 * task_drop_spool(attempt): give the body back to the spool. */
struct attempt *task_attempt(struct run *, uint32_t task);
void task_drop_attempt(struct run *, uint32_t task);
void task_rest(struct run *, uint32_t task);
void task_drop_spool(struct attempt *);

/* run_read_body(run, task, profile, content_type, content_encoding): a reader
 * gets the body of the task's attempt, which came from its current URL, before
 * the event at hand is over; the types may be NULL.  Until then the caller may
 * add to the job that is returned, which the attempt owns.  NULL: the body
 * cannot be read back, and the run has failed. */
struct reader_job *run_read_body(struct run *, uint32_t task,
    const struct profile *, const char *content_type,
    const char *content_encoding);

/* task_put_back(run, task, host): the task, which is QUEUED, waits in the host
 * queue. */
void task_put_back(struct run *, uint32_t task, uint32_t host);

/*
 * task_post(run, task, state): the task goes into that state before the event
 * at hand is over. At most one state of a task is posted at a time; it has no
 * further effect to post the same state again.
 * task_start(run, task): post NEW, unless the task has begun already.
 * task_give_up(run, task, code, text): post GIVEN_UP; text is copied.
 * task_begin_later(run, task): the same as task_start in a later round of the
 * loop, for tasks that are added by the thousand, because each task is judged
 * by a robots.txt that may be large.
 */
void task_post(struct run *, uint32_t task, enum task_state);
void task_start(struct run *, uint32_t task);
void task_give_up(
    struct run *, uint32_t task, enum diag_code, struct slice text);
void task_begin_later(struct run *, uint32_t task);

/* Sites. */

/* run_site(run, crawl, host): the entry of that site for that crawl; if there
 * is none, begin the crawl of the site. NONE while another crawl, or a single
 * document, is at work there. */
uint32_t run_site(struct run *, uint32_t crawl, struct slice host);

/* sites_begin(run, site): the number of a copy. The caller writes the number
 * into the site's place.
 * sites_end(run, site): no task of the entry is open: its number becomes free,
 * and the place loses the entry. */
uint32_t sites_begin(struct run *, const struct crawled_site *);
void sites_end(struct run *, uint32_t site);

/* sites_place(run, site_id): the place of the site, made if there is none;
 * valid until the next place is made.  sites_place_find: NULL if there is none.
 */
struct site_place *sites_place(struct run *, int64_t site_id);
struct site_place *sites_place_find(const struct run *, int64_t site_id);

/* sites_leave_place(run, place): free the place if no crawl and no single
 * document is there, and no crawl wants it. */
void sites_leave_place(struct run *, struct site_place *);

/* Crawls. */

/* crawls_site_is_busy(run, site): is that crawl of the site under way? */
bool crawls_site_is_busy(const struct run *, const struct crawled_site *);

/* crawl_give(crawl, document_id): add a document to read. */
void crawl_give(struct crawl *, int64_t document_id);

/*
 * These functions call the callbacks of the crawl's options, unless the crawl
 * was dropped.
 * crawl_report(crawl, task, reading, profile): a reading of the task, which was
 * read under that profile, is committed: count it, and call `document`.
 * crawl_problem() calls `problem`, crawl_returns() calls `returned`.
 * crawl_report_clock(run, crawl): report once that the clock was set back, if
 * it was.
 */
void crawl_report(struct crawl *, struct task *, const struct reading *,
    const struct profile *);
void crawl_problem(
    struct crawl *, enum diag_code, struct slice url, struct slice text);
void crawl_returns(const struct crawl *, int64_t document_id);
void crawl_report_clock(struct run *, struct crawl *);

/* Origins. */

/* origins_of(run, url): the number of the origin of the URL; it is added if it
 * is not there, and so is its host. */
uint32_t origins_of(struct run *, const struct url *);

/*
 * origins_seed_later(run, origin, site): put the origin into the list of those
 * to seed; its lines will be seeds of that site.
 * origins_tidy_to_seed(run): remove origins whose seed_site is NONE from the
 * list.
 */
void origins_seed_later(struct run *, uint32_t origin, uint32_t site);
void origins_tidy_to_seed(struct run *);

#endif
