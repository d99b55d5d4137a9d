/*
 * Folders of sites, which the scheduler calls sections: pages of one folder
 * change alike, so that what is learned of one page helps to estimate the
 * others.
 */
#ifndef FRESHET_SECTION_TABLE_H
#define FRESHET_SECTION_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define SECTION_PATH_MAX 512 /* bytes; deeper folders count as one */

struct frontier;
struct site_item;

/* section_put(frontier, site, url): the scheduler's number of the folder of a
 * normalised URL.  The folder and those above it are made when they are new,
 * with what the store has learned of them.  0: the URL is in no folder. */
uint32_t section_put(
    struct frontier *, const struct site_item *, struct slice url);

/* The folder that section_rate() was asked for last; zeroed at first. */
struct section_memo {
	char folder[SECTION_PATH_MAX];
	size_t len; /* of folder; 0: none */
	double rate;
};

/* section_rate(frontier, site, url, memo): how often a day an unknown page of
 * that folder changes, or of the first folder above it that is a section.  No
 * section is made.  A memo serves one site, until something is learned. */
double section_rate(struct frontier *, const struct site_item *,
    struct slice url, struct section_memo *);

/* section_dirty(frontier, section): something was learned of the section and
 * those above it.  sections_save: save what was learned, in the open
 * transaction. */
void section_dirty(struct frontier *, uint32_t section);
void sections_save(struct frontier *);

#endif
