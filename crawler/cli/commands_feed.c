/* Commands that feed a fetcher, in words. */
#include "crawler/cli/commands_table.h"

#include <stdint.h>

/* clang-format off */
const struct command command_row_due = {.name = "due", .group = "feed a fetcher",
	.summary = "hand out the pages that are best fetched now",
	.synopsis = "[-n N] [--per-host N] [--lease TIME] [--wait TIME|--follow] "
	    "[-f ndjson|urls|curl] [--tag TAG]... [SITE]...",
	.operand = "SITE", .max_args = UINT32_MAX,
	.examples =
	"freshet due -n 500 --per-host 1|500 pages of 500 hosts\n"
	"freshet due -n 500 | my-fetcher | freshet done|"
	    "and their results\n"
	"freshet due --follow | my-fetcher | freshet done|for ever\n"
	"freshet due --tag news|pages of sites that have this tag\n"
	"freshet due -f curl | curl -K - | freshet done|"
	    "with curl alone; bodies lie in files named by their leases\n",
	.text =
	"Prints pages that sitemaps of the store list, best first: new ones, "
	"those whose date moved, those whose time has come. Each is leased: "
	"nobody else gets it before its result is told with 'freshet done', it "
	"is given back with 'freshet release', or the lease is over. SITE is a "
	"host or a URL; none means all sites. With --tag only sites of the "
	"watch list that have one of these tags are meant.\n"
	"A page is handed out only when the stored robots.txt of its origin "
	"allows freshet to fetch it. delay_ms is what its host wants between "
	"two requests; whoever gets several pages of a host at once, by -n or "
	"--per-host, keeps it. With --follow one page of a host is out at a "
	"time, and the next one comes when that time is over since it was "
	"asked for, as 'freshet done' is told by ms or at.\n"
	"Each line is printed after it was stored. With --follow, as soon as "
	"whoever reads the output stops reading, nothing more is leased; "
	"Ctrl-C gives back what nobody saw.\n"
	"Works with and without a process that holds the store, such as "
	"'freshet crawl'. That nothing is due is no error: stderr says when "
	"something may be, and which budget is used up until then, if one is: "
	"that of all (total-budget), of a site or of a tag.\n",
	.exits =
	"0|done, or nothing is due\n"
	"1|some of the sites are not in the store, or no site has the tag\n"
	"2|usage, or there is no store\n"
	"4|none of the sites is in the store, or has the tag\n"
	"5|another process holds the store and does not answer\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"
	"130|interrupted\n"
	"143|told to end (SIGTERM)\n"};

const struct command command_row_done = {.name = "done", .group = "feed a fetcher",
	.summary = "take results of fetches back",
	.synopsis = "[--strict] < RESULTS",
	.operand = "argument",
	.examples =
	"freshet due | my-fetcher | freshet done|"
	    "what a fetcher prints\n"
	"freshet done --strict < results.ndjson|from a file\n",
	.text =
	"Reads one JSON object a line: lease and url as 'freshet due' printed "
	"them, status (0: no answer), and, as far as they are known, "
	"content_hash, etag, last_modified, location, bytes, ms, at, "
	"retry_after. Any text is a content_hash: what counts is whether it "
	"is the same next time; without one, and without status 304, a result "
	"teaches nothing about change. A result with a url and no lease is a "
	"fetch that nobody asked for.\n"
	"Answers each line, when it is stored, with a line: ack is OK, with "
	"next_due; SKIPPED, when it changes nothing: a result said twice, a "
	"lease that is over; or FAIL, when it is none. reason says why, line "
	"is its number. A bad line costs itself only. To say results again "
	"does no harm.\n",
	.exits =
	"0|all was read\n"
	"1|with --strict: some results were not taken\n"
	"2|usage, or there is no store\n"
	"5|another process holds the store and does not answer\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdin or stdout failed\n"
	"130|interrupted: what was answered is stored\n"
	"143|told to end (SIGTERM), likewise\n"};

const struct command command_row_hold = {.name = "hold", .group = "feed a fetcher",
	.summary = "hand out nothing of a host for a while",
	.synopsis = "[HOST --for TIME]",
	.operand = "HOST", .max_args = 1,
	.examples =
	"freshet hold www.example.org --for 2h|it asked for patience\n"
	"freshet hold www.example.org --for 0|no longer\n"
	"freshet hold|which hosts are held, and until when\n",
	.text =
	"Pages of that host that are handed out already stay so. A hold that "
	"lasts longer stands, and is what is said then; --for 0 ends any, that "
	"of a site that was set aside, too. A "
	"result with retry_after "
	"does the same by itself. When several pages of a host fail, its pages "
	"are held, and its sitemaps are not.\n",	.exits =
	"0|done\n"
	"2|usage, or there is no store\n"
	"5|another process holds the store and does not answer\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"
	"130|interrupted\n"};

const struct command command_row_release = {.name = "release", .group = "feed a fetcher",
	.summary = "give back pages that will not be fetched",
	.synopsis = "[LEASE]...",
	.operand = "LEASE", .max_args = UINT32_MAX,
	.examples =
	"freshet release|all that is handed out: the fetcher is gone\n"
	"freshet release 7f3a.19|one lease\n",
	.text =
	"The pages may be handed out again at once; results that come for "
	"them all the same are skipped.\n",
	.exits =
	"0|done\n"
	"1|some of the leases were not given back\n"
	"2|usage, or there is no store\n"
	"5|another process holds the store and does not answer\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"
	"130|interrupted\n"};
/* clang-format on */
