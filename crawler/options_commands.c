/* The commands: what each is for, in words. */
#include <string.h>

#include "crawler/options_table.h"

/* clang-format off */
static const struct command commands[] = {
    [COMMAND_CHECK] = {.name = "check", .group = "read and store",
	.summary = "say how the sitemaps of a site are read, and what is wrong",
	.synopsis = "[-f FORMAT] [--fail-on SEVERITY] "
	    "[--base URL [--root DIR]] TARGET...",
	.operand = "TARGET", .min_args = 1, .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet check www.example.org|"
	    "all that its robots.txt leads to\n"
	"freshet check -f html https://www.example.org/sitemap.xml > a.html|"
	    "a page to hand on\n"
	"freshet check --base https://www.example.org/ public/sitemap.xml|"
	    "files, before they are published\n"
	"freshet check -u me --user-file pw https://staging.example.org/|"
	    "a site behind a login\n",
	.text =
	"Reads the sitemaps of each target as crawl does, and reports each "
	"document's status, counts, dates and sizes, then what was found, by "
	"code: errors, warnings, and remarks. What is listed twice is found "
	"across documents too. No store is read or written.\n"
	"A TARGET is a host, the URL of a site, of a robots.txt, of an index "
	"or of a sitemap, or a file; '-', or a pipe when no target is named, "
	"means: targets from stdin, one a line.\n"
	"With --base, files are judged as if the folder --root were already "
	"published there, robots.txt included: children of an index are read "
	"from it, and nobody is asked for anything on that host. A folder is a "
	"TARGET then, too. Without --base a file has no URL: no location rule "
	"applies to it, and the children of an index are those files in its "
	"folder that the ends of their URLs name.\n",
	.exits =
	"0|nothing was found that --fail-on names\n"
	"1|something was\n"
	"2|usage, or a file that cannot be checked\n"
	"3|a limit stopped it early\n"
	"4|no target could be read\n"
	"7|the disk for temporary files is full, or stdout cannot be written\n"
	"8|memory or descriptors are exhausted\n"
	"9|a bug in freshet\n"
	"130|interrupted\n"},
    [COMMAND_COMPARE] = {.name = "compare", .group = "read and store",
	.summary = "the same bytes under each profile: which URLs differ",
	.synopsis = "[--all] [--base URL [--root DIR]] TARGET...",
	.operand = "TARGET", .min_args = 1, .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet compare www.example.org|"
	    "what strict, google and lenient make of it\n"
	"freshet compare --all https://www.example.org/sitemap.xml|"
	    "every URL that differs\n"
	"freshet compare --base https://www.example.org/ public|"
	    "files, before they are published\n"
	"freshet compare --json www.example.org|one object a document\n",
	.text =
	"Fetches each document once, as crawl does under profile lenient, "
	"reads the same bytes under strict, google and lenient, and says "
	"which URLs and dates differ and by which rule. A document that a "
	"profile does not reach, because no index may list it there, or that "
	"it cannot read counts as empty. Switches of the configuration do not "
	"hold here, --own does, but not in strict. The store is not touched; "
	"bodies are kept in the folder for temporary files until the end.\n"
	"A TARGET is a host, the URL of a site, of a robots.txt, of an index "
	"or of a sitemap, or a file, with --base and --root as for check; "
	"'-', or a pipe when no target is named, means: targets from stdin, "
	"one a line.\n",
	.exits =
	"0|all profiles agree\n"
	"1|something differs, or some documents could not be fetched\n"
	"2|usage\n"
	"3|a limit stopped it early\n"
	"4|no target could be read\n"
	"7|no room for temporary files, or stdout cannot be written\n"
	"8|memory or descriptors are exhausted\n"
	"9|a bug in freshet\n"
	"130|interrupted\n"},
    [COMMAND_CRAWL] = {.name = "crawl", .group = "read and store",
	.summary = "read the sitemaps of sites into the store",
	.synopsis = "[OPTION]... TARGET...",
	.operand = "TARGET", .min_args = 1, .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet crawl www.example.org|"
	    "all that its robots.txt leads to\n"
	"freshet crawl https://www.example.org/sitemap.xml|"
	    "one sitemap or index\n"
	"freshet crawl --json - < hosts.txt|"
	    "many sites, results as NDJSON\n"
	"freshet crawl --connect-to ::127.0.0.1:8080 http://example.org/|"
	    "a test server under its real name\n",
	.text =
	"Reads robots.txt, the sitemap indexes and the sitemaps of each "
	"target and stores the URLs that they list. What has not changed "
	"since the last crawl is not read again. Politely: one connection "
	"to a host, one request a second.\n"
	"A TARGET is a host, the URL of a site, of a robots.txt, of an index "
	"or of a sitemap; '-', or a pipe when no target is named, means: "
	"targets from stdin, one a line. Blank lines there and in an "
	"--input-file do not count, nor does what follows a # at the beginning "
	"of a line or behind a space. A bad line is named and costs itself "
	"only.\n"
	"While another crawl is at work in the same store, this one hands "
	"its targets over to it and says what it hears; options must be the "
	"same then. It goes on by itself when the other is through. A site "
	"that the other is at is crawled once more afterwards.\n"
	"Ctrl-C stops cleanly; the same command goes on where it stopped.\n",
	.exits =
	"0|all was read\n"
	"1|some documents failed or were refused\n"
	"2|usage, or the path can hold no store\n"
	"3|a limit stopped it early: run it again to go on\n"
	"4|no target could be read\n"
	"5|the store is locked by another process\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written; the last commit is "
	    "intact\n"
	"8|memory or descriptors are exhausted; the last commit is intact\n"
	"9|a bug in freshet\n"
	"130|interrupted: run it again to go on\n"
	"143|told to end (SIGTERM): run it again to go on\n"},
    [COMMAND_LS] = {.name = "ls", .group = "look and take out",
	.summary = "print the URLs that sites list",
	.synopsis = "[--urls|--sitemaps|--tree] [-l] [TARGET]...",
	.operand = "TARGET", .max_args = UINT32_MAX, .reads_stdin = true,
	.examples =
	"freshet ls www.example.org|every URL of a site\n"
	"freshet ls --tree|all sites, their indexes and sitemaps\n"
	"freshet ls --sitemaps -l www.example.org|"
	    "dates, counts and status of each sitemap\n"
	"freshet ls -l https://www.example.org/sitemap.xml|"
	    "the URLs of one sitemap with their dates\n",
	.text =
	"Prints what the store knows. A TARGET is a host, the URL of a site, "
	"of one document, or of a section of a site: a prefix of its URLs that "
	"ends in a slash. None means all sites. URLs come document by "
	"document in the order of their bytes; a URL that two documents "
	"list is printed twice. --sitemaps and --tree show all documents of "
	"the site of a section; unlisted is one that the latest crawl did not "
	"come to.\n"
	"A bad line of a list of targets is named and costs itself only.\n",
	.exits =
	"0|done\n"
	"1|some of the targets are not in the store, or lines are no targets\n"
	"2|usage, or there is no store\n"
	"4|no target is in the store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"},
    [COMMAND_EXPORT] = {.name = "export", .group = "look and take out",
	.summary = "write entries or changes as csv, tsv, jsonl or XML",
	.synopsis = "[-f csv|tsv|jsonl|urls|sitemap] [--columns LIST] "
	    "[--all] [--changes] [--indexes] [SITE]",
	.operand = "SITE", .max_args = 1,
	.examples =
	"freshet export www.example.org > site.csv|"
	    "every entry of a site\n"
	"freshet export -f jsonl --columns loc,lastmod|"
	    "everything, as NDJSON, two columns\n"
	"freshet export --changes www.example.org|"
	    "what its latest crawl changed\n"
	"freshet export -f sitemap https://www.example.org/blog/|"
	    "a sitemap of one section\n",
	.text =
	"SITE is a host, the URL of a site, of one document, or of a section "
	"of a site: a prefix of its URLs that ends in a slash. None means "
	"all sites.\n"
	"Columns: loc, lastmod (in UTC, as precise as it was given), "
	"precision, document, first_seen, redated (when lastmod last moved), "
	"state (listed, or removed: absent from the last complete reading; "
	"only with --all).\n"
	"Columns with --changes: document, reading, at, kind (added, "
	"removed, returned, redated, gone), loc, before, after (lastmod).\n"
	"In csv and tsv a field that a spreadsheet would run as a formula "
	"begins with an apostrophe.\n",
	.exits =
	"0|done\n"
	"2|usage, or there is no store\n"
	"4|SITE is not in the store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"},
    [COMMAND_EXPLAIN] = {.name = "explain", .group = "look and take out",
	.summary = "why a URL was accepted or refused",
	.synopsis = "[OPTION]... URL...",
	.operand = "URL", .min_args = 1, .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet explain https://www.example.org/blog/a|"
	    "a page: who lists it, and by which rule\n"
	"freshet explain https://www.example.org/sitemap.xml|"
	    "a sitemap: how it was found and what is wrong with it\n"
	"freshet explain --profile lenient https://www.example.org/b|"
	    "and what another profile would say\n"
	"freshet explain --json - < urls.txt|many URLs, one object each\n",
	.text =
	"Says what the store knows of a URL, and asks nobody. Accepted: each "
	"document that lists it, with the chain from the line of robots.txt, "
	"or the command line, over the indexes down to the entry, the rule "
	"that accepts it, its lastmod and when it was first seen. Refused: "
	"the document, the line and the code; of each code and document the "
	"first eight refusals are kept. Gone: who listed it, and until when. "
	"Not known: which documents might list it and which might not, and "
	"what would have to be true. Then the line of robots.txt that allows "
	"or forbids to fetch it.\n"
	"Of the URL of a document: how it was found, when it was read and the "
	"findings of its latest reading.\n"
	"Rules are those of the profile, its switches and --own that the "
	"document was read under, when these can be made again; else those "
	"that the options give now.\n",
	.exits =
	"0|all are accepted\n"
	"1|some are refused, or not known\n"
	"2|usage, or there is no store\n"
	"4|nothing is known of any\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"},
    [COMMAND_ROBOTS] = {.name = "robots", .group = "look and take out",
	.summary = "may a URL be fetched, and which line says so",
	.synopsis = "[--agent NAME] [--file FILE] URL...",
	.operand = "URL", .min_args = 1, .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet robots https://www.example.org/private/page|"
	    "asks for its robots.txt, and judges\n"
	"freshet robots --agent Googlebot www.example.org|"
	    "for another crawler\n"
	"freshet robots --file robots.txt https://www.example.org/a|"
	    "by a file, before it is published\n"
	"freshet robots --json - < urls.txt|many URLs, one object each\n",
	.text =
	"Fetches the robots.txt of each URL's origin, once, as crawl does, "
	"and prints the verdict with the line that decides, the lines that "
	"chose the group, its Crawl-delay and the Sitemap lines. Nothing is "
	"stored. '-', or a pipe when no URL is named, means: URLs from stdin, "
	"one a line; a bad line is named and costs itself only.\n"
	"Without a robots.txt (status 4xx, too many redirects) everything is "
	"allowed; while it cannot be had (status 429 or 5xx, or no answer) "
	"nothing is.\n",
	.exits =
	"0|all may be fetched\n"
	"1|some may not, or lines are no URLs\n"
	"2|usage\n"
	"4|no server answered\n"
	"7|stdout cannot be written\n"},
    [COMMAND_SQL] = {.name = "sql", .group = "look and take out",
	.summary = "ask the store with a query in SQL",
	.synopsis = "[-f table|csv|tsv|json] [--store PATH] QUERY",
	.operand = "QUERY", .min_args = 1, .max_args = 1, .reads_stdin = true,
	.examples =
	"freshet sql 'SELECT host, listed FROM site'|"
	    "how many URLs each site lists\n"
	"freshet sql \"SELECT * FROM url WHERE loc = "
	    "'https://www.example.org/a'\"|"
	    "everything about one URL\n"
	"freshet sql -f csv \"SELECT * FROM url WHERE loc LIKE "
	    "'https://example.org/%'\"|"
	    "a section, for a spreadsheet\n"
	"freshet sql 'SELECT table_name, column_name, meaning FROM "
	    "freshet_schema'|"
	    "all tables and columns\n",
	.text =
	"Tables: site, origin, document, child, proof, reading, finding, "
	"sample, url, index_url, change, index_change; freshet_schema lists "
	"their columns, and sql.md in the folder of freshet's documentation "
	"explains them.\n"
	"QUERY is one statement of SQLite that reads: SELECT, VALUES, WITH, "
	"EXPLAIN; '-', or a pipe when no query is named, means: from stdin. "
	"It sees the store as it was when it began, also while a crawl "
	"writes. A look at url is quick when loc, the beginning of loc (LIKE, "
	"GLOB, >= and <), document, document_id or site is given.\n"
	"table prints NULL as '-'; csv and tsv leave it empty, escape "
	"controls as \\xNN, and a field that a spreadsheet would run as a "
	"formula begins with an apostrophe; json prints NULL as null; a blob "
	"is printed as hexadecimal digits.\n",
	.exits =
	"0|done\n"
	"2|the query is wrong, or there is no store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"
	"130|interrupted\n"},
    [COMMAND_SIM] = {.name = "sim", .group = "try out",
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
	"130|interrupted\n"},
    [COMMAND_DB] = {.name = "db", .group = "care for the store",
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
	"anew what follows from other data: counts, indexes, and the columns "
	"of a document that repeat what its readings say. What was lost it "
	"does not invent.\n"
	"backup copies the store as it is at that moment to FILE, which must "
	"not exist, and holds up nobody. The copy is a store like any other; a "
	"copy made by other means, while something writes, is none.\n"
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
	"2|usage, there is no store, or FILE exists\n"
	"5|another process holds the store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"
	"130|interrupted\n"},
    [COMMAND_DEMO] = {.name = "demo", .group = "about freshet",
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
	"130|interrupted\n"},
    [COMMAND_DOCTOR] = {.name = "doctor", .group = "about freshet",
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
	"bad; below it stands what to do about it, or what freshet does.\n",
	.exits =
	"0|nothing is bad\n"
	"1|something is\n"
	"2|usage\n"
	"7|stdout cannot be written\n"},
    [COMMAND_COMPLETION] = {.name = "completion", .group = "about freshet",
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
	"7|stdout cannot be written\n"},
    [COMMAND_HELP] = {.name = "help", .group = "about freshet",
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
	"7|stdout cannot be written\n"},
    [COMMAND_VERSION] = {.name = "version", .group = "about freshet",
	.summary = "print the version",
	.synopsis = "[--json]",
	.operand = "argument",
	.examples = "freshet version|for people\n"
	"freshet version --json|for programs\n",
	.text = "",
	.exits =
	"0|done\n"
	"7|stdout cannot be written\n"},
};
/* clang-format on */

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

const struct command *
command_row(size_t i)
{
	return i < COMMANDS ? &commands[i] : NULL;
}

const struct command *
command_find(struct slice name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (slice_is(name, commands[i].name))
			return &commands[i];
	return NULL;
}
