/* Folders of sites, which the scheduler takes for sections. */
#ifndef FRESHET_DESK_SECTIONS_H
#define FRESHET_DESK_SECTIONS_H

#include "crawler/desk_internal.h"

/* section_put(desk, site, url): the scheduler's number of the folder that the
 * URL is in, made when it is new, with those above it; 0: none. */
uint32_t section_put(struct desk *, uint32_t site, struct slice url);

/* section_rate(desk, site, url): changes a day of a page of that folder of
 * which nothing is known, or of the first above it that is a section.  None is
 * made.
 */
double section_rate(struct desk *, uint32_t site, struct slice url);

/* section_dirty(desk, section): it was learned of, and those above it. */
void section_dirty(struct desk *, uint32_t section);

/* sections_save(desk): what was learned, into the open transaction. */
void sections_save(struct desk *);

#endif
