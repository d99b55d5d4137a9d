/*
 * A store with the past of many sites (performance.md):
 *
 *   past FOLDER SITES DAYS FROM UNTIL END_S
 *
 * The store in FOLDER, store.db, gets readings of SITES sites: their sitemaps
 * were read each day of DAYS days before END_S.  Now the days from FROM to
 * before UNTIL are written, the first day being 0.  On one day of the week each
 * site lists SOME pages more and one page less than before; on all others its
 * sitemap is not modified.  A twentieth of the sites launch a section with
 * these pages in a week, another twentieth renames a folder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/query.h"
#include "store/segment/sorter.h"
#include "store/site.h"
#include "store/site_tally.h"
#include "store/store.h"
#include "tests/bench/frontier/batch.h"

enum { FIRST = 100, SOME = 7, WEEK = 7, PART = 20, MOVED = 30 };

struct past {
	struct store *store;
	int64_t sites, days, end_s;
	int64_t *site_ids, *document_ids; /* owned */
};

static void
add_entry(struct sorter *sorter, int64_t site, const char *folder,
    int64_t folder_number, int64_t page)
{
	char text[160];
	int n = snprintf(text, sizeof(text),
	    "https://www.s%lld.example/%s%lld/page-%lld", (long long)site,
	    folder, (long long)folder_number, (long long)page);
	struct entry entry = {.url = slice_make(text, (size_t)n)};

	must(sorter_add(sorter, &entry), "not sorted");
}

/* What the sitemap lists after so many weeks of changes. */
static struct sorter *
listed(int64_t site, int64_t weeks, int64_t now_s)
{
	struct sorter *sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = 1 << 20, .scratch_fd = -1, .now_s = now_s});
	/* the folder of these pages is renamed every PART weeks */
	int64_t renamed = (weeks + site) / PART;

	for (int64_t i = 0; i < MOVED; i++)
		add_entry(sorter, site, "moving", renamed, i);
	/* one page goes in each week */
	for (int64_t i = weeks; i < FIRST; i++)
		add_entry(sorter, site, "blog", 0, i);
	for (int64_t week = 1; week <= weeks; week++)
		for (int64_t i = 0; i < SOME; i++) {
			bool is_launch = (week + site) % PART == PART / 2;

			add_entry(sorter, site, is_launch ? "launch" : "news",
			    is_launch ? week : 0, week * SOME + i);
		}
	must(sorter_finish(sorter), "not sorted");
	return sorter;
}

static void
committed(void *arg, const struct reading *reading, int64_t reading_id)
{
	(void)arg;
	(void)reading;
	must(reading_id > 0, "no commit");
}

static void
read_site(struct past *past, int64_t site, int64_t day)
{
	int64_t at_s = past->end_s - (past->days - day) * DAY_S + site % 3600;
	int64_t document_id = past->document_ids[site];
	struct reading *reading = reading_new(document_id, at_s);
	struct content *content = &reading->content;
	struct block_source *previous;
	struct sorter *sorter;

	reading->fingerprint = 77;
	reading->outcome = OUTCOME_UNCHANGED;
	reading->http.status = 304;
	/* the day after a change lacks the page that went once more */
	if (day == 0 || (day > WEEK && (day + site) % WEEK <= 1)) {
		previous = block_source_new(
		    past->store, BLOCKS_OF_SEGMENT, document_id);
		sorter = listed(site,
		    day == 0 ? 0 : (day - (day + site) % WEEK) / WEEK, at_s);
		reading->outcome = OUTCOME_READ;
		reading->http.status = 200;
		content->kind = KIND_URLSET;
		content->is_complete = true;
		must(merge_run(&(struct merge_options){.now_s = at_s,
				   .is_complete = true,
				   .is_first = day == 0,
				   .previous = block_source_pull,
				   .previous_arg = previous,
				   .segment = block_list_add,
				   .segment_arg = &content->segment,
				   .delta = block_list_add,
				   .delta_arg = &content->delta},
			 sorter, &content->merge) == DIAG_OK,
		    "not merged");
		content->seen = content->merge.entries;
		content->accepted = verdict_accepted(
		    content->merge.entries, content->merge.refused);
		content->is_baseline = day == 0;
		sorter_free(sorter);
		block_source_close(previous, NULL, 0);
	}
	if (store_submit(past->store, reading, committed, NULL))
		must(store_flush(past->store) == DIAG_OK, "no commit");
}

static void
live_day(struct past *past, int64_t day)
{
	for (int64_t i = 0; i < past->sites; i++)
		read_site(past, i, day);
	must(store_flush(past->store) == DIAG_OK, "no commit");
	for (int64_t i = 0; i < past->sites; i++) {
		struct site_tally *tally;

		if (day == 0)
			(void)store_first_read(past->store, past->site_ids[i]);
		else if ((day + i) % WEEK > 1)
			continue;
		tally = site_tally_new(past->store, past->site_ids[i]);
		while (site_tally_some(tally, 1000))
			continue;
		site_tally_put(tally, past->store);
		site_tally_free(tally);
	}
	must(store_flush(past->store) == DIAG_OK, "no commit");
}

int
main(int argc, char **argv)
{
	struct past past = {0};
	char text[128];

	if (argc != 7) {
		(void)fprintf(
		    stderr, "past FOLDER SITES DAYS FROM UNTIL END_S\n");
		return 2;
	}
	past.sites = strtoll(argv[2], NULL, 10);
	past.days = strtoll(argv[3], NULL, 10);
	past.end_s = strtoll(argv[6], NULL, 10);
	past.store = batch_store(argv[1], "store.db", true);
	past.site_ids = calloc((size_t)past.sites, sizeof(*past.site_ids));
	past.document_ids = calloc(
	    (size_t)past.sites, sizeof(*past.document_ids));
	must(past.site_ids != NULL && past.document_ids != NULL, "no memory");
	for (int64_t i = 0; i < past.sites; i++) {
		struct document document;
		size_t n;

		past.site_ids[i] = batch_site(
		    past.store, i, text, sizeof(text), &n);
		(void)snprintf(text + n, sizeof(text) - n, "/sitemap.xml");
		store_document(
		    past.store, past.site_ids[i], slice_of(text), &document);
		past.document_ids[i] = document.id;
		document_release(&document);
	}
	must(store_flush(past.store) == DIAG_OK, "no commit");
	for (int64_t day = strtoll(argv[4], NULL, 10);
	     day < strtoll(argv[5], NULL, 10); day++)
		live_day(&past, day);
	store_close(past.store);
	free(past.site_ids);
	free(past.document_ids);
	return 0;
}
