/* freshet sim: compare policies on worlds and traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "crawler/sim/sim_html.h"
#include "crawler/sim/sim_json.h"
#include "crawler/sim/sim_study.h"
#include "crawler/sim/sim_text.h"
#include "crawler/sim/sim_trace.h"
#include "sched/sim/world_options.h"

/* The caller sets the first three members and zeroes the others. */
struct sim_progress {
	struct loop *loop; /* borrowed, for its clock; NULL: print nothing */
	const struct options_output *output;
	const char *name; /* name of the world or trace */
	int64_t began_ms, shown_ms;
	bool has_begun;
	bool has_line; /* a line stands on the terminal */
};

/* Progress of `sim`: one line on a terminal, one a minute elsewhere. */

#define TERMINAL_MS 200
#define JSON_MS 1000
#define PLAIN_MS 60000
#define LINE_MAX_BYTES 1024

static bool
is_terminal(const struct options_output *output)
{
	const char *term = getenv("TERM");

	return output->progress == PROGRESS_AUTO && isatty(STDERR_FILENO) &&
	    term != NULL && strcmp(term, "dumb") != 0;
}

static bool
is_silent(const struct sim_progress *progress)
{
	const struct options_output *output = progress->output;

	return progress->loop == NULL || output->progress == PROGRESS_OFF ||
	    (output->progress == PROGRESS_AUTO && output->is_quiet);
}

static int64_t
interval_ms(const struct options_output *output)
{
	if (is_terminal(output))
		return TERMINAL_MS;
	return output->progress == PROGRESS_JSON ? JSON_MS : PLAIN_MS;
}

/* Remove the line from the terminal. */
static void
sim_progress_clear(struct sim_progress *progress)
{
	if (progress->has_line) {
		(void)fputs("\r\033[K", stderr);
		(void)fflush(stderr);
	}
	progress->has_line = false;
}

static void
put_line(struct buf *line, const struct sim_progress *progress,
    const struct study_step *step, int64_t spent_ms)
{
	double part = ((double)step->done + step->part) / (double)step->all;

	if (part > 1)
		part = 1;
	if (progress->output->progress == PROGRESS_JSON) {
		(void)buf_print(line,
		    "{\"v\":1,\"type\":\"progress\",\"policy\":\"%s\","
		    "\"seed\":%u,\"part\":%.4f,\"ms\":%lld}",
		    step->policy, step->seed, part, (long long)spent_ms);
		return;
	}
	(void)buf_print(line, "simulating %s  %s  seed %u  %.0f %%",
	    progress->name, step->policy, step->seed, 100 * part);
	if (part > 0.01) {
		(void)buf_print(line, "  ETA ");
		human_clock(
		    line, (int64_t)((double)spent_ms * (1 - part) / part));
	}
}

/* A study_step_fn; arg is the struct sim_progress. */
static void
sim_progress_step(void *arg, const struct study_step *step)
{
	struct sim_progress *progress = arg;
	struct buf line;
	int64_t now_ms;

	if (is_silent(progress))
		return;
	now_ms = loop_now_ms(progress->loop);
	if (!progress->has_begun) {
		progress->has_begun = true;
		progress->began_ms = progress->shown_ms = now_ms;
	}
	if (now_ms - progress->shown_ms < interval_ms(progress->output))
		return;
	progress->shown_ms = now_ms;
	buf_init(&line, LINE_MAX_BYTES);
	put_line(&line, progress, step, now_ms - progress->began_ms);
	if (is_terminal(progress->output)) {
		(void)fprintf(stderr, "\r\033[K%s", buf_str(&line));
		progress->has_line = true;
	} else {
		(void)fprintf(stderr, "%s\n", buf_str(&line));
	}
	(void)fflush(stderr);
	buf_release(&line);
}

#define DAY_S INT64_C(86400)
#define STANDARD_WORLD "W2"
#define STANDARD_BUDGET "5%"
/* If readings cost requests: the interval of readings for policies that cannot
 * ask for them. */
#define PAID_READINGS_S DAY_S
/* The least that a trace should cover, for the policies to be judged. */
#define JUDGED_S (2 * DAY_S)
#define JUDGED_READINGS 8 /* readings of each sitemap */

struct simulation {
	struct options *options; /* borrowed */
	const struct sim_policy **policies; /* owned; each policy once */
	size_t policy_count;
	struct sim_progress progress;
	struct out out;
	size_t studies;
};

