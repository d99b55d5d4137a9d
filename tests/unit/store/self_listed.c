/* Documents that robots.txt of their own origin names: SPEC R-66, HOSTILE E26.
 */
#include "tests/fixtures/fixture.h"

#include "store/location.h"

static struct self_listed *
make(const char *const *urls, size_t count)
{
	struct self_listed *listed = self_listed_new();

	for (size_t i = 0; i < count; i++)
		assert_true(self_listed_add(listed, slice_of(urls[i])));
	self_listed_seal(listed);
	return listed;
}

static const char *const urls[] = {"http://h.example/z.xml",
    "http://h.example/a/2.xml", "http://h.example/a/1.xml",
    "http://h.example/b.xml"};

static void
what_was_added_is_there(void **state)
{
	struct self_listed *listed = make(urls, COUNT(urls));

	for (size_t i = 0; i < COUNT(urls); i++)
		assert_true(self_listed_has(listed, slice_of(urls[i])));
	assert_false(self_listed_has(listed, slice_of("http://h.example/a/")));
	assert_false(self_listed_has(listed, slice_of("http://h.example/zz")));
	assert_false(self_listed_has(NULL, slice_of(urls[0])));
	self_listed_release(listed);
}

/* What a directory covers anyway makes no difference to its documents. */
static void
a_digest_is_of_those_outside(void **state)
{
	struct slice directory = slice_of("http://h.example/a/");
	struct self_listed *all = make(urls, 4), *two = make(urls, 2),
			   *one = make(urls, 1), *in = make(urls + 1, 2);

	assert_true(self_listed_digest(all, directory) !=
	    self_listed_digest(two, directory));
	assert_true(self_listed_digest(two, directory) ==
	    self_listed_digest(one, directory));
	assert_true(self_listed_digest(one, directory) != 0);
	assert_true(self_listed_digest(in, directory) == 0);
	assert_true(self_listed_digest(NULL, directory) == 0);
	assert_true(self_listed_digest(in, slice_of("http://o.example/")) != 0);
	self_listed_release(all);
	self_listed_release(two);
	self_listed_release(one);
	self_listed_release(in);
}

static void
users_share_it(void **state)
{
	struct self_listed *listed = make(urls, 2);
	struct self_listed *other = self_listed_share(listed);

	assert_ptr_equal(listed, other);
	self_listed_release(listed);
	assert_true(self_listed_has(other, slice_of(urls[1])));
	self_listed_release(other);
	assert_null(self_listed_share(NULL));
	self_listed_release(NULL);
}

/* E26: the number of documents and their bytes are limited, and the set fits
 * into a frame. */
static void
it_is_full_in_the_end(void **state)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct self_listed *listed = self_listed_new();
	struct location_scope scope, got;
	struct buf text, frame;
	struct wire wire;
	size_t count = 0;

	buf_init(&text, SIZE_MAX);
	buf_init(&frame, 2 * SELF_LISTED_BYTES);
	for (;; count++) {
		buf_clear(&text);
		(void)buf_print(&text, "http://h.example/%zu", count);
		if (!self_listed_add(listed, buf_text(&text)))
			break;
	}
	self_listed_seal(listed);
	assert_int_equal(count, SELF_LISTED_MAX);
	location_scope_init(&scope, &profile);
	location_scope_init(&got, &profile);
	scope.listed = listed;
	location_scope_put(&frame, &scope, false);
	wire = (struct wire){buf_text(&frame), true};
	assert_true(location_scope_get(&wire, &got));
	assert_true(
	    self_listed_has(got.listed, slice_of("http://h.example/17")));
	assert_true(self_listed_digest(got.listed, slice_of("x")) ==
	    self_listed_digest(listed, slice_of("x")));
	location_scope_release(&scope);
	location_scope_release(&got);

	listed = self_listed_new();
	while (text.len < 8192)
		(void)buf_put_char(&text, 'x');
	for (count = 0; self_listed_add(listed, buf_text(&text));)
		count++;
	assert_int_equal(count, SELF_LISTED_BYTES / 8192);
	self_listed_release(listed);
	buf_release(&frame);
	buf_release(&text);
}

UNIT_TESTS(self_listed, cmocka_unit_test(what_was_added_is_there),
    cmocka_unit_test(a_digest_is_of_those_outside),
    cmocka_unit_test(users_share_it), cmocka_unit_test(it_is_full_in_the_end));
