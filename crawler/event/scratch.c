/* Temporary files and folders that no other process finds. */
#include "crawler/event/scratch.h"

#include <errno.h>
#include <fcntl.h>
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

int
scratch_fd(const char *dir)
{
	const char *from_environment = getenv("TMPDIR");
	int fd;

	if (dir != NULL)
		return open_unlinked(dir);
	if (from_environment != NULL && from_environment[0] != '\0')
		return open_unlinked(from_environment);
	fd = open_unlinked("/var/tmp");
	return fd >= 0 ? fd : open_unlinked("/tmp");
}

/* make_in(dir): the owned path of a new folder in dir; NULL with errno. */
static char *
make_in(const char *dir)
{
	struct buf path;

	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s/freshet-XXXXXX", dir);
	(void)buf_str(&path);
	if (mkdtemp(path.p) != NULL)
		return buf_take(&path);
	buf_release(&path);
	return NULL;
}

char *
scratch_folder(void)
{
	const char *from_environment = getenv("TMPDIR");
	char *path;

	if (from_environment != NULL && from_environment[0] != '\0')
		return make_in(from_environment);
	path = make_in("/var/tmp");
	return path != NULL ? path : make_in("/tmp");
}