static void
add_policy(struct simulation *simulation, const struct sim_policy *policy)
{
	for (size_t i = 0; i < simulation->policy_count; i++)
		if (simulation->policies[i] == policy)
			return;
	simulation->policies[simulation->policy_count++] = policy;
}

/* Print one line that suggests the nearest name. Returns EXIT_USAGE. */
static int
refuse(const char *what, const char *name, const struct suggestion *suggestion)
{
	if (suggestion->best == NULL)
		complain("there is no %s '%s'; see 'freshet sim --list'", what,
		    name);
	else
		complain("there is no %s '%s'; did you mean '%.*s'?", what,
		    name, (int)suggestion->best_len, suggestion->best);
	return EXIT_USAGE;
}

/* Choose the policies that were named, else those that know only what a crawler
 * can know; and always fifo, to which the others are compared. */
static int
choose_policies(struct simulation *simulation)
{
	const struct string_list *names = &simulation->options->sim.policies;
	size_t count;
	const struct sim_policy *const *all = sim_policies(&count);
	const struct sim_policy *fifo = NULL;

	simulation->policies = mem_zero(
	    (count + 1) * sizeof(*simulation->policies));
	for (size_t n = 0; n < names->count; n++) {
		const char *name = names->items[n];
		bool is_all = strcmp(name, "all") == 0;
		bool is_found = is_all;
		struct suggestion suggestion;

		suggestion_init(&suggestion, slice_of(name));
		for (size_t i = 0; i < count; i++) {
			suggestion_try(
			    &suggestion, all[i]->name, strlen(all[i]->name));
			if (is_all || strcmp(name, all[i]->name) == 0) {
				is_found = true;
				add_policy(simulation, all[i]);
			}
		}
		if (!is_found)
			return refuse("policy", name, &suggestion);
	}
	for (size_t i = 0; i < count; i++) {
		if (names->count == 0 && all[i]->knows == SIM_KNOWS_NOTHING)
			add_policy(simulation, all[i]);
		if (strcmp(all[i]->name, "fifo") == 0)
			fifo = all[i];
	}
	if (fifo != NULL)
		add_policy(simulation, fifo);
	return EXIT_DONE;
}

/* Requests a day for a budget. */
static double
per_day(const char *budget, double pages)
{
	struct value_rate rate = {0, 'd'};

	(void)value_rate(
	    budget, &rate); /* option_apply() has checked its form */
	switch (rate.unit) {
	case 'h':
		return rate.amount * 24;
	case '%':
		return rate.amount / 100 * pages;
	default:
		return rate.amount;
	}
}

/* Set who reads sitemaps, and when. */
static void
set_readings(const struct options_sim *asked, struct study_plan *plan)
{
	if (asked->is_joint)
		plan->options.read_every_s = 0;
	if (asked->has_read_every) {
		plan->options.is_reading_paid |= asked->is_joint;
		plan->options.read_every_s = asked->read_every_s;
	}
	plan->paid_readings_s = PAID_READINGS_S;
}

/* Are days left after the warm-up? If not, print a line. */
static bool
counts(const struct study_plan *plan)
{
	double days = plan->world != NULL
	    ? plan->world->days
	    : (double)(plan->trace->end_s - plan->trace->begin_s) / DAY_S;

	if (plan->warm_up_days == STUDY_HALF ||
	    (double)plan->warm_up_days < days)
		return true;
	complain("'--warm-up %zu' leaves nothing of the %.0f days of '%s'",
	    plan->warm_up_days, days, plan->name);
	return false;
}

/* Print one line if the trace is too short to tell policies apart: at least two
 * days, of which half are warm-up, with a few readings of each sitemap in the
 * rest. */
static void
warn(const struct study_plan *plan)
{
	const struct history *trace = plan->trace;
	int64_t least_s = JUDGED_READINGS * plan->options.read_every_s;
	struct buf text;

	if (least_s < JUDGED_S)
		least_s = JUDGED_S;
	if (trace == NULL || trace->end_s - trace->begin_s >= least_s)
		return;
	buf_init(&text, 256);
	human_span(&text, (double)(trace->end_s - trace->begin_s));
	(void)buf_print(
	    &text, ": too short to judge policies by; let it grow to ");
	human_span(&text, (double)least_s);
	(void)buf_print(&text, " at least");
	complain("'%s' covers %s", plan->name, buf_str(&text));
	buf_release(&text);
}

