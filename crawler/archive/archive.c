/*
 * Files of an archive: what is written to them, and what is repaired.
 *
 * A file is a chain of exchanges.  An exchange is one or more gzip members, of
 * which the header of the first one has a field FEXTRA (RFC 1952, 2.3.1.1):
 *
 *	"fr" 16 length digest
 *
 * the length in bytes of the exchange, this header included, and the first 8
 * bytes of the XXH3-128 of what follows the field; both numbers are
 * little-endian.  So a file of a gigabyte is walked in as many steps as it has
 * exchanges, and each is known to be whole, without unpacking it.  The field is
 * filled in last: what was not written to its end has the length 0, and is cut
 * off with what follows it.
 */
#include "crawler/archive/archive.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/evp.h>
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
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
#include "crawler/parse/gunzip.h"

#define OPEN ".open"
/* the beginning of the field FEXTRA, which has 16 bytes more */
#define MARK "fr\x10"
#define MARK_BYTES 20
#define MARKED (PACKER_EXTRA + MARK_BYTES) /* bytes before what is digested */
#define FILE_BYTES 1000000000
#define AT_ONCE 65536 /* bytes that are read, or packed, at once */
#define WRITTEN_AT_ONCE 262144
#define LINES_AT_ONCE 262144 /* bytes of lines that become a member */
/* A file of which not even the beginning can be read has so much at most, if a
 * process was killed while it made the file. */
#define MAX_BEGINNING 65536
#define TIME_BYTES 32
#define TARGET "WARC-Target-URI: "
#define REVISIT "http://netpreserve.org/warc/1.1/revisit/"

struct archive {
	char *folder; /* owned */
	enum archive_form form;
	struct buf fields; /* the block of warcinfo */
	uint64_t id;
	uint64_t file_bytes; /* a file that has so many is finished */
	int dir; /* of the folder; -1: none */
	int lock; /* while files are made and repaired; -1: not held */
	int fd; /* of the file, which is locked; -1: none */
	char name[96]; /* its last name */
	uint64_t beginning; /* bytes of warcinfo */
	/* bytes of whole exchanges in the file; those on the disk */
	uint64_t size, synced;
	/* Of the exchange that is being written: */
	struct buf out; /* packed, and not written yet */
	uint64_t written; /* where in the file `out` belongs */
	struct digester *digester; /* owned; of what is written; NULL: none */
	struct buf text; /* the header of a record */
	struct buf lines; /* ARCHIVE_TEXTS: not packed yet */
	struct packer *packer; /* owned */
	char error[512];
};

/* archive_fail(archive, what, name): always false; name "": the folder. */
static bool
archive_fail(struct archive *archive, const char *what, const char *name)
{
	char room[128];

	(void)snprintf(archive->error, sizeof(archive->error),
	    "cannot %s '%s%s%s': %s", what, archive->folder,
	    name[0] == '\0' ? "" : "/", name,
	    strerror_r(errno, room, sizeof(room)));
	return false;
}

/* write_at(fd, bytes, at): all of them; false with errno. */
static bool
write_at(int fd, struct slice bytes, uint64_t at)
{
	for (ssize_t n; bytes.len > 0; at += (uint64_t)n) {
		n = pwrite(fd, bytes.p, bytes.len, (off_t)at);
		if (n < 0)
			return false;
		bytes = slice_from(bytes, (size_t)n);
	}
	return true;
}

/* The folder. */

static void
folder_leave(struct archive *archive)
{
	if (archive->lock >= 0)
		(void)close(archive->lock);
	archive->lock = -1;
}

/* folder_enter(archive): open the folder, and learn its number.  Until
 * folder_leave(), no other process makes or repairs a file there. */
