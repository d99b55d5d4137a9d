/* The charts of a site. */
#include "crawler/pages/site_charts.h"

#include <math.h>
#include <stdio.h>

#include "base/civil.h"

/* Add the mark of the events, or of the notes, that happened in a step. */
static void
site_charts_mark(struct site_marks *marks, const struct figures *figures,
    size_t step, bool is_note)
{
	size_t most = is_note ? SITE_NOTES : SITE_EVENTS;
	size_t all = is_note ? figures->note_count : figures->events.count;
	size_t first = 0, last = 0;
	char *sign = marks->signs[marks->count];
	size_t size = sizeof(marks->signs[0]);

	for (size_t i = 0; i < all && i < most; i++) {
		int64_t at_s = is_note ? figures->notes[i].at_s
				       : figures->events.items[i].at_s;

		if (at_s < figures->steps[0].from_s ||
		    at_s >= figures->span.until_s ||
		    figures_step_at(figures, at_s) != step)
			continue;
		last = i + 1;
		first = first == 0 ? last : first;
	}
	if (first == 0)
		return;
	/* notes have letters, and events numbers */
	if (is_note && first == last)
		(void)snprintf(sign, size, "%c", (char)('A' + first - 1));
	else if (is_note)
		(void)snprintf(sign, size, "%c-%c", (char)('A' + first - 1),
		    (char)('A' + last - 1));
	else if (first == last)
		(void)snprintf(sign, size, "%zu", first % 100);
	else
		(void)snprintf(sign, size, "%zu-%zu", first % 100, last % 100);
	marks->items[marks->count++] = (struct chart_mark){(double)step, sign};
}

void
site_charts_marks(struct site_marks *marks, const struct figures *figures)
{
	marks->count = 0;
	for (size_t step = 0; step < figures->step_count; step++) {
		site_charts_mark(marks, figures, step, false);
		site_charts_mark(marks, figures, step, true);
	}
}

void
site_charts_columns(struct buf *out, const struct figures *figures,
    const char *title, const struct site_marks *marks)
{
	struct chart_column columns[FIGURES_STEPS];
	struct chart_columns all = {
	    .words = {.title = title,
		.note = (figures->step_s == DAY_S ? "pages a day"
			: figures->step_s == 7 * DAY_S
			? "pages a week"
			: "pages, some weeks together"),
		.x_text = figures->step_s == DAY_S ? "day" : "week",
		.y_text = "pages",
		.put = chart_put_count},
	    .columns = columns,
	    .count = figures->step_count,
	    .up_text = "new",
	    .down_text = "gone",
	    .mark_text = "moved",
	    .marks = marks->items,
	    .mark_count = marks->count};

	for (size_t i = 0; i < figures->step_count; i++) {
		const struct figures_step *step = &figures->steps[i];

		columns[i] = (struct chart_column){.name = step->name,
		    .up = step->counts[DELTA_ADDED],
		    .down = step->counts[DELTA_GONE],
		    .mark = step->counts[STATS_MOVED]};
	}
	chart_columns(out, &all);
}

void
site_charts_trend(struct buf *out, const struct figures *figures,
    const struct site_marks *marks)
{
	double values[FIGURES_STEPS];
	const char *names[FIGURES_STEPS];
	struct chart_line line = {
	    .words = {.title = "Pages listed",
		.note = marks->count > 0 ? "numbers are the events below"
					 : NULL,
		.x_text = figures->step_s == DAY_S ? "at the end of the day"
						   : "at the end of the week",
		.y_text = "pages",
		.put = chart_put_count},
	    .values = values,
	    .names = names,
	    .length = figures->step_count,
	    .marks = marks->items,
	    .mark_count = marks->count};

	for (size_t i = 0; i < figures->step_count; i++) {
		values[i] = figures->steps[i].listed;
		names[i] = figures->steps[i].name;
	}
	chart_line(out, &line);
}

void
site_charts_ages(struct buf *out, const struct figures *figures)
{
	struct chart_bar bars[FIGURES_AGES];
	struct chart_bars all = {.words = {.title = "How old its dates are",
				     .note = "by lastmod, now",
				     .x_text = "pages",
				     .y_text = "lastmod within",
				     .put = chart_put_count},
	    .bars = bars,
	    .count = FIGURES_AGES,
	    .mark = NAN};

	for (size_t i = 0; i < FIGURES_AGES; i++)
		bars[i] = (struct chart_bar){
		    figures_ages[i], (double)figures->ages[i]};
	chart_bars(out, &all);
}
