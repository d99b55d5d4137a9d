/*
 * What a page costs that nobody asked for yet, where many sitemaps take turns
 * (performance.md):
 *
 *   turns FOLDER SITES SITEMAPS URLS PAGES [TAGGED]
 *
 * A new store in FOLDER has SITES sites, each with its share of SITEMAPS
 * sitemaps of URLS URLs. A frontier is made of it, and PAGES are handed out,
 * BATCH in a commit, and said to be there. With TAGGED, only so many of those
 * sites that have a tag are handed out, which may be asked less often than it
 * is tried, and after the first page of each.
 *
 * Prints a line `NAME VALUE` for each thing measured.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/frontier/frontier.h"
#include "store/query.h"
#include "store/segment/sorter.h"
#include "store/store.h"
#include "store/watch.h"
#include "tests/bench/frontier/batch.h"
#include "tests/bench/stretch.h"

enum { TURN_S = 60, SCARCE = 10 };

static const char tag[] = "some";

static struct slice
nothing(void *arg)
{
	(void)arg;
	return slice_make(NULL, 0);
}

static void
committed(void *arg, const struct reading *reading, int64_t reading_id)
{
	(void)arg;
	(void)reading;
	must(reading_id > 0, "no commit");
}

/* A first reading that brought so many URLs. */
static void
read_sitemap(
    struct store *store, int64_t document, const char *at, int64_t urls)
{
	struct reading *reading = reading_new(document, BEGIN_S);
	struct sorter *sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = 1 << 20, .scratch_fd = -1, .now_s = BEGIN_S});
	struct content *content = &reading->content;
	char text[160];

	for (int64_t i = 0; i < urls; i++) {
		struct entry entry = {.ordinal = (uint32_t)i};
		int n = snprintf(text, sizeof(text),
		    "%s/section-%c/%lld/a-page", at, (char)('a' + i % 9),
		    (long long)i);

		entry.url = slice_make(text, (size_t)n);
		must(sorter_add(sorter, &entry), "not sorted");
	}
	must(sorter_finish(sorter), "not sorted");
	reading->outcome = OUTCOME_READ;
	reading->http.status = 200;
	content->kind = KIND_URLSET;
	content->is_complete = true;
	must(merge_run(&(struct merge_options){.now_s = BEGIN_S,
			   .is_complete = true,
			   .is_first = true,
			   .previous = nothing,
			   .segment = block_list_add,
			   .segment_arg = &content->segment,
			   .delta = block_list_add,
			   .delta_arg = &content->delta},
		 sorter, &content->merge) == DIAG_OK,
	    "not merged");
	content->seen = content->accepted = content->merge.entries;
	sorter_free(sorter);
	(void)store_submit(store, reading, committed, NULL);
}

/* A site with its sitemaps, and a robots.txt that is not there. */
static void
found(struct store *store, int64_t number, int64_t sitemaps, int64_t urls)
{
	char text[128];
	struct document document;
	size_t n;
	int64_t site = batch_site(store, number, text, sizeof(text), &n);

	for (int64_t i = 0; i < sitemaps; i++) {
		(void)snprintf(text + n, sizeof(text) - n, "/%lld/sitemap.xml",
		    (long long)i);
		store_document(store, site, slice_of(text), &document);
		*strrchr(text, '/') = '\0';
		read_sitemap(store, document.id, text, urls);
		document_release(&document);
	}
}

static void
mark(struct store *store, int64_t number)
{
	char text[64];
	struct watch watch;

	(void)snprintf(
	    text, sizeof(text), "www.s%lld.example", (long long)number);
	watch = (struct watch)WATCH_DEFAULTS;
	watch.site_id = store_site(store, slice_of(text));
	strings_add(&watch.tags, slice_of(tag));
	store_watch_put(store, &watch);
	watch_release(&watch);
}

static size_t
memory(void)
{
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

static void
measure(struct store *store, int64_t hosts, int64_t pages,
    const struct strings *tags)
{
	static struct batch batch;
	struct site_rules site = {.profile = profile_default(PROFILE_GOOGLE),
	    .has_delay = true,
	    .delay_ms = (tags == NULL ? 1 : SCARCE) * TURN_S * 1000};
	struct frontier_options options = {.store = store,
	    .rules = batch_rules,
	    .rules_arg = &site,
	    .hash_key = 88172645463325252u,
	    .burst_ms = 1000};
	struct frontier_consumer consumer = {.lease_s = 600, .tags = tags};
	int64_t now_s = BEGIN_S + DAY_S, done = 0;
	struct stretch from = stretch_begin();
	struct frontier *frontier = frontier_new(&options, now_s);
	int64_t first = tags == NULL ? 0 : hosts;
	double out_s = 0;
	size_t loaded;

	(void)printf("loaded_s %.2f\n", stretch_begin().wall_s - from.wall_s);
	loaded = memory();
	while (done < first + pages) {
		from = stretch_begin();
		batch_lease(&batch, frontier, &consumer, now_s);
		if (done >= first)
			out_s += stretch_begin().cpu_s - from.cpu_s;
		must(store_flush(store) == DIAG_OK, "no commit");
		batch_done(&batch, frontier, now_s,
		    (struct frontier_result){.status = 200,
			.has_hash = true,
			.content_hash = slice_of("5f3a61c")});
		now_s += TURN_S * BATCH / hosts + 1;
		frontier_save(frontier);
		must(store_flush(store) == DIAG_OK, "no commit");
		done += (int64_t)batch.count;
	}
	(void)printf("page_us %.1f\n", out_s / (double)(done - first) * 1e6);
	(void)printf("more_mb %.1f\n", (double)(memory() - loaded) / 1e6);
	frontier_consumer_release(frontier, &consumer);
	frontier_free(frontier);
}

int
main(int argc, char **argv)
{
	int64_t numbers[5] = {0};
	struct strings tags = {0};
	struct store *store;

	if (argc != 6 && argc != 7) {
		(void)fprintf(stderr,
		    "usage: turns FOLDER SITES SITEMAPS URLS PAGES [TAGGED]\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		numbers[i - 2] = strtoll(argv[i], NULL, 10);
	store = batch_store(argv[1], "turns.db", true);
	for (int64_t i = 0; i < numbers[0]; i++)
		found(store, i, numbers[1] / numbers[0], numbers[2]);
	for (int64_t i = 0; i < numbers[4]; i++)
		mark(store, i * numbers[0] / numbers[4]);
	must(store_flush(store) == DIAG_OK, "no commit");
	if (numbers[4] > 0)
		strings_add(&tags, slice_of(tag));
	measure(store, numbers[4] > 0 ? numbers[4] : numbers[0], numbers[3],
	    numbers[4] > 0 ? &tags : NULL);
	strings_release(&tags);
	store_close(store);
	return 0;
}
