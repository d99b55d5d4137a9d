/* Temporary files and folders that no other process finds. */
#ifndef FRESHET_SCRATCH_H
#define FRESHET_SCRATCH_H

/* scratch_fd(dir): a read-write, close-on-exec descriptor of a new, empty,
 * unlinked file in dir (NULL: $TMPDIR, else /var/tmp, else /tmp), which the
 * caller closes.  -1 with errno. */
int scratch_fd(const char *dir);

/* scratch_folder(): the owned path of a new, empty folder in $TMPDIR, /var/tmp
 * or /tmp, accessible for this user alone.  NULL with errno. */
char *scratch_folder(void);

/* scratch_drop(folder): free the path of such a folder, and remove it with the
 * store SCRATCH_STORE in it; who has that open may go on with it, and nothing
 * is left behind.  NULL is allowed. */
#define SCRATCH_STORE "scratch.db"
void scratch_drop(char *folder);

#endif
