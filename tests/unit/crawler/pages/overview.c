/* The report of many sites, of none, and of sites without history. */
#include "crawler/pages/overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/page_filter.h"
#include "base/zone.h"
#include "crawler/cli/options_sites.h"
#include "crawler/pages/figures.h"
#include "store/site.h"
#include "store/watch.h"
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/store_fixture.h"

#define MONDAY_S (20416 * (int64_t)DAY_S) /* 2025-11-24 */

static struct world world;
static struct section_rules *sections; /* of the page; NULL: by default */
static struct buf page;

static int
begin(void **state)
{
	world_open(&world);
	buf_init(&page, SIZE_MAX);
	return 0;
}

static int
end(void **state)
{
	buf_release(&page);
	world_close(&world);
	return 0;
}

static size_t
times(const char *text)
{
	const char *at = buf_str(&page);
	size_t count = 0;

	while ((at = strstr(at, text)) != NULL) {
		at += strlen(text);
		count++;
	}
	return count;
}

/* Write the page of these sites over so many days until MONDAY_S. */
static void
write_page(const struct strings *hosts, int days)
{
	FILE *file = tmpfile();
	struct options options = {
	    .output.tz = "<zone>", .sections.rules = sections};
	struct overview overview = {.store = world.store,
	    .hosts = hosts,
	    .options = &options,
	    .span = figures_span(
		MONDAY_S - days * DAY_S, MONDAY_S + 1, MONDAY_S)};
	struct out out = {.is_raw = true};
	char bytes[4096];
	size_t n;

	assert_non_null(file);
	strings_add(&options.watch.tags, slice_of("<all>"));
	out.fd = fileno(file);
	buf_init(&out.text, SIZE_MAX);
	overview_write(&overview, &out);
	assert_true(out_flush(&out));
	buf_release(&out.text);
	buf_clear(&page);
	rewind(file);
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		assert_true(buf_put(&page, bytes, n));
	(void)fclose(file);
	strings_release(&options.watch.tags);
	assert_int_equal(times("</html>\n"), 1);
	assert_int_equal(times("<h1>&lt;all&gt;: what changed"), 1);
	assert_int_equal(times("<all>"), 0);
	assert_int_equal(times("nan"), 0);
}

static void
no_site(void **state)
{
	struct strings hosts = {0};

	write_page(&hosts, 30);
	assert_int_equal(times("All 0 sites were read"), 1);
	assert_int_equal(times("Nothing that is an event."), 1);
	assert_int_equal(times("<figure>"), 0);
}

static void
add_hosts(struct strings *hosts, int from, int to)
{
	for (int i = from; i < to; i++) {
		char host[32];

		(void)snprintf(host, sizeof(host), "s%03d.test", i);
		(void)store_site(world.store, slice_of(host));
		strings_add(hosts, slice_of(host));
	}
}

/* 50 of many sites have a part, the others a short row each, or a line. */
static void
many_sites(void **state)
{
	struct strings hosts = {0};
	size_t before;

	add_hosts(&hosts, 0, 60);
	write_page(&hosts, 365);
	assert_int_equal(times("<section id=\"site-"), OVERVIEW_PARTS);
	assert_int_equal(times("<h2>The other 10 sites</h2>"), 1);
	assert_int_equal(times("<section id=\"rest\">"), 1);
	assert_int_equal(
	    times("<span class=\"error\">never read</span></span></td>"), 60);
	assert_int_equal(times("60 sites could never be read."), 1);
	assert_int_equal(times("0 of 60 sites were read"), 1);
	/* links lead to parts alone */
	assert_int_equal(times("href=\"#site-"), OVERVIEW_PARTS);
	before = page.len;
	add_hosts(&hosts, 60, 160);
	write_page(&hosts, 365);
	/* a row is short: 10,000 sites are some megabytes */
	assert_true((page.len - before) / 100 < 700);
	assert_int_equal(times("<pre>"), 0);
	/* and very many have lines */
	add_hosts(&hosts, 160, 560);
	write_page(&hosts, 365);
	assert_int_equal(
	    times("<span class=\"error\">never read</span></span></td>"),
	    OVERVIEW_TABLE);
	assert_int_equal(
	    times(".test 0, <span class=\"error\">never read</span>\n"), 60);
	strings_release(&hosts);
}

