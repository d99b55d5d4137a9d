/* The presets of worlds, and the settings of their options. */
#include "tests/sim/world_options.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Options that no preset changes, and the pages, sites and days of most
 * presets. */
#define COMMON                                                                 \
	.seed = 1, .jitter = 0.2, .burst = 0.8, .burst_speed = 5,              \
	.rate = 1.0 / 30, .slowest = 0.002, .fastest = 7, .spread = 1.5,       \
	.site_spread = 0.6, .page_spread = 0.8, .size_spread = 1,              \
	.weight_spread = 1, .reading_cost = 1, .shock_days = 14,               \
	.move_days = 60, .turn_stale = 0.2, .turn_now = 0.2, .turn_good = 0.3, \
	.index_recall = {0.9, 0.9}, .index_precision = {0.5, 0.5}
#define SIZE(n, s, d) .pages = (n), .sites = (s), .days = (d)

#define MIX(r, p, every)                                           \
	.recall = {[WORLD_PARTIAL] = {0.3, 0.8},                   \
	    [WORLD_FAIR] = {0.8, 1},                               \
	    [WORLD_NOISY] = r},                                    \
	.precision = {[WORLD_FAIR] = {0.8, 1}, [WORLD_NOISY] = p}, \
	.deploy_days = every
#define RANGE(low, high)      \
	{                     \
		(low), (high) \
	}
#define USUAL MIX(RANGE(0.5, 0.9), RANGE(0.1, 0.5), 7)

#define ADVERSARIAL                         \
	USUAL,                              \
	    .shares = {[WORLD_NONE] = 0.25, \
		[WORLD_CORRECT] = 0.1,      \
		[WORLD_DAY] = 0.1,          \
		[WORLD_NOW] = 0.15,         \
		[WORLD_DEPLOY] = 0.12,      \
		[WORLD_STALE] = 0.08,       \
		[WORLD_PARTIAL] = 0.1,      \
		[WORLD_NOISY] = 0.1}
#define BING                                \
	USUAL,                              \
	    .shares = {[WORLD_NONE] = 0.51, \
		[WORLD_CORRECT] = 0.1925,   \
		[WORLD_DAY] = 0.1925,       \
		[WORLD_NOW] = 0.045,        \
		[WORLD_DEPLOY] = 0.045,     \
		[WORLD_PARTIAL] = 0.015}
#define NCIS                                        \
	MIX(RANGE(0.1, 0.7), RANGE(0.03, 0.33), 7), \
	    .shares = {[WORLD_NONE] = 0.3,          \
		[WORLD_NOISY] = 0.651,              \
		[WORLD_FAIR] = 0.049}
#define LIARS                                        \
	MIX(RANGE(0.5, 0.9), RANGE(0.1, 0.5), 0.25), \
	    .shares = {[WORLD_NOW] = 0.3,            \
		[WORLD_DEPLOY] = 0.2,                \
		[WORLD_STALE] = 0.2,                 \
		[WORLD_RANDOM] = 0.3}
#define ALL_CORRECT USUAL, .shares = {[WORLD_CORRECT] = 1}

static const struct world_options presets[] = {
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, ADVERSARIAL, .name = "W1",
	.text = "adversarial mix of sites"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, BING, .name = "W2",
	.text = "sites as Bing counted them in 2023"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, NCIS, .name = "W3",
	.text = "noisy signals as in the NCIS paper of 2025"},
    {COMMON, SIZE(4000, 40, 120), .requests = 0.05, ALL_CORRECT, .joint = 1,
	.name = "W4", .text = "readings are paid; all dates are correct"},
    {COMMON, SIZE(4000, 40, 120), .requests = 0.05, ADVERSARIAL, .joint = 1,
	.name = "W5", .text = "readings are paid; adversarial mix"},
    {COMMON, SIZE(4000, 40, 120), .requests = 0.05, BING, .joint = 1,
	.name = "W5-bing", .text = "readings are paid; sites as of W2"},
    {COMMON, SIZE(4000, 100, 160), .requests = 0.05, BING, .turn_days = 80,
	.name = "W6", .text = "W2 whose sites begin or cease to lie halfway"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, ADVERSARIAL,
	.changes = WORLD_PERIODIC, .name = "W7-periodic",
	.text = "W1 with nearly regular changes"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, ADVERSARIAL,
	.changes = WORLD_BURSTY, .name = "W7-bursty",
	.text = "W1 with changes in bursts"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, BING, .shared = 0.5,
	.name = "shared", .text = "W2 whose sites change in part all at once"},
    {COMMON, SIZE(1000000, 10000, 40), .requests = 0.05, BING, .name = "W9",
	.text = "a million pages of 10,000 sites as of W2"},
    {COMMON, SIZE(40000, 1000, 365), .requests = 0.05, BING, .name = "year",
	.text = "a year of 1,000 sites as of W2"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, BING, .born = 0.3,
	.gone = 0.1, .name = "growing", .text = "W2 whose pages come and go"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, BING, .moved = 1,
	.name = "moved", .text = "W2 whose pages all get other URLs at once"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, BING, .moved = 1,
	.move_stays = 1, .name = "moved-stay",
	.text = "the same, and the old ones still answer"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, BING, .moved = 0.5,
	.move_over = 40, .move_stays = 0.5, .move_stamps = 1,
	.name = "moved-part",
	.text = "half of them, in parts; the other dates move, too"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, BING, .move_site = 1,
	.move_stays = 1, .name = "moved-host",
	.text = "W2 where every other site goes to another host"},
    {COMMON, SIZE(4000, 100, 120), .requests = 0.05, LIARS, .failures = 0.02,
	.name = "liars", .text = "no date is worth anything; fetches fail"},
    {COMMON, SIZE(20000, 10, 120), .requests = 0.05, BING, .joint = 1,
	.children = 40, .name = "index",
	.text = "readings are paid; sites with an index and children"},
};

