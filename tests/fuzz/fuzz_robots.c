/*
 * Any bytes as a robots.txt: the verdict is that of the plainest matcher one
 * can write, its line is the rule's, sitemaps are normal, and no file makes
 * matching slow.
 *
 *	byte 0: profile
 *	line 1: paths and queries, one after each space
 *	rest:   the file
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/robots.h"
#include "base/url.h"
#include "tests/fuzz/fuzz.h"

#define DELAY_MAX_MS 60000
#define TARGET_MAX 512

/* How much CPU time one verdict may take: enough for sanitizers and debug
 * builds, far too little to try anything twice. */
#define SPARE_NS 100000000
#define STEP_NS 100

/* The character that "%2A" or "%24" at i stands for, else 0. */
static char
read_special(struct slice text, size_t i)
{
	if (text.len - i < 3 || text.p[i] != '%' || text.p[i + 1] != '2')
		return 0;
	if (text.p[i + 2] == 'A' || text.p[i + 2] == 'a')
		return '*';
	return text.p[i + 2] == '4' ? '$' : 0;
}

/* Match a pattern by the set of all places of the target that it can reach so
 * far: place[j] says that the first j bytes may be matched. */
static bool
matches_plainly(struct slice pattern, bool is_anchored, struct slice target)
{
	bool places[TARGET_MAX + 1] = {true};

	for (size_t i = 0; i < pattern.len; i++) {
		bool is_any = pattern.p[i] == ROBOTS_WILDCARD;

		for (size_t j = target.len + 1; j-- > 0 && !is_any;)
			places[j] = j > 0 && places[j - 1] &&
			    target.p[j - 1] == pattern.p[i];
		for (size_t j = 1; j <= target.len && is_any; j++)
			places[j] |= places[j - 1];
	}
	if (is_anchored)
		return places[target.len];
	for (size_t j = 0; j <= target.len; j++)
		if (places[j])
			return true;
	return false;
}

/* SPEC R-92: the rule with the most octets wins; with as many octets, Allow
 * wins; of equal rules, the first. */
static const struct robots_rule *
decide_plainly(const struct robots *robots, struct slice target)
{
	const struct robots_rules *rules = &robots->rules;
	const struct robots_rule *best = NULL;

	for (size_t i = 0; i < rules->count; i++) {
		const struct robots_rule *rule = &rules->items[i];
		struct slice pattern = slice_make(
		    rules->text.p + rule->compiled_at, rule->compiled_len);

		if (!matches_plainly(pattern, rule->is_anchored, target))
			continue;
		if (best == NULL || rule->octets > best->octets ||
		    (rule->octets == best->octets &&
			(rule->is_allow > best->is_allow ||
			    (rule->is_allow == best->is_allow &&
				rule->line < best->line))))
			best = rule;
	}
	return best;
}

static int64_t
cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
check_target(const struct robots *robots, struct slice body, struct slice path)
{
	char plain[TARGET_MAX];
	struct slice target = slice_make(plain, 0);
	int64_t start_ns = cpu_ns();
	struct robots_verdict verdict = robots_verdict(robots, path);
	int64_t spent_ns = cpu_ns() - start_ns;

	assert(spent_ns <
	    SPARE_NS + STEP_NS * (int64_t)(body.len * (path.len + 1)));
	if (verdict.is_given_up) {
		assert(!verdict.is_allowed && verdict.work > ROBOTS_MAX_WORK);
		return;
	}
	if (slice_is(path, "/robots.txt")) {
		assert(verdict.is_allowed);
		return;
	}
	for (size_t i = 0; i < path.len; i++) {
		char special = read_special(path, i);

		plain[target.len++] = special != 0 ? special : path.p[i];
		if (special != 0)
			i += 2;
	}
	const struct robots_rule *rule = decide_plainly(robots, target);
	assert(verdict.is_allowed == (rule == NULL || rule->is_allow));
	assert(verdict.line == (rule == NULL ? 0 : rule->line));
	if (rule != NULL) {
		struct slice line = robots_line(body, verdict.line);

		assert(memmem(line.p, line.len, verdict.rule.p,
			   verdict.rule.len) != NULL);
	}
}

static void
check_sitemaps(const struct robots *robots, struct slice body)
{
	struct profile strict = profile_default(PROFILE_STRICT);
	struct diag_sink none = {0};
	struct url url = {0};
	uint32_t line;

	strict.max_loc_chars = URL_MAX_BYTES;
	for (uint32_t i = 0; i < robots->sitemaps.count; i++) {
		struct slice text = robots_sitemap(robots, i, &line);
		enum diag_code code = url_parse(
		    &url, text, NULL, &strict, none);

		assert(code == DIAG_OK && slice_equal(text, url_text(&url)));
		assert(line > 0 && robots_line(body, line).len > 0);
		for (uint32_t j = 0; j < i; j++) {
			uint32_t other;

			assert(!slice_equal(
			    text, robots_sitemap(robots, j, &other)));
			assert(other <= line);
		}
	}
	assert(robots_sitemap(robots, (uint32_t)robots->sitemaps.count, &line)
		   .len == 0);
	url_release(&url);
}

static struct slice
next_word(struct slice *text, char end)
{
	const char *p = text->len > 0 ? memchr(text->p, end, text->len) : NULL;
	size_t n = p == NULL ? text->len : (size_t)(p - text->p);
	struct slice word = slice_make(text->p, n);

	*text = slice_from(*text, p == NULL ? n : n + 1);
	return word;
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum profile_name names[] = {
	    PROFILE_STRICT, PROFILE_GOOGLE, PROFILE_LENIENT, PROFILE_GOOGLE};
	struct diag_sink none = {0};

	if (size < 1)
		return 0;
	struct profile profile = profile_default(names[data[0] & 3]);
	struct slice body = slice_make((const char *)data + 1, size - 1);
	struct slice paths = next_word(&body, '\n');
	struct robots *robots = robots_parse(
	    body, slice_of("freshet"), &profile, none);

	assert(robots_delay_ms(robots) <= DELAY_MAX_MS);
	check_sitemaps(robots, body);
	while (paths.len > 0) {
		struct slice path = next_word(&paths, ' ');

		if (path.len > 0 && path.len <= TARGET_MAX)
			check_target(robots, body, path);
	}
	for (size_t i = 0; i < robots->rules.agent_count; i++)
		assert(robots_line(body, robots->rules.agents[i]).len > 0);
	robots_free(robots);
	return 0;
}
