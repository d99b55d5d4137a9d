/* Completions for shells, made from the tables of commands and options. */
#ifndef FRESHET_COMPLETION_H
#define FRESHET_COMPLETION_H

#include "base/buf.h"

/* completion_bash(out), completion_zsh(out), completion_fish(out): the script
 * that the shell reads. */
void completion_bash(struct buf *out);
void completion_zsh(struct buf *out);
void completion_fish(struct buf *out);

/* completion_topics(out): what `freshet help` explains besides commands, with
 * spaces between. */
void completion_topics(struct buf *out);

/*
 * completion_words(out, choices): "a b" of "a|b".
 * completion_pairs(out): "dir_rule=enforce dir_rule=warn ...", of all switches.
 */
void completion_words(struct buf *out, const char *choices);
void completion_pairs(struct buf *out);

#endif