const struct world_options *
world_presets(size_t *count)
{
	*count = sizeof(presets) / sizeof(presets[0]);
	return presets;
}

const struct world_options *
world_preset(const char *name)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		if (strcasecmp(presets[i].name, name) == 0)
			return &presets[i];
	}
	return NULL;
}

#define ONE(key, text, low, high)                       \
	{                                               \
#key, text, low, high, false,           \
		    offsetof(struct world_options, key) \
	}
#define SHARE(key, part, text)                                   \
	{                                                        \
		key, "share of sites " text, 0, 1000, false,     \
		    offsetof(struct world_options, shares[part]) \
	}
/* A precision of 0 would demand infinitely many moves. */
#define PRECISION_OF(key, field, text)                    \
	{                                                 \
		key, text, 0.001, 1, true,                \
		    offsetof(struct world_options, field) \
	}
#define RANGE_OF(key, field, text)                                           \
	{                                                                    \
		key, text, 0, 1, true, offsetof(struct world_options, field) \
	}

static const struct world_setting settings[] = {
    ONE(seed, "what everything is drawn from", 0, 0x1p53),
    ONE(pages, "pages of all sites", 1, 20e6),
    ONE(sites, "sites", 1, 1e6),
    ONE(days, "length of the run", 1, 36500),
    ONE(requests, "requests a day for each page", 0, 1e4),
    ONE(joint, "1: readings are asked for and paid; 0: free", 0, 1),
    SHARE("none", WORLD_NONE, "without dates"),
    SHARE("correct", WORLD_CORRECT, "with correct dates"),
    SHARE("day", WORLD_DAY, "with correct dates without a time"),
    SHARE("now", WORLD_NOW, "that date every page by the time of the reading"),
    SHARE("deploy", WORLD_DEPLOY, "that date all pages together"),
    SHARE("stale", WORLD_STALE, "whose dates never move"),
    SHARE("partial", WORLD_PARTIAL, "whose dates miss changes"),
    SHARE("noisy", WORLD_NOISY, "whose dates miss changes and make up others"),
    SHARE("fair", WORLD_FAIR, "likewise, but seldom"),
    SHARE("random", WORLD_RANDOM, "that give any date, each day another"),
    RANGE_OF("partial_recall", recall[WORLD_PARTIAL],
	"share of changes that such a site dates"),
    RANGE_OF("noisy_recall", recall[WORLD_NOISY],
	"share of changes that such a site dates"),
    PRECISION_OF("noisy_precision", precision[WORLD_NOISY],
	"share of its moved dates that had a change"),
    RANGE_OF("fair_recall", recall[WORLD_FAIR],
	"share of changes that such a site dates"),
    PRECISION_OF("fair_precision", precision[WORLD_FAIR],
	"share of its moved dates that had a change"),
    ONE(changes, "poisson, periodic or bursty", 0, WORLD_BURSTY),
    ONE(jitter, "of periodic gaps, as share of their mean", 0, 1),
    ONE(burst, "share of gaps that are short, when bursty", 0, 0.99),
    ONE(burst_speed, "their rate, in mean rates", 1, 1e6),
    ONE(shared, "share of changes that come to much of a site at once", 0, 1),
    ONE(shock_days, "mean time between two such", 0.01, 36500),
    ONE(rate, "median of the changes of a page a day", 1e-9, 1000),
    ONE(slowest, "no page changes less often a day", 0, 1000),
    ONE(fastest, "none more often", 1e-9, 1000),
    ONE(spread, "sigma of the logarithm of rates", 0, 10),
    ONE(site_spread, "part of it between sites", 0, 10),
    ONE(page_spread, "part of it between pages of a site", 0, 10),
    ONE(size_spread, "sigma of the logarithm of pages a site", 0, 10),
    ONE(weight_spread, "sigma of the logarithm of weights", 0, 10),
    ONE(born, "share of pages that come during the run", 0, 1),
    ONE(gone, "share of pages that go during the run", 0, 1),
    ONE(moved, "share of pages that get another URL", 0, 1),
    ONE(move_days, "days until they do", 0, 100000),
    ONE(move_over, "and in so many days", 0, 100000),
    ONE(move_stays, "share of the old URLs that still answer", 0, 1),
    ONE(move_site, "1: all of every other site goes to the next one", 0, 1),
    ONE(move_stamps, "1: all other dates move then, too", 0, 1),
    ONE(deploy_days, "between two datings of all pages", 0.01, 36500),
    ONE(failures, "share of fetches that get no answer", 0, 1),
    ONE(reading_cost, "of a reading, in page fetches", 0.01, 1e6),
    ONE(children, "sitemaps under an index, for each site; 0: no index", 0,
	50000),
    RANGE_OF("index_recall", index_recall,
	"share of a child's moves that its index dates"),
    PRECISION_OF("index_precision", index_precision,
	"share of the index's moved dates that had one"),
    ONE(hints, "share of changes that somebody tells by himself", 0, 1),
    ONE(false_hints, "of each page a day, without a change", 0, 1000),
    ONE(turn_days, "when sites begin or cease to lie; 0: never", 0, 36500),
    ONE(turn_stale, "share of correct sites whose dates then stop", 0, 1),
    ONE(turn_now, "share of correct sites that then date by readings", 0, 1),
    ONE(turn_good, "share of those who did so that are then correct", 0, 1),
};

