/* What the store knows becomes the frontier's. */
#ifndef FRESHET_FRONTIER_LOAD_H
#define FRESHET_FRONTIER_LOAD_H

struct frontier;

/* frontier_load(frontier): sites, documents and pages, of all or of those that
 * its options name, with what was learned of them; a new frontier, once. */
void frontier_load(struct frontier *);

#endif
