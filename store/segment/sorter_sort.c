/*
 * Radix sort of URLs, most significant byte first.
 *
 * Eight bytes of each URL are at hand as a key, so that most passes touch no
 * URL.  A group of URLs that agree so far is told apart at the first byte in
 * which its keys differ; where they agree in all eight the next eight are
 * fetched.  Groups wait on a list, not on the stack: URLs that share 32 KiB
 * would go as deep.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/segment/record.h"

/* Measured: 12 to 32 make no difference. */
#define SMALL_GROUP 20

struct group {
	size_t first;
	size_t count;
	size_t at; /* where in the URLs the keys were taken */
};

struct sort {
	struct sort_item *items;
	struct sort_item *spare;
	struct group *groups; /* that wait */
	size_t group_count;
	size_t group_cap;
};

/* Bytes after the end are 0, which no URL holds: the shorter comes first. */
static uint64_t
key_at(const struct record *record, size_t at)
{
	uint64_t key = 0;

	if (at + sizeof(key) <= record->url_len)
		memcpy(&key, record->url + at, sizeof(key));
	else if (at < record->url_len)
		memcpy(&key, record->url + at, record->url_len - at);
	return __builtin_bswap64(key);
}

static bool
is_before(const struct sort_item *a, const struct sort_item *b, size_t at)
{
	if (a->key != b->key)
		return a->key < b->key;
	if ((a->key & 0xff) == 0)
		return false;
	return slice_order(slice_from(record_url(a->record), at + 8),
		   slice_from(record_url(b->record), at + 8)) < 0;
}

static void
sort_small(struct sort_item *items, const struct group *group)
{
	items += group->first;
	for (size_t i = 1; i < group->count; i++) {
		struct sort_item item = items[i];
		size_t k = i;

		for (; k > 0 && is_before(&item, &items[k - 1], group->at); k--)
			items[k] = items[k - 1];
		items[k] = item;
	}
}

static void
push(struct sort *sort, size_t first, size_t count, size_t at)
{
	if (count < 2)
		return;
	sort->groups = mem_grow(sort->groups, &sort->group_cap,
	    sort->group_count + 1, sizeof(*sort->groups));
	sort->groups[sort->group_count++] = (struct group){first, count, at};
}

/* Bits in which the keys of a group differ. */
static uint64_t
difference(const struct sort_item *items, size_t count)
{
	uint64_t bits = 0;

	for (size_t i = 1; i < count; i++)
		bits |= items[i].key ^ items[0].key;
	return bits;
}

static void
split(struct sort *sort, const struct group *group, unsigned shift)
{
	struct sort_item *items = sort->items + group->first;
	size_t counts[256] = {0};
	size_t at[256];
	size_t sum = 0;

	for (size_t i = 0; i < group->count; i++)
		counts[items[i].key >> shift & 0xff]++;
	for (unsigned b = 0; b < 256; b++) {
		at[b] = sum;
		sum += counts[b];
	}
	for (size_t i = 0; i < group->count; i++)
		sort->spare[at[items[i].key >> shift & 0xff]++] = items[i];
	memcpy(items, sort->spare, group->count * sizeof(*items));
	/* Those with 0 have ended, and are equal. */
	for (unsigned b = 1; b < 256; b++)
		push(sort, group->first + at[b] - counts[b], counts[b],
		    group->at);
}

static void
sort_group(struct sort *sort, struct group group)
{
	struct sort_item *items = sort->items + group.first;

	if (group.count <= SMALL_GROUP) {
		sort_small(sort->items, &group);
		return;
	}
	for (;;) {
		uint64_t bits = difference(items, group.count);

		if (bits != 0) {
			unsigned leading = (unsigned)__builtin_clzll(bits);

			split(sort, &group, 56 - leading / 8 * 8);
			return;
		}
		if ((items[0].key & 0xff) == 0)
			return;
		group.at += 8;
		for (size_t i = 0; i < group.count; i++)
			items[i].key = key_at(items[i].record, group.at);
	}
}

void
records_sort(struct sort_item *items, size_t count, size_t skip)
{
	struct sort sort = {
	    .items = items,
	    .spare = mem_alloc(count * sizeof(*items)),
	};

	for (size_t i = 0; i < count; i++)
		items[i].key = key_at(items[i].record, skip);
	push(&sort, 0, count, skip);
	while (sort.group_count > 0)
		sort_group(&sort, sort.groups[--sort.group_count]);
	free(sort.groups);
	free(sort.spare);
}