const struct world_setting *
world_settings(size_t *count)
{
	*count = sizeof(settings) / sizeof(settings[0]);
	return settings;
}

/* Read a number within the limits of the setting; the text after it begins
 * with the separator of a range, or has ended. */
static bool
read_number(const struct world_setting *setting, const char **text, double *out)
{
	char *end;

	/* strtod alone would read "nan", "inf" and hexadecimal numbers. */
	if (strchr("0123456789.", **text) == NULL)
		return false;
	*out = strtod(*text, &end);
	if ((size_t)(end - *text) > strspn(*text, "0123456789.eE+-") ||
	    end == *text || !(*out >= setting->low && *out <= setting->high))
		return false;
	*text = end;
	return true;
}

static bool
read_changes(const char *text, double *out)
{
	static const char *const names[] = {"poisson", "periodic", "bursty"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(text, names[i]) == 0) {
			*out = i;
			return true;
		}
	}
	return false;
}

/* Must the value of that key be a whole number? */
static bool
is_whole(const char *key)
{
	static const char *const keys[] = {
	    "seed", "pages", "sites", "joint", "changes", "children"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

static enum world_fault
set(struct world_options *options, const struct world_setting *setting,
    const char *value)
{
	double *at = (double *)(void *)((char *)options + setting->offset);
	struct world_range range;

	if (strcmp(setting->key, "changes") == 0 && read_changes(value, at))
		return WORLD_OK;
	if (!read_number(setting, &value, &range.low))
		return WORLD_BAD_VALUE;
	range.high = range.low;
	if (setting->is_range && *value == '-') {
		value++;
		if (!read_number(setting, &value, &range.high))
			return WORLD_BAD_VALUE;
	}
	if (*value != '\0' || range.high < range.low)
		return WORLD_BAD_VALUE;
	if (is_whole(setting->key) && range.low != floor(range.low))
		return WORLD_BAD_VALUE;
	at[0] = range.low;
	if (setting->is_range)
		at[1] = range.high;
	return WORLD_OK;
}

enum world_fault
world_set(struct world_options *options, const char *key, const char *value)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (strcmp(settings[i].key, key) == 0)
			return set(options, &settings[i], value);
	}
	return WORLD_UNKNOWN_KEY;
}

void
world_get(const struct world_options *options,
    const struct world_setting *setting, char *text, size_t size)
{
	const double *at = (const double *)(const void *)((const char *)
							      options +
	    setting->offset);

	if (setting->is_range)
		(void)snprintf(text, size, "%.9g-%.9g", at[0], at[1]);
	else
		(void)snprintf(text, size, "%.9g", at[0]);
}
