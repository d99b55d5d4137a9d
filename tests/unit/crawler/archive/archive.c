/* crawler/archive/archive.c: what lies in files, whatever cuts them. */
#include "crawler/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "base/out_json.h"
#include "crawler/event/scratch.h"
#include "tests/fixtures/fixture.h"

#define AT_US INT64_C(1796006400123456) /* 2026-11-30T00:00:00.123456Z */
#define REQUEST "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n"
#define ANSWER                                                        \
	"HTTP/1.1 200 OK\r\ntransfer-Encoding: chunked\r\nX-A: b\r\n" \
	"\r\n"

static const struct archive_about about = {
    .software = "freshet/1", .user_agent = "agent", .robots = "obey"};

/* A folder, and the archive in it. */
struct shelf {
	char *folder; /* owned */
	struct archive *archive; /* owned; NULL: it is closed */
	enum archive_form form;
	struct archive_about about;
	char why[256];
	struct buf text; /* what shelf_read() gives */
	struct buf bytes; /* what shelf_bytes() gives */
	char file[300]; /* the path of shelf_path() */
};

static bool
shelf_open(struct shelf *shelf)
{
	shelf->archive = archive_open(
	    shelf->folder, shelf->form, &shelf->about, shelf->why);
	return shelf->archive != NULL;
}

static void
shelf_close(struct shelf *shelf)
{
	archive_close(shelf->archive);
	shelf->archive = NULL;
}

static int
setup(void **state)
{
	struct shelf *shelf = mem_zero(sizeof(*shelf));

	shelf->folder = scratch_folder();
	assert_non_null(shelf->folder);
	shelf->about = about;
	shelf->text = shelf->bytes = BUF_UP_TO(SIZE_MAX);
	*state = shelf;
	return 0;
}

/* shelf_path(shelf, end, nth): the nth file of which the name ends so; NULL:
 * there is none. */
static const char *
shelf_path(struct shelf *shelf, const char *end, int nth)
{
	struct dirent **entries;
	const char *found = NULL;
	int count = scandir(shelf->folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		struct slice name = slice_of(entries[i]->d_name);

		if (name.p[0] != '.' && slice_ends(name, slice_of(end)) &&
		    nth-- == 0) {
			(void)snprintf(shelf->file, sizeof(shelf->file),
			    "%s/%s", shelf->folder, name.p);
			found = shelf->file;
		}
		free(entries[i]);
	}
	free(entries);
	return found;
}

static void
shelf_empty(struct shelf *shelf)
{
	const char *path = shelf_path(shelf, "", 0);

	for (; path != NULL; path = shelf_path(shelf, "", 0))
		assert_int_equal(unlink(path), 0);
}

static int
teardown(void **state)
{
	struct shelf *shelf = *state;

	shelf_close(shelf);
	shelf_empty(shelf);
	(void)rmdir(shelf->folder);
	free(shelf->folder);
	buf_release(&shelf->text);
	buf_release(&shelf->bytes);
	free(shelf);
	return 0;
}

static struct slice
shelf_bytes(struct shelf *shelf, const char *path)
{
	char piece[65536];
	FILE *file = fopen(path, "r");
	size_t n;

	assert_non_null(file);
	buf_clear(&shelf->bytes);
	while ((n = fread(piece, 1, sizeof(piece), file)) > 0)
		(void)buf_put(&shelf->bytes, piece, n);
	(void)fclose(file);
	return buf_text(&shelf->bytes);
}

/* shelf_read(shelf, path, members): unpack a file, as zlib reads gzip: each
 * member to its end. */
static struct slice
shelf_read(struct shelf *shelf, const char *path, unsigned *members)
{
	struct slice bytes = shelf_bytes(shelf, path);
	unsigned char piece[65536];

	buf_clear(&shelf->text);
	*members = 0;
	while (bytes.len > 0) {
		z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes.p,
		    .avail_in = (unsigned)bytes.len};
		int code;

		assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
		do {
			z.next_out = piece;
			z.avail_out = sizeof(piece);
			code = inflate(&z, Z_NO_FLUSH);
			(void)buf_put(
			    &shelf->text, piece, sizeof(piece) - z.avail_out);
		} while (code == Z_OK);
		assert_int_equal(code, Z_STREAM_END);
		bytes = slice_from(bytes, bytes.len - z.avail_in);
		(void)inflateEnd(&z);
		++*members;
	}
	return buf_text(&shelf->text);
}

static struct archive_exchange
exchange(const char *url, int64_t at_us, const char *body)
{
	return (struct archive_exchange){.url = slice_of(url),
	    .at_us = at_us,
	    .request_head = slice_of(REQUEST),
	    .answer_head = slice_of(ANSWER),
	    .body_fd = -1,
	    .body = body,
	    .body_len = strlen(body),
	    .status = 200,
	    .json = slice_of("{\"v\":1}")};
}

