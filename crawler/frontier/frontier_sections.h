/* Folders of sites, which the scheduler takes for sections. */
#ifndef FRESHET_FRONTIER_SECTIONS_H
#define FRESHET_FRONTIER_SECTIONS_H

#include "crawler/frontier/frontier_internal.h"

#define SECTION_PATH_MAX 512 /* bytes; what is deeper is one folder */

/* section_put(frontier, site, url): the scheduler's number of the folder that
 * the URL is in, made when it is new, with those above it; 0: none. */
uint32_t section_put(struct frontier *, uint32_t site, struct slice url);

/* The folder that was asked for last; zeroed at first. */
struct section_memo {
	char folder[SECTION_PATH_MAX];
	size_t len; /* of folder; 0: none */
	double rate;
};

/* section_rate(frontier, site, url, memo): changes a day of a page of that
 * folder of which nothing is known, or of the first above it that is a section.
 * None is made.  memo is of that site, and holds until something is learned. */
double section_rate(
    struct frontier *, uint32_t site, struct slice url, struct section_memo *);

/* section_dirty(frontier, section): it was learned of, and those above it. */
void section_dirty(struct frontier *, uint32_t section);

/* sections_save(frontier): what was learned, into the open transaction. */
void sections_save(struct frontier *);

#endif
