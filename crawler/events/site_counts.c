/* Counts of changes by time, document and section. */
#include "crawler/events/site_counts.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/section.h"
#include "store/changes.h"
#include "store/page.h"
#include "store/site_changes.h"
#include "store/site_list.h"

/* limit for sections, because each page may have its own */
#define MOST_SECTIONS 10000
#define OTHERS "(others)"

/* Whether a section has one page alone is known by two hashes, not by all of
 * its URLs. */
struct counted_section {
	uint64_t page; /* the hash of a page that changed */
	bool has_others;
	size_t at[STATS_KINDS]; /* its latest count of each kind, plus one */
};

struct counting_site {
	struct site_counts *counts;
	struct store *store;
	const struct section_rules *rules;
	const struct site_changes *changes;
	struct counted_section *sections; /* owned; by their numbers */
	size_t cap;
	size_t first; /* the first count of the reading */
};

static uint32_t
section_number(struct counting_site *counting, struct slice name)
{
	struct names *names = &counting->counts->sections;
	uint32_t number = names_find(names, name);

	if (number != NAMES_NONE)
		return number;
	/* Rules of a site may make a section of each page. */
	if (names->count >= MOST_SECTIONS && !slice_is(name, OTHERS))
		return section_number(counting, slice_of(OTHERS));
	number = names_put(names, name);
	counting->sections = mem_grow(counting->sections, &counting->cap,
	    (size_t)number + 1, sizeof(*counting->sections));
	counting->sections[number] = (struct counted_section){0};
	return number;
}

static bool
counts_on_change(void *arg, const struct reading_row *row,
    const struct change *change, const struct move *move)
{
	struct counting_site *counting = arg;
	struct site_counts *counts = counting->counts;
	unsigned kind = change->kind;
	struct counted_section *section;
	uint32_t number;
	uint64_t page;

	if (section_is_ignored(counting->rules, change->url))
		return true;
	number = section_number(
	    counting, section_of(counting->rules, change->url));
	section = &counting->sections[number];
	page = hash_key(change->url, counts->sections.key);
	if (section->page == 0)
		section->page = page;
	section->has_others |= section->page != page;
	/* the three changes that belong to a move are one */
	if (move != NULL && kind != DELTA_ADDED)
		return true;
	kind = move != NULL ? STATS_MOVED : kind;
	if (section->at[kind] <= counting->first) {
		*MEM_PUSH(counts->items, counts->count,
		    counts->cap) = (struct site_count){
		    .at_s = delta_at_s(change->kind, row->at_s, row->since_s),
		    .document_id = row->document_id,
		    .section = number,
		    .kind = kind};
		section->at[kind] = counts->count;
	}
	counts->items[section->at[kind] - 1].pages++;
	return true;
}

static bool
counts_on_reading(void *arg, const struct reading_row *row)
{
	struct counting_site *counting = arg;
	uint64_t changes = 0;

	/* children that an index lists are no pages of the site */
	for (int kind = 0; kind < DELTA_KINDS; kind++)
		changes += row->site[kind];
	counting->first = counting->counts->count;
	if (changes > 0)
		reading_change_walk(counting->store, row, true,
		    counting->changes, counts_on_change, counting);
	return true;
}

/* May the section have one page alone, as far as its changes tell? */
static bool
may_be_lone(const struct counting_site *counting, uint32_t number)
{
	return !counting->sections[number].has_others &&
	    section_above(names_slice(&counting->counts->sections, number))
		.len > 0;
}

/* Look for other pages that the sections list. */
static void
find_others(struct counting_site *counting, int64_t site_id)
{
	struct site_walk *walk = site_walk_new(
	    counting->store, site_id, SITE_LIST_ALL, true);
	const struct names *names = &counting->counts->sections;
	uint32_t number = NAMES_NONE;
	int64_t document_id;
	struct entry entry;

	while (site_walk_window(walk))
		while (site_walk_next(walk, &document_id, &entry)) {
			struct slice name = section_of(
			    counting->rules, entry.url);
			struct counted_section *section;

			/* entries of one section mostly follow each other */
			if (number == NAMES_NONE ||
			    !slice_equal(name, names_slice(names, number)))
				number = names_find(names, name);
			if (number == NAMES_NONE)
				continue;
			section = &counting->sections[number];
			if (!section->has_others)
				section->has_others = section->page !=
				    hash_key(entry.url, names->key);
		}
	site_walk_free(walk);
}

void
site_counts_gather(struct site_counts *counts, struct store *store,
    int64_t site_id, int64_t from_s, const struct section_rules *rules,
    const struct site_changes *changes)
{
	struct counting_site counting = {.counts = counts,
	    .store = store,
	    .rules = rules,
	    .changes = changes};
	bool has_lone = false;

	*counts = (struct site_counts){.sections.key = store_hash_key(store),
	    .has_too_many = !changes->is_compared};
	store_each_reading(store,
	    (struct reading_from){.by = READINGS_OF_SITE,
		.id = site_id,
		.at_s = from_s,
		.has_delta = true},
	    counts_on_reading, &counting);
	for (uint32_t i = 0; i < counts->sections.count && !has_lone; i++)
		has_lone = may_be_lone(&counting, i);
	if (has_lone)
		find_others(&counting, site_id);
	counts->are_lone = mem_zero(counts->sections.count + 1);
	for (uint32_t i = 0; i < counts->sections.count; i++)
		counts->are_lone[i] = may_be_lone(&counting, i);
	free(counting.sections);
}

void
site_counts_release(struct site_counts *counts)
{
	free(counts->items);
	free(counts->are_lone);
	names_release(&counts->sections);
	*counts = (struct site_counts){0};
}
