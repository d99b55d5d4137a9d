/*
 * The spool holds bodies on their way from the network to a reader, in a pool
 * of unlinked files that are opened once and used again.  Each body is hashed
 * while it is written.  A small body is kept in memory until a reader asks for
 * its descriptor, and then gets a file in the kernel's memory.
 */
#ifndef FRESHET_SPOOL_H
#define FRESHET_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/slice.h"

struct spool;

/* A file without a body. */
struct spool_place {
	int fd; /* owned; -1: none */
	uint64_t size; /* of the file, bytes of older bodies included */
};

/* A body. The users read `digester` and `length`, and nothing else. */
struct spool_file {
	struct spool *spool;
	struct digester *digester; /* owned; of all bytes written so far */
	struct buf waiting; /* hashed, not written yet */
	uint64_t length; /* in bytes, so far */
	/* bytes of this body in the file; what follows is older */
	uint64_t written;
	struct spool_place place; /* none while all of the body is waiting */
	bool is_small; /* place is in memory */
	int error; /* the errno of the write that failed; 0: none did */
};

struct spool_options {
	const char *dir; /* see scratch_fd */
	unsigned max_idle; /* files kept open for next bodies; 0: 1,024 */
};

/* spool_new(options): a spool without any open file; options may be NULL. */
struct spool *spool_new(const struct spool_options *);

/* spool_free(spool): the caller has put every body back before. */
void spool_free(struct spool *);

/* spool_get(spool): an empty body, given back by spool_put; NULL with errno
 * when there is no descriptor or no folder for a file. */
struct spool_file *spool_get(struct spool *);

/* spool_reserve(spool): make sure that the next spool_get() has a file; false
 * with the same errno as spool_get(). */
bool spool_reserve(struct spool *);

/* spool_expected(spool): how many bytes the bodies under way will take on the
 * disk: the bytes written so far, and at least the usual length of recent
 * bodies for each. */
uint64_t spool_expected(const struct spool *);

/* spool_put(file): give the body back; its bytes are lost.  Descriptors from
 * spool_reader_fd must not be read any more.  NULL is ignored. */
void spool_put(struct spool_file *);

/* spool_write(file, bytes): append bytes.  DIAG_OK, or DIAG_DISK_FULL with
 * errno; after a failure every write fails, and spool_reader_fd, too. */
enum diag_code spool_write(struct spool_file *, struct slice bytes);

/* spool_reader_fd(file): a read-only descriptor at the beginning of the body,
 * which the caller closes.  -1 with errno when no descriptor is left or the
 * bytes could not be written. */
int spool_reader_fd(struct spool_file *);

/* spool_each(file, take, arg): the body in pieces, the last one from memory;
 * most bodies never touch the disk.  False if take() returned false, which ends
 * it, or if the body cannot be read. spool_read(file, out): append the body to
 * out; false also if it does not fit below its ceiling: out has whole pieces
 * then. */
typedef bool spool_piece_fn(void *arg, struct slice piece);
bool spool_each(struct spool_file *, spool_piece_fn *, void *arg);
bool spool_read(struct spool_file *, struct buf *out);

#endif
