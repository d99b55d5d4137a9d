/* The driver's table of origins. */
#include "crawler/crawl/run_origins.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/url.h"
#include "crawler/crawl/run.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_tasks.h"

/* If there are fewer origins, none is forgotten. */
#define LEAST_ORIGINS 1024

struct origins {
	const struct run_options *options; /* borrowed, as `hosts` is */
	struct host_states *hosts;
	struct names names; /* numbered as the origins are */
	struct origin *items; /* owned */
	size_t count, cap;
	size_t used; /* entries with a name */
	size_t kept; /* value of `used` at the last origins_are_searched() */
	uint32_t *to_seed; /* owned: see origins_to_seed() */
	size_t to_seed_count, to_seed_cap;
	uint64_t stamps; /* so far */
	struct fifo known;
};

struct origins *
origins_new(const struct run_options *options, struct host_states *hosts)
{
	struct origins *origins = mem_zero(sizeof(*origins));

	origins->options = options;
	origins->hosts = hosts;
	names_init(&origins->names, options->hash_key);
	return origins;
}

/* Free what the entry owns. */
static void
origins_release(struct origin *origin)
{
	free(origin->awaiting);
	free(origin->waiting);
}

void
origins_free(struct origins *origins)
{
	if (origins == NULL)
		return;
	for (size_t i = 0; i < origins->count; i++)
		origins_release(&origins->items[i]);
	free(origins->items);
	free(origins->to_seed);
	names_release(&origins->names);
	fifo_release(&origins->known);
	free(origins);
}

uint32_t
origins_count(const struct origins *origins)
{
	return (uint32_t)origins->count;
}

struct origin *
origins_at(const struct origins *origins, uint32_t number)
{
	return &origins->items[number];
}

struct fifo *
origins_known(struct origins *origins)
{
	return &origins->known;
}

/* Adding and forgetting origins. */

uint32_t
origins_of(struct origins *origins, const struct url *url)
{
	uint32_t number = names_find(&origins->names, url_origin(url));

	if (number == NAMES_NONE) {
		number = names_put(&origins->names, url_origin(url));
		struct origin *origin;

		if (number == origins->count) {
			origins->items = mem_grow(origins->items, &origins->cap,
			    origins->count + 1, sizeof(*origins->items));
			origins->count++;
		}
		origins->used++;
		origin = &origins->items[number];
		*origin = (struct origin){
		    .text = names_text(&origins->names, number),
		    .seed_site = NONE};
		origin->host = host_state_of(origins->hosts, url_host(url));
	}
	origins->items[number].used_ms = loop_now_ms(origins->options->loop);
	return number;
}

bool
origins_are_many(const struct origins *origins)
{
	return origins->used >= LEAST_ORIGINS &&
	    origins->used / 2 >= origins->kept;
}

void
origins_forget(struct origins *origins, uint32_t number)
{
	origins_release(&origins->items[number]);
	origins->items[number] = (struct origin){
	    .host = NONE, .seed_site = NONE};
	names_remove(&origins->names, number);
	origins->used--;
}

void
origins_are_searched(struct origins *origins)
{
	origins->kept = origins->used;
}

uint64_t
origins_stamp(struct origins *origins)
{
	return ++origins->stamps;
}

/* Seeds. */

void
origins_seed_later(struct origins *origins, uint32_t number, uint32_t site)
{
	struct origin *origin = &origins->items[number];

	origin->seed_site = site;
	if (origin->is_to_seed)
		return;
	origin->is_to_seed = true;
	origins->to_seed = mem_grow(origins->to_seed, &origins->to_seed_cap,
	    origins->to_seed_count + 1, sizeof(*origins->to_seed));
	origins->to_seed[origins->to_seed_count++] = number;
}

const uint32_t *
origins_to_seed(const struct origins *origins, size_t *count)
{
	*count = origins->to_seed_count;
	return origins->to_seed;
}

void
origins_tidy_to_seed(struct origins *origins)
{
	size_t count = 0;

	for (size_t i = 0; i < origins->to_seed_count; i++) {
		uint32_t number = origins->to_seed[i];
		struct origin *origin = &origins->items[number];

		origin->is_to_seed = origin->seed_site != NONE;
		if (origin->is_to_seed)
			origins->to_seed[count++] = number;
	}
	origins->to_seed_count = count;
}