/* Limit the budget to one request for each page in each tick; more has no
 * use. */
static void
cap(struct study_plan *plan)
{
	double pages = plan->world != NULL ? plan->world->pages
					   : (double)plan->trace->page_count;
	double most = pages * (double)(DAY_S / plan->options.tick_s);

	if (plan->options.requests_per_day > most)
		plan->options.requests_per_day = most;
}

static int
run_study(struct simulation *simulation, struct study_plan *plan)
{
	const struct options *options = simulation->options;
	struct out *out = &simulation->out;
	struct study study;

	plan->policies = simulation->policies;
	plan->policy_count = simulation->policy_count;
	plan->seeds = options->sim.seeds;
	plan->wants_equal = options->sim.wants_equal;
	plan->warm_up_days = options->sim.has_warm_up
	    ? options->sim.warm_up_days
	    : STUDY_HALF;
	if (!counts(plan))
		return EXIT_USAGE;
	set_readings(&options->sim, plan);
	cap(plan);
	simulation->progress.name = plan->name;
	study_make(&study, plan, sim_progress_step, &simulation->progress);
	sim_progress_clear(&simulation->progress);
	if (options->sim.format == SIM_JSON || options->output.is_json)
		sim_json(out, &study);
	else if (options->sim.format == SIM_HTML)
		sim_html(out, &study, simulation->studies);
	else
		sim_text(out, &study);
	simulation->studies++;
	study_release(&study);
	return out_flush(out) ? EXIT_DONE : EXIT_DISK;
}

/* Run the study at each budget. */
static int
run_budgets(struct simulation *simulation, struct study_plan *plan,
    double pages, const char *standard)
{
	const struct string_list *budgets = &simulation->options->sim.budgets;
	struct sim_options usual = plan->options;
	int status = EXIT_DONE;

	for (size_t i = 0; i == 0 || i < budgets->count; i++) {
		const char *budget = budgets->count > 0 ? budgets->items[i]
							: standard;

		plan->options = usual;
		if (budget != NULL)
			plan->options.requests_per_day = per_day(budget, pages);
		if (status == EXIT_DONE)
			status = run_study(simulation, plan);
	}
	return status;
}

/* Set one parameter. Returns EXIT_USAGE after one line on stderr. */
static int
set_one(struct world_options *world, const char *text)
{
	char *key = slice_dup(slice_make(text, strcspn(text, "=")));
	const char *value = text + strlen(key) + 1;
	enum world_fault fault = world_set(world, key, value);
	int status = EXIT_DONE;
	struct suggestion suggestion;
	size_t count;
	const struct world_setting *all = world_settings(&count);

	suggestion_init(&suggestion, slice_of(key));
	for (size_t i = 0; i < count; i++)
		suggestion_try(&suggestion, all[i].key, strlen(all[i].key));
	if (fault == WORLD_UNKNOWN_KEY)
		status = refuse("parameter", key, &suggestion);
	for (size_t i = 0; fault == WORLD_BAD_VALUE && i < count; i++) {
		if (strcmp(all[i].key, key) != 0)
			continue;
		complain("'%s' cannot be '%s', but %g to %g%s", key, value,
		    all[i].low, all[i].high,
		    all[i].is_range ? ", or two such as 0.3-0.8" : "");
		status = EXIT_USAGE;
	}
	free(key);
	return status;
}

static int
run_world(struct simulation *simulation, const char *name)
{
	const struct options *options = simulation->options;
	const struct world_options *preset = world_preset(name);
	struct study_plan plan = {.name = name};
	struct world_options world;
	int status = EXIT_DONE;

	if (preset == NULL)
		return EXIT_USAGE;
	world = *preset;
	for (size_t i = 0; i < options->sim.settings.count; i++)
		if (status == EXIT_DONE)
			status = set_one(
			    &world, options->sim.settings.items[i]);
	if (status != EXIT_DONE)
		return status;
	if (options->sim.days > 0)
		world.days = options->sim.days;
	plan.name = preset->name;
	plan.text = preset->text;
	plan.world = &world;
	plan.options = world_sim(&world);
	return run_budgets(simulation, &plan, world.pages, NULL);
}

/* The number of pages listed at the end of the history. */
static double
count_listed(const struct history *history)
{
	double listed = 0;

	for (size_t i = 0; i < history->event_count; i++)
		if (history->events[i].kind == HISTORY_ADDED)
			listed++;
		else if (history->events[i].kind == HISTORY_REMOVED)
			listed--;
	return listed < 1 ? 1 : listed;
}

