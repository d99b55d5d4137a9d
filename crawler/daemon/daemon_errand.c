/* The daemon: crawls of the driver, one for each site that is read. */
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/daemon/daemon_sites.h"
#include "crawler/frontier/frontier_held.h"
#include "store/watch.h"

#define SPARE_S 300

/* errand_forget(errand, document_id): it is not waited for any more; why it was
 * due, NULL: nobody asked for it. */
static const char *
errand_forget(struct errand *errand, int64_t document_id)
{
	const char *why = NULL;

	for (size_t i = 0; i < errand->count && why == NULL; i++)
		if (errand->asked[i].document_id == document_id) {
			why = errand->asked[i].why;
			errand->asked[i] = errand->asked[--errand->count];
			errand->daemon->asked--;
		}
	return why;
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct errand *errand = arg;
	struct daemon_event event = {
	    .kind = DAEMON_PROBLEM, .url = url, .code = code, .text = text};

	daemon_tell(errand->daemon, &event, errand->site);
}

static void
on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct errand *errand = arg;
	struct daemon *daemon = errand->daemon;
	struct daemon_event event = {.kind = DAEMON_DOCUMENT,
	    .url = url,
	    .why = errand_forget(errand, reading->document_id),
	    .reading = reading};

	const struct finding *dropped = findings_get(
	    &reading->content.findings, DIAG_MASS_DROP);
	const struct finding *changed = findings_get(
	    &reading->content.findings, DIAG_VERDICT_CHANGED);

	(void)profile;
	if (event.why == NULL)
		event.why = errand->is_whole ? "crawl" : "robots";
	daemon_tell(daemon, &event, errand->site);
	if (dropped != NULL)
		on_problem(errand, dropped->code, url,
		    slice_of(dropped->samples[0].text));
	if (changed != NULL)
		on_problem(errand, changed->code, url,
		    slice_of(changed->samples[0].text));
	if (!errand->is_whole && reading->outcome != OUTCOME_READ &&
	    reading->outcome != OUTCOME_UNCHANGED)
		site_failed(
		    daemon, errand->site, loop_now_s(daemon->options.loop));
	daemon_wake(daemon);
}

/* on_returned(arg, document_id): its host wants to be left alone, or nothing
 * fits into the store any more: whoever asks again at once hears the same. */
static void
on_returned(void *arg, int64_t document_id)
{
	const struct errand *errand = arg;
	struct daemon *daemon = errand->daemon;
	int64_t now_s = loop_now_s(daemon->options.loop);
	struct watch watch;

	(void)errand_forget(arg, document_id);
	frontier_document_back(daemon->options.frontier, document_id, now_s);
	if (!store_watch_get(
		daemon->options.store, daemon->sites[errand->site].id, &watch))
		return;
	(void)frontier_hold(daemon->options.frontier, slice_of(watch.host),
	    now_s + SPARE_S, now_s, "spared");
	watch_release(&watch);
}

/* errand_free(errand): what was not read of it may be read by another. */
static void
errand_free(struct errand *errand)
{
	struct daemon *daemon = errand->daemon;

	if (errand->before != NULL)
		errand->before->next = errand->next;
	else
		daemon->errands = errand->next;
	if (errand->next != NULL)
		errand->next->before = errand->before;
	daemon->errand_count--;
	daemon->whole_count -= errand->is_whole;
	for (size_t i = 0; i < errand->count; i++)
		frontier_document_back(daemon->options.frontier,
		    errand->asked[i].document_id,
		    loop_now_s(daemon->options.loop));
	daemon->asked -= (unsigned)errand->count;
	daemon->sites[errand->site].errand = NULL;
	site_plan(daemon, errand->site);
	free(errand->asked);
	free(errand);
}

/* note(errand, totals): what came of a whole crawl, to be told. */
static void
note(const struct errand *errand, const struct run_totals *totals)
{
	struct daemon *daemon = errand->daemon;
	bool is_found = totals->read + totals->unchanged + totals->already > 0;
	struct crawled *crawled = mem_alloc(sizeof(*crawled));

	*crawled = (struct crawled){
	    .next = daemon->crawled, .site = errand->site, .totals = *totals};
	crawled->next_s = site_crawled(
	    daemon, errand->site, is_found, loop_now_s(daemon->options.loop));
	daemon->crawled = crawled;
	daemon->counts.crawls++;
}

void
errand_tell(struct daemon *daemon)
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
	struct errand *errand = arg;
	struct daemon *daemon = errand->daemon;
	const struct run_totals *totals = run_totals(
	    daemon->options.run, errand->crawl);

	count(&daemon->counts, totals);
	if (errand->is_whole)
		note(errand, totals);
	errand_free(errand);
	daemon_wake(daemon);
}

static struct errand *
errand_new(struct daemon *daemon, uint32_t site, bool is_whole)
{
	struct errand *errand = mem_zero(sizeof(*errand));
	struct crawl_options crawl = {.max_urls = UINT64_MAX,
	    .document = on_document,
	    .problem = on_problem,
	    .returned = on_returned,
	    .done = on_done,
	    .arg = errand,
	    .done_arg = errand};

	errand->daemon = daemon;
	errand->site = site;
	errand->is_whole = is_whole;
	errand->crawl = run_crawl(daemon->options.run, &crawl);
	errand->next = daemon->errands;
	if (errand->next != NULL)
		errand->next->before = errand;
	daemon->errands = errand;
	daemon->errand_count++;
	daemon->whole_count += is_whole;
	daemon->sites[site].errand = errand;
	return errand;
}

void
errand_whole(struct daemon *daemon, uint32_t site)
{
	struct errand *errand;
	struct watch watch;
	size_t good = 0;

	if (site_is_aside(daemon, site))
		return;
	if (!store_watch_get(
		daemon->options.store, daemon->sites[site].id, &watch))
		return;
	errand = errand_new(daemon, site, true);
	/* They were looked at when they came on the list. */
	for (size_t i = 0; i < watch.targets.count; i++)
		good += run_target(daemon->options.run, errand->crawl,
			    slice_of(watch.targets.items[i])) == DIAG_OK;
	if (good == 0)
		(void)run_target(
		    daemon->options.run, errand->crawl, slice_of(watch.host));
	watch_release(&watch);
	run_start(daemon->options.run, errand->crawl);
}

void
errand_document(struct daemon *daemon, uint32_t site,
    const struct frontier_document *document)
{
	struct errand *errand = daemon->sites[site].errand;
	bool is_new = errand == NULL;

	if (is_new)
		errand = errand_new(daemon, site, false);
	errand->asked = mem_grow(errand->asked, &errand->cap, errand->count + 1,
	    sizeof(*errand->asked));
	errand->asked[errand->count++] = (struct asked){
	    document->id, document->why};
	daemon->asked++;
	/* A crawl reads it anyhow; what it does not come to is given back at
	 * its end. */
	if (!errand->is_whole)
		run_document(daemon->options.run, errand->crawl, document->id);
	if (is_new)
		run_start(daemon->options.run, errand->crawl);
}

void
errand_drop(struct errand *errand)
{
	run_drop(errand->daemon->options.run, errand->crawl);
	errand_free(errand);
}
