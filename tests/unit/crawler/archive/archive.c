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
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
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
	struct spool *spool; /* owned */
	struct spool_file *body; /* of exchange() */
	struct fetch_result result; /* of exchange() */
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

	/* Thousands of syncs; where there is memory for files they cost
	 * nothing. */
	if (access("/dev/shm", W_OK | X_OK) == 0)
		(void)setenv("TMPDIR", "/dev/shm", 1);
	shelf->folder = scratch_folder();
	assert_non_null(shelf->folder);
	shelf->about = about;
	shelf->spool = spool_new(NULL);
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
	spool_put(shelf->body);
	spool_free(shelf->spool);
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

/* exchange(shelf, url, at_us, body): until the next call. */
static struct archive_exchange
exchange(struct shelf *shelf, const char *url, int64_t at_us, const char *body)
{
	spool_put(shelf->body);
	shelf->body = spool_get(shelf->spool);
	assert_non_null(shelf->body);
	assert_int_equal(spool_write(shelf->body, slice_of(body)), DIAG_OK);
	shelf->result = (struct fetch_result){.status = 200,
	    .request_head = slice_of(REQUEST),
	    .answer_head = slice_of(ANSWER),
	    .wire_bytes = strlen(body)};
	return (struct archive_exchange){.url = slice_of(url),
	    .at_us = at_us,
	    .result = &shelf->result,
	    .body = shelf->body,
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
	one = exchange(shelf, url, AT_US + i, body);
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
			    "WARC-Target-URI: %shttp://a.example/%u\r\n",
			    type == 2 ? "urn:X-freshet:" : "", i);
			assert_true(
			    slice_starts(slice_of(url), slice_of(line)));
		}
		at = found + 1;
	}
}

/* shelf_records(shelf, members): the records of the only finished file, behind
 * warcinfo. */
static const char *
shelf_records(struct shelf *shelf, unsigned wanted)
{
	const char *path = shelf_path(shelf, ".warc.gz", 0);
	const char *second;
	unsigned members;

	assert_non_null(path);
	(void)shelf_read(shelf, path, &members);
	assert_int_equal(members, wanted);
	second = strstr(buf_str(&shelf->text) + 1, "WARC/1.1\r\n");
	assert_non_null(second);
	return second;
}

#define PAGE "http://a.example/a?b"
#define ID_REQUEST "9884bc51-0822-8fa8-b2b7-d392f43f8c03"
#define ID_ANSWER "629247d0-f94a-8d4b-bd6e-fa93adceef46"

