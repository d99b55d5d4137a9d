/*
 * The reader: a process that turns bodies into readings and can do nothing
 * else. The fork server forks it; it enters the sandbox, and then serves jobs
 * from its socket until the socket is closed.
 */
#ifndef FRESHET_READER_H
#define FRESHET_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "crawler/sandbox/forkserver.h"
#include "crawler/sandbox/frames.h"

struct scope;

/* A spooled body, for read_document. */
struct reader_body {
	int fd; /* borrowed */
	uint64_t len; /* further bytes in the file are ignored */
	uint64_t left; /* bytes to come */
};

/* reader_body_pull(body, p, n): a read_pull_fn; -1 also if the file ends too
 * early. reader_body_rewind(body): a read_rewind_fn. */
ssize_t reader_body_pull(void *body, void *p, size_t n);
bool reader_body_rewind(void *body);

/* The exit statuses of a reader; READER_EXIT_MEMORY is that of mem_alloc. */
enum reader_exit {
	READER_EXIT_OK,
	READER_EXIT_PROTOCOL = 3,
	READER_EXIT_NO_SANDBOX,
	READER_EXIT_MEMORY = 8
};

/*
 * What a reader, and the helper of libfreshet, does with its peer's frames: a
 * peer whose frames make no sense has been subverted, so the process ends with
 * READER_EXIT_PROTOCOL.
 * reader_take(stream, type, payload): wait for the next frame.
 * reader_end(stream, mark): end a frame that frame_begin() began in
 * stream->out.  Small frames are sent together.  Both: false: the peer has
 * gone.
 */
bool reader_take(struct frame_stream *, uint8_t *type, struct slice *payload);
bool reader_end(struct frame_stream *, size_t mark);

/* reader_main(fd, options): serve jobs; exit with 0 when the socket is closed.
 */
_Noreturn void reader_main(int fd, const struct forkserver_options *);

/* The situation in which forkserver_options.inject is called. */
struct reader_scene {
	const char *fault;
	int socket_fd;
	int body_fd;
	int scratch_fd; /* -1: none */
	const struct scope *scope; /* of the job */
	bool is_after_end; /* the job is read and answered */
};

#endif
