/*
 * Files of an archive: what is written to them, and what is repaired.
 *
 * A file is a chain of exchanges.  An exchange is one or more gzip members, of
 * which the header of the first one has a field FEXTRA (RFC 1952, 2.3.1.1):
 *
 *	"fr" 16 length digest
 *
 * the length in bytes of the exchange, this header included, and 8 bytes of the
 * digest of what follows the field; both are little-endian.  So a file of a
 * gigabyte is walked in as many steps as it has exchanges, and each is known to
 * be whole, without unpacking it.  An exchange that was not written to its end
 * has the length 0, and its own length is then known to nobody: it is cut off,
 * with what follows it.
 */
#include "crawler/archive/archive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/wire.h"
#include "crawler/archive/sha1.h"
#include "crawler/archive/warc.h"
#include "crawler/parse/gunzip.h"

#define OPEN ".open"
#define MARK                                                            \
	"fr\x10" /* the beginning of the field, which has 16 bytes more \
		  */
#define MARK_BYTES 20
#define MARKED (PACKER_EXTRA + MARK_BYTES) /* bytes before what is digested */
#define FILE_BYTES 1000000000
#define AT_ONCE 65536 /* bytes of a body that are read at once */
#define WRITTEN_AT_ONCE 262144
#define LINES_AT_ONCE 262144 /* bytes of lines that become a member */
#define MAX_SERIAL 99999
/* A file of which not even the beginning can be read has so much at most, if a
 * process was killed while it made the file. */
#define MAX_BEGINNING 65536

struct archive {
	char *folder; /* owned */
	enum archive_form form;
	char *fields; /* owned: the block of warcinfo */
	uint64_t id;
	uint64_t file_bytes; /* a file that has so many is finished */
	int dir; /* of the folder; -1: none */
	int fd; /* of the file, which is locked; -1: none */
	bool is_new; /* the folder's entry of the file may not be on the disk */
	char name[96]; /* its last name */
	uint64_t beginning; /* bytes of warcinfo */
	/* bytes of whole exchanges in the file; those on the disk */
	uint64_t size, synced;
	/* Of the exchange that is being written: */
	struct buf out; /* packed, and not written yet */
	uint64_t written; /* where in the file `out` belongs */
	struct digester *digester; /* owned; of what is written; NULL: none */
	struct buf text; /* the head of a record */
	struct buf lines; /* ARCHIVE_TEXTS: not packed yet */
	struct packer *packer; /* owned */
	struct sha1 *block, *payload; /* owned */
	char error[256];
};

/* archive_fail(archive, what, name): always false; name NULL: the folder. */
static bool
archive_fail(struct archive *archive, const char *what, const char *name)
{
	char room[128];

	(void)snprintf(archive->error, sizeof(archive->error),
	    "cannot %s '%s%s%s': %s", what, archive->folder,
	    name == NULL ? "" : "/", name == NULL ? "" : name,
	    strerror_r(errno, room, sizeof(room)));
	return false;
}

