/*
 * robots.txt, read line by line.
 *
 * A group is a run of agent lines and the rules after them. The agents of a
 * group decide to which lists its rules are added; at the end of the file one
 * list is chosen.
 *
 *	NONE --agent--> AGENTS --rule--> RULES --agent--> AGENTS of a new group
 *
 * NONE: there was no agent line yet; rules are ignored. AGENTS: further agent
 * lines join the group. RULES: the group has rules; an agent line begins
 * another group. on_agent() and on_record() make the transitions.
 */
#include "base/robots.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/suggestion.h"
#include "base/url.h"

#define BOM "\xef\xbb\xbf"
#define LINE_MAX_BYTES 16664 /* SPEC R-96 */
#define DELAY_MAX_MS 60000 /* SPEC R-105 */
/* For n bytes of file, a pattern takes n bytes as written, 3n escaped; the
 * value of a preference n more. */
#define TEXT_MAX_BYTES (5 * ROBOTS_MAX_BYTES)

enum robots_field {
	FIELD_UNKNOWN,
	FIELD_AGENT,
	FIELD_ALLOW,
	FIELD_DISALLOW,
	FIELD_DELAY,
	FIELD_SITEMAP,
	FIELD_SIGNAL,
	FIELD_USAGE
};

enum group_state { GROUP_NONE, GROUP_AGENTS, GROUP_RULES };

/* The lists of rules: for our token, for its second token, and for "*". Only
 * the first list that any group names counts. */
enum { LIST_OURS, LIST_SECOND, LIST_REST, LISTS };

struct parser {
	struct robots *robots;
	struct robots_rules lists[LISTS];
	struct slice agents[LISTS]; /* the tokens, in any case; empty: none */
	unsigned best; /* the first list that was named */
	bool repairs;
	struct diag_sink sink;
	enum group_state state;
	bool is_of[LISTS]; /* does the group name that list's token? */
	uint32_t delay_ms; /* of the group */
	uint32_t line;
	uint32_t sitemap_lines;
	struct url url;
};

/* First the name of each field but FIELD_UNKNOWN, in their order. */
static const struct {
	const char *text;
	enum robots_field field;
	bool is_typo; /* SPEC R-97 */
} words[] = {{"User-agent", FIELD_AGENT, false}, {"Allow", FIELD_ALLOW, false},
    {"Disallow", FIELD_DISALLOW, false}, {"Crawl-delay", FIELD_DELAY, false},
    {"Sitemap", FIELD_SITEMAP, false}, {"Content-Signal", FIELD_SIGNAL, false},
    {"Content-Usage", FIELD_USAGE, false}, {"useragent", FIELD_AGENT, true},
    {"user agent", FIELD_AGENT, true}, {"disalow", FIELD_DISALLOW, true},
    {"dissalow", FIELD_DISALLOW, true}, {"dissallow", FIELD_DISALLOW, true},
    {"diasllow", FIELD_DISALLOW, true}, {"disallaw", FIELD_DISALLOW, true},
    {"site-map", FIELD_SITEMAP, true}};

/* Agents and rules. */

/* Crawlers of Google that obey the group of a second token if there is none of
 * their own, or that ignore groups for "*" (SPEC R-89). */
static const struct {
	const char *agent, *second;
	bool ignores_rest;
} kin[] = {{"Googlebot-Image", "Googlebot", false},
    {"Googlebot-News", "Googlebot", false},
    {"Googlebot-Video", "Googlebot", false},
    {"Google-CloudVertexBot", "Googlebot", false},
    {"Google-InspectionTool", "Googlebot", false},
    {"GoogleOther-Image", "GoogleOther", false},
    {"GoogleOther-Video", "GoogleOther", false}, {"AdsBot-Google", "", true},
    {"AdsBot-Google-Mobile", "", true}, {"APIs-Google", "", true},
    {"Mediapartners-Google", "", true}};

