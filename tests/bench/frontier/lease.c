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
#include <string.h>

#include "base/buf.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_result.h"
#include "store/page.h"
#include "store/store.h"
#include "tests/bench/stretch.h"
#include "tests/fixtures/lease.h"

enum { BATCH = 500, BEGIN_S = 1700000000, DAY_S = 86400 };

static void
must(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "frontier: %s\n", what);
	exit(1);
}

/* A site with a sitemap, and a robots.txt that is not there. */
static void
found(struct store *store, int64_t number, int64_t pages)
{
	char text[128];
	struct document document;
	int64_t site;
	int n = snprintf(
	    text, sizeof(text), "https://www.s%lld.example", (long long)number);

	site = store_site(store, slice_make(text + 8, (size_t)n - 8));
	store_robots(store,
	    &(struct robots_fact){.origin = slice_make(text, (size_t)n),
		.fetched_s = BEGIN_S,
		.status = 404});
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "/sitemap.xml");
	store_document(store, site, slice_of(text), &document);
	for (int64_t i = 0; i < pages; i++) {
		(void)snprintf(text + n, sizeof(text) - (size_t)n,
		    "/section-%c/%lld/a-page-of-this-site", (char)('a' + i % 9),
		    (long long)i);
		(void)store_page_add(store, document.id, slice_of(text));
	}
	document_release(&document);
	if (number % 1000 == 0 || pages > 1000)
		must(store_flush(store) == DIAG_OK, "no commit");
}

static const struct site_rules *
rules(void *arg, struct slice host)
{
	(void)host;
	return arg;
}

static size_t
lease_pages(struct frontier *frontier, struct frontier_consumer *consumer,
    int64_t now_s, char tokens[BATCH][FRONTIER_TOKEN_SIZE])
{
	struct frontier_page page;
	size_t count = 0;

	while (count < BATCH && lease_page(frontier, consumer, now_s, &page))
		memcpy(tokens[count++], page.token, sizeof(page.token));
	return count;
}

static void
take_back(struct frontier *frontier, int64_t now_s,
    char tokens[BATCH][FRONTIER_TOKEN_SIZE], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct frontier_result result = {.token = slice_of(tokens[i]),
		    .status = 200,
		    .has_hash = true,
		    .content_hash = slice_of(tokens[(i + 1) % count]),
		    .etag = slice_of("\"5f3a-61c\""),
		    .bytes = 5120,
		    .ms = 210};
		struct frontier_answer answer;

		must(frontier_done(frontier, &result, now_s, &answer) ==
			FRONTIER_OK,
		    "not taken");
	}
}

static void
measure(struct store *store, int64_t pages, int64_t pairs)
{
	static char tokens[BATCH][FRONTIER_TOKEN_SIZE];
	struct site_rules site = {
	    .profile = profile_default(PROFILE_GOOGLE), .has_delay = true};
	struct frontier_options options = {.store = store,
	    .rules = rules,
	    .rules_arg = &site,
	    .agent = "freshet",
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
		size_t count = lease_pages(
		    frontier, &consumer, now_s++, tokens);

		must(count > 0, "nothing to hand out");
		must(store_flush(store) == DIAG_OK, "no commit");
		take_back(frontier, now_s++, tokens, count);
		frontier_save(frontier);
		must(store_flush(store) == DIAG_OK, "no commit");
		done += (int64_t)count;
	}
	stretch_say("pair", &from, (double)done);
	(void)printf("out %zu\n", frontier_release_all(frontier, now_s));
	frontier_free(frontier);
}

int
main(int argc, char **argv)
{
	struct store_options options = {.min_free_bytes = 0};
	struct store *store;
	struct buf path, why;
	struct stretch from;
	int64_t sites, pages;

	if (argc != 5) {
		(void)fprintf(
		    stderr, "usage: frontier FOLDER SITES PAGES PAIRS\n");
		return 2;
	}
	buf_init(&path, SIZE_MAX);
	buf_init(&why, SIZE_MAX);
	(void)buf_print(&path, "%s/frontier.db", argv[1]);
	options.path = buf_str(&path);
	must(store_open(&options, &store, &why) == DIAG_OK, buf_str(&why));
	sites = strtoll(argv[2], NULL, 10);
	pages = strtoll(argv[3], NULL, 10);
	from = stretch_begin();
	for (int64_t i = 0; i < sites; i++)
		found(store, i, pages / sites);
	must(store_flush(store) == DIAG_OK, "no commit");
	stretch_say("made", &from, (double)pages);
	measure(store, pages, strtoll(argv[4], NULL, 10));
	store_close(store);
	buf_release(&path);
	buf_release(&why);
	return 0;
}
