/* Trust in dates: equations (T1), (T2), (T5) to (T9), (T14) and (T16) of
 * scheduling-formulas.md. */
#include "sched/trust.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/civil.h"
#include "sched/fast_math.h"

/* A source changes its habits once in this many days on average. */
#define STEADY_DAYS 300.0
#define MASS_MAX 30.0
/* a first guess, which counts as MASS_PRIOR observations */
#define MASS_RIGHT 0.2
#define MASS_PRIOR 2.0
#define EVENT_SURE 0.98
/* Even a late page of one mass move counts this much for other mass moves. */
#define EVENT_LEAST 0.1
#define READINGS 8.0F
#define MOVES_MAX 1000.0F
/* Shares of the entries that move: MASS_SHARE in one reading, the others in
 * the mean of the last readings. */
#define MASS_SHARE 0.5F
#define GATE_CLOSES 0.5F
#define GATE_OPENS 0.3F
/* Fewer moves are no mass move. */
#define MASS_LEAST 3
/* After this many moves it is clear whether a source is right. */
#define PROOF 10.0F
/* (T11): a publication has at least this many pages. */
#define PACE_PAGES 8
#define DISTRUST 0.1
/* (T9): PACE_LEAST publications show a pace; a source that is slower than its
 * pace by SILENCE_SLOWER may be silent.  SILENT_RECALL is the recall of a
 * silent source, SILENT_SQUARE the mean of its square. */
#define PACE_LEAST 3.0F
#define NEVER_TELLS 0.1 /* the share of sources, at first */
#define SILENCE_SLOWER 3.0
#define SILENT_RECALL 0.15
#define SILENT_SQUARE 0.105

/* The grid: how likely each recall is with each precision. */

/* The likelihood of an observation, for each recall and each precision.
 * (T5) */
struct trust_likelihood {
	/* the likelihood that no unannounced change happened */
	double silent[TRUST_RECALLS];
	/* the likelihood that no move was true */
	double all_false[TRUST_PRECISIONS];
	/* the likelihood that no mass move was true, and nothing that others
	 * announced */
	double no_mass;
	bool is_changed;
};

/* No cell falls below this part of its prior: every source may change. */
#define CELL_LEAST 1e-6
/* No observation counts as less likely than this, because no model knows all
 * causes. */
#define LIKELY_LEAST 1e-5F

const struct trust trust_unknown;
static const double trust_recalls[TRUST_RECALLS] = {
    0.002, 0.08, 0.2, 0.35, 0.5, 0.65, 0.78, 0.88, 0.95, 0.995};
const double trust_precisions[TRUST_PRECISIONS] = {
    0.01, 0.04, 0.08, 0.13, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 0.99};

#define FALSE(p) (1 - (p))
#define FALSES(p)                                                      \
	{                                                              \
		(float)FALSE(p), (float)(FALSE(p) * FALSE(p)),         \
		    (float)(FALSE(p) * FALSE(p) * FALSE(p)),           \
		    (float)(FALSE(p) * FALSE(p) * FALSE(p) * FALSE(p)) \
	}

static const float trust_falses[TRUST_PRECISIONS][TRUST_MOVES] = {FALSES(0.01),
    FALSES(0.04), FALSES(0.08), FALSES(0.13), FALSES(0.2), FALSES(0.3),
    FALSES(0.45), FALSES(0.6), FALSES(0.75), FALSES(0.9), FALSES(0.99)};

/* Generators of sitemaps often make dates that announce no changes, or all
 * changes, or that are always right.  So these have a higher prior; all others
 * are equally likely. */
#define PRIOR(ends, right) \
	((ends) / (TRUST_RECALLS + 2.0) * (right) / (TRUST_PRECISIONS + 2.0))
#define ROW(ends)                                                           \
	PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 1),     \
	    PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 1), \
	    PRIOR(ends, 1), PRIOR(ends, 1), PRIOR(ends, 3)

const double trust_priors[TRUST_CELLS] = {ROW(2), ROW(1), ROW(1), ROW(1),
    ROW(1), ROW(1), ROW(1), ROW(1), ROW(1), ROW(2)};

#define LEAST(ends, right) (float)(CELL_LEAST * PRIOR(ends, right))
#define LEASTS(ends)                                                        \
	LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 1),     \
	    LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 1), \
	    LEAST(ends, 1), LEAST(ends, 1), LEAST(ends, 3)