static struct slice
without_bom(struct slice text)
{
	return slice_starts(text, slice_of(BOM)) ? slice_from(text, 3) : text;
}

struct slice
robots_token(struct slice value)
{
	size_t n = 0;

	while (n < value.len &&
	    ((value.p[n] >= 'a' && value.p[n] <= 'z') ||
		(value.p[n] >= 'A' && value.p[n] <= 'Z') || value.p[n] == '_' ||
		value.p[n] == '-'))
		n++;
	return slice_make(value.p, n);
}

/* put_pattern(out, raw): append raw as a normalised URL would spell it, with
 * wildcards as ROBOTS_WILDCARD and with "%2A" and "%24" decoded (SPEC R-94).
 * Returns by how many octets the decoded ones are shorter. */
static uint32_t
put_pattern(struct buf *out, struct slice raw)
{
	static const char digits[] = "0123456789ABCDEF";
	uint32_t hidden = 0;
	bool is_escape;

	for (size_t i = 0; i < raw.len; i++) {
		unsigned char c = (unsigned char)raw.p[i];
		int value = slice_escape(raw, i);

		if (value >= 0) {
			i += 2;
			c = (unsigned char)value;
			is_escape = !url_is_unreserved(c);
			if (c == '*' || c == '$') {
				is_escape = false;
				hidden += 2;
			}
		} else {
			/* These bytes a normalised URL has as escapes only. */
			is_escape = c <= ' ' || c >= 0x7f ||
			    strchr("\"<>\\^`{|}%", c) != NULL;
			if (c == '*')
				c = ROBOTS_WILDCARD;
		}
		if (is_escape) {
			const char text[3] = {
			    '%', digits[c >> 4], digits[c & 15]};

			(void)buf_put(out, text, sizeof(text));
		} else {
			(void)buf_put_char(out, (char)c);
		}
	}
	return hidden;
}

/* next_literal(pattern, is_last): take the text up to the next wildcard, and
 * the wildcard.  *is_last: there was none, so that the text was all of the
 * pattern; do not call this function again. */
static struct slice
next_literal(struct slice *pattern, bool *is_last)
{
	const char *wildcard = memchr(
	    pattern->p, ROBOTS_WILDCARD, pattern->len);
	struct slice literal = *pattern;

	*is_last = wildcard == NULL;
	if (wildcard == NULL)
		return literal;
	literal.len = (size_t)(wildcard - pattern->p);
	*pattern = slice_make(wildcard + 1, pattern->len - literal.len - 1);
	return literal;
}

/* compile(rules, raw, line, is_allow): add a rule, whose pattern is raw, which
 * is not empty. The result is valid until the next call. */
static struct robots_rule *
compile(
    struct robots_rules *rules, struct slice raw, uint32_t line, bool is_allow)
{
	struct robots_rule *rule;
	struct buf *text = &rules->text;
	struct slice pattern;
	bool fits, is_last;

	rule = MEM_PUSH(rules->items, rules->count, rules->cap);
	*rule = (struct robots_rule){.line = line, .is_allow = is_allow};
	rule->raw_at = (uint32_t)text->len;
	rule->raw_len = (uint32_t)raw.len;
	fits = buf_put_slice(text, raw);
	assert(fits);
	(void)fits;
	rule->is_anchored = raw.p[raw.len - 1] == '$';
	if (rule->is_anchored)
		raw.len--;
	rule->compiled_at = (uint32_t)text->len;
	rule->octets = put_pattern(text, raw);
	rule->compiled_len = (uint32_t)text->len - rule->compiled_at;
	rule->octets += rule->compiled_len + rule->is_anchored;
	pattern = slice_make(text->p + rule->compiled_at, rule->compiled_len);
	/* If both forms are equal, as in most patterns, one copy is enough. */
	if (slice_equal(pattern, raw)) {
		text->len = rule->compiled_at;
		rule->compiled_at = rule->raw_at;
	}
	/* The head has the first octets before the first wildcard. */
	struct slice literal = next_literal(&pattern, &is_last);
	size_t head_len = literal.len < sizeof(rule->head) ? literal.len
							   : sizeof(rule->head);

