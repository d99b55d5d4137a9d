/*
 * The driver: struct run, which holds the tables, and functions that need
 * several tables at once.
 *
 * Each table has a header of its own, which says what is in it; whoever uses a
 * table includes that header, and a table is given the tables that it works on.
 * The steps of a task (run_machine.c, and the files that it calls) take the
 * whole run, because most of them change several tables at once: the task, its
 * site and crawl, its host, and its origin.
 *
 * A run can live for ever, so tasks are removed. A task of a crawl stays until
 * the end of the crawl, because its children, and proofs that come later, need
 * it. The task of a single document is removed after its commit.
 */
#ifndef FRESHET_RUN_TABLES_H
#define FRESHET_RUN_TABLES_H

#include "crawler/crawl/run.h"
#include "crawler/crawl/run_clock.h"

struct crawl;
struct crawled_site;
struct crawls;
struct dns_queue;
struct host_queue;
struct host_states;
struct loop_timer;
struct origin;
struct origins;
struct owners;
struct profile;
struct run_activity;
struct run_tally;
struct site_rules;
struct sitemap_lines;
struct sites;
struct task;
struct tasks;

struct run {
	struct run_options options;
	struct run_clock clock;
	struct host_queue *host_queue; /* owned, as all of the tables are */
	struct host_states *hosts;
	struct origins *origins;
	struct owners *owners;
	struct crawls *crawls;
	struct sites *sites;
	struct tasks *tasks;
	struct dns_queue *dns_queue;
	struct sitemap_lines *lines;
	struct run_tally *tally;
	struct run_activity *activity;
	struct loop_timer *pump, *commit, *patience; /* owned, see run_new() */
	enum diag_code fatal; /* DIAG_OK, or why the run cannot go on */
	int error; /* errno behind `fatal`, 0: none */
	uint64_t commits; /* so far */
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

/* run_kick(run): look for work in the next round of the loop. */
void run_kick(struct run *);

/* run_commit_now(run): COMMIT in the next round of the loop. */
void run_commit_now(struct run *);

/* run_fail(run, code): the run cannot go on; the loop stops.
 * run_fail_spool(run): the same, because there is no room for a body; errno has
 * the reason. */
void run_fail(struct run *, enum diag_code);
void run_fail_spool(struct run *);

/* run_task(run, task), run_origin(run, origin): those of that number.
 * run_site_of(run, task): the site entry of the task.
 * run_crawl_of(run, task): the crawl of the task.
 * run_rules(run, task): the rules of its site.
 * run_is_single(run, task): is the task a single document? */
struct task *run_task(const struct run *, uint32_t task);
struct origin *run_origin(const struct run *, uint32_t origin);
struct crawled_site *run_site_of(const struct run *, uint32_t task);
struct crawl *run_crawl_of(struct run *, uint32_t task);
const struct site_rules *run_rules(struct run *, uint32_t task);
bool run_is_single(const struct run *, uint32_t task);

/* run_work_for(run, task): from now on the process works for the site of the
 * task (at_work.h). */
void run_work_for(const struct run *, uint32_t task);

/* run_read_body(run, task, profile, content_type, content_encoding): a reader
 * gets the body of the task's attempt, which came from its current URL, before
 * the event at hand is over; the types may be NULL.  Until then the caller may
 * add to the job that is returned, which the attempt owns.  NULL: the body
 * cannot be read back, and the run has failed. */
struct reader_job *run_read_body(struct run *, uint32_t task,
    const struct profile *, const char *content_type,
    const char *content_encoding);

/* run_add_task(run, task): the number of a copy, which is counted for its site
 * and its crawl; the copy owns the URL. */
uint32_t run_add_task(struct run *, const struct task *);

/* run_reopen(run, task): a task that is done begins once more. */
void run_reopen(struct run *, uint32_t task);

/* run_suspect(run, task): the task's document has further proofs now: once it
 * was read, it is read again if these make a difference (SPEC 15.4). */
void run_suspect(struct run *, uint32_t task);

/* run_find(run, site, document_id): the task of this site entry for the
 * document, or NONE. */
uint32_t run_find(struct run *, uint32_t site, int64_t document_id);

/* run_site(run, crawl, host): the entry of that site for that crawl; if there
 * is none, begin the crawl of the site. NONE while another crawl, or a single
 * document, is at work there. */
uint32_t run_site(struct run *, uint32_t crawl, struct slice host);

/* run_end_single(run, task): the task of a single document is done. The number
 * of the task becomes free, and after the last task of the site entry that of
 * the entry. */
void run_end_single(struct run *, uint32_t task);

/* run_free_crawl(run, crawl): the numbers of all tasks and site entries of the
 * crawl become free. */
void run_free_crawl(struct run *, uint32_t crawl);

#endif
