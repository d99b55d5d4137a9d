/*
 * freshet-sim: compare ways to schedule fetches, on traces and in made-up
 * worlds; and write the past of a store as a trace.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/generator.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/suggestion.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/event/exit.h"
#include "tests/fixtures/test_clock.h"
#include "tests/sim/ablation.h"
#include "tests/sim/export_trace.h"
#include "tests/sim/sim_json.h"
#include "tests/sim/sim_study.h"
#include "tests/sim/sim_text.h"
#include "tests/sim/sim_trace.h"
#include "tests/sim/world_options.h"

#define DAY_S INT64_C(86400)
#define STANDARD_WORLD "W2"
#define STANDARD_BUDGET "5%"
#define STANDARD_SEEDS 3
#define DAYS_MAX 36500
#define SEEDS_MAX 1000
#define RATE_MAX 1e9
#define READ_EVERY_MAX_MS (365 * DAY_S * 1000)
/* If readings cost requests: the interval of readings for policies that cannot
 * ask for them. */
#define PAID_READINGS_S DAY_S
/* The least that a trace should cover, for the policies to be judged. */
#define JUDGED_S (2 * DAY_S)
#define JUDGED_READINGS 8 /* readings of each sitemap */

static const char usage[] =
    "freshet-sim: compare ways to schedule fetches, on traces or made-up "
    "worlds\n"
    "\n"
    "Usage: freshet-sim [OPTION]...\n"
    "       freshet-sim export-trace STORE [SITE|--tag TAG] > FILE\n"
    "\n"
    "Nothing is fetched, and the same seeds give the same figures.  The "
    "tables,\n"
    "the worlds and the format of traces are described in\n"
    "docs/internals/scheduling-formulas.md.\n"
    "\n"
    "      --trace FILE      replay this trace, gzipped or not; - is stdin\n"
    "      --world NAME      try the policies in this world (W2); see --list\n"
    "      --with KEY=VALUE  change one parameter of the worlds; see --list\n"
    "      --policy NAME     compare this policy, or all (ours, and what needs "
    "no\n"
    "                        knowledge); fifo is always there\n"
    "      --without NAME    switch a refinement of ours off; see --list\n"
    "      --generator NAME  ours begins with what this generator's dates are "
    "known\n"
    "                        for; each: in a world, that of one that dates so\n"
    "      --first N         only the first N days of each run, all of which "
    "count;\n"
    "                        a trace is begun anywhere\n"
    "      --budget RATE     requests: 20/h, 500/d, or 5%: of all pages, a day "
    "(5%)\n"
    "      --days N          how long a world lasts; of a trace, its last N "
    "days\n"
    "      --warm-up N       the first N days do not count (half of them)\n"
    "      --seeds N         repeat with N seeds, for means and their "
    "intervals; a\n"
    "                        trace is begun later with each (3)\n"
    "      --read-every TIME each sitemap is read this often (6h), and for "
    "nothing\n"
    "                        unless --joint\n"
    "      --joint           readings are paid from the budget, and asked for "
    "by the\n"
    "                        policies that can\n"
    "      --equal           find the budget with which each policy is as "
    "fresh as\n"
    "                        the first: many more runs\n"
    "      --json            one object a line\n"
    "      --list            print policies, worlds and their parameters\n"
    "  -q, --quiet           no progress, and no remark about short traces\n"
    "\n"
    "Exit status: 0 done; 1 lines of a trace were wrong, or one of several "
    "could\n"
    "not be read; 2 usage; 4 no trace could be read; 7 stdout cannot be "
    "written.\n";

struct simulation {
	/* what was typed */
	struct strings traces, worlds, settings, policies, budgets;
	unsigned days; /* 0: all days of the world or the trace */
	size_t warm_up_days; /* STUDY_HALF: half of them */
	unsigned seeds;
	int64_t read_every_s; /* 0: not given */
	unsigned first_days; /* 0: all days of each run */
	const struct generator *generator; /* as of struct sim_options */
	bool has_generators;
	bool is_joint; /* a policy asks for readings and pays for them */
	bool wants_equal, wants_list, is_json, is_quiet;
	const struct sim_policy **chosen; /* owned; each policy once */
	size_t chosen_count;
	struct out out;
	size_t studies;
	const char *name; /* of the world or trace that is studied */
	int shown; /* percent of the study, on the terminal; -1: no line */
};

/* A study_step_fn; arg is the struct simulation.  Show one line on a terminal,
 * whenever another per cent is done. */
