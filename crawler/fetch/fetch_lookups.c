/* Which requests may have their names looked up now. */
#include "crawler/fetch/fetch_lookups.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/host.h"
#include "base/mem.h"

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
key_of(const struct lookups *lookups, struct slice text)
{
	return hash_key(text, lookups->hash_key);
}

bool
lookups_is_lost(
    const struct lookups *lookups, const struct url *url, int64_t now_ms)
{
	uint64_t key = key_of(lookups, url_host(url));
	const struct lost_name *slot = &lookups->lost[key % LOST_SLOTS];

	return slot->key == key && now_ms < slot->until_ms;
}

uint64_t
lookups_owner(const struct lookups *lookups, const struct url *url)
{
	struct slice host = url_host(url);
	struct slice registered = host_registrable(host);

	return key_of(lookups, registered.len == 0 ? host : registered);
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
	uint64_t key = key_of(lookups, url_host(url));

	lookups->lost[key % LOST_SLOTS] = (struct lost_name){
	    .key = key, .until_ms = now_ms + LOST_MS};
	if (!gave_up)
		return;
	lookups->left_behind++;
	lookups->behind_until_ms = now_ms + PATIENCE_MS;
}
