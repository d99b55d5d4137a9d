/* Inside fsck: segments and deltas. */
#ifndef FRESHET_FSCK_SEGMENT_H
#define FRESHET_FSCK_SEGMENT_H

struct fsck;

void fsck_segments(struct fsck *); /* J4, J5, J8, J9, J10, J14, J15 */
void fsck_deltas(struct fsck *); /* J4, J5, J8, J10, J15 */

/* fsck_latest(fsck): J3: is each segment what its latest delta made of it? */
void fsck_latest(struct fsck *);

#endif
