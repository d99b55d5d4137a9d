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

#define NAME_MAX_BYTES 60 /* of an alert */
#define ENV_MAX_BYTES 100

/* What the value of a key is. */
enum alert_value {
	ALERT_KINDS, /* lists of words with commas */
	ALERT_TAGS,
	ALERT_SECTIONS,
	ALERT_NUMBER, /* 0 is any number of pages, as without the key */
	ALERT_SHARE,
	ALERT_PATH,
	ALERT_VARIABLE
};

static const struct alert_key {
	const char *name;
	size_t member; /* of struct alert_rule */
	enum alert_value value;
	const char *form;
} keys[] = {
    {"kinds", offsetof(struct alert_rule, kinds), ALERT_KINDS,
	"kinds of events with commas; see 'freshet help diff'"},
    {"tags", offsetof(struct alert_rule, tags), ALERT_TAGS,
	"tags of the watch list with commas"},
    {"sections", offsetof(struct alert_rule, sections), ALERT_SECTIONS,
	"sections with commas, such as /blog or products"},
    {"at-least", offsetof(struct alert_rule, at_least), ALERT_NUMBER,
	"a number of pages"},
    {"share", offsetof(struct alert_rule, share), ALERT_SHARE,
	"a percentage such as 30%"},
    {"exec", offsetof(struct alert_rule, program), ALERT_PATH,
	"the path of a program, from the root"},
    {"webhook-file", offsetof(struct alert_rule, webhook_file), ALERT_PATH,
	"the path of a file, from the root"},
    {"webhook-env", offsetof(struct alert_rule, webhook_env), ALERT_VARIABLE,
	"a variable of the environment"},
    {"atom", offsetof(struct alert_rule, atom), ALERT_PATH,
	"the path of a file, from the root"},
};

/* Take the words of a list.  Returns false if one has another form. */
static bool
alert_take_list(
    struct alert_rule *rule, enum alert_value value, const char *list)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		struct slice word = slice_trim(slice_make(list, len));
		char *text = slice_dup(word);
		bool is_good = word.len > 0;
		int kind;

		if (is_good && value == ALERT_KINDS) {
			/* bits, so that an event is matched without a look at
			 * names */
			kind = choice_find(EVENT_NAMES, word);
			is_good = kind >= 0;
			if (is_good)
				rule->kinds |= UINT32_C(1) << kind;
		} else if (is_good && value == ALERT_TAGS) {
			/* A tag that no site has is no mistake here: sites get
			 * their tags later, and from other commands.
			 * alert_complain_tags() says it when the alert is
			 * used. */
			is_good = value_has_shape(text, SHAPE_TAG);
			if (is_good)
				strings_add(&rule->tags, word);
		} else if (is_good) {
			/* '/blog/' and '/blog' are the same section.  Whether
			 * any site has it is known only when all of the
			 * configuration was read: options_check_alerts()
			 * looks. */
			if (word.len > 1 && word.p[word.len - 1] == '/')
				word.len--;
			is_good = slice_is_graphic(word) &&
			    (word.p[0] == '/' || section_is_name(word));
			if (is_good)
				strings_add(&rule->sections, word);
		}
		free(text);
		if (!is_good || list[len] == '\0')
			return is_good;
		list += len + 1;
	}
}

/* Write the member of the rule that the key sets.  Returns false if the value
 * has another form. */
static bool
alert_take(
    struct alert_rule *rule, const struct alert_key *key, const char *value)
{
	void *to = (char *)rule + key->member;
	size_t len = strlen(value);
	bool is_good = true;
	char *number;

	switch (key->value) {
	case ALERT_KINDS:
	case ALERT_TAGS:
	case ALERT_SECTIONS:
		return alert_take_list(rule, key->value, value);
	case ALERT_NUMBER:
		return value_number(value, UINT32_MAX, to);
	case ALERT_SHARE:
		/* The sign of percent must stand there: '30' alone could be a
		 * number of pages, which is another key. */
		if (len < 2 || value[len - 1] != '%')
			return false;
		number = slice_dup(slice_make(value, len - 1));
		is_good = value_number(number, 100, to);
		free(number);
		return is_good;
	case ALERT_PATH:
		/* from the root: a daemon has no folder of its own */
		is_good = value[0] == '/';
		break;
	case ALERT_VARIABLE:
		/* the name goes to getenv(); a shell could not set other
		 * ones */
		for (size_t i = 0; i < len; i++)
			is_good = is_good &&
			    (ascii_is_letter(value[i]) ||
				ascii_is_digit(value[i]) || value[i] == '_');
		is_good = is_good && len > 0 && len <= ENV_MAX_BYTES;
		break;
	}
	if (is_good)
		*(char **)to = mem_copy(value);
	return is_good;
}

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
		if (alert_take(rule, &keys[i], value))
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
