/* crawler/stamp/manifest.c: the last published state, and what changed. */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/profile.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "crawler/stamp/manifest.h"

#define URL "https://a.example/"
#define AT_S 1767225600 /* 2026-01-01T00:00:00Z */

static struct manifest_page *
add(struct manifest *manifest, const char *url, unsigned text, const char *date)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct manifest_page *page = manifest_add(manifest, slice_of(url));

	page->has_digest = text != 0;
	page->digest.bytes[0] = (uint8_t)text;
	if (date != NULL)
		assert_int_equal(date_parse(&page->lastmod, slice_of(date),
				     &profile, (struct diag_sink){0}),
		    DIAG_OK);
	return page;
}

/* What is written is what is read, in order, each URL once. */
static void
test_file(void **state)
{
	char *folder = scratch_folder();
	struct manifest made, read;
	struct buf path;

	(void)state;
	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s/m", folder);
	manifest_init(&made);
	made.site = slice_dup(slice_of(URL));
	made.at_s = AT_S;
	(void)add(&made, URL "b", 2, "2025-05-06T07:08:09.123Z");
	(void)add(&made, URL "a", 1, NULL);
	(void)add(&made, URL "b", 3, "2024-01-01");
	(void)add(&made, URL "c", 0, "2024-01-01");
	manifest_sort(&made);
	assert_int_equal(made.count, 3);
	assert_int_equal(manifest_write(&made, buf_str(&path)), EXIT_DONE);
	manifest_init(&read);
	assert_int_equal(
	    manifest_read(&read, buf_str(&path), false), EXIT_DONE);
	assert_int_equal(read.count, 2);
	assert_int_equal(read.at_s, AT_S);
	assert_string_equal(read.site, URL);
	for (size_t i = 0; i < read.count; i++) {
		const struct manifest_page *page = manifest_find(
		    &made, manifest_url(&read, &read.pages[i]));

		assert_non_null(page);
		assert_memory_equal(
		    &page->digest, &read.pages[i].digest, sizeof(page->digest));
		assert_int_equal(
		    date_order(&page->lastmod, &read.pages[i].lastmod), 0);
	}
	assert_null(manifest_find(&read, slice_of(URL)));
	assert_null(manifest_find(&read, slice_of(URL "c")));
	manifest_release(&read);
	manifest_release(&made);
	(void)unlink(buf_str(&path));
	(void)rmdir(folder);
	buf_release(&path);
	free(folder);
}

static void
test_compare(void **state)
{
	static const struct {
		const char *why;
		unsigned before;
		const char *before_date;
		unsigned now;
		const char *date;
		enum manifest_change change;
	} cases[] = {
	    {"the same", 1, "2025-01-01", 1, "2025-01-01", PAGE_SAME},
	    {"the same moment in another zone", 1, "2025-01-01T12:00:00Z", 1,
		"2025-01-01T13:00:00+01:00", PAGE_SAME},
	    {"a day became a moment of it", 1, "2025-01-01", 1,
		"2025-01-01T13:00:00Z", PAGE_SAME},
	    {"moved", 1, "2025-01-01", 1, "2025-01-02", PAGE_MOVED_ONLY},
	    {"moved back", 1, "2025-01-02", 1, "2025-01-01", PAGE_MOVED_ONLY},
	    {"a date came", 1, NULL, 1, "2025-01-01", PAGE_SAME},
	    {"a date went", 1, "2025-01-01", 1, NULL, PAGE_SAME},
	    {"changed", 1, "2025-01-01", 2, "2025-01-02", PAGE_CHANGED},
	    {"changed only", 1, "2025-01-01", 2, "2025-01-01",
		PAGE_CHANGED_ONLY},
	    {"changed on the day of the manifest", 1, "2026-01-01", 2,
		"2026-01-01", PAGE_CHANGED},
	    {"changed after the day", 1, "2025-12-31", 2, "2025-12-31",
		PAGE_CHANGED_ONLY},
	    {"changed without dates", 1, NULL, 2, NULL, PAGE_CHANGED},
	    {"new", 0, NULL, 1, "2025-01-01", PAGE_NEW},
	    {"gone", 1, "2025-01-01", 0, "2025-01-02", PAGE_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct manifest before, now;
		enum manifest_change change;

		manifest_init(&before);
		manifest_init(&now);
		before.at_s = AT_S;
		if (cases[i].before != 0)
			(void)add(&before, URL, cases[i].before,
			    cases[i].before_date);
		change = manifest_compare(&before, slice_of(URL),
		    add(&now, URL, cases[i].now, cases[i].date));
		if (change != cases[i].change)
			fail_msg("%s: %d", cases[i].why, (int)change);
		manifest_release(&before);
		manifest_release(&now);
	}
}

UNIT(manifest)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_file),
	    cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
