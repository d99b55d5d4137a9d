/* crawler/event/spool.c: bodies on their way to a reader. */
#include "tests/fixtures/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/event/scratch.h"
#include "crawler/event/spool.h"

#define BODY_BYTES 300000

static char *
make_body(void)
{
	char *body = mem_alloc(BODY_BYTES);
	uint32_t x = 1;
	size_t i;

	for (i = 0; i < BODY_BYTES; i++) {
		x = x * 1664525 + 1013904223;
		body[i] = (char)(x >> 24);
	}
	return body;
}

static void
expect_file(struct spool_file *file, struct slice body)
{
	struct digester *digester = digester_new();
	struct digest want, have = digester_value(file->digester);
	char *bytes = mem_alloc(body.len + 1);
	int fd = spool_reader_fd(file);
	size_t n = 0;

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	while (n <= body.len) {
		ssize_t got = read(fd, bytes + n, body.len + 1 - n);

		assert_true(got >= 0);
		if (got == 0)
			break;
		n += (size_t)got;
	}
	assert_int_equal(n, body.len);
	if (n > 0)
		assert_memory_equal(bytes, body.p, n);
	assert_true(write(fd, "x", 1) < 0);
	(void)close(fd);
	free(bytes);
	digester_feed(digester, body);
	want = digester_value(digester);
	digester_free(digester);
	assert_memory_equal(want.bytes, have.bytes, sizeof(want.bytes));
	assert_int_equal(file->length, body.len);
}

static void
expect_bytes(struct spool_file *file, struct slice body)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_true(spool_read(file, &out));
	assert_int_equal(out.len, body.len);
	if (body.len > 0)
		assert_memory_equal(out.p, body.p, body.len);
	buf_release(&out);
}

static const struct {
	size_t len;
	size_t piece;
} bodies[] = {
    {0, 1},
    {1, 1},
    {1000, 1},
    {1000, 7},
    {16384, 16384},
    {65535, 1000},
    {65536, 65536},
    {65537, 65537},
    {65537, 1},
    {131072, 16384},
    {BODY_BYTES, BODY_BYTES},
    {BODY_BYTES, 16384},
    {BODY_BYTES, 4097},
    {BODY_BYTES, 100000},
    {3, 3},
};

/* Two bodies in turn use the same file; the second has no byte of the first. */
static void
test_bodies(void **state)
{
	struct spool *spool = spool_new(NULL);
	char *body = make_body();
	unsigned before = count_fds();
	size_t i, at;

	for (i = 0; i < COUNT(bodies); i++) {
		struct spool_file *file = spool_get(spool);

		assert_non_null(file);
		for (at = 0; at < bodies[i].len; at += bodies[i].piece) {
			size_t n = bodies[i].len - at;

			if (n > bodies[i].piece)
				n = bodies[i].piece;
			assert_int_equal(
			    spool_write(file, slice_make(body + at, n)),
			    DIAG_OK);
		}
		expect_bytes(file, slice_make(body, bodies[i].len));
		expect_file(file, slice_make(body, bodies[i].len));
		/* Two readers each begin at the start. */
		expect_file(file, slice_make(body, bodies[i].len));
		expect_bytes(file, slice_make(body, bodies[i].len));
		spool_put(file);
		/* One on the disk, one in memory. */
		assert_in_range(count_fds(), before, before + 2);
	}
	spool_put(NULL);
	spool_free(spool);
	spool_free(NULL);
	free(body);
}

/* Two bodies at once have two files; at most max_idle files are kept. */
static void
test_pool(void **state)
{
	struct spool_options options = {.max_idle = 1};
	struct spool *spool = spool_new(&options);
	struct spool_file *a = spool_get(spool);
	struct spool_file *b = spool_get(spool);
	unsigned before = count_fds() - 1;

	assert_non_null(a);
	assert_non_null(b);
	assert_true(a != b);
	(void)spool_write(a, slice_of("a"));
	(void)spool_write(b, slice_of("b"));
	expect_file(a, slice_of("a"));
	expect_file(b, slice_of("b"));
	assert_int_equal(count_fds(), before + 3);
	spool_put(a);
	spool_put(b);
	assert_int_equal(count_fds(), before + 2);
	spool_free(spool);
	assert_int_equal(count_fds(), before);
}

/* A body that no reader asks for takes no file up to 256 KiB; and once all
 * bodies hold 8 MiB in memory, each may hold 16 KiB. */
static void
test_small(void **state)
{
	struct spool *spool = spool_new(NULL);
	struct spool_file *files[60];
	unsigned before = count_fds();
	char *body = make_body();

	for (size_t i = 0; i < 60; i++) {
		files[i] = spool_get(spool);
		assert_non_null(files[i]);
		for (size_t at = 0; at < 262144; at += 8192)
			assert_int_equal(
			    spool_write(files[i], slice_make(body + at, 8192)),
			    DIAG_OK);
		if (i == 31)
			assert_int_equal(count_fds(), before + 1);
	}
	assert_in_range(count_fds(), before + 28, before + 29);
	for (size_t i = 0; i < 60; i++) {
		expect_bytes(files[i], slice_make(body, 262144));
		spool_put(files[i]);
	}
	spool_free(spool);
	free(body);
}

