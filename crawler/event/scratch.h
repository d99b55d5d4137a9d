/* Files for bytes that nobody shall find afterwards. */
#ifndef FRESHET_SCRATCH_H
#define FRESHET_SCRATCH_H

/*
 * scratch_fd(dir): a read-write descriptor of a new, empty, unlinked file in
 * dir (NULL: $TMPDIR, else /var/tmp, else /tmp), close-on-exec; the caller
 * closes it.  -1 with errno.
 */
int scratch_fd(const char *dir);

/*
 * scratch_folder(): the path of a new, empty folder in such a place, for this
 * user alone; owned.  NULL with errno.
 */
char *scratch_folder(void);

#endif
