/* Refinements that are switched off: see ablation.h. */
#include "tests/sim/ablation.h"

#include <math.h>
#include <string.h>

#include "sched/estimate.h"
#include "sched/sites.h"
#include "sched/sources.h"
#include "sched/trust.h"
#include "sched/value.h"

/* Halvings of a time that is searched for without (V10). */
#define HALVINGS 40

enum refinement {
	SILENCE,
	PACE,
	SECTIONS,
	POOLS,
	FOLLOW,
	UNCERTAIN,
	RETRO,
	RETURNS,
	REFRESH,
	REFINEMENTS,
};

static const struct ablation_refinement refinements[REFINEMENTS] = {
    [SILENCE] = {"silence", "sources that stop to announce (T9)"},
    [PACE] = {"pace", "pages that change when the site publishes (T11)"},
    [SECTIONS] = {"sections", "rates of folders (T12)"},
    [POOLS] = {"pools",
	"sources learn from each other and generators (T14, T16)"},
    [FOLLOW] = {"follow", "what false moves tell of the rate (T15)"},
    [UNCERTAIN] = {"uncertain", "the value where the rate is a belief (V10)"},
    [RETRO] = {"retro", "a change without a move waits for the next reading"},
    [RETURNS] = {"returns", "how often pages that are gone come back (T12)"},
    [REFRESH] = {"refresh", "pages are evaluated anew when trust changes"},
};

/* The refinements that are switched off, a bit each. */
static unsigned ablated;

static bool
is_off(enum refinement refinement)
{
	return (ablated >> refinement & 1) != 0;
}

const struct ablation_refinement *
ablation_refinements(size_t *count)
{
	*count = REFINEMENTS;
	return refinements;
}

bool
ablation_without(const char *name)
{
	for (unsigned i = 0; i < REFINEMENTS; i++) {
		if (strcmp(refinements[i].name, name) != 0)
			continue;
		ablated |= 1U << i;
		return true;
	}
	return false;
}

/* The functions that the wrappers stand before. */
bool __real_trust_reading(
    struct trust *, const struct trust_reading *, int64_t now_s);
void __real_pace_publish(struct pace *, double days);
double __real_section_mean(
    struct sched_sections *, uint32_t site, uint32_t section);
bool __real_estimate_outcome(const struct estimate_of *, const struct pending *,
    bool is_changed, int64_t now_s);
void __real_trust_pool_visit(struct trust_pool *, struct trust *,
    const struct generator *, double sources, int64_t now_s);
double __real_follow_share(const struct follow *);
double __real_value_uncertain_evaluate(
    const struct value_uncertain *, double value, double most, double *days);
void __real_source_refresh(struct sched_pages *, uint32_t number);

bool __wrap_trust_reading(
    struct trust *, const struct trust_reading *, int64_t now_s);
void __wrap_pace_publish(struct pace *, double days);
double __wrap_section_mean(
    struct sched_sections *, uint32_t site, uint32_t section);
bool __wrap_estimate_outcome(const struct estimate_of *, const struct pending *,
    bool is_changed, int64_t now_s);
void __wrap_trust_pool_visit(struct trust_pool *, struct trust *,
    const struct generator *, double sources, int64_t now_s);
double __wrap_follow_share(const struct follow *);
double __wrap_value_uncertain_evaluate(
    const struct value_uncertain *, double value, double most, double *days);
void __wrap_source_refresh(struct sched_pages *, uint32_t number);

/* Trust. */

bool
__wrap_trust_reading(
    struct trust *trust, const struct trust_reading *reading, int64_t now_s)
{
	bool is_mass = __real_trust_reading(trust, reading, now_s);

	if (is_off(SILENCE))
		trust->silence = 0;
	return is_mass;
}

void
__wrap_trust_pool_visit(struct trust_pool *pool, struct trust *trust,
    const struct generator *generator, double sources, int64_t now_s)
{
	if (!is_off(POOLS))
		__real_trust_pool_visit(pool, trust, generator, sources, now_s);
}

double
__wrap_follow_share(const struct follow *follow)
{
	return is_off(FOLLOW) ? 0 : __real_follow_share(follow);
}

/* Without it, a change without a move counts as missed at once. */
bool
__wrap_estimate_outcome(const struct estimate_of *of,
    const struct pending *pending, bool is_changed, int64_t now_s)
{
	bool is_open = __real_estimate_outcome(of, pending, is_changed, now_s);

	if (!is_open || !is_off(RETRO))
		return is_open;
	trust_clue(of->trust, CLUE_SILENT, now_s);
	return false;
}

/* Rates. */

void
__wrap_pace_publish(struct pace *pace, double days)
{
	if (!is_off(PACE))
		__real_pace_publish(pace, days);
}

double
__wrap_section_mean(
    struct sched_sections *sections, uint32_t site, uint32_t section)
{
	bool is_site = is_off(section == SECTION_GONE ? RETURNS : SECTIONS);

	return __real_section_mean(sections, site, is_site ? 0 : section);
}

/* Values. */

/* The value where the mean of the belief counts as the rate. */
static double
certain_value(const struct value_uncertain *u, double days)
{
	double rate = u->shape / u->days;

	return u->weight / rate *
	    value_phi(rate * (u->exposure + u->growth * days) + u->known);
}

static double
certain_evaluate(
    const struct value_uncertain *u, double value, double most, double *days)
{
	double low = 0, high = most;

	*days = 0;
	if (certain_value(u, 0) >= value)
		return certain_value(u, 0);
	for (int i = 0; i < HALVINGS && certain_value(u, most) > value; i++) {
		double middle = (low + high) / 2;

		if (certain_value(u, middle) < value)
			low = middle;
		else
			high = middle;
	}
	*days = high;
	return certain_value(u, 0);
}

double
__wrap_value_uncertain_evaluate(
    const struct value_uncertain *u, double value, double most, double *days)
{
	if (is_off(UNCERTAIN))
		return certain_evaluate(u, value, most, days);
	return __real_value_uncertain_evaluate(u, value, most, days);
}

void
__wrap_source_refresh(struct sched_pages *pages, uint32_t number)
{
	if (!is_off(REFRESH))
		__real_source_refresh(pages, number);
}
