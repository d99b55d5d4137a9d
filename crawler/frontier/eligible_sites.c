/* The sites that a consumer may have pages of. */
#include "crawler/frontier/eligible_sites.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/frontier_lease.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/host_table.h"
#include "sched/scheduler_some.h"

struct eligible_sites {
	/* what site_changes() returned when the other members were made */
	uint64_t changes;
	uint32_t *sites; /* owned; in order */
	/* owned; the same sites, as the scheduler has them */
	uint32_t *numbers;
	size_t count;
	struct scheduler_some some; /* of numbers */
};

/* For each host: does the consumer name it?  Owned by the caller; NULL: the
 * consumer names none, and means all. */
static bool *
named_hosts(
    const struct host_table *hosts, const struct frontier_consumer *consumer)
{
	bool *named;

	if (consumer->sites == NULL || consumer->sites->count == 0)
		return NULL;
	named = mem_zero((size_t)host_count(hosts) + 1);
	for (size_t i = 0; i < consumer->sites->count; i++) {
		uint32_t host = host_find(
		    hosts, slice_of(consumer->sites->items[i]));

		if (host != NONE)
			named[host] = true;
	}
	return named;
}

static bool
is_eligible(const struct frontier_consumer *consumer, const bool *named,
    const struct site_item *site)
{
	bool has_tag = consumer->tags == NULL || consumer->tags->count == 0;

	if (named != NULL && !named[site->host])
		return false;
	for (size_t i = 0; i < site->tags.count && !has_tag; i++)
		has_tag = strings_has(
		    consumer->tags, slice_of(site->tags.items[i]));
	return has_tag;
}

void
eligible_refresh(struct frontier_consumer *consumer,
    const struct frontier_sites *sites, const struct host_table *hosts)
{
	struct eligible_sites *eligible = consumer->eligible;
	bool *named;

	if ((consumer->sites == NULL || consumer->sites->count == 0) &&
	    (consumer->tags == NULL || consumer->tags->count == 0)) {
		eligible_release(consumer);
		return;
	}
	if (eligible != NULL && eligible->changes == site_changes(sites))
		return;
	if (eligible == NULL)
		eligible = consumer->eligible = mem_zero(sizeof(*eligible));
	named = named_hosts(hosts, consumer);
	size_t bytes = ((size_t)site_count(sites) + 1) * sizeof(uint32_t);

	free(eligible->sites);
	free(eligible->numbers);
	eligible->sites = mem_alloc(bytes);
	eligible->numbers = mem_alloc(bytes);
	eligible->count = 0;
	for (uint32_t i = 0; i < site_count(sites); i++) {
		const struct site_item *site = site_at(sites, i);

		if (!is_eligible(consumer, named, site))
			continue;
		eligible->sites[eligible->count] = i;
		eligible->numbers[eligible->count++] = site->number;
	}
	eligible->some.sites = eligible->numbers;
	eligible->some.count = eligible->count;
	free(named);
	eligible->changes = site_changes(sites);
}

bool
eligible_has(const struct frontier_consumer *consumer, uint32_t site)
{
	const struct eligible_sites *eligible = consumer->eligible;
	size_t first = 0, last;

	if (eligible == NULL)
		return true;
	for (last = eligible->count; first < last;) {
		size_t middle = first + (last - first) / 2;

		if (eligible->sites[middle] < site)
			first = middle + 1;
		else
			last = middle;
	}
	return first < eligible->count && eligible->sites[first] == site;
}

struct scheduler_some *
eligible_some(struct frontier_consumer *consumer)
{
	return consumer->eligible == NULL ? NULL : &consumer->eligible->some;
}

void
eligible_release(struct frontier_consumer *consumer)
{
	if (consumer->eligible == NULL)
		return;
	free(consumer->eligible->sites);
	free(consumer->eligible->numbers);
	free(consumer->eligible);
	consumer->eligible = NULL;
}
