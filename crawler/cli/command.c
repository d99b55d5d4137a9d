/* The table of commands, with the help texts of each. */
#include "crawler/cli/command.h"

#include <stdint.h>
#include <string.h>

/* clang-format off */
static const struct command command_row_ls = {.name = "ls", .group = "look and take out",
	.summary = "print the URLs that sites list",
	.synopsis = "[--urls [--refused] [--by document]|--sitemaps|--tree] [-l] [TARGET]...",
	.operand = "TARGET", .max_args = UINT32_MAX, .reads_stdin = true,
	.examples =
	"freshet ls www.example.org|every URL of a site\n"
	"freshet ls --tree|all sites, their indexes and sitemaps\n"
	"freshet ls --sitemaps -l www.example.org|"
	    "dates, counts and status of each sitemap\n"
	"freshet ls -l https://www.example.org/sitemap.xml|"
	    "the URLs of one sitemap with their dates\n",
	.text =
	"Prints what the store knows. A TARGET is a host, the URL of a site, of "
	"one document, or of a folder of a site: a prefix of its URLs that ends "
	"in a slash. Without a TARGET ls prints all sites.\n"
	"URLs are sorted by their bytes. A URL that two documents list is printed "
	"once; with --by document it is printed for each of them. What is listed "
	"and refused by a location rule is printed, too, and stderr says how many "
	"URLs that are; --refused prints only those. With -l the code of the rule "
	"stands beside them ('freshet help CODE' explains it).\n"
	"The views --sitemaps and --tree show all documents of the site, also if "
	"TARGET is a folder. A document is unlisted if the latest crawl did not "
	"come to it.\n"
	"A bad line in a list of targets is reported, and the other lines count.\n",
	.exits =
	"0|done\n"
	"1|some of the targets are not in the store, or lines are no targets\n"
	"2|usage, or there is no store\n"
	"4|no target is in the store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_export = {.name = "export", .group = "look and take out",
	.summary = "write entries or changes as csv, tsv, jsonl or XML",
	.synopsis = "[-f csv|tsv|jsonl|urls|sitemap] [--columns LIST] "
	    "[--by document] [--all] [--refused] "
	    "[--changes [--since WHEN] [--until WHEN]] [--as-of WHEN] [--indexes] [SITE|--tag TAG]",
	.operand = "SITE", .max_args = 1,
	.examples =
	"freshet export www.example.org > site.csv|"
	    "every entry of a site\n"
	"freshet export -f jsonl --columns loc,lastmod|"
	    "everything, as NDJSON, two columns\n"
	"freshet export --changes www.example.org|"
	    "what its latest crawl, or 'run' in the last day, changed\n"
	"freshet export --changes --since 7d www.example.org|"
	    "what all of the last seven days did\n"
	"freshet export --as-of 2026-11-01 www.example.org|"
	    "what it listed when that day began\n"
	"freshet export --tag news -f urls|"
	    "all that the watched sites with that tag list\n"
	"freshet export -f sitemap https://www.example.org/blog/|"
	    "a sitemap of one folder\n",
	.text =
	"SITE is a host, the URL of a site, of one document, or of a folder of a "
	"site: a prefix of its URLs that ends in a slash. --tag means the watched "
	"sites that have one of the tags. Without both, export writes all sites.\n"
	"Columns: loc; lastmod (in UTC, as precise as the sitemap gave it); "
	"precision; document; first_seen; redated (when lastmod last moved); "
	"state (listed, or removed: absent from the last complete reading; only "
	"with --all); refused (the code of the location rule that refuses the "
	"URL; empty: none does).\n"
	"What is listed is written, also if a rule refuses it; --refused writes "
	"only that. urls and sitemap, which have no columns, leave it out, and "
	"export says on stderr how many URLs that are.\n"
	"Columns with --changes: document, reading, at, kind, loc, before and "
	"after (lastmod), refused, from (where a moved page was before). kind is "
	"added, removed, returned, redated or gone; moved: a new page takes the "
	"place of one that is gone, by their URLs; refused or accepted: the URL "
	"is still listed, but the rules for it changed; left: a list of what is "
	"recent, such as a feed, does not have it any more; back: it had left "
	"one, and is listed again.\n"
	"With --since, export writes what each reading from then on changed, "
	"document by document, the oldest reading first, as far as readings are "
	"kept ('db prune' and 'run --keep' remove them). WHEN is a date, in UTC "
	"or the zone of --tz unless it has one, or a time back from now. Without --since, export "
	"writes what changed in the last 24 hours at a site of the watch list, "
	"and what the latest crawl changed at any other site; with --until, what "
	"changed in the 24 hours before it. A page that another "
	"sitemap of the site lists has neither come nor gone, and what a site "
	"listed when it was first read is no change; --by document tells what "
	"changed in each document.\n"
	"With --as-of, export writes what each site listed then, by the last "
	"reading of each document until WHEN, document by document, as far as "
	"readings are kept. What is gone is not listed from the time on when it was "
	"first absent. What was refused comes last; refused says 'refused' of a URL "
	"that is accepted since. first_seen is empty for a URL that has left the document "
	"since, redated is always empty, and documents that are indexes now are left "
	"out.\n"
	"In csv and tsv an apostrophe stands before what a spreadsheet would run "
	"as a formula: at the beginning of a field, and behind a semicolon in it, "
	"because a semicolon ends a field in some countries.\n",
	.exits =
	"0|done\n"
	"1|what was listed as of WHEN is not known of a document\n"
	"2|usage, or there is no store\n"
	"4|SITE is not in the store, or no site has the tag\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_import = {.name = "import", .group = "look and take out",
	.summary = "take in what another crawler knows of URLs",
	.synopsis = "[-f urls|jsonl] [FILE]",
	.operand = "FILE", .max_args = 1,
	.examples =
	"freshet import urls.txt|these pages, to be handed out by 'due'\n"
	"freshet import -f jsonl known.jsonl|"
	    "with weight, and when and how they were fetched\n"
	"other-crawler export | freshet import|from a pipe\n",
	.text =
	"Each URL becomes a page, as if it had been handed out before. It belongs "
	"to the first sitemap of the store that lists it. A URL that no sitemap "
	"lists belongs to the root of its origin; it can be handed out, too, once "
	"the robots.txt of that origin is known.\n"
	"An object has url, and any of these: weight (1; how much its changes "
	"matter beside those of other pages), fetched (a date, or seconds since "
	"1970), status (200), content_hash, etag and last_modified of that fetch, "
	"and lastmod, which counts if no sitemap gives one. Other keys are "
	"ignored. Several fetches of a page stand in the order in which they were "
	"made. A fetch that is not later than the last one known is skipped, so "
	"that importing a file twice does no harm.\n"
	"A bad line is reported by its number, and the other lines count. import "
	"works with and without a process that holds the store, such as 'freshet "
	"run', which hands out the new pages at once.\n",
	.exits =
	"0|done\n"
	"1|some lines were bad\n"
	"2|usage, FILE cannot be opened, or the path can hold no store\n"
	"4|all lines were bad\n"
	"5|another process holds the store and does not answer\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or FILE cannot be read\n"
	"130|interrupted: run it again\n"
	"143|told to end (SIGTERM), likewise\n"};

