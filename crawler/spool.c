/* A pool of unlinked files for bodies. */
#include "crawler/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define DEFAULT_IDLE 1024 /* as many as there may be transfers */
#define USUAL_SHIFT 4 /* the usual length follows the last 16 bodies */

/*
 * A body below FIRST_BYTES costs one write, and none if its digest is known
 * already.  Of a larger one no more than NEXT_BYTES (libcurl's own piece) are
 * held back, and of no body more once all together hold HELD_BYTES: so a
 * thousand transfers hold 24 MiB and not 64.
 */
#define FIRST_BYTES (64 << 10)
#define NEXT_BYTES (16 << 10)
#define HELD_BYTES (8u << 20)

struct spool {
	char *dir; /* owned, or NULL */
	struct spool_file **idle; /* owned; count of them */
	unsigned count;
	unsigned max_idle;
	unsigned lent;
	uint64_t lent_bytes; /* in the files that are lent */
	uint64_t held_bytes; /* of these: hashed, not written yet */
	uint64_t usual_bytes; /* of a late body, times 1 << USUAL_SHIFT */
};

struct spool_file {
	struct spool *spool;
	struct digester *digester; /* owned */
	struct buf waiting; /* hashed, not written yet */
	uint64_t length;
	uint64_t written;
	int fd; /* owned */
	int error; /* errno of the write that failed, 0: none did */
};

static int
open_unlinked(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int n;

	if (fd >= 0 || errno == EMFILE || errno == ENFILE)
		return fd;
	/* Not every file system knows O_TMPFILE. */
	n = snprintf(path, sizeof(path), "%s/freshet-XXXXXX", dir);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		(void)unlink(path); /* left behind empty at worst */
	return fd;
}

int
spool_scratch_fd(const char *dir)
{
	const char *from_environment = getenv("TMPDIR");
	int fd;

	if (dir != NULL)
		return open_unlinked(dir);
	if (from_environment != NULL && from_environment[0] != '\0')
		return open_unlinked(from_environment);
	fd = open_unlinked("/var/tmp");
	return fd >= 0 ? fd : open_unlinked("/tmp");
}

struct spool *
spool_new(const struct spool_options *options)
{
	struct spool *spool = mem_zero(sizeof(*spool));

	if (options != NULL && options->dir != NULL)
		spool->dir = mem_copy(options->dir);
	spool->max_idle = DEFAULT_IDLE;
	if (options != NULL && options->max_idle != 0)
		spool->max_idle = options->max_idle;
	spool->idle = mem_zero(spool->max_idle * sizeof(*spool->idle));
	return spool;
}

static void
file_free(struct spool_file *file)
{
	(void)close(file->fd); /* unlinked: nothing of it is wanted */
	digester_free(file->digester);
	buf_release(&file->waiting);
	free(file);
}

void
spool_free(struct spool *spool)
{
	unsigned i;

	if (spool == NULL)
		return;
	assert(spool->lent == 0);
	for (i = 0; i < spool->count; i++)
		file_free(spool->idle[i]);
	free(spool->idle);
	free(spool->dir);
	free(spool);
}

bool
spool_reserve(struct spool *spool)
{
	struct spool_file *file;
	int fd;

	if (spool->count > 0)
		return true;
	fd = spool_scratch_fd(spool->dir);
	if (fd < 0)
		return false;
	file = mem_zero(sizeof(*file));
	file->spool = spool;
	file->fd = fd;
	file->digester = digester_new();
	buf_init(&file->waiting, FIRST_BYTES);
	spool->idle[spool->count++] = file;
	return true;
}

struct spool_file *
spool_get(struct spool *spool)
{
	if (!spool_reserve(spool))
		return NULL;
	spool->lent++;
	return spool->idle[--spool->count];
}

uint64_t
spool_expected(const struct spool *spool)
{
	uint64_t usual = (spool->usual_bytes >> USUAL_SHIFT) * spool->lent;

	return usual > spool->lent_bytes ? usual : spool->lent_bytes;
}

/* drop_waiting(file): forget what is held back, its memory with it. */
static void
drop_waiting(struct spool_file *file)
{
	file->spool->held_bytes -= file->waiting.len;
	buf_release(&file->waiting);
	buf_init(&file->waiting, FIRST_BYTES);
}

void
spool_reset(struct spool_file *file)
{
	drop_waiting(file);
	digester_reset(file->digester);
	file->spool->lent_bytes -= file->length;
	file->length = 0;
	file->error = 0;
	if (file->written == 0)
		return;
	file->written = 0;
	if (ftruncate(file->fd, 0) != 0 || lseek(file->fd, 0, SEEK_SET) != 0)
		file->error = errno;
}

void
spool_put(struct spool_file *file)
{
	struct spool *spool;

	if (file == NULL)
		return;
	spool = file->spool;
	spool->lent--;
	/* Answers without a body say nothing about those with one. */
	if (file->length > 0)
		spool->usual_bytes += file->length -
		    (spool->usual_bytes >> USUAL_SHIFT);
	spool_reset(file);
	if (file->error != 0 || spool->count == spool->max_idle) {
		file_free(file);
		return;
	}
	spool->idle[spool->count++] = file;
}

static enum diag_code
write_out(struct spool_file *file, struct slice bytes)
{
	ssize_t n;

	while (file->error == 0 && bytes.len > 0) {
		/* Counted first: even a failed write may leave bytes. */
		file->written += bytes.len;
		n = write(file->fd, bytes.p, bytes.len);
		if (n >= 0)
			bytes = slice_from(bytes, (size_t)n);
		else if (errno != EINTR)
			file->error = errno;
	}
	errno = file->error;
	return file->error == 0 ? DIAG_OK : DIAG_DISK_FULL;
}

static enum diag_code
write_waiting(struct spool_file *file)
{
	enum diag_code code = write_out(file, buf_text(&file->waiting));

	drop_waiting(file);
	return code;
}

enum diag_code
spool_write(struct spool_file *file, struct slice bytes)
{
	struct spool *spool = file->spool;
	bool is_first = file->written == 0 && spool->held_bytes < HELD_BYTES;
	size_t room = is_first ? FIRST_BYTES : NEXT_BYTES;
	enum diag_code code;
	bool fits;

	if (file->error != 0) {
		errno = file->error;
		return DIAG_DISK_FULL;
	}
	digester_feed(file->digester, bytes);
	file->length += bytes.len;
	spool->lent_bytes += bytes.len;
	if (file->waiting.len + bytes.len > room) {
		code = write_waiting(file);
		if (code != DIAG_OK)
			return code;
		if (bytes.len >= NEXT_BYTES)
			return write_out(file, bytes);
	}
	fits = buf_put_slice(&file->waiting, bytes);
	assert(fits);
	spool->held_bytes += bytes.len;
	return DIAG_OK;
}

struct digest
spool_digest(const struct spool_file *file)
{
	return digester_value(file->digester);
}

uint64_t
spool_length(const struct spool_file *file)
{
	return file->length;
}

int
spool_reader_fd(struct spool_file *file)
{
	char path[64];

	if (write_waiting(file) != DIAG_OK)
		return -1;
	/* Opened anew, because a duplicate would share offset and mode. */
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}
