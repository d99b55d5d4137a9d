/*
 * The configuration file: sections, keys and values, with their lines.
 *
 *	[defaults]
 *	delay = 2s
 *	[site www.example.org]
 *	profile = strict
 *
 * A line is empty, a section, KEY = VALUE, or begins with # or ;.  All of a
 * value counts, '#', ';' and quotes too; white space around it does not.
 */
#ifndef FRESHET_CONFIG_H
#define FRESHET_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_MAX_BYTES (1 << 20) /* the largest file */
#define CONFIG_MAX_LINE 8192 /* as long as a header may be */

struct config_item {
	const char *site; /* what follows "site" in [site ...]; */
	const char *key; /* NULL: [defaults] */
	const char *value;
	unsigned line;
	unsigned section_line;
};

/* Zeroed before config_read. */
struct config {
	struct config_item *items; /* in the order of the file */
	size_t count;
	size_t cap;
	char **kept; /* owned: the strings of items */
	size_t kept_count;
	size_t kept_cap;
};

/*
 * config_read(config, path): read the file; which keys there are and what
 * they take is the caller's.  False, after one line on stderr that names file
 * and line, for what is no such file.  config_release in any case.
 */
bool config_read(struct config *, const char *path);
void config_release(struct config *);

#endif
