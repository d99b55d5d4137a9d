/*
 * The reader process.
 *
 *	wait for JOB -> read, pulling PREVIOUS, sending SEGMENT and DELTA
 *	     ^                         |
 *	     +--- send END <- take the rest of PREVIOUS
 *
 * The reader trusts no frame: main writes the frames, so a reader whose frames
 * make no sense was probably subverted, and ends.
 */
#include "crawler/sandbox/reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/parse/read.h"
#include "crawler/sandbox/reader_protocol.h"
#include "crawler/sandbox/sandbox.h"

/* RLIMIT_FSIZE for the scratch file. Entries decode to at most hard_bytes, and
 * escapes make them three times as long. */
#define SCRATCH_BYTES (UINT64_C(1) << 30)

/* A document of 50,000 URLs takes about so much, whatever it unpacks to, and
 * the next document needs the memory that the last one freed. */
#define KEPT_BYTES (16 << 20)

struct reader {
	struct frame_stream stream;
	bool previous_ended;
	reader_inject_fn *inject; /* NULL: there is none, or it is done */
	const char *fault;
};

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

bool
reader_body_rewind(void *arg)
{
	struct reader_body *body = arg;

	body->left = body->len;
	return lseek(body->fd, 0, SEEK_SET) == 0;
}

bool
reader_take(struct frame_stream *stream, uint8_t *type, struct slice *payload)
{
	int got = frame_stream_take(stream, type, payload);

	if (got < 0 && errno == EPROTO)
		_exit(READER_EXIT_PROTOCOL);
	return got > 0;
}

bool
reader_end(struct frame_stream *stream, size_t mark)
{
	/* What is sent has ceilings below that of a frame. */
	if (!frame_end(&stream->out, mark))
		_exit(READER_EXIT_PROTOCOL);
	return stream->out.len < FRAME_SEND_BYTES || frame_stream_send(stream);
}

/* Where the blocks of the segment, or those of the delta, go. */
struct reader_blocks {
	struct reader *reader;
	enum frame_type type;
};

static void
reader_on_block(void *arg, const struct block *block)
{
	const struct reader_blocks *blocks = arg;
	struct frame_stream *stream = &blocks->reader->stream;
	size_t mark = frame_begin(&stream->out, blocks->type);

	frame_put_block(&stream->out, block);
	/* Main has ended, and so does the reader. */
	if (!reader_end(stream, mark))
		_exit(READER_EXIT_OK);
}

static struct slice
pull_previous(void *arg)
{
	struct reader *reader = arg;
	struct slice payload;
	struct block block;
	uint8_t type;

	if (reader->previous_ended)
		return slice_of(NULL);
	if (!reader_take(&reader->stream, &type, &payload))
		_exit(READER_EXIT_OK);
	if (type != FRAME_PREVIOUS || !frame_get_block(payload, &block))
		_exit(READER_EXIT_PROTOCOL);
	reader->previous_ended = block.data.len == 0;
	return block.data;
}

/* inject(reader, fds, scope, is_after_end): call the fault injection of the
 * tests, if any. */
static void
inject(struct reader *reader, const struct frame_fds *fds,
    const struct scope *scope, bool is_after_end)
{
#ifdef FRESHET_TEST_HOOKS
	struct reader_scene scene = {reader->fault, reader->stream.fd,
	    fds->fd[0], fds->fd[1], scope, is_after_end};

	if (reader->inject != NULL)
		reader->inject(&scene);
	if (is_after_end)
		reader->inject = NULL;
#else
	(void)reader;
	(void)fds;
	(void)scope;
	(void)is_after_end;
#endif
}

static void
do_job(struct reader *reader, struct slice payload)
{
	struct reader_body body;
	struct scope scope;
	struct content content;
	struct frame_stream *stream = &reader->stream;
	struct frame_fds fds = stream->pending[0];
	struct reader_blocks segment = {reader, FRAME_SEGMENT};
	struct reader_blocks delta = {reader, FRAME_DELTA};
	struct read_job job = {.scope = &scope,
	    .body = reader_body_pull,
	    .rewind = reader_body_rewind,
	    .body_arg = &body,
	    .previous = pull_previous,
	    .previous_arg = reader,
	    .segment = reader_on_block,
	    .segment_arg = &segment,
	    .delta = reader_on_block,
	    .delta_arg = &delta,
	    .is_bare = true};

	/* The job's descriptors came with the first byte of its frame. */
	if (stream->pending_count == 0 ||
	    !frame_get_job(payload, &body.len, &scope))
		_exit(READER_EXIT_PROTOCOL);
	stream->pending_count--;
	memmove(stream->pending, stream->pending + 1,
	    stream->pending_count * sizeof(fds));
	body.left = body.len;
	inject(reader, &fds, &scope, false);
	body.fd = fds.fd[0];
	job.scratch_fd = fds.fd[1];
	reader->previous_ended = !scope.has_previous;
	(void)read_document(&job, &content); /* content has the code, too */
	while (pull_previous(reader).len > 0)
		continue;
	struct buf *out = &reader->stream.out;
	size_t mark = frame_begin(out, FRAME_END);

	frame_put_content(out, &content);
	if (!reader_end(&reader->stream, mark) ||
	    !frame_stream_send(&reader->stream))
		_exit(READER_EXIT_OK);
	inject(reader, &fds, &scope, true);
	content_release(&content);
	scope_release(&scope);
	for (int i = 0; i < fds.count; i++)
		(void)close(fds.fd[i]);
}

_Noreturn void
reader_main(int fd, const struct forkserver_options *options)
{
	struct reader reader = {
	    .inject = options->inject, .fault = options->fault};
	struct sandbox_options sandbox = {.keep_fd = fd,
	    .memory_bytes = options->reader_memory,
	    .scratch_bytes = SCRATCH_BYTES,
	    .is_required = options->sandbox == SANDBOX_REQUIRED,
	    .is_off = options->sandbox == SANDBOX_OFF};
	struct slice payload;
	uint8_t type;

	if (!sandbox_enter(&sandbox))
		_exit(READER_EXIT_NO_SANDBOX);
	mem_keep(KEPT_BYTES);
	frame_stream_init(&reader.stream, fd, true);
	/* If the socket was closed, main has ended, and so does the reader. */
	while (reader_take(&reader.stream, &type, &payload)) {
		if (type != FRAME_JOB)
			_exit(READER_EXIT_PROTOCOL);
		do_job(&reader, payload);
	}
	_exit(READER_EXIT_OK);
}
