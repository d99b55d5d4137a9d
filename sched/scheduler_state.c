/* Writing what the scheduler learned as bytes, and reading it: see
 * scheduler_state.h. */
#include "sched/scheduler_state.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/wire.h"
#include "sched/quota.h"
#include "sched/scheduler_parts.h"

/* Raise this number when a record changes its meaning. */
#define VERSION 11
/* Flags of a document. */
#define RETIRED 1
#define DROPPED 2
#define TIME_MAX (INT64_C(1) << 50)

enum record {
	RECORD_PAGE = 'p',
	RECORD_DOCUMENT,
	RECORD_SITE,
	RECORD_ALL,
	RECORD_SECTION
};

static void
put_number(struct buf *buf, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	wire_put_fixed(buf, 8, bits);
}

static void
put_float(struct buf *buf, float number)
{
	uint32_t bits;

	memcpy(&bits, &number, sizeof(bits));
	wire_put_fixed(buf, 4, bits);
}

/* Read a number.  If no computation can have written it, the record is
 * damaged. */
static double
get_number(struct wire *wire)
{
	uint64_t bits = wire_get_fixed(wire, 8);
	double number;

	memcpy(&number, &bits, sizeof(number));
	if (number >= 0 && isfinite(number))
		return number;
	wire->ok = false;
	return 0;
}

static int64_t
not_ahead(const struct scheduler *s, int64_t t_s)
{
	return t_s > s->loaded_s ? t_s - s->back_s : t_s;
}

/* get_time(s, wire, none): read the time of an event or of the end of a pause,
 * or `none`.  If the clock allows no such time, the record is damaged.  s NULL:
 * the time of something else, which stays when the clock is put back. */
static int64_t
get_time(const struct scheduler *s, struct wire *wire, int64_t none)
{
	int64_t t_s = (int64_t)wire_get_fixed(wire, 8);

	if (t_s == none)
		return none;
	if (t_s > TIME_MAX || t_s < -TIME_MAX)
		wire->ok = false;
	return s == NULL ? t_s : not_ahead(s, t_s);
}

/* Read a time that may be NEVER. */
static uint32_t
get_packed(const struct scheduler *s, struct wire *wire)
{
	uint32_t packed = (uint32_t)wire_get_varint(wire);

	return packed == NEVER ? NEVER
			       : time_pack(not_ahead(s, time_unpack(packed)));
}

static float
get_any(struct wire *wire)
{
	uint32_t bits = (uint32_t)wire_get_fixed(wire, 4);
	float number;

	memcpy(&number, &bits, sizeof(number));
	if (isfinite(number))
		return number;
	wire->ok = false;
	return 0;
}

static void
begin(struct buf *buf, enum record record)
{
	wire_put_fixed(buf, 1, VERSION);
	wire_put_fixed(buf, 1, (uint8_t)record);
}

static struct wire
open_record(struct slice bytes, enum record record)
{
	struct wire wire = {bytes, true};

	if (wire_get_fixed(&wire, 1) != VERSION ||
	    wire_get_fixed(&wire, 1) != (uint8_t)record)
		wire.ok = false;
	return wire;
}

static void
put_prior(struct buf *buf, const struct rate_prior *prior)
{
	put_number(buf, prior->changes);
	put_number(buf, prior->days);
}

static void
get_prior(struct wire *wire, struct rate_prior *prior)
{
	prior->changes = get_number(wire);
	prior->days = get_number(wire);
}

#define PAGE_KEPT (PAGE_REMOVED | PAGE_VERIFY | PAGE_DAY)
#define PAGE_HINTS_SHIFT 5 /* above PAGE_KEPT */

