/*
 * Listed pages that the robots.txt of their origin forbids.
 *
 * The entries of a document come in the order of their URLs, so that most need
 * the rules of the origin before. If a document lists a URL whose robots.txt is
 * not read yet, the whole document is judged when everything is read.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/robots.h"
#include "base/url.h"
#include "crawler/report/report_part.h"
#include "store/proof.h"
#include "store/query.h"

#define RULE_MAX 100 /* bytes of a rule that are shown */
/* Comparing one rule with so many bytes of a URL counts as one step, and so
 * does reading so many bytes of a robots.txt. */
#define STEP_BYTES 32

struct report_blocked {
	struct store *store; /* borrowed */
	const char *agents[REPORT_AGENTS_MAX]; /* borrowed */
	size_t count; /* of the agents */
	struct buf origin; /* origin of the rules at hand */
	/* owned, by agent; NULL: all is allowed */
	struct robots *robots[REPORT_AGENTS_MAX];
	uint64_t rules; /* of all agents */
	bool is_known; /* the robots.txt was read, or is known not to exist */
	uint64_t steps, most;
	uint64_t compared; /* URLs compared */
	/* those of the document at hand, and what was forbidden of them */
	uint64_t of_part;
	uint64_t forbidden[REPORT_AGENTS_MAX], closed;
	size_t closed_before; /* closed_pages of the documents before */
	uint64_t left; /* URLs that came after the last step */
};

void
report_builder_judge(struct report_builder *builder, struct store *store,
    const char *const *agents, size_t count, uint64_t most)
{
	struct report_blocked *blocked = mem_zero(sizeof(*blocked));

	blocked->store = store;
	for (size_t i = 0; i < count; i++) {
		blocked->agents[blocked->count++] = agents[i];
		builder->report.agents[builder->report.agent_count++]
		    .name = agents[i];
	}
	blocked->most = most;
	buf_init(&blocked->origin, URL_MAX_BYTES);
	builder->blocked = blocked;
}

static void
blocked_forget(struct report_blocked *blocked)
{
	for (size_t i = 0; i < blocked->count; i++) {
		robots_free(blocked->robots[i]);
		blocked->robots[i] = NULL;
	}
	blocked->rules = 0;
	blocked->is_known = false;
	buf_clear(&blocked->origin);
}

void
report_blocked_free(struct report_blocked *blocked)
{
	if (blocked == NULL)
		return;
	blocked_forget(blocked);
	buf_release(&blocked->origin);
	free(blocked);
}

/* To read a robots.txt costs steps, too: a site may list pages of many origins.
 */
static void
blocked_learn(struct report_blocked *blocked, struct slice origin,
    const struct profile *profile)
{
	struct robots_fact fact;
	struct buf body = BUF_UP_TO(SIZE_MAX);

	blocked_forget(blocked);
	(void)buf_put_slice(&blocked->origin, origin);
	blocked->is_known = store_robots_get(
	    blocked->store, origin, &fact, &body);
	for (size_t i = 0;
	     blocked->is_known && fact.has_body && i < blocked->count; i++) {
		blocked->steps += fact.body.len / STEP_BYTES;
		blocked->robots[i] = robots_parse(fact.body,
		    slice_of(blocked->agents[i]), profile,
		    (struct diag_sink){0});
		blocked->rules += blocked->robots[i]->rules.count;
	}
	buf_release(&body);
}

/* Add a forbidden URL to the findings of its document. The verdict is that for
 * the first of the agents. */
