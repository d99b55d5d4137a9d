/* Is the store still where it was opened? */
#ifndef FRESHET_STORE_HOME_H
#define FRESHET_STORE_HOME_H

#include <stdbool.h>
#include <sys/types.h>

struct store;

/* Which file that is; inode 0: none. */
struct store_home {
	dev_t device;
	ino_t inode;
};

/* home_note(store): its database and its lock, as they are at their paths.
 * home_is_ours(store): they are the same ones still; whoever removes or
 * replaces a store that is in use has written to nowhere, and its lock keeps
 * nobody out. */
void home_note(struct store *);
bool home_is_ours(const struct store *);

#endif
