/* The place of a store that nobody shall find afterwards. */
#ifndef FRESHET_SCRATCH_STORE_H
#define FRESHET_SCRATCH_STORE_H

/*
 * scratch_store_make(*folder): a path for a new store in a folder of its own;
 * both are owned.  NULL with errno.
 */
char *scratch_store_make(char **folder);

/* scratch_store_hide(folder): remove the names, once the store is open: what
 * is open stays open, and nothing is left behind whatever ends this process.
 * Frees *folder and makes it NULL; that of NULL is fine. */
void scratch_store_hide(char **folder);

#endif
