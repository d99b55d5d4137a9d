/*
 * Bodies on their way from the network to a reader: a pool of unlinked files,
 * opened once and used again (DESIGN 3.2), each hashed while it is written.
 * A small body takes a file only when a reader asks for its descriptor, and
 * one in the kernel's memory.
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
struct spool_file;

struct spool_options {
	const char *dir; /* see scratch_fd */
	unsigned max_idle; /* files kept open for the next body; 0: 1,024 */
};

/* spool_new(options): nothing is opened yet; options may be NULL. */
struct spool *spool_new(const struct spool_options *);

/* spool_free(spool): every file must have been put back. */
void spool_free(struct spool *);

/* spool_get(spool): an empty body; NULL with errno when there is no
 * descriptor or no folder for a file. */
struct spool_file *spool_get(struct spool *);

/* spool_reserve(spool): is there a file for the next spool_get?  One is opened
 * if need be; false with errno as above. */
bool spool_reserve(struct spool *);

/*
 * spool_expected(spool): bytes on the disk soon: those that were written to
 * the files that are lent, and at least the usual length of late bodies for
 * each of them.
 */
uint64_t spool_expected(const struct spool *);

/* spool_put(file): back to its pool, its bytes are gone; NULL is fine.  A
 * descriptor from spool_reader_fd must not be read any more. */
void spool_put(struct spool_file *);

/* spool_write(file, bytes): append.  DIAG_OK, or DIAG_DISK_FULL with errno;
 * after that every write fails, and so does spool_reader_fd. */
enum diag_code spool_write(struct spool_file *, struct slice bytes);

/* spool_digest, spool_length: of all bytes written so far. */
struct digest spool_digest(const struct spool_file *);
uint64_t spool_length(const struct spool_file *);

/* spool_reset(file): forget the bytes and any failure; for another try. */
void spool_reset(struct spool_file *);

/*
 * spool_reader_fd(file): a descriptor of the file that can only be read and
 * stands at its beginning; the caller closes it.  -1 with errno when there is
 * no descriptor for it or the bytes could not be written.
 */
int spool_reader_fd(struct spool_file *);

/*
 * spool_read(file, out): append the body, as far as whole pieces of up to
 * 64 KiB fit below out's ceiling; false when it cannot be read.  For small
 * bodies that are not a reader's: most of those never touch the disk.
 */
bool spool_read(struct spool_file *, struct buf *out);

#endif