/* A day, a week, or some weeks are a step; all changes are in one of them. */
static void
steps(void **state)
{
	static const struct {
		int days;
		int64_t step_s;
		size_t count;
		const char *first;
	} table[] = {
	    {1, DAY_S, 2, "23 Nov"},
	    {30, DAY_S, 31, "25 Oct"},
	    {61, DAY_S, 62, "24 Sep"},
	    /* weeks begin on Monday */
	    {62, 7 * DAY_S, 10, "22 Sep"},
	    {365, 7 * DAY_S, 54, "18 Nov 24"},
	    {3650, 35 * DAY_S, 105, "23 Nov 15"},
	};
	int64_t document = document_make(world.store, SITE, MAP);
	uint64_t added = 0;

	(void)read_at(
	    world.store, document, MONDAY_S - 40 * DAY_S, COMPLETE, "a");
	(void)read_at(
	    world.store, document, MONDAY_S - 20 * DAY_S, COMPLETE, "a b");
	for (size_t i = 0; i < COUNT(table); i++) {
		struct events_span span = figures_span(
		    MONDAY_S - table[i].days * DAY_S, MONDAY_S + 1, MONDAY_S);
		struct figures figures;

		figures_gather(&figures, world.store, slice_of(SITE), &span,
		    FIGURES_WHOLE);
		assert_int_equal(figures.step_s, table[i].step_s);
		assert_int_equal(figures.step_count, table[i].count);
		assert_string_equal(figures.steps[0].name, table[i].first);
		added = 0;
		for (size_t k = 0; k < figures.step_count; k++)
			added += figures.steps[k].counts[DELTA_ADDED];
		assert_int_equal(added, table[i].days >= 20);
		assert_int_equal(added, figures.counts[DELTA_ADDED]);
		assert_int_equal(figures.listed, 2);
		assert_int_equal(
		    (uint64_t)figures.steps[figures.step_count - 1].listed, 2);
		figures_release(&figures);
	}
}

/* The row says the rhythm and the sections, both without ignored pages. */
static void
rhythm_and_sections(void **state)
{
	static const char *const paths[] = {"letters: /b /c /d"};
	static const char *const ignored[] = {"exclude=/e"};
	int64_t document = document_make(world.store, SITE, MAP);
	const char *const listed[] = {"a", "a b", "a b c", "a b c d"};
	struct strings hosts = {0};

	strings_add(&hosts, slice_of(SITE));
	for (int day = 0; day < 28; day++) {
		bool is_new = day % 7 == 0;
		int64_t at_s = MONDAY_S + (day - 28) * DAY_S + 10 * 3600;

		(void)read_at(world.store, document, at_s,
		    is_new ? COMPLETE : UNCHANGED, listed[day / 7]);
	}
	(void)read_at(world.store, document, MONDAY_S, COMPLETE, "a b c d e");
	write_page(&hosts, 30);
	assert_int_equal(times("<span>Sundays, one page</span>"), 1);
	assert_int_equal(times(">letters<"), 0);
	sections = section_rules_new(1, paths, 1,
	    page_filter_new((struct page_filter_texts){ignored, 1},
		(struct page_filter_texts){0}, false));
	write_page(&hosts, 30);
	assert_int_equal(times("no rhythm seen in 3 pages"), 2);
	assert_true(times(">letters<") > 0);
	section_rules_free(sections);
	sections = NULL;
	strings_release(&hosts);
}

