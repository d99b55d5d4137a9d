/* The driver: budgets of owners of host names. */
#include "crawler/crawl/run_owner.h"

#include <stdlib.h>

#include "base/host.h"
#include "base/mem.h"
#include "sched/host_queue.h"

#define DAY_S 86400

struct owner {
	uint64_t work, robots_bytes;
	uint32_t hosts, sitemaps;
};

struct owners {
	struct names names;
	struct owner *items; /* owned; numbered as `names` are */
	size_t count, cap;
	int64_t day; /* the day that the counts are of */
};

struct owners *
owners_new(uint64_t hash_key)
{
	struct owners *owners = mem_zero(sizeof(*owners));

	names_init(&owners->names, hash_key);
	return owners;
}

void
owners_free(struct owners *owners)
{
	if (owners == NULL)
		return;
	names_release(&owners->names);
	free(owners->items);
	free(owners);
}

/* All budgets are whole again. */
static void
begin_day(struct run *run, int64_t day)
{
	struct owners *owners = run->owners;
	uint64_t key = owners->names.key;

	owners->day = day;
	names_release(&owners->names);
	names_init(&owners->names, key);
	owners->count = 0;
	for (size_t i = 0; i < run->origin_count; i++)
		run->origins[i].used = (struct origin_use){0};
	for (size_t i = 0; i < run->host_state_count; i++)
		run->host_states[i].work = 0;
}

/* A clock that was set back to an earlier day begins no new budgets. */
static void
look_at_day(struct run *run)
{
	int64_t day = run_now_s(run) / DAY_S;

	if (day > run->owners->day)
		begin_day(run, day);
}

/* NULL: the operator named the host, which has no owner budget. */
static struct owner *
owner_of(struct run *run, const struct origin *origin)
{
	struct owners *owners = run->owners;
	struct slice host = host_queue_name(run->host_queue, origin->host);
	struct slice name = host_registrable(host);
	uint32_t number;

	if (run_host_state(run, origin->host)->is_named)
		return NULL;
	number = names_put(&owners->names, name.len > 0 ? name : host);
	if (number == owners->count) {
		owners->items = mem_grow(owners->items, &owners->cap,
		    owners->count + 1, sizeof(*owners->items));
		owners->items[owners->count++] = (struct owner){0};
	}
	return &owners->items[number];
}

bool
owner_may_ask(struct run *run, uint32_t number)
{
	struct origin *origin = &run->origins[number];
	struct owner *owner;

	look_at_day(run);
	owner = owner_of(run, origin);
	if (owner == NULL || origin->used.is_asked)
		return true;
	if (owner->hosts >= OWNER_HOSTS)
		return false;
	owner->hosts++;
	origin->used.is_asked = true;
	return true;
}

bool
owner_takes(struct run *run, uint32_t number, size_t bytes)
{
	struct origin *origin = &run->origins[number];
	struct owner *owner;

	look_at_day(run);
	owner = owner_of(run, origin);
	if (owner == NULL || bytes <= origin->used.robots_bytes)
		return true;
	if (bytes - origin->used.robots_bytes >
	    OWNER_ROBOTS_BYTES - owner->robots_bytes)
		return false;
	owner->robots_bytes += bytes - origin->used.robots_bytes;
	origin->used.robots_bytes = (uint32_t)bytes;
	return true;
}

uint32_t
owner_sitemaps(struct run *run, uint32_t number, uint32_t lines)
{
	struct origin *origin = &run->origins[number];
	struct owner *owner;
	uint32_t left;

	look_at_day(run);
	owner = owner_of(run, origin);
	if (owner == NULL || lines <= origin->used.sitemaps)
		return lines;
	left = OWNER_SITEMAPS - owner->sitemaps;
	if (lines - origin->used.sitemaps > left)
		lines = origin->used.sitemaps + left;
	owner->sitemaps += lines - origin->used.sitemaps;
	origin->used.sitemaps = lines;
	return lines;
}

bool
owner_works(struct run *run, uint32_t number, uint32_t work)
{
	const struct origin *origin = &run->origins[number];
	struct owner *owner;
	uint64_t *used;

	if (work == 0)
		return true;
	look_at_day(run);
	owner = owner_of(run, origin);
	used = owner == NULL ? &run_host_state(run, origin->host)->work
			     : &owner->work;
	*used += work;
	return *used <= OWNER_WORK;
}