/* What the first three records are, byte by byte. */
static void
test_records(void **state)
{
	static const char info[] =
	    "Content-Type: application/warc-fields\r\n"
	    "Content-Length: 189\r\n\r\n"
	    "software: freshet/1\r\nformat: WARC File Format 1.1\r\n"
	    "conformsTo: https://iipc.github.io/warc-specifications/"
	    "specifications/warc-format/warc-1.1/\r\n"
	    "http-header-user-agent: agent\r\nrobots: obey\r\n\r\n\r\n"
	    "WARC/1.1\r\n";
	static const char records[] =
	    "WARC/1.1\r\nWARC-Type: request\r\n"
	    "WARC-Record-ID: <urn:uuid:" ID_REQUEST ">\r\n"
	    "WARC-Date: 2026-11-30T02:40:00.123456Z\r\n"
	    "WARC-Target-URI: " PAGE "\r\n"
	    "WARC-IP-Address: 192.0.2.7\r\n"
	    "WARC-Concurrent-To: <urn:uuid:" ID_ANSWER ">\r\n"
	    "WARC-Block-Digest: sha1:5G375ST2LYIVFSEN7X4RMO7MEFBSPOQS\r\n"
	    "Content-Type: application/http;msgtype=request\r\n"
	    "Content-Length: 36\r\n\r\n" REQUEST "\r\n\r\n"
	    "WARC/1.1\r\nWARC-Type: response\r\n"
	    "WARC-Record-ID: <urn:uuid:" ID_ANSWER ">\r\n"
	    "WARC-Date: 2026-11-30T02:40:00.123456Z\r\n"
	    "WARC-Target-URI: " PAGE "\r\n"
	    "WARC-IP-Address: 192.0.2.7\r\n"
	    "WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\n"
	    "WARC-Block-Digest: sha1:OZO72LTFIETZ22ZSQLLUYASEPRLNWQ2O\r\n"
	    "Content-Type: application/http;msgtype=response\r\n"
	    "Content-Length: 75\r\n\r\n"
	    "HTTP/1.1 200 OK\r\n"
	    "X-Archive-Orig-transfer-Encoding: chunked\r\nX-A: b\r\n\r\n"
	    "hello\r\n\r\n"
	    "WARC/1.1\r\nWARC-Type: metadata\r\n"
	    "WARC-Record-ID: "
	    "<urn:uuid:6e45803a-06ff-814c-bcaf-9583485a4379>\r\n"
	    "WARC-Date: 2026-11-30T02:40:00.123456Z\r\n"
	    "WARC-Target-URI: urn:X-freshet:" PAGE "\r\n"
	    "WARC-Concurrent-To: <urn:uuid:" ID_ANSWER ">\r\n"
	    "WARC-Refers-To: <urn:uuid:" ID_ANSWER ">\r\n"
	    "WARC-Block-Digest: sha1:AU4G6KGRMFH6ZMOH4MU33ASBP62I3VCS\r\n"
	    "Content-Type: application/json\r\nContent-Length: 7\r\n\r\n"
	    "{\"v\":1}\r\n\r\n";
	struct shelf *shelf = *state;
	struct archive_exchange one = exchange(shelf, PAGE, AT_US, "hello");
	struct archive_place place;
	const char *got, *name;
	char line[200];

	assert_true(addr_parse(&shelf->result.peer, slice_of("192.0.2.7")));
	shelf->result.has_peer = true;
	assert_true(shelf_open(shelf));
	assert_true(archive_put(shelf->archive, &one, &place));
	assert_true(archive_unsynced(shelf->archive) > 0);
	assert_true(archive_sync(shelf->archive));
	assert_int_equal(archive_unsynced(shelf->archive), 0);
	shelf_close(shelf);
	got = shelf_records(shelf, 4);
	assert_string_equal(got, records);
	/* warcinfo has the name of the file, which has that of the machine. */
	name = strrchr(shelf->file, '/') + 1;
	assert_string_equal(place.file, name);
	assert_int_equal(strncmp(name, "freshet-20261130024000-00001-", 29), 0);
	(void)snprintf(line, sizeof(line), "WARC-Filename: %s\r\n", name);
	assert_non_null(strstr(buf_str(&shelf->text), line));
	assert_non_null(strstr(buf_str(&shelf->text), info));
	/* The place is that of the member of the response. */
	assert_string_equal(place.record_id, "urn:uuid:" ID_ANSWER);
	assert_false(place.is_revisit);
	assert_int_equal(place.digest[0], 0xaa);
	struct slice bytes = shelf_bytes(shelf, shelf->file);
	assert_true(place.offset + place.length <= bytes.len);
	FILE *file = fopen(shelf->file, "w");
	assert_non_null(file);
	assert_int_equal(
	    fwrite(bytes.p + place.offset, 1, (size_t)place.length, file),
	    place.length);
	(void)fclose(file);
	unsigned members;
	(void)shelf_read(shelf, shelf->file, &members);
	assert_int_equal(members, 1);
	assert_true(slice_starts(buf_text(&shelf->text),
	    slice_of("WARC/1.1\r\nWARC-Type: response\r\n")));
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

/* test_answers: what becomes of an answer whose payload is known, and what is
 * said of it. */
static void
test_answers(void **state)
{
	static const struct {
		int status;
		const char *body, *truncated;
		bool has_before, is_told;
		enum diag_code code;
		unsigned more; /* bytes that came, and are not in the spool */
		/* in the record of the answer */
		const char *type, *lines;
		const char *block; /* the end of its block */
	} answers[] = {
	    {200, "hello", NULL, false, false, DIAG_OK, 0, "response", "",
		"hello"},
	    {200, "hello", NULL, true, false, DIAG_OK, 0, "revisit",
		"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
		"identical-payload-digest\r\n"
		"WARC-Refers-To: <urn:uuid:" ID_ANSWER ">\r\n"
		"WARC-Refers-To-Target-URI: " PAGE "\r\n"
		"WARC-Refers-To-Date: 2026-11-30T02:40:00.123456Z\r\n"
		"WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
		"\r\n",
		"X-A: b\r\n\r\n"},
	    {200, "hello", NULL, true, false, DIAG_OK, 0, "revisit",
		"WARC-Truncated: length\r\n", "X-A: b\r\n\r\n"},
	    {304, "", NULL, true, false, DIAG_OK, 0, "revisit",
		"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
		"server-not-modified\r\n"
		"WARC-Refers-To: <urn:uuid:" ID_ANSWER ">\r\n"
		"WARC-Refers-To-Target-URI: " PAGE "\r\n"
		"WARC-Refers-To-Date: 2026-11-30T02:40:00.123456Z\r\n"
		"WARC-Block-Digest:",
		"X-A: b\r\n\r\n"},
	    {304, "", NULL, false, false, DIAG_OK, 0, "response", "",
		"X-A: b\r\n\r\n"},
	    {200, "hellO", NULL, true, false, DIAG_OK, 0, "response", "",
		"hellO"},
	    {404, "hello", NULL, true, false, DIAG_OK, 0, "response", "",
		"hello"},
	    {200, "hello", "time", true, true, DIAG_FETCH_NETWORK_ERROR, 0,
		"response", "WARC-Truncated: time\r\n", "hello"},
	    {404, "he", "length", true, true, DIAG_OK, 0, "response",
		"WARC-Truncated: length\r\n", "he"},
	    {200, "", "disconnect", true, false, DIAG_FETCH_NETWORK_ERROR, 0,
		"response", "WARC-Truncated: disconnect\r\n", "X-A: b\r\n\r\n"},
	    {200, "hello", "length", true, false, DIAG_BODY_TOO_BIG, 0,
		"response", "WARC-Truncated: length\r\n", "hello"},
	    {404, "", "unspecified", true, false, DIAG_OK, 9, "response",
		"WARC-Truncated: unspecified\r\n", "X-A: b\r\n\r\n"},
	};
	struct shelf *shelf = *state;
	struct archive_known before = {.at_us = AT_US};
	struct archive_place place;

	for (size_t i = 0; i < COUNT(answers); i++) {
		struct archive_exchange one = exchange(
		    shelf, PAGE, AT_US + 1000000, answers[i].body);
		bool is_revisit = strcmp(answers[i].type, "revisit") == 0;
		const char *at, *end;
		char line[100];

		shelf->result.status = answers[i].status;
		shelf->result.code = answers[i].code;
		shelf->result.truncated = answers[i].is_told
		    ? answers[i].truncated
		    : NULL;
		shelf->result.wire_bytes += answers[i].more;
		one.before = answers[i].has_before ? &before : NULL;
		one.json = slice_of("");
		assert_true(shelf_open(shelf));
		assert_true(archive_put(shelf->archive, &one, &place));
		/* Of the first one, which is a response. */
		if (i == 0)
			memcpy(before.digest, place.digest, SHA1_BYTES);
		assert_int_equal(place.is_revisit, is_revisit);
		shelf_close(shelf);
		at = shelf_records(shelf, 3);
		at = strstr(at + 1, "WARC/1.1\r\n");
		assert_non_null(at);
		(void)snprintf(
		    line, sizeof(line), "WARC-Type: %s\r\n", answers[i].type);
		if (strstr(at, line) == NULL ||
		    strstr(at, answers[i].lines) == NULL ||
		    (is_revisit) != (strstr(at, "WARC-Refers") != NULL) ||
		    (answers[i].truncated == NULL && !is_revisit &&
			strstr(at, "WARC-Truncated") != NULL))
			fail_msg("row %zu: %s", i, at);
		end = at + strlen(at) - strlen(answers[i].block) - 4;
		(void)snprintf(
		    line, sizeof(line), "%s\r\n\r\n", answers[i].block);
		assert_string_equal(end, line);
		shelf_empty(shelf);
	}
}

/* A body of megabytes goes through buffers that do not grow with it. */
static void
test_long(void **state)
{
	const size_t len = 5000000;
	struct shelf *shelf = *state;
	struct archive_exchange one;
	struct archive_place place;
	char *body = mem_zero(len + 1);
	uint32_t x = 1;
	const char *at;

	for (size_t i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		body[i] = (char)('0' + (x >> 26));
	}
	assert_true(shelf_open(shelf));
	one = exchange(shelf, PAGE, AT_US, body);
	assert_true(archive_put(shelf->archive, &one, &place));
	assert_in_range(place.length, len / 2, len * 9 / 10);
	/* A body that cannot be read is an error, and nothing of it stays. */
	shelf->body->error = EIO;
	assert_false(archive_put(shelf->archive, &one, &place));
	assert_non_null(
	    strstr(archive_error(shelf->archive), "cannot read a body"));
	assert_true(archive_sync(shelf->archive));
	shelf_close(shelf);
	at = shelf_records(shelf, 4);
	at = strstr(at, "X-A: b\r\n\r\n") + 10;
	assert_memory_equal(at, body, len);
	assert_memory_equal(at + len, "\r\n\r\n", 4);
	free(body);
}

/* A disk that is full at any byte: what was whole stays, nothing else does, and
 * it goes on when there is room. */
static void
test_full(void **state)
{
	struct shelf *shelf = *state;
	struct rlimit was, limit;
	struct stat stat_now;
	const char *path;
	rlim_t most;
	unsigned members, tried = 0;

	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	assert_true(shelf_open(shelf));
	assert_true(put(shelf, 0) && put(shelf, 1) && put(shelf, 2));
	path = shelf_path(shelf, ".open", 0);
	assert_int_equal(stat(path, &stat_now), 0);
	most = (rlim_t)stat_now.st_size;
	shelf_close(shelf);
	shelf_empty(shelf);
	for (rlim_t size = 16; size < most; size += 7, tried++) {
		unsigned done = 0;
		bool had_file = false;

		limit = was;
		limit.rlim_cur = size;
		assert_true(shelf_open(shelf));
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		while (done < 3 && put(shelf, done))
			done++;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
		assert_true(done < 3);
		if (strstr(archive_error(shelf->archive), ": File too large") ==
			NULL &&
		    strstr(archive_error(shelf->archive), ": No space left") ==
			NULL)
			fail_msg("%s", archive_error(shelf->archive));
		path = shelf_path(shelf, ".open", 0);
		had_file = path != NULL;
		if (had_file) {
			(void)shelf_read(shelf, path, &members);
			assert_int_equal(members, 1 + 3 * done);
		}
		assert_true(archive_sync(shelf->archive));
		for (; done < 3; done++)
			assert_true(put(shelf, done));
		assert_true(archive_sync(shelf->archive));
		shelf_close(shelf);
		(void)shelf_records(shelf, 10);
		assert_int_equal(
		    count_exchanges(shelf, buf_text(&shelf->text)), 3);
		assert_null(shelf_path(shelf, ".warc.gz", 1));
		shelf_empty(shelf);
	}
	assert_true(tried > 100);
}

/* A process is killed at any moment: what it said was on the disk is there,
 * once. */
static void
test_kill(void **state)
{
	struct shelf *shelf = *state;

	for (int round = 0; round < 12; round++) {
		unsigned acked = 0, now, got, members;
		const char *path;
		int ends[2];
		pid_t pid;

		assert_int_equal(pipe(ends), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			if (!shelf_open(shelf))
				_exit(1);
			for (unsigned i = 0;; i++)
				if (!put(shelf, i) ||
				    !archive_sync(shelf->archive) ||
				    write(ends[1], &i, sizeof(i)) < 0)
					_exit(1);
		}
		(void)close(ends[1]);
		while (acked < 3U + (unsigned)round &&
		    read(ends[0], &now, sizeof(now)) == sizeof(now))
			acked = now + 1;
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		while (read(ends[0], &now, sizeof(now)) == sizeof(now))
			acked = now + 1;
		(void)close(ends[0]);
		assert_non_null(shelf_path(shelf, ".open", 0));
		assert_true(shelf_open(shelf));
		shelf_close(shelf);
		assert_null(shelf_path(shelf, ".open", 0));
		path = shelf_path(shelf, ".warc.gz", 0);
		assert_non_null(path);
		(void)shelf_read(shelf, path, &members);
		got = count_exchanges(shelf, buf_text(&shelf->text));
		assert_int_equal(members, 1 + 3 * got);
		/* at most the one that it was about to say */
		assert_in_range(got, acked, acked + 1);
		shelf_empty(shelf);
	}
}

/* Several processes on one folder, each with a file of its own; none repairs
 * what another writes. */
static void
test_shared(void **state)
{
	struct shelf *shelf = *state;
	struct archive *archives[3];
	struct archive_place places[3];
	struct archive_exchange one = exchange(shelf, PAGE, AT_US, "hello");
	unsigned members;

	for (size_t i = 0; i < COUNT(archives); i++) {
		archives[i] = archive_open(
		    shelf->folder, ARCHIVE_WARC, &about, shelf->why);
		assert_non_null(archives[i]);
		assert_int_equal(
		    archive_id(archives[i]), archive_id(archives[0]));
		assert_int_not_equal(archive_id(archives[i]), 0);
		assert_true(archive_put(archives[i], &one, &places[i]));
		assert_true(archive_sync(archives[i]));
	}
	assert_string_not_equal(places[0].file, places[1].file);
	assert_string_not_equal(places[1].file, places[2].file);
	assert_string_equal(places[0].record_id, places[1].record_id);
	for (size_t i = 0; i < COUNT(archives); i++) {
		assert_true(archive_put(archives[i], &one, &places[i]));
		archive_close(archives[i]);
	}
	for (int i = 0; i < 3; i++) {
		(void)shelf_read(
		    shelf, shelf_path(shelf, ".warc.gz", i), &members);
		assert_int_equal(members, 7);
	}
	assert_null(shelf_path(shelf, ".open", 0));
}

/* A file ends at the sync behind the limit, and another one begins. */
static void
test_files(void **state)
{
	struct shelf *shelf = *state;
	unsigned members;

	shelf->about.file_bytes = 2000;
	assert_true(shelf_open(shelf));
	for (unsigned i = 0; i < 9; i++) {
		assert_true(put(shelf, i));
		assert_true(archive_sync(shelf->archive));
		assert_true(archive_sync(shelf->archive));
	}
	shelf_close(shelf);
	for (int i = 0; i < 5; i++) {
		(void)shelf_read(
		    shelf, shelf_path(shelf, ".warc.gz", i), &members);
		assert_int_equal(members, i < 4 ? 7 : 4);
	}
	assert_null(shelf_path(shelf, ".warc.gz", 5));
	assert_null(shelf_path(shelf, ".open", 0));
	/* An archive without an exchange makes no file. */
	shelf_empty(shelf);
	assert_true(shelf_open(shelf));
	assert_true(archive_sync(shelf->archive));
	shelf_close(shelf);
	assert_null(shelf_path(shelf, ".gz", 0));
	assert_non_null(shelf_path(shelf, "freshet-archive", 0));
}

/* Folders that cannot be used, or are no more; and files of others. */
static void
test_folders(void **state)
{
	struct shelf *shelf = *state;
	char path[300], other[400];
	uint64_t id;
	FILE *file;

	/* A file is where the folder should be; there is nothing above it. */
	(void)snprintf(path, sizeof(path), "%s/a", shelf->folder);
	file = fopen(path, "w");
	assert_non_null(file);
	(void)fclose(file);
	assert_null(archive_open(path, ARCHIVE_WARC, &about, shelf->why));
	(void)snprintf(
	    other, sizeof(other), "cannot open '%s': Not a directory", path);
	assert_string_equal(shelf->why, other);
	(void)snprintf(path, sizeof(path), "%s/b/c", shelf->folder);
	assert_null(archive_open(path, ARCHIVE_WARC, &about, shelf->why));
	(void)snprintf(other, sizeof(other),
	    "cannot make the folder '%s': No such file or directory", path);
	assert_string_equal(shelf->why, other);
	shelf_empty(shelf);

	/* What another program called so is left alone, links are, too. */
	(void)snprintf(
	    path, sizeof(path), "%s/freshet-x.warc.gz.open", shelf->folder);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	(void)snprintf(
	    other, sizeof(other), "%s/freshet-y.warc.gz.open", shelf->folder);
	file = fopen(other, "w");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 100000), 0);
	(void)fclose(file);
	assert_true(shelf_open(shelf));
	assert_non_null(shelf_path(shelf, "-x.warc.gz.open", 0));
	assert_non_null(shelf_path(shelf, "-y.warc.gz.open", 0));
	id = archive_id(shelf->archive);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(other), 0);

	/* The file goes away: what was put is not said to be there. */
	assert_true(put(shelf, 0));
	assert_int_equal(unlink(shelf_path(shelf, ".open", 0)), 0);
	assert_false(archive_sync(shelf->archive));
	assert_non_null(strstr(archive_error(shelf->archive), "cannot find"));
	assert_true(put(shelf, 0));
	assert_true(archive_sync(shelf->archive));
	assert_int_equal(archive_id(shelf->archive), id);

	/* So does the folder; it is used again when it is there again. */
	assert_true(put(shelf, 1));
	shelf_empty(shelf);
	assert_int_equal(rmdir(shelf->folder), 0);
	assert_false(archive_sync(shelf->archive));
	assert_false(put(shelf, 1));
	(void)snprintf(other, sizeof(other),
	    "cannot open '%s': No such file or directory", shelf->folder);
	assert_string_equal(archive_error(shelf->archive), other);
	assert_false(put(shelf, 1));
	assert_int_equal(mkdir(shelf->folder, 0700), 0);
	assert_true(put(shelf, 1));
	assert_true(archive_sync(shelf->archive));
	assert_int_not_equal(archive_id(shelf->archive), id);
	shelf_close(shelf);
	assert_non_null(shelf_path(shelf, ".warc.gz", 0));

	/* A long name leaves room for the reason. */
	(void)snprintf(path, sizeof(path), "%s/%0200d", shelf->folder, 0);
	shelf->archive = archive_open(path, ARCHIVE_WARC, &about, shelf->why);
	assert_non_null(shelf->archive);
	(void)snprintf(other, sizeof(other), "%s/freshet-archive", path);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(rmdir(path), 0);
	assert_false(put(shelf, 1));
	assert_non_null(strstr(
	    archive_error(shelf->archive), ": No such file or directory"));
	shelf_close(shelf);

	/* A folder of somebody else; root may write everywhere. */
	assert_int_equal(chmod(shelf->folder, 0500), 0);
	if (geteuid() != 0) {
		assert_false(shelf_open(shelf));
		assert_non_null(strstr(shelf->why, "Permission denied"));
	}
	assert_int_equal(chmod(shelf->folder, 0700), 0);
}

