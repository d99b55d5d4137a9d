/* Inside fsck: checks of rows. */
#ifndef FRESHET_FSCK_RULES_H
#define FRESHET_FSCK_RULES_H

struct fsck;

void fsck_rules(struct fsck *); /* fsck_rules.def: J2, J3, J5 to J18 */
void fsck_pages(struct fsck *); /* J5, J10: URLs and keys of pages */

/* fsck_sites(fsck): J19: does each site list what its documents list?  The
 * check is skipped if anything else was found. */
void fsck_sites(struct fsck *);

#endif
