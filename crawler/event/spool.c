/* A pool of unlinked files for bodies. */
#include "crawler/event/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/event/scratch.h"

#define DEFAULT_IDLE 1024 /* as many as there may be transfers */
#define USUAL_SHIFT 4 /* the usual length follows the last 16 bodies */

/* Bodies are written in pieces of PIECE_BYTES: a page of a file costs half
 * of what it costs when each of libcurl's pieces is written.  So a body that is
 * no longer costs one write, and none if its digest is known already.  Once all
 * bodies together hold back HELD_BYTES in memory, each of them holds back
 * LITTLE_BYTES (the size of libcurl's pieces) at most.  So a thousand transfers
 * hold 24 MiB and not 256. */
#define PIECE_BYTES (256u << 10)
#define LITTLE_BYTES (16u << 10)
#define HELD_BYTES (8u << 20)

/* The longest body that gets a file in memory. */
#define SMALL_BYTES (64u << 10)

/* How much an idle file may keep.  Those on the disk may keep more, as long as
 * they have less than KEPT_BYTES together: then the kernel need not find and
 * free pages for each body. */
#define IDLE_BYTES (64u << 10)
#define KEPT_BYTES (16u << 20)

/* Files that hold no body and wait for one. */
struct spool_places {
	struct spool_place *idle; /* owned, count of them */
	unsigned count;
	uint64_t bytes; /* of all of them */
};

struct spool {
	char *dir; /* owned, or NULL */
	struct spool_places disk;
	/* for bodies that are written in one piece */
	struct spool_places memory;
	unsigned max_idle; /* files in each of the two */
	unsigned lent;
	uint64_t lent_bytes; /* the bytes of the lent bodies */
	uint64_t held_bytes; /* of these, hashed and not written yet */
	uint64_t usual_bytes; /* length of a recent body << USUAL_SHIFT */
};

struct spool *
spool_new(const struct spool_options *options)
{
	struct spool *spool = mem_zero(sizeof(*spool));

	if (options != NULL && options->dir != NULL)
		spool->dir = mem_copy(options->dir);
	spool->max_idle = DEFAULT_IDLE;
	if (options != NULL && options->max_idle != 0)
		spool->max_idle = options->max_idle;
	spool->disk.idle = mem_zero(
	    spool->max_idle * sizeof(struct spool_place));
	spool->memory.idle = mem_zero(
	    spool->max_idle * sizeof(struct spool_place));
	return spool;
}

void
spool_free(struct spool *spool)
{
	if (spool == NULL)
		return;
	assert(spool->lent == 0);
	while (spool->disk.count > 0)
		(void)close(spool->disk.idle[--spool->disk.count].fd);
	while (spool->memory.count > 0)
		(void)close(spool->memory.idle[--spool->memory.count].fd);
	free(spool->disk.idle);
	free(spool->memory.idle);
	free(spool->dir);
	free(spool);
}

bool
spool_reserve(struct spool *spool)
{
	int fd;

	if (spool->disk.count > 0)
		return true;
	fd = scratch_fd(spool->dir);
	if (fd < 0)
		return false;
	spool->disk.idle[spool->disk.count++] = (struct spool_place){.fd = fd};
	return true;
}

struct spool_file *
spool_get(struct spool *spool)
{
	struct spool_file *file;

	if (!spool_reserve(spool))
		return NULL;
	file = mem_zero(sizeof(*file));
	file->spool = spool;
	file->place.fd = -1;
	file->digester = digester_new();
	buf_init(&file->waiting, PIECE_BYTES);
	spool->lent++;
	return file;
}

uint64_t
spool_expected(const struct spool *spool)
{
	uint64_t usual = (spool->usual_bytes >> USUAL_SHIFT) * spool->lent;

	return usual > spool->lent_bytes ? usual : spool->lent_bytes;
}

/* Shorten the file to at most size. Files are not cut to length 0 for each
 * body: ext4 takes that for the replacement of an important file, and writes
 * the next bytes to the disk at the next close(2).  */
static bool
spool_cut(struct spool_place *place, uint64_t size)
{
	if (place->size <= size)
		return true;
	if (ftruncate(place->fd, (off_t)size) != 0)
		return false;
	place->size = size;
	return true;
}

/* take_place(file): get a file for the body; false with errno.  A body that is
 * whole and small gets one in the kernel's memory: a new file on a disk that is
 * busy with commits may take a millisecond. */
static bool
take_place(struct spool_file *file)
{
	struct spool *spool = file->spool;
	struct spool_places *places = &spool->disk;
	int fd;

	if (file->place.fd >= 0)
		return true;
	file->is_small = file->length <= SMALL_BYTES &&
	    file->length == file->waiting.len;
	if (file->is_small)
		places = &spool->memory;
	if (file->is_small && places->count == 0) {
		fd = memfd_create("freshet-body", MFD_CLOEXEC);
		file->place = (struct spool_place){.fd = fd};
		return fd >= 0;
	}
	if (!file->is_small && !spool_reserve(spool))
		return false;
	file->place = places->idle[--places->count];
	places->bytes -= file->place.size;
	return true;
}