static void
blocked_note(struct report_builder *builder, uint32_t number,
    const struct entry *entry, const struct robots_verdict *verdict,
    unsigned agents)
{
	struct report_place place = {
	    .entry = entry->ordinal + 1, .loc = entry->url};
	struct report_finding *finding = report_part_find(
	    &builder->parts[number], DIAG_URL_BLOCKED_BY_ROBOTS);
	size_t shown = verdict->rule.len < RULE_MAX ? verdict->rule.len
						    : RULE_MAX;
	struct buf text = BUF_UP_TO(SIZE_MAX);
	struct report *report = &builder->report;
	const char *kept = NULL;

	finding->count++;
	/* of several agents the report says which may not */
	report->closed++;
	for (size_t i = 0; i < report->agent_count; i++)
		report->agents[i].forbidden += agents >> i & 1;
	if (report->agent_count > 1 && report->closed_count < REPORT_CLOSED_MAX)
		kept = report_text_keep(builder, entry->url);
	if (kept != NULL)
		*MEM_PUSH(report->closed_pages, report->closed_count,
		    builder->closed_cap) = (struct report_closed){
		    .url = kept, .document = number, .agents = agents};
	if (finding->sample_count == REPORT_SAMPLES)
		return;
	(void)buf_put_slice(&text, entry->url);
	if (verdict->is_given_up)
		(void)buf_print(&text, ": robots.txt has " ROBOTS_GIVEN_UP);
	else
		(void)buf_print(&text, ": robots.txt line %" PRIu32 ": %.*s",
		    verdict->line, (int)shown, verdict->rule.p);
	if (builder->blocked->count > 1) {
		bool has_one = false;

		for (size_t i = 0; i < builder->blocked->count; i++) {
			if ((agents >> i & 1) == 0)
				continue;
			(void)buf_print(&text, "%s%s", has_one ? ", " : " for ",
			    builder->blocked->agents[i]);
			has_one = true;
		}
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
	blocked->closed = builder->report.closed;
	blocked->closed_before = builder->report.closed_count;
	for (size_t i = 0; i < blocked->count; i++)
		blocked->forbidden[i] = builder->report.agents[i].forbidden;
	if (!blocked->is_known)
		blocked_forget(blocked);
}

void
report_blocked_add(
    struct report_builder *builder, uint32_t number, const struct entry *entry)
{
	struct slice url = entry->url;
	struct report_blocked *blocked = builder->blocked;
	struct report_part *part = &builder->parts[number];
	struct robots_verdict first = {.is_allowed = true};
	struct slice target;
	unsigned agents = 0;

	if (blocked == NULL || part->has_strangers)
		return;
	/* What is not judged is counted, so that the report can say how much
	 * it is. */
	if (report_blocked_is_over(builder)) {
		blocked->left++;
		return;
	}
	struct slice origin = buf_text(&blocked->origin);
	if (!(origin.len > 0 && url.len > origin.len &&
		url.p[origin.len] == '/' && slice_starts(url, origin)))
		blocked_learn(blocked, report_origin(url), part->profile);
	if (!blocked->is_known && !builder->is_finishing) {
		/* Forget what was found in the document at hand: it is judged
		 * at the end. */
		part->has_strangers = true;
		report_part_drop(part, DIAG_URL_BLOCKED_BY_ROBOTS);
		blocked->compared -= blocked->of_part;
		builder->report.closed = blocked->closed;
		builder->report.closed_count = blocked->closed_before;
		for (size_t i = 0; i < blocked->count; i++)
			builder->report.agents[i]
			    .forbidden = blocked->forbidden[i];
		return;
	}
	blocked->compared++;
	blocked->of_part++;
	if (blocked->rules == 0)
		return;
	target = slice_from(url, blocked->origin.len);
	blocked->steps += blocked->rules *
	    (1 + (uint64_t)target.len / STEP_BYTES);
	for (size_t i = 0; i < blocked->count; i++) {
		struct robots_verdict verdict = robots_verdict(
		    blocked->robots[i], target);

		if (verdict.is_allowed)
			continue;
		/* Documents are read under the rules for the first agent, so
		 * its line is shown, if it is one of them. */
		if (agents == 0)
			first = verdict;
		agents |= 1U << i;
	}
	if (agents != 0)
		blocked_note(builder, number, entry, &first, agents);
}

bool
report_blocked_is_over(const struct report_builder *builder)
{
	return builder->blocked != NULL &&
	    builder->blocked->steps >= builder->blocked->most;
}

void
report_blocked_finish(struct report_builder *builder)
{
	if (builder->blocked == NULL)
		return;
	builder->is_finishing = true;
	for (uint32_t i = 0; i < builder->count; i++)
		if (builder->parts[i].has_strangers) {
			struct block_source *blocks = block_source_new(
			    builder->blocked->store, BLOCKS_OF_SEGMENT,
			    builder->parts[i].id);
			struct block_reader *reader = block_source_reader(
			    blocks);
			struct entry entry;

			report_blocked_begin(builder, i);
			while (block_next(reader, &entry))
				report_blocked_add(builder, i, &entry);
			block_source_close(blocks, NULL, 0);
		}
	builder->report.compared = builder->blocked->compared;
	builder->report.uncompared = builder->blocked->left;
}