/* write_at(fd, bytes, at): all of them. */
static bool
write_at(int fd, struct slice bytes, uint64_t at)
{
	while (bytes.len > 0) {
		ssize_t n = pwrite(fd, bytes.p, bytes.len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = ENOSPC;
		if (n <= 0)
			return false;
		bytes = slice_from(bytes, (size_t)n);
		at += (uint64_t)n;
	}
	return true;
}

/* read_at(fd, p, n, at): how many of n bytes there are. */
static size_t
read_at(int fd, char *p, size_t n, uint64_t at)
{
	size_t got = 0;
	ssize_t part = 1;

	while (got < n && part != 0) {
		part = pread(fd, p + got, n - got, (off_t)(at + got));
		if (part < 0 && errno != EINTR)
			break;
		got += part > 0 ? (size_t)part : 0;
	}
	return got;
}

/* The folder. */

/* folder_enter(archive): open the folder, and learn its number. */
static bool
folder_enter(struct archive *archive)
{
	static const char name[] = "freshet-archive";
	char text[18] = "";
	uint64_t id = 0;
	int fd;

	if (archive->dir >= 0)
		(void)close(archive->dir);
	archive->dir = open(
	    archive->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (archive->dir < 0)
		return archive_fail(archive, "open", NULL);
	if (faccessat(archive->dir, ".", W_OK | X_OK, 0) != 0)
		return archive_fail(archive, "write to", NULL);
	fd = openat(archive->dir, name,
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	/* Another process may be about to write the number. */
	if (fd < 0 || flock(fd, LOCK_EX) != 0)
		goto fail;
	if (read_at(fd, text, sizeof(text) - 1, 0) < sizeof(text) - 1) {
		if (getrandom(&id, sizeof(id), 0) != sizeof(id))
			goto fail;
		(void)snprintf(text, sizeof(text), "%016" PRIx64 "\n", id);
		if (!write_at(fd, slice_of(text), 0) || fsync(fd) != 0)
			goto fail;
	}
	id = 0;
	for (size_t i = 0; i < 16 && slice_hex(text[i]) >= 0; i++)
		id = id << 4 | (uint64_t)slice_hex(text[i]);
	archive->id = id;
	(void)close(fd);
	return true;

fail:
	(void)archive_fail(archive, "write", name);
	if (fd >= 0)
		(void)close(fd);
	return false;
}

/* last_name(name): the name of an .open file that a process makes becomes the
 * one that it gets at last.  False: it is another file. */
static bool
last_name(char *name)
{
	size_t len = strlen(name);

	if (!slice_starts(slice_of(name), slice_of("freshet-")) ||
	    !slice_ends(slice_of(name), slice_of(".gz" OPEN)))
		return false;
	name[len - strlen(OPEN)] = '\0';
	return true;
}

/* exchange_is_whole(fd, at, length, digest): is what was written there? */
static bool
exchange_is_whole(int fd, uint64_t at, uint64_t length, uint64_t digest)
{
	struct digester *digester = digester_new();
	char *piece = mem_alloc(AT_ONCE);
	uint64_t past = at + length;
	struct buf value = BUF_UP_TO(sizeof(digest));
	struct digest got;

	for (at += MARKED; at < past;) {
		size_t n = past - at < AT_ONCE ? (size_t)(past - at) : AT_ONCE;

		n = read_at(fd, piece, n, at);
		if (n == 0)
			break;
		digester_feed(digester, slice_make(piece, n));
		at += n;
	}
	got = digester_value(digester);
	wire_put_fixed(&value, sizeof(digest), digest);
	bool is_whole = at == past &&
	    memcmp(got.bytes, value.p, sizeof(digest)) == 0;
	buf_release(&value);
	digester_free(digester);
	free(piece);
	return is_whole;
}

/* whole_bytes(fd, size, count): how many bytes a file has up to the end of its
 * last whole exchange, and how many exchanges these are. */
static uint64_t
whole_bytes(int fd, uint64_t size, size_t *count)
{
	char mark[MARKED];
	uint64_t at = 0, whole = 0;

	*count = 0;
	while (read_at(fd, mark, sizeof(mark), at) == sizeof(mark) &&
	    memcmp(mark, GUNZIP_MAGIC "\x08\x04", 4) == 0 &&
	    memcmp(mark + PACKER_EXTRA, MARK, 4) == 0) {
		struct wire wire = {
		    slice_make(mark + PACKER_EXTRA + 4, 16), true};
		uint64_t length = wire_get_fixed(&wire, 8);
		uint64_t digest = wire_get_fixed(&wire, 8);

		if (length < MARKED || length > size - at)
			break;
		if (exchange_is_whole(fd, at, length, digest)) {
			whole = at + length;
			(*count)++;
		}
		at += length;
	}
	return whole;
}

/* folder_has(archive, name, file): is that regular file there under that name,
 * and has its process not renamed it? */
static bool
folder_has(struct archive *archive, const char *name, const struct stat *file)
{
	struct stat named;

	return S_ISREG(file->st_mode) &&
	    fstatat(archive->dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	    named.st_ino == file->st_ino && named.st_dev == file->st_dev;
}

/* folder_repair_one(archive, open_name): what nobody writes to any more ends
 * behind its last whole exchange, and gets its last name. */
static void
folder_repair_one(struct archive *archive, const char *open_name)
{
	char name[256];
	size_t count, least;
	struct stat now;
	uint64_t whole;
	int fd;

	(void)snprintf(name, sizeof(name), "%s", open_name);
	if (!last_name(name))
		return;
	least = slice_ends(slice_of(name), slice_of(".warc.gz")) ? 2 : 1;
	fd = openat(archive->dir, open_name,
	    O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	if (fstat(fd, &now) == 0 && folder_has(archive, open_name, &now) &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    folder_has(archive, open_name, &now)) {
		whole = whole_bytes(fd, (uint64_t)now.st_size, &count);
		if (count == 0 && now.st_size > MAX_BEGINNING)
			; /* a disk lost it, and somebody must look at it */
		else if (count < least)
			(void)unlinkat(archive->dir, open_name, 0);
		else if (ftruncate(fd, (off_t)whole) == 0 && fsync(fd) == 0)
			(void)renameat(
			    archive->dir, open_name, archive->dir, name);
	}
	(void)close(fd);
}

static void
folder_repair(struct archive *archive)
{
	int fd = dup(archive->dir);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (dir == NULL && fd >= 0)
		(void)close(fd);
	if (dir == NULL)
		return;
	rewinddir(dir);
	while ((entry = readdir(dir)) != NULL)
		folder_repair_one(archive, entry->d_name);
	(void)closedir(dir);
	(void)fsync(archive->dir);
}

/* Exchanges. */

static bool
flush(struct archive *archive)
{
	struct slice out = buf_text(&archive->out);

	if (!write_at(archive->fd, out, archive->written))
		return archive_fail(archive, "write", archive->name);
	archive->written += out.len;
	buf_clear(&archive->out);
	return true;
}

/* digest_out(archive, from): what was packed since `from` is part of the
 * exchange. */
static void
digest_out(struct archive *archive, size_t from)
{
	digester_feed(
	    archive->digester, slice_from(buf_text(&archive->out), from));
}

static bool
pack(struct archive *archive, struct slice bytes)
{
	while (bytes.len > 0) {
		size_t from = archive->out.len;
		size_t n = bytes.len < AT_ONCE ? bytes.len : AT_ONCE;

		packer_put(
		    archive->packer, slice_make(bytes.p, n), &archive->out);
		digest_out(archive, from);
		bytes = slice_from(bytes, n);
		if (archive->out.len >= WRITTEN_AT_ONCE && !flush(archive))
			return false;
	}
	return true;
}

static void
member_begin(struct archive *archive)
{
	char mark[MARK_BYTES] = MARK;
	bool is_first = archive->digester == NULL;
	size_t from = archive->out.len;

	packer_begin(archive->packer,
	    slice_make(mark, is_first ? sizeof(mark) : 0), &archive->out);
	if (is_first)
		archive->digester = digester_new();
	else
		digest_out(archive, from);
}

static void
member_end(struct archive *archive)
{
	size_t from = archive->out.len;

	packer_end(archive->packer, &archive->out);
	digest_out(archive, from);
}

/* exchange_end(archive, is_good): all members are packed: the mark of the first
 * one says so, and the rest is written; otherwise what was written is cut
 * off. */
static bool
exchange_end(struct archive *archive, bool is_good)
{
	uint64_t past = archive->written + archive->out.len;
	struct buf mark = BUF_UP_TO(16);
	uint64_t at = archive->size + PACKER_EXTRA + 4;
	struct digest digest = digester_value(archive->digester);

	digester_free(archive->digester);
	archive->digester = NULL;
	wire_put_fixed(&mark, 8, past - archive->size);
	(void)buf_put(&mark, digest.bytes, 8);
	if (is_good && archive->written == archive->size) {
		memcpy(archive->out.p + (at - archive->written), mark.p, 16);
		is_good = flush(archive);
	} else if (is_good) {
		is_good = flush(archive);
		if (is_good && !write_at(archive->fd, buf_text(&mark), at))
			is_good = archive_fail(archive, "write", archive->name);
	}
	buf_release(&mark);
	if (is_good)
		archive->size = past;
	else
		/* what cannot be cut off now is written over, or cut off when
		 * the file is closed */
		(void)!ftruncate(archive->fd, (off_t)archive->size);
	buf_clear(&archive->out);
	archive->written = archive->size;
	return is_good;
}

/* record_put(archive, record, block): a record whose block is in memory. */
static bool
record_put(
    struct archive *archive, struct warc_record *record, struct slice block)
{
	record->length = block.len;
	sha1_feed(archive->block, block);
	sha1_value(archive->block, record->block);
	buf_clear(&archive->text);
	warc_print(record, &archive->text);
	member_begin(archive);
	if (!pack(archive, buf_text(&archive->text)) || !pack(archive, block) ||
	    !pack(archive, slice_of(WARC_END)))
		return false;
	member_end(archive);
	return true;
}

/* body_each(archive, exchange, take): take each piece of the body. */
static bool
body_each(struct archive *archive, const struct archive_exchange *exchange,
    bool (*take)(struct archive *, struct slice))
{
	char *piece;
	bool is_good = true;

	if (exchange->body_fd < 0)
		return take(archive,
		    slice_make(exchange->body, (size_t)exchange->body_len));
	piece = mem_alloc(AT_ONCE);
	for (uint64_t at = 0, n; is_good && at < exchange->body_len; at += n) {
		n = exchange->body_len - at;
		n = read_at(exchange->body_fd, piece,
		    n < AT_ONCE ? (size_t)n : AT_ONCE, at);
		if (n == 0) {
			errno = EIO;
			is_good = archive_fail(
			    archive, "read a body for", archive->name);
		}
		is_good = is_good &&
		    take(archive, slice_make(piece, (size_t)n));
	}
	free(piece);
	return is_good;
}

static bool
digest_body(struct archive *archive, struct slice piece)
{
	sha1_feed(archive->block, piece);
	sha1_feed(archive->payload, piece);
	return true;
}

/* answer_put(archive, exchange, record, place): the response; or a revisit, if
 * the payload is in the archive already. */
static bool
answer_put(struct archive *archive, const struct archive_exchange *exchange,
    struct warc_record *record, struct archive_place *place)
{
	const struct archive_known *before = exchange->before;
	struct buf head = BUF_UP_TO(SIZE_MAX);
	uint8_t block[SHA1_BYTES];
	bool is_good;

	warc_answer(exchange->answer_head, &head);
	sha1_feed(archive->block, buf_text(&head));
	is_good = body_each(archive, exchange, digest_body);
	sha1_value(archive->payload, place->digest);
	sha1_value(archive->block, block);
	record->type = WARC_RESPONSE;
	record->is_not_modified = exchange->status == 304;
	place->is_revisit = before != NULL && exchange->truncated == NULL &&
	    (record->is_not_modified ||
		(exchange->status == 200 &&
		    memcmp(place->digest, before->digest, SHA1_BYTES) == 0));
	if (!record->is_not_modified)
		record->payload = place->digest;
	record->truncated = exchange->truncated;
	if (is_good && place->is_revisit) {
		record->type = WARC_REVISIT;
		record->before_us = before->at_us;
		/* what the standard wants of a payload that is left out */
		if (!record->is_not_modified)
			record->truncated = "length";
		is_good = record_put(archive, record, buf_text(&head));
	} else if (is_good) {
		memcpy(record->block, block, sizeof(block));
		record->length = head.len + exchange->body_len;
		buf_clear(&archive->text);
		warc_print(record, &archive->text);
		member_begin(archive);
		is_good = pack(archive, buf_text(&archive->text)) &&
		    pack(archive, buf_text(&head)) &&
		    body_each(archive, exchange, pack) &&
		    pack(archive, slice_of(WARC_END));
		if (is_good)
			member_end(archive);
	}
	buf_release(&head);
	return is_good;
}

static bool
exchange_put(struct archive *archive, const struct archive_exchange *exchange,
    struct archive_place *place)
{
	struct warc_record record = {.type = WARC_REQUEST,
	    .url = exchange->url,
	    .at_us = exchange->at_us,
	    .peer = exchange->peer};
	bool is_good = record_put(archive, &record, exchange->request_head);

	place->offset = archive->written + archive->out.len;
	is_good = is_good && answer_put(archive, exchange, &record, place);
	place->length = archive->written + archive->out.len - place->offset;
	warc_id(
	    place->record_id, WARC_RESPONSE, exchange->url, exchange->at_us);
	if (is_good && exchange->json.len > 0) {
		record = (struct warc_record){.type = WARC_METADATA,
		    .url = exchange->url,
		    .at_us = exchange->at_us};
		is_good = record_put(archive, &record, exchange->json);
	}
	return exchange_end(archive, is_good);
}

/* lines_pack(archive): the lines become a member. */
static bool
lines_pack(struct archive *archive)
{
	bool is_good;

	if (archive->lines.len == 0)
		return true;
	member_begin(archive);
	is_good = pack(archive, buf_text(&archive->lines));
	if (is_good)
		member_end(archive);
	is_good = exchange_end(archive, is_good);
	if (is_good)
		buf_clear(&archive->lines);
	return is_good;
}

/* Files. */

/* file_close(archive): the file gets its last name. If that fails, the next
 * start does it. */
static void
file_close(struct archive *archive)
{
	char open_name[sizeof(archive->name) + sizeof(OPEN)];

	if (archive->fd < 0)
		return;
	(void)snprintf(open_name, sizeof(open_name), "%s" OPEN, archive->name);
	if (archive->size <= archive->beginning)
		(void)unlinkat(archive->dir, open_name, 0);
	else if (ftruncate(archive->fd, (off_t)archive->size) == 0)
		(void)renameat(
		    archive->dir, open_name, archive->dir, archive->name);
	(void)fsync(archive->dir);
	(void)close(archive->fd);
	archive->fd = -1;
	archive->size = archive->synced = archive->written = 0;
	archive->beginning = 0;
}

/* file_take(archive, open_name): make a file that nobody has, and lock it.
 * False with errno; EEXIST: another name is needed. */
static bool
file_take(struct archive *archive, const char *open_name)
{
	struct stat stat;

	archive->fd = openat(archive->dir, open_name,
	    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (archive->fd < 0)
		return false;
	/* Another process that starts may find it before it is locked: then
	 * that removes it. */
	if (flock(archive->fd, LOCK_EX | LOCK_NB) == 0) {
		if (fstat(archive->fd, &stat) == 0 && stat.st_nlink > 0 &&
		    faccessat(archive->dir, archive->name, F_OK, 0) != 0)
			return true;
		errno = EWOULDBLOCK;
	}
	if (errno == EWOULDBLOCK)
		errno = EEXIST;
	int error = errno;

	(void)unlinkat(archive->dir, open_name, 0);
	(void)close(archive->fd);
	archive->fd = -1;
	errno = error;
	return false;
}

static bool
file_open(struct archive *archive, int64_t now_us)
{
	struct civil civil = civil_of(now_us / 1000000);
	char open_name[sizeof(archive->name) + sizeof(OPEN)], host[41] = "";

	if (!folder_enter(archive))
		return false;
	(void)gethostname(host, sizeof(host) - 1);
	for (char *p = host; *p != '\0'; p++)
		if (!slice_is_graphic(slice_make(p, 1)) || *p == '/')
			*p = '-';
	for (int serial = 1; archive->fd < 0; serial++) {
		(void)snprintf(archive->name, sizeof(archive->name),
		    "freshet-%04d%02d%02d%02d%02d%02d-%05d-%s.%s.gz",
		    (int)(civil.year % 10000), civil.month, civil.day,
		    civil.hour, civil.minute, civil.second, serial,
		    host[0] == '\0' ? "localhost" : host,
		    archive->form == ARCHIVE_WARC ? "warc" : "jsonl");
		(void)snprintf(
		    open_name, sizeof(open_name), "%s" OPEN, archive->name);
		if (!file_take(archive, open_name) &&
		    (errno != EEXIST || serial == MAX_SERIAL))
			return archive_fail(archive, "create", open_name);
	}
	archive->is_new = true;
	if (archive->form == ARCHIVE_TEXTS)
		return true;
	struct warc_record record = {
	    .type = WARC_INFO, .url = slice_of(archive->name), .at_us = now_us};
	bool is_good = record_put(archive, &record, slice_of(archive->fields));

	is_good = exchange_end(archive, is_good);
	archive->beginning = archive->size;
	if (!is_good)
		file_close(archive);
	return is_good;
}

bool
archive_put(struct archive *archive, const struct archive_exchange *exchange,
    struct archive_place *place)
{
	size_t before = archive->lines.len;

	*place = (struct archive_place){0};
	if (archive->fd < 0 && !file_open(archive, exchange->at_us))
		return false;
	(void)snprintf(place->file, sizeof(place->file), "%s", archive->name);
	if (archive->form == ARCHIVE_WARC)
		return exchange_put(archive, exchange, place);
	place->offset = archive->size;
	(void)buf_put_slice(&archive->lines, exchange->json);
	(void)buf_put_char(&archive->lines, '\n');
	if (archive->lines.len < LINES_AT_ONCE || lines_pack(archive))
		return true;
	archive->lines.len = before;
	return false;
}

bool
archive_sync(struct archive *archive)
{
	struct stat stat;
	bool is_good;

	if (archive->fd < 0 ||
	    (archive->size == archive->synced && archive->lines.len == 0))
		return true;
	is_good = lines_pack(archive);
	if (is_good && fdatasync(archive->fd) != 0)
		is_good = archive_fail(archive, "sync", archive->name);
	if (is_good && archive->is_new && fsync(archive->dir) != 0)
		is_good = archive_fail(archive, "sync", NULL);
	if (fstat(archive->fd, &stat) == 0 && stat.st_nlink == 0) {
		errno = ENOENT;
		is_good = archive_fail(archive, "find", archive->name);
	}
	if (is_good) {
		archive->is_new = false;
		archive->synced = archive->size;
		if (archive->size >= archive->file_bytes)
			file_close(archive);
		return true;
	}
	/* What was put since the last sync is not in the archive. The next
	 * exchange begins another file. */
	buf_clear(&archive->lines);
	archive->size = archive->synced;
	file_close(archive);
	return false;
}

struct archive *
archive_open(const char *folder, enum archive_form form,
    const struct archive_about *about, char why[static 256])
{
	struct archive *archive = mem_zero(sizeof(*archive));
	struct buf fields = BUF_UP_TO(SIZE_MAX);

	archive->folder = mem_copy(folder);
	archive->form = form;
	archive->dir = archive->fd = -1;
	archive->file_bytes = about->file_bytes == 0 ? FILE_BYTES
						     : about->file_bytes;
	(void)buf_print(&fields,
	    "software: %s\r\nformat: WARC File Format 1.1\r\n"
	    "conformsTo: https://iipc.github.io/warc-specifications/"
	    "specifications/warc-format/warc-1.1/\r\n"
	    "http-header-user-agent: %s\r\nrobots: %s\r\n",
	    about->software, about->user_agent, about->robots);
	archive->fields = buf_take(&fields);
	archive->out = archive->text = archive->lines = BUF_UP_TO(SIZE_MAX);
	archive->packer = packer_new();
	archive->block = sha1_new();
	archive->payload = sha1_new();
	if ((mkdir(folder, 0777) != 0 && errno != EEXIST &&
		!archive_fail(archive, "make the folder", NULL)) ||
	    !folder_enter(archive)) {
		(void)snprintf(why, 256, "%s", archive->error);
		archive_close(archive);
		return NULL;
	}
	folder_repair(archive);
	return archive;
}

void
archive_close(struct archive *archive)
{
	if (archive == NULL)
		return;
	(void)archive_sync(archive);
	file_close(archive);
	if (archive->dir >= 0)
		(void)close(archive->dir);
	free(archive->folder);
	free(archive->fields);
	buf_release(&archive->out);
	buf_release(&archive->text);
	buf_release(&archive->lines);
	packer_free(archive->packer);
	sha1_free(archive->block);
	sha1_free(archive->payload);
	free(archive);
}

uint64_t
archive_id(const struct archive *archive)
{
	return archive->id;
}

const char *
archive_error(const struct archive *archive)
{
	return archive->error;
}

uint64_t
archive_unsynced(const struct archive *archive)
{
	return archive->size - archive->synced + archive->lines.len;
}
