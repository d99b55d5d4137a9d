/* Charts as SVG: plain shapes with classes for colours, without scripts. */
#include "crawler/chart/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/sort.h"
#include "crawler/chart/markup.h"

/* The width is that of a phone, where text keeps its size. */
#define WIDTH 360
#define LEFT 42
#define RIGHT 352
#define TOP 24

/* Bars. */
#define BAR_HEIGHT 34
#define BAR_LEFT 2
/* End of the longest bar; the values stand right of it. */
#define BAR_RIGHT 296

/* Lines and columns. */
#define PLOT_HEIGHT 216
#define BOTTOM 176
#define POINTS 120
#define DASH 5 /* a point without neighbours */
#define TICKS 4
#define NAMES 4 /* below the axis */

/* Signs of marks: how much lower every second one of neighbours stands. */
#define MARK_STEP 11
#define SIGN_WIDTH 7 /* of a letter or digit */

/* Columns: one that is so many times the next smaller one is cut, if so many
 * others are left. */
#define CUT_TIMES 3
#define CUT_MOST 2
#define CUT_LEFT 4

/* A line as small as a word. */
#define SPARK_WIDTH 130
#define SPARK_HEIGHT 30

/* "1,204", "-" for NaN. */
static void
chart_put_count(struct buf *out, double value)
{
	if (isfinite(value) && value >= 0)
		human_put(out, (uint64_t)(value + 0.5), NULL);
	else
		markup_put(out, "-");
}

/* The frame of a chart. */

/* The label of the drawing is for those who hear the page: the shapes say
 * nothing to them, and the table below has all numbers. */
static void
chart_begin(
    struct buf *out, const struct chart_words *words, int width, int height)
{
	markup_print(out, "<figure>\n<figcaption>%t", words->title);
	if (words->note != NULL)
		markup_print(
		    out, " <span class=\"soft\">%t</span>", words->note);
	(void)buf_print(
	    out, "</figcaption>\n<svg viewBox=\"0 0 %d %d\"", width, height);
	markup_print(out,
	    " role=\"img\" aria-label=\"%t; the table below has its "
	    "numbers\">\n",
	    words->title);
}