/* Days, weeks and times are those of the zone, whatever an hour a day has. */
static void
zones(void **state)
{
	static const char *const names[] = {
	    "+05:30", "-11:00", "Europe/Berlin", "UTC"};
	int64_t document = document_make(world.store, SITE, MAP);
	struct strings hosts = {0};

	strings_add(&hosts, slice_of(SITE));
	(void)read_at(
	    world.store, document, MONDAY_S - 40 * DAY_S, COMPLETE, "a");
	(void)read_at(world.store, document, MONDAY_S - 20 * DAY_S - 3600,
	    COMPLETE, "a b");
	for (size_t i = 0; i < COUNT(names); i++) {
		/* with a change from summer time in it */
		struct events_span span;
		struct figures figures;

		if (!zone_use(names[i]))
			continue; /* the system has no zones */
		for (int days = 61; days <= 62; days++) {
			uint64_t added = 0;

			span = figures_span(
			    MONDAY_S - days * DAY_S, MONDAY_S + 1, MONDAY_S);
			figures_gather(&figures, world.store, slice_of(SITE),
			    &span, FIGURES_WHOLE);
			for (size_t k = 0; k < figures.step_count; k++) {
				int64_t from_s = figures.steps[k].from_s;
				bool is_in = from_s <=
					MONDAY_S - 20 * DAY_S - 3600 &&
				    (k + 1 == figures.step_count ||
					figures.steps[k + 1].from_s >
					    MONDAY_S - 20 * DAY_S - 3600);

				assert_int_equal(zone_civil(from_s).hour, 0);
				assert_int_equal(zone_civil(from_s).minute, 0);
				assert_int_equal(
				    figures.steps[k].counts[DELTA_ADDED],
				    is_in);
				added += figures.steps[k].counts[DELTA_ADDED];
			}
			assert_int_equal(added, 1);
			figures_release(&figures);
		}
		write_page(&hosts, 61);
		assert_int_equal(times("all times are UTC"), i == 3);
		assert_int_equal(
		    times("those of the zone &lt;zone&gt;"), i != 3);
	}
	strings_release(&hosts);
}

/* Notes of the span are shown, the first 26 of them, as text. */
static void
notes(void **state)
{
	int64_t document = document_make(world.store, SITE, MAP);
	int64_t site_id = store_site_find(world.store, slice_of(SITE));
	struct strings hosts = {0};

	strings_add(&hosts, slice_of(SITE));
	(void)read_at(
	    world.store, document, MONDAY_S - 40 * DAY_S, COMPLETE, "a");
	for (int i = 0; i < 30; i++)
		assert_int_equal(store_note_set(world.store, site_id,
				     MONDAY_S - (i + 1) * DAY_S, "<i>\"&'"),
		    NOTE_ADDED);
	assert_int_equal(
	    store_note_set(world.store, site_id, MONDAY_S - DAY_S, "<i>\"&'"),
	    NOTE_SAME);
	assert_int_equal(store_flush(world.store), DIAG_OK);
	/* notes of one day, and of one week, have one mark in each chart */
	write_page(&hosts, 3);
	assert_int_equal(times(" class=\"sign mid\">A</text>"), 2);
	write_page(&hosts, 90);
	assert_int_equal(times(" class=\"sign mid\">A</text>"), 0);
	assert_int_equal(times(" class=\"sign mid\">C-I</text>"), 2);
	write_page(&hosts, 60);
	assert_int_equal(times("&lt;i&gt;&quot;&amp;&apos;"), 26);
	assert_int_equal(times("and 4 more, in 'freshet note --list'"), 1);
	/* beside those of other sites, and in the part of the site */
	assert_int_equal(times(" class=\"sign mid\">Z</text>"), 2);
	assert_int_equal(
	    store_note_set(world.store, site_id, MONDAY_S - DAY_S, NULL),
	    NOTE_REMOVED);
	assert_int_equal(
	    store_note_set(world.store, site_id, MONDAY_S - DAY_S, NULL),
	    NOTE_NONE);
	for (int i = 29; i < NOTE_MOST; i++)
		assert_int_equal(
		    store_note_set(world.store, site_id, i, "x"), NOTE_ADDED);
	assert_int_equal(
	    store_note_set(world.store, site_id, 5000, "x"), NOTE_FULL);
	strings_release(&hosts);
}

UNIT(overview)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(no_site, begin, end),
	    cmocka_unit_test_setup_teardown(many_sites, begin, end),
	    cmocka_unit_test_setup_teardown(steps, begin, end),
	    cmocka_unit_test_setup_teardown(rhythm_and_sections, begin, end),
	    cmocka_unit_test_setup_teardown(zones, begin, end),
	    cmocka_unit_test_setup_teardown(notes, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