void
scheduler_save_page(const struct scheduler *s, uint32_t number, struct buf *buf)
{
	const struct sched_page *page = sched_page_at(s, number);
	uint32_t mass;

	mass = (uint16_t)(page_source(&s->pages, page)->mass_count -
	    page->mass_seen);
	mass += page->mass;
	begin(buf, RECORD_PAGE);
	put_float(buf, page->rate.changes);
	put_float(buf, page->rate.days);
	wire_put_varint(buf, page->fetched);
	wire_put_varint(buf, page->added);
	wire_put_varint(buf, page->lastmod);
	wire_put_varint(buf, page->moves);
	wire_put_varint(buf, mass < UINT16_MAX ? mass : UINT16_MAX);
	wire_put_varint(buf, page->moves_ever);
	put_float(buf, page->position);
	wire_put_fixed(buf, 1,
	    (page->flags & PAGE_KEPT) |
		(uint8_t)(page->hints << PAGE_HINTS_SHIFT));
	wire_put_fixed(buf, 1, page->dead);
	if (page->failures == 0)
		return;
	wire_put_varint(buf, page->again);
	wire_put_fixed(buf, 1, (uint8_t)page->failures);
}

bool
scheduler_load_page(struct scheduler *s, uint32_t number, struct slice bytes)
{
	struct wire wire = open_record(bytes, RECORD_PAGE);
	struct sched_page page = *sched_page_at(s, number);
	uint8_t flags, dead;
	bool is_right;

	/* The part that fetches add to a rate may be below 0 (rate.h). */
	page.rate = (struct rate){.changes = get_any(&wire)};
	page.rate.days = get_any(&wire);
	page.fetched = get_packed(s, &wire);
	page.added = get_packed(s, &wire);
	page.lastmod = (uint32_t)wire_get_varint(&wire);
	page.moves = (uint16_t)wire_get_varint(&wire);
	page.mass = (uint16_t)wire_get_varint(&wire);
	page.mass_seen = s->sources.items[page.document].mass_count;
	page.moves_ever = (uint16_t)wire_get_varint(&wire);
	page.position = get_any(&wire);
	flags = (uint8_t)wire_get_fixed(&wire, 1);
	page.hints = flags >> PAGE_HINTS_SHIFT & PAGE_HINTS_MOST;
	flags &= (1U << PAGE_HINTS_SHIFT) - 1;
	dead = (uint8_t)wire_get_fixed(&wire, 1);
	page.dead = (dead < PAGE_DEAD_MOST ? dead : PAGE_DEAD_MOST) &
	    PAGE_DEAD_MOST;
	page.failures = 0;
	page.again = NEVER;
	/* The records of most pages end here. */
	if (wire.in.len > 0) {
		page.again = get_packed(s, &wire);
		page.failures = wire_get_fixed(&wire, 1) & PAGE_FAILURES_MOST;
	}
	is_right = wire.ok && wire.in.len == 0 && page.position >= 0 &&
	    (flags & ~PAGE_KEPT) == 0;
	if (is_right) {
		page.flags = (uint8_t)((page.flags & ~PAGE_KEPT) | flags);
		s->pages.items[number] = page;
	}
	page_reschedule(&s->pages, number, false);
	return is_right;
}

static void
get_trust(const struct scheduler *s, struct wire *wire, struct trust *of)
{
	struct slice trust = wire_get_slice(wire);

	if (!trust_load(of, trust))
		wire->ok = false;
	of->first_s = not_ahead(s, of->first_s);
	of->published_s = not_ahead(s, of->published_s);
	of->aged_s = not_ahead(s, of->aged_s);
}

static void
get_document(const struct scheduler *s, struct wire *wire,
    struct sched_source *source, struct sched_site *site, struct trust *of)
{
	uint8_t flags;

	source->rate.changes = get_any(wire);
	source->rate.days = get_any(wire);
	get_trust(s, wire, of);
	source->cost = get_number(wire);
	source->cost_same = get_number(wire);
	source->arrivals = get_number(wire);
	source->arrival_days = get_number(wire);
	source->read_s = get_time(s, wire, SCHEDULER_NEVER);
	source->lastmod_s = get_time(NULL, wire, SCHEDULER_NO_DATE);
	source->readings = (uint32_t)wire_get_varint(wire);
	source->moves = (uint16_t)wire_get_varint(wire);
	source->mass = (uint16_t)wire_get_varint(wire);
	source->quiet = (uint8_t)wire_get_fixed(wire, 1);
	flags = (uint8_t)wire_get_fixed(wire, 1);
	source->is_retired = (flags & RETIRED) != 0;
	source->is_dropped = (flags & DROPPED) != 0;
	source->held_s = get_time(s, wire, INT64_MIN);
	source->failures = (uint8_t)wire_get_fixed(wire, 1);
	source->is_gone = wire_get_fixed(wire, 1) != 0;
	site->lively_s = get_time(s, wire, 0);
	get_prior(wire, &site->changes);
	/* the record ends before this when the backlog was empty */
	if (wire->in.len > 0)
		source->backlog.since_s = get_time(s, wire, 0);
}

