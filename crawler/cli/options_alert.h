/* The sections [alert NAME] of the configuration: which events are told, to
 * whom. */
#ifndef FRESHET_OPTIONS_ALERT_H
#define FRESHET_OPTIONS_ALERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strings.h"

/* All strings and lists are owned. */
struct alert_rule {
	char *name;
	unsigned given; /* bits of the keys that the section has */
	/* bits 1 << kind, with the numbers of EVENT_NAMES; 0: all but
	 * notes and first readings */
	uint32_t kinds;
	struct strings tags; /* empty: all sites */
	struct strings sections; /* "/blog", "products"; empty: all */
	uint64_t at_least; /* pages; 0: any number */
	uint64_t share; /* percent of what an event counts of; 0: any */
	char *program; /* a program to start; NULL: none */
	/* a file, or a variable of the environment, with a URL; NULL: none */
	char *webhook_file, *webhook_env;
	char *atom; /* a file to write; NULL: none */
};

/* The rules, in the order of the file.  Zeroed before its first use. */
struct alert_rules {
	struct alert_rule *items; /* owned */
	size_t count, cap;
};

/*
 * alert_rules_add(rules, name, key, value, where): take KEY = VALUE of the
 * section [alert NAME]; `where` is "FILE:LINE: ".  alert_rules_finish(rules,
 * path): check that each rule has somewhere to tell.  Both return false after
 * one line on stderr.
 */
bool alert_rules_add(struct alert_rules *, const char *name, const char *key,
    const char *value, const char *where);
bool alert_rules_finish(const struct alert_rules *, const char *path);
void alert_rules_release(struct alert_rules *);

#endif
