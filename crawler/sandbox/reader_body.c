/* A spooled body as read_document wants it. */
#include "crawler/sandbox/reader_body.h"

#include <unistd.h>

ssize_t
reader_body_pull(void *arg, void *p, size_t n)
{
	struct reader_body *body = arg;
	ssize_t got;

	if (n > body->left)
		n = (size_t)body->left;
	if (n == 0)
		return 0;
	got = read(body->fd, p, n);
	if (got <= 0)
		return -1;
	body->left -= (uint64_t)got;
	return got;
}
