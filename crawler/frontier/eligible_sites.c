/* Which sites a consumer may have pages of: see eligible_sites.h. */
#include "crawler/frontier/eligible_sites.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/frontier_parts.h"
#include "sched/scheduler_some.h"
#include "store/query.h"

struct eligible_sites {
	uint64_t told; /* as of the frontier */
	uint32_t *sites; /* owned; of the frontier, in order */
	uint32_t *numbers; /* owned; theirs, of the scheduler */
	size_t count;
	struct scheduler_some some; /* of numbers */
};

/* named_hosts(frontier, consumer): by number of host: is it one that the
 * consumer names? Owned; NULL: it names none, and means all. */
static bool *
named_hosts(
    const struct frontier *frontier, const struct frontier_consumer *consumer)
{
	bool *named;

	if (consumer->sites == NULL || consumer->sites->count == 0)
		return NULL;
	named = mem_zero(frontier->host_count + 1);
	for (size_t i = 0; i < consumer->sites->count; i++) {
		uint32_t host = names_find(
		    &frontier->host_names, slice_of(consumer->sites->items[i]));

		if (host != NAMES_NONE && host < frontier->host_count)
			named[host] = true;
	}
	return named;
}

static bool
is_wanted(const struct frontier_consumer *consumer, const bool *named,
    const struct site_at *site)
{
	bool has_tag = consumer->tags == NULL || consumer->tags->count == 0;

	if (named != NULL && !named[site->host])
		return false;
	for (size_t i = 0; i < site->tags.count && !has_tag; i++)
		has_tag = strings_has(
		    consumer->tags, slice_of(site->tags.items[i]));
	return has_tag;
}

static bool
wants_all(const struct frontier_consumer *consumer)
{
	return (consumer->sites == NULL || consumer->sites->count == 0) &&
	    (consumer->tags == NULL || consumer->tags->count == 0);
}

/* Few sites changed since, and none of them is wanted that was not, or the
 * other way round. */
static bool
is_right(const struct frontier *frontier,
    const struct frontier_consumer *consumer, const bool *named)
{
	uint64_t told = consumer->wanted->told;

	if (frontier->sites_told - told > SITES_CHANGED)
		return false;
	for (; told < frontier->sites_told; told++) {
		uint32_t site = frontier->sites_changed[told % SITES_CHANGED];

		if (wanted_has(consumer, site) !=
		    is_wanted(consumer, named, &frontier->sites[site]))
			return false;
	}
	return true;
}

static void
find_sites(struct frontier *frontier, struct frontier_consumer *consumer,
    const bool *named)
{
	struct eligible_sites *wanted = consumer->wanted;

	scheduler_some_release(&wanted->some);
	free(wanted->sites);
	free(wanted->numbers);
	wanted->sites = mem_alloc(
	    (frontier->site_count + 1) * sizeof(uint32_t));
	wanted->numbers = mem_alloc(
	    (frontier->site_count + 1) * sizeof(uint32_t));
	wanted->count = 0;
	for (size_t i = 0; i < frontier->site_count; i++) {
		if (!is_wanted(consumer, named, &frontier->sites[i]))
			continue;
		wanted->sites[wanted->count] = (uint32_t)i;
		wanted->numbers[wanted->count++] = frontier->sites[i].number;
	}
	wanted->some.sites = wanted->numbers;
	wanted->some.count = wanted->count;
}

void
wanted_refresh(struct frontier *frontier, struct frontier_consumer *consumer)
{
	struct eligible_sites *wanted = consumer->wanted;
	bool *named;

	if (wants_all(consumer))
		wanted_release(consumer);
	if (wants_all(consumer) ||
	    (wanted != NULL && wanted->told == frontier->sites_told))
		return;
	named = named_hosts(frontier, consumer);
	if (wanted == NULL) {
		wanted = consumer->wanted = mem_zero(sizeof(*wanted));
		find_sites(frontier, consumer, named);
	} else if (!is_right(frontier, consumer, named)) {
		find_sites(frontier, consumer, named);
	}
	free(named);
	wanted->told = frontier->sites_told;
}

bool
wanted_has(const struct frontier_consumer *consumer, uint32_t site)
{
	const struct eligible_sites *wanted = consumer->wanted;
	size_t first = 0, last;

	if (wanted == NULL)
		return true;
	for (last = wanted->count; first < last;) {
		size_t middle = first + (last - first) / 2;

		if (wanted->sites[middle] < site)
			first = middle + 1;
		else
			last = middle;
	}
	return first < wanted->count && wanted->sites[first] == site;
}

struct scheduler_some *
wanted_sites(struct frontier_consumer *consumer)
{
	return consumer->wanted == NULL ? NULL : &consumer->wanted->some;
}

void
wanted_release(struct frontier_consumer *consumer)
{
	if (consumer->wanted == NULL)
		return;
	scheduler_some_release(&consumer->wanted->some);
	free(consumer->wanted->sites);
	free(consumer->wanted->numbers);
	free(consumer->wanted);
	consumer->wanted = NULL;
}

bool
frontier_knows_site(struct frontier *frontier, struct slice host)
{
	uint32_t number = names_find(&frontier->host_names, host);

	return (number != NAMES_NONE && number < frontier->host_count &&
		   frontier->hosts[number].number != NONE) ||
	    store_has_site(frontier->options.store, host);
}

bool
frontier_knows_tag(struct frontier *frontier, struct slice tag)
{
	for (size_t i = 0; i < frontier->site_count; i++)
		if (frontier->sites[i].is_watched &&
		    strings_has(&frontier->sites[i].tags, tag))
			return true;
	return false;
}
