/* The daemon: crawls of the driver, one for each site that is read. */
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/daemon/daemon_sites.h"
#include "crawler/frontier/frontier_hosts.h"
#include "store/watch.h"

#define SPARE_S 300

/* job_forget(job, document_id): it is not waited for any more; why it was
 * due, NULL: nobody asked for it. */
static const char *
job_forget(struct job *job, int64_t document_id)
{
	const char *why = NULL;

	for (size_t i = 0; i < job->count && why == NULL; i++)
		if (job->asked[i].document_id == document_id) {
			why = job->asked[i].why;
			job->asked[i] = job->asked[--job->count];
			job->daemon->asked--;
		}
	return why;
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct job *job = arg;
	struct daemon_event event = {
	    .kind = DAEMON_PROBLEM, .url = url, .code = code, .text = text};

	daemon_tell(job->daemon, &event, job->site);
}

static void
on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct job *job = arg;
	struct daemon *daemon = job->daemon;
	struct daemon_event event = {.kind = DAEMON_DOCUMENT,
	    .url = url,
	    .why = job_forget(job, reading->document_id),
	    .reading = reading};

	const struct finding *dropped = findings_get(
	    &reading->content.findings, DIAG_MASS_DROP);
	const struct finding *changed = findings_get(
	    &reading->content.findings, DIAG_VERDICT_CHANGED);

	(void)profile;
	if (event.why == NULL)
		event.why = job->is_whole ? "crawl" : "robots";
	daemon_tell(daemon, &event, job->site);
	if (dropped != NULL)
		on_problem(job, dropped->code, url,
		    slice_of(dropped->samples[0].text));
	if (changed != NULL)
		on_problem(job, changed->code, url,
		    slice_of(changed->samples[0].text));
	if (!job->is_whole && reading->outcome != OUTCOME_READ &&
	    reading->outcome != OUTCOME_UNCHANGED)
		site_failed(
		    daemon, job->site, loop_now_s(daemon->options.loop));
	daemon_wake(daemon);
}

/* on_returned(arg, document_id): its host wants to be left alone, or nothing
 * fits into the store any more: whoever asks again at once hears the same. */
static void
on_returned(void *arg, int64_t document_id)
{
	const struct job *job = arg;
	struct daemon *daemon = job->daemon;
	int64_t now_s = loop_now_s(daemon->options.loop);
	struct watch watch;

	(void)job_forget(arg, document_id);
	frontier_document_back(daemon->options.frontier, document_id, now_s);
	if (!store_watch_get(
		daemon->options.store, daemon->sites[job->site].id, &watch))
		return;
	(void)frontier_hold(daemon->options.frontier, slice_of(watch.host),
	    now_s + SPARE_S, now_s, "spared");
	watch_release(&watch);
}

/* job_free(job): what was not read of it may be read by another. */
static void
job_free(struct job *job)
{
	struct daemon *daemon = job->daemon;

	if (job->before != NULL)
		job->before->next = job->next;
	else
		daemon->jobs = job->next;
	if (job->next != NULL)
		job->next->before = job->before;
	daemon->job_count--;
	daemon->whole_count -= job->is_whole;
	for (size_t i = 0; i < job->count; i++)
		frontier_document_back(daemon->options.frontier,
		    job->asked[i].document_id,
		    loop_now_s(daemon->options.loop));
	daemon->asked -= (unsigned)job->count;
	daemon->sites[job->site].job = NULL;
	site_plan(daemon, job->site);
	free(job->asked);
	free(job);
}

/* note(job, totals): what came of a whole crawl, to be told. */
static void
note(const struct job *job, const struct run_totals *totals)
{
	struct daemon *daemon = job->daemon;
	bool is_found = totals->read + totals->unchanged + totals->already > 0;
	struct crawled *crawled = mem_alloc(sizeof(*crawled));

	*crawled = (struct crawled){
	    .next = daemon->crawled, .site = job->site, .totals = *totals};
	crawled->next_s = site_crawled(
	    daemon, job->site, is_found, loop_now_s(daemon->options.loop));
	daemon->crawled = crawled;
	daemon->counts.crawls++;
}

void
job_tell(struct daemon *daemon)
{
	struct crawled *crawled = daemon->crawled;

	daemon->crawled = NULL;
	while (crawled != NULL) {
		struct crawled *next = crawled->next;
		struct daemon_event event = {.kind = DAEMON_CRAWLED,
		    .totals = &crawled->totals,
		    .next_s = crawled->next_s};

		daemon_tell(daemon, &event, crawled->site);
		free(crawled);
		crawled = next;
	}
}

static void
count(struct daemon_counts *counts, const struct run_totals *totals)
{
	counts->read += totals->read;
	counts->unchanged += totals->unchanged + totals->already;
	counts->failed += totals->failed;
	counts->refused += totals->refused;
	counts->partial += totals->partial;
	counts->refused_children += totals->refused_children;
	counts->lost += totals->lost_targets;
	counts->is_over_budget |= totals->is_over_budget;
}

static void
on_done(void *arg)
{
	struct job *job = arg;
	struct daemon *daemon = job->daemon;
	const struct run_totals *totals = run_totals(
	    daemon->options.run, job->crawl);

	count(&daemon->counts, totals);
	if (job->is_whole)
		note(job, totals);
	job_free(job);
	daemon_wake(daemon);
}

static struct job *
job_new(struct daemon *daemon, uint32_t site, bool is_whole)
{
	struct job *job = mem_zero(sizeof(*job));
	struct crawl_options crawl = {.max_urls = UINT64_MAX,
	    .document = on_document,
	    .problem = on_problem,
	    .returned = on_returned,
	    .done = on_done,
	    .arg = job,
	    .done_arg = job};

	job->daemon = daemon;
	job->site = site;
	job->is_whole = is_whole;
	job->crawl = run_crawl(daemon->options.run, &crawl);
	job->next = daemon->jobs;
	if (job->next != NULL)
		job->next->before = job;
	daemon->jobs = job;
	daemon->job_count++;
	daemon->whole_count += is_whole;
	daemon->sites[site].job = job;
	return job;
}

void
job_whole(struct daemon *daemon, uint32_t site)
{
	struct job *job;
	struct watch watch;
	size_t good = 0;

	if (site_is_aside(daemon, site))
		return;
	if (!store_watch_get(
		daemon->options.store, daemon->sites[site].id, &watch))
		return;
	job = job_new(daemon, site, true);
	/* They were looked at when they came on the list. */
	for (size_t i = 0; i < watch.targets.count; i++)
		good += run_target(daemon->options.run, job->crawl,
			    slice_of(watch.targets.items[i])) == DIAG_OK;
	if (good == 0)
		(void)run_target(
		    daemon->options.run, job->crawl, slice_of(watch.host));
	watch_release(&watch);
	run_start(daemon->options.run, job->crawl);
}

void
job_document(struct daemon *daemon, uint32_t site,
    const struct frontier_document *document)
{
	struct job *job = daemon->sites[site].job;
	bool is_new = job == NULL;

	if (is_new)
		job = job_new(daemon, site, false);
	job->asked = mem_grow(
	    job->asked, &job->cap, job->count + 1, sizeof(*job->asked));
	job->asked[job->count++] = (struct asked){document->id, document->why};
	daemon->asked++;
	/* A crawl reads it anyhow; what it does not come to is given back at
	 * its end. */
	if (!job->is_whole)
		run_document(daemon->options.run, job->crawl, document->id);
	if (is_new)
		run_start(daemon->options.run, job->crawl);
}

void
job_drop(struct job *job)
{
	run_drop(job->daemon->options.run, job->crawl);
	job_free(job);
}