	memcpy(&rule->head, literal.p, head_len);
	memset(&rule->mask, 0xff, head_len);
	rule->has_star = !is_last;
	return rule;
}

static void
on_agent(struct parser *parser, struct slice value)
{
	bool is_all = slice_is(value, "*");

	if (parser->state != GROUP_AGENTS) {
		memset(parser->is_of, 0, sizeof(parser->is_of));
		parser->delay_ms = 0;
	}
	parser->state = GROUP_AGENTS;
	if (!is_all)
		value = robots_token(value);
	for (unsigned i = 0; i < LISTS; i++) {
		if (parser->agents[i].len == 0 || (i == LIST_REST) != is_all ||
		    !slice_equal_nocase(value, parser->agents[i]))
			continue;
		parser->is_of[i] = true;
		if (i < parser->best)
			parser->best = i;
		struct robots_rules *rules = &parser->lists[i];

		*MEM_PUSH(rules->agents, rules->agent_count,
		    rules->agent_cap) = parser->line;
	}
}

/* read_delay(value, delay_ms): read seconds as a decimal number, with an
 * exponent or without; cut at DELAY_MAX_MS and round up to a millisecond. */
static bool
read_delay(struct slice value, uint32_t *delay_ms)
{
	char text[32];
	double seconds;
	char *end;

	if (value.len == 0 || value.len >= sizeof(text))
		return false;
	/* strtod alone would read "nan", "inf" and hexadecimal numbers. */
	for (size_t i = 0; i < value.len; i++)
		if (value.p[i] == '\0' ||
		    strchr("0123456789.eE+-", value.p[i]) == NULL)
			return false;
	memcpy(text, value.p, value.len);
	text[value.len] = '\0';
	seconds = strtod(text, &end);
	if (*end != '\0' || !(seconds > 0))
		return false;
	if (seconds >= DELAY_MAX_MS / 1000)
		*delay_ms = DELAY_MAX_MS;
	else
		*delay_ms = (uint32_t)(seconds * 1000 + 0.999);
	return true;
}

/* Lines. */

/* A preference: a statement, and before it a path, or none, which is shorter
 * than any path (SPEC R-143). */
static void
on_preference(struct parser *parser, enum robots_kind kind, struct slice value)
{
	struct slice path = slice_make(value.p, 0);
	struct purposes said = {0};

	while (path.len < value.len && value.p[0] == '/' &&
	    value.p[path.len] != ' ' && value.p[path.len] != '\t')
		path.len++;
	if (!purposes_add_statement(&said,
		slice_trim(slice_from(value, path.len)), kind == ROBOTS_USAGE))
		diag_emit(parser->sink, DIAG_ROBOTS_BAD_PREFERENCE, value);
	for (unsigned i = 0; i <= parser->best; i++) {
		struct robots_rules *list = &parser->lists[i];
		struct robots_rule *rule;

		if (!parser->is_of[i])
			continue;
		rule = compile(list, path.len > 0 ? path : slice_of("/"),
		    parser->line, false);
		rule->octets -= path.len == 0;
		rule->said = said;
		list->has_preferences = true;
		rule->kind = (uint8_t)kind;
		rule->raw_at = (uint32_t)list->text.len;
		rule->raw_len = (uint32_t)value.len;
		(void)buf_put_slice(&list->text, value);
	}
}

