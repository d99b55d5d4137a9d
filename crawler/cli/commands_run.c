/* The daemon, in words. */
#include "crawler/cli/commands_table.h"

/* clang-format off */
const struct command command_row_run = {.name = "run",
	.group = "keep fresh",
	.summary = "keep the sites of the watch list fresh, for ever",
	.synopsis = "[--once] [OPTION]...",
	.operand = "argument",
	.examples =
	"freshet run|until it is told to end\n"
	"freshet run --once|what is due now: for cron, or a timer\n"
	"freshet run --log json 2>> freshet.log|one object for each event\n"
	"systemctl reload freshet|read configuration and watch list anew\n",
	.text =
	"Reads the sitemaps of the sites on the watch list (freshet add), each "
	"when the scheduler says that reading it is worth a request, or its "
	"--every demands it: on condition that it changed, politely, within "
	"the budgets. A site that is new on the list is read whole at once. "
	"Pages are handed to those who ask with freshet due; run fetches none "
	"itself.\n"
	"While it runs it holds the store: crawl, add, rm, set, due, done, "
	"hold and release hand over to it, by themselves. All that it knows is "
	"in the store: it may be ended in any way and begun again.\n"
	"SIGHUP reads configuration and watch list anew; a configuration with "
	"a mistake changes nothing; when its terminal was closed it ends it. "
	"SIGTERM and Ctrl-C end it cleanly within "
	"seconds, a second one at once.\n"
	"Each event is a line on stderr. Under systemd it says when it is "
	"ready, reloads or stops, what it does, and that it is alive.\n",
	.exits =
	"0|with --once: all that was due was read\n"
	"1|with --once: some documents failed or were refused\n"
	"2|usage or configuration, or the path can hold no store\n"
	"3|with --once: a limit stopped it early\n"
	"4|with --once: nothing that was due could be read\n"
	"5|the store is locked by another process\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full; the last commit is intact\n"
	"8|memory or descriptors are exhausted; the last commit is intact\n"
	"9|a bug in freshet\n"
	"130|interrupted\n"
	"143|told to end (SIGTERM)\n"};
/* clang-format on */
