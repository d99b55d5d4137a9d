/* The driver: the tables of its visits, sites, origins and hosts. */
#include "crawler/run_tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/run_visit.h"
#include "store/site.h"

struct visit *
run_visit(struct run *run, uint32_t number)
{
	assert(number < run->visit_count);
	return &run->visits[number];
}

uint32_t
run_add_visit(struct run *run, const struct visit *visit)
{
	uint32_t number = (uint32_t)run->visit_count;

	run->visits = mem_grow(run->visits, &run->visit_cap,
	    run->visit_count + 1, sizeof(*run->visits));
	run->visits[run->visit_count++] = *visit;
	if (visit->document_id != 0)
		idmap_put(&run->by_document, visit->document_id, number);
	run->open++;
	if (visit->type != VISIT_ROBOTS) {
		run->sites[visit->site].open++;
		run->totals.known++;
	}
	return number;
}

void
run_reopen(struct run *run, uint32_t number)
{
	struct visit *visit = run_visit(run, number);

	assert(visit->state == VISIT_DONE);
	visit->state = VISIT_NEW;
	run->open++;
	run->sites[visit->site].open++;
	run->totals.done--;
	visit_begin(run, number);
}

uint32_t
run_site(struct run *run, struct slice host)
{
	struct site *site;
	int64_t now_s = loop_now_s(run->options.loop);

	for (size_t i = 0; i < run->site_count; i++)
		if (slice_is(host, run->sites[i].name))
			return (uint32_t)i;
	run->sites = mem_grow(run->sites, &run->site_cap, run->site_count + 1,
	    sizeof(*run->sites));
	site = &run->sites[run->site_count++];
	*site = (struct site){.name = slice_dup(host),
	    .id = store_site(run->options.store, host),
	    .rules = run->options.rules(run->options.arg, host)};
	site->begun_s = store_crawl_begin(
	    run->options.store, site->id, now_s, &site->is_resumed);
	run->totals.sites++;
	return (uint32_t)run->site_count - 1;
}

uint32_t
run_origin(struct run *run, const struct url *url)
{
	struct slice text = url_origin(url);
	struct origin *origin;

	for (size_t i = 0; i < run->origin_count; i++)
		if (slice_is(text, run->origins[i].text))
			return (uint32_t)i;
	run->origins = mem_grow(run->origins, &run->origin_cap,
	    run->origin_count + 1, sizeof(*run->origins));
	origin = &run->origins[run->origin_count++];
	*origin = (struct origin){.text = slice_dup(text),
	    .host = run_host(run, url_host(url)),
	    .site = NONE};
	return (uint32_t)run->origin_count - 1;
}

struct peer *
run_peer(struct run *run, uint32_t host)
{
	if (host >= run->peer_count) {
		run->peers = mem_grow(run->peers, &run->peer_cap,
		    (size_t)host + 1, sizeof(*run->peers));
		memset(run->peers + run->peer_count, 0,
		    (host + 1 - run->peer_count) * sizeof(*run->peers));
		run->peer_count = (size_t)host + 1;
	}
	return &run->peers[host];
}

uint32_t
run_host(struct run *run, struct slice name)
{
	uint32_t host = frontier_host(run->frontier, name);
	struct peer *peer = run_peer(run, host);

	if (peer->rules == NULL) {
		peer->rules = run->options.rules(run->options.arg, name);
		visit_politeness(run, host);
	}
	return host;
}

const struct site_rules *
run_rules(struct run *run, uint32_t number)
{
	return run->sites[run_visit(run, number)->site].rules;
}