static const struct command command_row_explain = {.name = "explain", .group = "look and take out",
	.summary = "why a URL was accepted or refused, and when it is due",
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
	"Says what the store knows of a URL. No server is asked.\n"
	"An accepted URL: each document that lists it, with the chain that leads "
	"from the line of robots.txt, or from the command line, over the indexes "
	"down to the entry; the rule that accepts it; its lastmod; when it was "
	"first seen. A refused URL: the document, the line and the code; for each "
	"code, the first eight refusals of a document are kept. A URL that is "
	"gone: who listed it, and until when. An unknown URL: which documents "
	"could list it, which could not, and what would have to be true.\n"
	"Then the line of robots.txt that allows or forbids to fetch the URL, and "
	"when it is due: which of its dates moved since its last fetch; how often "
	"the dates of that sitemap were right, and over how many moves; how often "
	"the page changes; how many days of freshness a request for it would "
	"bring (days on which the copy is as the page is, times the weight of its "
	"site; the page with the most goes out first); how many the budget asks "
	"for now, if one limits the requests (of all sites, of the site or of a "
	"tag); and whether its longest interval can be kept. If the page is not "
	"handed "
	"out, explain says why. If it never was, explain says how many pages of "
	"its sitemap and its site were not either, and what limits them.\n"
	"The URL of a document: how it was found, when it was read, and the "
	"findings of its latest reading.\n"
	"explain judges by the profile, the switches and the --own under which "
	"the document was read, if these can be made again; else by those that "
	"the options give now.\n",
	.exits =
	"0|all are accepted\n"
	"1|some are refused, or not known\n"
	"2|usage, or there is no store\n"
	"4|nothing is known of any\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_stats = {.name = "stats", .group = "look and take out",
	.summary = "what a site did lately, and how far its dates are right",
	.synopsis = "[--by WHAT] [--last TIME | --since WHEN] [--until WHEN] [-f text|ndjson|csv] "
	    "SITE|--tag TAG",
	.operand = "SITE", .max_args = 1,
	.examples =
	"freshet stats www.example.org|two weeks, day by day\n"
	"freshet stats --by hour --last 2d www.example.org|hour by hour\n"
	"freshet stats --by section www.example.org|which folders change\n"
	"freshet stats --by weekday --tz local www.example.org|"
	    "when new pages come\n"
	"freshet stats --tag news|each watched site with that tag\n"
	"freshet stats --by sitemap --json www.example.org|for programs\n",
	.text =
	"Counts what the readings of the site's sitemaps found: URLs that were "
	"new, removed, returned, re-dated or gone, by time, by section or "
	"by sitemap. A URL is new if no sitemap of the site listed it before; "
	"what the site listed when it was first read is not new. A URL is gone if "
	"two readings in a row found it in no sitemap of the site; it counts from "
	"the first of the two. A page has moved if one is gone and a new one has "
	"the same URL but for http, https or www., or but for a prefix under "
	"which at least five pages were renamed, or as --moved says, or a redirect "
	"that 'freshet done' reported; it counts as neither new nor gone. A page that is not in a feed, a news "
	"sitemap or another list of what is recent any more has left the window: "
	"it is not gone. Readings that 'db prune' removed are not counted.\n"
	"With --by weekday it shows in which hours of the week new pages came, and "
	"says the rhythm of the site in words, if there is enough to tell one: three weeks of "
	"readings, and four days with new pages. A page came between the last "
	"reading that did not list it and the first one that did: its hour is known "
	"if these are two hours apart or less, its day if it is 26 hours. A date of "
	"the page that fits says more. What came while nobody looked, or while "
	"readings failed, for longer than that has no place in the week; an hour "
	"in which a page could not have been seen is shown as '?'. 'found' says how "
	"long after their dates pages were found, and never less than the time "
	"between two readings; 'dates' says when all dates of a sitemap move "
	"together, which dates of builds do.\n"
	"lastmod honesty: of the pages whose lastmod moved, how many had changed "
	"when they were fetched ('freshet done' reports that; old fetches count "
	"for less), and what freshet makes of such dates.\n",
	.exits =
	"0|done\n"
	"2|usage, or there is no store\n"
	"4|the site is not in the store, or none has the tag\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_diff = {.name = "diff", .group = "look and take out",
	.summary = "what happened at sites, in sentences, numbers and rows",
	.synopsis = "[--since WHEN] [--until WHEN] [--kind KIND,...] [--section SECTION]... "
	    "[--rows] [-f text|ndjson|csv] [--excel] [--exit-code] "
	    "[SITE...|--tag TAG]",
	.operand = "SITE", .max_args = UINT32_MAX,
	.examples =
	"freshet diff|the events of the last week at all sites\n"
	"freshet diff --tag rivals --since yesterday|of sites with a tag\n"
	"freshet diff --since 2026-11-01 --until 2026-12-01 --rows www.example.org|"
	    "a month, with every page that came or went\n"
	"freshet diff --kind section-launched,section-gone|these events alone\n"
	"freshet diff -f csv --rows --tag rivals|one table, for spreadsheets\n"
	"freshet diff --excel --rows --tz local > week.csv|the table as Excel opens it\n",
	.text =
	"An event is what happened at a site, in one sentence: a section was "
	"launched or is gone, pages moved, most of a sitemap's pages left. "
	"reference/events.md in the folder of the documentation says of each "
	"kind when freshet tells it. An event belongs to the time in which it "
	"became known, and if it happened before, '(known since TIME)' says so: "
	"consecutive spans tell each event once. What came or "
	"went is settled after two days, when it is known whether pages moved; "
	"until then an event may be told with '(so far)', and a line says how "
	"many events wait, and until when. A note, such as that "
	"pages are in another sitemap now, is no event.\n"
	"The kinds are first-reading, section-launched, section-gone, "
	"mass-drop-waiting, mass-drop-confirmed, mass-drop-accident, "
	"pages-moved, other-sitemap, burst, silence, redated, dates-backwards, "
	"verdict-changed, robots-changed, sitemap-line-lost, sitemap-line-back, "
	"sitemap-failing, sitemap-back and session-urls.\n"
	"The numbers above the events are those of 'freshet stats' for the span: "
	"pages of the site that were new, gone, moved or re-dated in it, or left "
	"a list of what is recent.\n"
	"A time is a date, a date with a time, 'today', 'yesterday', or a time "
	"back from now, such as 36h, 7d, 1w or 1y. --until is not part of the "
	"span. Times and days are those of UTC, or of the zone of --tz.\n",
	.exits =
	"0|done\n"
	"1|with --exit-code: something happened, or a page changed\n"
	"2|usage, or there is no store\n"
	"4|a site is not in the store, or none has the tag\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_alert = {.name = "alert", .group = "look and take out",
	.summary = "tell a program, a chat channel or a feed what happened",
	.synopsis = "list|send|test NAME|replay NAME [--since WHEN] [--until WHEN]",
	.operand = "ACTION", .min_args = 1, .max_args = 2,
	.actions = "list|send|test|replay",
	.examples =
	"freshet alert replay launches --since 60d|what would this alert have told me?\n"
	"freshet alert test launches|is what it tells received?\n"
	"freshet alert send|tell what is new; 'run' does it every five minutes\n"
	"freshet alert list|what waits, and what failed\n",
	.text =
	"An alert is a section [alert NAME] of the configuration: kinds of events, "
	"tags, sections and thresholds, and whom to tell: a program, a webhook or "
	"an Atom file. 'man freshet.conf' has the keys. An event is told once. If "
	"it says that something is wrong, its end is told, too, as 'resolved'.\n"
	"send tells each alert's events that are new since the last send, five minutes after "
	"they are known at the earliest, because the readings of a crawl are stored "
	"as it goes on. A new alert begins with its first send. What could "
	"not be told is tried again after a minute, then after two, four and so "
	"on, up to six hours, and given up after two weeks. If the machine stops between "
	"telling and noting it down, the same is told again. 'run' starts send "
	"every five minutes if the "
	"configuration has an alert; without 'run', let cron start it after "
	"'freshet crawl'.\n"
	"test tells at once that it is a test. replay prints what the alert would "
	"have told in the span (30d) at the times when it would have been known; "
	"its last line says what waits until it is known whether pages moved.\n",
	.exits =
	"0|done\n"
	"1|something could not be told\n"
	"2|usage, there is no store, or the configuration has no such alert\n"
	"5|another 'freshet alert send' is at work\n"
	"6|the store is damaged\n"
	"7|stdout or the store cannot be written\n"};

