/* Completions for shells, made from the tables of commands and options. */
#ifndef FRESHET_COMPLETION_H
#define FRESHET_COMPLETION_H

#include "base/buf.h"

/* Each appends the script that its shell reads. */
void completion_bash(struct buf *out);
void completion_zsh(struct buf *out);
void completion_fish(struct buf *out);

#endif
