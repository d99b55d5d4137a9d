/* The sections [alert NAME] of the configuration. */
#include "crawler/cli/options_alert.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/section.h"
#include "base/suggestion.h"
#include "crawler/cli/config.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/watch_settings.h"

#define NAME_MAX_BYTES 60 /* of an alert */
#define ENV_MAX_BYTES 100

/* Call fn for each word of a list with commas; false as soon as fn says so, or
 * if there is an empty word. */
typedef bool word_fn(struct alert_rule *, struct slice word);

static bool
each_word(struct alert_rule *rule, const char *list, word_fn *fn)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		struct slice word = slice_trim(slice_make(list, len));

		if (word.len == 0 || !fn(rule, word))
			return false;
		if (list[len] == '\0')
			return true;
		list += len + 1;
	}
}

static bool
add_kind(struct alert_rule *rule, struct slice word)
{
	const char *at = EVENT_NAMES;

	for (unsigned kind = 0;; kind++) {
		size_t len = strcspn(at, "|");

		if (slice_equal(word, slice_make(at, len))) {
			rule->kinds |= UINT32_C(1) << kind;
			return true;
		}
		if (at[len] == '\0')
			return false;
		at += len + 1;
	}
}

static bool
add_tag(struct alert_rule *rule, struct slice word)
{
	char *tag = slice_dup(word);
	bool is_good = shape_tag(tag);

	if (is_good)
		strings_add(&rule->tags, word);
	free(tag);
	return is_good;
}

static bool
add_section(struct alert_rule *rule, struct slice word)
{
	if (word.len > 1 && word.p[word.len - 1] == '/')
		word.len--;
	if (!slice_is_graphic(word) ||
	    (word.p[0] != '/' && !section_is_name(word)))
		return false;
	strings_add(&rule->sections, word);
	return true;
}

/* One value for each key; each returns false if the value has another form. */

static bool
take_kinds(struct alert_rule *rule, const char *value)
{
	return each_word(rule, value, add_kind);
}

static bool
take_tags(struct alert_rule *rule, const char *value)
{
	return each_word(rule, value, add_tag);
}

static bool
take_sections(struct alert_rule *rule, const char *value)
{
	return each_word(rule, value, add_section);
}

static bool
take_at_least(struct alert_rule *rule, const char *value)
{
	return value_number(value, UINT32_MAX, &rule->at_least);
}

static bool
take_share(struct alert_rule *rule, const char *value)
{
	size_t len = strlen(value);
	uint64_t share;
	char *number = mem_copy(value);
	bool is_good = len > 1 && value[len - 1] == '%';

	if (is_good)
		number[len - 1] = '\0';
	is_good = is_good && value_number(number, 100, &share);
	if (is_good)
		rule->share = (unsigned)share;
	free(number);
	return is_good;
}

/* A path from the root: a daemon has no folder of its own. */
static bool
take_path(char **path, const char *value)
{
	if (value[0] != '/')
		return false;
	*path = mem_copy(value);
	return true;
}

static bool
take_program(struct alert_rule *rule, const char *value)
{
	return take_path(&rule->program, value);
}

static bool
take_webhook_file(struct alert_rule *rule, const char *value)
{
	return take_path(&rule->webhook_file, value);
}

static bool
take_webhook_env(struct alert_rule *rule, const char *value)
{
	size_t len = strlen(value);

	for (size_t i = 0; i < len; i++)
		if (!ascii_is_letter(value[i]) && !ascii_is_digit(value[i]) &&
		    value[i] != '_')
			return false;
	if (len == 0 || len > ENV_MAX_BYTES)
		return false;
	rule->webhook_env = mem_copy(value);
	return true;
}

static bool
take_atom(struct alert_rule *rule, const char *value)
{
	return take_path(&rule->atom, value);
}