static const struct command command_row_report = {.name = "report", .group = "look and take out",
	.summary = "one page of HTML: what happened, who does what, with charts",
	.synopsis = "--html FILE [--since WHEN] [--until WHEN] [SITE...|--tag TAG]",
	.operand = "SITE", .max_args = UINT32_MAX,
	.examples =
	"freshet report --html report.html|the last 30 days of all sites\n"
	"freshet report --html rivals.html --tag rivals --since 1y|"
	    "a year of the sites with a tag\n"
	"freshet report --html - www.example.org|one site, to stdout\n",
	.text =
	"Writes one file that loads nothing and runs nothing: it may be mailed "
	"and printed. It says first whether it can be believed: which sites "
	"were read lately, and what cannot be read or waits for a second "
	"reading. Then come the eight events that matter most, a row for each "
	"site, charts of new, gone and moved pages, sections side by side, and "
	"a part for each of the 50 sites that changed most.\n"
	"The numbers are those that 'freshet diff' and 'freshet stats' print "
	"for the same span, which begins with a day. Times and days are those "
	"of UTC, or of the zone of --tz. Re-dated pages are "
	"struck out where all dates of a sitemap moved at once: build dates say "
	"nothing about pages. Marks in the charts are events, and your own "
	"notes: see 'freshet help note'.\n"
	"While the file is written, the old one stays; it is replaced when all "
	"is written.\n",
	.exits =
	"0|done\n"
	"2|usage, or there is no store\n"
	"4|a site is not in the store, or none has the tag\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the file cannot be written; the old one stays\n"};

static const struct command command_row_note = {.name = "note", .group = "look and take out",
	.summary = "keep a note about a day of a site, which 'report' shows",
	.synopsis = "[--remove] SITE DATE [TEXT] | --list [SITE...]",
	.operand = "SITE", .max_args = UINT32_MAX,
	.examples =
	"freshet note www.example.org 2026-11-27 'Black Friday'|keep a note\n"
	"freshet note --list|all notes\n"
	"freshet note --remove www.example.org 2026-11-27|"
	    "remove the notes of that day\n",
	.text =
	"A note is a line of text about a day or a moment of a site: a sale, a "
	"relaunch, a campaign. It is a mark in the charts of 'freshet report', "
	"and stands among the events of its site there. A site has at most "
	"1,000 notes, of 500 bytes each; the same note twice is one.\n"
	"DATE is a date, a date with a time, 'today', 'yesterday', or a "
	"time back from now, such as 36h, 7d, 1w or 1y.\n",
	.exits =
	"0|done\n"
	"1|with --remove: there was no such note\n"
	"2|usage, or there is no store\n"
	"4|a site is not in the store\n"
	"5|the store is locked by another process\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"};

