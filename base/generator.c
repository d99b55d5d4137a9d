/* Programs that write sitemaps, and how they are recognised. */
#include "base/generator.h"

#include <string.h>

/* What must hold of a document; what is NULL or false need not. */
struct generator_rule {
	uint8_t generator;
	const char *reason;
	const char *name; /* of its file; '*' stands for any text */
	const char *begins; /* '*' stands for any text without '<' and '"' */
	const char *has; /* in its head or its tail */
	bool has_hints, is_html, is_moment;
	uint8_t hints;
};

#include "generators.inc"

const char *const dates_source_texts[DATES_SOURCES] = {
    [DATES_NONE] = "no dates",
    [DATES_BUILD] = "the time of the build",
    [DATES_MTIME] = "the time of the file",
    [DATES_BIRTH] = "when the file was made",
    [DATES_AUTHOR] = "git's author date",
    [DATES_COMMITTER] = "git's committer date",
    [DATES_PAGE] = "the date in the page",
    [DATES_DATABASE] = "the database",
    [DATES_GIVEN] = "what its caller gives"};

#define RULES LENGTH(rules)

/* rule_fits(pattern, text, is_front): does the text, or its front, match? A '*'
 * in the pattern of a front stands for no '<' and no '"', so that it stays in
 * one value. */
static bool
rule_fits(const char *pattern, struct slice text, bool is_front)
{
	const char *star = NULL; /* behind the last '*' of the pattern */
	size_t from = 0; /* where the text behind that '*' is tried next */
	size_t at = 0;

	for (;;) {
		if (*pattern == '*') {
			star = ++pattern;
			from = at;
		} else if (*pattern == '\0' && (is_front || at == text.len)) {
			return true;
		} else if (at < text.len && *pattern == text.p[at]) {
			pattern++;
			at++;
		} else {
			if (star == NULL || from >= text.len ||
			    (is_front &&
				(text.p[from] == '<' || text.p[from] == '"')))
				return false;
			/* the last '*' stands for one byte more */
			pattern = star;
			at = ++from;
		}
	}
}

uint8_t
generator_recognise(const struct generator_signs *signs)
{
	for (size_t i = 1; i < RULES; i++) {
		const struct generator_rule *rule = &rules[i];
		size_t len = rule->has == NULL ? 0 : strlen(rule->has);

		if ((!rule->is_html || signs->is_html) &&
		    (!rule->is_moment || signs->is_moment) &&
		    (!rule->has_hints ||
			(signs->has_hints && signs->hints == rule->hints)) &&
		    (rule->name == NULL ||
			rule_fits(rule->name, signs->name, false)) &&
		    (rule->begins == NULL ||
			rule_fits(rule->begins, signs->head, true)) &&
		    (len == 0 ||
			memmem(signs->head.p, signs->head.len, rule->has,
			    len) != NULL ||
			memmem(signs->tail.p, signs->tail.len, rule->has,
			    len) != NULL))
			return (uint8_t)i;
	}
	return 0;
}

const struct generator *
generator_of(uint8_t rule, const char **reason)
{
	if (rule == 0 || rule >= RULES)
		return NULL;
	*reason = rules[rule].reason;
	return &generator_rows[rules[rule].generator];
}

const struct generator *
generator_of_pages(const struct generator *found, struct slice meta)
{
	if (found == NULL || (!found->is_library && found->pages == NULL))
		return NULL;
	for (const struct generator *one = generator_rows; one->name != NULL;
	     one++)
		if (meta.len == 0 ? one->is_library
				  : one->pages != NULL &&
			    slice_starts(
				slice_trim(meta), slice_of(one->pages)))
			return one;
	return NULL;
}

const struct generator *
generator_find(struct slice name)
{
	for (const struct generator *one = generator_rows; one->name != NULL;
	     one++)
		if (slice_equal_nocase(name, slice_of(one->name)))
			return one;
	return NULL;
}