/* on_record(parser, field, value): field is not FIELD_UNKNOWN. */
static void
on_record(struct parser *parser, enum robots_field field, struct slice value)
{
	if (field == FIELD_AGENT)
		on_agent(parser, value);
	else if (parser->state == GROUP_NONE && field != FIELD_DELAY &&
	    field != FIELD_SITEMAP)
		diag_emit(parser->sink, DIAG_ROBOTS_RULE_OUTSIDE_GROUP, value);
	else if (field == FIELD_SIGNAL || field == FIELD_USAGE)
		on_preference(parser,
		    field == FIELD_SIGNAL ? ROBOTS_SIGNAL : ROBOTS_USAGE,
		    value);
	else if (field == FIELD_ALLOW || field == FIELD_DISALLOW) {
		parser->state = GROUP_RULES;
		/* An empty rule permits what no rule forbids.  When a better
		 * list is named, rules for worse lists are not needed. */
		for (unsigned i = 0; value.len > 0 && i <= parser->best; i++)
			if (parser->is_of[i])
				(void)compile(&parser->lists[i], value,
				    parser->line, field == FIELD_ALLOW);
	} else if (field == FIELD_DELAY) {
		uint32_t delay_ms;

		if (parser->state != GROUP_NONE &&
		    read_delay(value, &delay_ms)) {
			if (delay_ms > parser->delay_ms)
				parser->delay_ms = delay_ms;
		}
	} else {
		/* SPEC R-98: a Sitemap line is repaired as in the google set,
		 * whatever the profile. */
		struct profile google = profile_default(PROFILE_GOOGLE);
		struct diag_sink quiet = {NULL, NULL};
		enum diag_code code;

		if (parser->sitemap_lines == ROBOTS_MAX_SITEMAPS) {
			diag_emit(
			    parser->sink, DIAG_TOO_MANY_ROBOTS_SITEMAPS, value);
			return;
		}
		parser->sitemap_lines++;
		code = url_parse(&parser->url, value, NULL, &google, quiet);
		if (code == DIAG_OK &&
		    url_text(&parser->url).len > URL_MAX_SITEMAP_BYTES)
			code = DIAG_URL_TOO_LONG;
		/* "https://https://..." and two URLs in one line name nothing
		 * that is there. */
		bool is_joined = code == DIAG_OK &&
		    (slice_is(url_host(&parser->url), "http") ||
			slice_is(url_host(&parser->url), "https"));

		for (size_t i = 1; i < value.len; i++)
			is_joined |= (ascii_is_space(value.p[i - 1]) ||
					 value.p[i - 1] == ',') &&
			    (slice_starts(
				 slice_from(value, i), slice_of("http://")) ||
				slice_starts(slice_from(value, i),
				    slice_of("https://")));
		if (code == DIAG_OK && is_joined)
			code = DIAG_INVALID_URL;
		if (code == DIAG_OK) {
			struct robots *robots = parser->robots;
			size_t count = robots->sitemaps.count;
			uint32_t number = names_put(
			    &robots->sitemaps, url_text(&parser->url));

			/* The first of equal lines counts. */
			if (number == count) {
				robots->lines = mem_grow(robots->lines,
				    &robots->line_cap, count + 1,
				    sizeof(*robots->lines));
				robots->lines[number] = parser->line;
			}
		} else if (code == DIAG_RELATIVE_URL)
			diag_emit(
			    parser->sink, DIAG_ROBOTS_RELATIVE_SITEMAP, value);
		else
			diag_emit(parser->sink, DIAG_ROBOTS_BAD_SITEMAP, value);
	}
	/* A delay counts for all agents of its group, on later lines, too. */
	for (unsigned i = 0; i < LISTS; i++)
		if (parser->is_of[i] &&
		    parser->delay_ms > parser->lists[i].delay_ms)
			parser->lists[i].delay_ms = parser->delay_ms;
}

/* find_record(line, value, is_typo): the field of a line. The colon may be
 * missing, and the first colon may be part of a URL (SPEC R-97). */