static const struct command command_row_serve = {.name = "serve", .group = "look and take out",
	.summary = "the report as pages with links, a JSON API, and metrics",
	.synopsis = "[--listen ADDR:PORT] [--token-file FILE]",
	.operand = "argument",
	.examples =
	"freshet serve|then open http://127.0.0.1:8787/\n"
	"freshet serve --listen 0.0.0.0:8787 --token-file /etc/freshet/token|"
	    "for other machines\n"
	"curl 'http://127.0.0.1:8787/api/v1/events?since=7d'|"
	    "what 'freshet diff' says, for programs\n",
	.text =
	"Listens until it is stopped. It only reads the store, which 'freshet "
	"run' may write meanwhile; each answer is made anew, by a process of "
	"its own. Only GET and HEAD are answered.\n"
	"/ is the report with a choice of days; each site, document, URL and "
	"event has a page, and so have findings and health: what cannot be "
	"read, since when and why. /api/v1/ has what 'diff', 'stats', "
	"'explain' and 'sql' print, as JSON, and describes itself in "
	"/api/v1/openapi.json. /metrics is for Prometheus, and /healthz says "
	"whether the store can be read.\n"
	"On a loopback address every user of this machine may look, and a "
	"request must name such a host. On any other address a client must "
	"show the token of --token-file: 'Authorization: Bearer TOKEN', or, as "
	"browsers ask for it, the user 'freshet' with the token as password. "
	"freshet does not encrypt: between machines, put a web server with TLS "
	"before it.\n",
	.exits =
	"0|only its help was asked for\n"
	"2|usage, the token cannot be read, or there is no store\n"
	"6|the store is damaged, or newer than this program\n"
	"8|there are no descriptors\n"
	"130|SIGINT ended it\n"
	"143|SIGTERM ended it\n"};

static const struct command command_row_robots = {.name = "robots", .group = "look and take out",
	.summary = "may a URL be fetched, and which line says so",
	.synopsis = "[--agent NAME]... [--file FILE] URL...|--history SITE...",
	.operand = "URL", .min_args = 1, .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet robots https://www.example.org/private/page|"
	    "asks for its robots.txt, and judges\n"
	"freshet robots --agent Googlebot --agent bingbot www.example.org|"
	    "for other crawlers, one after the other\n"
	"freshet robots --file robots.txt https://www.example.org/a|"
	    "by a file, before it is published\n"
	"freshet robots --json - < urls.txt|many URLs, one object each\n"
	"freshet robots --history www.example.org|which rules came and went\n",
	.text =
	"Fetches the robots.txt of each URL's origin, once, as crawl does, "
	"and prints the verdict with the line that decides, the lines that "
	"chose the group, its Crawl-delay and the Sitemap lines. Nothing is "
	"stored. '-', or a pipe when no URL is named, means: URLs from stdin, "
	"one a line; a bad line is named and costs itself only. With several "
	"--agent each robots.txt is fetched once and judged for each.\n"
	"Without a robots.txt (status 4xx, too many redirects) everything is "
	"allowed; so it is where a web page comes instead. While it cannot be "
	"had (429 or 5xx, no answer, a challenge) nothing is.\n"
	"robots asks the server, and does not know what the store kept: a crawl "
	"may go by what robots.txt said before, and 'freshet explain' says by "
	"which rules.\n"
	"With --history it reads the store, which keeps a text of robots.txt when the "
	"next one says something else: at most 50 former ones of each origin. "
	"Each is shown with the records that came (+) and went (-); comments "
	"and the order of lines count for nothing. --json has the texts.\n",
	.exits =
	"0|all may be fetched; with --history: done\n"
	"1|some may not, or lines are no URLs\n"
	"2|usage; with --history: there is no store\n"
	"4|no server answered; with --history: a site is not in the store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_changes = {.name = "changes", .group = "look and take out",
	.summary = "keep a search index in step: what to add, what to delete",
	.synopsis = "--consumer NAME [--tag TAG]... [--limit N]|"
	    "--consumer NAME --ack CURSOR|--list|--forget NAME",
	.operand = "ARGUMENT", .max_args = 0,
	.examples =
	"freshet changes --consumer search|the next batch for 'search'\n"
	"freshet changes --consumer search --ack CURSOR|it was applied: go on "
	    "behind it\n"
	"freshet changes --consumer docs --tag docs --limit 500|of sites with a "
	    "tag, in small batches\n"
	"freshet changes --list|who reads the feed\n",
	.text =
	"Prints one JSON object a line: 'upsert' for a page that belongs into "
	"your copy, with the reason and how far it is believed; 'delete' for one "
	"that does not any more. Each page comes once in a batch. The last line "
	"is a 'cursor'. Apply the batch, then acknowledge the cursor; until "
	"then the same is printed again. A batch without a last line was cut: "
	"apply what you like of it, and ask again.\n"
	"A new consumer gets all pages. Its first batch begins with 'reset': "
	"what is not told again up to a last line with \"more\":false is to be "
	"deleted. The same comes when history that the consumer still needs was "
	"removed ('db prune', 'run --keep').\n"
	"A page is deleted when no sitemap of the chosen sites has it in two "
	"complete readings, when robots.txt disallows it to freshet, when 'done' "
	"reports 404, 410 or noindex, and when its site leaves the watch list or "
	"loses the tag. Failed and incomplete readings delete nothing.\n"
	"reference/feed.md in the folder of the documentation has the details, "
	"and two clients of a page each.\n",
	.exits =
	"0|done\n"
	"2|usage, there is no store, or the cursor is none of the consumer\n"
	"4|no site has the tag\n"
	"5|another process holds the store and does not answer\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"};