/* The bytes of all unlinked files that are open. */
static uint64_t
kept_bytes(void)
{
	uint64_t sum = 0;

	for (int fd = 0; fd < 256; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_nlink == 0)
			sum += (uint64_t)st.st_size;
	}
	return sum;
}

/* Idle files keep 16 MiB together, and each of the others 64 KiB. */
static void
test_idle(void **state)
{
	struct spool *spool = spool_new(NULL);
	uint64_t before = kept_bytes();
	struct spool_file *files[80];
	char *body = make_body();

	for (size_t turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < 80; i++) {
			files[i] = spool_get(spool);
			assert_non_null(files[i]);
			(void)spool_write(
			    files[i], slice_make(body, BODY_BYTES - i));
			expect_file(files[i], slice_make(body, BODY_BYTES - i));
		}
		assert_true(kept_bytes() - before > 22u << 20);
		for (size_t i = 0; i < 80; i++)
			spool_put(files[i]);
		assert_in_range(kept_bytes() - before, 15u << 20,
		    (16u << 20) + (25u << 16));
	}
	spool_free(spool);
	free(body);
}

/* The expected bytes are those written so far, or the usual length of recent
 * bodies for each, if that is more; answers without a body do not count. */
static void
test_expected(void **state)
{
	struct spool *spool = spool_new(NULL);
	struct spool_file *files[40];
	char *body = make_body();

	assert_int_equal(spool_expected(spool), 0);
	for (size_t i = 0; i < 40; i++) {
		files[i] = spool_get(spool);
		(void)spool_write(files[i], slice_make(body, 1000));
	}
	assert_int_equal(spool_expected(spool), 40000);
	for (size_t i = 0; i < 40; i++)
		spool_put(files[i]);
	assert_int_equal(spool_expected(spool), 0);
	for (size_t i = 0; i < 40; i++)
		files[i] = spool_get(spool);
	/* The mean, of 1,000 bytes, is almost reached after 40 bodies. */
	assert_in_range(spool_expected(spool), 40 * 800, 40 * 1000);
	(void)spool_write(files[0], slice_make(body, 300000));
	assert_int_equal(spool_expected(spool), 300000);
	for (size_t i = 0; i < 40; i++)
		spool_put(files[i]);
	assert_int_equal(spool_expected(spool), 0);
	spool_free(spool);
	free(body);
}

/* Without descriptors no file can be reserved; a file given back can be. */
static void
test_reserve(void **state)
{
	struct spool *spool = spool_new(NULL);
	struct spool_file *file;
	struct rlimit was, limit;
	char *body = make_body();

	assert_true(spool_reserve(spool));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	limit = was;
	limit.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	file = spool_get(spool);
	assert_non_null(file);
	assert_int_equal(
	    spool_write(file, slice_make(body, BODY_BYTES)), DIAG_OK);
	assert_false(spool_reserve(spool));
	assert_int_equal(errno, EMFILE);
	assert_null(spool_get(spool));
	spool_put(file);
	assert_true(spool_reserve(spool));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	spool_free(spool);
	free(body);
}

/* A limit of the file size stands for a full disk. */
static void
test_disk_full(void **state)
{
	struct spool *spool = spool_new(NULL);
	struct spool_file *file = spool_get(spool);
	struct rlimit was, limit;
	char *body = make_body();

	assert_non_null(file);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	limit = was;
	limit.rlim_cur = 100000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(
	    spool_write(file, slice_make(body, BODY_BYTES)), DIAG_DISK_FULL);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(spool_write(file, slice_of("x")), DIAG_DISK_FULL);
	assert_int_equal(spool_reader_fd(file), -1);
	/* After a reset another body may fit. */
	spool_put(file);
	file = spool_get(spool);
	assert_non_null(file);
	assert_int_equal(
	    spool_write(file, slice_make(body, BODY_BYTES)), DIAG_OK);
	expect_file(file, slice_make(body, BODY_BYTES));
	spool_put(file);
	spool_free(spool);
	free(body);
}

/* Small bodies fail late, when they are written for a reader. */
static void
test_late_failure(void **state)
{
	struct spool *spool = spool_new(NULL);
	struct spool_file *file = spool_get(spool);
	struct rlimit was, limit;

	assert_non_null(file);
	assert_int_equal(spool_write(file, slice_of("abc")), DIAG_OK);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	limit = was;
	limit.rlim_cur = 1;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(spool_reader_fd(file), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	spool_put(file);
	spool_free(spool);
}

static void
test_no_folder(void **state)
{
	struct spool_options options = {.dir = "/no/such/folder"};
	struct spool *spool = spool_new(&options);

	assert_null(spool_get(spool));
	assert_int_equal(errno, ENOENT);
	spool_free(spool);
}

/* The file has no name, and only this user may open it. */
static void
test_scratch(void **state)
{
	struct stat st;
	int fd = scratch_fd(NULL);

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	(void)close(fd);
}

UNIT_TESTS(spool, cmocka_unit_test(test_bodies), cmocka_unit_test(test_pool),
    cmocka_unit_test(test_small), cmocka_unit_test(test_idle),
    cmocka_unit_test(test_expected), cmocka_unit_test(test_reserve),
    cmocka_unit_test(test_disk_full), cmocka_unit_test(test_late_failure),
    cmocka_unit_test(test_no_folder), cmocka_unit_test(test_scratch));