static void
show_progress(void *arg, const struct study_step *step)
{
	struct simulation *simulation = arg;
	double part = ((double)step->done + step->part) / (double)step->all;
	int percent = (int)(100 * (part < 1 ? part : 1));

	if (simulation->is_quiet || isatty(STDERR_FILENO) != 1 ||
	    percent == simulation->shown)
		return;
	simulation->shown = percent;
	(void)fprintf(stderr, "\r\033[Ksimulating %s  %s  seed %u  %d %%",
	    simulation->name, step->policy, step->seed, percent);
	(void)fflush(stderr);
}

static void
add_policy(struct simulation *simulation, const struct sim_policy *policy)
{
	for (size_t i = 0; i < simulation->chosen_count; i++)
		if (simulation->chosen[i] == policy)
			return;
	simulation->chosen[simulation->chosen_count++] = policy;
}

/* Print one line that suggests the nearest name. Returns EXIT_USAGE. */
static int
refuse_name(
    const char *what, const char *name, const struct suggestion *suggestion)
{
	if (suggestion->best == NULL)
		complain("there is no %s '%s'; see 'freshet-sim --list'", what,
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
	const struct strings *names = &simulation->policies;
	size_t count;
	const struct sim_policy *const *all = sim_policies(&count);

	simulation->chosen = mem_zero(
	    (count + 1) * sizeof(*simulation->chosen));
	for (size_t n = 0; n < names->count; n++) {
		const char *name = names->items[n];
		bool is_all = strcmp(name, "all") == 0;
		bool is_found = is_all;
		struct suggestion suggestion;

		suggestion_init(&suggestion, slice_of(name));
		for (size_t i = 0; i < count; i++) {
			suggestion_try(&suggestion, all[i]->name);
			if (is_all || strcmp(name, all[i]->name) == 0) {
				is_found = true;
				add_policy(simulation, all[i]);
			}
		}
		if (!is_found)
			return refuse_name("policy", name, &suggestion);
	}
	for (size_t i = 0; i < count && names->count == 0; i++)
		if (all[i]->knows == SIM_KNOWS_NOTHING)
			add_policy(simulation, all[i]);
	for (size_t i = 0; i < count; i++)
		if (strcmp(all[i]->name, "fifo") == 0)
			add_policy(simulation, all[i]);
	return EXIT_DONE;
}

/* Requests a day for a budget of so many pages; 0: the text is no rate. */
static double
requests_of(const char *budget, double pages)
{
	double amount;

	if (!value_decimal(&budget, &amount) || amount > RATE_MAX)
		return 0;
	if (strcmp(budget, "%") == 0)
		return amount / 100 * pages;
	if (strcmp(budget, "/d") == 0)
		return amount;
	return budget[0] == '\0' || strcmp(budget, "/h") == 0 ? amount * 24 : 0;
}

/* Set who reads sitemaps, and when. */
static void
set_readings(const struct simulation *simulation, struct study_plan *plan)
{
	if (simulation->is_joint)
		plan->options.read_every_s = 0;
	if (simulation->read_every_s > 0) {
		plan->options.is_reading_paid |= simulation->is_joint;
		plan->options.read_every_s = simulation->read_every_s;
	}
	plan->paid_readings_s = PAID_READINGS_S;
}

/* Print one line if the trace is too short to tell policies apart: at least two
 * days, of which half are warm-up, with a few readings of each sitemap in the
 * rest. */
static void
remark_short(const struct study_plan *plan)
{
	const struct history *trace = plan->trace;
	int64_t least_s = JUDGED_READINGS * plan->options.read_every_s;
	if (least_s < JUDGED_S)
		least_s = JUDGED_S;
	if (trace->end_s - trace->begin_s < least_s)
		complain("'%s' covers %s: too short to judge policies by; let "
			 "it grow to %s at least",
		    plan->name,
		    human_span((double)(trace->end_s - trace->begin_s)).text,
		    human_span((double)least_s).text);
}

/* Run a study, and print what came of it. */
static int
run_study(struct simulation *simulation, struct study_plan *plan)
{
	double days = plan->world != NULL
	    ? plan->world->days
	    : (double)(plan->trace->end_s - plan->trace->begin_s) / DAY_S;
	double pages = plan->world != NULL ? plan->world->pages
					   : (double)plan->trace->page_count;
	struct study study;
	double most;

	plan->policies = simulation->chosen;
	plan->policy_count = simulation->chosen_count;
	plan->seeds = simulation->seeds;
	plan->wants_equal = simulation->wants_equal;
	plan->warm_up_days = simulation->warm_up_days;
	plan->first_days = simulation->first_days;
	plan->options.generator = simulation->generator;
	plan->options.has_generators = simulation->has_generators;
	if (plan->warm_up_days != STUDY_HALF &&
	    (double)plan->warm_up_days >= days) {
		complain(
		    "'--warm-up %zu' leaves nothing of the %.0f days of '%s'",
		    plan->warm_up_days, days, plan->name);
		return EXIT_USAGE;
	}
	set_readings(simulation, plan);
	/* One request for each page in each tick: more has no use. */
	most = pages * (double)(DAY_S / plan->options.tick_s);
	if (plan->options.requests_per_day > most)
		plan->options.requests_per_day = most;
	simulation->name = plan->name;
	simulation->shown = -1;
	study_make(&study, plan, show_progress, simulation);
	if (simulation->shown >= 0)
		(void)fputs("\r\033[K", stderr);
	if (simulation->is_json)
		sim_json(&simulation->out, &study);
	else
		sim_text(&simulation->out, &study);
	simulation->studies++;
	study_release(&study);
	return out_flush(&simulation->out) ? EXIT_DONE : EXIT_DISK;
}

/* Run the study at each budget; without one at `standard`, or as the plan
 * says. */
static int
run_budgets(struct simulation *simulation, struct study_plan *plan,
    double pages, const char *standard)
{
	const struct strings *budgets = &simulation->budgets;
	struct sim_options usual = plan->options;
	int status = EXIT_DONE;

	for (size_t i = 0; i == 0 || i < budgets->count; i++) {
		const char *budget = budgets->count > 0 ? budgets->items[i]
							: standard;

		plan->options = usual;
		if (budget != NULL)
			plan->options.requests_per_day = requests_of(
			    budget, pages);
		if (status == EXIT_DONE)
			status = run_study(simulation, plan);
	}
	return status;
}

/* Set one parameter. Returns EXIT_USAGE after one line on stderr. */
static int
set_parameter(struct world_options *world, const char *text)
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
		suggestion_try(&suggestion, all[i].key);
	if (fault == WORLD_UNKNOWN_KEY)
		status = refuse_name("parameter", key, &suggestion);
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
	struct world_options world = *world_preset(name);
	struct study_plan plan = {
	    .name = world.name, .text = world.text, .world = &world};

	for (size_t i = 0; i < simulation->settings.count; i++)
		if (set_parameter(&world, simulation->settings.items[i]) !=
		    EXIT_DONE)
			return EXIT_USAGE;
	if (simulation->days > 0)
		world.days = simulation->days;
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

/* The present time; that of a test in a build that has its hooks. */
static int64_t
present_s(void)
{
#ifdef FRESHET_TEST_HOOKS
	if (test_clock_open())
		return test_clock_us(CLOCK_REALTIME) / 1000000;
#endif
	return time(NULL);
}

static int
run_trace(struct simulation *simulation, const char *path)
{
	struct study_plan plan = {
	    .name = path, .text = "what a site published"};
	struct history history;
	int64_t begin_s;
	int status, ran;

	history_init(&history);
	status = sim_trace_read(&history, path, present_s());
	if (status != EXIT_NO_TARGET) {
		begin_s = history.end_s - (int64_t)simulation->days * DAY_S;
		/* what happened before the last days counts as read and
		 * fetched */
		if (simulation->days > 0 && begin_s > history.begin_s) {
			history.begin_s = begin_s;
			history.starts_known = true;
		}
		plan.trace = &history;
		plan.options = sim_options_default();
		set_readings(simulation, &plan);
		if (!simulation->is_quiet)
			remark_short(&plan);
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
check_worlds(const struct simulation *simulation)
{
	size_t count;
	const struct world_options *presets = world_presets(&count);

	for (size_t i = 0; i < simulation->worlds.count; i++) {
		const char *name = simulation->worlds.items[i];
		struct suggestion suggestion;

		suggestion_init(&suggestion, slice_of(name));
		for (size_t j = 0; j < count; j++)
			suggestion_try(&suggestion, presets[j].name);
		if (world_preset(name) == NULL)
			return refuse_name("world", name, &suggestion);
	}
	return EXIT_DONE;
}

/* Run all worlds, then all traces; a trace that cannot be read is skipped. */
static int
run_all(struct simulation *simulation)
{
	const struct strings *worlds = &simulation->worlds;
	const struct strings *traces = &simulation->traces;
	int status = EXIT_DONE;
	size_t lost = 0;

	if (worlds->count == 0 && traces->count == 0)
		return run_world(simulation, STANDARD_WORLD);
	for (size_t i = 0; i < worlds->count && status == EXIT_DONE; i++)
		status = run_world(simulation, worlds->items[i]);
	for (size_t i = 0; i < traces->count && status <= EXIT_FINDINGS; i++) {
		int one = run_trace(simulation, traces->items[i]);

		lost += one == EXIT_NO_TARGET;
		if (one != EXIT_DONE && one != EXIT_NO_TARGET)
			status = one;
	}
	if (lost == 0 || status > EXIT_FINDINGS)
		return status;
	return simulation->studies == 0 ? EXIT_NO_TARGET : EXIT_FINDINGS;
}

/* What getopt_long() returns for each option. */
enum {
	SIM_OPTION_TRACE = 256,
	SIM_OPTION_WORLD,
	SIM_OPTION_WITH,
	SIM_OPTION_POLICY,
	SIM_OPTION_WITHOUT,
	SIM_OPTION_BUDGET,
	SIM_OPTION_DAYS,
	SIM_OPTION_WARM_UP,
	SIM_OPTION_SEEDS,
	SIM_OPTION_READ_EVERY,
	SIM_OPTION_GENERATOR,
	SIM_OPTION_FIRST,
	SIM_OPTION_JOINT,
	SIM_OPTION_EQUAL,
	SIM_OPTION_JSON,
	SIM_OPTION_LIST,
};

/* Read a number of least to most. Returns false after one line on stderr. */
static bool
take_number(const char *option, const char *text, uint64_t least, uint64_t most,
    uint64_t *number)
{
	if (value_number(text, most, number) && *number >= least)
		return true;
	complain("'--%s' takes a number of %llu to %llu, not '%s'", option,
	    (unsigned long long)least, (unsigned long long)most, text);
	return false;
}

/* Take one option. Returns false after one line on stderr. */
static bool
take_option(struct simulation *simulation, int option)
{
	uint64_t number = 0;
	int64_t ms = 0;
	bool is_right = true;

	switch (option) {
	case SIM_OPTION_TRACE:
		strings_add(&simulation->traces, slice_of(optarg));
		break;
	case SIM_OPTION_WORLD:
		strings_add(&simulation->worlds, slice_of(optarg));
		break;
	case SIM_OPTION_WITH:
		is_right = strchr(optarg, '=') != NULL && optarg[0] != '=';
		if (!is_right)
			complain("'--with' takes KEY=VALUE, not '%s'", optarg);
		strings_add(&simulation->settings, slice_of(optarg));
		break;
	case SIM_OPTION_POLICY:
		strings_add(&simulation->policies, slice_of(optarg));
		break;
	case SIM_OPTION_WITHOUT:
		is_right = ablation_without(optarg);
		if (!is_right)
			complain("there is no refinement '%s'; see "
				 "'freshet-sim --list'",
			    optarg);
		break;
	case SIM_OPTION_BUDGET:
		is_right = requests_of(optarg, 1) > 0;
		if (!is_right)
			complain("'--budget' takes a rate such as 20/h, 500/d "
				 "or 5%%, not '%s'",
			    optarg);
		strings_add(&simulation->budgets, slice_of(optarg));
		break;
	case SIM_OPTION_DAYS:
		is_right = take_number("days", optarg, 1, DAYS_MAX, &number);
		simulation->days = (unsigned)number;
		break;
	case SIM_OPTION_WARM_UP:
		is_right = take_number("warm-up", optarg, 0, DAYS_MAX, &number);
		simulation->warm_up_days = number;
		break;
	case SIM_OPTION_SEEDS:
		is_right = take_number("seeds", optarg, 1, SEEDS_MAX, &number);
		simulation->seeds = (unsigned)number;
		break;
	case SIM_OPTION_READ_EVERY:
		is_right = value_duration(optarg, READ_EVERY_MAX_MS, &ms) &&
		    ms >= 1000;
		if (!is_right)
			complain("'--read-every' takes a time such as 6h, not "
				 "'%s'",
			    optarg);
		simulation->read_every_s = ms / 1000;
		break;
	case SIM_OPTION_GENERATOR:
		simulation->has_generators = strcmp(optarg, "each") == 0;
		simulation->generator = generator_find(slice_of(optarg));
		is_right = simulation->has_generators ||
		    simulation->generator != NULL;
		if (!is_right)
			complain("no generator '%s' is known", optarg);
		break;
	case SIM_OPTION_FIRST:
		is_right = take_number("first", optarg, 1, DAYS_MAX, &number);
		simulation->first_days = (unsigned)number;
		break;
	case SIM_OPTION_JOINT:
		simulation->is_joint = true;
		break;
	case SIM_OPTION_EQUAL:
		simulation->wants_equal = true;
		break;
	case SIM_OPTION_JSON:
		simulation->is_json = true;
		break;
	case SIM_OPTION_LIST:
		simulation->wants_list = true;
		break;
	case 'q':
		simulation->is_quiet = true;
		break;
	default:
		is_right = false; /* getopt_long() has said why */
	}
	return is_right;
}

static int
simulate(int argc, char **argv)
{
	static const struct option table[] = {
	    {"trace", required_argument, NULL, SIM_OPTION_TRACE},
	    {"world", required_argument, NULL, SIM_OPTION_WORLD},
	    {"with", required_argument, NULL, SIM_OPTION_WITH},
	    {"policy", required_argument, NULL, SIM_OPTION_POLICY},
	    {"without", required_argument, NULL, SIM_OPTION_WITHOUT},
	    {"budget", required_argument, NULL, SIM_OPTION_BUDGET},
	    {"days", required_argument, NULL, SIM_OPTION_DAYS},
	    {"warm-up", required_argument, NULL, SIM_OPTION_WARM_UP},
	    {"seeds", required_argument, NULL, SIM_OPTION_SEEDS},
	    {"read-every", required_argument, NULL, SIM_OPTION_READ_EVERY},
	    {"generator", required_argument, NULL, SIM_OPTION_GENERATOR},
	    {"first", required_argument, NULL, SIM_OPTION_FIRST},
	    {"joint", no_argument, NULL, SIM_OPTION_JOINT},
	    {"equal", no_argument, NULL, SIM_OPTION_EQUAL},
	    {"json", no_argument, NULL, SIM_OPTION_JSON},
	    {"list", no_argument, NULL, SIM_OPTION_LIST},
	    {"quiet", no_argument, NULL, 'q'},
	    {"help", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0},
	};
	struct simulation simulation = {
	    .seeds = STANDARD_SEEDS, .warm_up_days = STUDY_HALF};
	struct options_output output = {0};
	int status = EXIT_DONE, written, option;

	while (status == EXIT_DONE &&
	    (option = getopt_long(argc, argv, "qh", table, NULL)) != -1) {
		if (option == 'h')
			return fputs(usage, stdout) < 0 ? EXIT_DISK : EXIT_DONE;
		if (!take_option(&simulation, option))
			status = EXIT_USAGE;
	}
	if (status == EXIT_DONE && optind < argc) {
		complain("'%s' is no option; see 'freshet-sim --help'",
		    argv[optind]);
		status = EXIT_USAGE;
	}
	out_init(&simulation.out, &output);
	if (status == EXIT_DONE && simulation.wants_list) {
		sim_list(&simulation.out, simulation.is_json);
	} else if (status == EXIT_DONE) {
		status = choose_policies(&simulation);
		if (status == EXIT_DONE)
			status = check_worlds(&simulation);
		if (status == EXIT_DONE)
			status = run_all(&simulation);
	}
	written = out_finish(&simulation.out);
	strings_release(&simulation.traces);
	strings_release(&simulation.worlds);
	strings_release(&simulation.settings);
	strings_release(&simulation.policies);
	strings_release(&simulation.budgets);
	free(simulation.chosen);
	return written != EXIT_DONE ? written : status;
}

/* freshet-sim export-trace STORE [SITE|--tag TAG]: the past of a store. */
static int
export_past(int argc, char **argv)
{
	struct options options = {0};
	struct selection selection = {0};
	struct store *store = NULL;
	int status;

	for (int i = 3; i < argc; i++)
		if (strcmp(argv[i], "--tag") == 0 && i + 1 < argc)
			strings_add(&options.watch.tags, slice_of(argv[++i]));
		else
			strings_add(&options.targets.args, slice_of(argv[i]));
	if (argc < 3 || options.targets.args.count > 1) {
		complain("usage: freshet-sim export-trace STORE [SITE|--tag "
			 "TAG]...");
		return EXIT_USAGE;
	}
	options.store.path = argv[2];
	status = selection_open(&options, &store);
	if (status == EXIT_DONE)
		status = choose_selection(&options, store, &selection);
	if (status == EXIT_DONE)
		status = export_trace(&options.output, &selection, store);
	selection_release(&selection);
	strings_release(&options.watch.tags);
	strings_release(&options.targets.args);
	return selection_close(store, status);
}

int
main(int argc, char **argv)
{
	exit_on_signals();
	if (argc > 1 && strcmp(argv[1], "export-trace") == 0)
		return export_past(argc, argv);
	return simulate(argc, argv);
}
