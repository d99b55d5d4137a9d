/*
 * The frontier: the tables that it is made of, and its clock.
 *
 * A table is given the tables that it works on.  Only the files that implement
 * the calls of clients see the whole frontier, because a lease, a result, a
 * reading, an import or a change of the watch list changes most of the tables
 * at once, and frontier_show.c explains a page from all of them.
 */
#ifndef FRESHET_FRONTIER_TABLES_H
#define FRESHET_FRONTIER_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "crawler/frontier/candidate_cache.h"
#include "crawler/frontier/document_table.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_context.h"
#include "crawler/frontier/frontier_sites.h"
#include "crawler/frontier/host_table.h"
#include "crawler/frontier/lease_table.h"
#include "crawler/frontier/origin_table.h"
#include "crawler/frontier/page_parents.h"
#include "crawler/frontier/page_table.h"
#include "crawler/frontier/promotion.h"
#include "crawler/frontier/ready_queues.h"
#include "crawler/frontier/section_table.h"
#include "crawler/frontier/tag_table.h"

struct pacer;

/* All pointers are owned. */
struct frontier {
	struct frontier_context context;
	int64_t applied_id; /* the latest reading that the scheduler knows */
	int64_t saved_id; /* the value of applied_id that the store has */
	bool has_moved_holds; /* the store has other ends of holds */
	struct page_table *pages;
	struct host_table *hosts;
	struct tag_table *tags;
	struct frontier_sites *sites;
	struct origin_table *origins;
	struct document_table *documents;
	struct section_table *sections;
	struct lease_table *leases;
	uint64_t consumers; /* that have asked so far */
	struct candidate_cache candidates;
	struct pacer *pacer;
	struct ready_queues ready;
	struct page_parents parents;
	struct promotion promotion;
	/* the document whose URL was asked for last, for frontier_lease.c */
	int64_t told_id;
	struct buf told_url;
};

/* frontier_tables_new(options): a frontier with empty tables, at time 0. */
struct frontier *frontier_tables_new(const struct frontier_options *);

/*
 * frontier_clock(frontier, now_s): the time that counts from now on.  A time
 * before the present is ignored.
 */
int64_t frontier_clock(struct frontier *, int64_t now_s);

#endif