/* (T15) If false moves follow changes, the rates of moves vary at least half as
 * much as the rates of changes are taken to vary. */
#define FOLLOW_VARIES 0.5
#define FOLLOW_MOVES_MAX 1e12
#define FOLLOW_PAIRS_MAX 1e15

static const float leasts[TRUST_CELLS] = {LEASTS(2), LEASTS(1), LEASTS(1),
    LEASTS(1), LEASTS(1), LEASTS(1), LEASTS(1), LEASTS(1), LEASTS(1),
    LEASTS(2)};

static void
trust_begin(struct trust *t)
{
	if (t->cells[0] > 0)
		return;
	for (int i = 0; i < TRUST_CELLS; i++)
		t->cells[i] = (float)trust_priors[i];
}

/* The sum of a row, made of four partial sums, which the processor can add at
 * the same time. */
static float
sum_of_row(const float *row)
{
	float parts[4];

	for (int k = 0; k < 4; k++)
		parts[k] = row[k] + row[k + 4];
	return parts[0] + parts[1] + (parts[2] + parts[3]) +
	    (row[8] + row[9] + row[10]);
}

/* Scale the cells so that their sum is 1 and no cell is below its least
 * value. */
static void
normalise(struct trust *t)
{
	float sum = 0;

	for (int r = 0; r < TRUST_RECALLS; r++)
		sum += sum_of_row(&t->cells[(ptrdiff_t)r * TRUST_PRECISIONS]);
	sum = 1 / sum;
	for (int i = 0; i < TRUST_CELLS; i++) {
		float least = leasts[i];
		float cell = t->cells[i] * sum;

		t->cells[i] = cell > least ? cell : least;
	}
	/* Compute the means over the cells.  (T1) */
	float weight[TRUST_PRECISIONS] = {0};
	float all_false[TRUST_MOVES] = {0};
	double recall = 0;
	double square = 0;
	double precision = 0;

	for (int r = 0; r < TRUST_RECALLS; r++) {
		const float *row = &t->cells[(ptrdiff_t)r * TRUST_PRECISIONS];
		double by = trust_recalls[r];
		double part = by * (double)sum_of_row(row);

		recall += part;
		square += by * part;
		for (int p = 0; p < TRUST_PRECISIONS; p++)
			weight[p] += row[p];
	}
	for (int p = 0; p < TRUST_PRECISIONS; p++) {
		precision += (double)weight[p] * trust_precisions[p];
		for (int n = 0; n < TRUST_MOVES; n++)
			all_false[n] += weight[p] * trust_falses[p][n];
	}
	t->recall = (float)recall;
	t->recall_spread = (float)sqrt(fmax(square - recall * recall, 0));
	t->precision = (float)precision;
	for (int n = 0; n < TRUST_MOVES; n++)
		t->all_false[n] = all_false[n];
}

static void
trust_weigh(struct trust *t, const struct trust_likelihood *l)
{
	float all_false[TRUST_PRECISIONS];
	float base = l->is_changed ? 1 : 0;

	trust_begin(t);
	for (int p = 0; p < TRUST_PRECISIONS; p++)
		all_false[p] = (float)(l->all_false[p] * l->no_mass);
	for (int r = 0; r < TRUST_RECALLS; r++) {
		float *row = &t->cells[(ptrdiff_t)r * TRUST_PRECISIONS];
		float silent = (float)(l->is_changed ? -l->silent[r]
						     : l->silent[r]);

		for (int p = 0; p < TRUST_PRECISIONS; p++) {
			float likely = base + silent * all_false[p];

			row[p] *= likely > LIKELY_LEAST ? likely : LIKELY_LEAST;
		}
	}
	normalise(t);
}

