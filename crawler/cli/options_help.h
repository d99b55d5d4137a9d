/* Texts made from the tables of commands and options. */
#ifndef FRESHET_OPTIONS_HELP_H
#define FRESHET_OPTIONS_HELP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* options_help(command, out): the text of `freshet help COMMAND`, examples
 * first; NULL: the overview.  False when there is no such command. */
bool options_help(const char *command, struct buf *out);

/* options_help_switches(out), options_json_switches(out): `freshet help
 * switches`: those of the profile. */
void options_help_switches(struct buf *out);
void options_json_switches(struct buf *out);

/* options_help_keys(out), options_json_keys(out): `freshet help config`.
 * options_json(i, out): one line: the i-th command with its options. */
void options_help_keys(struct buf *out);
void options_json_keys(struct buf *out);
void options_json(size_t i, struct buf *out);

#endif
