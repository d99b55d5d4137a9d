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

/* What manifest_compare() said. */
struct noted {
	const struct manifest *now;
	size_t count[PAGE_CHANGES];
	struct date before;
};

static void
note_change(void *arg, enum manifest_change change, struct manifest_page *page,
    const struct date *before)
{
	struct noted *noted = arg;

	/* a page that is there in both states is not counted */
	if (slice_ends(manifest_url(noted->now, page), slice_of("there")))
		return;
	noted->count[change]++;
	noted->before = *before;
}

/* What is written is what is read, in order, each URL once. */
static void
test_file(void **state)
{
	char *folder = scratch_folder();
	struct manifest made;
	struct noted noted = {.now = &made};
	struct manifest_file file;
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
	/* read again, nothing has changed, and the time is that of the file */
	made.at_s = AT_S + 5;
	assert_int_equal(
	    manifest_open(&file, buf_str(&path), URL, false), EXIT_DONE);
	assert_int_equal(file.at_s, AT_S);
	assert_int_equal(
	    manifest_compare(&file, &made, note_change, &noted), EXIT_DONE);
	manifest_close(&file);
	assert_int_equal(made.at_s, AT_S);
	assert_int_equal(noted.count[PAGE_SAME], 2);
	assert_int_equal(noted.count[PAGE_UNKNOWN], 1);
	assert_null(manifest_find(&made, slice_of(URL)));
	assert_non_null(manifest_find(&made, slice_of(URL "c")));
	assert_int_equal(
	    manifest_open(&file, buf_str(&path), URL "d/", false), EXIT_USAGE);
	manifest_close(&file);
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
		bool is_elsewhere;
	} cases[] = {
	    {"the same", 1, "2025-01-01", 1, "2025-01-01", PAGE_SAME, false},
	    {"the same moment in another zone", 1, "2025-01-01T12:00:00Z", 1,
		"2025-01-01T13:00:00+01:00", PAGE_SAME, false},
	    {"a day became a moment of it", 1, "2025-01-01", 1,
		"2025-01-01T13:00:00Z", PAGE_SAME, false},
	    {"moved", 1, "2025-01-01", 1, "2025-01-02", PAGE_MOVED_ONLY, false},
	    {"moved back", 1, "2025-01-02", 1, "2025-01-01", PAGE_MOVED_ONLY,
		false},
	    {"a date came", 1, NULL, 1, "2025-01-01", PAGE_SAME, false},
	    {"a date went", 1, "2025-01-01", 1, NULL, PAGE_SAME, false},
	    {"changed", 1, "2025-01-01", 2, "2025-01-02", PAGE_CHANGED, false},
	    {"changed only", 1, "2025-01-01", 2, "2025-01-01",
		PAGE_CHANGED_ONLY, false},
	    {"changed on the day of the manifest", 1, "2026-01-01", 2,
		"2026-01-01", PAGE_CHANGED, false},
	    {"changed after the day", 1, "2025-12-31", 2, "2025-12-31",
		PAGE_CHANGED_ONLY, false},
	    {"changed without dates", 1, NULL, 2, NULL, PAGE_CHANGED, false},
	    {"new", 0, NULL, 1, "2025-01-01", PAGE_NEW, false},
	    {"gone", 1, "2025-01-01", 0, "2025-01-02", PAGE_UNKNOWN, false},
	    {"its URL is another", 1, "2025-01-01", 1, "2025-01-02",
		PAGE_RENAMED, true},
	    {"another page is gone", 1, "2025-01-01", 2, "2025-01-02", PAGE_NEW,
		true},
	};
	char *folder = scratch_folder();
	struct buf path;

	(void)state;
	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s/m", folder);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct manifest before, now;
		struct noted noted = {.now = &now};
		struct manifest_file file;

		manifest_init(&before);
		manifest_init(&now);
		before.site = slice_dup(slice_of(URL));
		now.site = slice_dup(slice_of(URL));
		before.at_s = AT_S;
		if (cases[i].before != 0)
			(void)add(&before,
			    cases[i].is_elsewhere ? URL "0" : URL,
			    cases[i].before, cases[i].before_date);
		(void)add(&now, URL, cases[i].now, cases[i].date);
		(void)add(&before, URL "there", 9, NULL);
		(void)add(&now, URL "there", 9, NULL);
		assert_int_equal(
		    manifest_write(&before, buf_str(&path)), EXIT_DONE);
		assert_int_equal(
		    manifest_open(&file, buf_str(&path), URL, false),
		    EXIT_DONE);
		assert_int_equal(
		    manifest_compare(&file, &now, note_change, &noted),
		    EXIT_DONE);
		if (noted.count[cases[i].change] != 1)
			fail_msg("%s", cases[i].why);
		if (cases[i].change != PAGE_NEW &&
		    cases[i].change != PAGE_UNKNOWN)
			assert_int_equal(noted.before.precision,
			    before.pages[0].lastmod.precision);
		manifest_close(&file);
		manifest_release(&before);
		manifest_release(&now);
	}
	(void)unlink(buf_str(&path));
	(void)rmdir(folder);
	buf_release(&path);
	free(folder);
}

UNIT(manifest)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_file),
	    cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
