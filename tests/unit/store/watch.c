/* The watch list in the store. */
#include "tests/fixtures/fixture.h"

#include "base/mem.h"
#include "store/watch.h"
#include "tests/fixtures/store_fixture.h"

static void
put_strings(struct buf *out, const char *name, const struct strings *list)
{
	(void)buf_print(out, " %s", name);
	for (size_t i = 0; i < list->count; i++)
		(void)buf_print(out, ",%s", list->items[i]);
}

static void
put_watch(void *arg, const struct watch *watch)
{
	struct buf *out = arg;

	(void)buf_print(out, "%s %d %lld %g %lld %lld %lld %lld %g %s",
	    watch->host, watch->is_watched, (long long)watch->added_s,
	    watch->weight, (long long)watch->every_least_s,
	    (long long)watch->every_most_s, (long long)watch->page_least_s,
	    (long long)watch->page_most_s, watch->requests_per_hour,
	    watch->profile == NULL ? "-" : watch->profile);
	put_strings(out, "targets", &watch->targets);
	put_strings(out, "tags", &watch->tags);
	put_strings(out, "filters", &watch->filters);
	put_strings(out, "titles", &watch->titles);
	put_strings(out, "verify", &watch->verify);
	(void)buf_put_char(out, '\n');
}

static void
assert_watches(struct store *store, const char *expected)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	store_each_watch(store, put_watch, &out);
	assert_string_equal(buf_str(&out), expected);
	buf_release(&out);
}

static const char first[] = "a.test 1 100 2.5 60 3600 120 7200 12.5 strict"
			    " targets,https://a.test/,a.test/map.xml tags,z,a "
			    "filters,include=/b,depth=2 titles,20/d verify\n";
static const char second[] = "b.test 1 0 1 0 0 0 0 0 - targets tags filters"
			     " titles verify\n";

/* Two sites, in neither order. */
static void
put_two(struct store *store)
{
	struct watch watch;

	watch = (struct watch)WATCH_DEFAULTS;
	watch.site_id = store_site(store, slice_of("b.test"));
	store_watch_put(store, &watch);
	watch.site_id = store_site(store, slice_of("a.test"));
	watch.added_s = 100;
	watch.weight = 2.5;
	watch.every_least_s = 60;
	watch.every_most_s = 3600;
	watch.page_least_s = 120;
	watch.page_most_s = 7200;
	watch.requests_per_hour = 12.5;
	watch.profile = mem_copy("strict");
	strings_add(&watch.targets, slice_of("https://a.test/"));
	strings_add(&watch.targets, slice_of("a.test/map.xml"));
	strings_add(&watch.titles, slice_of("20/d"));
	strings_add(&watch.tags, slice_of("z"));
	strings_add(&watch.tags, slice_of("a"));
	strings_add(&watch.filters, slice_of("include=/b"));
	strings_add(&watch.filters, slice_of("depth=2"));
	store_watch_put(store, &watch);
	watch_release(&watch);
	watch_release(&watch);
}

static void
test_put(void **state)
{
	struct world *world = *state;
	struct buf *out = &world->out;
	struct watch watch;

	put_two(world->store);
	assert_true(store_pending(world->store));
	assert_int_equal(store_flush(world->store), DIAG_OK);
	world_reopen(world);

	(void)buf_print(out, "%s%s", first, second);
	assert_watches(world->store, buf_str(out));
	assert_false(store_watch_get(world->store, 99, &watch));
	int64_t id = store_site(world->store, slice_of("a.test"));
	assert_true(store_watch_get(world->store, id, &watch));
	assert_int_equal(watch.site_id, id);
	buf_clear(out);
	put_watch(out, &watch);
	assert_string_equal(buf_str(out), first);

	/* new settings replace all earlier ones */
	watch.is_watched = false;
	strings_release(&watch.targets);
	strings_release(&watch.filters);
	strings_add(&watch.filters, slice_of("below=/c"));
	store_watch_put(world->store, &watch);
	watch_release(&watch);
	assert_int_equal(store_flush(world->store), DIAG_OK);
	buf_clear(out);
	(void)buf_print(out,
	    "a.test 0 100 2.5 60 3600 120 7200 12.5 strict"
	    " targets tags,z,a filters,below=/c titles,20/d verify\n%s",
	    second);
	assert_watches(world->store, buf_str(out));
}

/* A site that the store does not have cannot be watched. */
static void
test_no_site(void **state)
{
	struct world *world = *state;
	struct watch watch;

	watch = (struct watch)WATCH_DEFAULTS;
	watch.site_id = 7;
	store_watch_put(world->store, &watch);
	assert_int_equal(store_failed(world->store), DIAG_STORE_DAMAGED);
	assert_int_equal(store_flush(world->store), DIAG_STORE_DAMAGED);
}

UNIT_TESTS(watch, world_test(test_put), world_test(test_no_site));