static const struct command command_row_sql = {.name = "sql", .group = "look and take out",
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
	"Tables: site, origin, robots_text, document, child, proof, reading, "
	"finding, sample, url, index_url, change, index_change, page, outcome, lease, "
	"hold, watch, watch_item, tag_budget, request_log; freshet_schema "
	"lists their columns, and reference/sql.md in the folder of freshet's "
	"documentation explains them.\n"
	"QUERY is one statement of SQLite that reads: SELECT, VALUES, WITH, "
	"EXPLAIN; '-', or a pipe when no query is named, means: from stdin. "
	"It sees the store as it was when it began, also while a crawl "
	"writes. A look at url is quick when loc, the beginning of loc (LIKE, "
	"GLOB, >= and <), document, document_id or site is given.\n"
	"table prints NULL as '-'; csv and tsv leave it empty, escape "
	"controls as \\xNN, and put an apostrophe before what a spreadsheet "
	"would run as a formula; json prints NULL as null; a blob is printed "
	"as hexadecimal digits.\n",
	.exits =
	"0|done\n"
	"2|the query is wrong, or there is no store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"
	"130|interrupted\n"};
/* clang-format on */

/* The commands of the watch list. */

#define SETTINGS_TEXT                                                         \
	"every: between two readings of a document, as 1h..1d: not sooner "   \
	"and "                                                                \
	"not later; 10m means exactly so often, ..1d only not later. "        \
	"pages-every: the same between two fetches of a page (1h..90d). "     \
	"budget: "                                                            \
	"requests to the site, 500/h or 40/d. weight: how much its pages "    \
	"matter beside those of other sites (1). profile: the rules to read " \
	"by. tag: a word of your own. below: only pages below this path are " \
	"handed out; tag and below may be given several times.\n"
#define CHANGE_EXITS                                                           \
	"2|usage, or the path can hold no store\n"                             \
	"5|the store is locked by another process\n"                           \
	"6|the store is damaged, or newer than this program\n"                 \
	"7|the disk is full, or stdout cannot be written; the last commit is " \
	"intact\n"                                                             \
	"8|memory or descriptors are exhausted; the last commit is intact\n"   \
	"9|a bug in freshet\n"                                                 \
	"130|interrupted: run it again\n"

/* clang-format off */
static const struct command command_row_add = {.name = "add", .group = "keep fresh",
	.summary = "put sites on the watch list",
	.synopsis = "[--every BOUNDS] [--tag TAG]... [--below PATH]... "
	    "TARGET...",
	.operand = "TARGET", .min_args = 1, .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet add www.example.org|all that its robots.txt leads to\n"
	"freshet add --every 10m https://www.example.org/news.xml|"
	    "one sitemap, read every ten minutes\n"
	"freshet add --every 1h..1d --tag shops -i sites.txt|"
	    "many sites, from a file\n"
	"freshet add --below /blog --weight 3 www.example.org|"
	    "pages below /blog alone, and sooner than those of others\n",
	.text =
	"'freshet run' reads the sitemaps of these sites again and again, as "
	"often as that is worth a request, within the bounds given here. 'add' "
	"itself fetches nothing; a daemon that is running begins with the sites "
	"at once.\n"
	"A TARGET is a host, the URL of a site, of a robots.txt, of an index or "
	"of a sitemap. '-', or a pipe when no target is named, means: targets "
	"from stdin, one a line. A bad line is reported, and the other lines "
	"count. Targets of one host are one site, whatever their ports. If the "
	"site is on the list already, the target is added to it, and the settings "
	"given here replace the old ones.\n"
	"A setting of the watch list is stronger than the site's section [site "
	"HOST] of the configuration, and that is stronger than [defaults].\n",
	.exits =
	"0|all are on the list\n"
	"1|some lines were no targets\n"
	"4|no line was a target\n"
	CHANGE_EXITS};

static const struct command command_row_list = {.name = "list", .group = "keep fresh",
	.summary = "print the watch list",
	.synopsis = "[-l] [--tag TAG]... [SITE]...",
	.operand = "SITE", .max_args = UINT32_MAX,
	.examples =
	"freshet list|what is watched, and when it was read\n"
	"freshet list -l www.example.org|all that is known of one site\n"
	"freshet list --tag news|those with that tag\n"
	"freshet list --json|for programs\n",
	.text =
	"Prints one line for each site: the bounds between two readings, when a "
	"document was last read, the number of sitemaps, the number of URLs that "
	"they list, and the number of pages: URLs that a fetcher got, or that "
	"somebody asked to watch. EVERY is auto if no bounds are set: as often as "
	"a reading is worth a request, 15m..7d. With -l list prints what "
	"fails, since when and why, the targets and settings, as KEY=VALUE that "
	"'set' takes, and when the next document is read.\n"
	"At a terminal below 80 columns or so, EVERY and PAGES are left out.\n"
	"STATE is one of these. ok. new: nothing of the site was read yet. held: "
	"the host is left alone, or its pages are because several of them failed "
	"('freshet hold' lists both). set aside: twice in a row freshet was at "
	"work on this site when a bug ended it ('freshet help site-set-aside'). "
	"not found: 'freshet run' found nothing there and tries again later. "
	"Behind it, or in place of ok, may stand: how many of its sitemaps, indexes "
	"and robots.txt failed the last time; stale since: a document cannot be fetched, and its last "
	"content is used; waiting: so many sitemaps lack what their reading "
	"before had, and so many URLs depend on the next reading, which 'freshet "
	"run' makes within the hour.\n",
	.exits =
	"0|done\n"
	"1|some of the sites are not on the list\n"
	"2|usage, or there is no store\n"
	"4|none of the sites is on the list, or has the tag\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_rm = {.name = "rm", .group = "keep fresh",
	.summary = "take sites off the watch list",
	.synopsis = "SITE...|--tag TAG",
	.operand = "SITE", .max_args = UINT32_MAX, .reads_stdin = true,
	.wants_dash = true,
	.examples =
	"freshet rm www.example.org|read and hand out nothing of it any more\n"
	"freshet rm https://www.example.org/old.xml|"
	    "that target only, and what nothing else leads to\n"
	"freshet rm -i sites.txt|many sites, from a file\n"
	"freshet rm --tag news|all with that tag\n",
	.text =
	"A SITE is a host, or any URL of it. The site is removed with all its "
	"targets. But if the URLs that are given are targets of the site, and it "
	"has other targets, only these are removed and the site stays: sitemaps "
	"to which no target leads any more, by robots.txt or an index, are read "
	"no more, and pages that no other sitemap lists are not handed out.\n"
	"With '-' sites come from stdin, one a line; a bad line is reported, and "
	"the other lines count. The store keeps what it knows of a removed site; "
	"its sitemaps are read no more, and its pages are not handed out. "
	"'freshet add' puts it on the list again, with new settings.\n",
	.exits =
	"0|done\n"
	"1|some of the sites were not on the list, or some lines were no sites\n"
	"4|none of the sites was on the list, or has the tag; or no line was a "
	    "site\n"
	CHANGE_EXITS};

