/* Which URLs stand in several documents. */
#include "crawler/report_urls.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "crawler/idmap.h"

#define SLOTS_FIRST 4096
#define SLOTS_MAX (1u << 21) /* 24 MB */
#define PAIRS_MAX 10000

struct report_urls {
	uint64_t key;
	uint64_t *hashes; /* owned; 0: the slot is free */
	uint32_t *documents; /* owned */
	size_t slots; /* a power of two */
	size_t used;
	unsigned shift; /* only hashes whose last bits, so many, are 0 */
	struct report_pair *pairs; /* owned */
	size_t count;
	size_t cap;
	struct idmap by_pair;
};

static void
make_slots(struct report_urls *urls, size_t slots)
{
	urls->slots = slots;
	urls->used = 0;
	urls->hashes = mem_zero(slots * sizeof(*urls->hashes));
	urls->documents = mem_zero(slots * sizeof(*urls->documents));
}

struct report_urls *
report_urls_new(uint64_t hash_key)
{
	struct report_urls *urls = mem_zero(sizeof(*urls));

	urls->key = hash_key;
	make_slots(urls, SLOTS_FIRST);
	return urls;
}

void
report_urls_free(struct report_urls *urls)
{
	if (urls == NULL)
		return;
	for (size_t i = 0; i < urls->count; i++)
		for (size_t k = 0; k < urls->pairs[i].sample_count; k++)
			free(urls->pairs[i].samples[k]);
	free(urls->pairs);
	free(urls->hashes);
	free(urls->documents);
	idmap_release(&urls->by_pair);
	free(urls);
}

static bool
is_chosen(const struct report_urls *urls, uint64_t hash)
{
	return (hash & ((UINT64_C(1) << urls->shift) - 1)) == 0;
}

/* find(urls, hash): its slot, or the free one where it belongs.  The first
 * bits choose, since the last are those that the sample is chosen by. */
static size_t
find(const struct report_urls *urls, uint64_t hash)
{
	size_t slot = (size_t)(hash >> 32) & (urls->slots - 1);

	while (urls->hashes[slot] != 0 && urls->hashes[slot] != hash)
		slot = (slot + 1) & (urls->slots - 1);
	return slot;
}

/* make_room(urls): a larger table, or a smaller sample. */
static void
make_room(struct report_urls *urls)
{
	uint64_t *hashes = urls->hashes;
	uint32_t *documents = urls->documents;
	size_t slots = urls->slots;

	if (slots == SLOTS_MAX)
		urls->shift++;
	make_slots(urls, slots == SLOTS_MAX ? slots : slots * 2);
	for (size_t i = 0; i < slots; i++) {
		size_t slot;

		if (hashes[i] == 0 || !is_chosen(urls, hashes[i]))
			continue;
		slot = find(urls, hashes[i]);
		urls->hashes[slot] = hashes[i];
		urls->documents[slot] = documents[i];
		urls->used++;
	}
	free(hashes);
	free(documents);
}

/* note_pair(urls, a, b, url): both list it. */
static void
note_pair(struct report_urls *urls, uint32_t a, uint32_t b, struct slice url)
{
	uint32_t low = a < b ? a : b;
	uint32_t high = a < b ? b : a;
	int64_t id = (int64_t)((((uint64_t)high & INT32_MAX) << 32) | low);
	uint32_t number = idmap_get(&urls->by_pair, id);
	struct report_pair *pair;

	if (number == IDMAP_NONE && urls->count == PAIRS_MAX)
		return;
	if (number == IDMAP_NONE) {
		urls->pairs = mem_grow(urls->pairs, &urls->cap, urls->count + 1,
		    sizeof(*urls->pairs));
		number = (uint32_t)urls->count++;
		urls->pairs[number] = (struct report_pair){
		    .documents = {low, high}};
		idmap_put(&urls->by_pair, id, number);
	}
	pair = &urls->pairs[number];
	pair->count += UINT64_C(1) << urls->shift;
	if (pair->sample_count < REPORT_PAIR_SAMPLES)
		pair->samples[pair->sample_count++] = slice_dup(url);
}

void
report_urls_add(struct report_urls *urls, struct slice url, uint32_t document)
{
	uint64_t hash = hash_key(url, urls->key);
	size_t slot;

	if (hash == 0 || !is_chosen(urls, hash))
		return;
	slot = find(urls, hash);
	if (urls->hashes[slot] == hash) {
		if (urls->documents[slot] != document)
			note_pair(urls, urls->documents[slot], document, url);
		return;
	}
	urls->hashes[slot] = hash;
	urls->documents[slot] = document;
	if (++urls->used > urls->slots / 4 * 3)
		make_room(urls);
}

const struct report_pair *
report_urls_pair(const struct report_urls *urls, size_t i)
{
	return i < urls->count ? &urls->pairs[i] : NULL;
}
