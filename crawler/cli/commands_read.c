/* The commands that read sitemaps, in words. */
#include "crawler/cli/commands_table.h"

#include <stdint.h>

/* clang-format off */
const struct command command_row_check = {.name = "check", .group = "read and store",
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
	"location rule applies to it, and the children of an index are those "
	"files in its folder that the ends of their URLs name. No link is "
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

const struct command command_row_compare = {.name = "compare", .group = "read and store",
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
	"130|interrupted\n"};

const struct command command_row_crawl = {.name = "crawl", .group = "read and store",
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
	"What is missing for the first time is not believed before a second "
	"reading: the end says how many sitemaps and URLs wait for that. "
	"'freshet run' makes it within the hour, the next crawl in any case.\n"
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
	"143|told to end (SIGTERM): run it again to go on\n"};
/* clang-format on */
