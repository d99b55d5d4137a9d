/* Temporary files and folders that no other process finds. */
#include "crawler/event/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

static int
open_unlinked(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int n;

	if (fd >= 0 || errno == EMFILE || errno == ENFILE)
		return fd;
	/* Not every file system knows O_TMPFILE. */
	n = snprintf(path, sizeof(path), "%s/freshet-XXXXXX", dir);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path); /* at worst an empty file stays */
	return fd;
}

/* The folder to be tried first, or next.  /tmp is often in memory, which bodies
 * of documents would fill. */
static const char *
scratch_dir(bool is_next)
{
	const char *dir = getenv("TMPDIR");

	return dir != NULL && dir[0] != '\0' ? dir
	    : is_next                        ? "/tmp"
					     : "/var/tmp";
}

int
scratch_fd(const char *dir)
{
	int fd = open_unlinked(dir != NULL ? dir : scratch_dir(false));

	return fd >= 0 || dir != NULL ? fd : open_unlinked(scratch_dir(true));
}

char *
scratch_folder(void)
{
	struct buf path = BUF_UP_TO(SIZE_MAX);

	for (int i = 0; i < 2; i++) {
		buf_clear(&path);
		(void)buf_print(
		    &path, "%s/freshet-XXXXXX", scratch_dir(i == 1));
		(void)buf_str(&path);
		if (mkdtemp(path.p) != NULL)
			return buf_take(&path);
	}
	buf_release(&path);
	return NULL;
}

void
scratch_drop(char *folder)
{
	static const char *const endings[] = {"", ".lock", "-wal", "-shm"};
	struct buf path = BUF_UP_TO(SIZE_MAX);

	if (folder == NULL)
		return;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		buf_clear(&path);
		(void)buf_print(
		    &path, "%s/" SCRATCH_STORE "%s", folder, endings[i]);
		(void)unlink(buf_str(&path));
	}
	(void)rmdir(folder);
	buf_release(&path);
	free(folder);
}
