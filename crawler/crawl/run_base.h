/*
 * The driver: what all of its modules share.
 *
 * struct run holds the tables (tasks, sites, origins, host states, crawls) and
 * the queues of numbers that lead into them.  A table's entry is named by its
 * number; a pointer to an entry is valid until the next entry is added.
 *
 * No module moves a task itself: the module posts the task's next state, and
 * run_machine.c moves all posted tasks before the event at hand is over.
 */
#ifndef FRESHET_RUN_BASE_H
#define FRESHET_RUN_BASE_H

#include "base/fifo.h"
#include "base/idmap.h"
#include "base/names.h"
#include "base/robots.h"
#include "base/site_rules.h"
#include "base/target.h"
#include "crawler/crawl/crawl_options.h"
#include "crawler/crawl/run.h"
#include "crawler/crawl/totals.h"
#include "sched/host_queue.h"
#include "store/accept.h"
#include "store/request_log.h"
#include "store/self_listed.h"

#define MAX_HOPS 10 /* SPEC R-73 */
#define MAX_ROBOTS_HOPS 5 /* SPEC R-100 */
#define MAX_INDEX_DEPTH 4 /* SPEC R-41 */
#define MAX_PARK_MS 60000 /* a crawl does not wait longer for a host */
#define COMMIT_MS 20 /* DESIGN 7 */
#define FULL_GET_S (30 * 86400) /* HOSTILE T35 */
#define ROBOTS_WAIT_MS 30000 /* a crawl waits so long for all robots.txt, */
#define ROBOTS_QUIET_MS 100 /* and so long for the next one */
#define NONE UINT32_MAX

/*
 *	NEW -> WAITING (robots.txt of its origin) -> QUEUED (host queue)
 *	    -> FETCHING -> READING (a reader) -> ACCEPTING (children)
 *	    -> COMMITTING -> EXPANDING (children begin) -> DONE
 *
 * A redirect leads from FETCHING back to NEW, another try back to QUEUED.  From
 * each state before READING a task may become GIVEN_UP, and from there
 * COMMITTING (the failure is stored) or DONE.  run_machine.c has the one switch
 * over these states, with what each of them begins.
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

/*
 * PROBE: a default location that may have a document.  PAGE: a page that a
 * document lists (run_page.c); its parent is the document.
 */
enum task_type { TASK_ROBOTS, TASK_DOCUMENT, TASK_PROBE, TASK_PAGE };

/* One document to read in this run; small, since there may be 100,000. */
struct task {
	char *url; /* owned */
	int64_t document_id; /* 0: a probe that has found nothing yet */
	int64_t newest_s; /* lastmod of the index, INT64_MIN: none */
	struct date lastmod; /* the same date as the index lists it */
	uint64_t fingerprint; /* of the scope of the last reading */
	struct attempt *attempt; /* owned; NULL while nothing is under way */
	uint32_t site;
	uint32_t parent; /* task of the index, NONE for a seed */
	uint32_t origin; /* ROBOTS, PROBE: the origin asked; else NONE */
	uint64_t proof; /* hash of the proofs of the index that listed the
			   document last; 0: there are none */
	uint8_t rereads, checks; /* readings, and looks, because of proofs that
				    came later */
	uint8_t type, state, class, depth;
	uint8_t next; /* the state that is posted, or TASK_STATES */
	bool is_guess; /* the document was found at a default location */
	bool is_below; /* PROBE: below a target, not at the origin's root */
	bool is_renewed; /* the stored segment cannot be decoded */
	bool is_child; /* an index lists the document */
	bool is_suspect; /* the task is in run.suspects */
	bool is_given; /* single document: run_document() asked for it */
	bool is_reported; /* single document: a reading is committed */
};

