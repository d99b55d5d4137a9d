/* What pages say, and what those of an event answered. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/page.h"
#include "store/page_says.h"
#include "tests/fixtures/store_fixture.h"

#define PAGE slice_of("http://a.example/new")

static void
test_page_says(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	int64_t id = store_page_add(s, document_make(s, SITE, MAP), PAGE);
	struct page_says says;
	char title[2000] = {0};

	assert_int_equal(store_page_says(s, PAGE).asked_s, 0);
	assert_int_equal(store_page_says(s, PAGE).title.len, 0);
	memset(title, 'a', sizeof(title) - 1);
	store_page_says_put(
	    s, id, 100, slice_of(title), slice_of("a description"));
	assert_int_equal(store_flush(s), DIAG_OK);
	world_reopen(world);
	s = world->store;
	says = store_page_says(s, PAGE);
	assert_int_equal(says.title.len, 1000);
	assert_true(slice_is(says.description, "a description"));
	/* neither what controls, nor what PostgreSQL would refuse */
	store_page_says_put(
	    s, id, 200, slice_of("caf\xe9 \x1b[1m"), slice_make("a\0b", 3));
	says = store_page_says(s, PAGE);
	assert_true(slice_is(says.title, "caf\\xe9 \\x1b[1m"));
	assert_true(slice_is(says.description, "a\\x00b"));
	store_page_says_put(s, id, 300, slice_of(NULL), slice_of(NULL));
	assert_int_equal(store_page_says(s, PAGE).title.len, 0);
	assert_int_equal(store_page_says(s, PAGE).asked_s, 300);
	assert_int_equal(
	    store_page_says(s, slice_of("http://a.example/other")).asked_s, 0);
}

struct found {
	unsigned count, numbers;
	int status;
	char location[64], why[64];
};

static void
on_verified(void *arg, const struct verified *verified)
{
	struct found *found = arg;

	found->count++;
	found->numbers = found->numbers * 10 + verified->number;
	found->status = verified->status;
	(void)snprintf(found->location, sizeof(found->location), "%.*s",
	    (int)verified->location.len, verified->location.p);
	(void)snprintf(found->why, sizeof(found->why), "%.*s",
	    (int)verified->why.len, verified->why.p);
}

static void
test_verified(void **state)
{
	struct world *world = *state;
	struct store *s = world->store;
	struct document document = document_get(s, document_make(s, SITE, MAP));
	struct verified page = {.site_id = document.site_id,
	    .event = slice_of("drop 7"),
	    .url = PAGE};
	struct found found = {0};

	for (page.number = 3; page.number-- > 0;)
		store_verified_put(s, &page);
	store_each_verified(s, 0, slice_of(NULL), on_verified, &found);
	assert_int_equal(found.numbers, 12);
	assert_int_equal(found.count, 3);
	page.number = 2;
	page.at_s = 100;
	page.status = 301;
	page.location = slice_of("http://a.example/b");
	page.why = slice_of("noindex");
	store_verified_put(s, &page);
	assert_int_equal(store_flush(s), DIAG_OK);
	world_reopen(world);
	s = world->store;
	found = (struct found){0};
	store_each_verified(s, 0, slice_of(NULL), on_verified, &found);
	assert_int_equal(found.count, 2);
	found = (struct found){0};
	store_each_verified(
	    s, document.site_id, page.event, on_verified, &found);
	assert_int_equal(found.count, 3);
	assert_int_equal(found.status, 301);
	assert_string_equal(found.location, "http://a.example/b");
	assert_string_equal(found.why, "noindex");
	found = (struct found){0};
	store_each_verified(
	    s, document.site_id, slice_of("drop 70"), on_verified, &found);
	assert_int_equal(found.count, 0);
	document_release(&document);
}

UNIT(page_says)
{
	static const struct CMUnitTest tests[] = {
	    world_test(test_page_says), world_test(test_verified)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
