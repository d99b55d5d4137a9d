/* Inside fsck: promoted pages, and the keys that they are found under. */
#ifndef FRESHET_FSCK_PAGES_H
#define FRESHET_FSCK_PAGES_H

struct fsck;

/* fsck_pages(fsck): J5: each page's key is that of its URL; the last part. */
void fsck_pages(struct fsck *);

#endif
