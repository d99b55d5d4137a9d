/*
 * An archive: a folder of files, each of about a gigabyte, with what servers
 * answered (WARC/1.1, ISO 28500:2017, a gzip member a record) or with what was
 * read of pages (a JSON object a line, packed by gzip).
 *
 * A file is FOLDER/freshet-YYYYMMDDhhmmss-SERIAL-HOST.warc.gz (or .jsonl.gz),
 * and ends with .open as long as something is written to it.  Several processes
 * may write to one folder, each to a file of its own, which it has locked.
 */
#ifndef FRESHET_ARCHIVE_H
#define FRESHET_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/late.h"
#include "base/slice.h"

#define SHA1_BYTES 20

struct archive;
struct fetch_result;
struct spool_file;

enum archive_form {
	ARCHIVE_WARC,
	ARCHIVE_TEXTS /* a line of JSON a page */
};

/* What stands in the warcinfo record of each file.  All borrowed, and
 * copied. */
struct archive_about {
	const char *software; /* "freshet/0.9" */
	const char *user_agent; /* as requests have it */
	const char *robots; /* "obey" */
	uint64_t file_bytes; /* a file ends with so many; 0: a gigabyte */
};

/*
 * archive_open(folder, form, about, why): make the folder if it is missing, and
 * repair files that a process left when it was killed: the exchange that it was
 * writing is cut off, and the file gets its last name.  NULL, with the reason
 * in `why`, when the folder cannot be used.  A file is made by the first
 * archive_put().
 * archive_close(archive): syncs and gives the file its last name; NULL is
 * ignored.
 */
struct archive *archive_open(const char *folder, enum archive_form,
    const struct archive_about *, char why[static 256]);
void archive_close(struct archive *);

/* archive_id(archive): the number of the folder, which its file
 * freshet-archive has, as one of this form; another one when the folder was
 * made anew. */
uint64_t archive_id(const struct archive *);

/* The last whole answer of a URL in this archive. */
struct archive_known {
	int64_t at_us; /* of that exchange */
	uint8_t digest[SHA1_BYTES]; /* of its payload */
};

/* One request and its answer. */
struct archive_exchange {
	struct slice url;
	int64_t at_us; /* when it was asked, since the Epoch */
	/* The rest but json is of ARCHIVE_WARC only. */
	const struct fetch_result *result; /* with the heads */
	struct spool_file *body; /* as it came; NULL: none */
	const struct archive_known *before; /* NULL: none */
	/* the JSON object of the page: the metadata record of a WARC (empty:
	 * none), or the line of ARCHIVE_TEXTS, without the newline */
	struct slice json;
};

/* Where the answer lies. */
struct archive_place {
	char file[96]; /* its last name, within the folder */
	uint64_t offset, length; /* of the gzip member; length 0: not known */
	char record_id[48]; /* "urn:uuid:…"; of ARCHIVE_TEXTS empty */
	bool is_revisit; /* the payload is that of `before` */
	uint8_t digest[SHA1_BYTES]; /* of the payload; TEXTS: zeros */
};

/*
 * archive_put(archive, exchange, place): append request, response (or revisit)
 * and metadata, or a line of text.  False when that could not be written;
 * nothing of the exchange stays in the file then.  A later call may succeed.
 *
 * archive_sync(archive): everything that was put is on the disk.  False: what
 * was put since the last sync is not in the archive.
 *
 * archive_error(archive): why the last call that returned false did so:
 * "cannot write 'FOLDER/FILE': No space left on device".
 */
bool archive_put(struct archive *, const struct archive_exchange *,
    struct archive_place *place);
bool archive_sync(struct archive *);
const char *archive_error(const struct archive *);

/* archive_unsynced(archive): bytes that were put since the last sync. */
uint64_t archive_unsynced(const struct archive *);

/* archive_library(library): the version of libcrypto. */
void archive_library(struct library *);

#endif
