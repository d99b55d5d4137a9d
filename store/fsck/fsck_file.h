/* Inside fsck: the file as a whole, its tables and their references. */
#ifndef FRESHET_FSCK_FILE_H
#define FRESHET_FSCK_FILE_H

struct fsck;

/* fsck_file(fsck): check J1, J2 and J16. */
void fsck_file(struct fsck *);

/* fsck_mend_file(fsck): repair J1; before all other checks, and outside of a
 * transaction. */
void fsck_mend_file(struct fsck *);

#endif