static void
give_place(struct spool_file *file)
{
	struct spool *spool = file->spool;
	struct spool_places *places = file->is_small ? &spool->memory
						     : &spool->disk;
	struct spool_place *place = &file->place;
	uint64_t most = IDLE_BYTES;

	if (place->fd < 0)
		return;
	if (!file->is_small && places->bytes + IDLE_BYTES < KEPT_BYTES)
		most = KEPT_BYTES - places->bytes;
	if (places->count < spool->max_idle && spool_cut(place, most)) {
		places->idle[places->count++] = *place;
		places->bytes += place->size;
	} else {
		(void)close(place->fd); /* an unlinked file: it is deleted */
	}
	place->fd = -1;
}

void
spool_put(struct spool_file *file)
{
	struct spool *spool;

	if (file == NULL)
		return;
	spool = file->spool;
	spool->lent--;
	/* Answers without a body do not count for the usual length. */
	if (file->length > 0)
		spool->usual_bytes += file->length -
		    (spool->usual_bytes >> USUAL_SHIFT);
	spool->lent_bytes -= file->length;
	spool->held_bytes -= file->waiting.len;
	buf_release(&file->waiting);
	give_place(file);
	digester_free(file->digester);
	free(file);
}

/* spool_write_out(file, bytes): write what is held back, and then the bytes,
 * which follow it.  After a failure the rest is lost. */
static enum diag_code
spool_write_out(struct spool_file *file, struct slice bytes)
{
	struct spool_place *place = &file->place;
	struct slice left = buf_text(&file->waiting);
	ssize_t n;

	if (file->error == 0 && !take_place(file))
		file->error = errno;
	while (file->error == 0 && (left.len > 0 || bytes.len > 0)) {
		if (left.len == 0) {
			left = bytes;
			bytes.len = 0;
		}
		/* Set before the write: a failed write may leave bytes, too. */
		if (place->size < file->written + left.len)
			place->size = file->written + left.len;
		n = pwrite(place->fd, left.p, left.len, (off_t)file->written);
		if (n < 0 && errno != EINTR)
			file->error = errno;
		if (n < 0)
			continue;
		file->written += (uint64_t)n;
		left = slice_from(left, (size_t)n);
	}
	file->spool->held_bytes -= file->waiting.len;
	buf_release(&file->waiting);
	buf_init(&file->waiting, PIECE_BYTES);
	errno = file->error;
	return file->error == 0 ? DIAG_OK : DIAG_DISK_FULL;
}

enum diag_code
spool_write(struct spool_file *file, struct slice bytes)
{
	struct spool *spool = file->spool;
	size_t room = spool->held_bytes < HELD_BYTES ? PIECE_BYTES
						     : LITTLE_BYTES;
	enum diag_code code;

	if (file->error != 0) {
		errno = file->error;
		return DIAG_DISK_FULL;
	}
	digester_feed(file->digester, bytes);
	file->length += bytes.len;
	spool->lent_bytes += bytes.len;
	if (file->waiting.len + bytes.len > room) {
		/* A long piece follows at once; a short one is held back. */
		bool is_long = bytes.len >= room;

		code = spool_write_out(
		    file, slice_make(bytes.p, is_long ? bytes.len : 0));
		if (code != DIAG_OK || is_long)
			return code;
	}
	if (!buf_put_slice(&file->waiting, bytes))
		return spool_write_out(file, bytes);
	spool->held_bytes += bytes.len;
	return DIAG_OK;
}

int
spool_reader_fd(struct spool_file *file)
{
	char path[64];

	/* Cut off the bytes of an earlier body. */
	if (spool_write_out(file, slice_make(NULL, 0)) != DIAG_OK ||
	    !spool_cut(&file->place, file->length))
		return -1;
	/* A duplicate would share offset and mode, so open the file again. */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file->place.fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool
spool_each(struct spool_file *file, spool_piece_fn *take, void *arg)
{
	uint64_t at = 0;
	char bytes[16384];
	ssize_t n;

	if (file->error != 0)
		return false;
	for (; at < file->written; at += (uint64_t)n) {
		size_t size = sizeof(bytes);

		if (size > file->written - at)
			size = (size_t)(file->written - at);
		n = pread(file->place.fd, bytes, size, (off_t)at);
		if (n <= 0 || !take(arg, slice_make(bytes, (size_t)n)))
			return false;
	}
	return take(arg, buf_text(&file->waiting));
}

static bool
spool_put_piece(void *out, struct slice piece)
{
	return buf_put_slice(out, piece);
}

bool
spool_read(struct spool_file *file, struct buf *out)
{
	return spool_each(file, spool_put_piece, out);
}
