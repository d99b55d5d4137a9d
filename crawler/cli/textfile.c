/* Small files that the operator wrote. */
#include "crawler/cli/textfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/cli/out.h"

bool
textfile_read(const char *path, struct buf *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char room[4096];
	ssize_t n = -1;

	/* a file that grows while it is read ends at the limit of the buffer */
	if (fd >= 0) {
		while ((n = read(fd, room, sizeof(room))) > 0)
			if (!buf_put(text, room, (size_t)n)) {
				errno = EFBIG;
				n = -1;
				break;
			}
		(void)close(fd);
	}
	if (n < 0)
		complain("cannot read '%s': %s", path, strerrordesc_np(errno));
	return n == 0;
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
