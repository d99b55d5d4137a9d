/* How many descriptors there are for transfers (HOSTILE T31). */
#ifndef FRESHET_DESCRIPTORS_H
#define FRESHET_DESCRIPTORS_H

/*
 * descriptors_transfers(): raise the limit of this process as far as that is
 * of use, and answer how many transfers may be under way under it, 1 to
 * 1,024: each needs a connection, a spool file, and that once more for the
 * reader.
 */
unsigned descriptors_transfers(void);

#endif
