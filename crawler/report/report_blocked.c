/*
 * Listed pages that the robots.txt of their origin forbids.
 *
 * The entries of a document come in the order of their URLs, so that most need
 * the rules of the origin before. If a document lists a URL whose robots.txt is
 * not read yet, the whole document is judged when everything is read.
 */
#include "crawler/report/report_blocked.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/robots.h"
#include "base/url.h"
#include "crawler/report/report_facts.h"
#include "crawler/report/report_part.h"
#include "store/proof.h"
#include "store/query.h"

#define RULE_MAX 100 /* bytes of a rule that are shown */
/* Comparing one rule with so many bytes of a URL counts as one step, and so
 * does reading so many bytes of a robots.txt. */
#define STEP_BYTES 32

struct report_blocked {
	struct store *store; /* borrowed */
	const char *agent; /* borrowed */
	struct buf origin; /* origin of the rules at hand */
	struct robots *robots; /* owned; NULL: all is allowed */
	bool is_known; /* the robots.txt was read, or is known not to exist */
	uint64_t steps, most;
	uint64_t compared; /* URLs compared */
	uint64_t of_part; /* those of the document at hand */
	uint64_t left; /* URLs that came after the last step */
};

struct report_blocked *
report_blocked_new(struct store *store, const char *agent, uint64_t most)
{
	struct report_blocked *blocked = mem_zero(sizeof(*blocked));

	blocked->store = store;
	blocked->agent = agent;
	blocked->most = most;
	buf_init(&blocked->origin, URL_MAX_BYTES);
	return blocked;
}

void
report_blocked_free(struct report_blocked *blocked)
{
	if (blocked == NULL)
		return;
	robots_free(blocked->robots);
	buf_release(&blocked->origin);
	free(blocked);
}

/* Forget an origin whose robots.txt is not known: it may be read later. */
static void
forget(struct report_blocked *blocked)
{
	robots_free(blocked->robots);
	blocked->robots = NULL;
	blocked->is_known = false;
	buf_clear(&blocked->origin);
}

static void
learn(struct report_blocked *blocked, struct slice origin,
    const struct profile *profile)
{
	struct robots_fact fact;
	struct buf body;

	forget(blocked);
	(void)buf_put_slice(&blocked->origin, origin);
	buf_init(&body, SIZE_MAX);
	blocked->is_known = store_robots_get(
	    blocked->store, origin, &fact, &body);
	if (blocked->is_known && fact.has_body) {
		blocked->steps += fact.body.len / STEP_BYTES;
		blocked->robots = robots_parse(fact.body,
		    slice_of(blocked->agent), profile, (struct diag_sink){0});
	}
	buf_release(&body);
}

static bool
is_at_hand(const struct report_blocked *blocked, struct slice url)
{
	struct slice origin = buf_text(&blocked->origin);

	return origin.len > 0 && url.len > origin.len &&
	    url.p[origin.len] == '/' && slice_starts(url, origin);
}

/* Add a forbidden URL to the findings of its document. */
static void
note(struct report_builder *builder, uint32_t number, const struct entry *entry,
    const struct robots_verdict *verdict)
{
	struct report_place place;
	struct report_finding *finding = report_part_find(
	    &builder->parts[number], DIAG_URL_BLOCKED_BY_ROBOTS);
	struct slice rule = verdict->rule;
	struct buf text;

	finding->count++;
	if (finding->sample_count == REPORT_SAMPLES)
		return;
	if (rule.len > RULE_MAX)
		rule.len = RULE_MAX;
	buf_init(&text, SIZE_MAX);
	place = report_part_place(
	    &builder->parts[number], entry->ordinal, entry->url);
	(void)buf_put_slice(&text, entry->url);
	(void)buf_print(&text, ": robots.txt ");
	if (verdict->is_given_up) {
		(void)buf_print(&text, "has " ROBOTS_GIVEN_UP);
	} else {
		(void)buf_print(&text, "line %" PRIu32 ": ", verdict->line);
		(void)buf_put_slice(&text, rule);
	}
	report_part_sample(builder, finding, number, &place, buf_text(&text));
	buf_release(&text);
}

void
report_blocked_begin(struct report_builder *builder, uint32_t number)
{
	struct report_blocked *blocked = builder->blocked;

	builder->parts[number].has_strangers = false;
	if (blocked == NULL)
		return;
	blocked->of_part = 0;
	if (!blocked->is_known)
		forget(blocked);
}

void
report_blocked_add(
    struct report_builder *builder, uint32_t number, const struct entry *entry)
{
	struct slice url = entry->url;
	struct report_blocked *blocked = builder->blocked;
	struct report_part *part = &builder->parts[number];
	struct robots_verdict verdict;
	struct slice target;

	if (blocked == NULL || part->has_strangers)
		return;
	if (report_blocked_is_over(builder)) {
		blocked->left++;
		return;
	}
	if (!is_at_hand(blocked, url))
		learn(blocked, report_origin(url), part->profile);
	if (!blocked->is_known && !builder->is_finishing) {
		part->has_strangers = true;
		report_part_drop(part, DIAG_URL_BLOCKED_BY_ROBOTS);
		blocked->compared -= blocked->of_part;
		return;
	}
	blocked->compared++;
	blocked->of_part++;
	if (robots_rules(blocked->robots) == 0)
		return;
	target = slice_from(url, blocked->origin.len);
	blocked->steps += robots_rules(blocked->robots) *
	    (1 + (uint64_t)target.len / STEP_BYTES);
	verdict = robots_verdict(blocked->robots, target);
	if (!verdict.is_allowed)
		note(builder, number, entry, &verdict);
}

bool
report_blocked_is_over(const struct report_builder *builder)
{
	return builder->blocked != NULL &&
	    builder->blocked->steps >= builder->blocked->most;
}

static void
judge_again(struct report_builder *builder, uint32_t number)
{
	struct block_source *blocks = block_source_segment(
	    builder->blocked->store, builder->parts[number].id);
	struct block_reader *reader = block_reader_new(
	    block_source_pull, blocks);
	struct entry entry;

	report_blocked_begin(builder, number);
	while (block_next(reader, &entry))
		report_blocked_add(builder, number, &entry);
	block_reader_free(reader);
	block_source_free(blocks);
}

void
report_blocked_finish(struct report_builder *builder)
{
	if (builder->blocked == NULL)
		return;
	builder->is_finishing = true;
	for (uint32_t i = 0; i < builder->count; i++)
		if (builder->parts[i].has_strangers)
			judge_again(builder, i);
	builder->report.compared = builder->blocked->compared;
	builder->report.uncompared = builder->blocked->left;
}
