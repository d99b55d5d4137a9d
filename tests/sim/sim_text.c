/* The studies of `sim` as text, and the list of what it can study. */
#include "tests/sim/sim_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/vis.h"
#include "tests/sim/ablation.h"
#include "tests/sim/world_options.h"

/* The list of policies, worlds and parameters. */

#define LIST_WIDTH 24
#define VALUE_MAX 64
#define STANDARD "W2" /* the world whose parameters are listed */

static void
put_line(struct out *out, const char *name, const char *value, const char *text)
{
	struct buf first;

	buf_init(&first, 256);
	(void)buf_print(&first, "  %-*s ", LIST_WIDTH, name);
	if (value != NULL)
		(void)buf_print(&first, "%-10s ", value);
	out_wrapped(&out->text, buf_str(&first), text);
	(void)out_line(out);
	buf_release(&first);
}

static void
put_object(struct out *out, const char *of, const char *name, const char *text,
    const struct world_setting *setting)
{
	char value[VALUE_MAX] = "";

	if (setting != NULL)
		world_get(
		    world_preset(STANDARD), setting, value, sizeof(value));
	(void)buf_print(&out->text, "{\"v\":1");
	out_json_word(&out->text, "type", slice_of("choice"));
	out_json_word(&out->text, "of", slice_of(of));
	out_json_word(&out->text, "name", slice_of(name));
	out_json_word(&out->text, "standard", slice_of(value));
	out_json_word(&out->text, "text", slice_of(text));
	if (setting != NULL)
		(void)buf_print(&out->text, ",\"low\":%.9g,\"high\":%.9g",
		    setting->low, setting->high);
	(void)buf_print(&out->text, "}\n");
	(void)out_line(out);
}

static void
put_head(struct out *out, bool is_json, const char *text)
{
	if (!is_json)
		(void)buf_print(&out->text, "%s\n", text);
}

static void
list_policies(struct out *out, bool is_json)
{
	size_t count;
	const struct sim_policy *const *policies = sim_policies(&count);

	put_head(out, is_json, "policies (--policy)");
	for (size_t i = 0; i < count; i++)
		if (is_json)
			put_object(out, "policy", policies[i]->name,
			    policies[i]->text, NULL);
		else
			put_line(
			    out, policies[i]->name, NULL, policies[i]->text);
}

static void
list_worlds(struct out *out, bool is_json)
{
	size_t count;
	const struct world_options *worlds = world_presets(&count);

	put_head(out, is_json, "\nworlds (--world)");
	for (size_t i = 0; i < count; i++)
		if (is_json)
			put_object(
			    out, "world", worlds[i].name, worlds[i].text, NULL);
		else
			put_line(out, worlds[i].name, NULL, worlds[i].text);
}

static void
list_settings(struct out *out, bool is_json)
{
	size_t count;
	const struct world_setting *settings = world_settings(&count);
	char value[VALUE_MAX];

	put_head(
	    out, is_json, "\nparameters of " STANDARD " (--with KEY=VALUE)");
	for (size_t i = 0; i < count; i++) {
		world_get(
		    world_preset(STANDARD), &settings[i], value, sizeof(value));
		if (is_json)
			put_object(out, "parameter", settings[i].key,
			    settings[i].text, &settings[i]);
		else
			put_line(out, settings[i].key, value, settings[i].text);
	}
}

static void
list_refinements(struct out *out, bool is_json)
{
	size_t count;
	const struct ablation_refinement *all = ablation_refinements(&count);

	put_head(out, is_json, "\nrefinements of ours (--without)");
	for (size_t i = 0; i < count; i++)
		if (is_json)
			put_object(
			    out, "refinement", all[i].name, all[i].text, NULL);
		else
			put_line(out, all[i].name, NULL, all[i].text);
}

void
sim_list(struct out *out, bool is_json)
{
	list_policies(out, is_json);
	list_worlds(out, is_json);
	list_settings(out, is_json);
	list_refinements(out, is_json);
}

#define CELL_MAX 512
#define NAME_WIDTH 25
#define CLASS_POLICIES \
	4 /* number of policies side by side in the table by kind of site */

