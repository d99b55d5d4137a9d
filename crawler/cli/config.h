/*
 * The configuration file: sections, keys and values, with their lines.
 *
 *	[defaults]
 *	delay = 2s
 *	[site www.example.org]
 *	profile = strict
 *	[alert rivals]
 *	kinds = section-launched
 *
 * A line is empty, a section or KEY = VALUE, or begins with # or ;. The whole
 * rest of the line is the value, with '#', ';' and quotes; white space around
 * it is not.
 */
#ifndef FRESHET_CONFIG_H
#define FRESHET_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIG_MAX_BYTES (1 << 20) /* size of the largest file */
#define CONFIG_MAX_LINE 8192 /* bytes; a header may be as long */

struct config_item {
	const char *site; /* the HOST of [site HOST]; NULL: another section */
	const char *alert; /* the NAME of [alert NAME]; NULL: another section */
	const char *key;
	const char *value;
	unsigned line;
	unsigned section_line;
};

/* The caller zeroes it before config_read(). */
struct config {
	struct config_item *items; /* in the order of the file */
	size_t count;
	size_t cap;
	char **kept; /* owned; the strings of items lie here */
	size_t kept_count;
	size_t kept_cap;
};

/* config_read(config, path): read the file. The caller judges keys and values.
 * Returns false, after one line on stderr that names file and line, if the file
 * cannot be read or is not of this form. Call config_release() in any case. */
bool config_read(struct config *, const char *path);
void config_release(struct config *);

#endif