/* A name may be as long as a URL, so it is cut; a value never is. */
static void
put_label(
    struct buf *out, double x, double y, const char *class, const char *text)
{
	(void)buf_print(out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
	markup_print(out, " class=\"%s\">%c</text>\n", class, text);
}

static void
chart_put_value(
    struct buf *out, double x, double y, const char *class, double value)
{
	(void)buf_print(
	    out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	chart_put_count(out, value);
	markup_put(out, "</text>\n");
}

static void
chart_put_rule(struct buf *out, const char *class, double from[2], double to[2])
{
	(void)buf_print(out,
	    "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", class, from[0],
	    from[1], to[0], to[1]);
}

/* The table below a drawing: a head for the names of its rows, and one for each
 * column of values. */
static void
table_begin(struct buf *out, const struct chart_words *words, const char *name,
    const char *const *heads, size_t count)
{
	markup_print(out,
	    "</svg>\n<details class=\"data\"><summary>as a table</summary>"
	    "<div class=\"wide\" tabindex=\"0\" role=\"group\" "
	    "aria-label=\"%t: table\"><table class=\"plain\"><thead><tr>"
	    "<th scope=\"col\">%t</th>",
	    words->title, name);
	for (size_t i = 0; i < count; i++)
		markup_print(
		    out, "<th scope=\"col\" class=\"n\">%t</th>", heads[i]);
	markup_put(out, "</tr></thead>\n<tbody>\n");
}

/* The same function writes values into the drawing and here, so that the two
 * never differ. */
static void
table_row(struct buf *out, const char *name, const double *values, size_t count)
{
	markup_print(out, "<tr><th scope=\"row\">%c</th>", name);
	for (size_t i = 0; i < count; i++) {
		markup_put(out, "<td class=\"n\">");
		chart_put_count(out, values[i]);
		markup_put(out, "</td>");
	}
	markup_put(out, "</tr>\n");
}

static void
table_end(struct buf *out)
{
	markup_put(out, "</tbody>\n</table></div></details>\n</figure>\n");
}

size_t
chart_age(const struct date *date, int64_t now_s)
{
	static const int64_t days[] = {7, 30, 90, 180, 365};
	size_t age = 0;

	if (date->precision == DATE_NONE)
		return CHART_AGES - 1;
	while (age < sizeof(days) / sizeof(days[0]) &&
	    now_s - date->epoch_s > days[age] * DAY_S)
		age++;
	return age;
}

void
chart_ages(struct buf *out, const uint64_t ages[CHART_AGES])
{
	static const char *const names[CHART_AGES] = {"7 days", "30 days",
	    "90 days", "180 days", "1 year", "older", "no date"};
	const struct chart_words words = {.title = "How old its dates are",
	    .note = "by lastmod, now",
	    .x_text = "pages",
	    .y_text = "lastmod within"};
	uint64_t most = 1;

	/* The largest value has the whole width. */
	for (size_t i = 0; i < CHART_AGES; i++)
		most = ages[i] > most ? ages[i] : most;
	chart_begin(out, &words, WIDTH, CHART_AGES * BAR_HEIGHT + 26);
	for (size_t i = 0; i < CHART_AGES; i++) {
		double y = (double)i * BAR_HEIGHT;

		put_label(out, BAR_LEFT, y + 13, "name", names[i]);
		(void)buf_print(out,
		    "<rect class=\"bar first\" x=\"%d\" y=\"%.1f\" "
		    "width=\"%.1f\" height=\"11\" rx=\"2\"/>\n",
		    BAR_LEFT, y + 18,
		    (double)ages[i] * (BAR_RIGHT - BAR_LEFT) / (double)most);
		chart_put_value(
		    out, WIDTH - 2, y + 27.5, "value end", (double)ages[i]);
	}
	put_label(
	    out, BAR_LEFT, CHART_AGES * BAR_HEIGHT + 18, "axis", words.x_text);
	table_begin(out, &words, words.y_text, &words.x_text, 1);
	for (size_t i = 0; i < CHART_AGES; i++)
		table_row(out, names[i], &(double){(double)ages[i]}, 1);
	table_end(out);
}

/* Places along an axis of time. */

/* The middle of a place; the first and the last one keep half of a place to the
 * ends of the axis. */
static double
place_x(double at, size_t length)
{
	return LEFT + (RIGHT - LEFT) * (at + 0.5) / (double)length;
}

static void
put_names(struct buf *out, const char *const *names, size_t length, double y)
{
	size_t step = length > NAMES ? (length + NAMES - 1) / NAMES : 1;

	/* As many names as fit below the axis without touching each other. */
	for (size_t i = 0; i < length; i += step)
		put_label(
		    out, place_x((double)i, length), y, "axis mid", names[i]);
}

/* Marks with their signs, which begin at that height; signs of neighbours stand
 * one below the other. */
static void
put_marks(struct buf *out, const struct chart_mark *marks, size_t count,
    size_t length, double sign_y)
{
	/* signs below leave the room above to numbers */
	double top = sign_y > TOP ? TOP : TOP - 8;
	double before = -INFINITY;
	bool is_low = false;

	/* Signs have a width, so that two of neighbouring days would overlap
	 * on one line. */
	for (size_t i = 0; i < count; i++) {
		double x = place_x(marks[i].at, length);
		double half = SIGN_WIDTH / 2.0 * (double)strlen(marks[i].sign);

		is_low = x - half < before && !is_low;
		before = x + half + 3;
		chart_put_rule(
		    out, "mark", (double[]){x, top}, (double[]){x, BOTTOM});
		put_label(out, x, is_low ? sign_y + MARK_STEP : sign_y,
		    "sign mid", marks[i].sign);
	}
}

static double
chart_mean_of(const double *values, size_t from, size_t to)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = from; i < to; i++)
		if (isfinite(values[i])) {
			sum += values[i];
			count++;
		}
	return count > 0 ? sum / (double)count : NAN;
}