static int
run_trace(struct simulation *simulation, const char *path)
{
	const struct options *options = simulation->options;
	struct study_plan plan = {.name = path};
	struct history history;
	int64_t begin_s;
	int status;
	int ran;

	history_init(&history);
	status = sim_trace_read(&history, path, options->now_s);
	if (status != EXIT_NO_TARGET) {
		begin_s = history.end_s - (int64_t)options->sim.days * DAY_S;
		/* what happened before the last days counts as read and
		 * fetched */
		if (options->sim.days > 0 && begin_s > history.begin_s) {
			history.begin_s = begin_s;
			history.starts_known = true;
		}
		plan.text = "what a site published";
		plan.trace = &history;
		plan.options = sim_options_default();
		set_readings(&options->sim, &plan);
		if (!options->output.is_quiet)
			warn(&plan);
		ran = run_budgets(
		    simulation, &plan, count_listed(&history), STANDARD_BUDGET);
		if (ran != EXIT_DONE)
			status = ran;
	}
	history_release(&history);
	return status;
}

/* Check that all worlds exist. Returns EXIT_USAGE after one line about one that
 * does not. */
static int
known_worlds(const struct options_sim *asked)
{
	size_t count;
	const struct world_options *presets = world_presets(&count);

	for (size_t i = 0; i < asked->worlds.count; i++) {
		const char *name = asked->worlds.items[i];
		struct suggestion suggestion;

		suggestion_init(&suggestion, slice_of(name));
		for (size_t j = 0; j < count; j++)
			suggestion_try(&suggestion, presets[j].name,
			    strlen(presets[j].name));
		if (world_preset(name) == NULL)
			return refuse("world", name, &suggestion);
	}
	return EXIT_DONE;
}

/* Run all traces; one that cannot be read is skipped. */
static int
run_traces(struct simulation *simulation)
{
	const struct string_list *paths = &simulation->options->sim.traces;
	size_t lost = 0;
	int status = EXIT_DONE;

	for (size_t i = 0; i < paths->count; i++) {
		int one = run_trace(simulation, paths->items[i]);

		lost += one == EXIT_NO_TARGET;
		if (one != EXIT_DONE && one != EXIT_NO_TARGET)
			status = one;
		if (status > EXIT_FINDINGS)
			return status;
	}
	if (lost == 0)
		return status;
	return lost == paths->count ? EXIT_NO_TARGET : EXIT_FINDINGS;
}

static int
run_all(struct simulation *simulation)
{
	const struct options *options = simulation->options;
	bool is_html = options->sim.format == SIM_HTML &&
	    !options->output.is_json;
	int status = EXIT_DONE;
	int traced;

	if (is_html)
		sim_html_begin(&simulation->out);
	if (options->sim.worlds.count == 0 && options->sim.traces.count == 0)
		status = run_world(simulation, STANDARD_WORLD);
	for (size_t i = 0; i < options->sim.worlds.count; i++)
		if (status == EXIT_DONE)
			status = run_world(
			    simulation, options->sim.worlds.items[i]);
	if (status == EXIT_DONE) {
		traced = run_traces(simulation);
		status = traced == EXIT_NO_TARGET && simulation->studies > 0
		    ? EXIT_FINDINGS
		    : traced;
	}
	if (simulation->studies == 0)
		buf_clear(&simulation->out.text);
	else if (is_html)
		sim_html_end(&simulation->out);
	return status;
}

int
command_sim(struct options *options)
{
	struct simulation simulation = {.options = options};
	int status = EXIT_DONE;
	int written;

	exit_on_signals();
	out_init(&simulation.out, &options->output);
	simulation.progress.output = &options->output;
	simulation.progress.loop = loop_new();
	if (options->sim.wants_list) {
		sim_list(&simulation.out,
		    options->output.is_json || options->sim.format == SIM_JSON);
	} else {
		status = choose_policies(&simulation);
		if (status == EXIT_DONE)
			status = known_worlds(&options->sim);
		if (status == EXIT_DONE)
			status = run_all(&simulation);
	}
	written = out_finish(&simulation.out);
	if (simulation.progress.loop != NULL)
		loop_free(simulation.progress.loop);
	free(simulation.policies);
	return written != EXIT_DONE ? written : status;
}
