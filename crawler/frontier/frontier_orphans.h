/* Orphaned documents: nothing that is wanted leads to them (store/reach.h). */
#ifndef FRESHET_FRONTIER_ORPHANS_H
#define FRESHET_FRONTIER_ORPHANS_H

struct frontier;

/* orphans_refresh(frontier): find out which documents of the suspect sites
 * (site_suspect()) are orphans.  Orphans are not read, and their pages are not
 * leased unless another document lists them.  To be called before anything is
 * chosen; cheap when no site is suspect. */
void orphans_refresh(struct frontier *);

#endif
