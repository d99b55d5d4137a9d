/*
 * Two texts of robots.txt, compared by what they say.
 *
 * Each text becomes a sorted set of statements: a record and one agent that it
 * is for.  Two sorted sets are compared in one pass.
 */
#include "base/robots_difference.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/robots.h"

#define STATEMENTS_MOST 200000 /* of a text; 10 MB */
#define VALUE_SHOWN 200 /* bytes */
#define AGENT "User-agent"

struct robots_saying {
	struct slice name, value;
	struct slice agent; /* empty: the record is for no group */
};

struct saying_set {
	struct robots_saying *items; /* owned; sorted, each once */
	size_t count, cap;
	bool is_full;
};

/* The group of the line at hand. */
struct agent_group {
	struct slice *agents; /* owned */
	size_t count, cap;
	struct robots_saying *rules; /* owned; without their agents */
	size_t rule_count, rule_cap;
	bool has_records; /* rules or other records of groups */
};

static void
robots_difference_add(struct saying_set *set, struct robots_saying statement)
{
	if (set->count >= STATEMENTS_MOST) {
		set->is_full = true;
		return;
	}
	*MEM_PUSH(set->items, set->count, set->cap) = statement;
}

static void
end_group(struct saying_set *set, struct agent_group *group)
{
	for (size_t i = 0; i < group->count && !set->is_full; i++) {
		robots_difference_add(set,
		    (struct robots_saying){
			.name = slice_of(AGENT), .value = group->agents[i]});
		for (size_t k = 0; k < group->rule_count && !set->is_full;
		     k++) {
			struct robots_saying statement = group->rules[k];

			statement.agent = group->agents[i];
			robots_difference_add(set, statement);
		}
	}
	group->count = group->rule_count = 0;
	group->has_records = false;
}

