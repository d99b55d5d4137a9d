/*
 * The driver's table of tasks: the documents to read in this run, and what is
 * under way for each of them.
 *
 * A task is named by its number; a pointer to a task is valid until the next
 * task is added.  The table knows nothing of sites and crawls: run_add_task()
 * in run_tables.h counts the task there, too.
 *
 * No module moves a task itself: the module posts the task's next state, and
 * run_machine.c moves all posted tasks before the event at hand is over.
 */
#ifndef FRESHET_RUN_TASKS_H
#define FRESHET_RUN_TASKS_H

#include "base/diag.h"
#include "base/fifo.h"
#include "base/slice.h"
#include "base/url.h"
#include "base/verdict.h"
#include "base/w3cdate.h"
#include "sched/host_queue.h"
#include "store/location.h"
#include "store/segment/finding.h"
#include "store/segment/reading.h"

struct accept;
struct ancestry;
struct loop_timer;
struct reader_job;
struct reading;
struct run;
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

/*
 * PROBE: a default location that may have a document.  PAGE: a page that a
 * document lists (run_page.c); its parent is the document.
 */
enum task_type { TASK_ROBOTS, TASK_DOCUMENT, TASK_PROBE, TASK_PAGE };

/* One document to read in this run. The struct is small, because there may be
 * 100,000 tasks. */
struct task {
	char *url; /* owned */
	/* 0: the task is a probe that has found no document yet */
	int64_t document_id;
	int64_t newest_s; /* lastmod of the index, INT64_MIN: none */
	struct date lastmod; /* the same date as the index lists it */
	uint64_t fingerprint; /* fingerprint of the scope of the last reading */
	struct attempt *attempt; /* owned; NULL while nothing is under way */
	uint32_t site; /* NONE: the number of this task is free */
	uint32_t at_work; /* number of the site in at_work.h; 0: unknown */
	uint32_t parent; /* task of the index, NONE for a seed */
	uint32_t origin; /* ROBOTS, PROBE: the origin asked; else NONE */
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
	bool is_given; /* single document, given to run_document() */
	/* single document: its reading was committed and reported */
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
	struct accept *accept; /* owned; the state of the work in ACCEPTING */
	/* owned; for a single document that is an index */
	struct ancestry *ancestry;
	int64_t last_child; /* id of the last child that has begun */
};

/* What the headers of a listed page said. */
struct page_look {
	int status; /* of the first answer, 0: none */
	int final_status;
	char *noindex; /* owned; NULL: none */
	char *canonical; /* owned; NULL: none */
	const char *wall; /* static; NULL: none */
	bool is_cut; /* the page is longer than the part that is read */
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

struct tasks;

/* tasks_new(run, pump): an empty table. The attempts of its tasks point to the
 * run; the timer is set when a task is to begin in a later round of the loop.
 * Both are borrowed. Before tasks_free(), no task may have an attempt. */
struct tasks *tasks_new(struct run *, struct loop_timer *pump);
void tasks_free(struct tasks *);

/* tasks_count(tasks): the numbers of tasks are below this count; some of them
 * are free. */
uint32_t tasks_count(const struct tasks *);

struct task *tasks_at(const struct tasks *, uint32_t number);

/* tasks_of_document(tasks, document_id): the latest task for the document, or
 * NONE. */
uint32_t tasks_of_document(const struct tasks *, int64_t document_id);

/* tasks_add(tasks, task): the number of a copy; the copy owns the URL.
 * task_is_of_document(tasks, number): document_id of the task was set;
 * tasks_of_document() finds the task from now on.
 * tasks_remove(tasks, number): the task is DONE; its number becomes free. */
uint32_t tasks_add(struct tasks *, const struct task *);
void task_is_of_document(struct tasks *, uint32_t number);
void tasks_remove(struct tasks *, uint32_t number);

/* task_list(tasks, list): the list; borrowed. The caller adds tasks and takes
 * them.
 * tasks_forget_removed(tasks): take removed tasks out of BEGINNING and
 * SUSPECTS. */
struct fifo *task_list(struct tasks *, enum task_list);
void tasks_forget_removed(struct tasks *);

/* task_attempt(tasks, number): the attempt under way, or a new one.
 * task_drop_attempt(tasks, number): free the attempt.
 * task_rest(tasks, number): free the attempt if it holds nothing that is needed
 * later.
 * task_drop_spool(attempt): give the body back to the spool. */
struct attempt *task_attempt(struct tasks *, uint32_t number);
void task_drop_attempt(struct tasks *, uint32_t number);
void task_rest(struct tasks *, uint32_t number);
void task_drop_spool(struct attempt *);

/* task_put_back(tasks, host_queue, number, host): the task, which is QUEUED,
 * waits in the host queue. */
void task_put_back(
    struct tasks *, struct host_queue *, uint32_t number, uint32_t host);

/*
 * task_post(tasks, number, state): the task goes into that state before the
 * event at hand is over. At most one state of a task is posted at a time; it
 * has no further effect to post the same state again.
 * task_start(tasks, number): post NEW, unless the task has begun already.
 * task_give_up(tasks, number, code, text): post GIVEN_UP; text is copied.
 * task_leave(tasks, number, code, text): likewise, before a request; but a
 * document that was given to run_document() is returned unread if its host is
 * held: it has not failed.
 * task_begin_later(tasks, number): the same as task_start in a later round of
 * the loop, for tasks that are added by the thousand, because each task is
 * judged by a robots.txt that may be large.
 */
void task_post(struct tasks *, uint32_t number, enum task_state);
void task_start(struct tasks *, uint32_t number);
void task_give_up(
    struct tasks *, uint32_t number, enum diag_code, struct slice text);
void task_leave(
    struct tasks *, uint32_t number, enum diag_code, const char *text);
void task_begin_later(struct tasks *, uint32_t number);

#endif