static enum robots_field
find_record(struct slice line, struct slice *value, bool *is_typo)
{
	const char *colon = memchr(line.p, ':', line.len);
	struct slice name;

	for (bool lacks_colon = colon == NULL;; lacks_colon = true) {
		size_t n = 0;

		if (!lacks_colon) {
			n = (size_t)(colon - line.p);
			*value = slice_trim(slice_from(line, n + 1));
			name = slice_trim(slice_make(line.p, n));
		} else {
			/* A line of exactly two words lacks its colon. */
			while (n < line.len && line.p[n] != ' ' &&
			    line.p[n] != '\t')
				n++;
			*value = slice_trim(slice_from(line, n));
			name = slice_make(line.p, n);
			*is_typo = true;
			if (value->len == 0 ||
			    memchr(value->p, ' ', value->len) != NULL ||
			    memchr(value->p, '\t', value->len) != NULL)
				return FIELD_UNKNOWN;
		}
		for (size_t i = 0; i < LENGTH(words); i++)
			if (slice_equal_nocase(name, slice_of(words[i].text))) {
				*is_typo = lacks_colon || words[i].is_typo;
				return words[i].field;
			}
		if (lacks_colon)
			return FIELD_UNKNOWN;
	}
}

/* A line without its comment and without white space at its ends. */
static struct slice
content_of(struct slice line)
{
	const char *hash;

	if (line.len > LINE_MAX_BYTES)
		line.len = LINE_MAX_BYTES;
	hash = memchr(line.p, '#', line.len);
	if (hash != NULL)
		line.len = (size_t)(hash - line.p);
	return slice_trim(line);
}

enum robots_scope
robots_record(struct slice line, struct slice *name, struct slice *value)
{
	enum robots_field field;
	const char *colon;
	bool is_typo;

	line = content_of(line);
	if (line.len == 0)
		return ROBOTS_NOTHING;
	field = find_record(line, value, &is_typo);
	if (field != FIELD_UNKNOWN) {
		*name = slice_of(words[field - FIELD_AGENT].text);
		return field == FIELD_AGENT  ? ROBOTS_AGENT
		    : field == FIELD_SITEMAP ? ROBOTS_OF_FILE
					     : ROBOTS_OF_GROUP;
	}
	colon = memchr(line.p, ':', line.len);
	*name = line;
	*value = slice_make(NULL, 0);
	if (colon != NULL) {
		name->len = (size_t)(colon - line.p);
		*value = slice_trim(slice_from(line, name->len + 1));
		*name = slice_trim(*name);
	}
	return ROBOTS_OF_FILE;
}

struct slice
robots_next_line(struct slice *text)
{
	struct slice line = slice_make(text->p, 0);
	size_t n = 0;

	/* One pass: two calls of memchr would be slow in a file with one kind
	 * of line end, since the call for the other kind would scan everything
	 * again for each line. */
	while (n < text->len && text->p[n] != '\n' && text->p[n] != '\r')
		n++;
	line.len = n;
	if (text->len - n >= 2 && text->p[n] == '\r' && text->p[n + 1] == '\n')
		n++;
	*text = slice_from(*text, n < text->len ? n + 1 : n);
	return line;
}

static void
robots_read_lines(struct parser *parser, struct slice text, bool is_cut)
{
	/* an empty file may have no bytes to point to */
	const char *end = text.len > 0 ? text.p + text.len : NULL;
	enum robots_field field;
	struct slice line, value;
	const char *colon;
	char lower[20];
	bool is_typo;

	while (text.len > 0) {
		line = robots_next_line(&text);
		/* Nobody knows how a line that was cut off goes on. */
		if (line.p + line.len == end && is_cut)
			return;
		parser->line++;
		line = content_of(line);
		if (line.len == 0)
			continue;
		field = find_record(line, &value, &is_typo);
		colon = memchr(line.p, ':', line.len);
		/* "Sitemaps: https://...", "Sitemap_index: https://..." and the
		 * like: no engine reads it */
		if (field == FIELD_UNKNOWN && colon != NULL &&
		    (size_t)(colon - line.p) <= sizeof(lower)) {
			size_t len = (size_t)(colon - line.p);
			struct suggestion meant;

			for (size_t i = 0; i < len; i++)
				lower[i] = ascii_lower(line.p[i]);
			suggestion_init(&meant, slice_make(lower, len));
			suggestion_try(&meant, "sitemap");
			value = slice_trim(slice_from(line, len + 1));
			if (((meant.best != NULL && meant.distance <= 2) ||
				slice_starts(slice_make(lower, len),
				    slice_of("sitemap"))) &&
			    value.len > 4 &&
			    slice_equal_nocase(
				slice_make(value.p, 4), slice_of("http")))
				diag_emit(parser->sink, DIAG_ROBOTS_SITEMAP_KEY,
				    line);
		}
		if (field == FIELD_UNKNOWN || (is_typo && !parser->repairs))
			continue;
		if (is_typo)
			diag_emit(parser->sink, DIAG_ROBOTS_TYPO, line);
		on_record(parser, field, value);
	}
}

