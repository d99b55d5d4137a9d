/* The driver: commits, and the children that an index leads to. */
#include "crawler/crawl/run_commit.h"

#include "base/mem.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_scope.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_tables.h"
#include "store/link.h"

#define ACCEPT_MS 4 /* of one round of the loop */
#define CHILD_BYTES 320 /* average length of a child's URL */
/* children that are judged before the clock is read again */
#define ACCEPT_FEW 16
#define EXPAND_FEW 64 /* children that begin at a time */

enum diag_code
run_flush(struct run *run)
{
	struct loop *loop = run->options.loop;
	enum diag_code code;

	for (size_t i = 0; i < run->noted.end; i++)
		host_state_write(run, run->noted.items[i]);
	run->noted.end = 0;
	if (run->options.before_commit != NULL)
		run->options.before_commit(run->options.before_commit_arg);
	if (!store_pending(run->options.store))
		return store_flush(run->options.store);
	loop_commit(loop, true);
	code = store_flush(run->options.store);
	loop_commit(loop, false);
	run->tally.is_due = true;
	run->tally.over = 0;
	return code;
}

/* ACCEPTING: the children of an index are judged (DESIGN 5.7). */

static bool
has_all_children(void *arg)
{
	struct attempt *attempt = arg;
	struct run *run = attempt->run;
	const struct task *task = run_task(run, attempt->number);
	const struct crawled_site *site = &run->sites[task->site];

	return site->children >= site->rules->max_children ||
	    site->child_bytes / CHILD_BYTES >= site->rules->max_children;
}

static bool
commit_is_counted(void *arg, int64_t document_id)
{
	struct attempt *attempt = arg;
	struct run *run = attempt->run;
	const struct task *task = run_task(run, attempt->number);

	/* Does another index list the child, too? */
	if (document_id != 0 &&
	    (run->sites[task->site].is_single
		    ? store_number(run->options.store, STORE_OTHER_PARENT,
			  document_id, task->document_id) != 0
		    : run_find(run, task->site, document_id) != NONE))
		return true;
	run_crawl_of(run, attempt->number)->totals.is_over_budget = true;
	attempt->is_lacking = true;
	return false;
}

static enum diag_code
commit_take_child(void *arg, int64_t document_id, struct slice url)
{
	struct attempt *attempt = arg;
	struct run *run = attempt->run;
	const struct task *task = run_task(run, attempt->number);
	struct crawled_site *site = &run->sites[task->site];
	uint32_t above = attempt->number;
	bool is_new, is_above;

	/* Does the index descend from that document? */
	is_above = attempt->ancestry != NULL &&
	    ancestry_has(attempt->ancestry, document_id);
	for (; attempt->ancestry == NULL && above != NONE && !is_above;
	     above = run_task(run, above)->parent)
		is_above = run_task(run, above)->document_id == document_id;
	if (is_above)
		return DIAG_INDEX_LOOP;
	is_new = site->is_single
	    ? document_id == 0 ||
		store_number(run->options.store, STORE_OTHER_PARENT,
		    document_id, task->document_id) == 0
	    : run_find(run, task->site, document_id) == NONE;
	if (is_new) {
		site->children++;
		site->child_bytes += url.len;
	}
	return DIAG_OK;
}

void
commit_accept(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);

	if (run_site_of(run, number)->is_single) {
		task->attempt->ancestry = mem_alloc(sizeof(struct ancestry));
		ancestry_find(task->attempt->ancestry, run->options.store,
		    task->document_id);
		run->sites[task->site].children = (uint32_t)store_number(
		    run->options.store, STORE_CHILDREN_WITHOUT,
		    run->sites[task->site].id, task->document_id);
	}
	fifo_put(&run->lists[LIST_ACCEPTING], number);
	run_kick(run);
}