/* What a task needs only while one try is under way. */
struct attempt {
	struct run *run;
	uint32_t number; /* of the task */
	struct url current; /* of this hop */
	struct string_set passed; /* URLs of the hops before */
	unsigned hops;
	unsigned tries; /* that failed on the network */
	bool is_conditional; /* the request has validators */
	bool is_truncated; /* the body is */
	bool is_lacking; /* children were too many: it is to be read again */
	bool is_held; /* read again, since so much is missing (SPEC R-120) */
	bool is_first; /* the first reading: no entry is a change */
	bool is_baseline; /* no refused entry is a change */
	struct date index_lastmod; /* at the time of the request */
	uint64_t judged_by; /* stamp of the rules that allow this hop, 0: none
			       do yet */
	uint32_t host; /* number in the host queue */
	struct spool_file *spool; /* owned; the body */
	struct reader_job *job; /* owned; until the readers have it */
	struct location_scope location; /* of the reading under way */
	struct reading *reading; /* owned until it is committed */
	struct findings findings; /* of the hops, kept for the reading */
	enum diag_code failure; /* GIVEN_UP: why */
	char *why; /* owned; the same in words, NULL: none */
	struct page_look *look; /* owned; of a page that answered */
	struct accept *accept; /* owned; children that are being accepted */
	struct ancestry *ancestry; /* owned; of a single index */
	int64_t last_child; /* id of the last child that has begun */
	uint64_t proof; /* see struct task */
};

/* What the headers of a listed page said. */
struct page_look {
	int status; /* of the first answer, 0: none */
	int final_status;
	char *noindex; /* owned; NULL: none */
	char *canonical; /* owned; NULL: none */
	const char *wall; /* static; NULL: none */
	bool is_cut; /* the server sent more than is looked at */
};

/* One crawl of one site, or one single document of the site. */
struct crawled_site {
	int64_t id; /* in the store */
	uint32_t at_work; /* see at_work.h */
	bool is_single; /* one document and its robots.txt */
	uint32_t crawl; /* that asked for it */
	int64_t begun_s; /* begin of the crawl, see store/site.h */
	const struct site_rules *rules;
	uint32_t children; /* that the indexes of the site lead to, */
	uint64_t child_bytes; /* and bytes of the new ones' URLs */
	uint64_t claimed, claims; /* URLs read; readings with URLs */
	uint32_t at_readers; /* documents that readers have, or will have */
	bool is_closed; /* the limit of URLs is reached */
	uint32_t open; /* tasks that are not done, robots.txt included */
	bool is_resumed; /* an earlier run began the crawl */
	uint64_t listed_at; /* run.proofs when `listed` was made */
	struct self_listed *listed; /* one reference; see proof_self_listed() */
};

/* Who is at work at a site: one crawl, or single documents. */
struct site_place {
	int64_t site_id;
	uint32_t crawl; /* the latest site entry of a crawl, NONE: none */
	uint32_t singles; /* single documents under way */
	bool is_wanted; /* a crawl waits for the single documents to end */
};

enum origin_state { ORIGIN_NEW, ORIGIN_ASKED, ORIGIN_KNOWN };

/* What an origin has used today of its owner's budget, see run_owner.h. */
struct origin_use {
	uint32_t robots_bytes, sitemaps;
	bool is_asked;
};

struct origin {
	const char *text; /* of origin_names: "https://host:port"; NULL: the
			     number is free */
	uint32_t host; /* number in the host queue */
	uint64_t serial; /* of the crawl for which robots.txt was asked last */
	uint32_t seed_site; /* site whose seeds the Sitemap lines will be */
	int64_t named_by; /* id of the site whose target the origin is, and
			     whose headers may go there; 0: none */
	uint8_t state; /* enum origin_state: of robots.txt */
	enum diag_code closed_by; /* SPEC R-102: why nothing may be fetched, or
				     DIAG_OK */
	uint32_t crawl_delay_ms; /* of robots.txt, 0: none */
	int64_t used_ms; /* when the origin was looked up last */
	int64_t fresh_until_s; /* robots.txt (SPEC R-104) */
	bool is_seeded; /* a target: the Sitemap lines are wanted */
	bool is_unsown; /* listed in run.unsown */
	bool may_be_http; /* a bare host: http is tried when https fails */
	bool is_of_host; /* of a bare host, see struct robots_fact */
	unsigned probes; /* default locations tried */
	uint32_t *awaiting; /* owned: crawls whose documents wait for it */
	size_t awaiting_count, awaiting_cap;
	struct robots *robots; /* owned; see run_rules.h */
	bool has_rules; /* false: all is allowed */
	bool repairs; /* the rules are read with repairs (SPEC R-97) */
	uint64_t rules_stamp; /* of these rules only */
	struct origin_use used;
	uint32_t *waiting; /* owned: tasks in state WAITING */
	size_t waiting_count, waiting_cap;
};