/* The order of struct robots. */
static const struct sort_key by_rank[] = {
    {SORT_KEY(struct robots_rule, octets), .is_falling = true},
    {SORT_KEY(struct robots_rule, is_allow), .is_falling = true},
    {SORT_KEY(struct robots_rule, line)}, {0}};

struct robots *
robots_parse(struct slice body, struct slice agent,
    const struct profile *profile, struct diag_sink sink)
{
	struct parser parser = {.robots = mem_zero(sizeof(*parser.robots)),
	    .best = LIST_REST,
	    .repairs = profile->robots_repair == SWITCH_ON,
	    .sink = sink};
	struct robots *robots = parser.robots;
	struct slice text = body;
	bool is_cut = body.len > ROBOTS_MAX_BYTES;
	struct slice none = {NULL, 0};

	/* Which tokens name each list. */
	parser.agents[LIST_OURS] = agent;
	parser.agents[LIST_REST] = slice_of("*");
	for (size_t i = 0; i < LENGTH(kin); i++) {
		if (!slice_equal_nocase(agent, slice_of(kin[i].agent)))
			continue;
		parser.agents[LIST_SECOND] = slice_of(kin[i].second);
		if (kin[i].ignores_rest)
			parser.agents[LIST_REST] = slice_make("", 0);
	}
	robots->heeds_all = parser.agents[LIST_REST].len > 0;
	for (unsigned i = 0; i < LISTS; i++)
		buf_init(&parser.lists[i].text, TEXT_MAX_BYTES);
	/* Whoever wrote the body does not choose which URLs collide. */
	robots->sitemaps = (struct names){.key = hash_key(body, 0)};
	if (is_cut) {
		diag_emit(sink, DIAG_ROBOTS_TOO_LARGE, none);
		text.len = ROBOTS_MAX_BYTES;
		/* The limit may fall between two lines: then no line is cut. */
		is_cut = body.p[text.len] != '\n' && body.p[text.len] != '\r';
	}
	if (slice_starts(text, slice_of(BOM))) {
		diag_emit(sink, DIAG_ROBOTS_BOM, none);
		text = slice_from(text, 3);
	}
	if (robots_is_html(text))
		diag_emit(sink, DIAG_ROBOTS_HTML, none);
	robots_read_lines(&parser, text, is_cut);
	/* Keep the best list and free the others. Memory that the list does not
	 * need is freed, too, because there may be one struct robots for each
	 * of many hosts. */
	struct robots_rules *rules = &robots->rules;

	*rules = parser.lists[parser.best];
	for (unsigned i = 0; i < LISTS; i++)
		if (i != parser.best) {
			buf_release(&parser.lists[i].text);
			free(parser.lists[i].items);
			free(parser.lists[i].agents);
		}
	sort_rows(rules->items, rules->count, sizeof(*rules->items), by_rank);
	if (rules->cap > rules->count) {
		rules->cap = rules->count;
		rules->items = mem_resize(
		    rules->items, rules->cap * sizeof(*rules->items));
	}
	if (rules->text.cap > rules->text.len + 1) {
		rules->text.cap = rules->text.len + 1;
		rules->text.p = mem_resize(rules->text.p, rules->text.cap);
	}
	if (robots_delay_ms(robots) > 0)
		diag_emit(sink, DIAG_ROBOTS_CRAWL_DELAY, none);
	url_release(&parser.url);
	return robots;
}