void
sim_put_days(struct buf *out, double days)
{
	if (isnan(days))
		(void)buf_print(out, "-");
	else if (isinf(days))
		(void)buf_print(out, "never");
	else if (days < 1)
		(void)buf_print(out, "%.1f h", days * 24);
	else
		(void)buf_print(out, days < 99.95 ? "%.1f d" : "%.0f d", days);
}

void
sim_put_share(struct buf *out, double share)
{
	if (isfinite(share))
		(void)buf_print(out,
		    share > -0.9995 && share < 9.9995 ? "%.1f %%" : "%.0f %%",
		    100 * share);
	else
		(void)buf_print(out, "-");
}

void
sim_put_rate(struct buf *out, double per_day)
{
	if (isnan(per_day))
		(void)buf_print(out, "-");
	else if (isinf(per_day))
		(void)buf_print(out, "never");
	else if (per_day < 99.95)
		(void)buf_print(out, "%.1f/d", per_day);
	else {
		human_put(out, (uint64_t)(per_day + 0.5), NULL);
		(void)buf_print(out, "/d");
	}
}

/* Append a cell, aligned to the right, and empty it. */
static void
put_cell(struct buf *out, struct buf *cell, size_t width)
{
	size_t columns = slice_chars(buf_text(cell));

	(void)buf_put_char(out, ' ');
	for (; columns < width; columns++)
		(void)buf_put_char(out, ' ');
	(void)buf_put_slice(out, buf_text(cell));
	buf_clear(cell);
}

static void
put_name(struct out *out, const char *name)
{
	size_t from;

	(void)buf_print(&out->text, "  ");
	from = out->text.len;
	out_text(out, slice_of(name));
	out_pad(out, from, NAME_WIDTH);
}

/* Print the heading of a table. */
static void
put_heads(struct out *out, const char *first, const char *const *heads,
    const size_t *widths, size_t count)
{
	put_name(out, first);
	for (size_t i = 0; i < count; i++)
		(void)buf_print(&out->text, " %*s", (int)widths[i], heads[i]);
	(void)buf_print(&out->text, "\n");
	(void)out_line(out);
}

static double
mean(const struct study_row *row, enum study_figure figure)
{
	return sim_sample_mean(&row->figures[figure]);
}

void
sim_put_readings(struct buf *out, const struct sim_options *options)
{
	double hours = (double)options->read_every_s / 3600;

	if (options->read_every_s == 0)
		(void)buf_print(out, "sitemaps read when asked for, and paid");
	else
		(void)buf_print(out, "each sitemap read every %g %s, %s",
		    hours < 24 ? hours : hours / 24, hours < 24 ? "h" : "d",
		    options->is_reading_paid ? "paid" : "for nothing");
}

static void
put_top(struct out *out, const struct study *study)
{
	const struct study_plan *plan = study->plan;
	struct buf *text = &out->text;

	out_text(out, slice_of(plan->name));
	(void)buf_print(text, "  %s\n  ", plan->text);
	human_put(text, study->page_count, "page");
	(void)buf_print(text, " of ");
	human_put(text, study->site_count, "site");
	(void)buf_print(text, ", ");
	human_put(text, study->day_count, "day");
	(void)buf_print(text, ", ");
	human_put(text, plan->seeds, "seed");
	(void)buf_print(text, "; days %zu to %zu count\n  ",
	    study->window.from + 1, study->window.to);
	sim_put_rate(text, plan->options.requests_per_day);
	(void)buf_print(text, " requests; ");
	sim_put_readings(text, &plan->options);
	(void)buf_print(text, "\n\n");
	(void)out_line(out);
}

static void
put_freshness(struct buf *out, const struct sim_sample *sample)
{
	double error = sim_sample_error(sample);

	sim_put_share(out, sim_sample_mean(sample));
	if (!isnan(error))
		(void)buf_print(out, " \xC2\xB1%4.1f", 100 * error);
}

