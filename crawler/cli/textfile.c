/* Small files that the operator wrote. */
#include "crawler/cli/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/cli/out.h"

bool
textfile_read_fd(int fd, struct buf *text)
{
	char room[4096];
	ssize_t n;

	/* a file that grows while it is read ends at the limit of the buffer */
	while ((n = read(fd, room, sizeof(room))) > 0)
		if (!buf_put(text, room, (size_t)n)) {
			errno = EFBIG;
			return false;
		}
	return n == 0;
}

bool
textfile_read(const char *path, struct buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_good = fd >= 0 && textfile_read_fd(fd, text);

	if (!is_good)
		complain("cannot read '%s': %s", path, strerrordesc_np(errno));
	if (fd >= 0)
		(void)close(fd);
	return is_good;
}

struct slice
textfile_line(struct slice *text)
{
	const char *end = memchr(text->p, '\n', text->len);
	size_t len = end == NULL ? text->len : (size_t)(end - text->p);
	struct slice line = slice_make(text->p, len);

	/* editors on Windows end lines with two characters */
	*text = slice_from(*text, end == NULL ? len : len + 1);
	if (line.len > 0 && line.p[line.len - 1] == '\r')
		line.len--;
	return line;
}

char *
textfile_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return mem_copy(".");
	if (slash == path)
		return mem_copy("/");
	return slice_dup(slice_make(path, (size_t)(slash - path)));
}
