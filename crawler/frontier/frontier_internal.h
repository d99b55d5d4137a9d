/* What the parts of the frontier share: see desk.h. */
#ifndef FRESHET_FRONTIER_INTERNAL_H
#define FRESHET_FRONTIER_INTERNAL_H

#include "base/idmap.h"
#include "base/names.h"
#include "crawler/frontier/frontier.h"
#include "crawler/frontier/frontier_hand.h"
#include "crawler/frontier/frontier_pace.h"
#include "crawler/frontier/frontier_rows.h"
#include "crawler/frontier/frontier_show.h"
#include "crawler/frontier/frontier_tables.h"
#include "sched/ranking.h"
#include "sched/scheduler.h"

#define SITES_CHANGED 64

struct frontier {
	struct frontier_options options;
	struct scheduler *scheduler;
	int64_t now_s;
	int64_t began_s; /* when it was made, or was saved: the later */
	int64_t told; /* the latest reading that the scheduler knows */
	int64_t told_saved;
	struct names host_names, origin_names;
	struct host_at *hosts; /* owned, as all below */
	size_t host_count, host_cap;
	struct origin_at *origins;
	size_t origin_count, origin_cap;
	size_t robots_bytes; /* of all their robots */
	uint64_t work, work_most; /* of their rules: so far; see origin_judge */
	struct site_at *sites;
	size_t site_count, site_cap;
	struct document_at *documents;
	size_t document_count, document_cap;
	struct page_at *pages;
	size_t page_count, page_cap;
	struct tag_at *tags; /* and their names */
	size_t tag_count, tag_cap;
	struct mix_at *mixes;
	size_t mix_count, mix_cap;
	struct section_at *sections; /* that of number 1 first */
	size_t section_count, section_cap;
	uint64_t sites_told; /* how often a site came, or became another */
	uint32_t sites_changed[SITES_CHANGED]; /* the latest of these */
	struct idmap site_of, document_of; /* by id */
	struct idmap page_of, section_of; /* by hash */
	struct ranking leases; /* pages by when they are over */
	struct ranking shelves; /* hosts where pages wait, by turn */
	struct ranking holds; /* hosts by what was told of their holds */
	double turn;
	bool has_moved_holds; /* they are not in the store as they are */
	struct numbers dirty_pages, dirty_documents, dirty_sites,
	    dirty_sections, doubted_sites; /* frontier_orphans.h */
	struct ask_at *asks; /* frontier_charge.c, while it is loaded */
	size_t ask_count, ask_cap;
	struct listed_rows rows; /* frontier_listed.c */
	struct frontier_pacer pacer;
	int64_t soon_ms; /* see frontier_paced_ms */
	int64_t streamed_ms; /* when somebody asked for a stream of pages */
	struct consumer_hosts **consumers;
	size_t consumer_count, consumer_cap;
};

#endif
