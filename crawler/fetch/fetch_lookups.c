/* Which requests may have their names looked up now. */
#include "crawler/fetch/fetch_lookups.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/mem.h"

#define KNOWN_MS (KNOWN_S * INT64_C(1000))

/* The resolver asks three servers twice, for three seconds each (RES_OPTIONS
 * in fetch.c). */
#define PATIENCE_MS 18000
#define LOST_MS (LOOKUPS_LOST_S * INT64_C(1000))

void
lookups_free(struct lookups *lookups)
{
	if (lookups == NULL)
		return;
	for (unsigned i = 0; i < lookups->count; i++)
		free(lookups->kept[(lookups->first + i) % LOOKUPS_KEPT].name);
	free(lookups);
}

void
lookups_name(const struct url *url, char text[KNOWN_TEXT])
{
	struct slice host = url_host(url);

	/* (void): the text has room for every host of a URL. */
	(void)snprintf(text, KNOWN_TEXT, "%.*s:%u", (int)host.len, host.p,
	    (unsigned)url->port);
}

enum lookup_state
lookups_state(
    const struct lookups *lookups, const struct url *url, int64_t now_ms)
{
	const struct name_slot *known, *lost;
	char text[KNOWN_TEXT];
	uint64_t key, host_key;

	if (url->host_kind != HOST_NAME)
		return LOOKUP_KNOWN;
	/* libcurl keeps addresses by host and port; a name that has none has
	 * none for any port. */
	lookups_name(url, text);
	key = hash_key(slice_of(text), lookups->hash_key);
	known = &lookups->known[key % LOOKUPS_KNOWN_SLOTS];
	if (known->key == key && now_ms < known->until_ms)
		return LOOKUP_KNOWN;
	host_key = hash_key(url_host(url), lookups->hash_key);
	lost = &lookups->lost[host_key % LOOKUPS_LOST_SLOTS];
	if (lost->key == host_key && now_ms < lost->until_ms)
		return LOOKUP_LOST;
	return known->key == key ? LOOKUP_OLD : LOOKUP_NEEDED;
}

void
lookups_found(struct lookups *lookups, const struct url *url, int64_t now_ms)
{
	char text[KNOWN_TEXT];
	struct kept_name *kept;

	if (url->host_kind != HOST_NAME)
		return;
	/* If no caller took the oldest out, libcurl keeps one name more. */
	if (lookups->count == LOOKUPS_KEPT)
		(void)lookups_forget(lookups, text);
	lookups_name(url, text);
	kept = &lookups
		    ->kept[(lookups->first + lookups->count++) % LOOKUPS_KEPT];
	*kept = (struct kept_name){.name = mem_copy(text),
	    .key = hash_key(slice_of(text), lookups->hash_key),
	    .until_ms = now_ms + KNOWN_MS};
	lookups->known[kept->key % LOOKUPS_KNOWN_SLOTS] = (struct name_slot){
	    .key = kept->key, .until_ms = kept->until_ms};
}

bool
lookups_forget(struct lookups *lookups, char text[KNOWN_TEXT])
{
	struct kept_name *kept = &lookups->kept[lookups->first];
	struct name_slot *slot = &lookups
				      ->known[kept->key % LOOKUPS_KNOWN_SLOTS];
	/* A name that was found again since stands further on in the ring. */
	bool is_latest = slot->key != kept->key ||
	    slot->until_ms == kept->until_ms;

	if (lookups->count <= KNOWN_MAX)
		return false;
	(void)snprintf(text, KNOWN_TEXT, "%s", kept->name);
	if (slot->key == kept->key && is_latest)
		*slot = (struct name_slot){0};
	free(kept->name);
	lookups->first = (lookups->first + 1) % LOOKUPS_KEPT;
	lookups->count--;
	return is_latest;
}

uint64_t
lookups_owner(const struct lookups *lookups, const struct url *url)
{
	struct slice host = url_host(url);
	struct slice registered = host_registrable(host);

	return hash_key(
	    registered.len == 0 ? host : registered, lookups->hash_key);
}

bool
lookups_wait(struct lookups *lookups, uint64_t owner)
{
	uint16_t *waiting = &lookups->waiting[owner % LOOKUPS_OWNER_SLOTS];

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
	    lookups->waiting[owner % LOOKUPS_OWNER_SLOTS] < LOOKUPS_MAX_OWNER;
}

bool
lookups_has_place(struct lookups *lookups, int64_t now_ms)
{
	struct stat tasks;
	unsigned left = 0;

	/* libcurl never joins a thread that it gave up, and does not report
	 * the end of the thread.  Its threads are all threads of this process
	 * except the first, and the number of links of this folder is two plus
	 * one for each thread. */
	if (lookups->left_behind > 0) {
		if (now_ms < lookups->behind_until_ms &&
		    stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink >= 3)
			left = (unsigned)tasks.st_nlink - 3;
		if (left < lookups->left_behind)
			lookups->left_behind = left;
	}
	return lookups->resolving + lookups->left_behind < LOOKUPS_MAX;
}

bool
lookups_take(struct lookups *lookups, uint64_t owner)
{
	uint16_t *waiting = &lookups->waiting[owner % LOOKUPS_OWNER_SLOTS];
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
	uint64_t key = hash_key(url_host(url), lookups->hash_key);

	lookups->lost[key % LOOKUPS_LOST_SLOTS] = (struct name_slot){
	    .key = key, .until_ms = now_ms + LOST_MS};
	if (!gave_up)
		return;
	lookups->left_behind++;
	lookups->behind_until_ms = now_ms + PATIENCE_MS;
}