bool
commit_accept_some(struct run *run)
{
	int64_t end_ms = run_now_ms(run) + ACCEPT_MS;
	struct fifo *accepting = &run->lists[LIST_ACCEPTING];
	struct accept_options options;
	enum accept_state state = ACCEPT_MORE;
	const struct task *task;
	struct attempt *attempt;
	struct reading *reading;
	uint32_t number;

	if (fifo_count(accepting) == 0)
		return false;
	number = accepting->items[accepting->first];
	run_work_for(run, number);
	task = run_task(run, number);
	attempt = task->attempt;
	/* Only one index is decoded at a time, because that takes much
	 * memory. */
	options = (struct accept_options){.store = run->options.store,
	    .site_id = run->sites[task->site].id,
	    .index_id = task->document_id,
	    .scope = &attempt->location,
	    .content = &attempt->reading->content,
	    .is_full = has_all_children,
	    .is_counted = commit_is_counted,
	    .child = commit_take_child,
	    .arg = attempt};
	if (attempt->accept == NULL)
		attempt->accept = accept_new(&options);
	while (state == ACCEPT_MORE && run_now_ms(run) < end_ms)
		state = accept_step(attempt->accept, ACCEPT_FEW);
	if (state == ACCEPT_MORE)
		return true;
	(void)fifo_take(accepting);
	reading = attempt->reading;
	if (state == ACCEPT_DAMAGED) {
		content_release(&reading->content);
		content_init(&reading->content);
		reading->outcome = OUTCOME_FAILED;
		reading->failure = DIAG_READER_KILLED;
		findings_add(&attempt->findings, DIAG_READER_KILLED, 0,
		    slice_of("the reader's segment cannot be decoded"));
	}
	accept_free(attempt->accept);
	attempt->accept = NULL;
	task_post(run, number, TASK_COMMITTING);
	return fifo_count(accepting) > 0;
}

/* COMMITTING: the reading is completed and stored. */

void
commit_prepare(struct run *run, uint32_t number)
{
	struct task *task = run_task(run, number);
	struct attempt *attempt = task->attempt;
	struct reading *reading = attempt->reading;

	/* What conditions did to the answer, and what came without them. */
	const struct content *content = &reading->content;
	bool is_whole = reading->http.status == 200 &&
	    reading->failure == DIAG_OK && content->failure == DIAG_OK &&
	    content->is_complete;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (attempt->is_conditional && reading->http.status == 200 &&
	    (content->failure == DIAG_EMPTY_FILE ||
		(content->failure == DIAG_OK && !content->is_complete)))
		attempt->is_spoilt = true;
	if (attempt->is_settling && is_whole) {
		reading->http.is_index_wrong = reading->outcome ==
		    OUTCOME_UNCHANGED;
		attempt->is_spoilt |= !reading->http.is_index_wrong;
		(void)buf_print(&text, "304, and the index dates it ");
		date_print(&text, &attempt->index_lastmod);
		(void)buf_print(&text, "; without conditions it is %s",
		    reading->http.is_index_wrong
			? "what it was: the index's dates count for nothing"
			: "another one: no conditions for a week");
		findings_add(&attempt->findings, DIAG_INDEX_DATE_DISPUTED, 0,
		    buf_text(&text));
	}
	reading->http.is_spoilt = attempt->is_spoilt;
	/* HOSTILE U8, SPEC R-116: if most dates move at every reading, they are
	 * the dates of the sitemap, not of its pages. */
	const struct merge_counts *counts = &reading->content.merge;

	if (reading->outcome == OUTCOME_READ && reading->content.is_complete &&
	    store_moves_dates(run->options.store, reading->document_id,
		counts->changes[DELTA_REDATED], counts->entries))
		findings_add(&attempt->findings, DIAG_LASTMOD_UNTRUSTED, 0,
		    slice_of("most dates move at every reading"));
	/* Caches that hold different versions of a document answer in turns. */
	unsigned turns = store_turns(run->options.store, reading);
	struct document document;

	buf_clear(&text);
	if (turns >= TURNS_LEAST) {
		(void)buf_print(&text,
		    "it is what it was before its last change, %u times in a "
		    "row",
		    turns);
		findings_add(&attempt->findings, DIAG_VERSIONS_ALTERNATE, 0,
		    buf_text(&text));
	}
	/* Report a document that has failed for long. */
	if (reading->outcome == OUTCOME_FAILED &&
	    store_document_get(
		run->options.store, reading->document_id, &document)) {
		buf_clear(&text);
		(void)buf_print(&text, "it has failed since ");
		time_print(&text, document.failing_since_s);
		if (document_is_given_up(&document, reading->at_s))
			findings_add(&attempt->findings, DIAG_FETCH_GIVEN_UP, 0,
			    buf_text(&text));
		document_release(&document);
	}
	buf_release(&text);
	/* Findings of the attempt (its hops) are added to those of the body. */
	struct findings *from = &attempt->findings;

	for (size_t i = 0; i < from->count; i++) {
		const struct finding *finding = &from->items[i];

		for (uint64_t k = 0; k < finding->count; k++) {
			bool has = k < finding->sample_count;

			findings_add(&reading->content.findings, finding->code,
			    has ? finding->samples[k].line : 0,
			    slice_of(has ? finding->samples[k].text : NULL));
		}
	}
	findings_release(from);
	/* Without a fingerprint, an index whose children were too many is read
	 * again even when it is unchanged: with a larger limit its other
	 * children are accepted. */
	reading->fingerprint = attempt->is_lacking ? 0 : task->fingerprint;
	task_drop_spool(attempt);
	run_kick(run);
}

