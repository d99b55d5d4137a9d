/* Charts: their shapes, their tables, and foreign text in them. */
#include "crawler/chart/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "crawler/chart/markup.h"
#include "tests/fixtures/fixture.h"

#define HOSTILE "<script>\"onload='x'&\x01\xff\xe2\x80\xae"

static struct buf drawn;

/* How often a text is in the drawing. */
static size_t
times(const char *text)
{
	const char *at = buf_str(&drawn);
	size_t count = 0;

	while ((at = strstr(at, text)) != NULL) {
		at += strlen(text);
		count++;
	}
	return count;
}

static int
begin(void **state)
{
	buf_init(&drawn, SIZE_MAX);
	return 0;
}

static int
end(void **state)
{
	buf_release(&drawn);
	return 0;
}

static const struct chart_words words = {
    .title = HOSTILE, .note = HOSTILE, .x_text = HOSTILE, .y_text = HOSTILE};

/* Whatever the texts are, there are only the elements that belong to a chart,
 * and each of them ends. */
static void
judge(void)
{
	static const char *const elements[] = {"figure", "figcaption", "svg",
	    "details", "summary", "div", "table", "thead", "tbody", "tr",
	    "text", "title", "ul", "li"};

	assert_int_equal(times("<script"), 0);
	assert_int_equal(times("\"onload"), 0);
	assert_int_equal(times("\x01"), 0);
	assert_int_equal(times("\xff"), 0);
	assert_int_equal(times("\xe2\x80\xae"), 0);
	assert_int_equal(times("nan"), 0);
	assert_int_equal(times("inf"), 0);
	assert_true(times("&lt;script&gt;&quot;onload=&apos;x&apos;&amp;") > 3);
	for (size_t i = 0; i < COUNT(elements); i++) {
		char open[32], open_more[32], close[32];

		(void)snprintf(open, sizeof(open), "<%s>", elements[i]);
		(void)snprintf(
		    open_more, sizeof(open_more), "<%s ", elements[i]);
		(void)snprintf(close, sizeof(close), "</%s>", elements[i]);
		assert_int_equal(times(open) + times(open_more), times(close));
	}
}

static void
ages(void **state)
{
	static const struct {
		unsigned days; /* before now */
		size_t age;
	} table[] = {{0, 0}, {7, 0}, {8, 1}, {30, 1}, {31, 2}, {91, 3},
	    {181, 4}, {365, 4}, {366, 5}, {20000, 5}};
	const int64_t now_s = 20416 * INT64_C(86400) + 3600;
	uint64_t pages[CHART_AGES] = {10, [2] = 40};
	struct date date = {.precision = DATE_DAY};

	for (size_t i = 0; i < COUNT(table); i++) {
		date.epoch_s = now_s - table[i].days * INT64_C(86400);
		assert_int_equal(chart_age(&date, now_s), table[i].age);
	}
	/* no day is older than one in the future */
	date.epoch_s = now_s + 86400;
	assert_int_equal(chart_age(&date, now_s), 0);
	date.precision = DATE_NONE;
	assert_int_equal(chart_age(&date, now_s), CHART_AGES - 1);
	chart_ages(&drawn, pages);
	/* the largest has the whole width */
	assert_int_equal(times("width=\"294.0\""), 1);
	assert_int_equal(times("width=\"73.5\""), 1);
	assert_int_equal(times("<td class=\"n\">40</td>"), 1);
	assert_int_equal(times("<th scope=\"row\">no date</th>"), 1);
	/* nothing at all */
	buf_clear(&drawn);
	pages[0] = pages[2] = 0;
	chart_ages(&drawn, pages);
	assert_int_equal(times("width=\"0.0\""), CHART_AGES);
}

static void
line(void **state)
{
	double values[500];
	const char *names[500];
	struct chart_mark marks[] = {{3, "1"}, {4, HOSTILE}};
	struct chart_line all = {.words = words,
	    .values = values,
	    .names = names,
	    .length = 500,
	    .marks = marks,
	    .mark_count = 2};

	for (size_t i = 0; i < 500; i++) {
		values[i] = i / 100 % 2 == 0 ? (double)i : NAN;
		names[i] = i == 0 ? HOSTILE : "day";
	}
	chart_line(&drawn, &all);
	judge();
	/* means of 120 parts, on an axis that ends above them */
	assert_int_equal(times("<th scope=\"row\">"), 120);
	assert_int_equal(times("class=\"axis end\">800<"), 1);
	assert_int_equal(times(">499<"), 0);
	assert_int_equal(times(">497<") + times(">498<"), 1);
	/* a line that is broken begins anew */
	assert_int_equal(times("d=\"M43.3 "), 1);
	assert_int_equal(times("M167.3 "), 1);
	assert_int_equal(times("class=\"sign mid\""), 2);
	/* one point is a dash */
	buf_clear(&drawn);
	values[0] = 0;
	all.length = 1;
	all.mark_count = 0;
	chart_line(&drawn, &all);
	judge();
	assert_int_equal(times("class=\"line l0\" d=\"M194.5 176.0h5\""), 1);
}

static struct chart_columns
columns_of(struct chart_column *column, size_t count)
{
	return (struct chart_columns){.words = words,
	    .columns = column,
	    .count = count,
	    .up_text = "new",
	    .down_text = "gone",
	    .mark_text = "moved"};
}