void
robots_forget_sitemaps(struct robots *robots)
{
	names_release(&robots->sitemaps);
	free(robots->lines);
	robots->lines = NULL;
	robots->line_cap = 0;
}

void
robots_free(struct robots *robots)
{
	if (robots == NULL)
		return;
	robots_forget_sitemaps(robots);
	buf_release(&robots->rules.text);
	free(robots->rules.items);
	free(robots->rules.agents);
	free(robots);
}

size_t
robots_bytes(const struct robots *robots)
{
	const struct names *sitemaps;
	size_t bytes;

	if (robots == NULL)
		return 0;
	sitemaps = &robots->sitemaps;
	bytes = sizeof(*robots) + robots->rules.text.cap +
	    robots->rules.cap * sizeof(*robots->rules.items) +
	    robots->rules.agent_cap * sizeof(*robots->rules.agents) +
	    robots->line_cap * sizeof(*robots->lines) +
	    sitemaps->cap * sizeof(*sitemaps->items) +
	    sitemaps->slot_count * sizeof(*sitemaps->slots);
	for (size_t i = 0; i < sitemaps->count; i++)
		bytes += strlen(sitemaps->items[i]) + 1;
	return bytes;
}

uint32_t
robots_delay_ms(const struct robots *robots)
{
	return robots == NULL ? 0 : robots->rules.delay_ms;
}

struct slice
robots_line(struct slice body, uint32_t line)
{
	struct slice text = slice_make(body.p, 0);

	body = without_bom(body);
	for (uint32_t n = 0; n < line; n++) {
		if (body.len == 0)
			return slice_make(body.p, 0);
		text = robots_next_line(&body);
	}
	return text;
}

struct slice
robots_sitemap(const struct robots *robots, uint32_t i, uint32_t *line)
{
	*line = 0;
	if (robots == NULL || i >= robots->sitemaps.count)
		return slice_make(NULL, 0);
	*line = robots->lines[i];
	return slice_of(names_text(&robots->sitemaps, i));
}

/* robots_matches(pattern, is_anchored, target): take each literal where it
 * first occurs: if any match exists, one with the earliest positions exists. So
 * no position is tried twice, and memmem() is linear. */
static bool
robots_matches(struct slice pattern, bool is_anchored, struct slice target)
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

struct robots_verdict
robots_verdict(const struct robots *robots, struct slice target)
{
	return robots_page_verdict(robots, target, 0);
}

