/* What was learned of dates: dots for many sitemaps, a table for few. */
#include "crawler/sim/sim_html_dates.h"

#include <stdlib.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/vis.h"
#include "crawler/sim/sim_svg.h"

static void
put(struct buf *out, const char *markup)
{
	(void)buf_put_slice(out, slice_of(markup));
}

static void
put_text(struct buf *out, const char *text)
{
	xml_put(out, slice_of(text));
}

/* A figure of what was learned of dates, against the truth. */
struct points {
	const char *name;
	bool is_recall;
};

static void
put_points(struct buf *out, const struct study *study,
    const struct study_row *row, const struct points *what)
{
	struct svg_point *points = mem_zero(
	    (study->document_count + 1) * sizeof(*points));
	struct svg_points all = {.points = points,
	    .x_text = "true",
	    .y_text = "learned",
	    .title = what->name};

	for (size_t i = 0; i < study->document_count; i++) {
		const struct sim_honesty *learned = &row->honesty[i];
		const struct study_document *truth = &study->documents[i];
		double x = what->is_recall ? truth->recall : truth->precision;

		/* no move is true: there is nothing to be right about */
		if (!learned->is_known || truth->precision < 0 || x < 0 ||
		    learned->moves < STUDY_LEAST_MOVES)
			continue;
		points[all.count++] = (struct svg_point){
		    x, what->is_recall ? learned->recall : learned->precision};
	}
	if (all.count > 0) {
		(void)buf_print(
		    out, "<figure>\n<h3>%s of dates, learned by ", what->name);
		put_text(out, row->policy->name);
		put(out, "</h3>\n");
		svg_points(out, &all);
		(void)buf_print(out,
		    "<p class=\"soft\">%s; a dot is a sitemap with %d moves or "
		    "more, after the last day</p>\n</figure>\n",
		    what->is_recall ? "share of changes that moved the date"
				    : "share of moved dates that had a change",
		    STUDY_LEAST_MOVES);
	}
	free(points);
}

void
sim_html_honesty(struct buf *out, const struct study *study)
{
	static const struct points both[] = {
	    {"Precision", false}, {"Recall", true}};
	const struct study_row *row = study_learner(study);

	if (study->document_count <= STUDY_FEW)
		return;
	for (size_t i = 0; row != NULL && i < 2; i++)
		put_points(out, study, row, &both[i]);
}

static void
put_number(struct buf *out, bool is_known, double value)
{
	if (is_known && value >= 0)
		(void)buf_print(out, "<td class=\"n\">%.2f</td>", value);
	else
		put(out, "<td class=\"n\">-</td>");
}

void
sim_html_documents(struct buf *out, const struct study *study)
{
	const struct study_row *row = study_learner(study);

	if (row == NULL || study->document_count > STUDY_FEW)
		return;
	put(out, "<h3>Dates, learned by ");
	put_text(out, row->policy->name);
	put(out,
	    "</h3>\n<div class=\"wide\">\n<table>\n<thead><tr>"
	    "<th scope=\"col\">site</th><th scope=\"col\" "
	    "class=\"n\">moves</th>"
	    "<th scope=\"col\" class=\"n\">precision</th>"
	    "<th scope=\"col\" class=\"n\">true</th>"
	    "<th scope=\"col\" class=\"n\">recall</th>"
	    "<th scope=\"col\" class=\"n\">true</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < study->document_count; i++) {
		const struct study_document *truth = &study->documents[i];
		const struct sim_honesty *learned = &row->honesty[i];

		put(out, "<tr><td>");
		put_text(out, study->sites[truth->site].name);
		put(out, "</td><td class=\"n\">");
		human_count(out, learned->moves);
		put(out, "</td>");
		put_number(out, learned->is_known, learned->precision);
		put_number(out, true, truth->precision);
		put_number(out, learned->is_known, learned->recall);
		put_number(out, true, truth->recall);
		put(out, "</tr>\n");
	}
	put(out, "</tbody>\n</table>\n</div>\n");
}
