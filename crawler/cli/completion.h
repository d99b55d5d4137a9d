/* Completions for shells, made from the tables of commands and options. */
#ifndef FRESHET_COMPLETION_H
#define FRESHET_COMPLETION_H

#include "base/buf.h"

/* completion_bash(out), completion_zsh(out), completion_fish(out): the script
 * that the shell reads. */
void completion_bash(struct buf *out);
void completion_zsh(struct buf *out);
void completion_fish(struct buf *out);

#endif