void
scheduler_save_document(
    const struct scheduler *s, uint32_t number, struct buf *buf)
{
	const struct sched_source *source = sched_source_at(s, number);
	const struct sched_site *site = source_site(&s->sources, source);

	begin(buf, RECORD_DOCUMENT);
	/* Times of documents may lie before 1970, so they are kept unpacked. */
	put_float(buf, source->rate.changes);
	put_float(buf, source->rate.days);
	/* the struct has numbers only; VERSION stands for its layout */
	wire_put_slice(buf,
	    slice_make(
		(const char *)source_dates(source), sizeof(*source->trust)));
	put_number(buf, source->cost);
	put_number(buf, source->cost_same);
	put_number(buf, source->arrivals);
	put_number(buf, source->arrival_days);
	wire_put_fixed(buf, 8, (uint64_t)source->read_s);
	wire_put_fixed(buf, 8, (uint64_t)source->lastmod_s);
	wire_put_varint(buf, source->readings);
	wire_put_varint(buf, source->moves);
	wire_put_varint(buf, source->mass);
	wire_put_fixed(buf, 1, source->quiet);
	wire_put_fixed(buf, 1,
	    (uint8_t)((source->is_retired ? RETIRED : 0) |
		(source->is_dropped ? DROPPED : 0)));
	wire_put_fixed(buf, 8, (uint64_t)source->held_s);
	wire_put_fixed(buf, 1, source->failures);
	wire_put_fixed(buf, 1, source->is_gone);
	wire_put_fixed(buf, 8, (uint64_t)site->lively_s);
	put_prior(buf, &site->changes);
	if (source->backlog.count > 0)
		wire_put_fixed(buf, 8, (uint64_t)source->backlog.since_s);
}

bool
scheduler_load_document(
    struct scheduler *s, uint32_t number, struct slice bytes)
{
	struct wire wire = open_record(bytes, RECORD_DOCUMENT);
	struct sched_source source = *sched_source_at(s, number);
	/* what the record holds of the site */
	struct sched_site of = {0};
	struct trust trust = {0};
	struct sched_site *site;

	get_document(s, &wire, &source, &of, &trust);
	if (!wire.ok || wire.in.len > 0 || !(source.cost > 0))
		return false;
	/* Of most documents nothing is known that would need memory, and of a
	 * robots.txt never. */
	if (!source.is_robots &&
	    memcmp(&trust, &trust_unknown, sizeof(trust)) != 0)
		*source_trust(&source) = trust;
	s->sources.items[number] = source;
	site = source_site(&s->sources, &source);
	if (of.lively_s > site->lively_s)
		site->lively_s = of.lively_s;
	/* robots.txt had a site of its own when older records were written */
	if (of.changes.days > site->changes.days && !source.is_robots)
		site->changes = of.changes;
	source_reschedule(&s->sources, number);
	return true;
}

void
scheduler_save_site(const struct scheduler *s, uint32_t number, struct buf *buf)
{
	const struct sched_site *site = sched_site_at(s, number);
	struct quota_record quota;

	begin(buf, RECORD_SITE);
	put_prior(buf, &site->rates);
	put_prior(buf, &site->returns);
	quota_save(&s->sites, number, &quota);
	put_number(buf, quota.owed);
	wire_put_fixed(buf, 8, (uint64_t)quota.owed_s);
	put_number(buf, quota.spent);
	put_number(buf, quota.found);
	wire_put_fixed(buf, 8, (uint64_t)quota.spent_s);
	if (site->hints != NULL)
		wire_put_slice(buf,
		    slice_make((const char *)&site->hints->trust,
			sizeof(site->hints->trust)));
}

