/* The other commands, in words. */
#include "crawler/cli/commands_table.h"

/* clang-format off */
const struct command command_row_sim = {.name = "sim", .group = "try out",
	.summary = "compare ways to schedule fetches, on traces or made-up "
	    "worlds",
	.synopsis = "[--world NAME | --trace FILE]... [--policy NAME]... "
	    "[--budget RATE]... [--days N] [--seeds N] [-f text|json|html]",
	.operand = "argument",
	.examples =
	"freshet sim|what freshet does, against others, in a world like the "
	    "web\n"
	"freshet sim --trace site.trace.tsv.gz --budget 2/h -f html > sim.html|"
	    "on a site's own history\n"
	"freshet sim --world W4 --joint --policy all|sitemaps are paid for, "
	    "too\n"
	"freshet sim --world W2 --with sites=1000 --with pages=40000 --days "
	    "365|a year of a thousand sites\n"
	"freshet sim --list|policies, worlds, and what can be set\n",
	.text =
	"Replays what happened to pages, and what their sitemaps said of it, "
	"against policies that may make so many requests. Nothing is fetched. "
	"The same seeds give the same figures.\n"
	"A page is fresh while its last fetch gave what a fetch would give "
	"now. freshness is the share of the weight of all listed pages that "
	"is, over the second half of the time; gap is how much of the way from "
	"fifo, everything in turn, to the bound a policy goes; delay is the "
	"median time from a change to the fetch that saw it. The bound is what "
	"no policy can beat: of a world, one that knows how each page changes "
	"and how each site dates; of a trace, one that knows the future.\n"
	"A trace is text, perhaps gzipped: scheduling.md in the folder of "
	"freshet's documentation describes it. Lines that are wrong are named, "
	"and left out.\n",
	.exits =
	"0|done\n"
	"1|lines of a trace were wrong, or one of several could not be read\n"
	"2|usage\n"
	"4|no trace could be read\n"
	"7|stdout cannot be written\n"
	"130|interrupted\n"};

const struct command command_row_db = {.name = "db", .group = "care for the store",
	.summary = "look at the store, check it, copy it, tidy it",
	.synopsis = "info|fsck [--repair]|backup FILE|migrate|"
	    "prune --older TIME|vacuum",
	.operand = "ACTION", .max_args = 2,
	.actions = "info|fsck|backup|migrate|prune|vacuum",
	.examples =
	"freshet db info|counts, sizes and times\n"
	"freshet db fsck|does the store keep its promises?\n"
	"freshet db backup /backup/freshet.db|a copy, while a crawl goes on\n"
	"freshet db prune --older 90d|forget what was found before\n",
	.text =
	"info counts what is stored.\n"
	"fsck reads all that is stored, in one snapshot and beside a running "
	"crawl, and prints one line for each promise that is broken: J1 the "
	"file, J2 references, J3 documents against their readings, J4 "
	"location rules, J5 order of URLs, J8 counts, J9 times, J10 bytes of "
	"URLs, J12 links between indexes, J13 removals, J14 names and flags, "
	"J15 dates, J16 the schema, J17 that no host was asked more often than "
	"its delay allows, J18 quotas. A note says what is odd and yet right. "
	"Entries of a document are judged by the rules it was read under when "
	"these can be made again: a profile without changed switches and "
	"without --own, and proofs as they are today; others by the rules that "
	"hold in every profile. --repair, which no crawl may run beside, makes "
	"anew what follows from other data (counts, indexes, pages of the "
	"file) and drops rows that lead nowhere. A document of which "
	"something is lost is forgotten but for its URL, with what it listed "
	"and when, and read anew as if it were new; one whose URL is none "
	"goes, and comes back if it is still listed. What is repaired is told; "
	"what is left then is told as without --repair, and makes the exit "
	"status. Pages of a table that cannot be read stay so: restore a "
	"backup.\n"
	"backup copies the store as it is at that moment to FILE, which must "
	"not exist, and holds up nobody. The copy is a store like any other; a "
	"copy made by other means, while something writes, is none. Who may "
	"not read the store may not read its copy.\n"
	"migrate brings the store to the schema of this version, step by step; "
	"any command that writes does so too, those that only read ask for "
	"it.\n"
	"prune removes readings that began more than TIME ago (30d, 12h), with "
	"their findings and changes. Of every document it keeps the latest "
	"reading, the latest that brought entries, and what else its present "
	"state rests on; entries are never removed. The ledger of requests "
	"and the outcomes of fetches forget the same time; what is known of a "
	"page by them stays.\n"
	"vacuum writes the file anew without the room that was given up. It "
	"needs room for the store twice meanwhile, in the folder of the "
	"store.\n"
	"migrate, prune, vacuum and fsck --repair need the store for "
	"themselves.\n",
	.exits =
	"0|done\n"
	"2|usage, FILE exists, or there is no store, or none of this schema: "
	"it is older, or was cut off when it was made; migrate makes it one\n"
	"5|another process holds the store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"
	"130|interrupted\n"};