static void
columns(void **state)
{
	struct chart_column column[12];
	struct chart_columns all = columns_of(column, 12);

	for (size_t i = 0; i < 12; i++)
		column[i] = (struct chart_column){HOSTILE, 5, 0, 0};
	column[3].up = 67;
	column[6].down = 191;
	column[7].mark = 464;
	column[8].mark = 12;
	column[11].mark = 13;
	chart_columns(&drawn, &all);
	judge();
	/* 67 is cut; all others are as high; 191 goes down as far as there is
	 * room; moves are marks */
	assert_int_equal(times("class=\"cut\""), 1);
	assert_int_equal(times("class=\"strong mid\">67<"), 1);
	assert_int_equal(times("height=\"91.2\"><title>"), 12);
	assert_int_equal(times("height=\"60.8\"><title>"), 1);
	assert_int_equal(times("class=\"moved\""), 3);
	assert_int_equal(times(": 464 moved<"), 1);
	assert_int_equal(times("<td class=\"n\">67</td>"), 1);
	assert_int_equal(times("<td class=\"n\">191</td>"), 1);
	assert_int_equal(times("<td class=\"n\">464</td>"), 1);
}

/* What is cut, and what is not. */
static void
cut(void **state)
{
	static const struct {
		uint64_t values[8];
		size_t cut;
	} table[] = {
	    {{5, 5, 5, 5, 5, 5, 5, 15}, 1},
	    {{5, 5, 5, 5, 5, 5, 5, 14}, 0},
	    {{5, 5, 5, 5, 5, 5, 15, 900}, 2},
	    /* three are no outliers */
	    {{5, 5, 5, 5, 5, 15, 45, 900}, 2},
	    /* too few others */
	    {{0, 0, 0, 0, 5, 5, 5, 900}, 0},
	    {{0, 0, 0, 5, 5, 5, 5, 900}, 1},
	    {{0, 0, 0, 0, 0, 0, 0, 900}, 0},
	    {{0, 0, 0, 0, 0, 0, 0, 0}, 0},
	};
	struct chart_column column[8];
	struct chart_columns all = columns_of(column, 8);

	for (size_t i = 0; i < COUNT(table); i++) {
		for (size_t k = 0; k < 8; k++)
			column[k] = (struct chart_column){
			    HOSTILE, table[i].values[7 - k], 0, 0};
		buf_clear(&drawn);
		chart_columns(&drawn, &all);
		judge();
		assert_int_equal(times("class=\"cut\""), table[i].cut);
	}
	buf_clear(&drawn);
	all.count = 0;
	chart_columns(&drawn, &all);
	judge();
}

static void
spark(void **state)
{
	double values[] = {NAN, 10, 20, 30, NAN, 30};

	chart_spark(&drawn, values, 6);
	assert_int_equal(times("aria-label=\"from 10 to 30\""), 1);
	assert_int_equal(
	    times("d=\"M32.5 27.0L54.2 15.0L75.8 3.0M116.7 3.0h5\""), 1);
	buf_clear(&drawn);
	chart_spark(&drawn, values, 1);
	assert_int_equal(times("aria-label=\"from - to -\""), 1);
	assert_int_equal(times("nan"), 0);
}

static void
ceiling(void **state)
{
	static const double table[][2] = {{0, 4}, {1, 4}, {4, 4}, {5, 8},
	    {8, 8}, {9, 20}, {41, 80}, {81, 100}, {100, 100}, {101, 200},
	    {430, 800}, {801, 1000}, {1001, 2000}, {1e9, 1e9}};

	for (size_t i = 0; i < COUNT(table); i++) {
		const char *name = "day";
		struct chart_line all = {.words = words,
		    .values = &table[i][0],
		    .names = &name,
		    .length = 1};
		char end[96];

		(void)snprintf(end, sizeof(end), "class=\"axis end\">%s<",
		    human_of((uint64_t)table[i][1], NULL).text);
		buf_clear(&drawn);
		chart_line(&drawn, &all);
		assert_int_equal(times(end), 1);
	}
}

static void
links(void **state)
{
	static const struct {
		const char *url;
		bool is_link;
	} table[] = {{"https://a.example/", true}, {"http://a.example/", true},
	    {"javascript:alert(1)", false}, {"data:text/html,x", false},
	    {"/etc/passwd", false}, {"", false}};

	for (size_t i = 0; i < COUNT(table); i++) {
		struct slice url = slice_of(table[i].url);

		buf_clear(&drawn);
		markup_link(&drawn, url, slice_of(HOSTILE));
		assert_int_equal(times("href"), table[i].is_link);
		assert_int_equal(times("<script"), 0);
	}
}

UNIT(chart)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(ages, begin, end),
	    cmocka_unit_test_setup_teardown(line, begin, end),
	    cmocka_unit_test_setup_teardown(columns, begin, end),
	    cmocka_unit_test_setup_teardown(cut, begin, end),
	    cmocka_unit_test_setup_teardown(spark, begin, end),
	    cmocka_unit_test_setup_teardown(ceiling, begin, end),
	    cmocka_unit_test_setup_teardown(links, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