static bool
folder_enter(struct archive *archive)
{
	static const char name[] = "freshet-archive";
	char text[18] = "";
	uint64_t id = 0;
	bool is_good;

	if (archive->dir >= 0)
		(void)close(archive->dir);
	archive->dir = open(
	    archive->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (archive->dir < 0)
		return archive_fail(archive, "open", "");
	if (faccessat(archive->dir, ".", W_OK | X_OK, 0) != 0)
		return archive_fail(archive, "write to", "");
	archive->lock = openat(archive->dir, name,
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	is_good = archive->lock >= 0 && flock(archive->lock, LOCK_EX) == 0;
	if (is_good && pread(archive->lock, text, 17, 0) < 17) {
		is_good = getrandom(&id, sizeof(id), 0) == sizeof(id);
		(void)snprintf(text, sizeof(text), "%016" PRIx64 "\n", id);
		is_good = is_good &&
		    write_at(archive->lock, slice_of(text), 0) &&
		    fsync(archive->lock) == 0;
	}
	archive->id = 0;
	for (size_t i = 0; slice_hex(text[i]) >= 0; i++)
		archive->id = archive->id << 4 | (uint64_t)slice_hex(text[i]);
	return is_good || archive_fail(archive, "write", name);
}

/* exchange_is_whole(fd, at, past, digest): is what was written there? */
static bool
exchange_is_whole(int fd, uint64_t at, uint64_t past, const char *digest)
{
	struct digester *digester = digester_new();
	char *piece = mem_alloc(AT_ONCE);
	struct digest got;
	ssize_t n = 1;

	for (at += MARKED; at < past && n > 0; at += (uint64_t)n) {
		n = pread(fd, piece,
		    past - at < AT_ONCE ? (size_t)(past - at) : AT_ONCE,
		    (off_t)at);
		if (n > 0)
			digester_feed(digester, slice_make(piece, (size_t)n));
	}
	got = digester_value(digester);
	digester_free(digester);
	free(piece);
	return n > 0 && memcmp(got.bytes, digest, 8) == 0;
}

/* whole_bytes(fd, size, count): how many bytes a file has up to the end of its
 * last whole exchange, and how many exchanges these are. */
static uint64_t
whole_bytes(int fd, uint64_t size, size_t *count)
{
	char mark[MARKED];
	uint64_t at = 0, whole = 0;

	*count = 0;
	while (pread(fd, mark, MARKED, (off_t)at) == MARKED &&
	    memcmp(mark, GUNZIP_MAGIC "\x08\x04", 4) == 0 &&
	    memcmp(mark + PACKER_EXTRA, MARK, 4) == 0) {
		struct wire wire = {
		    slice_make(mark + PACKER_EXTRA + 4, 8), true};
		uint64_t length = wire_get_fixed(&wire, 8);

		if (length < MARKED || length > size - at)
			break;
		at += length;
		if (exchange_is_whole(fd, at - length, at, mark + MARKED - 8)) {
			whole = at;
			(*count)++;
		}
	}
	return whole;
}

/* folder_repair(archive, open_name): what nobody has locked any more ends
 * behind its last whole exchange, and gets its last name. */
static void
folder_repair(struct archive *archive, const char *open_name)
{
	struct slice name = slice_of(open_name);
	size_t count, least;
	struct stat file;
	uint64_t whole;
	char *last;
	int fd;

	if (!slice_starts(name, slice_of("freshet-")) ||
	    !slice_ends(name, slice_of(".gz" OPEN)))
		return;
	fd = openat(archive->dir, open_name,
	    O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	name.len -= strlen(OPEN);
	last = slice_dup(name);
	least = slice_ends(name, slice_of(".warc.gz")) ? 2 : 1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &file) == 0 &&
	    S_ISREG(file.st_mode)) {
		whole = whole_bytes(fd, (uint64_t)file.st_size, &count);
		if (count == 0 && file.st_size > MAX_BEGINNING)
			; /* a disk lost it, and somebody must look at it */
		else if (count < least)
			(void)unlinkat(archive->dir, open_name, 0);
		else if (ftruncate(fd, (off_t)whole) == 0 && fsync(fd) == 0)
			(void)renameat(
			    archive->dir, open_name, archive->dir, last);
	}
	free(last);
	(void)close(fd);
}

/* Exchanges. */

/* flush(archive): write what is packed. The mark is no part of the digest. */
static bool
flush(struct archive *archive)
{
	struct slice out = buf_text(&archive->out);
	size_t from = archive->written == archive->size ? MARKED : 0;

	if (archive->digester == NULL)
		archive->digester = digester_new();
	digester_feed(archive->digester, slice_from(out, from));
	if (!write_at(archive->fd, out, archive->written))
		return archive_fail(archive, "write", archive->name);
	archive->written += out.len;
	buf_clear(&archive->out);
	return true;
}

static bool
pack(void *arg, struct slice bytes)
{
	struct archive *archive = arg;

	while (bytes.len > 0) {
		size_t n = bytes.len < AT_ONCE ? bytes.len : AT_ONCE;

		packer_put(archive->packer, slice_make(bytes.p, n), false,
		    &archive->out);
		bytes = slice_from(bytes, n);
		if (archive->out.len >= WRITTEN_AT_ONCE && !flush(archive))
			return false;
	}
	return true;
}

static void
member_begin(struct archive *archive)
{
	static const char mark[MARK_BYTES] = MARK;
	bool is_first = archive->written == archive->size &&
	    archive->out.len == 0;

	packer_begin(archive->packer,
	    slice_make(mark, is_first ? MARK_BYTES : 0), &archive->out);
}

static bool
member_end(struct archive *archive)
{
	packer_put(archive->packer, slice_of(""), true, &archive->out);
	return true;
}

/* exchange_end(archive, is_good): the exchange is written to its end, and its
 * mark says so; or what was written of it is cut off. */
static bool
exchange_end(struct archive *archive, bool is_good)
{
	struct buf mark = BUF_UP_TO(16);
	struct digest digest;

	is_good = is_good && flush(archive);
	if (is_good) {
		digest = digester_value(archive->digester);
		wire_put_fixed(&mark, 8, archive->written - archive->size);
		(void)buf_put(&mark, digest.bytes, 8);
		is_good = write_at(archive->fd, buf_text(&mark),
			      archive->size + MARKED - 16) ||
		    archive_fail(archive, "write", archive->name);
	}
	if (is_good)
		archive->size = archive->written;
	else
		/* what cannot be cut off now is written over, or cut off when
		 * the file is closed */
		(void)!ftruncate(archive->fd, (off_t)archive->size);
	archive->written = archive->size;
	buf_clear(&archive->out);
	buf_release(&mark);
	digester_free(archive->digester);
	archive->digester = NULL;
	return is_good;
}

/* SHA-1, the digest that all readers of WARC know, by libcrypto, which libcurl
 * brings, and which is loaded when it is first used. */

/* clang-format off */
#define FUNCTIONS(F) \
	F(EVP_MD_CTX_new) F(EVP_MD_CTX_free) F(EVP_sha1) F(EVP_DigestInit_ex) \
	F(EVP_DigestUpdate) F(EVP_DigestFinal_ex) F(OpenSSL_version)
/* clang-format on */

static struct {
	FUNCTIONS(LATE_POINTER)
} crypto;

#define LIBRARY(version) "libcrypto.so." LATE_TEXT(version)

static void
load_crypto(void)
{
	late_load(
	    LIBRARY(OPENSSL_SHLIB_VERSION), LATE_NAMES(FUNCTIONS), &crypto);
}

void
archive_library(struct library *library)
{
	load_crypto();
	*library = library_make("libcrypto", OPENSSL_VERSION_STR,
	    crypto.OpenSSL_version(OPENSSL_VERSION_STRING));
}

static bool
sha1_feed(void *sha1, struct slice bytes)
{
	return crypto.EVP_DigestUpdate(sha1, bytes.p, bytes.len) == 1;
}

/* The digest of both; false: the body could not be read. */
static bool
sha1_of(struct slice head, struct spool_file *body, uint8_t value[SHA1_BYTES])
{
	EVP_MD_CTX *sha1;
	int is_good;
	bool is_read;

	load_crypto();
	sha1 = crypto.EVP_MD_CTX_new();
	assert(sha1 != NULL);
	is_good = crypto.EVP_DigestInit_ex(sha1, crypto.EVP_sha1(), NULL);
	assert(is_good == 1);
	is_read = sha1_feed(sha1, head) &&
	    (body == NULL || spool_each(body, sha1_feed, sha1));
	(void)crypto.EVP_DigestFinal_ex(sha1, value, NULL);
	crypto.EVP_MD_CTX_free(sha1);
	return is_read;
}

/* Records. */

enum warc_type { INFO, REQUEST, RESPONSE, METADATA };

struct warc_record {
	enum warc_type type;
	struct slice url; /* of INFO the name of the file */
	int64_t at_us;
	const struct fetch_result *result; /* NULL: none is told of */
	const uint8_t *payload; /* its digest; NULL: it is not told */
	/* RESPONSE: a revisit of what was archived then; NULL: it is none */
	const struct archive_known *before;
	const char *truncated; /* NULL: the block is whole */
};

/* "2026-11-30T02:50:43.000001Z" */
static void
write_time(char out[TIME_BYTES], int64_t at_us)
{
	struct civil civil = civil_of(at_us / 1000000);

	(void)snprintf(out, TIME_BYTES, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
	    (int)(civil.year % 10000), civil.month, civil.day, civil.hour,
	    civil.minute, civil.second, (int)(at_us % 1000000));
}

/* The name of a record is made of these three alone, so that a later record can
 * name an earlier one. RFC 9562, version 8. */
static void
write_id(char out[48], enum warc_type type, struct slice url, int64_t at_us)
{
	struct digester *digester = digester_new();
	char text[64];
	int n = snprintf(
	    text, sizeof(text), "%d %" PRId64 " ", (int)type, at_us);
	struct digest digest;
	const uint8_t *b = digest.bytes;

	digester_feed(digester, slice_make(text, (size_t)n));
	digester_feed(digester, url);
	digest = digester_value(digester);
	digester_free(digester);
	(void)snprintf(out, 48,
	    "urn:uuid:%02x%02x%02x%02x-%02x%02x-8%01x%02x-%02x%02x-"
	    "%02x%02x%02x%02x%02x%02x",
	    b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 15, b[7],
	    (b[8] & 63) | 128, b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* In base32 (RFC 4648), as all readers take it. */
static void
print_digest(struct buf *out, const char *name, const uint8_t *digest)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

	(void)buf_print(out, "%s: sha1:", name);
	for (size_t bit = 0; bit < SHA1_BYTES * 8; bit += 5) {
		unsigned two = (unsigned)digest[bit / 8] << 8;

		if (bit / 8 + 1 < SHA1_BYTES)
			two |= digest[bit / 8 + 1];
		(void)buf_put_char(out, digits[two >> (11 - bit % 8) & 31]);
	}
	(void)buf_print(out, "\r\n");
}

/* Append the header of a record, with the empty line. */
static void
print_record(struct buf *out, const struct warc_record *record,
    const uint8_t *digest, uint64_t length)
{
	static const struct {
		const char *name, *field, *content;
	} types[] = {
	    [INFO] = {"warcinfo", "WARC-Filename: ", "application/warc-fields"},
	    [REQUEST] = {"request", TARGET, "application/http;msgtype=request"},
	    [RESPONSE] = {"response", TARGET,
		"application/http;msgtype=response"},
	    /* Indexers take a JSON record with the URL of the page for one more
	     * capture of it, and replay shows that in its place. */
	    [METADATA] = {
		"metadata", TARGET "urn:X-freshet:", "application/json"}};
	const struct fetch_result *result = record->result;
	char id[48], time[TIME_BYTES], peer[46];
	int url_len = (int)record->url.len;
	const char *url = record->url.p;

	write_id(id, record->type, record->url, record->at_us);
	write_time(time, record->at_us);
	(void)buf_print(out,
	    "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <%s>\r\n"
	    "WARC-Date: %s\r\n%s%.*s\r\n",
	    record->before != NULL ? "revisit" : types[record->type].name, id,
	    time, types[record->type].field, url_len, url);
	if (result != NULL && result->has_peer) {
		addr_print(&result->peer, peer);
		(void)buf_print(out, "WARC-IP-Address: %s\r\n", peer);
	}
	if (record->type == REQUEST || record->type == METADATA) {
		write_id(id, RESPONSE, record->url, record->at_us);
		(void)buf_print(out, "WARC-Concurrent-To: <%s>\r\n", id);
		if (record->type == METADATA)
			(void)buf_print(out, "WARC-Refers-To: <%s>\r\n", id);
	}
	if (record->before != NULL) {
		write_id(id, RESPONSE, record->url, record->before->at_us);
		write_time(time, record->before->at_us);
		(void)buf_print(out,
		    "WARC-Profile: " REVISIT "%s\r\nWARC-Refers-To: <%s>\r\n"
		    "WARC-Refers-To-Target-URI: %.*s\r\n"
		    "WARC-Refers-To-Date: %s\r\n",
		    record->payload == NULL ? "server-not-modified"
					    : "identical-payload-digest",
		    id, url_len, url, time);
	}
	if (record->payload != NULL)
		print_digest(out, "WARC-Payload-Digest", record->payload);
	print_digest(out, "WARC-Block-Digest", digest);
	if (record->truncated != NULL)
		(void)buf_print(
		    out, "WARC-Truncated: %s\r\n", record->truncated);
	(void)buf_print(out,
	    "Content-Type: %s\r\nContent-Length: %" PRIu64 "\r\n\r\n",
	    types[record->type].content, length);
}

/* record_put(archive, record, head, body): its block is both; body may be
 * NULL. */
static bool
record_put(struct archive *archive, const struct warc_record *record,
    struct slice head, struct spool_file *body)
{
	uint8_t digest[SHA1_BYTES];

	if (!sha1_of(head, body, digest))
		return archive_fail(archive, "read a body for", archive->name);
	buf_clear(&archive->text);
	print_record(&archive->text, record, digest,
	    head.len + (body == NULL ? 0 : body->length));
	member_begin(archive);
	return pack(archive, buf_text(&archive->text)) && pack(archive, head) &&
	    (body == NULL || spool_each(body, pack, archive)) &&
	    pack(archive, slice_of("\r\n\r\n")) && member_end(archive);
}

/* Append the head of an answer.  The transfer coding of the body is undone.  A
 * reader that found the field Transfer-Encoding would undo it again, so the
 * field gets another name. */
static void
print_head(struct buf *out, struct slice head)
{
	const struct slice name = slice_of("transfer-encoding:");

	while (head.len > 0) {
		const char *end = memchr(head.p, '\n', head.len);
		size_t n = end == NULL ? head.len : (size_t)(end - head.p) + 1;

		if (slice_starts_nocase(head, name))
			(void)buf_print(out, "X-Archive-Orig-");
		(void)buf_put(out, head.p, n);
		head = slice_from(head, n);
	}
}

/* answer_put(archive, exchange, place): the response; or a revisit, if its
 * payload is in the archive already. */
static bool
answer_put(struct archive *archive, const struct archive_exchange *exchange,
    struct archive_place *place)
{
	const struct fetch_result *result = exchange->result;
	struct spool_file *body = exchange->body;
	uint64_t length = body == NULL ? 0 : body->length;
	struct warc_record record = {.type = RESPONSE,
	    .url = exchange->url,
	    .at_us = exchange->at_us,
	    .result = result,
	    .truncated = result->truncated};
	struct buf head = BUF_UP_TO(SIZE_MAX);
	bool is_good = sha1_of(slice_of(""), body, place->digest);

	/* a reading whose answer does not go to archives alone */
	if (record.truncated == NULL && result->code != DIAG_OK)
		record.truncated = result->code == DIAG_BODY_TOO_BIG
		    ? "length"
		    : "disconnect";
	else if (record.truncated == NULL && length < result->wire_bytes)
		record.truncated = "unspecified";
	if (result->status != 304)
		record.payload = place->digest;
	place->is_revisit = exchange->before != NULL &&
	    record.truncated == NULL &&
	    (result->status == 304 ||
		(result->status == 200 &&
		    memcmp(place->digest, exchange->before->digest,
			SHA1_BYTES) == 0));
	if (place->is_revisit) {
		record.before = exchange->before;
		body = NULL;
		/* what the standard says of a payload that is left out */
		if (result->status == 200)
			record.truncated = "length";
	}
	print_head(&head, result->answer_head);
	is_good = is_good
	    ? record_put(archive, &record, buf_text(&head), body)
	    : archive_fail(archive, "read a body for", archive->name);
	buf_release(&head);
	return is_good;
}

static bool
exchange_put(struct archive *archive, const struct archive_exchange *exchange,
    struct archive_place *place)
{
	struct warc_record record = {.type = REQUEST,
	    .url = exchange->url,
	    .at_us = exchange->at_us,
	    .result = exchange->result};
	bool is_good = record_put(
	    archive, &record, exchange->result->request_head, NULL);

	place->offset = archive->written + archive->out.len;
	is_good = is_good && answer_put(archive, exchange, place);
	place->length = archive->written + archive->out.len - place->offset;
	write_id(place->record_id, RESPONSE, exchange->url, exchange->at_us);
	record.type = METADATA;
	record.result = NULL;
	if (is_good && exchange->json.len > 0)
		is_good = record_put(archive, &record, exchange->json, NULL);
	return exchange_end(archive, is_good);
}

static bool
lines_put(struct archive *archive)
{
	if (archive->lines.len == 0)
		return true;
	member_begin(archive);
	if (!exchange_end(archive,
		pack(archive, buf_text(&archive->lines)) &&
		    member_end(archive)))
		return false;
	buf_clear(&archive->lines);
	return true;
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

/* file_make(archive, now_us): make a file of a name that none has, and lock
 * it. */
static bool
file_make(struct archive *archive, int64_t now_us)
{
	struct civil civil = civil_of(now_us / 1000000);
	char open_name[sizeof(archive->name) + sizeof(OPEN)], host[41] = "";

	(void)gethostname(host, sizeof(host) - 1);
	errno = EEXIST;
	for (int serial = 1; archive->fd < 0 && errno == EEXIST; serial++) {
		(void)snprintf(archive->name, sizeof(archive->name),
		    "freshet-%04d%02d%02d%02d%02d%02d-%05d-%s.%s.gz",
		    (int)(civil.year % 10000), civil.month, civil.day,
		    civil.hour, civil.minute, civil.second, serial, host,
		    archive->form == ARCHIVE_WARC ? "warc" : "jsonl");
		(void)snprintf(
		    open_name, sizeof(open_name), "%s" OPEN, archive->name);
		errno = EEXIST;
		if (faccessat(archive->dir, archive->name, F_OK, 0) != 0)
			archive->fd = openat(archive->dir, open_name,
			    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	return archive->fd >= 0 && flock(archive->fd, LOCK_EX | LOCK_NB) == 0 &&
	    fsync(archive->dir) == 0;
}

static bool
file_open(struct archive *archive, int64_t now_us)
{
	struct warc_record record = {.type = INFO, .at_us = now_us};
	bool is_good = folder_enter(archive) &&
	    (file_make(archive, now_us) ||
		archive_fail(archive, "create", archive->name));

	folder_leave(archive);
	record.url = slice_of(archive->name);
	if (is_good && archive->form == ARCHIVE_WARC) {
		is_good = exchange_end(archive,
		    record_put(
			archive, &record, buf_text(&archive->fields), NULL));
		archive->beginning = archive->size;
	}
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
	if (archive->lines.len < LINES_AT_ONCE || lines_put(archive))
		return true;
	archive->lines.len = before;
	return false;
}

bool
archive_sync(struct archive *archive)
{
	struct stat file;
	bool is_good;

	if (archive_unsynced(archive) == 0)
		return true;
	is_good = lines_put(archive) &&
	    (fdatasync(archive->fd) == 0 ||
		archive_fail(archive, "sync", archive->name));
	if (fstat(archive->fd, &file) == 0 && file.st_nlink == 0) {
		errno = ENOENT;
		is_good = archive_fail(archive, "find", archive->name);
	}
	if (is_good) {
		archive->synced = archive->size;
	} else {
		/* What was put since the last sync is not in the archive. The
		 * next exchange begins another file. */
		buf_clear(&archive->lines);
		archive->size = archive->synced;
	}
	if (!is_good || archive->size >= archive->file_bytes)
		file_close(archive);
	return is_good;
}

struct archive *
archive_open(const char *folder, enum archive_form form,
    const struct archive_about *about, char why[static 256])
{
	struct archive *archive = mem_zero(sizeof(*archive));
	const struct dirent *entry;
	DIR *dir;

	archive->folder = mem_copy(folder);
	archive->form = form;
	archive->dir = archive->fd = archive->lock = -1;
	archive->file_bytes = about->file_bytes == 0 ? FILE_BYTES
						     : about->file_bytes;
	archive->fields = archive->out = archive->text = archive->lines =
	    BUF_UP_TO(SIZE_MAX);
	archive->packer = packer_new();
	(void)buf_print(&archive->fields,
	    "software: %s\r\nformat: WARC File Format 1.1\r\n"
	    "conformsTo: https://iipc.github.io/warc-specifications/"
	    "specifications/warc-format/warc-1.1/\r\n"
	    "http-header-user-agent: %s\r\nrobots: %s\r\n",
	    about->software, about->user_agent, about->robots);
	if ((mkdir(folder, 0777) != 0 && errno != EEXIST &&
		!archive_fail(archive, "make the folder", "")) ||
	    !folder_enter(archive)) {
		(void)snprintf(why, 256, "%.255s", archive->error);
		archive_close(archive);
		return NULL;
	}
	dir = opendir(folder);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		folder_repair(archive, entry->d_name);
	if (dir != NULL)
		(void)closedir(dir);
	(void)fsync(archive->dir);
	folder_leave(archive);
	return archive;
}

void
archive_close(struct archive *archive)
{
	if (archive == NULL)
		return;
	(void)archive_sync(archive);
	file_close(archive);
	folder_leave(archive);
	if (archive->dir >= 0)
		(void)close(archive->dir);
	free(archive->folder);
	buf_release(&archive->fields);
	buf_release(&archive->out);
	buf_release(&archive->text);
	buf_release(&archive->lines);
	packer_free(archive->packer);
	free(archive);
}

uint64_t
archive_id(const struct archive *archive)
{
	return archive->id ^ (uint64_t)archive->form;
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
