/* Which requests may have their names looked up now. */
#include "crawler/fetch/fetch_lookups.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
known_key_of(const struct known_names *known, const struct url *url)
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
	key = known_key_of(known, url);
	slot = &known->slots[key % SLOTS];
	return slot->key == key && now_ms < slot->until_ms;
}

bool
known_is_old(
    const struct known_names *known, const struct url *url, int64_t now_ms)
{
	uint64_t key = known_key_of(known, url);
	const struct known_slot *slot = &known->slots[key % SLOTS];

	return slot->key == key && now_ms >= slot->until_ms;
}

void
known_add(struct known_names *known, const struct url *url, int64_t now_ms)
{
	uint64_t key = known_key_of(known, url);
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

/* Names and owners are found by hash alone. If two of them share a slot, they
 * wait more often, or are looked up once more; nothing else happens. */
#define LOST_SLOTS 16384
#define OWNER_SLOTS 4096

/* The resolver asks three servers twice, for three seconds each (RES_OPTIONS
 * in fetch_curl.c). */
#define PATIENCE_MS 18000
#define LOST_MS (LOOKUPS_LOST_S * INT64_C(1000))

struct lost_name {
	uint64_t key;
	int64_t until_ms;
};

struct lookups {
	uint64_t hash_key;
	struct lost_name lost[LOST_SLOTS];
	uint16_t waiting[OWNER_SLOTS];
	unsigned all_waiting;
	uint64_t owners[LOOKUPS_MAX]; /* of the look-ups under way */
	unsigned resolving; /* look-ups under way */
	unsigned left_behind; /* at most this many given up threads still run */
	int64_t behind_until_ms; /* by then the resolver has given up, too */
};

struct lookups *
lookups_new(uint64_t hash_key)
{
	struct lookups *lookups = mem_zero(sizeof(*lookups));

	lookups->hash_key = hash_key;
	return lookups;
}

void
lookups_free(struct lookups *lookups)
{
	free(lookups);
}

static uint64_t
lookups_key_of(const struct lookups *lookups, struct slice text)
{
	return hash_key(text, lookups->hash_key);
}

bool
lookups_is_lost(
    const struct lookups *lookups, const struct url *url, int64_t now_ms)
{
	uint64_t key = lookups_key_of(lookups, url_host(url));
	const struct lost_name *slot = &lookups->lost[key % LOST_SLOTS];

	return slot->key == key && now_ms < slot->until_ms;
}

uint64_t
lookups_owner(const struct lookups *lookups, const struct url *url)
{
	struct slice host = url_host(url);
	struct slice registered = host_registrable(host);

	return lookups_key_of(lookups, registered.len == 0 ? host : registered);
}

bool
lookups_wait(struct lookups *lookups, uint64_t owner)
{
	uint16_t *waiting = &lookups->waiting[owner % OWNER_SLOTS];

	if (*waiting >= LOOKUPS_MAX_WAITING)
		return false;
	(*waiting)++;
	lookups->all_waiting++;
	return true;
}

bool
lookups_has_room(const struct lookups *lookups, uint64_t owner, unsigned most)
{
	return lookups->all_waiting < LOOKUPS_MAX_AHEAD &&
	    lookups->all_waiting + lookups->resolving < most &&
	    lookups->waiting[owner % OWNER_SLOTS] < LOOKUPS_MAX_OWNER;
}

/* threads_left(): the number of libcurl's threads, which are all threads of
 * this process except the first. libcurl never joins a thread that it gave up,
 * and does not report the end of the thread. */
static unsigned
threads_left(void)
{
	struct stat tasks;

	/* The number of links of this folder is two plus one for each
	 * thread. */
	if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink < 3)
		return 0;
	return (unsigned)tasks.st_nlink - 3;
}

bool
lookups_left_behind(const struct lookups *lookups)
{
	return lookups->left_behind > 0;
}

bool
lookups_has_place(struct lookups *lookups, int64_t now_ms)
{
	if (lookups->left_behind > 0) {
		unsigned left = threads_left();

		if (left < lookups->left_behind)
			lookups->left_behind = left;
		if (now_ms >= lookups->behind_until_ms)
			lookups->left_behind = 0;
	}
	return lookups->resolving + lookups->left_behind < LOOKUPS_MAX;
}

bool
lookups_take(struct lookups *lookups, uint64_t owner)
{
	uint16_t *waiting = &lookups->waiting[owner % OWNER_SLOTS];
	unsigned own = 0;

	assert(lookups->resolving<LOOKUPS_MAX && * waiting> 0);
	for (unsigned i = 0; i < lookups->resolving; i++)
		own += lookups->owners[i] == owner;
	if (own >= LOOKUPS_MAX_OWNER)
		return false;
	lookups->owners[lookups->resolving++] = owner;
	(*waiting)--;
	lookups->all_waiting--;
	return true;
}

void
lookups_leave(struct lookups *lookups, uint64_t owner)
{
	unsigned i = 0;

	while (i < lookups->resolving && lookups->owners[i] != owner)
		i++;
	assert(i < lookups->resolving);
	lookups->owners[i] = lookups->owners[--lookups->resolving];
}

void
lookups_lost(struct lookups *lookups, const struct url *url, int64_t now_ms,
    bool gave_up)
{
	uint64_t key = lookups_key_of(lookups, url_host(url));

	lookups->lost[key % LOST_SLOTS] = (struct lost_name){
	    .key = key, .until_ms = now_ms + LOST_MS};
	if (!gave_up)
		return;
	lookups->left_behind++;
	lookups->behind_until_ms = now_ms + PATIENCE_MS;
}
