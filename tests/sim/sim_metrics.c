/* Sums over days, medians, and means of a few runs with their errors. */
#include "tests/sim/sim_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/sim/history.h"
#include "tests/sim/sim.h"

struct sim_window
sim_second_half(const struct sim_result *result)
{
	return (struct sim_window){result->day_count / 2, result->day_count};
}

static int
order_floats(const void *a, const void *b)
{
	float x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* A delay, and its weight among all delays. */
struct share {
	double delay, part;
};

static int
order_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return (x->delay > y->delay) - (x->delay < y->delay);
}

/* median(shares, count): the weighted median of the delays; NaN when there are
 * none.  The function sorts the shares. */
static double
median(struct share *shares, size_t count)
{
	double total = 0, sum = 0;

	if (count == 0)
		return NAN;
	qsort(shares, count, sizeof(*shares), order_shares);
	for (size_t i = 0; i < count; i++)
		total += shares[i].part;
	for (size_t i = 0; i + 1 < count; i++) {
		sum += shares[i].part;
		if (sum >= total / 2)
			return shares[i].delay;
	}
	return shares[count - 1].delay;
}

static void
add_day(struct sim_day *sum, const struct sim_day *day)
{
	sum->weight += day->weight;
	sum->fresh += day->fresh;
	sum->age += day->age;
	sum->fetches += day->fetches;
	sum->found += day->found;
	sum->first += day->first;
	sum->failed += day->failed;
	sum->readings += day->readings;
	sum->readings_cost += day->readings_cost;
}

static bool
counts(const struct sim_delay *delay, size_t class, struct sim_window window)
{
	return (class == SIM_ALL || delay->class == class) &&
	    (double)delay->at_days >= (double)window.from &&
	    (double)delay->at_days < (double)window.to;
}

/* For each page, how many of its delays count; the caller owns the array. */
static uint32_t *
count_by_page(
    const struct sim_result *result, size_t class, struct sim_window window)
{
	uint32_t *count;
	uint32_t last = 0;

	for (size_t i = 0; i < result->delay_count; i++) {
		if (result->delays[i].page > last)
			last = result->delays[i].page;
	}
	count = mem_zero(((size_t)last + 1) * sizeof(*count));
	for (size_t i = 0; i < result->delay_count; i++)
		count[result->delays[i].page] += counts(
		    &result->delays[i], class, window);
	return count;
}

static void
fill_delays(const struct sim_result *result, size_t class,
    struct sim_window window, double top_weight, struct sim_figures *figures)
{
	uint32_t *count = count_by_page(result, class, window);
	size_t size = (result->delay_count + 1) * sizeof(struct share);
	struct share *all = mem_alloc(size);
	struct share *top = mem_alloc(size);
	size_t all_count = 0, top_count = 0;

	for (size_t i = 0; i < result->delay_count; i++) {
		const struct sim_delay *delay = &result->delays[i];
		struct share share = {.delay = (double)delay->delay_days};
		if (!counts(delay, class, window))
			continue;
		share.part = 1.0 / count[delay->page];
		all[all_count++] = share;
		if ((double)delay->weight >= top_weight)
			top[top_count++] = share;
	}
	figures->delay_days = median(all, all_count);
	figures->delay_top_days = median(top, top_count);
	free(count);
	free(all);
	free(top);
}

void
sim_figures(const struct sim_result *result, size_t class,
    struct sim_window window, double top_weight, struct sim_figures *figures)
{
	struct sim_day sum = {0};
	double days;

	if (window.to > result->day_count)
		window.to = result->day_count;
	for (size_t day = window.from; day < window.to; day++) {
		for (size_t i = 0; i < result->class_count; i++) {
			if (class == SIM_ALL || class == i)
				add_day(&sum,
				    &result
					 ->days[day * result->class_count + i]);
		}
	}
	days = window.to > window.from ? (double)(window.to - window.from)
				       : NAN;
	figures->weight = sum.weight / days;
	figures->freshness = sum.weight > 0 ? sum.fresh / sum.weight : NAN;
	figures->age_days = sum.weight > 0 ? sum.age / sum.weight : NAN;
	figures->fetches = sum.fetches / days;
	figures->readings = sum.readings / days;
	figures->readings_cost = sum.readings_cost / days;
	figures->found_share = sum.fetches > sum.first
	    ? sum.found / (sum.fetches - sum.first)
	    : NAN;
	figures->failed_share = sum.fetches > 0 ? sum.failed / sum.fetches
						: NAN;
	fill_delays(result, class, window, top_weight, figures);
}

