/* The rows of the table of commands: what each is for, in words.  Each is
 * defined in the file of its group, commands_GROUP.c. */
#ifndef FRESHET_COMMANDS_TABLE_H
#define FRESHET_COMMANDS_TABLE_H

#include "crawler/cli/command.h"

extern const struct command command_row_check;
extern const struct command command_row_compare;
extern const struct command command_row_crawl;
extern const struct command command_row_add;
extern const struct command command_row_list;
extern const struct command command_row_rm;
extern const struct command command_row_set;
extern const struct command command_row_run;
extern const struct command command_row_due;
extern const struct command command_row_done;
extern const struct command command_row_hold;
extern const struct command command_row_release;
extern const struct command command_row_ls;
extern const struct command command_row_export;
extern const struct command command_row_import;
extern const struct command command_row_explain;
extern const struct command command_row_stats;
extern const struct command command_row_robots;
extern const struct command command_row_sql;
extern const struct command command_row_sim;
extern const struct command command_row_db;
extern const struct command command_row_demo;
extern const struct command command_row_doctor;
extern const struct command command_row_completion;
extern const struct command command_row_help;
extern const struct command command_row_version;

#endif
