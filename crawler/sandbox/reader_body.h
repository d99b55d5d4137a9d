/* A spooled body as read_document wants it. */
#ifndef FRESHET_READER_BODY_H
#define FRESHET_READER_BODY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct reader_body {
	int fd; /* borrowed */
	uint64_t left; /* bytes still to come; more in the file is ignored */
};

/* reader_body_pull(body, p, n): a read_pull_fn; -1 too when the file ends
 * before what was announced. */
ssize_t reader_body_pull(void *body, void *p, size_t n);

#endif
