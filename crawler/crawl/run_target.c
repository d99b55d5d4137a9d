/* The driver: targets, and the documents that they lead to. */
#include "crawler/crawl/run_target.h"

#include "base/at_work.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_robots.h"
#include "crawler/crawl/run_seed.h"
#include "crawler/crawl/run_tables.h"
#include "store/reach.h"
#include "store/site.h"
#include "store/watch.h"

/* The operator named the target, which is not crawled now.  Its origin gets the
 * headers, credentials and budgets that only named origins get. */
static void
target_name(struct run *run, int64_t site_id, const struct target *target)
{
	uint32_t number = origins_of(run, &target->url);
	struct url url = {0};

	policy_allow_target(run->options.policy, &target->url);
	run->origins[number].named_by = site_id;
	host_states_at(run, run->origins[number].host)->is_named = true;
	/* A target that names a document asks for that document alone; a host
	 * or a folder also for what its robots.txt names. */
	if (target->kind == TARGET_DOCUMENT)
		return;
	run->origins[number].is_seeded = true;
	if (!target->has_no_scheme)
		return;
	/* A name without a scheme stands for http, too, because https may not
	 * answer (SPEC 15.6). */
	run->origins[number].is_of_host = true;
	seed_http_of(run, number, &url);
	number = origins_of(run, &url);
	run->origins[number].is_seeded = true;
	policy_allow_target(run->options.policy, &url);
	url_release(&url);
}

uint32_t
target_single(struct run *run, uint32_t crawl, int64_t site_id, bool is_pages)
{
	struct crawled_site site = {.id = site_id,
	    .is_single = true,
	    .is_pages = is_pages,
	    .crawl = crawl};
	struct buf host = BUF_UP_TO(SIZE_MAX);
	struct site_place *place;
	struct target target;
	struct watch watch;
	uint32_t number;

	/* The targets in the watch list count as named by the operator. */
	if (store_watch_get(run->options.store, site_id, &watch)) {
		for (size_t i = 0; watch.is_watched && i < watch.targets.count;
		     i++) {
			if (target_parse(&target,
				slice_of(watch.targets.items[i])) == DIAG_OK)
				target_name(run, site_id, &target);
			url_release(&target.url);
		}
		watch_release(&watch);
	}
	(void)store_site_host(run->options.store, site_id, &host);
	site.at_work = at_work_name(buf_text(&host));
	site.rules = run->options.rules(
	    run->options.rules_arg, buf_text(&host));
	buf_release(&host);
	number = sites_begin(run, &site);
	place = sites_place(run, site_id);
	if (is_pages)
		place->pages = number;
	else
		place->singles++;
	return number;
}

/* Only targets that name a document are seeded here; the seeds of other targets
 * come from robots.txt.  Below a target that ends in a slash documents are
 * looked for as for a site, before the target itself is asked for. */
static void
seed(struct run *run, const struct crawl_target *target)
{
	const struct url *url = &target->target.url;
	struct slice path = url_path(url);
	struct task like = {.site = target->site};

	if (target->target.kind != TARGET_DOCUMENT)
		return;
	like.origin = origins_of(run, url);
	if (path.p[path.len - 1] == '/' && path.len == url_target(url).len &&
	    url_text(url).len + strlen("sitemap_index.xml") < URL_MAX_BYTES &&
	    run->origins[like.origin].closed_by == DIAG_OK)
		(void)seed_probe_below(run, &like, url_text(url), 0);
	else {
		uint32_t task = seed_document(
		    run, target->site, url_text(url), 0, CLASS_SEED);

		reach_root(run->options.store, run->sites[target->site].id,
		    run_task(run, task)->document_id, ROOT_OF_TARGET,
		    slice_make(NULL, 0));
		task_start(run, task);
	}
}

void
target_seed_origin(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[number];
	uint32_t site = origin->seed_site;
	struct crawl *crawl;

	/* Seeds come once, when robots.txt is known and the crawl does not wait
	 * for others any more. */
	if (site == NONE || origin->state != ORIGIN_KNOWN)
		return;
	crawl = &run->crawls[run->sites[site].crawl];
	if (crawl->state != CRAWL_DOCUMENTS)
		return;
	origin->seed_site = NONE;
	if (origin->closed_by != DIAG_OK)
		crawl->totals.lost_targets++;
	else if (!crawl->options.wants_robots)
		lines_add(run,
		    &(struct line_job){.use = USE_SEED,
			.origin = number,
			.crawl = run->sites[site].crawl,
			.site = site});
}

void
target_seed(struct run *run, uint32_t number)
{
	for (size_t i = 0; i < run->crawls[number].target_count; i++)
		if (run->crawls[number].targets[i].site != NONE)
			seed(run, &run->crawls[number].targets[i]);
	for (size_t i = 0; i < run->to_seed.end; i++)
		target_seed_origin(run, run->to_seed.items[i]);
	origins_tidy_to_seed(run);
}

bool
target_start(struct run *run, uint32_t crawl, struct crawl_target *to)
{
	const struct target *target = &to->target;
	uint32_t number = origins_of(run, &target->url);
	struct origin *origin = &run->origins[number];

	to->site = run_site(run, crawl, url_host(&target->url));
	if (to->site == NONE)
		return false;
	/* What the operator typed may be asked for wherever it is, and gets the
	 * site's own headers. */
	policy_allow_target(run->options.policy, &target->url);
	origin->named_by = run->sites[to->site].id;
	host_states_at(run, origin->host)->is_named = true;
	if (target->kind != TARGET_DOCUMENT) {
		origins_seed_later(run, number, to->site);
		origin->probes = 0;
		origin->is_start_known = false;
	}
	if (target->has_no_scheme)
		origin->may_be_http = origin->is_of_host = true;
	robots_want(run, number, to->site);
	/* The site was busy until now, and the crawl has begun without it. */
	if (run->crawls[crawl].state == CRAWL_DOCUMENTS) {
		seed(run, to);
		target_seed_origin(run, number);
	}
	return true;
}
