/* Explain: from robots.txt or the command line down to a document. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/inspect/explain.h"
#include "store/lookup.h"
#include "store/site.h"

/* A walk upwards: path[0] is the document itself. */
struct ascent {
	struct store *store;
	struct explain_place *place;
	struct slice urls[EXPLAIN_STEPS];
	int64_t ids[EXPLAIN_STEPS];
	size_t depth; /* how many of them are filled in */
	bool has_root; /* of the last: somebody names it */
};

static int64_t
standing(struct store *store, int64_t document_id)
{
	struct buf host;
	int64_t id;

	buf_init(&host, SIZE_MAX);
	id = store_standing(store, document_id, &host);
	buf_release(&host);
	return id;
}

/* finish(ascent, origin, line): a chain is whole; an empty origin: nobody
 * names its first document. */
static void
finish(struct ascent *ascent, struct slice origin, uint32_t line)
{
	struct explain_place *place = ascent->place;
	struct explain_chain *chain;
	struct buf url;

	if (place->chain_count == EXPLAIN_CHAINS) {
		place->more_chains++;
		return;
	}
	if (place->chains == NULL)
		place->chains = mem_zero(
		    EXPLAIN_CHAINS * sizeof(*place->chains));
	chain = &place->chains[place->chain_count++];
	if (origin.len > 0) {
		buf_init(&url, URL_MAX_BYTES);
		(void)buf_put_slice(&url, origin);
		(void)buf_put_slice(&url, slice_of("/robots.txt"));
		chain->steps[0].url = buf_take(&url);
		chain->steps[0].line = line;
	}
	chain->count = 1;
	for (size_t i = ascent->depth; i > 0; i--)
		chain->steps[chain->count++] = (struct explain_step){
		    .url = slice_dup(ascent->urls[i - 1]),
		    .reading_id = standing(ascent->store, ascent->ids[i - 1])};
}

static void
on_proof(void *arg, struct slice origin, uint32_t line)
{
	struct ascent *ascent = arg;

	ascent->has_root = true;
	finish(ascent, origin, line);
}

static void climb(struct ascent *, int64_t document_id, struct slice url);

static void
on_parent(void *arg, int64_t index_id, struct slice url)
{
	struct ascent *ascent = arg;

	/* one step is for robots.txt */
	if (ascent->depth + 1 == EXPLAIN_STEPS)
		return;
	for (size_t i = 0; i < ascent->depth; i++)
		if (ascent->ids[i] == index_id)
			return;
	climb(ascent, index_id, url);
	ascent->has_root = true;
}

static void
climb(struct ascent *ascent, int64_t document_id, struct slice url)
{
	bool had_root = ascent->has_root;

	ascent->urls[ascent->depth] = url;
	ascent->ids[ascent->depth++] = document_id;
	ascent->has_root = false;
	store_each_proof(ascent->store, url, on_proof, ascent);
	store_each_parent(ascent->store, document_id, on_parent, ascent);
	if (!ascent->has_root)
		finish(ascent, slice_make(NULL, 0), 0);
	ascent->has_root = had_root;
	ascent->depth--;
}

void
explain_chains(struct store *store, struct explain_place *place)
{
	struct ascent ascent = {.store = store, .place = place};

	climb(&ascent, place->document_id, slice_of(place->document));
}

void
explain_release_chains(struct explain_place *place)
{
	for (size_t i = 0; i < place->chain_count; i++)
		for (size_t k = 0; k < place->chains[i].count; k++)
			free(place->chains[i].steps[k].url);
	free(place->chains);
	place->chains = NULL;
	place->chain_count = 0;
}
