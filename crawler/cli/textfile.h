/* Small files that the operator wrote, read whole. */
#ifndef FRESHET_TEXTFILE_H
#define FRESHET_TEXTFILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/slice.h"

/* textfile_read(path, text): append the file. Returns false after one line on
 * stderr, also if the file is larger than the buffer may be.
 * textfile_read_fd(fd, text): append what is left of it; false with errno. */
bool textfile_read(const char *path, struct buf *text);
bool textfile_read_fd(int fd, struct buf *text);

/* textfile_folder(path): the folder in which the file of this path is; owned.
 */
char *textfile_folder(const char *path);

/* textfile_line(text): cut off and return the first line, without its end, "\n"
 * or "\r\n". */
struct slice textfile_line(struct slice *text);

#endif
