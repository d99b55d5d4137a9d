/* The place of a store that nobody shall find afterwards. */
#include "crawler/control/scratch_store.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "crawler/event/scratch.h"

#define NAME "scratch.db"

char *
scratch_store_make(char **folder)
{
	struct buf path;

	*folder = scratch_folder();
	if (*folder == NULL)
		return NULL;
	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s/" NAME, *folder);
	return buf_take(&path);
}

void
scratch_store_hide(char **folder)
{
	static const char *const endings[] = {"", ".lock", "-wal", "-shm"};
	struct buf path;

	if (*folder == NULL)
		return;
	buf_init(&path, SIZE_MAX);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		buf_clear(&path);
		(void)buf_print(&path, "%s/" NAME "%s", *folder, endings[i]);
		(void)unlink(buf_str(&path));
	}
	(void)rmdir(*folder);
	buf_release(&path);
	free(*folder);
	*folder = NULL;
}