/* Where a line is drawn: the ends of its axes, and how many points it has. */
struct line_frame {
	double left, right, top, bottom;
	double low, high; /* values */
	size_t most;
};

/* A gap in the values is a gap in the line: what nobody read is not drawn as if
 * it were known. */
static void
chart_put_path(struct buf *out, const double *values, size_t count,
    const struct line_frame *frame)
{
	size_t points = count < frame->most ? count : frame->most;
	bool is_open = false;

	markup_put(out, "<path class=\"line l0\" d=\"");
	for (size_t i = 0; i < points; i++) {
		double mean = chart_mean_of(
		    values, i * count / points, (i + 1) * count / points);
		double next = i + 1 < points
		    ? chart_mean_of(values, (i + 1) * count / points,
			  (i + 2) * count / points)
		    : NAN;
		/* a line without a slope is in the middle */
		double part = frame->high > frame->low
		    ? (mean - frame->low) / (frame->high - frame->low)
		    : 0.5;
		double x = frame->left +
		    (frame->right - frame->left) * ((double)i + 0.5) /
			(double)points;
		double y = frame->bottom - (frame->bottom - frame->top) * part;

		/* A point without neighbours is a dash, because a path of one
		 * point is not drawn. */
		if (isfinite(mean) && is_open)
			(void)buf_print(out, "L%.1f %.1f", x, y);
		else if (isfinite(mean) && isfinite(next))
			(void)buf_print(out, "M%.1f %.1f", x, y);
		else if (isfinite(mean))
			(void)buf_print(
			    out, "M%.1f %.1fh%d", x - DASH / 2.0, y, DASH);
		is_open = isfinite(mean);
	}
	markup_put(out, "\"/>");
}

/* The end of an axis that holds the value and has four whole parts: 4, 8, 20,
 * 40, ... */
static double
chart_ceiling(double value)
{
	static const double steps[] = {1, 2, 2.5, 5, 10};
	double part = fmax(value, TICKS) / TICKS;
	double unit = pow(10, floor(log10(part)));

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		double step = steps[i] * unit;

		/* parts are whole: 2.5 is none */
		if (step >= part * 0.999999 && fabs(step - floor(step)) < 1e-9)
			return TICKS * step;
	}
	return TICKS * 10 * unit;
}

void
chart_line(struct buf *out, const struct chart_line *line)
{
	const struct chart_words *words = &line->words;
	struct line_frame frame = {.left = LEFT,
	    .right = RIGHT,
	    .top = TOP,
	    .bottom = BOTTOM,
	    .most = POINTS};
	size_t points = line->length < POINTS ? line->length : POINTS;

	for (size_t i = 0; i < line->length; i++)
		if (isfinite(line->values[i]))
			frame.high = fmax(frame.high, line->values[i]);
	frame.high = chart_ceiling(frame.high);
	chart_begin(out, words, WIDTH, PLOT_HEIGHT);
	for (int i = 0; i <= TICKS; i++) {
		double y = BOTTOM - (BOTTOM - TOP) * i / (double)TICKS;

		chart_put_rule(
		    out, "grid", (double[]){LEFT, y}, (double[]){RIGHT, y});
		chart_put_value(
		    out, LEFT - 4, y + 4, "axis end", frame.high * i / TICKS);
	}
	put_names(out, line->names, line->length, BOTTOM + 14);
	put_label(
	    out, (LEFT + RIGHT) / 2.0, BOTTOM + 30, "axis mid", words->x_text);
	/* the text of the value axis stands above it */
	put_label(out, 2, 10, "axis", words->y_text);
	chart_put_path(out, line->values, line->length, &frame);
	markup_put(out, "\n");
	put_marks(out, line->marks, line->mark_count, line->length, TOP - 10);
	table_begin(out, words, words->x_text, &words->y_text, 1);
	for (size_t i = 0; i < points; i++) {
		size_t from = i * line->length / points;
		double mean = chart_mean_of(
		    line->values, from, (i + 1) * line->length / points);

		table_row(out, line->names[from], &mean, 1);
	}
	table_end(out);
}