bool
scheduler_load_site(struct scheduler *s, uint32_t number, struct slice bytes)
{
	struct wire wire = open_record(bytes, RECORD_SITE);
	struct rate_prior rates, returns;
	struct quota_record quota = {.owed_s = SCHEDULER_NEVER};
	struct sched_site *site = sched_site_at(s, number);
	struct hints hints = {0};
	bool has_hints = false;

	get_prior(&wire, &rates);
	get_prior(&wire, &returns);
	/* records of older versions may end before this, and before that */
	if (wire.in.len > 0) {
		quota.owed = get_number(&wire);
		quota.owed_s = get_time(s, &wire, SCHEDULER_NEVER);
	}
	if (wire.in.len > 0) {
		quota.spent = get_number(&wire);
		quota.found = get_number(&wire);
		quota.spent_s = get_time(s, &wire, 0);
	}
	if (wire.in.len > 0) {
		has_hints = true;
		get_trust(s, &wire, &hints.trust);
		estimate_word(&hints.word, &hints.trust);
	}
	if (!wire.ok || wire.in.len > 0)
		return false;
	quota_load(&s->sites, number, &quota);
	site->rates = rates;
	site->returns = returns;
	site->mean = 0;
	if (has_hints && site->hints == NULL)
		site->hints = mem_zero(sizeof(*site->hints));
	if (has_hints)
		*site->hints = hints;
	return true;
}

void
scheduler_save_section(
    const struct scheduler *s, uint32_t number, struct buf *buf)
{
	assert(number > 0 && number <= s->sections.count);
	begin(buf, RECORD_SECTION);
	put_prior(buf, &s->sections.items[number - 1].seen);
}

bool
scheduler_load_section(struct scheduler *s, uint32_t number, struct slice bytes)
{
	struct wire wire = open_record(bytes, RECORD_SECTION);
	struct section *section;
	struct rate_prior seen;

	assert(number > 0 && number <= s->sections.count);
	section = &s->sections.items[number - 1];
	get_prior(&wire, &seen);
	if (!wire.ok || wire.in.len > 0)
		return false;
	section->seen = seen;
	section->day = INT64_MIN;
	return true;
}

void
scheduler_save_all(const struct scheduler *s, struct buf *buf)
{
	begin(buf, RECORD_ALL);
	put_number(buf,
	    limiter_level(
		s->queues.limiter, 0, s->hosts.kind_nodes[NODE_PAGES], NULL));
	put_number(buf, s->page_bytes);
	put_prior(buf, &s->sections.rates);
	put_prior(buf, &s->sources.rates);
	wire_put_slice(buf,
	    slice_make((const char *)&s->sources.sitemaps,
		sizeof(s->sources.sitemaps)));
	wire_put_slice(buf,
	    slice_make(
		(const char *)&s->sources.indexes, sizeof(s->sources.indexes)));
}

bool
scheduler_load_all(struct scheduler *s, struct slice bytes)
{
	struct wire wire = open_record(bytes, RECORD_ALL);
	struct rate_prior pages, sources;
	struct trust_pool pools[2]; /* of sitemaps, of indexes */
	double level = get_number(&wire);
	double page_bytes = get_number(&wire);

	get_prior(&wire, &pages);
	get_prior(&wire, &sources);
	for (int i = 0; i < 2; i++) {
		struct slice pool = wire_get_slice(&wire);

		if (!trust_pool_load(&pools[i], pool))
			wire.ok = false;
	}
	if (!wire.ok || wire.in.len > 0 || !(page_bytes > 0))
		return false;
	limiter_set_level(s->queues.limiter, s->hosts.limit, level);
	s->sites.levels++;
	s->page_bytes = page_bytes;
	s->sections.rates = pages;
	s->sources.rates = sources;
	s->sources.sitemaps = pools[0];
	s->sources.indexes = pools[1];
	return true;
}
