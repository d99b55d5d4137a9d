/* The driver: budgets of owners of host names. */
#include "crawler/crawl/run_owner.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/host.h"
#include "base/mem.h"
#include "base/names.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_tables.h"
#include "sched/host_queue.h"

struct owner {
	uint64_t work, robots_bytes;
	uint32_t hosts, sitemaps;
};

struct owners {
	struct names names;
	struct owner *items; /* owned; numbered as `names` are */
	size_t count, cap;
	int64_t day; /* the day for which the counts hold */
	struct run *run; /* borrowed */
};

struct owners *
owners_new(struct run *run)
{
	struct owners *owners = mem_zero(sizeof(*owners));

	names_init(&owners->names, run->options.hash_key);
	owners->run = run;
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

/* A clock that was set back to an earlier day begins no new budgets. */
static void
look_at_day(struct owners *owners)
{
	struct run *run = owners->run;
	int64_t day = run_clock_now_s(&run->clock) / DAY_S;

	if (day > owners->day) {
		/* Reset the counts of all owners. */
		uint64_t key = owners->names.key;

		owners->day = day;
		names_release(&owners->names);
		names_init(&owners->names, key);
		owners->count = 0;
		for (uint32_t i = 0; i < origins_count(run->origins); i++)
			run_origin(run, i)->used = (struct origin_use){0};
		for (uint32_t i = 0; i < host_states_count(run->hosts); i++)
			host_states_at(run->hosts, i)->work = 0;
	}
}

/* NULL: the operator named the host, which has no owner budget. */
static struct owner *
owner_of(struct owners *owners, const struct origin *origin)
{
	struct run *run = owners->run;
	struct slice host = host_queue_name(run->host_queue, origin->host);
	struct slice name = host_registrable(host);
	uint32_t number;

	if (host_states_at(run->hosts, origin->host)->is_named)
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
owner_may_ask(struct owners *owners, uint32_t number)
{
	struct run *run = owners->run;
	struct origin *origin = run_origin(run, number);
	struct owner *owner;

	look_at_day(owners);
	owner = owner_of(owners, origin);
	if (owner == NULL || origin->used.is_asked)
		return true;
	if (owner->hosts >= OWNER_HOSTS)
		return false;
	owner->hosts++;
	origin->used.is_asked = true;
	return true;
}

bool
owner_takes(struct owners *owners, uint32_t number, size_t bytes)
{
	struct run *run = owners->run;
	struct origin *origin = run_origin(run, number);
	struct owner *owner;

	look_at_day(owners);
	owner = owner_of(owners, origin);
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
owner_sitemaps(struct owners *owners, uint32_t number, uint32_t lines)
{
	struct run *run = owners->run;
	struct origin *origin = run_origin(run, number);
	struct owner *owner;
	uint32_t left;

	look_at_day(owners);
	owner = owner_of(owners, origin);
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
owner_works(struct owners *owners, uint32_t number, uint32_t work)
{
	struct run *run = owners->run;
	const struct origin *origin = run_origin(run, number);
	struct owner *owner;
	uint64_t *used;

	if (work == 0)
		return true;
	look_at_day(owners);
	owner = owner_of(owners, origin);
	used = owner == NULL ? &host_states_at(run->hosts, origin->host)->work
			     : &owner->work;
	*used += work;
	return *used <= OWNER_WORK;
}