/* The freshness of each policy. */
static void
put_quality(struct out *out, const struct study *study)
{
	static const char *const heads[] = {
	    "FRESHNESS", "GAP", "BOUND", "AGE", "DELAY", "TOP 10%"};
	static const size_t widths[] = {12, 7, 7, 7, 7, 7};
	struct buf cell;

	buf_init(&cell, CELL_MAX);
	put_heads(out, "POLICY", heads, widths, 6);
	for (size_t i = 0; i < study->row_count; i++) {
		const struct study_row *row = &study->rows[i];

		put_name(out, row->policy->name);
		put_freshness(&cell, &row->figures[STUDY_FRESHNESS]);
		put_cell(&out->text, &cell, widths[0]);
		sim_put_share(&cell, mean(row, STUDY_GAP));
		put_cell(&out->text, &cell, widths[1]);
		sim_put_share(&cell, mean(row, STUDY_SHARE));
		put_cell(&out->text, &cell, widths[2]);
		sim_put_days(&cell, mean(row, STUDY_AGE));
		put_cell(&out->text, &cell, widths[3]);
		sim_put_days(&cell, mean(row, STUDY_DELAY));
		put_cell(&out->text, &cell, widths[4]);
		sim_put_days(&cell, mean(row, STUDY_DELAY_TOP));
		put_cell(&out->text, &cell, widths[5]);
		(void)buf_print(&out->text, "\n");
		(void)out_line(out);
	}
	buf_release(&cell);
}

/* The requests of each policy. */
static void
put_costs(struct out *out, const struct study *study)
{
	static const char *const heads[] = {
	    "FETCHES", "CHANGED", "FAILED", "READINGS", "EQUAL"};
	static const size_t widths[] = {10, 8, 7, 10, 10};
	bool is_equal = study->plan->wants_equal;
	struct buf cell;

	buf_init(&cell, CELL_MAX);
	(void)buf_print(&out->text, "\n");
	put_heads(out, "REQUESTS", heads, widths, is_equal ? 5 : 4);
	for (size_t i = 0; i < study->row_count; i++) {
		const struct study_row *row = &study->rows[i];

		put_name(out, row->policy->name);
		sim_put_rate(&cell, mean(row, STUDY_FETCHES));
		put_cell(&out->text, &cell, widths[0]);
		sim_put_share(&cell, mean(row, STUDY_FOUND));
		put_cell(&out->text, &cell, widths[1]);
		sim_put_share(&cell, mean(row, STUDY_FAILED));
		put_cell(&out->text, &cell, widths[2]);
		sim_put_rate(&cell, mean(row, STUDY_READINGS));
		put_cell(&out->text, &cell, widths[3]);
		if (is_equal) {
			sim_put_rate(&cell, mean(row, STUDY_REQUESTS));
			put_cell(&out->text, &cell, widths[4]);
		}
		(void)buf_print(&out->text, "\n");
		(void)out_line(out);
	}
	if (is_equal)
		(void)buf_print(&out->text,
		    "  EQUAL: requests for the freshness of %s\n",
		    study->rows[0].policy->name);
	buf_release(&cell);
}

static void
put_bounds(struct out *out, const struct study *study)
{
	struct buf cell;

	buf_init(&cell, CELL_MAX);
	(void)buf_print(&out->text, "\n");
	put_name(out, "BOUND");
	(void)buf_print(&out->text, "    FRESHNESS\n");
	for (int i = 0; i < STUDY_BOUNDS; i++) {
		if (!study->has_bound[i])
			continue;
		put_name(out, study_bound_key(i));
		put_freshness(&cell, &study->bounds[i]);
		put_cell(&out->text, &cell, 12);
		(void)buf_print(&out->text, "  %s\n", study_bound_text(i));
		(void)out_line(out);
	}
	buf_release(&cell);
}

/* The freshness by kind of site, if there are several. */
static void
put_classes(struct out *out, const struct study *study)
{
	size_t shown = study->row_count < CLASS_POLICIES ? study->row_count
							 : CLASS_POLICIES;
	struct buf cell;

	if (study->class_count < 2)
		return;
	buf_init(&cell, CELL_MAX);
	(void)buf_print(&out->text, "\n");
	put_name(out, "DATES OF THE SITE");
	(void)buf_print(&out->text, "  WEIGHT");
	for (size_t j = 0; j < shown; j++) {
		(void)vis_put_middle(
		    &cell, slice_of(study->rows[j].policy->name), 10);
		put_cell(&out->text, &cell, 10);
	}
	(void)buf_print(&out->text, "\n");
	for (size_t i = 0; i < study->class_count; i++) {
		if (study->class_weights[i] <= 0)
			continue;
		put_name(out, study->class_names[i]);
		sim_put_share(&cell, study->class_weights[i]);
		put_cell(&out->text, &cell, 7);
		for (size_t j = 0; j < shown; j++) {
			sim_put_share(
			    &cell, sim_sample_mean(&study->rows[j].classes[i]));
			put_cell(&out->text, &cell, 10);
		}
		(void)buf_print(&out->text, "\n");
		(void)out_line(out);
	}
	buf_release(&cell);
}