static const struct sort_key by_size[] = {{.type = SORT_UINT64}, {0}};

static uint64_t
limit_of(uint64_t *values, size_t count)
{
	size_t first = 0;

	sort_rows(values, count, sizeof(*values), by_size);
	while (first < count && values[first] == 0)
		first++;
	/* Cut what would flatten all others: a value far above the next
	 * smaller one, as long as enough are left. */
	for (size_t cut = 0; cut < CUT_MOST; cut++) {
		if (count - first <= CUT_LEFT ||
		    values[count - 1] / CUT_TIMES < values[count - 2])
			break;
		/* two outliers of one size are cut together, or not at all */
		count--;
	}
	return count > 0 ? values[count - 1] : 0;
}

struct column_scale {
	/* the values whose columns reach the ends of the scale; 0: no column is
	 * on that side */
	uint64_t up, down;
	double zero; /* the height of the axis */
};

struct column_place {
	double x, width;
	bool is_up;
};

/* A column that is cut reaches the end of its scale, has a notch, and its
 * number beside it. */
static void
put_column(struct buf *out, const struct chart_columns *all, size_t i,
    const struct column_scale *scale, const struct column_place *place)
{
	const struct chart_column *column = &all->columns[i];
	uint64_t value = place->is_up ? column->up : column->down;
	uint64_t limit = place->is_up ? scale->up : scale->down;
	double room = place->is_up ? scale->zero - TOP : BOTTOM - scale->zero;
	bool is_cut = value > limit;
	double height = is_cut ? room : room * (double)value / (double)limit;
	double end = place->is_up ? scale->zero - height : scale->zero + height;

	if (value == 0)
		return;
	/* One page in a column of thousands is still seen. */
	height = fmax(height, 0.8);
	(void)buf_print(out,
	    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	    "height=\"%.1f\"><title>",
	    place->is_up ? "up" : "down", place->x,
	    place->is_up ? scale->zero - height : scale->zero, place->width,
	    height);
	markup_print(out, "%t: ", column->name);
	chart_put_count(out, (double)value);
	markup_print(out, " %t</title></rect>\n",
	    place->is_up ? all->up_text : all->down_text);
	if (!is_cut)
		return;
	chart_put_rule(out, "cut",
	    (double[]){place->x - 2, end + (place->is_up ? 14 : -8)},
	    (double[]){
		place->x + place->width + 2, end + (place->is_up ? 8 : -14)});
	chart_put_value(out, place->x + place->width / 2,
	    place->is_up ? end - 3 : end + 9, "strong mid", (double)value);
}

/* A moved page neither came nor went, so it has no column. */
static void
put_triangle(struct buf *out, const struct chart_columns *all, size_t i)
{
	const struct chart_column *column = &all->columns[i];

	if (column->mark == 0)
		return;
	(void)buf_print(out,
	    "<path class=\"moved\" d=\"M%.1f %d l-4 7 h8z\"><title>",
	    place_x((double)i, all->count), TOP - 8);
	markup_print(out, "%t: ", column->name);
	chart_put_count(out, (double)column->mark);
	markup_print(out, " %t</title></path>\n", all->mark_text);
}

