/*
 * What handing out and taking back costs with all that stands behind it
 * (DESIGN 7):
 *
 *   frontier FOLDER SITES PAGES PAIRS
 *
 * A new store in FOLDER has PAGES pages of SITES sites. A frontier is made of
 * it, and PAIRS of pages are handed out and taken back, BATCH of each in a
 * commit. The store stays.
 *
 * Prints a line `NAME VALUE` for each thing measured.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "crawler/frontier/frontier.h"
#include "store/page.h"
#include "store/store.h"
#include "tests/bench/frontier/batch.h"
#include "tests/bench/stretch.h"

/* A site with a sitemap, and a robots.txt that is not there. */
static void
found(struct store *store, int64_t number, int64_t pages)
{
	char text[128];
	struct document document;
	size_t n;
	int64_t site = batch_site(store, number, text, sizeof(text), &n);

	(void)snprintf(text + n, sizeof(text) - n, "/sitemap.xml");
	store_document(store, site, slice_of(text), &document);
	for (int64_t i = 0; i < pages; i++) {
		(void)snprintf(text + n, sizeof(text) - n,
		    "/section-%c/%lld/a-page-of-this-site", (char)('a' + i % 9),
		    (long long)i);
		(void)store_page_add(store, document.id, slice_of(text));
	}
	document_release(&document);
	if (number % 1000 == 0 || pages > 1000)
		must(store_flush(store) == DIAG_OK, "no commit");
}

static void
measure(struct store *store, int64_t pages, int64_t pairs)
{
	static struct batch batch;
	struct site_rules site = {
	    .profile = profile_default(PROFILE_GOOGLE), .has_delay = true};
	struct frontier_options options = {.store = store,
	    .rules = batch_rules,
	    .rules_arg = &site,
	    .hash_key = 88172645463325252u,
	    .reads_documents = true};
	struct frontier_consumer consumer = {.lease_s = 600};
	int64_t now_s = BEGIN_S + DAY_S, done = 0;
	size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
	struct stretch from = stretch_begin();
	struct frontier *frontier = frontier_new(&options, now_s);

	stretch_say("loaded", &from, (double)pages);
	(void)printf("loaded_s %.2f\n", stretch_begin().wall_s - from.wall_s);
	(void)printf("bytes_a_page %.0f\n",
	    (double)(mallinfo2().uordblks + mallinfo2().hblkhd - before) /
		(double)pages);
	from = stretch_begin();
	while (done < pairs) {
		batch_lease(&batch, frontier, &consumer, now_s++);
		must(batch.count > 0, "nothing to hand out");
		must(store_flush(store) == DIAG_OK, "no commit");
		batch_done(&batch, frontier, now_s++,
		    (struct frontier_result){.status = 200,
			.etag = slice_of("\"5f3a-61c\""),
			.bytes = 5120,
			.ms = 210});
		frontier_save(frontier);
		must(store_flush(store) == DIAG_OK, "no commit");
		done += (int64_t)batch.count;
	}
	stretch_say("pair", &from, (double)done);
	(void)printf("out %zu\n", frontier_release_all(frontier, now_s));
	frontier_free(frontier);
}

int
main(int argc, char **argv)
{
	struct store *store;
	struct stretch from;
	int64_t sites, pages;

	if (argc != 5) {
		(void)fprintf(
		    stderr, "usage: frontier FOLDER SITES PAGES PAIRS\n");
		return 2;
	}
	store = batch_store(argv[1], "frontier.db", false);
	sites = strtoll(argv[2], NULL, 10);
	pages = strtoll(argv[3], NULL, 10);
	from = stretch_begin();
	for (int64_t i = 0; i < sites; i++)
		found(store, i, pages / sites);
	must(store_flush(store) == DIAG_OK, "no commit");
	stretch_say("made", &from, (double)pages);
	measure(store, pages, strtoll(argv[4], NULL, 10));
	store_close(store);
	return 0;
}
