/* Completions for shells: each has a short script that asks freshet itself. */
#ifndef FRESHET_COMPLETION_H
#define FRESHET_COMPLETION_H

#include "base/buf.h"

/* completion_script(shell): the script that the shell reads; NULL: there is no
 * such shell.  The script calls `freshet __complete WORD...`. */
const char *completion_script(const char *shell);

/* "bash|zsh|fish" */
extern const char completion_shells[];

/*
 * completion_words(out, count, words):
 * What may stand in the place of the last word, which may be empty; the words
 * before it are those of the command line, without the program.  Each line is a
 * word, or a word, a tab and its description.  A single line that begins with a
 * colon stands for names that the shell knows: ":files", ":folders", ":hosts".
 * bash parts words at "=": then only what follows it is answered.
 */
void completion_words(struct buf *out, int count, char *const *words);

#endif
