/* Is the store still where it was opened?  See home.h. */
#include "store/home.h"

#include <sys/stat.h>

#include "store/db.h"

/* One that cannot be looked at, as in tests without a disk, has no home. */
static struct store_home
home_of(const char *path)
{
	struct store_home home = {0};
	struct stat st;

	if (stat(path, &st) == 0)
		home = (struct store_home){st.st_dev, st.st_ino};
	return home;
}

static struct store_home
home_of_lock(const struct store *store)
{
	struct store_home home;
	struct buf path;

	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s.lock", store->path);
	home = home_of(buf_str(&path));
	buf_release(&path);
	return home;
}

static bool
is_same(struct store_home a, struct store_home b)
{
	return a.device == b.device && a.inode == b.inode;
}

void
home_note(struct store *store)
{
	if (store->is_scratch)
		return;
	store->home = home_of(store->path);
	store->lock_home = home_of_lock(store);
}

bool
home_is_ours(const struct store *store)
{
	if (store->home.inode == 0)
		return true;
	return is_same(home_of(store->path), store->home) &&
	    is_same(home_of_lock(store), store->lock_home);
}
