/* What the benchmarks of the frontier share. */
#include "tests/bench/frontier/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "crawler/frontier/frontier.h"
#include "tests/fixtures/lease.h"

void
must(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

struct store *
batch_store(const char *folder, const char *name, bool is_scratch)
{
	struct store_options options = {
	    .min_free_bytes = 0, .is_scratch = is_scratch};
	struct store *store;
	struct buf path, why;

	buf_init(&path, SIZE_MAX);
	buf_init(&why, SIZE_MAX);
	(void)buf_print(&path, "%s/%s", folder, name);
	options.path = buf_str(&path);
	must(store_open(&options, &store, &why) == DIAG_OK, buf_str(&why));
	buf_release(&path);
	buf_release(&why);
	return store;
}

int64_t
batch_site(
    struct store *store, int64_t number, char *text, size_t size, size_t *len)
{
	*len = (size_t)snprintf(
	    text, size, "https://www.s%lld.example", (long long)number);
	store_robots(store,
	    &(struct robots_fact){.origin = slice_make(text, *len),
		.fetched_s = BEGIN_S,
		.status = 404});
	return store_site(store, slice_make(text + 8, *len - 8));
}

const struct site_rules *
batch_rules(void *rules, struct slice host)
{
	(void)host;
	return rules;
}

void
batch_lease(struct batch *batch, struct frontier *frontier,
    struct frontier_consumer *consumer, int64_t now_s)
{
	struct frontier_page page;

	batch->count = 0;
	while (batch->count < BATCH &&
	    lease_page(frontier, consumer, now_s, &page))
		memcpy(batch->tokens[batch->count++], page.token,
		    sizeof(page.token));
}

void
batch_done(const struct batch *batch, struct frontier *frontier, int64_t now_s,
    struct frontier_result result)
{
	bool has_hash = result.has_hash;

	for (size_t i = 0; i < batch->count; i++) {
		struct frontier_answer answer;

		result.token = slice_of(batch->tokens[i]);
		if (!has_hash) {
			result.has_hash = true;
			result.content_hash = slice_of(
			    batch->tokens[(i + 1) % batch->count]);
		}
		must(frontier_done(frontier, &result, now_s, &answer) ==
			FRONTIER_OK,
		    "not taken");
	}
}