/* The driver's part of a host; the host queue has one of the same number. */
struct host_state {
	const struct site_rules *rules;
	unsigned failures, throttles; /* in a row: of the network; 429, 503 */
	uint32_t crawl_delay_ms; /* largest of its origins, 0: none */
	int64_t parked_until_ms; /* the host asked for a long pause */
	int64_t failed_ms; /* time of the last failure */
	int64_t asked_ms, ended_ms; /* of the last request; 0: never */
	struct request_log_note noted; /* not stored yet; no requests: none */
	uint64_t work; /* that the host's rules have cost today */
	bool is_named; /* by the operator, see run_owner.h */
	bool is_local; /* see policy_is_local() */
	bool is_file; /* answered from files, see local.h */
	bool is_left; /* it was reported that the host's documents are not
			 asked for */
};

struct crawl_target {
	struct target target;
	uint32_t site; /* NONE: the target waits, its site is busy */
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
	uint64_t serial; /* larger than those of earlier crawls */
	size_t robots_open; /* robots.txt of targets that are not known yet */
	size_t open; /* tasks that are not done */
	size_t pending; /* jobs that may add further tasks */
	uint64_t claimed; /* URLs of readings, committed or not */
	uint64_t claims; /* readings with URLs */
	int64_t robots_until_ms; /* end of the wait for robots.txt */
	int64_t robots_end_ms; /* the latest such end */
	uint32_t *late; /* owned: origins whose robots.txt came later */
	size_t late_count, late_cap;
	int64_t before_id; /* the last reading when the crawl began */
	uint64_t ended; /* value of run.commits that the end waits for; 0: the
			   crawl goes on */
	uint64_t sealed; /* likewise, for the record of the end itself */
	uint8_t state; /* enum crawl_state */
	bool is_closed; /* nothing more is asked for */
	bool is_dropped; /* nobody waits for the result */
	bool is_clock_reported; /* the report of a clock set back was made */
	bool is_sampled; /* the pages were chosen */
};

struct run {
	struct run_options options;
	struct host_queue *host_queue; /* owned */
	struct dns_queue *dns_queue; /* owned */
	struct owners *owners; /* owned */
	struct sitemap_lines *lines; /* owned */
	struct run_tally *tally; /* owned */
	enum diag_code fatal; /* DIAG_OK, or why the run cannot go on */
	int error; /* errno behind `fatal`, 0: none */
	struct task *tasks; /* owned */
	size_t task_count, task_cap;
	struct crawl *crawls; /* owned */
	size_t crawl_count, crawl_cap;
	uint64_t serials; /* of crawls */
	uint64_t commits; /* so far */
	struct names origin_names; /* numbered as the origins are */
	struct crawled_site *sites; /* owned */
	size_t site_count, site_cap;
	struct site_place *places; /* owned */
	size_t place_count, place_cap;
	struct idmap by_site; /* site id -> place */
	uint32_t free_task, free_site, free_place; /* first of a list of free
						      entries, NONE: none */
	struct origin *origins; /* owned */
	size_t origin_count, origin_cap;
	uint32_t *unsown; /* owned: all origins with a seed_site, and some */
	size_t unsown_count, unsown_cap; /* that had one */
	size_t rules_bytes; /* memory of the robots of all origins */
	uint64_t rules_stamps; /* so far */
	size_t origins_used; /* entries with a name; */
	size_t origins_kept; /* and after forget_some() looked last */
	struct host_state *host_states; /* owned, by number in the host queue */
	size_t host_state_count, host_state_cap;
	bool has_closed; /* a limit was reached since the queues were drained */
	bool has_given; /* documents that could perhaps begin now */
	uint64_t proofs; /* grows when proofs may have changed; not 0 */
	struct idmap by_document; /* document id -> task */
	struct loop_timer *pump, *commit, *patience; /* see run_new() */
	struct fifo posted; /* tasks with a state in `next` */
	struct fifo known; /* origins whose robots.txt became known */
	bool is_moving; /* run_machine.c is at work on these two */
	struct fifo beginning; /* tasks that begin by and by */
	struct fifo accepting, expanding; /* tasks in these states, in turn */
	struct fifo suspects; /* tasks with is_suspect */
	uint32_t *noted; /* owned: hosts with a note for the request log */
	size_t noted_count, noted_cap;
	unsigned short_of; /* attempts in a row without a descriptor */
	int64_t base_s; /* the latest time that the clock said, */
	int64_t base_ms; /* and the loop's time then; see run_now_s() */
	int64_t behind_s; /* the clock was set back by so much, 0: never */
	bool is_stopping;
	bool is_committing; /* the commit timer runs */
	bool is_full; /* the store has its largest size: nothing is asked for */
};