static const struct command command_row_set = {.name = "set", .group = "keep fresh",
	.summary = "change what is wanted of watched sites",
	.synopsis = "SITE|--tag TAG|@TAG KEY=VALUE...",
	.operand = "SITE", .max_args = UINT32_MAX,
	.examples =
	"freshet set www.example.org every=1h..1d|"
	    "between two readings of a sitemap: an hour to a day\n"
	"freshet set www.example.org pages-every=..7d budget=500/h|"
	    "no page older than a week; 500 requests an hour\n"
	"freshet set www.example.org tag=news tag=fast weight=|"
	    "two tags, and the usual weight\n"
	"freshet set --tag news every=..1h|each site with that tag\n"
	"freshet set @news budget=600/h|all of them together\n",
	.text =
	SETTINGS_TEXT
	"An empty value is the default. target: where the site is read from, in "
	"place of all that were there; several times, as tag.\n"
	"@TAG means the sites with that tag as one: their budget is what all "
	"of them may be asked together, in any hour, pages and readings of "
	"sitemaps; a site with several such tags keeps each. 'freshet list' "
	"shows it at its end.\n"
	"What a budget brings in five minutes may come at once, and what is "
	"not used does not pile up. A budget also holds over restarts. 'freshet "
	"run' divides it between sitemaps and pages; where 'freshet run --once' "
	"and 'freshet due' take turns, the first to come takes what there is.\n",
	.exits =
	"0|done\n"
	"4|the site is not on the list, or none has the tag\n"
	CHANGE_EXITS};
/* clang-format on */

/* The daemon. */