double
sim_top_weight(const struct history *history)
{
	size_t count = history->page_count;
	float *weights = mem_alloc((count + 1) * sizeof(*weights));
	double top = INFINITY;

	for (size_t i = 0; i < count; i++)
		weights[i] = history->pages[i].weight;
	qsort(weights, count, sizeof(*weights), order_floats);
	if (count > 0)
		top = (double)weights[count - (count + 9) / 10];
	free(weights);
	return top;
}

void
sim_score(const struct sim_honesty *honesty, const struct history *history,
    int64_t now_s, size_t least_moves, struct sim_score *score)
{
	double precision_sum = 0, recall_sum = 0;
	size_t known = 0;

	*score = (struct sim_score){0};
	for (size_t i = 0; i < history->document_count; i++) {
		const struct history_dates *dates = history_dates(
		    &history->documents[i], now_s);
		double precision, recall;
		if (honesty[i].moves < least_moves)
			continue;
		if (dates->recall == 0 && dates->precision < 0) {
			score->liars++;
			score->believed += honesty[i].is_known &&
			    honesty[i].precision >= 0.5;
		}
		if (!(dates->recall > 0 && dates->precision >= 0))
			continue;
		score->documents++;
		if (!honesty[i].is_known)
			continue;
		precision = fabs(
		    honesty[i].precision - (double)dates->precision);
		recall = fabs(honesty[i].recall - (double)dates->recall);
		known++;
		precision_sum += precision;
		recall_sum += recall;
		/* 1e-9 allows for rounding errors in an error of just 0.1. */
		score->within += fmax(precision, recall) <= 0.1 + 1e-9;
	}
	score->precision_error = known > 0 ? precision_sum / (double)known
					   : NAN;
	score->recall_error = known > 0 ? recall_sum / (double)known : NAN;
}

double
sim_gap(double f, double base, double bound)
{
	return bound > base ? (f - base) / (bound - base) : NAN;
}

static double
freshness_with(const struct sim_policy *policy, const struct history *history,
    const struct sim_options *options, struct sim_window window,
    double requests_per_day)
{
	struct sim_options other = *options;
	struct sim_result result;
	double fresh = 0, weight = 0;

	other.requests_per_day = requests_per_day;
	other.on_day = NULL;
	sim_run(&result, policy, history, &other);
	for (size_t i = window.from * result.class_count;
	     i < window.to * result.class_count; i++) {
		fresh += result.days[i].fresh;
		weight += result.days[i].weight;
	}
	sim_result_release(&result);
	return weight > 0 ? fresh / weight : 0;
}

/* The search doubles the requests until the freshness is reached, then halves
 * the range of their logarithm, and interpolates at the end. */
double
sim_requests_for(const struct sim_policy *policy, const struct history *history,
    const struct sim_options *options, struct sim_window window,
    double freshness)
{
	double low = options->requests_per_day, high = low;
	double most = fmin(64 * low, 24.0 * (double)history->page_count);
	double least = low / 64;
	double at_low = freshness_with(policy, history, options, window, low);
	double at_high = at_low;

	while (at_high < freshness) {
		if (high >= most)
			return INFINITY;
		low = high;
		at_low = at_high;
		high *= 2;
		at_high = freshness_with(
		    policy, history, options, window, high);
	}
	while (at_low >= freshness && low > least) {
		high = low;
		at_high = at_low;
		low /= 2;
		at_low = freshness_with(policy, history, options, window, low);
	}
	while (high > 1.1 * low) {
		double middle = sqrt(low * high);
		double at = freshness_with(
		    policy, history, options, window, middle);
		if (at < freshness) {
			low = middle;
			at_low = at;
		} else {
			high = middle;
			at_high = at;
		}
	}
	if (at_high <= at_low)
		return high;
	return low *
	    pow(high / low,
		fmin(fmax((freshness - at_low) / (at_high - at_low), 0), 1));
}

void
sim_sample_add(struct sim_sample *sample, double value)
{
	double step;

	if (isnan(value))
		return;
	if (isinf(value)) {
		sample->infinite++;
		return;
	}
	step = value - sample->mean;
	sample->count++;
	sample->mean += step / (double)sample->count;
	sample->square += step * (value - sample->mean);
}

double
sim_sample_mean(const struct sim_sample *sample)
{
	if (sample->infinite > 0)
		return INFINITY;
	return sample->count > 0 ? sample->mean : NAN;
}

double
sim_sample_error(const struct sim_sample *sample)
{
	/* Student's t at 0.975 for 1 to 30 degrees of freedom. */
	static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
	    2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
	    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
	    2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
	size_t freedom = sample->count - 1;
	double variance;

	if (sample->count < 2 || sample->infinite > 0)
		return NAN;
	variance = sample->square / (double)freedom;
	return (freedom <= 30 ? t[freedom - 1] : 1.96 + 2.4 / (double)freedom) *
	    sqrt(variance / (double)sample->count);
}