/* run_kick(run): look for work in the next round of the loop. */
void run_kick(struct run *);

/* run_commit_now(run): COMMIT in the next round of the loop. */
void run_commit_now(struct run *);

/*
 * run_fail(run, code): the run cannot go on; the loop stops.
 * run_fail_spool(run): the same, since there is no room for a body; errno says
 * why.
 */
void run_fail(struct run *, enum diag_code);
void run_fail_spool(struct run *);

/*
 * run_now_s(run): the time that is stored with everything: the clock's time.
 * After the clock was set back, time goes on from the latest time known
 * (HOSTILE T21).  run_time_begin(run): the latest time of the store counts,
 * too.
 */
void run_time_begin(struct run *);
int64_t run_now_s(struct run *);

/* Entries by number. */
struct task *run_task(struct run *, uint32_t number);
struct host_state *run_host_state(struct run *, uint32_t host);

/* The crawl of a task; the rules of its site; is it a single document? */
struct crawl *run_crawl_of(struct run *, uint32_t task);
const struct site_rules *run_rules(struct run *, uint32_t task);
bool run_is_single(const struct run *, uint32_t task);

/* run_site_is_crawled(site, crawl): is that entry a crawl of the site for that
 * crawl?  Another crawl may be at the same site by now. */
bool run_site_is_crawled(const struct crawled_site *, uint32_t crawl);

/* task_attempt(run, task): the attempt under way, or a new one. */
struct attempt *task_attempt(struct run *, uint32_t task);
void task_drop_attempt(struct run *, uint32_t task);
void task_drop_spool(struct attempt *);

/* task_rest(run, task): free an attempt that has nothing to remember. */
void task_rest(struct run *, uint32_t task);

/* task_put_back(run, task, host): into the host queue; the task is QUEUED. */
void task_put_back(struct run *, uint32_t task, uint32_t host);

/* task_is_file(run, url): is the URL answered from files? */
bool task_is_file(const struct run *, const struct url *);

/*
 * task_post(run, task, state): the task goes into that state before the event
 * at hand is over.  At most one state of a task is posted at a time; to post
 * the same one twice is to post it once.
 * task_start(run, task): post NEW, unless the task has begun already.
 * task_give_up(run, task, code, text): post GIVEN_UP; text is copied.
 * task_begin_later(run, task): the same as task_start in a later round of the
 * loop, for tasks that come by the thousand: each one has to be judged by a
 * robots.txt that may be large.
 */
void task_post(struct run *, uint32_t task, enum task_state);
void task_start(struct run *, uint32_t task);
void task_give_up(
    struct run *, uint32_t task, enum diag_code, struct slice text);
void task_begin_later(struct run *, uint32_t task);

/*
 * task_suspect(run, task): the task was read, and its document has further
 * proofs now: it is read again if they make a difference (SPEC 15.4).
 */
void task_suspect(struct run *, uint32_t task);

#endif
