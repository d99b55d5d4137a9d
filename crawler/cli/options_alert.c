/* The sections [alert NAME] of the configuration. */
#include "crawler/cli/options_alert.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "base/section.h"
#include "base/suggestion.h"
#include "crawler/cli/options.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/watch_settings.h"

#define NAME_MAX_BYTES 60 /* of an alert */
#define ENV_MAX_BYTES 100

/* Kinds are bits, so that an event is matched without a look at names. */
static bool
add_kind(struct alert_rule *rule, struct slice word)
{
	int kind = choice_find(EVENT_NAMES, word);

	if (kind >= 0)
		rule->kinds |= UINT32_C(1) << kind;
	return kind >= 0;
}

/* A tag that no site has is no mistake here: sites get their tags later, and
 * from other commands. alert_complain_tags() says it when the alert is used. */
static bool
options_alert_add_tag(struct alert_rule *rule, struct slice word)
{
	char *tag = slice_dup(word);
	bool is_good = shape_tag(tag);

	if (is_good)
		strings_add(&rule->tags, word);
	free(tag);
	return is_good;
}

/* Whether any site has such a section is known only when all of the
 * configuration was read: options_check_alerts() looks. */
static bool
add_section(struct alert_rule *rule, struct slice word)
{
	/* '/blog/' and '/blog' are the same section */
	if (word.len > 1 && word.p[word.len - 1] == '/')
		word.len--;
	if (!slice_is_graphic(word) ||
	    (word.p[0] != '/' && !section_is_name(word)))
		return false;
	strings_add(&rule->sections, word);
	return true;
}

/* The values of keys.  Each function returns false if the value has another
 * form; `to` is the member of the rule. */

/* The three lists differ only in what a word of theirs may be. */
static bool
alert_take_list(struct alert_rule *rule, void *to, const char *list)
{
	bool (*fn)(struct alert_rule *, struct slice) = to == &rule->kinds
	    ? add_kind
	    : to == &rule->tags ? options_alert_add_tag
				: add_section;

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

/* 0 is any number of pages, as without the key. */
static bool
alert_take_number(struct alert_rule *rule, void *to, const char *value)
{
	(void)rule;
	return value_number(value, UINT32_MAX, to);
}

/* The sign of percent must stand there: '30' alone could be a number of pages,
 * which is another key. */
static bool
alert_take_share(struct alert_rule *rule, void *to, const char *value)
{
	size_t len = strlen(value);
	char *number = mem_copy(value);
	bool is_good = len > 1 && value[len - 1] == '%';

	(void)rule;
	if (is_good)
		number[len - 1] = '\0';
	is_good = is_good && value_number(number, 100, to);
	free(number);
	return is_good;
}

/* A path from the root: a daemon has no folder of its own. */
static bool
alert_take_path(struct alert_rule *rule, void *to, const char *value)
{
	char **path = to;

	(void)rule;
	if (value[0] == '/')
		*path = mem_copy(value);
	return value[0] == '/';
}

/* The name goes to getenv(); a shell could not set other ones. */
static bool
alert_take_name(struct alert_rule *rule, void *to, const char *value)
{
	size_t len = strlen(value);
	char **name = to;

	(void)rule;
	for (size_t i = 0; i < len; i++)
		if (!ascii_is_letter(value[i]) && !ascii_is_digit(value[i]) &&
		    value[i] != '_')
			return false;
	if (len == 0 || len > ENV_MAX_BYTES)
		return false;
	*name = mem_copy(value);
	return true;
}

static const struct alert_key {
	const char *name;
	size_t member; /* of struct alert_rule */
	bool (*take)(struct alert_rule *, void *to, const char *value);
	const char *form;
} keys[] = {
    {"kinds", offsetof(struct alert_rule, kinds), alert_take_list,
	"kinds of events with commas; see 'freshet help diff'"},
    {"tags", offsetof(struct alert_rule, tags), alert_take_list,
	"tags of the watch list with commas"},
    {"sections", offsetof(struct alert_rule, sections), alert_take_list,
	"sections with commas, such as /blog or products"},
    {"at-least", offsetof(struct alert_rule, at_least), alert_take_number,
	"a number of pages"},
    {"share", offsetof(struct alert_rule, share), alert_take_share,
	"a percentage such as 30%"},
    {"exec", offsetof(struct alert_rule, program), alert_take_path,
	"the path of a program, from the root"},
    {"webhook-file", offsetof(struct alert_rule, webhook_file), alert_take_path,
	"the path of a file, from the root"},
    {"webhook-env", offsetof(struct alert_rule, webhook_env), alert_take_name,
	"a variable of the environment"},
    {"atom", offsetof(struct alert_rule, atom), alert_take_path,
	"the path of a file, from the root"},
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

bool
alert_rules_add(struct alert_rules *rules, const char *name, const char *key,
    const char *value, const char *where)
{
	struct suggestion suggestion;
	struct alert_rule *rule = NULL;
	size_t len = strlen(name);
	bool is_name = len > 0 && len <= NAME_MAX_BYTES;

	for (size_t i = 0; i < len; i++)
		is_name = is_name &&
		    (ascii_is_letter(name[i]) || ascii_is_digit(name[i]) ||
			name[i] == '-' || name[i] == '_');
	if (!is_name) {
		complain("%sthe name of an alert has 1 to %d letters, digits, "
			 "'-' and '_'",
		    where, NAME_MAX_BYTES);
		return false;
	}
	/* a section may stand in pieces: its rule may be there already */
	for (size_t i = 0; rule == NULL && i < rules->count; i++)
		if (strcmp(rules->items[i].name, name) == 0)
			rule = &rules->items[i];
	if (rule == NULL) {
		rules->items = mem_grow(rules->items, &rules->cap,
		    rules->count + 1, sizeof(*rules->items));
		rule = &rules->items[rules->count++];
		*rule = (struct alert_rule){.name = mem_copy(name)};
	}
	/* a key that is misspelt gets the nearest one */
	suggestion_init(&suggestion, slice_of(key));
	for (size_t i = 0; i < KEYS; i++) {
		suggestion_try(&suggestion, keys[i].name, strlen(keys[i].name));
		if (strcmp(key, keys[i].name) != 0)
			continue;
		/* a second value would be lost */
		if ((rule->given & 1u << i) != 0) {
			complain("%s'%s' stands in [alert %s] already", where,
			    key, name);
			return false;
		}
		rule->given |= 1u << i;
		if (keys[i].take(rule, (char *)rule + keys[i].member, value))
			return true;
		complain("%s'%s' takes %s, not '%s'", where, key, keys[i].form,
		    value);
		return false;
	}
	if (suggestion.best != NULL)
		complain("%san alert has no key '%s'; did you mean '%s'?",
		    where, key, suggestion.best);
	else
		complain("%san alert has no key '%s'; see 'man freshet.conf'",
		    where, key);
	return false;
}

bool
alert_rules_finish(const struct alert_rules *rules, const char *path)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct alert_rule *rule = &rules->items[i];

		/* one way to tell is enough */
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