void
commit_done(struct run *run, uint32_t number, const struct reading *reading)
{
	struct task *task = run_task(run, number);
	const struct content *content = &reading->content;
	/* A document that was an index before has links until a complete
	 * reading lacks them. */
	bool is_childless = content->kind != KIND_INDEX &&
	    content->is_complete && content->merge.held == 0;

	run_kick(run);
	if (!run_site_of(run, number)->is_single &&
	    (reading->outcome == OUTCOME_READ ||
		reading->outcome == OUTCOME_UNCHANGED)) {
		task_post(run, number,
		    is_childless && !task->has_new_proof ? TASK_DONE
							 : TASK_EXPANDING);
		return;
	}
	if (!run_site_of(run, number)->is_single && task->is_guess)
		(void)seed_next(run, number);
	task_post(run, number, TASK_DONE);
}

/* EXPANDING: stored children of an index begin; there may be 50,000. */

struct expansion {
	struct run *run;
	uint32_t index;
	unsigned count;
	uint64_t proof; /* of the index; known from the first child on */
};

static void
add_child(void *arg, int64_t child_id, struct slice url,
    const struct date *lastmod, bool is_lacking)
{
	struct expansion *expansion = arg;
	struct run *run = expansion->run;
	const struct task *index = run_task(run, expansion->index);
	uint32_t number = run_find(run, index->site, child_id);

	if (expansion->count++ == 0)
		expansion->proof = run_proof(run, expansion->index);
	struct task task = {.document_id = child_id,
	    .site = index->site,
	    .parent = expansion->index,
	    .origin = NONE,
	    .lastmod = *lastmod,
	    .proof = expansion->proof,
	    .type = TASK_DOCUMENT,
	    .class = is_lacking ? CLASS_LACKING : CLASS_CHILD,
	    .depth = (uint8_t)(index->depth + 1)};

	index->attempt->last_child = child_id;
	/* a child that the site's filter leaves out is linked, and not read */
	if (number == NONE &&
	    run_leaves_out(run, task.site, url, lastmod, task.depth))
		return;
	if (number == NONE) {
		task.url = slice_dup(url);
		task_begin_later(run, run_add_task(run, &task));
		return;
	}
	/* The proofs of this index may be proofs for the child, too. */
	if (task.proof == 0 || run_task(run, number)->proof == task.proof)
		return;
	run_task(run, number)->proof = task.proof;
	run_suspect(run, number);
}

void
commit_expand_one(struct run *run)
{
	const struct fifo *expanding = &run->lists[LIST_EXPANDING];
	uint32_t number = expanding->items[expanding->first];
	struct task *task = run_task(run, number);
	struct expansion expansion = {.run = run, .index = number};

	run_work_for(run, number);
	store_children_after(run->options.store, task->document_id,
	    task->attempt->is_held, task->attempt->last_child, EXPAND_FEW,
	    add_child, &expansion);
	if (expansion.count == EXPAND_FEW)
		return;
	(void)fifo_take(&run->lists[LIST_EXPANDING]);
	task_post(run, number, TASK_DONE);
}

/* The document of the first suspect was read under certain rules (its
 * fingerprint); if the rules of today differ, the task begins again. */
void
commit_look_again(struct run *run)
{
	uint32_t number = fifo_take(&run->lists[LIST_SUSPECTS]);
	struct task *task = run_task(run, number);
	struct crawl *crawl = run_crawl_of(run, number);
	struct document document;
	struct url final = {0};

	run_work_for(run, number);
	task->is_suspect = false;
	crawl->pending--;
	run_kick(run);
	if (task->state != TASK_DONE ||
	    !store_document_get(
		run->options.store, task->document_id, &document))
		return;
	if (document.final_url != NULL &&
	    url_resolve(&final, slice_of(document.final_url), NULL) ==
		DIAG_OK &&
	    run_fingerprint(run, number, &final, document.kind == KIND_INDEX) !=
		task->fingerprint) {
		task->rereads++;
		if (document.kind != KIND_INDEX) {
			/* Take the document's entries out of the totals; its
			 * next reading counts them again. */
			crawl->totals.listed -= document.entries;
			crawl->totals.refused_by[document.refused_by] -=
			    document.refused;
		}
		crawl->open++;
		crawl->totals.done--;
		run_site_of(run, number)->open++;
		task_post(run, number, TASK_NEW);
	}
	url_release(&final);
	document_release(&document);
}