/* clang-format off */
static const struct command command_row_run = {.name = "run",
	.group = "keep fresh",
	.summary = "keep the sites of the watch list fresh, for ever",
	.synopsis = "[--once] [OPTION]...",
	.operand = "argument",
	.examples =
	"freshet run|until it is told to end\n"
	"freshet run --once|what is due now: for cron, or a timer\n"
	"freshet run --log json 2>> freshet.log|one object for each event\n"
	"freshet run --listen 127.0.0.1:8787|with 'freshet serve' beside it\n"
	"systemctl reload freshet|read configuration and watch list anew\n",
	.text =
	"Reads the sitemaps of the sites on the watch list ('freshet add'). A "
	"sitemap is read when the scheduler finds that a reading is worth a "
	"request, or when --every demands it: with conditional requests, "
	"politely, and within the budgets. A new site is read whole at once. run "
	"fetches no pages: it hands them out to whoever asks with 'freshet due'.\n"
	"While run works it holds the store: crawl, add, rm, set, due, done, hold "
	"and release ask it by themselves. The store has all that run knows, so "
	"run may be ended in any way and started again.\n"
	"SIGHUP makes run read the configuration and the watch list again; a "
	"configuration with a mistake changes nothing. If the terminal of run was "
	"closed, SIGHUP ends it. SIGTERM and Ctrl-C end it cleanly within "
	"seconds, a second one at once.\n"
	"Each event is a line on stderr, also with --quiet: events are the data "
	"of run. Under systemd run reports when it is "
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

/* Commands that feed a fetcher. */

/* clang-format off */
static const struct command command_row_top = {.name = "top", .group = "keep fresh",
	.summary = "show what 'run' does at this moment",
	.synopsis = "[--interval TIME] [--once] [-f text|ndjson]",
	.operand = "argument",
	.examples =
	"freshet top|pictures of a running 'run', until q\n"
	"freshet top --once|one picture\n"
	"freshet top -f ndjson|the same as one object, for programs\n",
	.text =
	"Asks the 'run' or 'crawl' that holds the store, through its socket, and "
	"draws what it answers, every second, until q is typed or the process "
	"ends. The store is not read, and the process only looks at what it has "
	"in memory: watching it costs next to nothing.\n"
	"The head says what ended in the last 10 and 60 seconds, how much is under "
	"way, and what is due next. The pages that wait are those that were chosen "
	"already: more may be due. Below are lists of at most 20 rows: the "
	"requests under way, the oldest first; hosts that take time, because they "
	"answer slowly, fail (dead: they get no request for an hour), asked for a "
	"pause, or want a long delay; hosts that are held (see 'freshet hold'); "
	"and what failed of late. What does not fit the terminal is cut.\n"
	"Without a terminal, or with --once, top prints one picture and ends. "
	"A picture that is not on a terminal is not cut.\n",
	.exits =
	"0|done, or the process that was watched has ended\n"
	"2|usage, or the process is another version of freshet\n"
	"4|no 'run' or 'crawl' is at work in the store\n"
	"5|the process that holds the store does not answer\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_due = {.name = "due", .group = "feed a fetcher",
	.summary = "hand out the pages that are best fetched now",
	.synopsis = "[-n N] [--per-host N] [--lease TIME] [--wait TIME|--follow|--peek] "
	    "[-f ndjson|urls|curl] [--tag TAG]... [SITE]...",
	.operand = "SITE", .max_args = UINT32_MAX,
	.examples =
	"freshet due -n 500 --per-host 1|500 pages of 500 hosts\n"
	"freshet due -n 500 | my-fetcher | freshet done|"
	    "and their results\n"
	"freshet due --follow | my-fetcher | freshet done|for ever\n"
	"freshet due --tag news|pages of sites that have this tag\n"
	"freshet due --peek -n 20 --per-host 0|look at what comes next\n"
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
	"Ctrl-C gives back what nobody saw. While nothing is due it waits, and "
	"says so once.\n"
	"With --peek the same pages are printed without a lease: they are given "
	"back at once, and are handed out to whoever asks next.\n"
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

static const struct command command_row_done = {.name = "done", .group = "feed a fetcher",
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
	"retry_after, noindex. Any text is a content_hash: what counts is whether it "
	"is the same next time; without one, and without status 304, a result "
	"teaches nothing about change. A result with a url and no lease is a "
	"fetch that nobody asked for.\n"
	"Answers each line, when it is stored, with a line: ack is OK, with "
	"next_due; SKIPPED, when it changes nothing: a result said twice, a "
	"lease that is over; or FAIL, when it is none. reason says why, line "
	"is its number. A bad line costs itself only. To say results again "
	"does no harm.\n"
	"The store is opened when the first result comes: until then, 'freshet "
	"due' at the other end of a pipe may be loading its pages.\n",
	.exits =
	"0|all was read\n"
	"1|with --strict: some results were not taken\n"
	"2|usage, or there is no store\n"
	"5|another process holds the store and does not answer\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdin or stdout failed\n"
	"130|interrupted: what was answered is stored\n"
	"143|told to end (SIGTERM), likewise\n"};

static const struct command command_row_hold = {.name = "hold", .group = "feed a fetcher",
	.summary = "hand out nothing of a host for a while",
	.synopsis = "[HOST...|--tag TAG --for TIME]",
	.operand = "HOST", .max_args = UINT32_MAX,
	.examples =
	"freshet hold www.example.org --for 2h|it asked for patience\n"
	"freshet hold www.example.org --for 0|no longer\n"
	"freshet hold --tag shops --for 1d|all watched sites with this tag\n"
	"freshet hold|which hosts are held, and until when\n",
	.text =
	"No page of that host is handed out, and no sitemap of it is read, by "
	"crawl neither. Pages that are handed out already stay so. A hold that "
	"lasts longer stands, and is what is said then; --for 0 ends any, that "
	"of a site that was set aside, too. A "
	"result with retry_after "
	"does the same by itself. When several pages of a host fail, its pages "
	"are held, and its sitemaps are not.\n",
	.exits =
	"0|done\n"
	"2|usage, or there is no store\n"
	"4|no site has the tag\n"
	"5|another process holds the store and does not answer\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written\n"
	"130|interrupted\n"};

static const struct command command_row_release = {.name = "release", .group = "feed a fetcher",
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

/* The commands that read sitemaps. */

/* clang-format off */
static const struct command command_row_check = {.name = "check", .group = "read and store",
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
	"across documents too, and so are listed URLs that the robots.txt of "
	"their host forbids. No store is read or written.\n"
	"With --agent, robots.txt is judged for another crawler, such as "
	"Googlebot; who asks is freshet all the same.\n"
	"A TARGET is a host, the URL of a site, of a robots.txt, of an index "
	"or of a sitemap, or a file; '-', or a pipe when no target is named, "
	"means: targets from stdin, one a line. What has the form of a file's "
	"name (public/a.xml) and is none is a mistake, never a host. Below a "
	"URL that ends in a slash a sitemap is looked for as at a host's root, "
	"then it is read itself.\n"
	"With --base, files are judged as if the folder --root were already "
	"published there, robots.txt included: children of an index are read "
	"from it, and nobody is asked for anything but targets that are URLs of "
	"other hosts: sitemaps there that a file leads to are not read. A "
	"folder is a TARGET then, too. Without --base a file has no URL: no "
	"location rule applies to it, and the children of an index are looked "
	"for in the same folder, by file name. No link is "
	"followed out of the folder.\n",
	.exits =
	"0|nothing was found that --fail-on names\n"
	"1|something was, or a document could not be read\n"
	"2|usage, or a file that cannot be checked\n"
	"3|a limit stopped it early\n"
	"4|no target could be read\n"
	"7|the disk for temporary files is full, or stdout cannot be written\n"
	"8|memory or descriptors are exhausted\n"
	"9|a bug in freshet\n"
	"130|interrupted\n"};

static const struct command command_row_compare = {.name = "compare", .group = "read and store",
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
	"freshet compare --json www.example.org|one object a kind of difference\n",
	.text =
	"Fetches each document once, as crawl does under profile lenient, "
	"reads the same bytes under strict, google and lenient, and says "
	"which documents, URLs and dates differ and by which rule; three of "
	"each kind are named, or with --all each. A document that a profile "
	"does not reach, because no index may list it there, or that it cannot "
	"read counts as empty. Switches of the configuration do not hold here, "
	"--own does, but not in strict. The store is not touched; bodies are "
	"kept in the folder for temporary files until the end. What differs in "
	"one document, 'check --profile' says.\n"
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
	"130|interrupted\n"};

static const struct command command_row_crawl = {.name = "crawl", .group = "read and store",
	.summary = "read the sitemaps of sites into the store",
	.synopsis = "[OPTION]... TARGET...|--tag TAG",
	.operand = "TARGET", .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet crawl www.example.org|"
	    "all that its robots.txt leads to\n"
	"freshet crawl --tag rivals|the watched sites with a tag, at once\n"
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
	"only. Below a URL that ends in a slash a sitemap is looked for as at a "
	"host's root, then it is read itself. --tag means the watched sites that "
	"have one of the tags, whether they are due or not.\n"
	"While another crawl is at work in the same store, this one hands "
	"its targets over to it and says what it hears; options must be the "
	"same then. It goes on by itself when the other is through. A site "
	"that the other is at is crawled once more afterwards.\n"
	"What is missing for the first time is not believed before a second "
	"reading: the end says how many sitemaps and URLs wait for that. "
	"'freshet run' makes it within the hour, the next crawl in any case.\n"
	"Ctrl-C stops cleanly; the same command goes on where it stopped.\n",
	.exits =
	"0|all was read\n"
	"1|some documents failed or were refused\n"
	"2|usage, or the path can hold no store\n"
	"3|a limit stopped it early: run it again to go on\n"
	"4|no target could be read, or no site has the tag\n"
	"5|the store is locked by another process\n"
	"6|the store is damaged, or newer than this program\n"
	"7|the disk is full, or stdout cannot be written; the last commit is "
	    "intact\n"
	"8|memory or descriptors are exhausted; the last commit is intact\n"
	"9|a bug in freshet\n"
	"130|interrupted: run it again to go on\n"
	"143|told to end (SIGTERM): run it again to go on\n"};
/* clang-format on */

/* The other commands. */

/* clang-format off */
static const struct command command_row_db = {.name = "db", .group = "look after the store",
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
	"private addresses and verdicts, J5 order of URLs, J8 counts, J9 times, J10 bytes of "
	"URLs, J12 links between indexes, J13 removals, J14 names and flags, "
	"J15 dates, J16 the schema, J17 that no host was asked more often than "
	"its delay allows, J18 quotas, J19 what sites list. --repair, which no crawl may run beside, makes "
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
	"state rests on; entries are never removed. The request log "
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

static const struct command command_row_demo = {.name = "demo", .group = "about freshet",
	.summary = "show what freshet does, on a small site of its own",
	.synopsis = "[owner|monitor|crawler] [--keep DIR]",
	.operand = "story", .max_args = 1, .actions = "owner|monitor|crawler",
	.examples =
	"freshet demo owner|a site's own sitemaps are checked\n"
	"freshet demo monitor|what changes at a site of others\n"
	"freshet demo crawler|which page a fetcher gets next\n"
	"freshet demo|all of it, in less than a minute\n"
	"freshet demo --keep /tmp/demo|and keep its store to look at\n",
	.text =
	"Serves a small example site, shop.example, on a loopback address and "
	"runs the real commands on it: robots, crawl, explain, ls, crawl "
	"again, crawl after the site has changed, export of the changes, sql, "
	"check. With owner, monitor or crawler it is shorter, and shows what "
	"such a user needs. Asks no other server for anything. Its store is "
	"removed at the end.\n",
	.exits =
	"0|done\n"
	"2|usage, or the folder cannot be made or has a store\n"
	"3|it took longer than a minute\n"
	"7|no room for the store, or stdout cannot be written\n"
	"8|no descriptors\n"
	"130|interrupted\n"};

static const struct command command_row_doctor = {.name = "doctor", .group = "about freshet",
	.summary = "is this machine fit for it, and what is not",
	.synopsis = "[--sandbox-test] [--store PATH]",
	.operand = "argument",
	.examples =
	"freshet doctor|all checks\n"
	"freshet doctor --json|for a report or a program\n"
	"freshet doctor --sandbox-test|does the readers' sandbox hold?\n",
	.text =
	"Tries the sandbox that documents are read in, and looks at the "
	"versions of libraries, descriptors, temporary files, the clock, name "
	"servers, certificates, the store's file system and the store. Asks "
	"the network for nothing. Each line is ok, warn or bad; below it "
	"stands what to do about it, or what freshet does. It "
	"belongs to each report of a bug, as BUGS in freshet(1) says.\n",
	.exits =
	"0|nothing is bad\n"
	"1|something is\n"
	"2|usage\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_completion = {.name = "completion", .group = "about freshet",
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

static const struct command command_row_help = {.name = "help", .group = "about freshet",
	.summary = "explain a command, the configuration, a diagnostic or a rule",
	.synopsis = "[COMMAND|config|switches|diagnostics|CODE|RULE]",
	.operand = "COMMAND", .max_args = 2,
	.examples =
	"freshet help crawl|a command\n"
	"freshet help parse-error|one diagnostic: when, what to do, an example\n"
	"freshet help R-58|one rule of the specification, with its source\n"
	"freshet help diagnostics|all of them\n"
	"freshet help config|the configuration: files, keys, defaults\n"
	"freshet help switches|what the profiles are made of\n",
	.text = "RULE is the name of a rule, as findings and 'freshet explain' print "
	"it (R-58), or of a row in HOSTILE.md (T8).\n"
	"With --json: commands with their options, keys, diagnostics or a rule, "
	"one object a line.\n",
	.exits =
	"0|done\n"
	"2|there is no help on that\n"
	"7|stdout cannot be written\n"};

static const struct command command_row_version = {.name = "version", .group = "about freshet",
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

/* The table of commands. */

/* clang-format off */
static const struct command *const commands[] = {
    [COMMAND_CHECK] = &command_row_check,
    [COMMAND_COMPARE] = &command_row_compare,
    [COMMAND_CRAWL] = &command_row_crawl,
    [COMMAND_ADD] = &command_row_add,
    [COMMAND_LIST] = &command_row_list,
    [COMMAND_RM] = &command_row_rm,
    [COMMAND_SET] = &command_row_set,
    [COMMAND_RUN] = &command_row_run,
    [COMMAND_TOP] = &command_row_top,
    [COMMAND_DUE] = &command_row_due,
    [COMMAND_DONE] = &command_row_done,
    [COMMAND_HOLD] = &command_row_hold,
    [COMMAND_RELEASE] = &command_row_release,
    [COMMAND_LS] = &command_row_ls,
    [COMMAND_EXPORT] = &command_row_export,
    [COMMAND_IMPORT] = &command_row_import,
    [COMMAND_EXPLAIN] = &command_row_explain,
    [COMMAND_STATS] = &command_row_stats,
    [COMMAND_DIFF] = &command_row_diff,
    [COMMAND_CHANGES] = &command_row_changes,
    [COMMAND_ALERT] = &command_row_alert,
    [COMMAND_REPORT] = &command_row_report,
    [COMMAND_NOTE] = &command_row_note,
    [COMMAND_SERVE] = &command_row_serve,
    [COMMAND_ROBOTS] = &command_row_robots,
    [COMMAND_SQL] = &command_row_sql,
    [COMMAND_DB] = &command_row_db,
    [COMMAND_DEMO] = &command_row_demo,
    [COMMAND_DOCTOR] = &command_row_doctor,
    [COMMAND_COMPLETION] = &command_row_completion,
    [COMMAND_HELP] = &command_row_help,
    [COMMAND_VERSION] = &command_row_version,
};
/* clang-format on */

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

const struct command *
command_row(size_t i)
{
	return i < COMMANDS ? commands[i] : NULL;
}

const struct command *
command_find(struct slice name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (slice_is(name, commands[i]->name))
			return commands[i];
	return NULL;
}

uint64_t
command_bit(const struct command *command)
{
	size_t i = 0;

	while (commands[i] != command)
		i++;
	return COMMAND_BIT(i);
}

size_t
command_half(const char *line)
{
	const char *end = memrchr(line, '|', strcspn(line, "\n"));

	return (size_t)(end - line);
}
