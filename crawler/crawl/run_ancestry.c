/* The driver: the indexes above a document that is read alone. */
#include "crawler/crawl/run_ancestry.h"

#include "crawler/crawl/run_tasks.h"
#include "store/site.h"

bool
ancestry_has(const struct ancestry *ancestry, int64_t document_id)
{
	for (uint32_t i = 0; i < ancestry->count; i++)
		if (ancestry->ids[i] == document_id)
			return true;
	return false;
}

struct ancestry_search {
	struct ancestry *ancestry;
	bool has_parent;
};

static void
add(void *arg, int64_t index_id, struct slice url)
{
	struct ancestry_search *search = arg;
	struct ancestry *ancestry = search->ancestry;

	(void)url;
	search->has_parent = true;
	if (ancestry->count < ANCESTRY_MAX && !ancestry_has(ancestry, index_id))
		ancestry->ids[ancestry->count++] = index_id;
}

void
ancestry_find(
    struct ancestry *ancestry, struct store *store, int64_t document_id)
{
	uint32_t next = 0;
	bool has_end = false;

	*ancestry = (struct ancestry){.ids = {document_id}, .count = 1};
	for (unsigned level = 0; level <= MAX_INDEX_DEPTH; level++) {
		uint32_t end = ancestry->count;

		for (; next < end; next++) {
			struct ancestry_search search = {.ancestry = ancestry};

			store_each_parent(
			    store, ancestry->ids[next], add, &search);
			has_end = has_end || !search.has_parent;
		}
		if (level == 0)
			ancestry->parents = ancestry->count - 1;
		if (!has_end && ancestry->depth < MAX_INDEX_DEPTH)
			ancestry->depth++;
	}
}
