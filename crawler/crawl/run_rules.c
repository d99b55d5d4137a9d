/* The driver: what robots.txt of an origin says, and for how long. */
#include "crawler/crawl/run_rules.h"

#include "crawler/crawl/run_crawl.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_origins.h"
#include "crawler/crawl/run_sites.h"
#include "crawler/crawl/run_tables.h"
#include "store/request_log.h"
#include "store/robots_fallback.h"

static const char product_token[] = "freshet";

struct robots_sink {
	struct findings *findings;
	/* the rest of the body, from the line of the last finding */
	struct slice rest;
	uint32_t line; /* number of that line; 0: there was no finding yet */
};

/* Compute the line of a finding, whose text is a part of the body. Findings
 * come in the order of lines. */
static uint32_t
rules_line_of(struct robots_sink *sink, struct slice detail)
{
	struct slice *rest = &sink->rest;

	if (detail.len == 0 || detail.p < rest->p ||
	    detail.p >= rest->p + rest->len)
		return 0;
	if (sink->line == 0)
		sink->line = 1;
	while (rest->p < detail.p) {
		bool is_end = rest->p[0] == '\n' ||
		    (rest->p[0] == '\r' && rest->p[1] != '\n');

		sink->line += is_end;
		*rest = slice_from(*rest, 1);
	}
	return sink->line;
}

static void
rules_note_finding(void *arg, enum diag_code code, struct slice detail)
{
	struct robots_sink *sink = arg;

	findings_add(sink->findings, code, rules_line_of(sink, detail), detail);
}

/* The product token of the crawler whose rules in robots.txt are obeyed. */
static struct slice
agent_of(const struct run *run)
{
	return slice_of(
	    run->options.agent != NULL ? run->options.agent : product_token);
}

static void
origin_use_rules(
    struct run *run, uint32_t number, struct robots *robots, uint32_t delay_ms)
{
	struct origin *origin = origins_at(run->origins, number);

	origins_set_robots(run->origins, number, robots);
	origin->has_rules = robots != NULL;
	origin->rules_stamp = origins_stamp(run->origins);
	/* Note the delay that robots.txt of the origin asks for; 0: none. The
	 * largest delay of the origins of a host holds (SPEC R-105). */
	uint32_t most_ms = host_states_at(run->hosts, origin->host)
			       ->crawl_delay_ms;
	bool was_largest = origin->crawl_delay_ms == most_ms;

	origin->crawl_delay_ms = delay_ms;
	if (delay_ms < most_ms && was_largest) {
		most_ms = 0;
		for (uint32_t i = 0; i < origins_count(run->origins); i++) {
			const struct origin *other = origins_at(
			    run->origins, i);

			if (other->host == origin->host &&
			    other->crawl_delay_ms > most_ms)
				most_ms = other->crawl_delay_ms;
		}
	}
	if (delay_ms > most_ms)
		most_ms = delay_ms;
	host_state_set_delay(run->hosts, origin->host, most_ms);
}

void
rules_use(struct run *run, uint32_t number, struct robots *robots)
{
	origin_use_rules(run, number, robots, robots_delay_ms(robots));
}

/* The requests come from freshet even if the operator chose the rules of
 * another agent, so the Crawl-delay for freshet counts. */
static uint32_t
our_delay_ms(
    const struct run *run, const struct crawled_site *site, struct slice body)
{
	struct robots *robots;
	uint32_t delay_ms;

	if (run->options.agent == NULL)
		return 0;
	robots = robots_parse(body, slice_of(product_token),
	    &site->rules->profile, (struct diag_sink){0});
	delay_ms = robots_delay_ms(robots);
	robots_free(robots);
	return delay_ms;
}

void
rules_parse(struct run *run, uint32_t number, const struct crawled_site *site,
    struct slice body, struct findings *findings)
{
	struct robots_sink sink = {.findings = findings, .rest = body};
	uint32_t delay_ms = our_delay_ms(run, site, body);
	struct robots *robots;

	origins_at(run->origins, number)
	    ->repairs = site->rules->profile.robots_repair == SWITCH_ON;
	robots = robots_parse(body, agent_of(run), &site->rules->profile,
	    (struct diag_sink){rules_note_finding, &sink});
	if (delay_ms < robots_delay_ms(robots))
		delay_ms = robots_delay_ms(robots);
	origin_use_rules(run, number, robots, delay_ms);
}

