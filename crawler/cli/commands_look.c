/* The commands that look into a store, or at robots.txt, in words. */
#include "crawler/cli/commands_table.h"

#include <stdint.h>

/* clang-format off */
const struct command command_row_ls = {.name = "ls", .group = "look and take out",
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
	"Prints what the store knows. A TARGET is a host, the URL of a site, "
	"of one document, or of a section of a site: a prefix of its URLs that "
	"ends in a slash. None means all sites. URLs come in the order of "
	"their bytes; one that two documents list is printed once, and "
	"with --by document as it stands in each of them. --refused prints those that are listed and "
	"refused by a location rule, which are not among the others; -l the "
	"code of the rule, too ('freshet help CODE'). --sitemaps and --tree show all documents of "
	"the site of a section; unlisted is one that the latest crawl did not "
	"come to.\n"
	"A bad line of a list of targets is named and costs itself only.\n",
	.exits =
	"0|done\n"
	"1|some of the targets are not in the store, or lines are no targets\n"
	"2|usage, or there is no store\n"
	"4|no target is in the store\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

const struct command command_row_export = {.name = "export", .group = "look and take out",
	.summary = "write entries or changes as csv, tsv, jsonl or XML",
	.synopsis = "[-f csv|tsv|jsonl|urls|sitemap] [--columns LIST] "
	    "[--by document] [--all] [--refused] [--changes [--since WHEN]] "
	    "[--indexes] [--trace] [SITE|--tag TAG]",
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
	"freshet export --tag news -f urls|"
	    "all that the watched sites with that tag list\n"
	"freshet export -f sitemap https://www.example.org/blog/|"
	    "a sitemap of one section\n"
	"freshet export --trace www.example.org > site.trace|"
	    "its past, for 'freshet sim --trace site.trace'\n",
	.text =
	"SITE is a host, the URL of a site, of one document, or of a section "
	"of a site: a prefix of its URLs that ends in a slash; --tag means "
	"the watched sites that have one of the tags. Without both it is all "
	"sites.\n"
	"Columns: loc, lastmod (in UTC, as precise as it was given), "
	"precision, document, first_seen, redated (when lastmod last moved), "
	"state (listed, or removed: absent from the last complete reading; "
	"only with --all), refused (the code of the location rule that refuses "
	"it; by itself only with --refused, which prints such URLs instead of "
	"the others).\n"
	"Columns with --changes: document, reading, at, kind (added, "
	"removed, returned, redated, gone; moved: a new page that is, by its "
	"URL, one that is gone; refused and accepted: of what goes "
	"on being listed, since the rules for it changed), loc, before, after "
	"(lastmod), refused, from (where it moved from). "
	"With --since it is what each reading from then on changed, as far as "
	"readings are kept ('db prune', 'run --keep'): document by document, "
	"of each the oldest first. WHEN is a date, in UTC unless it has a "
	"zone, or a time back from now. Without it, of a site of the watch "
	"list what the last 24 hours changed, of others what the latest crawl "
	"did. A page that another sitemap of the site lists has neither come "
	"nor gone, and what a site listed when it was first read is no change; "
	"--by document tells what changed in each.\n"
	"With --trace it writes what the store knows of the past, as far as readings "
	"and outcomes of fetches are kept: when documents were published and "
	"what they listed and claimed, and when texts of pages changed. "
	"freshet sim replays it and says what other policies would have made "
	"of it. Its first lines say what is not known.\n"
	"In csv and tsv an apostrophe stands before what a spreadsheet would "
	"run as a formula: at the beginning of a field, or behind a semicolon "
	"in it, which parts fields in some countries.\n",
	.exits =
	"0|done\n"
	"2|usage, or there is no store\n"
	"4|SITE is not in the store, or no site has the tag\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

const struct command command_row_import = {.name = "import", .group = "look and take out",
	.summary = "take in what another crawler knows of URLs",
	.synopsis = "[-f urls|jsonl] [FILE]",
	.operand = "FILE", .max_args = 1,
	.examples =
	"freshet import urls.txt|these pages, to be handed out by 'due'\n"
	"freshet import -f jsonl known.jsonl|"
	    "with weight, and when and how they were fetched\n"
	"other-crawler export | freshet import|from a pipe\n",
	.text =
	"Each URL becomes a page, as if it had been handed out before: it "
	"belongs to the first sitemap here that lists it; one that none lists "
	"to the root of its origin, so it can be handed out all the same, once "
	"the robots.txt of that origin is known.\n"
	"An object has url, and what is known of these: weight (1; what its "
	"changes are worth beside those of others), fetched (a date, or "
	"seconds since 1970), status (200), content_hash, etag, last_modified "
	"of that fetch, and lastmod, which counts where no sitemap says it. "
	"Other keys are left alone. Of several fetches of a page the lines "
	"come in their order; one that is not later than what is known "
	"already is left out, so that to import again does no harm.\n"
	"A bad line is named by its number and costs itself only. Works with "
	"and without a process that holds the store, such as 'freshet run', "
	"which hands out what comes at once.\n",
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

const struct command command_row_explain = {.name = "explain", .group = "look and take out",
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
	"Says what the store knows of a URL, and asks nobody. Accepted: each "
	"document that lists it, with the chain from the line of robots.txt, "
	"or the command line, over the indexes down to the entry, the rule "
	"that accepts it, its lastmod and when it was first seen. Refused: "
	"the document, the line and the code; of each code and document the "
	"first eight refusals are kept. Gone: who listed it, and until when. "
	"Not known: which documents might list it and which might not, and "
	"what would have to be true. Then the line of robots.txt that allows "
	"or forbids to fetch it, and when it is due: which of its dates moved "
	"since its last fetch, how far dates of that sitemap are right and "
	"over how many moves, how often it changes, what a request for it is "
	"worth and, where a budget limits them (of all, as whoever holds the "
	"store keeps it, 'run' for example, of its site or a tag), "
	"what requests cost now, and whether its longest interval can be kept "
	"so; or why it is not handed out: of a page that never was, how many "
	"of its sitemap and its site were not either, and what limits them.\n"
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
	"7|stdout cannot be written\n"};

const struct command command_row_stats = {.name = "stats", .group = "look and take out",
	.summary = "what a site did lately, and how far its dates are right",
	.synopsis = "[--by WHAT] [--last TIME] SITE|--tag TAG",
	.operand = "SITE", .max_args = 1,
	.examples =
	"freshet stats www.example.org|two weeks, day by day\n"
	"freshet stats --by hour --last 2d www.example.org|hour by hour\n"
	"freshet stats --by section www.example.org|which folders change\n"
	"freshet stats --tag news|each watched site with that tag\n"
	"freshet stats --by sitemap --json www.example.org|for programs\n",
	.text =
	"Counts what readings of the site's sitemaps found: URLs that were "
	"new, removed, returned, re-dated or gone, by time in UTC, by section "
	"or by sitemap. A URL is new when no sitemap of the site listed it, "
	"and gone when none does any more, twice: then it counts from when it "
	"was first absent. What the site listed when it was first read is not "
	"new. Moved is a page that is gone and a new one with the same URL but "
	"for http, https and www., or but for a prefix that was renamed with "
	"five pages or more; it is counted as neither. Of readings that 'db "
	"prune' forgot nothing is counted.\n"
	"lastmod honesty: of the pages whose lastmod moved, how many were "
	"found changed when they were fetched ('done' tells), what is old "
	"counting for less; and what becomes of dates like these.\n",
	.exits =
	"0|done\n"
	"2|usage, or there is no store\n"
	"4|the site is not in the store, or none has the tag\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

const struct command command_row_robots = {.name = "robots", .group = "look and take out",
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
	"7|stdout cannot be written\n"};

const struct command command_row_sql = {.name = "sql", .group = "look and take out",
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
	"sample, url, index_url, change, index_change, page, outcome, lease, "
	"hold, watch, watch_item, tag_budget, ledger; freshet_schema lists "
	"their columns, and sql.md in the folder of freshet's documentation "
	"explains them.\n"
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
