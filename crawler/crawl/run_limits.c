/* The driver: limits of URLs, and budgets of owners of host names. */
#include "crawler/crawl/run_limits.h"

#include "base/host.h"
#include "base/mem.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_tables.h"
#include "store/site.h"

#define USUAL_ENTRIES 50000 /* the most entries of one sitemap (SPEC R-36) */

void
limits_claim(struct run *run, uint32_t task, uint64_t urls)
{
	struct crawl *crawl = run_crawl_of(run, task);
	struct crawled_site *site = run_site_of(run, task);

	if (site->is_single)
		return;
	crawl->claimed += urls;
	crawl->claims++;
	site->claimed += urls;
	site->claims++;
	if (!crawl->is_closed && crawl->claimed >= crawl->options.max_urls)
		crawl->is_closed = run->has_closed = true;
	if (!site->is_closed && site->claimed >= site->rules->max_urls)
		site->is_closed = run->has_closed = true;
}

/* The number of documents for which the rest of a limit has room, if they are
 * as large as those read so far. */
static uint64_t
documents(uint64_t left, uint64_t claimed, uint64_t claims)
{
	return left / (claims == 0 ? USUAL_ENTRIES : claimed / claims + 1);
}

bool
limits_defer(struct run *run, uint32_t task)
{
	const struct crawled_site *site = run_site_of(run, task);

	return run_task(run, task)->type == TASK_DOCUMENT && !site->is_closed &&
	    site->at_readers > 0 &&
	    site->at_readers >= documents(site->rules->max_urls - site->claimed,
				    site->claimed, site->claims);
}

uint64_t
limits_room(const struct run *run)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < run->crawl_count; i++) {
		const struct crawl *crawl = &run->crawls[i];
		uint64_t room;

		if (crawl->state != CRAWL_DOCUMENTS || crawl->is_closed)
			continue;
		room = documents(crawl->options.max_urls - crawl->claimed,
		    crawl->claimed, crawl->claims);
		if (room < least)
			least = room;
	}
	return least;
}

/* Limits of URLs do not apply to pages: a page adds no URL, and few pages are
 * asked for. */
bool
limits_forbid(struct run *run, uint32_t task)
{
	if (run_task(run, task)->type == TASK_PAGE)
		return run_crawl_of(run, task)->is_dropped;
	if (run_site_of(run, task)->is_single)
		return run->is_full || run_crawl_of(run, task)->is_dropped;
	return run->is_full || run_crawl_of(run, task)->is_closed ||
	    run_site_of(run, task)->is_closed;
}

bool
limits_may_keep(struct run *run, uint32_t task, const struct content *content)
{
	const struct crawled_site *site = run_site_of(run, task);
	const struct site_rules *rules = site->rules;
	int64_t now_s = run_now_s(run);
	struct kept_bytes kept;
	bool is_over_total;

	if (content == NULL && run_task(run, task)->type != TASK_DOCUMENT)
		return true;
	kept = store_kept(run->options.store, site->id,
	    run_task(run, task)->document_id, content, now_s);
	is_over_total = rules->max_kept > 0 && kept.total > rules->max_kept;
	if (!is_over_total &&
	    (rules->max_kept_day == 0 || kept.today <= rules->max_kept_day))
		return true;
	task_give_up(run, task, DIAG_BUDGET_REACHED,
	    slice_of(is_over_total
		    ? "the store keeps all that it may of the site "
		      "(max-site-store)"
		    : "the store keeps all that it may of the site today "
		      "(max-site-day)"));
	/* what the content would bring is not asked for again today */
	if (content != NULL)
		store_kept_fill(run->options.store, site->id, now_s,
		    rules->max_kept_day + 1);
	return false;
}

bool
limits_skip(struct run *run, uint32_t task)
{
	struct crawl *crawl = run_crawl_of(run, task);

	if (!limits_forbid(run, task))
		return false;
	if (!crawl->totals.is_over_budget && !crawl->is_dropped) {
		crawl->totals.is_over_budget = true;
		crawl_problem(crawl, DIAG_BUDGET_REACHED, slice_make(NULL, 0),
		    slice_of(run->is_full
			    ? "the store has the size that it may have"
			    : "the limit of URLs was reached"));
	}
	task_post(run, task, TASK_DONE);
	return true;
}

/* Owners. */

/* The owner of the origin's host; NULL: the operator named the host, which has
 * no owner budget. A clock that was set back to an earlier day begins no new
 * budgets. */
static struct owner *
owner_of(struct run *run, const struct origin *origin)
{
	struct slice host = names_slice(&run->table->names, origin->host);
	struct slice name = host_registrable(host);
	int64_t day = run_now_s(run) / DAY_S;
	uint32_t number;

	if (day > run->owner_day) {
		/* Reset the counts of all owners. */
		run->owner_day = day;
		names_release(&run->owner_names);
		run->owner_names = (struct names){.key = run->options.hash_key};
		run->owner_count = 0;
		for (uint32_t i = 0; i < run->origin_count; i++)
			run->origins[i].used = (struct origin_use){0};
		for (uint32_t i = 0; i < run->host_state_count; i++)
			if (run->host_states[i] != NULL)
				host_states_at(run, i)->work = 0;
	}
	if (host_states_at(run, origin->host)->is_named)
		return NULL;
	number = names_put(&run->owner_names, name.len > 0 ? name : host);
	if (number == run->owner_count) {
		*MEM_PUSH(run->owners, run->owner_count,
		    run->owner_cap) = (struct owner){0};
	}
	return &run->owners[number];
}

bool
owner_may_ask(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[number];
	struct owner *owner = owner_of(run, origin);

	if (owner == NULL || origin->used.is_asked)
		return true;
	if (owner->hosts >= OWNER_HOSTS)
		return false;
	owner->hosts++;
	origin->used.is_asked = true;
	return true;
}

bool
owner_takes(struct run *run, uint32_t number, size_t bytes)
{
	struct origin *origin = &run->origins[number];
	struct owner *owner = owner_of(run, origin);

	if (owner == NULL || bytes <= origin->used.robots_bytes)
		return true;
	if (bytes - origin->used.robots_bytes >
	    OWNER_ROBOTS_BYTES - owner->robots_bytes)
		return false;
	owner->robots_bytes += bytes - origin->used.robots_bytes;
	origin->used.robots_bytes = (uint32_t)bytes;
	return true;
}

uint32_t
owner_sitemaps(struct run *run, uint32_t number, uint32_t lines)
{
	struct origin *origin = &run->origins[number];
	struct owner *owner = owner_of(run, origin);
	uint32_t left;

	if (owner == NULL || lines <= origin->used.sitemaps)
		return lines;
	left = OWNER_SITEMAPS - owner->sitemaps;
	if (lines - origin->used.sitemaps > left)
		lines = origin->used.sitemaps + left;
	owner->sitemaps += lines - origin->used.sitemaps;
	origin->used.sitemaps = lines;
	return lines;
}

bool
owner_works(struct run *run, uint32_t number, uint32_t work)
{
	const struct origin *origin = &run->origins[number];
	struct owner *owner;
	uint64_t *used;

	if (work == 0)
		return true;
	owner = owner_of(run, origin);
	used = owner == NULL ? &host_states_at(run, origin->host)->work
			     : &owner->work;
	*used += work;
	return *used <= OWNER_WORK;
}
