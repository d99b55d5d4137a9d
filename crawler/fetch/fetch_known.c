/* The names whose addresses libcurl keeps. */
#include "crawler/fetch/fetch_known.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define KNOWN_MS (KNOWN_S * INT64_C(1000))
#define SLOTS (4 * KNOWN_MAX)

/* Of two names that share a slot, the older is looked up again when needed. */
struct known_slot {
	uint64_t key;
	int64_t until_ms;
};

struct kept_name {
	char *name; /* owned */
	uint64_t key;
	int64_t until_ms;
};

/* Slots answer by hash whether an address is known; the ring has the names in
 * the order in which libcurl got them, to forget the oldest. */
struct known_names {
	uint64_t hash_key;
	struct known_slot slots[SLOTS];
	struct kept_name kept[KNOWN_MAX + 1]; /* the ring, from `first` on */
	unsigned first, count;
};

struct known_names *
known_new(uint64_t hash_key)
{
	struct known_names *known = mem_zero(sizeof(*known));

	known->hash_key = hash_key;
	return known;
}

void
known_free(struct known_names *known)
{
	if (known == NULL)
		return;
	for (unsigned i = 0; i < known->count; i++)
		free(known->kept[(known->first + i) % (KNOWN_MAX + 1)].name);
	free(known);
}

void
known_name(const struct url *url, char text[KNOWN_TEXT])
{
	struct slice host = url_host(url);

	/* (void): the text has room for every host of a URL. */
	(void)snprintf(text, KNOWN_TEXT, "%.*s:%u", (int)host.len, host.p,
	    (unsigned)url->port);
}

static uint64_t
key_of(const struct known_names *known, const struct url *url)
{
	char text[KNOWN_TEXT];

	known_name(url, text);
	return hash_key(slice_of(text), known->hash_key);
}

bool
known_has(
    const struct known_names *known, const struct url *url, int64_t now_ms)
{
	const struct known_slot *slot;
	uint64_t key;

	if (url->host_kind != HOST_NAME)
		return true;
	key = key_of(known, url);
	slot = &known->slots[key % SLOTS];
	return slot->key == key && now_ms < slot->until_ms;
}

bool
known_is_old(
    const struct known_names *known, const struct url *url, int64_t now_ms)
{
	uint64_t key = key_of(known, url);
	const struct known_slot *slot = &known->slots[key % SLOTS];

	return slot->key == key && now_ms >= slot->until_ms;
}

void
known_add(struct known_names *known, const struct url *url, int64_t now_ms)
{
	uint64_t key = key_of(known, url);
	char text[KNOWN_TEXT];
	struct kept_name *kept;

	if (url->host_kind != HOST_NAME)
		return;
	/* If no caller took the oldest out, libcurl keeps one name more. */
	if (known->count == KNOWN_MAX + 1)
		(void)known_forget(known, text);
	known_name(url, text);
	kept = &known->kept[(known->first + known->count++) % (KNOWN_MAX + 1)];
	*kept = (struct kept_name){
	    .name = mem_copy(text), .key = key, .until_ms = now_ms + KNOWN_MS};
	known->slots[key % SLOTS] = (struct known_slot){
	    .key = key, .until_ms = kept->until_ms};
}

bool
known_forget(struct known_names *known, char text[KNOWN_TEXT])
{
	struct kept_name *kept = &known->kept[known->first];
	struct known_slot *slot = &known->slots[kept->key % SLOTS];
	bool is_latest = slot->key != kept->key ||
	    slot->until_ms == kept->until_ms;

	if (known->count <= KNOWN_MAX)
		return false;
	(void)snprintf(text, KNOWN_TEXT, "%s", kept->name);
	if (slot->key == kept->key && is_latest)
		*slot = (struct known_slot){0};
	free(kept->name);
	known->first = (known->first + 1) % (KNOWN_MAX + 1);
	known->count--;
	return is_latest;
}