static const struct alert_key {
	const char *name;
	bool (*take)(struct alert_rule *, const char *value);
	const char *form;
} keys[] = {
    {"kinds", take_kinds,
	"kinds of events with commas; see 'freshet help diff'"},
    {"tags", take_tags, "tags of the watch list with commas"},
    {"sections", take_sections,
	"sections with commas, such as /blog or products"},
    {"at-least", take_at_least, "a number of pages"},
    {"share", take_share, "a percentage such as 30%"},
    {"exec", take_program, "the path of a program, from the root"},
    {"webhook-file", take_webhook_file, "the path of a file, from the root"},
    {"webhook-env", take_webhook_env, "a variable of the environment"},
    {"atom", take_atom, "the path of a file, from the root"},
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static struct alert_rule *
rule_of(struct alert_rules *rules, const char *name)
{
	struct alert_rule *rule;

	for (size_t i = 0; i < rules->count; i++)
		if (strcmp(rules->items[i].name, name) == 0)
			return &rules->items[i];
	rules->items = mem_grow(
	    rules->items, &rules->cap, rules->count + 1, sizeof(*rules->items));
	rule = &rules->items[rules->count++];
	*rule = (struct alert_rule){.name = mem_copy(name)};
	return rule;
}

/* Has the rule a value for this key?  A second one would be lost. */
static bool
has_value(const struct alert_rule *rule, const struct alert_key *key)
{
	return (key->take == take_kinds && rule->kinds != 0) ||
	    (key->take == take_tags && rule->tags.count > 0) ||
	    (key->take == take_sections && rule->sections.count > 0) ||
	    (key->take == take_program && rule->program != NULL) ||
	    (key->take == take_webhook_file && rule->webhook_file != NULL) ||
	    (key->take == take_webhook_env && rule->webhook_env != NULL) ||
	    (key->take == take_atom && rule->atom != NULL);
}

static bool
is_name(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!ascii_is_letter(name[i]) && !ascii_is_digit(name[i]) &&
		    name[i] != '-' && name[i] != '_')
			return false;
	return len > 0 && len <= NAME_MAX_BYTES;
}

bool
alert_rules_add(struct alert_rules *rules, const struct config_item *item,
    const char *where)
{
	struct suggestion suggestion;
	struct alert_rule *rule;

	if (!is_name(item->alert)) {
		complain("%sthe name of an alert has 1 to %d letters, digits, "
			 "'-' and '_'",
		    where, NAME_MAX_BYTES);
		return false;
	}
	rule = rule_of(rules, item->alert);
	suggestion_init(&suggestion, slice_of(item->key));
	for (size_t i = 0; i < KEYS; i++) {
		suggestion_try(&suggestion, keys[i].name, strlen(keys[i].name));
		if (strcmp(item->key, keys[i].name) != 0)
			continue;
		if (has_value(rule, &keys[i])) {
			complain("%s'%s' stands in [alert %s] already", where,
			    item->key, item->alert);
			return false;
		}
		if (keys[i].take(rule, item->value))
			return true;
		complain("%s'%s' takes %s, not '%s'", where, item->key,
		    keys[i].form, item->value);
		return false;
	}
	if (suggestion.best != NULL)
		complain("%san alert has no key '%s'; did you mean '%s'?",
		    where, item->key, suggestion.best);
	else
		complain("%san alert has no key '%s'; see 'man freshet.conf'",
		    where, item->key);
	return false;
}

bool
alert_rules_finish(const struct alert_rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct alert_rule *rule = &rules->items[i];

		if (rule->program != NULL || rule->webhook_file != NULL ||
		    rule->webhook_env != NULL || rule->atom != NULL)
			continue;
		complain("%s: [alert %s] tells nobody: it needs 'exec', "
			 "'webhook-file', 'webhook-env' or 'atom'",
		    path, rule->name);
		return false;
	}
	return true;
}

const struct alert_rule *
alert_rules_find(const struct alert_rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->count; i++)
		if (strcmp(rules->items[i].name, name) == 0)
			return &rules->items[i];
	return NULL;
}

void
alert_rules_release(struct alert_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		struct alert_rule *rule = &rules->items[i];

		free(rule->name);
		strings_release(&rule->tags);
		strings_release(&rule->sections);
		free(rule->program);
		free(rule->webhook_file);
		free(rule->webhook_env);
		free(rule->atom);
	}
	free(rules->items);
	*rules = (struct alert_rules){0};
}
