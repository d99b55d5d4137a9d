/* Entries in any order in, one for each URL in order out. */
#include "tests/fixtures/fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/segment/sorter.h"

#define NOW_S 1700000000

static uint64_t
next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* How URLs are made: shapes that sorts are often wrong about. */
enum shape {
	SHORT,
	SHARED,
	NESTED,
	GROUPED,
	ASCENDING,
	DESCENDING,
	SAME,
	SHAPES
};

static void
make_url(enum shape shape, uint64_t i, uint64_t r, char *out, size_t size)
{
	char tail[300];

	switch (shape) {
	case SHORT:
		(void)snprintf(out, size, "%c%c", (char)('a' + r % 26),
		    (char)('a' + r / 26 % 26));
		break;
	case SHARED:
		(void)snprintf(out, size,
		    "https://www.example.test/a/long/shared/prefix/%u/%u",
		    (unsigned)(r % 1000), (unsigned)(r >> 20) % 7);
		break;
	case NESTED: /* each URL is a prefix of others */
		memset(tail, 'x', sizeof(tail));
		tail[r % (sizeof(tail) - 1)] = '\0';
		(void)snprintf(out, size, "http://h/%s", tail);
		break;
	case GROUPED: /* groups that agree for more than one key */
		memset(tail, (char)('a' + r % 3), sizeof(tail));
		tail[100 + (r >> 8) % 3 * 8] = '\0';
		(void)snprintf(out, size, "http://h/%s/%u", tail,
		    (unsigned)(r >> 16) % 500);
		break;
	case ASCENDING:
		(void)snprintf(out, size, "http://h/%08u", (unsigned)i / 2);
		break;
	case DESCENDING:
		(void)snprintf(
		    out, size, "http://h/%08u", 99999999 - (unsigned)i);
		break;
	case SAME:
	case SHAPES:
		(void)snprintf(out, size, "http://h/");
		break;
	}
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int
scratch(void)
{
	char name[] = "/tmp/freshet-sorter-XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	(void)unlink(name);
	return fd;
}

static void
check_sorted(enum shape shape, size_t count, size_t max_bytes, int fd)
{
	struct sorter *sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = max_bytes, .scratch_fd = fd, .now_s = NOW_S});
	char **urls = calloc(count, sizeof(*urls));
	uint64_t seed = 88172645463325252u + shape;
	uint64_t repeats = 0;
	struct entry entry;
	char url[400];

	for (size_t i = 0; i < count; i++) {
		make_url(shape, i, next_random(&seed), url, sizeof(url));
		urls[i] = strdup(url);
		assert_true(sorter_add(sorter,
		    &(struct entry){
			.url = slice_of(url),
			.ordinal = (uint32_t)i,
		    }));
	}
	assert_true(sorter_finish(sorter));
	qsort(urls, count, sizeof(*urls), by_text);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && strcmp(urls[i], urls[i - 1]) == 0) {
			repeats++;
			continue;
		}
		assert_true(sorter_next(sorter, &entry));
		assert_true(slice_is(entry.url, urls[i]));
	}
	assert_false(sorter_next(sorter, &entry));
	assert_false(sorter_end(sorter)->is_failed);
	assert_int_equal(sorter_end(sorter)->repeats, repeats);
	for (size_t i = 0; i < count; i++)
		free(urls[i]);
	free(urls);
	sorter_free(sorter);
}

static void
test_order(void **state)
{
	static const size_t counts[] = {0, 1, 2, 20, 21, 300, 5000};

	for (int shape = 0; shape < SHAPES; shape++)
		for (size_t i = 0; i < COUNT(counts); i++)
			check_sorted((enum shape)shape, counts[i], 1 << 20, -1);
}

static void
test_spilled_order(void **state)
{
	static const size_t limits[] = {1, 1000, 20000, 200000};

	for (int shape = 0; shape < SHAPES; shape++)
		for (size_t i = 0; i < COUNT(limits); i++) {
			int fd = scratch();

			check_sorted((enum shape)shape, i == 0 ? 200 : 3000,
			    limits[i], fd);
			(void)close(fd);
		}
}

/* SPEC R-51 */
#define DAY(n)                                                         \
	{                                                              \
		.epoch_s = INT64_C(86400) * (n), .precision = DATE_DAY \
	}
