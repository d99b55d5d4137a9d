/* store/proof.c: the former texts of robots.txt. */
#include "tests/fixtures/fixture.h"

#include "store/proof.h"
#include "store/prune.h"
#include "tests/fixtures/store_fixture.h"

#define ORIGIN "http://h.test"

/* An answer; NULL: there is no file. */
static void
answer(struct store *store, int64_t at_s, const char *body)
{
	struct robots_fact fact = {.origin = slice_of(ORIGIN),
	    .fetched_s = at_s,
	    .status = body != NULL ? 200 : 404,
	    .has_body = body != NULL,
	    .body = slice_of(body)};

	(void)store_robots(store, &fact);
}

static bool
put(void *arg, const struct robots_text *text)
{
	struct buf *out = arg;

	(void)buf_print(out, "%lld-%lld ", (long long)text->since_s,
	    (long long)text->until_s);
	if (text->is_file)
		(void)buf_put_slice(out, text->body);
	else
		(void)buf_print(out, "none");
	(void)buf_put_char(out, '\n');
	return true;
}

static void
assert_texts(struct store *store, const char *expected)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	store_each_robots_text(store, slice_of(ORIGIN), put, &out);
	assert_string_equal(buf_str(&out), expected);
	buf_release(&out);
}

#define A "User-agent: *\nDisallow: /a"
#define B "User-agent: *\nDisallow: /b"

static void
test_texts(void **state)
{
	struct world *world = *state;
	struct robots_fact failure = {
	    .origin = slice_of(ORIGIN), .fetched_s = 5, .failing_since_s = 5};

	assert_texts(world->store, "");
	/* an origin that never answered has no text */
	(void)store_robots(world->store, &failure);
	assert_texts(world->store, "");
	answer(world->store, 10, NULL);
	assert_texts(world->store, "10-0 none\n");
	answer(world->store, 20, A);
	answer(world->store, 30, A);
	assert_texts(world->store, "10-20 none\n20-0 " A "\n");
	/* the same with other words: only the present text changes */
	answer(world->store, 40, "# hello\n" A);
	assert_texts(world->store, "10-20 none\n20-0 # hello\n" A "\n");
	/* a failure is no text; the copy stays */
	failure.has_body = true;
	failure.body = slice_of("# hello\n" A);
	(void)store_robots(world->store, &failure);
	answer(world->store, 50, B);
	assert_texts(
	    world->store, "10-20 none\n20-50 # hello\n" A "\n50-0 " B "\n");
	answer(world->store, 60, NULL);
	assert_texts(world->store,
	    "10-20 none\n20-50 # hello\n" A "\n50-60 " B "\n60-0 none\n");
	/* what is old is forgotten, but never the present text */
	{
		struct prune_totals totals = {0};

		assert_int_equal(store_flush(world->store), DIAG_OK);
		assert_int_equal(
		    store_prune(world->store, 50, &totals), DIAG_OK);
	}
	assert_texts(
	    world->store, "20-50 # hello\n" A "\n50-60 " B "\n60-0 none\n");
}

struct text_count {
	unsigned count;
	int64_t first_s, last_s;
	size_t bytes;
};

static bool
count(void *arg, const struct robots_text *text)
{
	struct text_count *seen = arg;

	if (seen->count++ == 0)
		seen->first_s = text->since_s;
	seen->last_s = text->since_s;
	seen->bytes += text->body.len;
	return true;
}

/* The oldest texts go, by number and by bytes. */
static void
test_limits(void **state)
{
	struct world *world = *state;
	struct text_count seen = {0};
	struct buf body;

	buf_init(&body, SIZE_MAX);
	for (int64_t i = 1; i <= 60; i++) {
		buf_clear(&body);
		(void)buf_print(&body, "Host: %d\n", (int)i);
		answer(world->store, i, buf_str(&body));
	}
	store_each_robots_text(world->store, slice_of(ORIGIN), count, &seen);
	assert_int_equal(seen.count, ROBOTS_TEXTS_MOST + 1);
	assert_int_equal(seen.first_s, 60 - ROBOTS_TEXTS_MOST);
	assert_int_equal(seen.last_s, 60);
	for (int64_t i = 61; i <= 70; i++) {
		buf_clear(&body);
		(void)buf_print(&body, "Host: %d\n#", (int)i);
		while (body.len < 500000)
			(void)buf_print(&body, "%0100d", 0);
		answer(world->store, i, buf_str(&body));
	}
	seen = (struct text_count){0};
	store_each_robots_text(world->store, slice_of(ORIGIN), count, &seen);
	assert_int_equal(seen.count, 4); /* 3 former ones of 500,000 bytes */
	assert_in_range(seen.bytes, 2000000, 2500000);
	assert_int_equal(seen.last_s, 70);
	buf_release(&body);
}

UNIT_TESTS(robots_text, world_test(test_texts), world_test(test_limits));
