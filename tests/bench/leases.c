/*
 * What handing out and taking back costs in the store (DESIGN 7):
 *
 *   leases FOLDER PAGES PAIRS
 *	PAGES are promoted in a new store in FOLDER, and PAIRS of leases and
 *	completions of pages at random go through it, BATCH of each in a
 *	commit, with what a scheduler keeps of a page; the store stays
 *
 * Prints a line `NAME VALUE` for each thing measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/store.h"
#include "tests/bench/stretch.h"

enum { BATCH = 500, LEARNED = 48, BEGIN_S = 1700000000 };

static void
must(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "leases: %s\n", what);
	exit(1);
}

static void
promote(struct store *store, int64_t pages)
{
	int64_t site = store_site(store, slice_of("www.site.example"));
	struct document document;
	char url[128];

	store_document(store, site,
	    slice_of("https://www.site.example/sitemap.xml"), &document);
	for (int64_t i = 0; i < pages; i++) {
		int n = snprintf(url, sizeof(url),
		    "https://www.site.example/section/%lld/a-page-of-this-site",
		    (long long)i);

		(void)store_page_add(
		    store, document.id, slice_make(url, (size_t)n));
		if (i % 20000 == 0)
			must(store_flush(store) == DIAG_OK, "no commit");
	}
	document_release(&document);
	must(store_flush(store) == DIAG_OK, "no commit");
}

/* xorshift: any order that no cache guesses. */
static int64_t
some_page(uint64_t *state, int64_t pages)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return 1 + (int64_t)(*state % (uint64_t)pages);
}

static void
lease_pages(
    struct store *store, const int64_t *ids, int64_t now_s, uint32_t *numbers)
{
	for (int i = 0; i < BATCH; i++) {
		struct page_row row;

		must(store_page_get(store, ids[i], &row), "no page");
		numbers[i] = row.leases + 1;
		must(store_lease(store, ids[i], numbers[i], now_s, now_s + 600),
		    "no lease");
	}
	must(store_flush(store) == DIAG_OK, "no commit");
}

static void
take_back(struct store *store, const int64_t *ids, int64_t now_s,
    const uint32_t *numbers)
{
	char learned[LEARNED];

	memset(learned, (int)(now_s & 127), sizeof(learned));
	for (int i = 0; i < BATCH; i++) {
		store_outcome(store, NULL,
		    &(struct outcome_row){.page_id = ids[i],
			.number = numbers[i],
			.at_s = now_s,
			.kind = PAGE_CHANGED,
			.status = 200,
			.has_hash = true,
			.hash = (uint64_t)now_s,
			.etag = slice_of("\"5f3a-61c\""),
			.bytes = 5120,
			.ms = 210});
		store_page_set(store, ids[i],
		    &(struct page_told){.learned = (struct slice[]){slice_make(
					    learned, sizeof(learned))}});
	}
	must(store_flush(store) == DIAG_OK, "no commit");
}

static void
count_page(void *arg, const struct page_row *row)
{
	int64_t *count = arg;

	if (!row->has_lease && row->leases == row->done)
		*count += 1;
}

static void
measure(struct store *store, int64_t pages, int64_t pairs)
{
	uint64_t random = 88172645463325252u;
	int64_t now_s = BEGIN_S, done = 0;
	struct stretch from = stretch_begin();

	promote(store, pages);
	stretch_say("promoted", &from, (double)pages);
	from = stretch_begin();
	while (done < pairs) {
		uint32_t numbers[BATCH];
		int64_t ids[BATCH];

		for (int i = 0; i < BATCH; i++)
			ids[i] = some_page(&random, pages);
		lease_pages(store, ids, now_s++, numbers);
		take_back(store, ids, now_s++, numbers);
		done += BATCH;
	}
	stretch_say("pair", &from, (double)done);
	from = stretch_begin();
	done = 0;
	store_each_page(store, count_page, &done);
	stretch_say("loaded", &from, (double)pages);
	(void)printf("settled %lld\n", (long long)done);
}

int
main(int argc, char **argv)
{
	struct store_options options = {.min_free_bytes = 0};
	struct store *store;
	struct buf path, why;

	if (argc != 4) {
		(void)fprintf(stderr, "usage: leases FOLDER PAGES PAIRS\n");
		return 2;
	}
	buf_init(&path, SIZE_MAX);
	buf_init(&why, SIZE_MAX);
	(void)buf_print(&path, "%s/leases.db", argv[1]);
	options.path = buf_str(&path);
	must(store_open(&options, &store, &why) == DIAG_OK, buf_str(&why));
	measure(store, strtoll(argv[2], NULL, 10), strtoll(argv[3], NULL, 10));
	(void)printf("bytes %llu\n", (unsigned long long)store_bytes(store));
	store_close(store);
	buf_release(&path);
	buf_release(&why);
	return 0;
}