/* Texts: a line a page, members at each sync and at some 256 KB. */
static void
test_texts(void **state)
{
	struct shelf *shelf = *state;
	struct archive_exchange one = exchange(shelf, PAGE, AT_US, "");
	struct archive_place place;
	struct rlimit was, limit;
	struct buf line = BUF_UP_TO(SIZE_MAX);
	const char *path, *at;
	unsigned members, lines = 0;
	uint32_t x = 1;

	shelf->form = ARCHIVE_TEXTS;
	assert_true(shelf_open(shelf));
	assert_true(archive_put(shelf->archive, &one, &place));
	one.json = slice_of("{\"v\":2}");
	assert_true(archive_put(shelf->archive, &one, &place));
	assert_int_equal(place.offset, 0);
	assert_true(archive_unsynced(shelf->archive) > 0);
	assert_true(archive_sync(shelf->archive));
	path = shelf_path(shelf, ".jsonl.gz.open", 0);
	assert_non_null(path);
	(void)shelf_read(shelf, path, &members);
	assert_int_equal(members, 1);
	assert_string_equal(buf_str(&shelf->text), "{\"v\":1}\n{\"v\":2}\n");

	/* Lines that cannot be packed; the disk is full: the line that did not
	 * fit is not there, those before it are, once there is room. */
	for (int i = 0; i < 100000; i++) {
		x = x * 1664525 + 1013904223;
		(void)buf_put_char(&line, (char)('0' + (x >> 26)));
	}
	one.json = buf_text(&line);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	limit = was;
	limit.rlim_cur = 100000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	while (archive_put(shelf->archive, &one, &place))
		lines++;
	assert_int_equal(lines, 2);
	assert_false(archive_put(shelf->archive, &one, &place));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_true(archive_put(shelf->archive, &one, &place));
	assert_int_equal(place.file[0], 'f');
	one.json = slice_of("last");
	assert_true(archive_put(shelf->archive, &one, &place));
	assert_true(archive_sync(shelf->archive));
	(void)shelf_read(
	    shelf, shelf_path(shelf, ".jsonl.gz.open", 0), &members);
	assert_int_equal(members, 3);
	for (at = buf_str(&shelf->text), lines = 0; *at != '\0'; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 6);

	/* A sync that fails: its lines are not there later. */
	one.json = slice_of("lost");
	assert_true(archive_put(shelf->archive, &one, &place));
	limit.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_false(archive_sync(shelf->archive));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	one.json = slice_of("found");
	assert_true(archive_put(shelf->archive, &one, &place));
	shelf_close(shelf);
	(void)shelf_read(shelf, shelf_path(shelf, ".jsonl.gz", 0), &members);
	assert_int_equal(members, 3);
	(void)shelf_read(shelf, shelf_path(shelf, ".jsonl.gz", 1), &members);
	assert_string_equal(buf_str(&shelf->text), "found\n");
	assert_null(shelf_path(shelf, ".open", 0));
	buf_release(&line);
}

