/* Leases. */
#include "crawler/frontier/lease_table.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/frontier/frontier_context.h"
#include "sched/ranking.h"

/* Consumers with a limit of hosts that are remembered at once: a slot is 16
 * bits. */
#define CONSUMERS_MAX 60000

struct host_pages {
	uint32_t host;
	uint32_t pages; /* that are leased */
};

struct consumer_hosts {
	struct host_pages *items; /* owned; no more than the consumer's limit */
	size_t count, cap;
	size_t number; /* in the table */
	bool has_left; /* but some of its pages are still leased */
};

struct lease_table {
	struct consumer_hosts **items; /* owned; NULL: a free slot */
	size_t count, cap;
	struct ranking ends; /* owned: pages, by the end of their lease */
};

struct lease_table *
lease_table_new(void)
{
	return mem_zero(sizeof(struct lease_table));
}

static void
consumer_forget(struct lease_table *table, struct consumer_hosts *hosts)
{
	table->items[hosts->number] = NULL;
	free(hosts->items);
	free(hosts);
}

void
lease_table_free(struct lease_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->items[i] != NULL)
			consumer_forget(table, table->items[i]);
	free(table->items);
	ranking_release(&table->ends);
	free(table);
}

/* The ends of leases. */

void
lease_put(struct lease_table *table, uint32_t page, int64_t until_s)
{
	ranking_put(&table->ends, page, (double)until_s);
}

void
lease_remove(struct lease_table *table, uint32_t page)
{
	ranking_remove(&table->ends, page);
}

uint32_t
lease_first(const struct lease_table *table)
{
	const struct ranking_item *first = ranking_first(&table->ends);

	return first == NULL ? NONE : first->number;
}

int64_t
lease_until_s(const struct lease_table *table, uint32_t page)
{
	return page == NONE ? FRONTIER_NEVER
			    : (int64_t)ranking_key(&table->ends, page);
}

uint64_t
lease_running(const struct lease_table *table, int64_t now_s)
{
	uint64_t count = 0;

	for (size_t i = 0; i < table->ends.count; i++)
		count += table->ends.items[i].key > (double)now_s;
	return count;
}

/* The hosts of consumers. */

static struct consumer_hosts *
consumer_enter(struct lease_table *table)
{
	struct consumer_hosts *hosts = mem_zero(sizeof(*hosts));

	while (
	    hosts->number < table->count && table->items[hosts->number] != NULL)
		hosts->number++;
	if (hosts->number == table->count) {
		table->items = mem_grow(table->items, &table->cap,
		    table->count + 1, sizeof(struct consumer_hosts *));
		table->count++;
	}
	table->items[hosts->number] = hosts;
	return hosts;
}

static struct host_pages *
consumer_find(const struct consumer_hosts *hosts, uint32_t host)
{
	for (size_t i = 0; i < hosts->count; i++)
		if (hosts->items[i].host == host)
			return &hosts->items[i];
	return NULL;
}

uint16_t
consumer_add_page(
    struct lease_table *table, struct consumer_hosts **at, uint32_t host)
{
	struct consumer_hosts *hosts;
	struct host_pages *found;

	if (*at == NULL && table->count < CONSUMERS_MAX)
		*at = consumer_enter(table);
	if (*at == NULL)
		return 0;
	hosts = *at;
	found = consumer_find(hosts, host);
	if (found != NULL) {
		found->pages++;
	} else {
		hosts->items = mem_grow(hosts->items, &hosts->cap,
		    hosts->count + 1, sizeof(*hosts->items));
		hosts->items[hosts->count++] = (struct host_pages){
		    .host = host, .pages = 1};
	}
	return (uint16_t)(hosts->number + 1);
}

void
consumer_remove_page(struct lease_table *table, uint16_t slot, uint32_t host)
{
	struct consumer_hosts *hosts;
	struct host_pages *found;

	if (slot == 0)
		return;
	hosts = table->items[slot - 1];
	found = consumer_find(hosts, host);
	if (found == NULL || --found->pages > 0)
		return;
	*found = hosts->items[--hosts->count];
	if (hosts->count == 0 && hosts->has_left)
		consumer_forget(table, hosts);
}

bool
consumer_may_add(
    const struct consumer_hosts *hosts, uint32_t host, uint32_t most)
{
	if (most == 0 || hosts == NULL)
		return true;
	return hosts->count < most || consumer_find(hosts, host) != NULL;
}

void
consumer_leaves(struct lease_table *table, struct consumer_hosts *hosts)
{
	if (hosts == NULL)
		return;
	hosts->has_left = true;
	if (hosts->count == 0)
		consumer_forget(table, hosts);
}
