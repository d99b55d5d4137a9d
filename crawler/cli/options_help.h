/* Texts made from the tables of commands and options. */
#ifndef FRESHET_OPTIONS_HELP_H
#define FRESHET_OPTIONS_HELP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* options_help(command, out): append the text of `freshet help COMMAND`; NULL:
 * the overview. Returns false if there is no such command. */
bool options_help(const char *command, struct buf *out);

/* Append `freshet help switches`, as text and as JSON lines. */
void options_help_switches(struct buf *out);
void options_json_switches(struct buf *out);

/*
 * Append `freshet help config`, as text and as JSON lines.
 * options_json(i, out): append one line with the i-th command and its options.
 */
void options_help_keys(struct buf *out);
void options_json_keys(struct buf *out);
void options_json(size_t i, struct buf *out);

#endif