/* What lies behind a byte that a disk has changed stays, as far as lengths
 * lead to it. */
static void
test_damage(void **state)
{
	struct shelf *shelf = *state;
	struct stat before, after;
	char path[300];
	FILE *file;

	assert_true(shelf_open(shelf));
	for (unsigned i = 0; i < 3; i++)
		assert_true(put(shelf, i));
	assert_true(archive_sync(shelf->archive));
	(void)snprintf(path, sizeof(path), "%s", shelf_path(shelf, ".open", 0));
	assert_int_equal(stat(path, &before), 0);
	(void)shelf_bytes(shelf, path);
	shelf_close(shelf);
	shelf_empty(shelf);
	/* a byte of the request of the second exchange */
	for (int is_last = 0; is_last < 2; is_last++) {
		size_t at = is_last ? shelf->bytes.len - 1 : 1500;

		shelf->bytes.p[at] ^= 1;
		file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(
		    fwrite(shelf->bytes.p, 1, shelf->bytes.len, file),
		    shelf->bytes.len);
		(void)fclose(file);
		shelf->bytes.p[at] ^= 1;
		assert_true(shelf_open(shelf));
		shelf_close(shelf);
		assert_int_equal(
		    stat(shelf_path(shelf, ".warc.gz", 0), &after), 0);
		assert_int_equal(after.st_size == before.st_size, !is_last);
		struct buf kept = shelf->bytes;
		shelf->bytes = BUF_UP_TO(SIZE_MAX);
		shelf_empty(shelf);
		buf_release(&shelf->bytes);
		shelf->bytes = kept;
	}
}

#define shelf_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(archive, shelf_test(test_records), shelf_test(test_answers),
    shelf_test(test_long), shelf_test(test_cut), shelf_test(test_full),
    shelf_test(test_kill), shelf_test(test_shared), shelf_test(test_files),
    shelf_test(test_folders), shelf_test(test_texts), shelf_test(test_damage));
