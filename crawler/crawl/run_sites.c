/* The driver's table of sites. */
#include "crawler/crawl/run_sites.h"

#include <assert.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "base/mem.h"
#include "crawler/crawl/run_tasks.h"
#include "store/location.h"
#include "store/proof.h"

/* An entry, and the documents that its robots.txt lists. */
struct site_entry {
	struct crawled_site site;
	struct self_listed *listed; /* one reference; NULL: not known */
	uint64_t listed_at; /* sites.proofs when `listed` was made */
};

/* Free numbers form lists: of entries through site.open, of places through
 * site_place.singles. */
struct sites {
	struct site_entry *items; /* owned */
	size_t count, cap;
	struct site_place *places; /* owned */
	size_t place_count, place_cap;
	struct idmap by_site; /* site id -> place */
	uint32_t free_item, free_place; /* the first free number, NONE: none */
	uint64_t proofs; /* grows when proofs may have changed; not 0 */
};

struct sites *
sites_new(void)
{
	struct sites *sites = mem_zero(sizeof(*sites));

	sites->free_item = sites->free_place = NONE;
	sites->proofs = 1;
	return sites;
}

void
sites_free(struct sites *sites)
{
	if (sites == NULL)
		return;
	for (size_t i = 0; i < sites->count; i++)
		self_listed_release(sites->items[i].listed);
	free(sites->items);
	free(sites->places);
	idmap_release(&sites->by_site);
	free(sites);
}

uint32_t
sites_count(const struct sites *sites)
{
	return (uint32_t)sites->count;
}

struct crawled_site *
sites_at(const struct sites *sites, uint32_t number)
{
	return &sites->items[number].site;
}

bool
site_is_crawled(const struct crawled_site *site, uint32_t crawl)
{
	return site->crawl == crawl && !site->is_single;
}

uint32_t
sites_begin(struct sites *sites, const struct crawled_site *site)
{
	uint32_t number = sites->free_item;

	if (number != NONE) {
		sites->free_item = sites->items[number].site.open;
	} else {
		sites->items = mem_grow(sites->items, &sites->cap,
		    sites->count + 1, sizeof(*sites->items));
		number = (uint32_t)sites->count++;
	}
	sites->items[number] = (struct site_entry){.site = *site};
	return number;
}

/* Free the place if no crawl and no single document is there. */
static void
leave_place(struct sites *sites, struct site_place *place)
{
	uint32_t number = (uint32_t)(place - sites->places);

	if (place->crawl != NONE || place->singles > 0 || place->is_wanted)
		return;
	idmap_remove(&sites->by_site, place->site_id);
	*place = (struct site_place){
	    .crawl = NONE, .singles = sites->free_place};
	sites->free_place = number;
}

void
sites_end(struct sites *sites, uint32_t number)
{
	struct site_entry *entry = &sites->items[number];
	struct site_place *place = sites_place(sites, entry->site.id);

	assert(entry->site.open == 0);
	if (entry->site.is_single)
		place->singles--;
	else if (place->crawl == number)
		place->crawl = NONE;
	leave_place(sites, place);
	self_listed_release(entry->listed);
	*entry = (struct site_entry){
	    .site = {.crawl = NONE, .open = sites->free_item}};
	sites->free_item = number;
}

/* Places. */

struct site_place *
sites_place_find(const struct sites *sites, int64_t site_id)
{
	uint32_t number = idmap_get(&sites->by_site, site_id);

	return number == IDMAP_NONE ? NULL : &sites->places[number];
}

struct site_place *
sites_place(struct sites *sites, int64_t site_id)
{
	struct site_place *place = sites_place_find(sites, site_id);
	uint32_t number = sites->free_place;

	if (place != NULL)
		return place;
	if (number != NONE) {
		sites->free_place = sites->places[number].singles;
	} else {
		sites->places = mem_grow(sites->places, &sites->place_cap,
		    sites->place_count + 1, sizeof(*sites->places));
		number = (uint32_t)sites->place_count++;
	}
	idmap_put(&sites->by_site, site_id, number);
	place = &sites->places[number];
	*place = (struct site_place){.site_id = site_id, .crawl = NONE};
	return place;
}

bool
sites_want_no_place(struct sites *sites)
{
	bool were_wanted = false;

	for (size_t i = 0; i < sites->place_count; i++)
		if (sites->places[i].is_wanted) {
			sites->places[i].is_wanted = false;
			leave_place(sites, &sites->places[i]);
			were_wanted = true;
		}
	return were_wanted;
}

/* Documents that robots.txt lists. */

struct self_listed *
sites_listed(struct sites *sites, uint32_t number, struct store *store)
{
	struct site_entry *entry = &sites->items[number];

	if (entry->listed_at != sites->proofs) {
		self_listed_release(entry->listed);
		entry->listed = proof_self_listed(store, entry->site.id);
		entry->listed_at = sites->proofs;
	}
	return entry->listed;
}

void
sites_proofs_changed(struct sites *sites)
{
	sites->proofs++;
}
