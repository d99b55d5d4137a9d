/* Small files that the operator wrote, read whole. */
#ifndef FRESHET_TEXTFILE_H
#define FRESHET_TEXTFILE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/slice.h"

/* textfile_read(path, text): append what is in it; false after one line on
 * stderr, also when it is larger than the buffer may be. */
bool textfile_read(const char *path, struct buf *text);

/* textfile_line(text): cut the first line off, without its end, "\n" or
 * "\r\n". */
struct slice textfile_line(struct slice *text);

#endif
