/* The scheduler's tables: see scheduler.h. */
#include "sched/scheduler.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/wire.h"
#include "sched/estimate.h"
#include "sched/quota.h"
#include "sched/scheduler_parts.h"

/* The size of a page before the first one is known: the median of the web. */
#define PAGE_BYTES 30000
/* How many pages of a site are evaluated at once when it changes. */
#define EVALUATIONS_AT_ONCE 4096
/* Up to this time, milliseconds fit into an int64_t, even a year later. */
#define LAST_S (INT64_C(1) << 50)
/* For so long after it began the clock goes on: the calendar has later times
 * that are not due then. */
#define CLOCK_S (LATER_MOST - DAY_S)
/* No hold lasts longer. */
#define HOLD_MAX_S (INT64_C(366) * DAY_S)

const struct scheduler_options scheduler_options_default = {
    .tick_s = 60, .documents_share = 0.5, .reads_documents = true};

const struct scheduler_site scheduler_site_default = {.tag = SCHEDULER_NONE,
    .weight = 1,
    .page_floor_s = 3600,
    .page_ceiling_s = 90 * DAY_S,
    .reading_floor_s = 900,
    .reading_ceiling_s = 7 * DAY_S,
    .retry_s = 900,
    .readings_per_day = 48,
    .pages_per_day = 288};

void
clock_set(struct scheduler *s, int64_t now_s)
{
	if (now_s > LAST_S)
		now_s = LAST_S;
	else if (now_s < -LAST_S)
		now_s = -LAST_S;
	if (s->clock.now_s == INT64_MIN) {
		s->clock.first_s = now_s;
		limiter_begin(s->queues.limiter, now_s);
	}
	if (now_s > s->clock.first_s + CLOCK_S)
		now_s = s->clock.first_s + CLOCK_S;
	if (now_s > s->clock.now_s)
		s->clock.now_s = now_s;
}

/* Hosts and tags, their limits and holds. */

static struct limiter_limit
host_limit_of(const struct scheduler *s, const struct scheduler_host *is)
{
	return (struct limiter_limit){.per_hour = is->requests_per_hour,
	    .gap_ms = is->delay_ms,
	    .burst_ms = is->burst_ms > 0 ? is->burst_ms
					 : s->options.tick_s * SECOND_MS,
	    .is_budget = is->is_budget};
}

/* Make a node of that limit for each kind of items, below the nodes in `above`,
 * which may be `nodes`.  The positions are as for limiter_node(). */
static void
host_make_nodes(struct scheduler *s, const uint32_t above[], uint32_t limit,
    struct positions *positions, uint32_t nodes[])
{
	/* read this node first: `nodes` and `above` may be the same */
	uint32_t readings = above[NODE_READINGS];

	nodes[NODE_PAGES] = limiter_node(
	    s->queues.limiter, above[NODE_PAGES], limit, positions);
	nodes[NODE_READINGS] = nodes[NODE_PAGES];
	if (!s->options.asks_apart)
		return;
	nodes[NODE_READINGS] = limiter_node(
	    s->queues.limiter, readings, limit, positions);
	limiter_pair(
	    s->queues.limiter, nodes[NODE_PAGES], nodes[NODE_READINGS]);
}

/* The nodes above those of the hosts whose sites have that tag; borrowed. */
static const uint32_t *
nodes_above(const struct scheduler *s, uint32_t tag)
{
	return tag == SCHEDULER_NONE ? s->hosts.kind_nodes
				     : s->hosts.tags[tag].nodes;
}

uint32_t
scheduler_add_host(struct scheduler *s, const struct scheduler_host *is)
{
	struct limiter_limit limit = host_limit_of(s, is);

	*MEM_PUSH(
	    s->hosts.items, s->hosts.count, s->hosts.cap) = (struct sched_host){
	    .limit = limiter_limit(s->queues.limiter, &limit),
	    .nodes = {SCHEDULER_NONE, SCHEDULER_NONE},
	    .first_site = SCHEDULER_NONE};
	return (uint32_t)s->hosts.count - 1;
}

uint32_t
scheduler_add_tag(struct scheduler *s, uint32_t above, uint32_t tag)
{
	struct limiter_limit none = host_limit_of(
	    s, &(struct scheduler_host){0});
	struct sched_tag made;

	assert(above == SCHEDULER_NONE || above < s->hosts.tag_count);
	assert(tag == SCHEDULER_NONE || tag < s->hosts.tag_count);
	made.limit = tag == SCHEDULER_NONE
	    ? limiter_limit(s->queues.limiter, &none)
	    : s->hosts.tags[tag].limit;
	/* the nodes above may lie in the table, which moves when it grows */
	host_make_nodes(s, nodes_above(s, above), made.limit, NULL, made.nodes);
	*MEM_PUSH(s->hosts.tags, s->hosts.tag_count, s->hosts.tag_cap) = made;
	return (uint32_t)s->hosts.tag_count - 1;
}