/* Returns 2^(steps / TRUST_LEAN), which is 16. */
static double
leaning(int steps)
{
	static const double parts[TRUST_LEAN] = {1, 0x1.0b5586cf9890fp+0,
	    0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0, 0x1.306fe0a31b715p+0,
	    0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
	    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0,
	    0x1.9c49182a3f090p+0, 0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0,
	    0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
	/* the double's bits are made here: ldexp takes ten times as long */
	uint64_t bits = (uint64_t)(1023 + (steps >> 4)) << 52;
	double power;

	memcpy(&power, &bits, sizeof(power));
	return power * parts[steps & (TRUST_LEAN - 1)];
}

void
trust_lean(struct trust *t, const int8_t *lean)
{
	if (t->cells[0] > 0 && memcmp(t->lean, lean, sizeof(t->lean)) == 0)
		return;
	trust_begin(t);
	for (int i = 0; i < TRUST_CELLS; i++) {
		if (lean[i] == t->lean[i])
			continue;
		t->cells[i] *= (float)leaning(lean[i] - t->lean[i]);
		t->lean[i] = lean[i];
	}
	normalise(t);
}

/* Figures. */

/* The means of the prior.  They are constants because most sources of a large
 * store say nothing, and are evaluated all the time; a test compares them with
 * the prior. */
static const struct trust nothing = {.recall = 0.532000005F,
    .recall_spread = 0.377543598F,
    .precision = 0.494615406F,
    .all_false = {0.505384624F, 0.39771539F, 0.338017613F, 0.297695816F}};

/* Let old observations fade.  (T6), (T7) */
static void
age(struct trust *t, int64_t now_s)
{
	double days = ((double)now_s - (double)t->aged_s) / DAY_S;

	/* Observations do not fade if the clock was put back. */
	if (t->aged_s == 0 || now_s < t->aged_s) {
		t->aged_s = now_s;
		return;
	}
	if (days < 1)
		return;
	double left = exp(-days / STEADY_DAYS);
	for (int i = 0; i < TRUST_CELLS; i++) {
		double prior = trust_priors[i];

		if (t->lean[i] != 0)
			prior *= leaning(t->lean[i]);
		t->cells[i] = (float)(left * (double)t->cells[i] +
		    (1 - left) * prior);
	}
	t->moves *= (float)left;
	t->mass_right *= (float)left;
	t->mass_false *= (float)left;
	t->aged_s = now_s;
}

/* The precision of the latest mass move, estimated from that move and from mass
 * moves in general. (T2') */
static double
mass_precision(const struct trust *t)
{
	double rule = (MASS_RIGHT + (double)t->mass_right) /
	    (MASS_PRIOR + (double)t->mass_right + (double)t->mass_false);
	double right = (double)t->event_right;

	return fmin(
	    (rule + right) / (1 + right + (double)t->event_false), EVENT_SURE);
}

struct trust_figures
trust_figures(const struct trust *t)
{
	const struct trust *means = t->cells[0] > 0 ? t : &nothing;
	double silent = within((double)t->silence, 0, 1);
	struct trust_figures f = {.precision = (double)means->precision,
	    .recall = (double)means->recall,
	    .spread = (double)means->recall_spread,
	    .mass_precision = mass_precision(t),
	    .all_false = means->all_false};

	f.is_believed = !trust_is_deaf(t) && f.precision >= 0.5;
	f.is_distrusted = t->is_gated ||
	    (t->moves >= PROOF && f.precision < DISTRUST);
	if (silent <= 0)
		return f;
	double square = f.recall * f.recall + f.spread * f.spread;
	f.recall += silent * (SILENT_RECALL - f.recall);
	square += silent * (SILENT_SQUARE - square);
	f.spread = sqrt(fmax(square - f.recall * f.recall, 0));
	return f;
}

double
trust_false_after(const float *all_false, double moves)
{
	double last = (double)all_false[TRUST_MOVES - 1];
	double before = (double)all_false[TRUST_MOVES - 2];

	if (!(moves >= 1))
		return 1;
	if (moves < TRUST_MOVES)
		return (double)all_false[(int)moves - 1];
	return last *
	    pow(last / before, fmin(moves, 64 + TRUST_MOVES) - TRUST_MOVES);
}

void
trust_outcome(struct trust *t, const struct trust_outcome *o, int64_t now_s)
{
	double shape = within(o->shape, 1e-3, 1e9);
	double days = within(o->days, 1e-6, 1e9);
	double tau = within(o->tau, 0, 1e6);
	struct trust_likelihood l = {.no_mass = 1, .is_changed = o->is_changed};

	trust_begin(t);
	age(t, now_s);
	if (!t->is_gated) {
		l.no_mass = 1 - within(o->others_true, 0, 1);
		if (o->mass >= 1)
			l.no_mass *= 1 - mass_precision(t);
		for (int r = 0; r < TRUST_RECALLS; r++)
			l.silent[r] = fast_power(
			    (1 - trust_recalls[r]) * tau / days, shape);
		/* The probability that all moves are false, for each precision
		 * of the grid. */
		int n = 0;

		while (n < TRUST_MOVES && o->moves > n + 1)
			n++;
		for (int p = 0; p < TRUST_PRECISIONS; p++)
			l.all_false[p] = !(o->moves >= 1) ? 1
			    : n < TRUST_MOVES
			    ? (double)trust_falses[p][n]
			    : pow(1 - trust_precisions[p], fmin(o->moves, 64));
		trust_weigh(t, &l);
		t->moves += (float)within(o->moves, 0, 64);
		t->moves = fminf(t->moves, MOVES_MAX);
	}
	if (o->mass >= 1) {
		struct trust_figures f = trust_figures(t);
		double same = fast_power((1 - f.recall) * tau / days, shape);
		double right = mass_precision(t);

		if (o->moves >= 1)
			same *= 1 - f.precision;
		if (o->is_changed)
			right /= within(1 - (1 - right) * same, right, 1);
		else
			right = 0;
		double news = fmax(
		    1 / (1 + (double)t->event_right + (double)t->event_false),
		    EVENT_LEAST);
		t->event_right = fminf(t->event_right + (float)right, 1e6F);
		t->event_false = fminf(
		    t->event_false + (float)(1 - right), 1e6F);
		t->mass_right += (float)(news * right);
		t->mass_false += (float)(news * (1 - right));
		double sum = (double)t->mass_right + (double)t->mass_false;
		if (sum > MASS_MAX) {
			t->mass_right *= (float)(MASS_MAX / sum);
			t->mass_false *= (float)(MASS_MAX / sum);
		}
	}
}

void
trust_clue(struct trust *t, enum trust_clue clue, int64_t now_s)
{
	bool is_change = clue != CLUE_IMPOSSIBLE;
	struct trust_likelihood l = {.no_mass = 1, .is_changed = is_change};
	/* the changes before that fetch; no change explains an impossible
	 * date */
	double expected = is_change ? within((double)t->open, 0.01, 100) : 0;

	trust_begin(t);
	age(t, now_s);
	for (int r = 0; r < TRUST_RECALLS; r++)
		l.silent[r] = 1 / (1 + (1 - trust_recalls[r]) * expected);
	for (int p = 0; p < TRUST_PRECISIONS; p++)
		l.all_false[p] = clue == CLUE_SILENT ? 1
						     : 1 - trust_precisions[p];
	trust_weigh(t, &l);
	if (!is_change)
		t->moves = fminf(t->moves + 1, MOVES_MAX);
}

/* Judge after a reading whether the source has become silent.  (T9) */
static void
listen(
    struct trust *t, bool has_published, double changes_per_day, int64_t now_s)
{
	double span = ((double)now_s - (double)t->first_s) / DAY_S;
	double quiet = ((double)now_s - (double)t->published_s) / DAY_S;

	if (has_published) {
		t->publications = fminf(t->publications + 1, 1e6F);
		t->published_s = now_s;
		quiet = 0;
	}
	if (t->publications < PACE_LEAST) {
		/* Without a pace: how many changes were expected since its
		 * last publication, and none was told? */
		double changes = changes_per_day *
		    within(t->publications > 0 ? quiet : span, 0, 1e6);
		double odds = NEVER_TELLS / (1 - NEVER_TELLS) *
		    (1 + within(changes, 0, 1e9));
		t->silence = (float)(odds / (1 + odds));
		return;
	}
	t->silence = 0;
	if (!(quiet > 0))
		return;
	double expected = (double)t->publications / (fmax(span, 0) + 5) *
	    quiet / SILENCE_SLOWER;
	double turned = quiet / STEADY_DAYS;
	t->silence = (float)(turned / (turned + exp(-expected)));
}

bool
trust_reading(
    struct trust *t, const struct trust_reading *reading, int64_t now_s)
{
	float share = 0;
	/* Have mass moves proved to be true? */
	bool is_proven = t->mass_right + t->mass_false >= PROOF &&
	    t->mass_right >= t->mass_false;

	if (t->first_s == 0)
		t->first_s = now_s;
	t->has_dates = reading->dated > 0;
	t->follow.pages = reading->listed;
	if (reading->listed > 0 && reading->moved >= MASS_LEAST)
		share = fminf(
		    (float)reading->moved / (float)reading->listed, 1);
	/* The mean is over readings in which an entry moved, and begins with
	 * one reading in which none did. */
	if (reading->moved > 0) {
		if (t->readings < READINGS - 1)
			t->readings++;
		t->share += (share - t->share) / (t->readings + 1);
	}
	if (t->share > GATE_CLOSES && !is_proven)
		t->is_gated = true;
	if (t->share < GATE_OPENS || is_proven)
		t->is_gated = false;
	listen(t, reading->moved > 0 && share < MASS_SHARE, reading->changes,
	    now_s);
	if (share < MASS_SHARE)
		return false;
	t->event_right = t->event_false = 0;
	/* Pages of small documents move together by chance. */
	if (reading->moved >= PACE_PAGES)
		pace_publish(
		    &t->pace, ((double)now_s - (double)t->first_s) / DAY_S);
	return true;
}

bool
trust_is_deaf(const struct trust *t)
{
	return t->is_gated || !t->has_dates;
}

/* Whether false moves follow changes (T15). */

void
follow_move(struct follow *f, unsigned before)
{
	f->moves = fmin(f->moves + 1, FOLLOW_MOVES_MAX);
	f->pairs = fmin(f->pairs + 2.0 * before, FOLLOW_PAIRS_MAX);
}

double
follow_share(const struct follow *f)
{
	double pages = fmax(f->pages, 1);
	double mean = f->moves / pages;
	double varies = f->pairs / pages / (mean * mean) - 1;

	/* no page moved yet, or all alike */
	if (!(varies > 0))
		return 0;
	return fmin(varies / FOLLOW_VARIES, 1);
}

/* Trust from a store. */

#define SHARE_MOST 1.001F /* a probability, with rounding errors */

bool
trust_load(struct trust *t, struct slice bytes)
{
	struct trust loaded;
	double sum = 0;

	if (bytes.len != sizeof(loaded))
		return false;
	memcpy(&loaded, bytes.p, sizeof(loaded));
	const float counts[] = {loaded.moves, loaded.mass_right,
	    loaded.mass_false, loaded.event_right, loaded.event_false,
	    loaded.readings, loaded.open, loaded.publications};
	float shares[5 + TRUST_MOVES] = {loaded.recall, loaded.recall_spread,
	    loaded.precision, loaded.share, loaded.silence};

	for (size_t i = 0; i < LENGTH(counts); i++)
		if (!(counts[i] >= 0 && counts[i] <= 1e6F))
			return false;
	memcpy(&shares[5], loaded.all_false, sizeof(loaded.all_false));
	for (size_t i = 0; i < LENGTH(shares); i++)
		if (!(shares[i] >= 0 && shares[i] <= SHARE_MOST))
			return false;
	for (int i = 0; i < TRUST_CELLS; i++) {
		if (!(loaded.cells[i] >= 0 && loaded.cells[i] <= SHARE_MOST))
			return false;
		sum += (double)loaded.cells[i];
	}
	/* a bool of any other value must not be read */
	if ((unsigned char)bytes.p[offsetof(struct trust, has_dates)] > 1 ||
	    (unsigned char)bytes.p[offsetof(struct trust, is_gated)] > 1)
		return false;
	if (!(loaded.follow.pages >= 0 &&
		loaded.follow.pages <= FOLLOW_MOVES_MAX &&
		loaded.follow.moves >= 0 &&
		loaded.follow.moves <= FOLLOW_MOVES_MAX &&
		loaded.follow.pairs >= 0 &&
		loaded.follow.pairs <= FOLLOW_PAIRS_MAX))
		return false;
	/* the sum of the cells is 0 when nothing was learned yet, else 1 */
	if ((sum >= 1e-6 && fabs(sum - 1) >= 0.01) ||
	    !pace_is_sound(&loaded.pace))
		return false;
	*t = loaded;
	return true;
}

/* Sources learn from each other: equation (T14) of scheduling-formulas.md. */

/* A visit is remembered for about this time. */
#define MEMORY_DAYS 30.0
/* The prior counts as this many sources, and for a tenth of the sum at
 * least. */
#define PRIOR_SOURCES 5.0
#define PRIOR_LEAST 0.1
#define LEAN_MAX 127
#define KNOWN 8

/* (T14) */
static void
lean(struct trust_pool *pool)
{
	float steps[TRUST_CELLS];
	double sum = PRIOR_SOURCES;

	for (int i = 0; i < TRUST_CELLS; i++)
		sum += (double)pool->cells[i];
	double share = (1 - PRIOR_LEAST) / sum;
	for (int i = 0; i < TRUST_CELLS; i++) {
		double part = (double)pool->cells[i] / trust_priors[i] +
		    PRIOR_SOURCES;

		/* log2(ratio) within 2e-4, enough for sixteenths; each visit
		 * needs it for each pair.  ratio is at least 2^-126. */
		float ratio = (float)(PRIOR_LEAST + share * part), x;
		uint32_t bits;

		memcpy(&bits, &ratio, sizeof(bits));
		float whole = (float)((int32_t)(bits >> 23) - 127);
		bits = (bits & 0x7fffff) | UINT32_C(127) << 23;
		memcpy(&x, &bits, sizeof(x));
		x -= 1;
		steps[i] = TRUST_LEAN *
		    (whole + x +
			x * (1 - x) *
			    (0.438724995F +
				x * (0.0821274293F * x - 0.239054822F)));
	}
	for (int i = 0; i < TRUST_CELLS; i++)
		pool->lean[i] = (int8_t)within(
		    rint((double)steps[i]), -LEAN_MAX, LEAN_MAX);
}

/* (T16): what a generator is known for counts as so many observations, a share
 * of which, in percent, was right.  What is known to be high may as well be
 * higher, and what is known to be low lower. */
static double
known_likelihood(unsigned percent, double share)
{
	double known = within(percent / 100.0, 0.001, 0.999);

	if (percent >= 50 ? share > known : share < known)
		share = known;
	return pow(share, KNOWN * known) * pow(1 - share, KNOWN * (1 - known));
}

void
trust_pool_visit(struct trust_pool *pool, struct trust *trust,
    const struct generator *generator, double sources, int64_t now_s)
{
	double days = ((double)now_s - (double)trust->pooled_s) / DAY_S;
	double likely[TRUST_CELLS];
	int8_t leans[TRUST_CELLS];
	double kept, sum = 0;

	if (trust->pooled_s != 0 && days >= 0 && days < 1)
		return;
	trust->pooled_s = now_s;
	/* A source whose dates never moved, or moved all together, says nothing
	 * about other sources. */
	if (trust->moves >= 1 && !trust_is_deaf(trust) && days > 0) {
		days = within(days, 0, MEMORY_DAYS) / MEMORY_DAYS;
		kept = 1 - within(days / within(sources, 1, 1e9), 0, 1);
		for (int i = 0; i < TRUST_CELLS; i++)
			pool->cells[i] = (float)(kept * (double)pool->cells[i] +
			    days * (double)trust->cells[i]);
		lean(pool);
	}
	if (generator == NULL) {
		trust_lean(trust, pool->lean);
		return;
	}
	for (int i = 0; i < TRUST_CELLS; i++) {
		likely[i] = known_likelihood(generator->precision,
		    trust_precisions[i % TRUST_PRECISIONS]);
		/* If all dates move at once, all that is known is that such
		 * moves are false. */
		if (generator->precision > 0)
			likely[i] *= known_likelihood(generator->recall,
			    trust_recalls[i / TRUST_PRECISIONS]);
		sum += trust_priors[i] * likely[i];
	}
	for (int i = 0; i < TRUST_CELLS; i++)
		leans[i] = (int8_t)within(pool->lean[i] +
			rint(TRUST_LEAN *
			    log2(PRIOR_LEAST +
				(1 - PRIOR_LEAST) * likely[i] / sum)),
		    -LEAN_MAX, LEAN_MAX);
	trust_lean(trust, leans);
}

bool
trust_pool_load(struct trust_pool *pool, struct slice bytes)
{
	struct trust_pool loaded;

	if (bytes.len != sizeof(loaded))
		return false;
	memcpy(&loaded, bytes.p, sizeof(loaded));
	for (int i = 0; i < TRUST_CELLS; i++)
		if (!(loaded.cells[i] >= 0 && loaded.cells[i] <= 1e9F))
			return false;
	lean(&loaded);
	*pool = loaded;
	return true;
}
