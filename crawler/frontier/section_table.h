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

struct scheduler;
struct section_table;
struct site_item;
struct store;

/* Both arguments are borrowed and outlive the table. */
struct section_table *section_table_new(struct store *, struct scheduler *);
void section_table_free(struct section_table *);

/* section_put(table, site, url): the scheduler's number of the folder of a
 * normalised URL.  The folder and those above it are made when they are new,
 * with what the store has learned of them.  0: the URL is in no folder. */
uint32_t section_put(
    struct section_table *, const struct site_item *, struct slice url);

/* The folder that section_rate() was asked for last; zeroed at first. */
struct section_memo {
	char folder[SECTION_PATH_MAX];
	size_t len; /* of folder; 0: none */
	double rate;
};

/* section_rate(table, site, url, memo): how often a day an unknown page of that
 * folder changes, or of the first folder above it that is a section.  No
 * section is made.  A memo serves one site, until something is learned. */
double section_rate(struct section_table *, const struct site_item *,
    struct slice url, struct section_memo *);

/* section_dirty(table, section): something was learned of the section and those
 * above it.  sections_save: save what was learned, in the open transaction. */
void section_dirty(struct section_table *, uint32_t section);
void sections_save(struct section_table *);

#endif
