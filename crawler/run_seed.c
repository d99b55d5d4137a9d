/* The driver: targets, and the documents they lead to. */
#include "crawler/run_seed.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/run_internal.h"
#include "crawler/run_read.h"
#include "crawler/run_visit.h"
#include "store/site.h"

/* The default locations, tried in turn (DESIGN 5.1). */
static const char *const places[] = {"/sitemap_index.xml", "/sitemap.xml"};
#define PLACES (sizeof(places) / sizeof(places[0]))

/* want_robots(run, origin): documents wait until it is known (SPEC 15.4). */
static void
want_robots(struct run *run, uint32_t number, uint32_t site)
{
	struct origin *origin = &run->origins[number];

	if (origin->site == NONE)
		origin->site = site;
	if (origin->state != ORIGIN_NEW)
		return;
	run->robots_open++;
	origin->is_target = true;
	robots_ask(run, number);
}

static void
start_target(struct run *run, const struct target *target)
{
	uint32_t site = run_site(run, url_host(&target->url));
	uint32_t number = run_origin(run, &target->url);
	struct origin *origin = &run->origins[number];

	policy_allow_target(run->options.policy, &target->url);
	origin->is_target = true;
	origin->is_trusted = true;
	if (target->kind != TARGET_DOCUMENT) {
		origin->has_seeds = true;
		origin->site = site;
	}
	if (target->has_no_scheme)
		origin->may_be_http = true;
	want_robots(run, number, site);
}

void
seed_start(struct run *run)
{
	for (size_t i = 0; i < run->target_count; i++)
		start_target(run, &run->targets[i]);
}

uint32_t
seed_document(struct run *run, uint32_t site, struct slice url,
    int64_t document_id, enum frontier_class class)
{
	struct visit visit = {.document_id = document_id,
	    .site = site,
	    .parent = NONE,
	    .origin = NONE,
	    .newest_s = INT64_MIN,
	    .type = VISIT_DOCUMENT,
	    .class = (uint8_t) class};
	uint32_t number;

	if (document_id == 0) {
		struct document document;

		store_document(
		    run->options.store, run->sites[site].id, url, &document);
		visit.document_id = document.id;
		document_release(&document);
	}
	number = idmap_get(&run->by_document, visit.document_id);
	if (number != IDMAP_NONE)
		return number;
	visit.url = slice_dup(url);
	return run_add_visit(run, &visit);
}

/* seed_from_robots(run, origin): its Sitemap lines; false: there is none. */
static bool
seed_from_robots(struct run *run, uint32_t number)
{
	uint32_t site = run->origins[number].site;
	uint32_t line;
	uint32_t i = 0;

	for (;; i++) {
		struct slice url = robots_sitemap(
		    run->origins[number].robots, i, &line);

		if (url.len == 0)
			return i > 0;
		visit_begin(run, seed_document(run, site, url, 0, CLASS_SEED));
	}
}

bool
seed_probe(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[number];
	struct visit visit = {.site = origin->site,
	    .parent = NONE,
	    .origin = number,
	    .newest_s = INT64_MIN,
	    .type = VISIT_PROBE,
	    .class = CLASS_SEED};
	struct buf url;

	if (origin->probes >= PLACES)
		return false;
	buf_init(&url, URL_MAX_BYTES);
	(void)buf_print(&url, "%s%s", origin->text, places[origin->probes++]);
	visit.document_id = store_document_id(
	    run->options.store, run->sites[origin->site].id, buf_text(&url));
	visit.url = buf_take(&url);
	if (visit.document_id != 0 &&
	    idmap_get(&run->by_document, visit.document_id) != IDMAP_NONE) {
		free(visit.url); /* it is a target itself */
		return true;
	}
	visit_begin(run, run_add_visit(run, &visit));
	return true;
}

void
seed_documents(struct run *run)
{
	for (size_t i = 0; i < run->target_count; i++) {
		const struct target *target = &run->targets[i];
		uint32_t site = run_site(run, url_host(&target->url));

		if (target->kind == TARGET_DOCUMENT)
			visit_begin(run,
			    seed_document(run, site, url_text(&target->url), 0,
				CLASS_SEED));
	}
	for (uint32_t i = 0; i < run->origin_count; i++) {
		if (!run->origins[i].has_seeds)
			continue;
		if (run->origins[i].is_closed)
			run->totals.lost_targets++;
		else if (!seed_from_robots(run, i))
			(void)seed_probe(run, i);
	}
}