#define USABLE 19000
#define LATER 19001
#define FUTURE 30000
#define ANCIENT 100

static const struct {
	const char *rule;
	struct date dates[3]; /* of repeats, in order of the document */
	int taken; /* whose date is kept */
} repeats[] = {
    {"R-51", {DAY(USABLE), DAY(LATER), DAY(USABLE)}, 1},
    {"R-51", {DAY(LATER), DAY(USABLE), DAY(USABLE)}, 0},
    {"R-51", {{0}, DAY(USABLE), {0}}, 1},
    {"R-31", {DAY(FUTURE), DAY(USABLE), DAY(FUTURE)}, 1},
    {"R-31", {DAY(USABLE), DAY(FUTURE), DAY(ANCIENT)}, 0},
    {"R-31", {{0}, DAY(FUTURE), DAY(ANCIENT)}, 1},
    {"R-31", {DAY(ANCIENT), DAY(FUTURE), {0}}, 0},
    {"R-51", {{0}, {0}, {0}}, 0},
    /* the same instant twice: the first spelling stays */
    {"R-51",
	{DAY(USABLE),
	    {.epoch_s = USABLE * INT64_C(86400),
		.precision = DATE_SECOND,
		.zone = ZONE_EXPLICIT},
	    {0}},
	0},
};

static void
check_repeats(size_t at, size_t max_bytes, int fd)
{
	const struct date *dates = repeats[at].dates;
	struct sorter *sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = max_bytes, .scratch_fd = fd, .now_s = NOW_S});
	struct entry entry;

	for (uint32_t i = 0; i < 3; i++)
		assert_true(sorter_add(sorter,
		    &(struct entry){
			.url = slice_of("http://h.test/a"),
			.lastmod = dates[i],
			.ordinal = 5 + i,
			.extensions = (uint16_t)(1u << i),
			.hints = (uint8_t)(0x11 * (i + 1)),
		    }));
	assert_true(sorter_finish(sorter));
	assert_true(sorter_next(sorter, &entry));
	const struct date *kept = &dates[repeats[at].taken];
	assert_int_equal(entry.lastmod.epoch_s, kept->epoch_s);
	assert_int_equal(entry.lastmod.precision, kept->precision);
	assert_int_equal(entry.ordinal, 5);
	assert_int_equal(entry.extensions, 7);
	assert_int_equal(entry.hints, 0x11);
	assert_false(sorter_next(sorter, &entry));
	assert_int_equal(sorter_end(sorter)->repeats, 2);
	/* once, not twice */
	assert_int_equal(sorter_end(sorter)->sample_count, 1);
	sorter_free(sorter);
}

static void
test_repeats(void **state)
{
	for (size_t i = 0; i < COUNT(repeats); i++) {
		int fd = scratch();

		check_repeats(i, 1 << 20, -1);
		check_repeats(i, 1, fd);
		(void)close(fd);
	}
}

static void
test_scratch_fails(void **state)
{
	int fd = open("/dev/null", O_RDONLY);
	struct sorter *sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = 1, .scratch_fd = fd, .now_s = NOW_S});
	struct entry entry = {.url = slice_of("http://h.test/a")};

	assert_true(sorter_add(sorter, &entry));
	assert_false(sorter_add(sorter, &entry));
	assert_true(sorter_end(sorter)->is_failed);
	sorter_free(sorter);
	(void)close(fd);

	/* a scratch file that is cut while it is read */
	fd = scratch();
	sorter = sorter_new(&(struct sorter_options){
	    .max_bytes = 1 << 20, .scratch_fd = fd, .now_s = NOW_S});
	char url[64];
	for (unsigned i = 0; i < 40000; i++) {
		(void)snprintf(url, sizeof(url), "http://h/%u", i * 7919);
		entry.url = slice_of(url);
		assert_true(sorter_add(sorter, &entry));
	}
	assert_true(sorter_finish(sorter));
	assert_int_equal(ftruncate(fd, 1000), 0);
	while (sorter_next(sorter, &entry))
		;
	assert_true(sorter_end(sorter)->is_failed);
	sorter_free(sorter);
	(void)close(fd);
}

UNIT_TESTS(sorter, cmocka_unit_test(test_order),
    cmocka_unit_test(test_spilled_order), cmocka_unit_test(test_repeats),
    cmocka_unit_test(test_scratch_fails));
