/* Listed URLs that are no pages yet, and which of them comes first. */
#ifndef FRESHET_PROMOTION_H
#define FRESHET_PROMOTION_H

#include <stdint.h>

struct candidate_cache;
struct document_table;
struct frontier_context;
struct frontier_sites;
struct origin_table;
struct page_parents;
struct page_table;
struct section_table;

/* The tables are borrowed. */
struct promotion {
	const struct frontier_context *context;
	struct page_table *pages;
	struct document_table *documents;
	struct frontier_sites *sites;
	struct origin_table *origins;
	struct section_table *sections;
	struct page_parents *parents;
	struct candidate_cache *candidates;
};

/*
 * promotion_next(promotion, document): promote the next entry of the document
 * to a page that the scheduler has chosen.  Entries are taken in two orders by
 * turns:
 *
 * - what a later reading added first; then the newest dates, unless these are
 *   distrusted (SPEC R-116); then entries of the folders that change least;
 *   then evenly over the document;
 * - entries of the folders that change least first (scheduling.md); then
 * as before.
 *
 * Returns its number; NONE: the document lists nothing more that its site wants
 * and robots.txt allows.
 */
uint32_t promotion_next(struct promotion *, uint32_t document);

#endif