const struct command command_row_demo = {.name = "demo", .group = "about freshet",
	.summary = "show what freshet does, on a small site of its own",
	.synopsis = "[--keep DIR]",
	.operand = "argument",
	.examples =
	"freshet demo|in less than a minute\n"
	"freshet demo --keep /tmp/demo|and keep its store to look at\n",
	.text =
	"Serves a small example site, shop.example, on a loopback address and "
	"runs the real commands on it: robots, crawl, explain, ls, crawl "
	"again, crawl after the site has changed, export of the changes, sql, "
	"check. Asks no other server for anything. Its store is removed at "
	"the end.\n",
	.exits =
	"0|done\n"
	"2|usage, or the folder cannot be made or has a store\n"
	"3|it took longer than a minute\n"
	"7|no room for the store, or stdout cannot be written\n"
	"8|no descriptors\n"
	"130|interrupted\n"};

const struct command command_row_doctor = {.name = "doctor", .group = "about freshet",
	.summary = "is this machine fit for it, and what is not",
	.synopsis = "[--sandbox-test] [--store PATH]",
	.operand = "argument",
	.examples =
	"freshet doctor|all checks\n"
	"freshet doctor --json|for a report or a program\n"
	"freshet doctor --sandbox-test|does the readers' jail hold?\n",
	.text =
	"Looks at libraries and what is known of their versions, tries the "
	"jail that documents are read in, and looks at limits, temporary "
	"files, the clock, name servers, certificates, the store's file system "
	"and the store. Asks the network for nothing. Each line is ok, warn or "
	"bad; below it stands what to do about it, or what freshet does. It "
	"belongs to each report of a bug, as BUGS in freshet(1) says.\n",
	.exits =
	"0|nothing is bad\n"
	"1|something is\n"
	"2|usage\n"
	"7|stdout cannot be written\n"};

const struct command command_row_completion = {.name = "completion", .group = "about freshet",
	.summary = "print completions for bash, zsh or fish",
	.synopsis = "bash|zsh|fish",
	.operand = "SHELL", .min_args = 1, .max_args = 1,
	.actions = "bash|zsh|fish",
	.examples =
	". <(freshet completion bash)|for this bash\n"
	"freshet completion zsh > ~/.zfunc/_freshet|"
	    "for zsh, when fpath holds ~/.zfunc before compinit\n"
	"freshet completion fish > ~/.config/fish/completions/freshet.fish|"
	    "for fish\n",
	.text = "'meson install' puts them where the shells look.\n",
	.exits =
	"0|done\n"
	"2|there are none for that shell\n"
	"7|stdout cannot be written\n"};

const struct command command_row_help = {.name = "help", .group = "about freshet",
	.summary = "explain a command, the configuration or a diagnostic",
	.synopsis = "[COMMAND|config|switches|diagnostics|CODE]",
	.operand = "COMMAND", .max_args = 2,
	.examples =
	"freshet help crawl|a command\n"
	"freshet help parse-error|one diagnostic: when, and what to do\n"
	"freshet help diagnostics|all of them\n"
	"freshet help config|the configuration: files, keys, defaults\n"
	"freshet help switches|what the profiles are made of\n",
	.text = "With --json: commands with their options, keys or diagnostics, one "
	"object a line.\n",
	.exits =
	"0|done\n"
	"2|there is no help on that\n"
	"7|stdout cannot be written\n"};

const struct command command_row_version = {.name = "version", .group = "about freshet",
	.summary = "print the version",
	.synopsis = "[--json]",
	.operand = "argument",
	.examples = "freshet version|for people\n"
	"freshet version --json|for programs\n",
	.text = "",
	.exits =
	"0|done\n"
	"7|stdout cannot be written\n"};
/* clang-format on */
