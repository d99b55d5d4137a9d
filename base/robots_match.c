/* Patterns of robots.txt: SPEC. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/robots_internal.h"
#include "base/url_internal.h"

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* read_escape(text, i): the byte that "%XX" at i stands for, -1: none. */
static int
read_escape(struct slice text, size_t i)
{
	int high, low;

	if (text.p[i] != '%' || text.len - i < 3)
		return -1;
	high = hex_value(text.p[i + 1]);
	low = hex_value(text.p[i + 2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static void
put(struct buf *out, char c)
{
	bool fits = buf_put_char(out, c);

	assert(fits);
	(void)fits;
}

static void
put_escape(struct buf *out, unsigned char c)
{
	static const char digits[] = "0123456789ABCDEF";

	put(out, '%');
	put(out, digits[c >> 4]);
	put(out, digits[c & 15]);
}

/* is_escaped(c): does a normalised URL hold this byte as an escape only? */
static bool
is_escaped(unsigned char c)
{
	return c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}%", c) != NULL;
}

/*
 * put_pattern(out, raw): raw as it would stand in a normalised URL, but
 * wildcards marked, and "%2A" and "%24" as the characters that they stand for
 * (SPEC R-94).  Returns how many octets those two hide.
 */
static uint32_t
put_pattern(struct buf *out, struct slice raw)
{
	uint32_t hidden = 0;

	for (size_t i = 0; i < raw.len; i++) {
		unsigned char c = (unsigned char)raw.p[i];
		int value = read_escape(raw, i);

		if (value >= 0)
			i += 2;
		if (value == '*' || value == '$') {
			put(out, (char)value);
			hidden += 2;
		} else if (value >= 0 &&
		    url_is_unreserved((unsigned char)value))
			put(out, (char)value);
		else if (value >= 0)
			put_escape(out, (unsigned char)value);
		else if (c == '*')
			put(out, ROBOTS_WILDCARD);
		else if (is_escaped(c))
			put_escape(out, c);
		else
			put(out, (char)c);
	}
	return hidden;
}

/* next_literal(pattern): take what stands before the next wildcard, and that
 * wildcard. */
static struct slice
next_literal(struct slice *pattern, bool *is_last)
{
	const char *wildcard = memchr(
	    pattern->p, ROBOTS_WILDCARD, pattern->len);
	struct slice literal = *pattern;

	*is_last = wildcard == NULL;
	if (wildcard == NULL) {
		*pattern = slice_from(*pattern, pattern->len);
		return literal;
	}
	literal.len = (size_t)(wildcard - pattern->p);
	*pattern = slice_make(wildcard + 1, pattern->len - literal.len - 1);
	return literal;
}

/* head_of(text): its first octets, one number. */
static uint64_t
head_of(struct slice text)
{
	uint64_t head = 0;

	memcpy(
	    &head, text.p, text.len < sizeof(head) ? text.len : sizeof(head));
	return head;
}

/* set_head(rule, literal): what stands before its first wildcard. */
static void
set_head(struct robots_rule *rule, struct slice literal)
{
	rule->head = head_of(literal);
	rule->mask = 0;
	memset(&rule->mask, 0xff,
	    literal.len < sizeof(rule->mask) ? literal.len
					     : sizeof(rule->mask));
}

void
robots_compile(
    struct robots_rules *rules, struct slice raw, struct robots_rule *rule)
{
	struct buf *text = &rules->text;
	struct slice pattern;
	bool fits, is_last;

	rule->raw_at = (uint32_t)text->len;
	rule->raw_len = (uint32_t)raw.len;
	fits = buf_put_slice(text, raw);
	assert(fits);
	(void)fits;
	rule->is_anchored = raw.len > 0 && raw.p[raw.len - 1] == '$';
	if (rule->is_anchored)
		raw.len--;
	rule->compiled_at = (uint32_t)text->len;
	rule->octets = put_pattern(text, raw);
	rule->compiled_len = (uint32_t)text->len - rule->compiled_at;
	rule->octets += rule->compiled_len + rule->is_anchored;
	pattern = slice_make(text->p + rule->compiled_at, rule->compiled_len);
	/* Most patterns are written as they are compared: one copy will do. */
	if (slice_equal(pattern, raw)) {
		text->len = rule->compiled_at;
		rule->compiled_at = rule->raw_at;
	}
	set_head(rule, next_literal(&pattern, &is_last));
	rule->has_star = !is_last;
}

/* key_of(rule, most): its place in the order, from 0. */
static size_t
key_of(const struct robots_rule *rule, uint32_t most)
{
	return 2 * (size_t)(most - rule->octets) + !rule->is_allow;
}

/* Counted, not compared: there may be 50,000, and they are read in the loop.
 * Equal ones stay in the order of their lines. */
void
robots_rank(struct robots_rules *rules)
{
	struct robots_rule *ranked;
	uint32_t most = 0, least = UINT32_MAX;
	size_t *starts, keys, start = 0;

	if (rules->count == 0)
		return;
	for (size_t i = 0; i < rules->count; i++) {
		if (rules->items[i].octets > most)
			most = rules->items[i].octets;
		if (rules->items[i].octets < least)
			least = rules->items[i].octets;
	}
	keys = 2 * ((size_t)(most - least) + 1);
	starts = mem_zero(keys * sizeof(*starts));
	ranked = mem_alloc(rules->count * sizeof(*ranked));
	for (size_t i = 0; i < rules->count; i++)
		starts[key_of(&rules->items[i], most)]++;
	for (size_t i = 0; i < keys; i++) {
		size_t count = starts[i];

		starts[i] = start;
		start += count;
	}
	for (size_t i = 0; i < rules->count; i++)
		ranked[starts[key_of(&rules->items[i], most)]++] =
		    rules->items[i];
	free(starts);
	free(rules->items);
	rules->items = ranked;
	rules->cap = rules->count;
}

/*
 * matches(pattern, is_anchored, target): each literal is taken where it first
 * fits: if a match exists, one with the earliest places does.  So nothing is
 * ever tried twice, and memmem() is linear.
 */
static bool
matches(struct slice pattern, bool is_anchored, struct slice target)
{
	const char *p = target.p, *found;
	size_t left = target.len;
	bool is_last;
	struct slice literal = next_literal(&pattern, &is_last);

	if (!slice_starts(target, literal))
		return false;
	p += literal.len;
	left -= literal.len;
	if (is_last)
		return !is_anchored || left == 0;
	for (;;) {
		literal = next_literal(&pattern, &is_last);
		if (literal.len > left)
			return false;
		if (is_last && is_anchored)
			return slice_equal(
			    slice_make(p + left - literal.len, literal.len),
			    literal);
		if (literal.len > 0) {
			found = memmem(p, left, literal.p, literal.len);
			if (found == NULL)
				return false;
			left -= (size_t)(found - p) + literal.len;
			p = found + literal.len;
		}
		if (is_last)
			return true;
	}
}

/*
 * best_rule(rules, target, verdict): the first that matches, of those in their
 * order; NULL: none does.  The work of rules with stars grows with their number
 * times the target: when it has become too much, the rule that would be tried
 * next decides, whatever it says, and nothing may be fetched.
 */
static const struct robots_rule *
best_rule(const struct robots_rules *rules, struct slice target,
    struct robots_verdict *verdict)
{
	uint64_t head = head_of(target);

	for (size_t i = 0; i < rules->count; i++) {
		const struct robots_rule *rule = &rules->items[i];
		const char *p = rules->text.p + rule->compiled_at;

		/* of most rules no more is looked at */
		if ((head & rule->mask) != rule->head)
			continue;
		if (rule->has_star) {
			verdict->work += rule->compiled_len +
			    (uint32_t)target.len;
			verdict->is_given_up = verdict->work > ROBOTS_MAX_WORK;
		}
		if (verdict->is_given_up ||
		    matches(slice_make(p, rule->compiled_len),
			rule->is_anchored, target))
			return rule;
	}
	return NULL;
}

/* undo_specials(target, out): "%2A" and "%24" as in a compiled pattern. */
static void
undo_specials(struct slice target, struct buf *out)
{
	for (size_t i = 0; i < target.len; i++) {
		int value = read_escape(target, i);

		if (value == '*' || value == '$') {
			put(out, (char)value);
			i += 2;
		} else {
			put(out, target.p[i]);
		}
	}
}

struct robots_verdict
robots_verdict(const struct robots *robots, struct slice target)
{
	struct robots_verdict verdict = {.is_allowed = true};
	const struct robots_rule *rule;
	struct buf plain;

	if (robots == NULL || slice_is(target, "/robots.txt"))
		return verdict;
	buf_init(&plain, target.len);
	/* most have none, and some ask for millions */
	if (memchr(target.p, '%', target.len) != NULL) {
		undo_specials(target, &plain);
		target = buf_text(&plain);
	}
	rule = best_rule(&robots->rules, target, &verdict);
	buf_release(&plain);
	if (rule == NULL)
		return verdict;
	verdict.is_allowed = rule->is_allow && !verdict.is_given_up;
	verdict.line = rule->line;
	verdict.rule = slice_make(
	    robots->rules.text.p + rule->raw_at, rule->raw_len);
	return verdict;
}