static int
order_nocase(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;

	for (size_t i = 0; i < n; i++) {
		unsigned char x = (unsigned char)ascii_lower(a.p[i]);
		unsigned char y = (unsigned char)ascii_lower(b.p[i]);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return a.len < b.len ? -1 : a.len > b.len;
}

static int
robots_difference_order_of(const void *a, const void *b)
{
	const struct robots_saying *x = a, *y = b;
	int order = order_nocase(x->name, y->name);

	if (order != 0)
		return order;
	order = slice_is(x->name, AGENT) ? order_nocase(x->value, y->value)
					 : slice_order(x->value, y->value);
	return order != 0 ? order : order_nocase(x->agent, y->agent);
}

static struct saying_set
read_statements(struct slice text)
{
	struct saying_set set = {0};
	struct agent_group group = {0};
	struct slice name, value;

	if (slice_starts(text, slice_of("\xef\xbb\xbf")))
		text = slice_from(text, 3);
	while (text.len > 0 && !set.is_full) {
		switch (robots_record(robots_next_line(&text), &name, &value)) {
		case ROBOTS_NOTHING:
			break;
		case ROBOTS_AGENT:
			if (group.has_records)
				end_group(&set, &group);
			*MEM_PUSH(group.agents, group.count,
			    group.cap) = slice_is(value, "*")
			    ? value
			    : robots_token(value);

			break;
		case ROBOTS_OF_GROUP:
			group.has_records = true;
			/* A record without a value says nothing, and without an
			 * agent before it a record is for nobody. */
			if (group.count == 0 || value.len == 0)
				break;
			*MEM_PUSH(group.rules, group.rule_count,
			    group.rule_cap) = (struct robots_saying){
			    .name = name, .value = value};
			break;
		case ROBOTS_OF_FILE:
			robots_difference_add(&set,
			    (struct robots_saying){
				.name = name, .value = value});
			break;
		}
	}
	end_group(&set, &group);
	free(group.agents);
	free(group.rules);
	size_t count = 0;

	if (set.count > 0)
		qsort(set.items, set.count, sizeof(*set.items),
		    robots_difference_order_of);
	for (size_t i = 0; i < set.count; i++)
		if (count == 0 ||
		    robots_difference_order_of(
			&set.items[i], &set.items[count - 1]) != 0)
			set.items[count++] = set.items[i];
	set.count = count;

	return set;
}

/* Keep the statements of `set` that `other` does not have. */
static struct saying_set
without(const struct saying_set *set, const struct saying_set *other)
{
	struct saying_set rest = {0};
	size_t at = 0;

	for (size_t i = 0; i < set->count; i++) {
		while (at < other->count &&
		    robots_difference_order_of(
			&other->items[at], &set->items[i]) < 0)
			at++;
		if (at == other->count ||
		    robots_difference_order_of(
			&other->items[at], &set->items[i]) != 0)
			robots_difference_add(&rest, set->items[i]);
	}
	return rest;
}

static int
order_of_agents(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return order_nocase(*x, *y);
}

/* Pass each record of the set to fn, once, with its agents; returns how many
 * records there are.  A User-agent line is a record of its own only if none of
 * the other records is for its agent. */
static uint64_t
pass_records(const struct saying_set *set, bool is_new, bool *is_of_sitemaps,
    robots_change_fn *fn, void *arg)
{
	struct slice *agents = mem_alloc((set->count + 1) * sizeof(*agents));
	struct slice *named = mem_alloc((set->count + 1) * sizeof(*named));
	uint64_t records = 0;
	size_t end, named_count = 0;

	for (size_t i = 0; i < set->count; i++)
		if (set->items[i].agent.len > 0)
			named[named_count++] = set->items[i].agent;
	qsort(named, named_count, sizeof(*named), order_of_agents);
	for (size_t i = 0; i < set->count; i = end) {
		struct robots_change change = {.is_new = is_new,
		    .name = set->items[i].name,
		    .value = set->items[i].value,
		    .agents = agents};

		for (end = i; end < set->count; end++) {
			struct robots_saying next = set->items[end];
			struct slice agent = next.agent;

			/* the same record, whatever the agent? */
			next.agent = set->items[i].agent;
			if (robots_difference_order_of(&next, &set->items[i]) !=
			    0)
				break;
			if (agent.len > 0)
				agents[change.agent_count++] = agent;
		}
		if (slice_is(change.name, AGENT) &&
		    bsearch(&change.value, named, named_count, sizeof(*named),
			order_of_agents) != NULL)
			continue;
		if (!slice_is(change.name, "Sitemap"))
			*is_of_sitemaps = false;
		records++;
		if (fn != NULL)
			fn(arg, &change);
	}
	free(agents);
	free(named);
	return records;
}

struct robots_difference
robots_compare(
    struct slice before, struct slice after, robots_change_fn *fn, void *arg)
{
	struct robots_difference difference = {.is_of_sitemaps = true};
	struct saying_set old, new, came, went;

	if (slice_equal(before, after))
		return difference;
	old = read_statements(before);
	new = read_statements(after);
	if (old.is_full || new.is_full) {
		difference.is_cut = true;
		difference.is_of_sitemaps = false;
	} else {
		came = without(&new, &old);
		went = without(&old, &new);
		difference.came = pass_records(
		    &came, true, &difference.is_of_sitemaps, fn, arg);
		difference.went = pass_records(
		    &went, false, &difference.is_of_sitemaps, fn, arg);
		free(came.items);
		free(went.items);
	}
	free(old.items);
	free(new.items);
	difference.is_different = difference.is_cut ||
	    difference.came + difference.went > 0;
	return difference;
}

void
robots_change_print(
    struct buf *out, const struct robots_change *change, size_t agents)
{
	struct slice value = change->value;

	(void)buf_put_slice(out, change->name);
	(void)buf_print(out, ":%s", value.len > 0 ? " " : "");
	if (value.len > VALUE_SHOWN)
		value.len = VALUE_SHOWN;
	(void)buf_put_slice(out, value);
	if (value.len < change->value.len)
		(void)buf_print(out, "...");
	for (size_t i = 0; i < change->agent_count && i < agents; i++) {
		(void)buf_print(out, i == 0 ? " for " : ", ");
		(void)buf_put_slice(out, change->agents[i]);
	}
	if (change->agent_count > agents) {
		(void)buf_print(out, " and ");
		human_put(out, change->agent_count - agents, NULL);
		(void)buf_print(out, " further");
	}
}
