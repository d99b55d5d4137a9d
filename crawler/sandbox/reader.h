/*
 * The reader: a process that turns bodies into readings and can do nothing
 * else.  It is forked by the fork server, enters the sandbox, and then serves
 * jobs from its socket until the socket is closed.
 */
#ifndef FRESHET_READER_H
#define FRESHET_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "crawler/sandbox/forkserver.h"

/* A spooled body as read_document wants it. */
struct reader_body {
	int fd; /* borrowed */
	uint64_t left; /* bytes still to come; more in the file is ignored */
};

/* reader_body_pull(body, p, n): a read_pull_fn; -1 too when the file ends
 * before what was announced. */
ssize_t reader_body_pull(void *body, void *p, size_t n);

struct scope;

/* How a reader ends, if not by a signal; READER_EXIT_MEMORY is mem_alloc's. */
enum reader_exit {
	READER_EXIT_OK,
	READER_EXIT_PROTOCOL = 3,
	READER_EXIT_NO_SANDBOX,
	READER_EXIT_MEMORY = 8
};

/* reader_main(fd, options): never returns; exits 0 at the end of the socket.
 */
_Noreturn void reader_main(int fd, const struct forkserver_options *);

/* What an injected fault has at hand (forkserver_options.inject). */
struct reader_scene {
	const char *fault;
	int socket_fd;
	int body_fd;
	int scratch_fd; /* -1: none */
	const struct scope *scope; /* of the job */
	bool is_after_end; /* the job is read and answered */
};

#endif