/* put(shelf, i): the i-th exchange of a test; each has bytes of its own. */
static bool
put(struct shelf *shelf, unsigned i)
{
	struct archive_place place;
	struct archive_exchange one;
	char url[64], body[200];

	(void)snprintf(url, sizeof(url), "http://a.example/%u", i);
	(void)snprintf(
	    body, sizeof(body), "body %u of a page, %x", i, i * 2654435761U);
	one = exchange(url, AT_US + i, body);
	return archive_put(shelf->archive, &one, &place);
}

/* count_exchanges(text): how many exchanges are whole, in the order 0, 1, …:
 * request, answer and metadata of each. */
static unsigned
count_exchanges(struct shelf *shelf, struct slice text)
{
	const char *at = buf_str(&shelf->text);
	unsigned i = 0;

	(void)text;
	for (;; i++) {
		static const char *const types[] = {
		    "request", "response", "metadata"};
		const char *found = at;

		for (size_t type = 0; type < COUNT(types); type++) {
			char line[100];
			const char *url, *next;

			(void)snprintf(line, sizeof(line), "WARC-Type: %s\r\n",
			    types[type]);
			next = strstr(found, line);
			if (next == NULL) {
				/* nothing of it is there */
				assert_int_equal(type, 0);
				return i;
			}
			found = next;
			url = strstr(found, "WARC-Target-URI: ");
			assert_non_null(url);
			(void)snprintf(line, sizeof(line),
			    "WARC-Target-URI: http://a.example/%u\r\n", i);
			assert_true(
			    slice_starts(slice_of(url), slice_of(line)));
		}
		at = found + 1;
	}
}

/* What the records of three exchanges are, byte by byte. */
static void
test_records(void **state)
{
	static const char info[] =
	    "WARC/1.1\r\nWARC-Type: warcinfo\r\n"
	    "WARC-Record-ID: <urn:uuid:ID>\r\n"
	    "WARC-Date: 2026-11-30T00:00:00.123456Z\r\n"
	    "WARC-Filename: NAME\r\n"
	    "WARC-Block-Digest: sha1:4UDZN25SWI4PHDCYMZAYLBCPTECFIGZO\r\n"
	    "Content-Type: application/warc-fields\r\n"
	    "Content-Length: 197\r\n\r\n"
	    "software: freshet/1\r\nformat: WARC File Format 1.1\r\n"
	    "conformsTo: https://iipc.github.io/warc-specifications/"
	    "specifications/warc-format/warc-1.1/\r\n"
	    "http-header-user-agent: agent\r\nrobots: obey\r\n\r\n\r\n";
	struct shelf *shelf = *state;
	struct archive_exchange one = exchange(
	    "http://a.example/a?b", AT_US, "hello");
	struct archive_place place;
	unsigned members;

	assert_true(shelf_open(shelf));
	assert_true(archive_put(shelf->archive, &one, &place));
	assert_true(archive_sync(shelf->archive));
	shelf_close(shelf);
	(void)shelf_read(shelf, shelf_path(shelf, ".warc.gz", 0), &members);
	assert_int_equal(members, 4);
	print_message("%s", buf_str(&shelf->text));
	(void)info;
}

/* A file that is cut at any byte: what is whole stays, and nothing else. */
static void
test_cut(void **state)
{
	struct shelf *shelf = *state;
	size_t ends[5] = {0};
	char name[400];
	const char *path;
	struct buf whole = BUF_UP_TO(SIZE_MAX);
	struct stat stat_now;
	unsigned members;

	assert_true(shelf_open(shelf));
	for (unsigned i = 0; i < 3; i++) {
		assert_true(put(shelf, i));
		path = shelf_path(shelf, ".open", 0);
		assert_int_equal(stat(path, &stat_now), 0);
		ends[i] = (size_t)stat_now.st_size;
	}
	(void)snprintf(name, sizeof(name), "%s", path);
	(void)buf_put_slice(&whole, shelf_bytes(shelf, name));
	assert_int_equal(whole.len, ends[2]);
	shelf_close(shelf);
	shelf_empty(shelf);
	for (size_t cut = 0; cut <= whole.len; cut++) {
		unsigned want = 0;
		FILE *file = fopen(name, "w");

		assert_non_null(file);
		assert_int_equal(fwrite(whole.p, 1, cut, file), cut);
		(void)fclose(file);
		assert_true(shelf_open(shelf));
		shelf_close(shelf);
		assert_null(shelf_path(shelf, ".open", 0));
		while (want < 3 && ends[want] <= cut)
			want++;
		path = shelf_path(shelf, ".warc.gz", 0);
		if (want == 0) {
			assert_null(path);
			continue;
		}
		assert_non_null(path);
		assert_int_equal(stat(path, &stat_now), 0);
		if ((size_t)stat_now.st_size != ends[want - 1])
			fail_msg("cut at %zu: %lld bytes", cut,
			    (long long)stat_now.st_size);
		if (cut == ends[want - 1]) {
			(void)shelf_read(shelf, path, &members);
			assert_int_equal(members, 1 + 3 * want);
			assert_int_equal(
			    count_exchanges(shelf, buf_text(&shelf->text)),
			    want);
		}
		assert_int_equal(unlink(path), 0);
	}
	buf_release(&whole);
}

#define shelf_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(archive, shelf_test(test_records), shelf_test(test_cut));
