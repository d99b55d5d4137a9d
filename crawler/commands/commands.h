/* The commands. Each function returns the exit status (exit.h). */
#ifndef FRESHET_COMMANDS_H
#define FRESHET_COMMANDS_H

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/sandbox/forkserver.h"

#define RUNS(NUMBER, name) int command_##name(struct options *);
#define READS(NUMBER, name) \
	int command_##name(struct options *, struct forkserver *);
#include "crawler/cli/command.def"
#undef RUNS
#undef READS

/* What the script of a shell asks for: see cmd_completion.c. */
int command_complete(int count, char *const *words);
/* command_help(options): help on the topic among the arguments, or the
 * overview. command_help_on(options, topic): help on the topic; NULL: the
 * overview. help_overview(out): append it. */
void help_overview(struct buf *);
int command_help_on(const struct options *, const char *topic);

#endif