void
scheduler_limit_tag(
    struct scheduler *s, uint32_t tag, const struct scheduler_host *is)
{
	struct limiter_limit limit = host_limit_of(s, is);

	assert(tag < s->hosts.tag_count);
	limiter_set_limit(s->queues.limiter, s->hosts.tags[tag].limit, &limit);
}

void
scheduler_limit_all(struct scheduler *s, const struct scheduler_host *is)
{
	struct limiter_limit limit = host_limit_of(s, is);
	int64_t now_ms = s->clock.now_s == INT64_MIN ? 0
						     : s->clock.now_s * 1000;

	limiter_set_limit(s->queues.limiter, s->hosts.limit, &limit);
	budget_set(&s->all, now_ms, limit.per_hour, limit.burst_ms);
	budget_set(&s->documents, now_ms,
	    limit.per_hour * s->options.documents_share, limit.burst_ms);
}

void
scheduler_set_tag(struct scheduler *s, uint32_t number, uint32_t tag)
{
	struct sched_host *host;

	assert(number < s->hosts.count);
	assert(tag == SCHEDULER_NONE || tag < s->hosts.tag_count);
	host = &s->hosts.items[number];
	host->tag = tag;
	/* The nodes of the sites come below those of the tag; where kinds share
	 * a node, it is moved twice. */
	for (uint32_t i = host->first_site; i != SCHEDULER_NONE;
	     i = s->sites.items[i].next_site) {
		s->sites.items[i].is.tag = tag;
		for (int kind = 0; kind < NODE_KINDS; kind++)
			limiter_move(s->queues.limiter,
			    s->sites.items[i].nodes[kind],
			    nodes_above(s, tag)[kind]);
	}
}

void
scheduler_set_host(
    struct scheduler *s, uint32_t number, const struct scheduler_host *is)
{
	struct limiter_limit limit = host_limit_of(s, is);

	assert(number < s->hosts.count);
	limiter_set_limit(
	    s->queues.limiter, s->hosts.items[number].limit, &limit);
}

void
scheduler_spend(struct scheduler *s, const struct scheduler_past *past,
    size_t count, int64_t began_s, int64_t now_s)
{
	for (size_t i = 0; i < count; i++) {
		int64_t at_ms = (began_s - past[i].age_s) * SECOND_MS;

		budget_fill(&s->all, at_ms, 1);
		limiter_fill(s->queues.limiter, at_ms,
		    sched_site_at(s, past[i].site)->nodes[NODE_PAGES]);
	}
	clock_set(s, now_s);
	limiter_filled(s->queues.limiter, s->clock.now_s * SECOND_MS);
}

/* The node of the host's pages, or SCHEDULER_NONE: the host has no site yet. */
static uint32_t
host_node(const struct scheduler *s, uint32_t host)
{
	assert(host < s->hosts.count);
	return s->hosts.items[host].nodes[NODE_PAGES];
}

void
scheduler_hold(struct scheduler *s, uint32_t host, enum held_kind kind,
    int64_t now_s, int64_t hold_s)
{
	uint32_t node = host_node(s, host);

	clock_set(s, now_s);
	if (node == SCHEDULER_NONE || hold_s <= 0)
		return;
	if (hold_s > HOLD_MAX_S)
		hold_s = HOLD_MAX_S;
	limiter_hold(s->queues.limiter, node, kind,
	    (s->clock.now_s + hold_s) * SECOND_MS);
}

void
scheduler_unhold(struct scheduler *s, uint32_t host, enum held_kind kind)
{
	uint32_t node = host_node(s, host);

	if (node != SCHEDULER_NONE)
		limiter_hold(s->queues.limiter, node, kind, INT64_MIN);
}

int64_t
scheduler_held_s(const struct scheduler *s, uint32_t host, enum held_kind kind)
{
	uint32_t node = host_node(s, host);
	int64_t held_ms;

	if (node == SCHEDULER_NONE)
		return INT64_MIN;
	held_ms = limiter_held_ms(s->queues.limiter, node, kind);
	return held_ms == INT64_MIN ? INT64_MIN : held_ms / SECOND_MS;
}