/* Read freed rules from the store again; false: the store has lost them. */
static bool
recall(struct run *run, uint32_t number)
{
	struct origin *origin = origins_at(run->origins, number);
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct robots_fact fact;
	struct buf body;
	bool is_there;

	profile.robots_repair = origin->repairs ? SWITCH_ON : SWITCH_OFF;
	buf_init(&body, SIZE_MAX);
	is_there = store_robots_get(run->options.store, slice_of(origin->text),
		       &fact, &body) &&
	    fact.has_body;
	if (is_there) {
		origins_set_robots(run->origins, number,
		    robots_parse(fact.body, agent_of(run), &profile,
			(struct diag_sink){0}));
		origins_trim_robots(run->origins, number);
	} else {
		run_fail(run, DIAG_STORE_DAMAGED);
	}
	buf_release(&body);
	return is_there;
}

struct robots_verdict
rules_verdict(struct run *run, uint32_t number, struct slice target)
{
	struct origin *origin = origins_at(run->origins, number);

	if (origin->has_rules && origin->robots == NULL && !recall(run, number))
		return (struct robots_verdict){.is_allowed = false};
	return robots_verdict(origin->robots, target);
}

void
rules_set_fresh(struct run *run, uint32_t number, int64_t until_s)
{
	int64_t least_s = run_clock_now_s(&run->clock) + ROBOTS_LEAST_S;

	origins_at(run->origins, number)->fresh_until_s = until_s > least_s
	    ? until_s
	    : least_s;
}

void
rules_close(struct run *run, uint32_t number, const struct crawled_site *site,
    const struct robots_fact *fact, enum diag_code why)
{
	bool is_closed = robots_is_closed(run->options.store, site->id,
	    &site->rules->profile, fact, run_clock_now_s(&run->clock));

	origins_at(run->origins, number)->closed_by = is_closed ? why : DIAG_OK;
}

/* Is the stored answer good enough for this site entry? A resumed crawl uses
 * the answer that it got before; a single document uses an answer that is
 * fresh. */
static bool
holds(struct run *run, const struct crawled_site *site,
    const struct robots_fact *fact)
{
	int64_t until_s = fact->fetched_s + ROBOTS_LEAST_S;

	if (fact->failing_since_s == 0 && fact->expires_s > until_s)
		until_s = fact->expires_s;
	if (crawl_starts_anew(crawls_at(run->crawls, site->crawl)) ||
	    until_s <= run_clock_now_s(&run->clock) ||
	    fact->fetched_s > run_clock_now_s(&run->clock))
		return false;
	return site->is_single ||
	    (site->is_resumed && fact->failing_since_s == 0 &&
		fact->fetched_s >= site->begun_s);
}

bool
rules_recall(struct run *run, uint32_t number, const struct crawled_site *site)
{
	struct origin *origin = origins_at(run->origins, number);
	struct robots_fact fact;
	struct findings nowhere = {0};
	struct buf body;
	bool is_fresh;

	if (!site->is_resumed && !site->is_single)
		return false;
	buf_init(&body, SIZE_MAX);
	is_fresh = store_robots_get(run->options.store, slice_of(origin->text),
		       &fact, &body) &&
	    holds(run, site, &fact);
	if (is_fresh && fact.has_body &&
	    !robots_has_given_up(
		&site->rules->profile, &fact, run_clock_now_s(&run->clock)))
		rules_parse(run, number, site, fact.body, &nowhere);
	else if (is_fresh)
		rules_use(run, number, NULL);
	origins_trim_robots(run->origins, number);
	if (is_fresh && fact.failing_since_s != 0) {
		rules_close(run, number, site, &fact, DIAG_ROBOTS_UNREACHABLE);
		rules_set_fresh(run, number, fact.fetched_s + ROBOTS_LEAST_S);
	} else if (is_fresh) {
		rules_set_fresh(run, number, fact.expires_s);
	}
	buf_release(&body);
	findings_release(&nowhere);
	return is_fresh;
}

bool
rules_if_parked(
    struct run *run, uint32_t number, const struct crawled_site *site)
{
	struct origin *origin = origins_at(run->origins, number);
	struct robots_fact fact;
	struct findings nowhere = {0};
	struct buf body;
	const char *text;

	if (host_state_is_dead(run->hosts, origin->host, &text) !=
	    DIAG_FETCH_RATE_LIMITED)
		return false;
	buf_init(&body, SIZE_MAX);
	if (store_robots_get(
		run->options.store, slice_of(origin->text), &fact, &body) &&
	    fact.has_body)
		rules_parse(run, number, site, fact.body, &nowhere);
	origins_trim_robots(run->origins, number);
	buf_release(&body);
	findings_release(&nowhere);
	return true;
}
