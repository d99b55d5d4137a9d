/* The studies of `sim` as NDJSON; json.md lists the fields. */
#include "tests/sim/sim_json.h"

#include <inttypes.h>
#include <math.h>

#include "base/out_json.h"
#include "base/vis.h"

static void
begin(struct out *out, const struct study *study, const char *type)
{
	struct buf *text = &out->text;

	(void)buf_print(text, "{\"v\":1");
	out_json_word(text, "type", slice_of(type));
	out_json_word(text, "world", slice_of(study->plan->name));
}

static void
end(struct out *out)
{
	(void)buf_print(&out->text, "}\n");
	(void)out_line(out);
}

static void
put_world(struct out *out, const struct study *study)
{
	const struct study_plan *plan = study->plan;
	struct buf *text = &out->text;

	begin(out, study, "world");
	out_json_word(text, "text", slice_of(plan->text));
	out_json_flag(text, "trace", plan->trace != NULL);
	out_json_number(text, "pages", study->page_count);
	out_json_number(text, "sites", study->site_count);
	out_json_number(text, "documents", study->document_count);
	out_json_number(text, "days", study->day_count);
	out_json_number(text, "from_day", study->window.from);
	out_json_number(text, "to_day", study->window.to);
	out_json_real(text, "requests", plan->options.requests_per_day);
	out_json_number(
	    text, "read_every_s", (uint64_t)plan->options.read_every_s);
	out_json_flag(text, "readings_paid",
	    plan->options.is_reading_paid || plan->options.read_every_s == 0);
	out_json_number(text, "seeds", plan->seeds);
	out_json_word(text, "bound", slice_of(study_bound_key(study->best)));
	end(out);
}

static void
put_knows(struct buf *out, unsigned knows)
{
	static const char *const names[] = {"rates", "dates", "future"};

	out_json_key(out, "knows");
	(void)buf_print(out, knows == 0 ? "\"nothing" : "\"");
	for (unsigned i = 0, n = 0; i < 3; i++)
		if ((knows & 1u << i) != 0)
			(void)buf_print(
			    out, "%s%s", n++ > 0 ? "," : "", names[i]);
	(void)buf_put_char(out, '"');
}

static void
put_policy(
    struct out *out, const struct study *study, const struct study_row *row)
{
	struct buf *text = &out->text;
	struct buf key;

	begin(out, study, "policy");
	out_json_real(text, "requests", study->plan->options.requests_per_day);
	out_json_word(text, "policy", slice_of(row->policy->name));
	out_json_word(text, "text", slice_of(row->policy->text));
	put_knows(text, row->policy->knows);
	buf_init(&key, 64);
	for (int i = 0; i < STUDY_FIGURES; i++) {
		out_json_real(
		    text, study_key(i), sim_sample_mean(&row->figures[i]));
		buf_clear(&key);
		(void)buf_print(&key, "%s_error", study_key(i));
		out_json_real(
		    text, buf_str(&key), sim_sample_error(&row->figures[i]));
	}
	buf_release(&key);
	end(out);
}

static void
put_classes(
    struct out *out, const struct study *study, const struct study_row *row)
{
	for (size_t i = 0; i < study->class_count; i++) {
		if (row->classes[i].count == 0)
			continue;
		begin(out, study, "class");
		out_json_word(
		    &out->text, "policy", slice_of(row->policy->name));
		out_json_word(
		    &out->text, "class", slice_of(study->class_names[i]));
		out_json_real(&out->text, "weight", study->class_weights[i]);
		out_json_real(
		    &out->text, "freshness", sim_sample_mean(&row->classes[i]));
		out_json_real(&out->text, "freshness_error",
		    sim_sample_error(&row->classes[i]));
		end(out);
	}
}

static void
put_days(
    struct out *out, const struct study *study, const struct study_row *row)
{
	for (size_t day = 0; day < study->day_count; day++) {
		begin(out, study, "day");
		out_json_word(
		    &out->text, "policy", slice_of(row->policy->name));
		out_json_number(&out->text, "day", day);
		out_json_real(
		    &out->text, "freshness", sim_sample_mean(&row->days[day]));
		end(out);
	}
}

/* What the policy had learned of each document at the end. */
static void
put_documents(
    struct out *out, const struct study *study, const struct study_row *row)
{
	for (size_t i = 0; row->honesty != NULL && i < study->document_count;
	     i++) {
		const struct sim_honesty *learned = &row->honesty[i];
		const struct study_document *truth = &study->documents[i];

		begin(out, study, "document");
		out_json_word(
		    &out->text, "policy", slice_of(row->policy->name));
		out_json_number(&out->text, "document", i);
		out_json_word(&out->text, "site",
		    slice_of(study->sites[truth->site].name));
		out_json_number(&out->text, "moves", learned->moves);
		out_json_real(&out->text, "precision",
		    learned->is_known ? learned->precision : NAN);
		out_json_real(&out->text, "recall",
		    learned->is_known ? learned->recall : NAN);
		out_json_real(&out->text, "true_precision",
		    truth->precision < 0 ? NAN : truth->precision);
		out_json_real(&out->text, "true_recall",
		    truth->recall < 0 ? NAN : truth->recall);
		end(out);
	}
}

static void
put_seeds(
    struct out *out, const struct study *study, const struct study_row *row)
{
	const double *bounds = study->bound_seeds[row->bound];

	for (unsigned i = 0; i < study->plan->seeds; i++) {
		begin(out, study, "seed");
		out_json_word(
		    &out->text, "policy", slice_of(row->policy->name));
		out_json_number(&out->text, "seed", i + 1);
		out_json_real(&out->text, "freshness", row->seeds[i]);
		out_json_real(&out->text, "bound",
		    study->has_bound[row->bound] ? bounds[i] : NAN);
		end(out);
	}
}

static void
put_bounds(struct out *out, const struct study *study)
{
	for (int i = 0; i < STUDY_BOUNDS; i++) {
		if (!study->has_bound[i])
			continue;
		begin(out, study, "bound");
		out_json_word(
		    &out->text, "bound", slice_of(study_bound_key(i)));
		out_json_word(
		    &out->text, "text", slice_of(study_bound_text(i)));
		out_json_real(&out->text, "freshness",
		    sim_sample_mean(&study->bounds[i]));
		out_json_real(&out->text, "freshness_error",
		    sim_sample_error(&study->bounds[i]));
		end(out);
	}
}

void
sim_json(struct out *out, const struct study *study)
{
	put_world(out, study);
	put_bounds(out, study);
	for (size_t i = 0; i < study->row_count; i++)
		put_policy(out, study, &study->rows[i]);
	for (size_t i = 0; i < study->row_count; i++)
		put_seeds(out, study, &study->rows[i]);
	for (size_t i = 0; i < study->row_count; i++)
		put_classes(out, study, &study->rows[i]);
	for (size_t i = 0; i < study->row_count; i++)
		put_documents(out, study, &study->rows[i]);
	for (size_t i = 0; i < study->row_count; i++)
		put_days(out, study, &study->rows[i]);
}