struct scheduler *
scheduler_new(const struct scheduler_options *options)
{
	struct scheduler *s = mem_zero(sizeof(*s));

	assert(options->tick_s > 0);
	s->options = *options;
	s->clock.now_s = s->tick = INT64_MIN;
	s->page_bytes = PAGE_BYTES;
	s->queues.clock = &s->clock;
	s->sites = (struct sched_sites){
	    .clock = &s->clock, .queues = &s->queues, .levels = 1};
	s->sections = (struct sched_sections){
	    .clock = &s->clock, .sites = &s->sites};
	s->sources = (struct sched_sources){.options = &s->options,
	    .clock = &s->clock,
	    .queues = &s->queues,
	    .sites = &s->sites,
	    .sections = &s->sections};
	s->pages = (struct sched_pages){.options = &s->options,
	    .clock = &s->clock,
	    .queues = &s->queues,
	    .sites = &s->sites,
	    .sections = &s->sections,
	    .sources = &s->sources};
	/* The limiter, with the nodes above all hosts.  If clients ask for the
	 * kinds apart, the total limit belongs to two twin nodes. */
	s->hosts.kind_nodes[NODE_PAGES] = LIMITER_ROOT;
	s->hosts.kind_nodes[NODE_READINGS] = LIMITER_ROOT;
	s->queues.limiter = limiter_new(
	    &(struct limiter_limit){0}, options->tick_s);
	if (options->asks_apart) {
		s->hosts.limit = limiter_limit(
		    s->queues.limiter, &(struct limiter_limit){0});
		host_make_nodes(s, s->hosts.kind_nodes, s->hosts.limit, NULL,
		    s->hosts.kind_nodes);
	}
	scheduler_limit_all(s,
	    &(struct scheduler_host){
		.requests_per_hour = options->requests_per_hour,
		.is_budget = options->requests_per_hour > 0});
	return s;
}

void
scheduler_free(struct scheduler *s)
{
	if (s == NULL)
		return;
	free(s->pages.items);
	free(s->pages.refreshes.items);
	free(s->pages.relinks.items);
	for (size_t i = 0; i < s->sources.count; i++) {
		free(s->sources.items[i].trust);
		free(s->sources.items[i].gains);
		free(s->sources.items[i].retro);
	}
	free(s->sources.items);
	free(s->sections.items);
	free(s->hosts.items);
	free(s->hosts.tags);
	for (size_t i = 0; i < s->sites.count; i++)
		free(s->sites.items[i].hints);
	free(s->sites.items);
	for (int kind = 0; kind < NODE_KINDS; kind++)
		free(s->queues.overdue[kind].items);
	free(s->queues.waiting.items);
	heap_release(&s->queues.calendar.near);
	heap_release(&s->queues.calendar.far);
	limiter_free(s->queues.limiter);
	free(s->queues.positions.items);
	free(s);
}

/* Adding sites, documents and pages. */

uint32_t
scheduler_add_site(struct scheduler *s, const struct scheduler_site *is)
{
	uint32_t number = (uint32_t)s->sites.count;
	struct sched_site *site;
	struct sched_host *host;

	assert(is->host < s->hosts.count);
	assert(is->tag == SCHEDULER_NONE || is->tag < s->hosts.tag_count);
	*MEM_PUSH(s->sites.items, s->sites.count,
	    s->sites.cap) = (struct sched_site){.is = *is,
	    .silent = SCHEDULER_NONE,
	    .unlisted = SCHEDULER_NONE,
	    .quota = SCHEDULER_NONE,
	    .owed_s = SCHEDULER_NEVER};
	/* Sites of one host and tag wait at one node; another tag has its
	 * own node, which shares the limit of the host. */
	site = &s->sites.items[number];
	host = &s->hosts.items[is->host];
	if (host->nodes[NODE_PAGES] == SCHEDULER_NONE || host->tag != is->tag) {
		host->tag = is->tag;
		host_make_nodes(s, nodes_above(s, is->tag), host->limit,
		    &s->queues.positions, host->nodes);
	}
	memcpy(site->nodes, host->nodes, sizeof(site->nodes));
	site->next_site = host->first_site;
	host->first_site = number;
	return number;
}

uint32_t
scheduler_add_document(
    struct scheduler *s, const struct scheduler_document *is, int64_t now_s)
{
	uint32_t number = (uint32_t)s->sources.count;
	struct sched_source *source;

	assert(is->site < s->sites.count);
	assert(is->parent == SCHEDULER_NONE || is->parent < s->sources.count);
	clock_set(s, now_s);
	source = MEM_PUSH(s->sources.items, s->sources.count, s->sources.cap);
	*source = (struct sched_source){.site = is->site,
	    .parent = is->parent,
	    .is_index = is->is_index,
	    .is_robots = is->is_robots,
	    .added_s = s->clock.now_s,
	    .read_s = SCHEDULER_NEVER,
	    .held_s = INT64_MIN,
	    .lastmod_s = SCHEDULER_NO_DATE,
	    .cost = 1};
	if (is->is_robots || !stamp_parse(&source->stamp, is->name))
		source->stamp.span_s = 0;
	source->next_of_site = s->sites.items[is->site].first;
	s->sites.items[is->site].first = number + 1;
	s->sites.items[is->site].documents += !is->is_robots;
	source_reschedule(&s->sources, number);
	return number;
}