static void
put_number(struct buf *out, double value)
{
	if (isfinite(value) && value >= 0)
		(void)buf_print(out, "%.2f", value);
	else
		(void)buf_print(out, "-");
}

/* What a policy had learned of each document. */
static void
put_documents(struct out *out, const struct study *study)
{
	const struct study_row *row = study_learner(study);
	static const char *const heads[] = {
	    "MOVES", "PRECISION", "TRUE", "RECALL", "TRUE"};
	static const size_t widths[] = {10, 9, 6, 7, 6};
	struct buf cell;

	if (row == NULL || study->document_count > STUDY_FEW)
		return;
	buf_init(&cell, CELL_MAX);
	(void)buf_print(&cell, "LEARNED BY %s", row->policy->name);
	(void)buf_print(&out->text, "\n");
	put_heads(out, buf_str(&cell), heads, widths, 5);
	buf_clear(&cell);
	for (size_t i = 0; i < study->document_count; i++) {
		const struct sim_honesty *learned = &row->honesty[i];
		const struct study_document *truth = &study->documents[i];

		put_name(out, study->sites[truth->site].name);
		human_put(&cell, learned->moves, NULL);
		put_cell(&out->text, &cell, widths[0]);
		put_number(&cell, learned->is_known ? learned->precision : NAN);
		put_cell(&out->text, &cell, widths[1]);
		put_number(&cell, truth->precision);
		put_cell(&out->text, &cell, widths[2]);
		put_number(&cell, learned->is_known ? learned->recall : NAN);
		put_cell(&out->text, &cell, widths[3]);
		put_number(&cell, truth->recall);
		put_cell(&out->text, &cell, widths[4]);
		(void)buf_print(&out->text, "\n");
		(void)out_line(out);
	}
	buf_release(&cell);
}

/* How near the learned values came to the truth. */
static void
put_honesty(struct out *out, const struct study *study)
{
	static const char *const heads[] = {
	    "WITHIN 0.1", "PRECISION OFF", "RECALL OFF"};
	static const size_t widths[] = {12, 14, 11};
	bool is_first = true;
	struct buf cell;

	buf_init(&cell, CELL_MAX);
	for (size_t i = 0; i < study->row_count; i++) {
		const struct study_row *row = &study->rows[i];

		if (row->figures[STUDY_WITHIN].count == 0)
			continue;
		if (is_first) {
			(void)buf_print(&out->text, "\n");
			put_heads(out, "LEARNED OF DATES", heads, widths, 3);
		}
		is_first = false;
		put_name(out, row->policy->name);
		sim_put_share(&cell, mean(row, STUDY_WITHIN));
		put_cell(&out->text, &cell, widths[0]);
		put_number(&cell, mean(row, STUDY_PRECISION_ERROR));
		put_cell(&out->text, &cell, widths[1]);
		put_number(&cell, mean(row, STUDY_RECALL_ERROR));
		put_cell(&out->text, &cell, widths[2]);
		(void)buf_print(&out->text, "\n");
		(void)out_line(out);
	}
	if (!is_first)
		(void)buf_print(&out->text,
		    "  of sitemaps with 50 moves, after %d days\n",
		    (int)(study->plan->options.honesty_s / 86400));
	buf_release(&cell);
}

void
sim_text(struct out *out, const struct study *study)
{
	put_top(out, study);
	put_quality(out, study);
	put_costs(out, study);
	put_bounds(out, study);
	put_classes(out, study);
	put_honesty(out, study);
	put_documents(out, study);
	(void)buf_print(&out->text, "\n");
	(void)out_line(out);
}