void
chart_columns(struct buf *out, const struct chart_columns *all)
{
	double step = (double)(RIGHT - LEFT) /
	    (double)(all->count > 0 ? all->count : 1);
	uint64_t *up = mem_zero((all->count + 1) * sizeof(*up));
	uint64_t *down = mem_zero((all->count + 1) * sizeof(*down));
	const char **names = mem_zero((all->count + 1) * sizeof(*names));
	int signs = all->mark_count > 0 ? 2 * MARK_STEP : 0;
	int numbers = 0; /* the room below for numbers of what is cut */

	for (size_t i = 0; i < all->count; i++) {
		names[i] = all->columns[i].name;
		up[i] = all->columns[i].up;
		down[i] = all->columns[i].down;
	}
	/* New and gone pages have scales of their own, because a site may gain
	 * ten pages a day and lose ten thousand at once. */
	struct column_scale scale = {
	    limit_of(up, all->count), limit_of(down, all->count), BOTTOM};

	if (scale.down > 0)
		scale.zero = scale.up == 0 ? TOP : TOP + (BOTTOM - TOP) * 0.6;
	if (all->count > 0 && down[all->count - 1] > scale.down)
		numbers = MARK_STEP;
	free(up);
	free(down);
	signs += numbers;
	chart_begin(out, &all->words, WIDTH, PLOT_HEIGHT + signs);
	chart_put_rule(out, "grid", (double[]){LEFT, scale.zero},
	    (double[]){RIGHT, scale.zero});
	chart_put_value(out, LEFT - 4, scale.zero + 4, "axis end", 0);
	if (scale.up > 0)
		chart_put_value(
		    out, LEFT - 4, TOP + 4, "axis end", (double)scale.up);
	if (scale.down > 0)
		chart_put_value(
		    out, LEFT - 4, BOTTOM + 4, "axis end", (double)scale.down);
	for (size_t i = 0; i < all->count; i++) {
		struct column_place place = {
		    .x = LEFT + step * ((double)i + 0.12),
		    .width = step * 0.76,
		    .is_up = true};

		put_column(out, all, i, &scale, &place);
		place.is_up = false;
		put_column(out, all, i, &scale, &place);
		put_triangle(out, all, i);
	}
	/* above the columns are what moved, and the numbers of what is cut */
	put_marks(out, all->marks, all->mark_count, all->count,
	    BOTTOM + 12 + numbers);
	put_names(out, names, all->count, BOTTOM + 18 + signs);
	put_label(out, (LEFT + RIGHT) / 2.0, BOTTOM + 34 + signs, "axis mid",
	    all->words.x_text);
	put_label(out, 2, 10, "axis", all->words.y_text);
	const char *heads[] = {all->up_text, all->down_text, all->mark_text};

	table_begin(out, &all->words, all->words.x_text, heads, 3);
	for (size_t i = 0; i < all->count; i++) {
		const struct chart_column *column = &all->columns[i];

		table_row(out, column->name,
		    (double[]){(double)column->up, (double)column->down,
			(double)column->mark},
		    3);
	}
	table_end(out);
	free(names);
}

void
chart_spark(struct buf *out, const double *values, size_t count)
{
	struct line_frame frame = {.right = SPARK_WIDTH,
	    .top = 3,
	    .bottom = SPARK_HEIGHT - 3,
	    .low = INFINITY,
	    .high = -INFINITY,
	    .most = SPARK_WIDTH / 2};
	double first = NAN, last = NAN;

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(values[i]))
			continue;
		frame.low = fmin(frame.low, values[i]);
		frame.high = fmax(frame.high, values[i]);
		first = isfinite(first) ? first : values[i];
		last = values[i];
	}
	(void)buf_print(out,
	    "<svg class=\"spark\" viewBox=\"0 0 %d %d\" role=\"img\" "
	    "aria-label=\"from ",
	    SPARK_WIDTH, SPARK_HEIGHT);
	chart_put_count(out, first);
	markup_put(out, " to ");
	chart_put_count(out, last);
	markup_put(out, "\">");
	chart_put_path(out, values, count, &frame);
	markup_put(out, "</svg>");
}
