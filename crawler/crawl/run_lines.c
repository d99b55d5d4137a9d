/* The driver: the documents that the Sitemap lines of a robots.txt name. */
#include "crawler/crawl/run_lines.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_tables.h"
#include "store/proof.h"
#include "store/reach.h"
#include "store/site.h"

#define LINES_MS 3 /* time in one round of the loop */

void
lines_drop(struct sitemap_lines *lines)
{
	for (size_t i = 0; i < lines->url_count; i++)
		free(lines->urls[i]);
	free(lines->urls);
	lines->urls = NULL;
	lines->url_count = lines->url_cap = lines->next = lines->named = 0;
	lines->is_loaded = false;
}

void
lines_add(struct run *run, const struct line_job *job)
{
	struct sitemap_lines *lines = &run->lines;

	if (lines->count == lines->cap) {
		struct line_job *jobs = NULL;
		size_t cap = 0;

		jobs = mem_grow(jobs, &cap, lines->count + 1, sizeof(*jobs));
		for (size_t i = 0; i < lines->count; i++)
			jobs[i] = lines->jobs[(lines->first + i) % lines->cap];
		free(lines->jobs);
		lines->jobs = jobs;
		lines->cap = cap;
		lines->first = 0;
	}
	lines->jobs[(lines->first + lines->count++) % lines->cap] = *job;
	if (job->crawl != NONE)
		run->crawls[job->crawl].pending++;
	run_kick(run);
}

/* Handling one line. */

static void
prove(struct run *run, const struct line_job *job, struct slice text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	const struct site_place *place;
	uint32_t site, task;
	struct url url;

	profile.max_loc_chars = URL_MAX_BYTES;
	url_init(&url);
	if (url_parse(&url, text, NULL, &profile, (struct diag_sink){0}) ==
		DIAG_OK &&
	    !slice_is(url_origin(&url), run->origins[job->origin].text)) {
		place = sites_place_find(
		    run, store_site_find(run->options.store, url_host(&url)));
		site = place == NULL ? NONE : place->crawl;
		task = site == NONE
		    ? NONE
		    : run_find(run, site,
			  store_document_id(run->options.store,
			      run->sites[site].id, url_text(&url)));
		if (task != NONE)
			run_suspect(run, task);
	}
	url_release(&url);
}

/* All lines of a robots.txt. */

static void
lines_keep_url(void *arg, struct slice url)
{
	struct sitemap_lines *lines = arg;

	lines->urls = mem_grow(lines->urls, &lines->url_cap,
	    lines->url_count + 1, sizeof(*lines->urls));
	lines->urls[lines->url_count++] = slice_dup(url);
}

/* A closed crawl needs no lines. */
static bool
lines_is_wanted(const struct run *run, const struct line_job *job)
{
	return job->crawl == NONE ||
	    (!run->crawls[job->crawl].is_dropped && !run->is_full);
}

static void
lines_use(struct run *run, const struct line_job *job, struct slice url)
{
	switch (job->use) {
	case USE_SEED: {
		const struct sitemap_lines *lines = &run->lines;
		bool is_inward = seed_leads_inward(run, job->origin, url);
		uint32_t task = seed_document(
		    run, job->site, url, 0, CLASS_SEED);
		bool is_named = lines->next <= lines->named;

		run_work_for(run, task);
		if (is_named)
			reach_root(run->options.store, run->sites[job->site].id,
			    run_task(run, task)->document_id, ROOT_OF_LINE,
			    slice_of(run->origins[job->origin].text));
		/* When this document cannot be read, default locations are
		 * tried. */
		if (lines->named == 0 &&
		    run_task(run, task)->state == TASK_NEW) {
			run_task(run, task)->is_guess = true;
			run_task(run, task)->origin = job->origin;
		}
		if (!is_inward)
			task_begin_later(run, task);
		else if (run_task(run, task)->state == TASK_NEW)
			task_give_up(run, task, DIAG_PRIVATE_ADDRESS,
			    slice_of(
				"named by robots.txt of a host that has none"));
		break;
	}
	case USE_SEED_SINGLE: {
		struct document document;

		if (!seed_leads_inward(run, job->origin, url)) {
			store_document(
			    run->options.store, job->site_id, url, &document);
			reach_root(run->options.store, job->site_id,
			    document.id, ROOT_OF_LINE,
			    slice_of(run->origins[job->origin].text));
			document_release(&document);
		}
		break;
	}
	case USE_PROVE:
		prove(run, job, url);
		break;
	}
}

bool
lines_some(struct run *run)
{
	struct sitemap_lines *lines = &run->lines;
	int64_t end_ms = loop_now_ms(run->options.loop) + LINES_MS;

	while (lines->count > 0 && loop_now_ms(run->options.loop) < end_ms) {
		struct line_job job = lines->jobs[lines->first];

		if (lines_is_wanted(run, &job) && !lines->is_loaded) {
			store_seeds(run->options.store,
			    slice_of(run->origins[job.origin].text),
			    lines_keep_url, lines);
			lines->named = lines->url_count;
			if (job.use == USE_SEED)
				reach_each_root(run->options.store,
				    run->sites[job.site].id,
				    slice_of(run->origins[job.origin].text),
				    lines_keep_url, lines);
			lines->is_loaded = true;
			if (lines->url_count == 0 && job.use == USE_SEED)
				(void)seed_probe(run, job.origin, job.site);
		}
		if (lines_is_wanted(run, &job) &&
		    lines->next < lines->url_count)
			lines_use(
			    run, &job, slice_of(lines->urls[lines->next++]));
		else {
			lines_drop(lines);
			if (job.crawl != NONE)
				run->crawls[job.crawl].pending--;
			lines->first = (lines->first + 1) % lines->cap;
			lines->count--;
			run_kick(run);
		}
	}
	return lines->count > 0;
}
