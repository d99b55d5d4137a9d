/* The commands. Each function returns the exit status (exit.h). */
#ifndef FRESHET_COMMANDS_H
#define FRESHET_COMMANDS_H

#include "base/buf.h"
#include "crawler/cli/options.h"
#include "crawler/sandbox/forkserver.h"

int command_check(struct options *, struct forkserver *);

int command_compare(struct options *, struct forkserver *);
int command_stamp(struct options *, struct forkserver *);
int command_crawl(struct options *, struct forkserver *);
int command_add(struct options *);
int command_list(struct options *);
int command_rm(struct options *);
int command_set(struct options *);
int command_due(struct options *);
int command_done(struct options *);
int command_hold(struct options *);
int command_release(struct options *);
int command_stats(struct options *);
int command_diff(struct options *);
int command_alert(struct options *);
int command_changes(struct options *);
int command_report(struct options *);
int command_note(struct options *);
int command_ls(struct options *);
int command_export(struct options *);
int command_import(struct options *);
int command_explain(struct options *);
int command_demo(struct options *);
int command_doctor(struct options *);
int command_run(struct options *, struct forkserver *);
int command_top(struct options *);
int command_robots(struct options *, struct forkserver *);
int command_sql(struct options *);
int command_db(struct options *);
int command_completion(struct options *);
/* What the script of a shell asks for: see cmd_completion.c. */
int command_complete(int count, char *const *words);
/* command_help(options): help on the topic among the arguments, or the
 * overview. command_help_on(options, topic): help on the topic; NULL: the
 * overview. help_overview(out): append it. */
int command_help(struct options *);
void help_overview(struct buf *);
int command_help_on(const struct options *, const char *topic);
int command_version(struct options *);

#endif