struct robots_verdict
robots_page_verdict(
    const struct robots *robots, struct slice target, unsigned purposes)
{
	struct robots_verdict verdict = {.is_allowed = true};
	const struct robots_rule *rule = NULL, *refusal = NULL;
	uint32_t octets[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}; /* by kind */
	const struct robots_rules *rules;
	struct buf plain;
	uint64_t head = 0;

	if (robots == NULL || slice_is(target, "/robots.txt"))
		return verdict;
	rules = &robots->rules;
	buf_init(&plain, target.len);
	/* most targets have no escape, and some callers test millions */
	if (memchr(target.p, '%', target.len) != NULL) {
		/* Decode "%2A" and "%24", as compiled patterns do. */
		for (size_t i = 0; i < target.len; i++) {
			int value = slice_escape(target, i);

			/* the results need no test: plain has room for all */
			if (value == '*' || value == '$') {
				(void)buf_put_char(&plain, (char)value);
				i += 2;
			} else {
				(void)buf_put_char(&plain, target.p[i]);
			}
		}

		target = buf_text(&plain);
	}
	/* The first rule that matches, in the order of struct robots, decides;
	 * of preferences of a kind all that are as long as the first.
	 * The work for rules with stars grows with their number times the
	 * length of target.  The rule at which it exceeds ROBOTS_MAX_WORK
	 * decides, too, and then the target may not be fetched, whatever that
	 * rule says. */
	memcpy(&head, target.p,
	    target.len < sizeof(head) ? target.len : sizeof(head));
	for (size_t i = 0; i < rules->count && !verdict.is_given_up &&
	     (rule == NULL || rules->has_preferences);
	     i++) {
		const struct robots_rule *item = &rules->items[i];
		struct slice pattern = slice_make(
		    rules->text.p + item->compiled_at, item->compiled_len);

		/* this test alone excludes most rules */
		if ((head & item->mask) != item->head)
			continue;
		if (octets[item->kind] != UINT32_MAX &&
		    (item->kind == ROBOTS_RULE ||
			item->octets != octets[item->kind]))
			continue;
		if (item->has_star) {
			verdict.work += item->compiled_len +
			    (uint32_t)target.len;
			verdict.is_given_up = verdict.work > ROBOTS_MAX_WORK;
		}
		if (!verdict.is_given_up &&
		    !robots_matches(pattern, item->is_anchored, target))
			continue;
		octets[item->kind] = item->octets;
		if (item->kind == ROBOTS_RULE || verdict.is_given_up)
			rule = item;
		verdict.said.yes |= item->said.yes;
		verdict.said.no |= item->said.no;
		if (refusal == NULL && (item->said.no & purposes) != 0)
			refusal = item;
	}
	buf_release(&plain);
	verdict.is_allowed = rule == NULL ||
	    (rule->is_allow && !verdict.is_given_up);
	/* what may not be fetched has no preferences */
	if (!verdict.is_allowed)
		verdict.said = (struct purposes){0};
	verdict.refused_for = verdict.said.no & (uint8_t)purposes;
	if (verdict.refused_for != 0) {
		verdict.is_allowed = false;
		rule = refusal;
	}
	if (rule == NULL)
		return verdict;
	verdict.line = rule->line;
	verdict.rule = slice_make(rules->text.p + rule->raw_at, rule->raw_len);
	return verdict;
}

/* A file that cannot be read as text. */

#define LOOK_BYTES 1024

bool
robots_is_packed(struct slice body, const char *content_encoding)
{
	static const struct slice magics[] = {
	    {"\x1f\x8b", 2}, {"\x28\xb5\x2f\xfd", 4}};

	for (size_t i = 0; i < LENGTH(magics); i++)
		if (slice_starts(body, magics[i]))
			return true;
	if (content_encoding == NULL ||
	    slice_equal_nocase(
		slice_of(content_encoding), slice_of("identity")))
		return false;
	/* Text has no control characters but these. */
	for (size_t i = 0; i < body.len && i < LOOK_BYTES; i++)
		if ((unsigned char)body.p[i] < ' ' &&
		    memchr("\t\n\v\f\r", body.p[i], 5) == NULL)
			return true;
	return false;
}

bool
robots_is_html(struct slice body)
{
	body = slice_trim(without_bom(body));
	return body.len > 0 && body.p[0] == '<';
}

bool
robots_is_file(struct slice body)
{
	bool is_html = robots_is_html(body), has_text = false;
	struct slice text = without_bom(body);

	while (text.len > 0) {
		struct slice line = content_of(robots_next_line(&text));
		enum robots_field field;
		struct slice value;
		bool is_typo;

		has_text = has_text || line.len > 0;
		field = line.len == 0 ? FIELD_UNKNOWN
				      : find_record(line, &value, &is_typo);
		/* Scripts and styles of a page have lines that read like rules
		 * of robots.txt; none has these two. */
		if (field != FIELD_UNKNOWN &&
		    (!is_html ||
			(!is_typo &&
			    (field == FIELD_AGENT ||
				(field == FIELD_SITEMAP &&
				    slice_starts(value, slice_of("http")))))))
			return true;
	}
	return !has_text;
}