uint32_t
scheduler_add_page(
    struct scheduler *s, const struct scheduler_page *is, int64_t now_s)
{
	uint32_t number = (uint32_t)s->pages.count;
	struct sched_source *source = sched_source_at(s, is->document);
	struct sched_page *page;

	clock_set(s, now_s);
	page = MEM_PUSH(s->pages.items, s->pages.count, s->pages.cap);
	*page = (struct sched_page){.document = is->document,
	    .next = source->first,
	    .weight = is->weight,
	    .section = is->section,
	    .added = time_pack(s->clock.now_s),
	    .mass_seen = source->mass_count};
	source->first = number + 1;
	if (is->lastmod_s != SCHEDULER_NO_DATE)
		page->lastmod = time_pack(is->lastmod_s);
	if (is->is_day)
		page->flags |= PAGE_DAY;
	if (is->is_out)
		page->flags |= ITEM_OUT;
	page->position = (float)source_position(&s->sources, is->document);
	if (is->fetched_s != SCHEDULER_NEVER)
		page->fetched = time_pack(is->fetched_s);
	else if (is->lastmod_s != SCHEDULER_NO_DATE && source->trust != NULL) {
		struct estimate_of of;
		struct pending pending;

		page_estimate(&s->pages, number, &of, &pending);
		estimate_listed(&of, days_after(&s->clock, is->lastmod_s));
	}
	source_site(&s->sources, source)->pages++;
	quota_set(&s->sites, source->site, false);
	if (!is->is_loaded)
		page_reschedule(&s->pages, number, false);
	return number;
}

void
scheduler_set_site(
    struct scheduler *s, uint32_t number, const struct scheduler_site *is)
{
	struct scheduler_site *site = &sched_site_at(s, number)->is;
	size_t left = EVALUATIONS_AT_ONCE;

	uint32_t host = site->host, tag = site->tag;

	*site = *is;
	site->host = host;
	site->tag = tag;
	quota_set(&s->sites, number, false);
	for (uint32_t i = s->sites.items[number].first; i != 0;
	     i = s->sources.items[i - 1].next_of_site) {
		/* Evaluate its pages at once, or little by little if there are
		 * many. */
		uint32_t page = source_first_page(&s->pages, i - 1);

		for (; page != 0 && left > 0; left--) {
			page_reschedule(&s->pages, page - 1, false);
			page = s->pages.items[page - 1].next;
		}
		if (page != 0)
			source_refresh(&s->pages, i - 1);
		source_reschedule(&s->sources, i - 1);
		source_reschedule_listed(&s->sources, i - 1);
	}
}

/* What is kept. */

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

/* The struct has numbers only; VERSION stands for its layout. */
static void
put_struct(struct buf *buf, const void *from, size_t size)
{
	wire_put_slice(buf, slice_make(from, size));
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
	put_struct(buf, source_dates(source), sizeof(*source->trust));
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
	uint8_t flags;

	source.rate.changes = get_any(&wire);
	source.rate.days = get_any(&wire);
	get_trust(s, &wire, &trust);
	source.cost = get_number(&wire);
	source.cost_same = get_number(&wire);
	source.arrivals = get_number(&wire);
	source.arrival_days = get_number(&wire);
	source.read_s = get_time(s, &wire, SCHEDULER_NEVER);
	source.lastmod_s = get_time(NULL, &wire, SCHEDULER_NO_DATE);
	source.readings = (uint32_t)wire_get_varint(&wire);
	source.moves = (uint16_t)wire_get_varint(&wire);
	source.mass = (uint16_t)wire_get_varint(&wire);
	source.quiet = (uint8_t)wire_get_fixed(&wire, 1);
	flags = (uint8_t)wire_get_fixed(&wire, 1);
	source.is_retired = (flags & RETIRED) != 0;
	source.is_dropped = (flags & DROPPED) != 0;
	source.held_s = get_time(s, &wire, INT64_MIN);
	source.failures = (uint8_t)wire_get_fixed(&wire, 1);
	source.is_gone = wire_get_fixed(&wire, 1) != 0;
	of.lively_s = get_time(s, &wire, 0);
	get_prior(&wire, &of.changes);
	/* the record ends before this when the backlog was empty */
	if (wire.in.len > 0)
		source.backlog.since_s = get_time(s, &wire, 0);
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
		put_struct(
		    buf, &site->hints->trust, sizeof(site->hints->trust));
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
	put_struct(buf, &s->sources.sitemaps, sizeof(s->sources.sitemaps));
	put_struct(buf, &s->sources.indexes, sizeof(s->sources.indexes));
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
