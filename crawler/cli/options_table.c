/* The table of options, and functions that search it and walk over it. */
#include "crawler/cli/options_table.h"

#include <stdio.h>
#include <string.h>

#include "base/civil.h"

#define AT(field) offsetof(struct options, field)

#define FOR_READING (FOR_CHECK | FOR_COMPARE | FOR_CRAWL)
#define FOR_DRIVER (FOR_READING | FOR_RUN)
#define FOR_NETWORK (FOR_DRIVER | FOR_ROBOTS)
#define FOR_WATCH (FOR_ADD | FOR_RM | FOR_SET)
#define FOR_FRONTIER (FOR_DUE | FOR_DONE | FOR_HOLD | FOR_RELEASE)
#define FOR_STORE                                                         \
	(FOR_FRONTIER | FOR_WATCH | FOR_LIST | FOR_STATS | FOR_CRAWL |    \
	    FOR_RUN | FOR_LS | FOR_EXPORT | FOR_IMPORT | FOR_EXPLAIN |    \
	    FOR_DIFF | FOR_CHANGES | FOR_REPORT | FOR_NOTE | FOR_ROBOTS | \
	    FOR_SQL | FOR_DB | FOR_DOCTOR | FOR_ALERT | FOR_SERVE | FOR_TOP)
/* Commands that print or read times for people. */
#define FOR_TIMES                                                     \
	(FOR_DIFF | FOR_STATS | FOR_LIST | FOR_EXPLAIN | FOR_EXPORT | \
	    FOR_HOLD | FOR_ROBOTS | FOR_DB | FOR_REPORT | FOR_NOTE |  \
	    FOR_CHECK | FOR_CHANGES | FOR_ALERT | FOR_SERVE | FOR_LS)
/* Commands that count or tell by sections. */
#define FOR_SECTIONS (FOR_DIFF | FOR_STATS | FOR_REPORT | FOR_ALERT)
#define FORM_ZONE "a time zone such as Europe/Berlin, +02:00, local or UTC"
#define FOR_RULES (FOR_CHECK | FOR_CRAWL | FOR_RUN | FOR_EXPLAIN)

/* clang-format off */
const struct option option_rows[] = {
    /* what is read, and by which rules */
    {.name = "profile", .argument = "NAME", .type = OPTION_CHOICE,
	.target = AT(rules.profile.name), .choices = "strict|google|lenient",
	.commands = FOR_RULES | FOR_ROBOTS,
	.standard = "google", .place = IN_SITE,
	.help = "the rules to read by: strict, google (default) or lenient"},
    {.name = "profile", .argument = "NAME", .type = OPTION_CHOICE,
	.target = AT(watch.profile), .has = AT(watch.has_profile),
	.choices = "strict|google|lenient", .commands = FOR_ADD,
	.place = ON_LINE,
	.help = "the rules to read by: strict, google or lenient (those of the "
	    "configuration)"},
    {.name = "set", .argument = "SWITCH=VALUE", .type = OPTION_SET,
	.target = AT(rules.switches), .commands = FOR_RULES,
	.place = IN_SITE,
	.help = "change one switch of the profile; see Switches below"},
    {.name = "own", .argument = "ASSERTION", .type = OPTION_LIST,
	.target = AT(rules.assertions), .shape = SHAPE_OWN,
	.form = "domain:example.com, no public suffix, or a URL prefix",
	.commands = FOR_RULES | FOR_COMPARE, .place = IN_SITE,
	.help = "what the site's owner owns too: domain:example.com, or a URL "
	    "prefix"},
    {.name = "force", .type = OPTION_FLAG, .target = AT(is_forced),
	.commands = FOR_CRAWL, .is_own = true,
	.help = "fetch and read every document, changed or not"},
    {.name = "max-urls", .argument = "N", .type = OPTION_COUNT,
	.target = AT(limits.urls), .commands = FOR_READING,
	.is_positive = true,
	.help = "stop after N listed URLs of all sites; documents are read "
	    "whole (no limit)"},
    {.name = "max-bytes", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.document_bytes), .commands = FOR_DRIVER,
	.is_positive = true, .standard = "64M" /* HOSTILE T1 */, .place = IN_SITE,
	.help = "most bytes of one document on the wire"},
    {.name = "max-site-urls", .argument = "N", .type = OPTION_COUNT,
	.target = AT(limits.site_urls), .commands = FOR_DRIVER,
	.is_positive = true, .standard = "50000000" /* SPEC R-41 */,
	.place = IN_SITE,
	.help = "ask a site for no more documents after N listed URLs"},
    {.name = "max-children", .argument = "N", .type = OPTION_COUNT,
	.target = AT(limits.site_children), .commands = FOR_DRIVER,
	.is_positive = true, .standard = "100000" /* HOSTILE T10 */,
	.place = IN_SITE,
	.help = "most sitemaps that the indexes of one site may lead to"},
    {.name = "max-site-store", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.site_kept), .commands = FOR_CRAWL | FOR_RUN,
	.is_positive = true, .standard = "2GiB" /* HOSTILE T18 */,
	.place = IN_SITE,
	.help = "ask a site for no more when the store keeps so much of what its "
	    "documents list and listed"},
    {.name = "max-site-day", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.site_kept_day), .commands = FOR_CRAWL | FOR_RUN,
	.is_positive = true, .standard = "64MiB" /* HOSTILE T18 */,
	.place = IN_SITE,
	.help = "the same until the next day (UTC), without what first readings "
	    "bring"},
    {.name = "max-drop", .argument = "PERCENT", .type = OPTION_NUMBER,
	.target = AT(limits.drop_percent), .max = 100,
	.commands = FOR_CRAWL | FOR_RUN, .standard = "30" /* HOSTILE I8 */,
	.place = IN_SITE,
	.help = "if more of a sitemap's URLs vanish at once, of ten at least, or "
	    "all of them, and as few come, wait until a reading 22 hours later "
	    "confirms it; 100: never wait"},
    {.name = "max-store", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.store_bytes), .commands = FOR_CRAWL | FOR_RUN,
	.is_positive = true,
	.help = "ask for nothing more when the store has this size (no limit)"},
    {.name = "min-free", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.free_bytes),
	.commands = FOR_CRAWL | FOR_RUN | FOR_WATCH | FOR_FRONTIER | FOR_IMPORT,
	.standard = "1GiB" /* HOSTILE T18 */,
	.help = "stop when less is free on the file system of the store"},
    {.name = "schema", .type = OPTION_FLAG, .target = AT(check.checks_schema),
	.commands = FOR_CHECK,
	.help = "tell what only the XSD forbids, as remarks"},
    {.name = "legacy", .type = OPTION_FLAG, .target = AT(check.checks_legacy),
	.commands = FOR_CHECK,
	.help = "tell what is over the 10 MB that were the limit until 2016"},
    {.name = "sample", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(check.sample), .max = 1000000, .commands = FOR_CHECK,
	.help = "look at N listed pages, spread over all sitemaps: status, "
	    "redirects, robots.txt, noindex, canonical; with --base at their "
	    "files (none)"},
    {.name = "dates", .type = OPTION_FLAG, .target = AT(check.judges_dates),
	.commands = FOR_CHECK, .place = ON_LINE,
	.help = "compare the dates of a folder's pages with what changed since "
	    "--manifest was written"},
    {.name = "manifest", .argument = "FILE", .type = OPTION_STRING,
	.target = AT(check.manifest), .commands = FOR_CHECK | FOR_STAMP, .place = ON_LINE,
	.help = "the pages of the last published state: URL, digest, date"},
    {.name = "init", .type = OPTION_FLAG, .target = AT(check.is_first),
	.commands = FOR_CHECK | FOR_STAMP, .place = ON_LINE,
	.help = "if there is no --manifest yet, write it"},
    {.name = "git", .type = OPTION_FLAG, .target = AT(check.has_git),
	.commands = FOR_STAMP, .place = ON_LINE,
	.help = "with --init, in the repository of the sources: each page gets "
	    "the time of the last commit of its source"},
    {.name = "dry-run", .type = OPTION_FLAG, .target = AT(check.is_dry),
	.commands = FOR_STAMP, .place = ON_LINE,
	.help = "say what would change, and write nothing"},
    {.name = "base", .argument = "URL", .type = OPTION_STRING,
	.target = AT(check.base), .commands = FOR_CHECK | FOR_COMPARE | FOR_STAMP, .place = ON_LINE,
	.help = "files are judged as if they were published below this URL; "
	    "nothing there is asked for"},
    {.name = "root", .argument = "DIR", .type = OPTION_STRING,
	.target = AT(check.root), .commands = FOR_CHECK | FOR_COMPARE, .place = ON_LINE,
	.help = "the folder that will be at --base (that of the first file)"},
    /* how documents are fetched */
    {.name = "delay", .argument = "TIME", .type = OPTION_MS,
	.target = AT(network.delay_ms), .has = AT(network.has_delay),
	.typed = AT(network.is_delay_typed), .max = DAY_MS,
	.commands = FOR_NETWORK | FOR_FRONTIER | FOR_EXPLAIN | FOR_LIST,
	.standard = "1s", .place = IN_SITE,
	.help = "between two requests to one host; none if the host is "
	    "localhost or a loopback address by its name"},
    {.name = "user-agent", .letter = 'A', .argument = "TEXT",
	.type = OPTION_STRING, .target = AT(network.user_agent), .shape = SHAPE_TEXT,
	.form = "one line of printable ASCII",
	.commands = FOR_NETWORK | FOR_DUE,
	.help = "the User-Agent to send; in robots.txt the rules for "
	    "freshet hold all the same"},
    {.name = "contact", .argument = "TEXT", .type = OPTION_STRING,
	.target = AT(network.contact), .shape = SHAPE_TEXT,
	.form = "one line of printable ASCII",
	.commands = FOR_NETWORK | FOR_DUE,
	.help = "where you can be reached; becomes part of the User-Agent"},
    {.name = "header", .letter = 'H', .argument = "LINE",
	.type = OPTION_LINES, .target = AT(login.headers), .shape = SHAPE_HEADER,
	.form = "'Name: value', or @FILE", .commands = FOR_NETWORK,
	.place = IN_SITE,
	.help = "a further header for the target's own origin; @FILE reads "
	    "lines from a file"},
    {.name = "user", .letter = 'u', .argument = "USER",
	.type = OPTION_STRING, .target = AT(login.user), .shape = SHAPE_USER,
	.form = "a user name alone: the password comes from --user-file",
	.commands = FOR_NETWORK, .place = IN_SITE,
	.help = "log in at the target's own origin; the password is read from "
	    "--user-file"},
    {.name = "user-file", .argument = "FILE", .type = OPTION_PATH,
	.target = AT(login.user_file), .commands = FOR_NETWORK, .place = IN_SITE,
	.help = "first line: USER:PASSWORD, or with --user the password "
	    "alone"},
    {.name = "retry", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(network.retry), .max = 100, .commands = FOR_NETWORK,
	.standard = "2", .place = IN_SITE,
	.help = "further tries after a network error"},
    {.name = "max-time", .argument = "TIME", .type = OPTION_MS,
	.target = AT(network.max_time_ms), .max = DAY_MS, .commands = FOR_NETWORK,
	.is_positive = true, .standard = "300s",
	.help = "longest time for one request"},
    {.name = "connect-timeout", .argument = "TIME", .type = OPTION_MS,
	.target = AT(network.connect_timeout_ms), .max = DAY_MS,
	.commands = FOR_NETWORK, .is_positive = true, .standard = "10s",
	.help = "longest time to connect"},
    {.name = "low-speed-time", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(network.low_speed_time_s), .max = DAY_MS,
	.commands = FOR_NETWORK,
	.is_positive = true, .standard = "30s",
	.help = "give up when slower than 1 KiB/s for so long"},
    {.name = "proxy", .argument = "URL", .type = OPTION_STRING,
	.target = AT(network.proxy), .shape = SHAPE_PROXY,
	.form = "HOST:PORT, or http, https, socks4, socks4a, socks5 or socks5h"
	    "://HOST[:PORT]", .commands = FOR_NETWORK,
	.help = "go through this proxy; names but those of targets are looked "
	    "up here first; none is taken from the environment"},
    {.name = "cacert", .argument = "FILE", .type = OPTION_PATH,
	.target = AT(network.ca_file), .commands = FOR_NETWORK | FOR_ALERT | FOR_DOCTOR,
	.help = "trust the certificates in FILE, not the system's"},
    {.name = "connect-to", .argument = "H1:P1:H2:P2", .type = OPTION_LIST,
	.target = AT(network.connect_to), .shape = SHAPE_CONNECT_TO,
	.form = "HOST1:PORT1:HOST2:PORT2", .commands = FOR_NETWORK,
	.help = "ask H2:P2 for what is at H1:P1; empty parts mean any, or "
	    "the same"},
    {.name = "resolve", .argument = "HOST:PORT:ADDR", .type = OPTION_LIST,
	.target = AT(network.resolve), .shape = SHAPE_RESOLVE,
	.form = "HOST:PORT:ADDR[,ADDR]", .commands = FOR_NETWORK,
	.help = "HOST has this address"},
    {.name = "allow-address", .argument = "CIDR", .type = OPTION_LIST,
	.target = AT(network.allow_address), .shape = SHAPE_CIDR,
	.form = "an address or a range such as 127.0.0.0/8",
	.commands = FOR_NETWORK | FOR_ALERT,
	.help = "allow requests to these addresses though they are private"},
    {.name = "agent", .argument = "NAME", .type = OPTION_LIST,
	.target = AT(robots.agents), .shape = SHAPE_AGENT,
	.form = "a product token without its version: letters, '-' and '_'",
	.commands = FOR_ROBOTS | FOR_CHECK,
	.help = "the rules of robots.txt for this crawler hold, such as "
	    "Googlebot, not those for freshet"},
    {.name = "file", .argument = "FILE", .type = OPTION_PATH,
	.target = AT(robots.file), .commands = FOR_ROBOTS, .place = ON_LINE,
	.help = "judge by this robots.txt and ask nobody"},
    {.name = "history", .type = OPTION_FLAG,
	.target = AT(robots.wants_history), .commands = FOR_ROBOTS,
	.place = ON_LINE,
	.not_with = "file agent",
	.help = "what robots.txt of these sites said before, and what changed; "
	    "ask nobody"},
    {.name = "sandbox-test", .type = OPTION_FLAG,
	.target = AT(is_sandbox_test), .commands = FOR_DOCTOR,
	.place = ON_LINE, .help = "try the readers' sandbox, and nothing else"},
    /* the watch list */
    {.name = "every", .argument = "BOUNDS", .type = OPTION_STRING,
	.target = AT(watch.every), .shape = SHAPE_BOUNDS, .form = FORM_BOUNDS,
	.commands = FOR_ADD, .place = ON_LINE,
	.help = "between two readings of a document: 1h..1d, ..1d, or 10m: "
	    "by the clock (as often as it is worth it, 15m..7d)"},
    {.name = "pages-every", .argument = "BOUNDS", .type = OPTION_STRING,
	.target = AT(watch.pages_every), .shape = SHAPE_BOUNDS,
	.form = FORM_BOUNDS, .commands = FOR_ADD, .place = ON_LINE,
	.help = "the same between two fetches of a page; a bound that is "
	    "not given is as here (1h..90d)"},
    {.name = "tag", .argument = "TAG", .type = OPTION_LIST,
	.target = AT(watch.tags), .shape = SHAPE_TAG, .form = FORM_TAG,
	.commands = FOR_WATCH | FOR_LIST | FOR_DUE | FOR_EXPORT | FOR_STATS |
	    FOR_DIFF | FOR_CHANGES | FOR_REPORT | FOR_HOLD | FOR_CRAWL,
	.place = ON_LINE, .help = "a word of your own, to choose sites by"},
    {.name = "below", .argument = "PATH", .type = OPTION_LIST,
	.target = AT(watch.below), .shape = SHAPE_BELOW,
	.form = FORM_BELOW, .commands = FOR_ADD, .place = ON_LINE,
	.help = "hand out pages below this path alone (all); other commands "
	    "show the whole site"},
    {.name = "section", .argument = "SECTION", .type = OPTION_LIST,
	.target = AT(watch.sections), .shape = SHAPE_BELOW,
	.form = FORM_BELOW, .commands = FOR_ADD, .place = ON_LINE,
	.help = "the former name of --below; the next version has it no more"},
    {.name = "section", .argument = "SECTION", .type = OPTION_LIST,
	.target = AT(diff.sections), .shape = SHAPE_SECTION,
	.form = FORM_SECTION, .commands = FOR_DIFF, .place = ON_LINE,
	.help = "of this section alone, such as /blog, or products of "
	    "--section-paths (all)"},
    {.name = "section-depth", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(sections.depth), .max = SECTION_MOST_DEPTH,
	.is_positive = true, .commands = FOR_SECTIONS,
	.configured = FOR_RUN | FOR_SERVE, .standard = "1", .place = IN_SITE,
	.help = "the first N folders of a URL are its section: with 2, "
	    "/shop/tea/42 is in /shop/tea"},
    {.name = "section-paths", .argument = "NAME:PATHS", .type = OPTION_LINES,
	.target = AT(sections.paths), .shape = SHAPE_SECTION_PATHS,
	.form = "NAME: /PATH /PATH, with letters, digits, '-', '_' and '.' in "
	    "the name", .commands = FOR_SECTIONS, .configured = FOR_RUN | FOR_SERVE,
	.place = IN_SITE,
	.help = "pages at or below these paths are in the section NAME: "
	    "'products: /p /shop'; the longest path decides"},
    {.name = "section-ignore", .argument = "PATTERN", .type = OPTION_LIST,
	.target = AT(sections.ignored), .shape = SHAPE_PATTERN,
	.form = "a pattern as in robots.txt, which / or * begins and which does "
	    "not match every page, such as /tag/ or *?page=",
	.commands = FOR_SECTIONS, .configured = FOR_RUN | FOR_SERVE, .place = IN_SITE,
	.help = "pages whose path and query match do not count: a pattern as in "
	    "robots.txt, such as *?page= or /tag/"},
    {.name = "moved", .argument = "PATHS", .type = OPTION_LINES,
	.target = AT(moves.given), .shape = SHAPE_RENAMING,
	.form = "two paths that differ, such as '/blog/* /insights/*'; both have "
	    "one * or none", .commands = FOR_SECTIONS | FOR_EXPORT,
	.configured = FOR_RUN | FOR_SERVE, .place = IN_SITE,
	.help = "pages that left the first path and came to the second one have "
	    "moved: '/blog/* /insights/*'"},
    {.name = "weight", .argument = "NUMBER", .type = OPTION_STRING,
	.target = AT(watch.weight), .shape = SHAPE_WEIGHT, .form = FORM_WEIGHT,
	.commands = FOR_ADD, .place = ON_LINE,
	.help = "how much its pages matter beside those of other sites (1)"},
    {.name = "budget", .argument = "RATE", .type = OPTION_STRING,
	.target = AT(watch.budget), .shape = SHAPE_BUDGET, .form = FORM_BUDGET,
	.commands = FOR_ADD, .place = ON_LINE,
	.help = "requests to the site: 500/h, 40/d (as many as its delay "
	    "allows)"},
    /* stats */
    {.name = "by", .argument = "WHAT", .type = OPTION_CHOICE,
	.target = AT(listing.by), .choices = "url|document",
	.commands = FOR_LS | FOR_EXPORT,
	.help = "each URL once (url), or document by document, as often as it "
		"is listed"},
    {.name = "by", .argument = "WHAT", .type = OPTION_CHOICE,
	.target = AT(stats.by), .choices = "day|week|hour|section|sitemap|weekday",
	.commands = FOR_STATS, .standard = "day",
	.help = "count by day (default), week or hour, by section (the first "
	    "folder of a URL, or as configured), by sitemap, or by weekday: when "
	    "new pages come"},
    {.name = "last", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(stats.last_s), .max = 3650 * DAY_MS,
	.commands = FOR_STATS, .is_positive = true,
	.not_with = "since",
	.help = "so long back from now (14d; by hour 2d, by week 182d, by "
	    "weekday 84d, else 30d)"},
    {.name = "keep", .argument = "DIR", .type = OPTION_STRING,
	.target = AT(keep), .commands = FOR_DEMO, .place = ON_LINE,
	.help = "keep the demonstration's store, in this folder"},
    /* leases and results */
    {.name = "count", .letter = 'n', .argument = "N",
	.type = OPTION_NUMBER, .target = AT(frontier.count),
	.has = AT(frontier.has_count), .max = 100000000, .is_positive = true,
	.commands = FOR_DUE, .standard = "100", .place = ON_LINE,
	.help = "most pages (100; with --follow no limit)"},
    {.name = "hosts", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(frontier.hosts), .max = 100000000, .is_positive = true,
	.commands = FOR_DUE,
	.help = "pages of N hosts at most (no limit)"},
    {.name = "per-host", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(frontier.per_host), .has = AT(frontier.has_per_host),
	.max = 100000000, .commands = FOR_DUE,
	.help = "no page of a host of which N are handed out already, to "
	    "anybody; 0: no limit (by default, of hosts that have a delay, "
	    "none while anybody else has one; with --follow, -f urls and "
	    "curl 1)"},
    {.name = "lease", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(frontier.lease_s), .max = 7 * DAY_MS, .is_positive = true,
	.commands = FOR_DUE, .standard = "10m",
	.help = "nobody else gets a page for so long; then its result comes too "
	    "late; at most half of this time divided by the host's delay is how "
	    "many pages of a host are out"},
    {.name = "total-budget", .argument = "RATE", .type = OPTION_STRING,
	.target = AT(frontier.total_budget), .shape = SHAPE_BUDGET,
	.typed = AT(frontier.is_total_typed),
	.form = FORM_BUDGET, .commands = FOR_BUDGETS, .configured = FOR_OWNERS,
	.help = "requests to all sites together: 5000/h, 40/d (no limit)"},
    {.name = "wait", .argument = "TIME", .type = OPTION_MS,
	.target = AT(frontier.wait_ms), .max = 365 * DAY_MS, .commands = FOR_DUE,
	.place = ON_LINE, .help = "wait so long for the first page (0)"},
    {.name = "follow", .type = OPTION_FLAG, .target = AT(frontier.is_follow),
	.commands = FOR_DUE, .place = ON_LINE,
	.not_with = "wait",
	.help = "go on for ever: a page when it is due, as fast as they are "
	    "read, each host's delay apart"},
    {.name = "peek", .type = OPTION_FLAG, .target = AT(frontier.is_peek),
	.commands = FOR_DUE, .place = ON_LINE,
	.not_with = "follow wait",
	.help = "print what would be handed out, and lease nothing"},
    {.name = "strict", .type = OPTION_FLAG, .target = AT(frontier.is_strict),
	.commands = FOR_DONE,
	.help = "exit with 1 when a result was not taken"},
    {.name = "for", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(frontier.hold_s), .has = AT(frontier.has_hold),
	.max = 365 * DAY_MS, .commands = FOR_HOLD, .place = ON_LINE,
	.help = "so long; 0 ends it"},
    /* processes and logs */
    {.name = "readers", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(readers.count), .has = AT(readers.has_count), .max = 64,
	.commands = FOR_DRIVER,
	.help = "processes that read documents (one per core); 0 reads in "
	    "this process"},
    {.name = "sandbox", .argument = "WHEN", .type = OPTION_CHOICE,
	.target = AT(readers.sandbox), .choices = "required|auto|off",
	.commands = FOR_DRIVER, .standard = "auto",
	.help = "sandbox the readers: required, auto (default: when the kernel "
	    "can) or off"},
    {.name = "parser", .argument = "WHICH", .type = OPTION_CHOICE,
	.target = AT(readers.parser), .choices = "auto|libxml2",
	.commands = FOR_DRIVER, .standard = "auto",
	.help = "read sitemaps with libxml2 and zlib, or auto (default): "
	    "with the fast scanner and inflater, which leave to them "
	    "what is unusual"},
    {.name = "isolate", .argument = "WHAT", .type = OPTION_CHOICE,
	.target = AT(readers.isolation), .choices = "off|site|document",
	.commands = FOR_DRIVER, .standard = "off",
	.help = "read each site, or each document, with a new reader; off "
	    "(default): one for 256 documents"},
    {.name = "reader-cpu", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(limits.reader_cpu_s), .max = DAY_MS, .commands = FOR_DRIVER,
	.is_positive = true, .standard = "10s" /* HOSTILE T15 */,
	.help = "most processor time for one document; then its reader is "
	    "killed"},
    {.name = "reader-time", .argument = "TIME", .type = OPTION_MS,
	.target = AT(limits.reader_time_ms), .max = DAY_MS, .commands = FOR_DRIVER,
	.is_positive = true, .standard = "60s",
	.help = "longest time for reading one document; then its reader is "
	    "killed"},
    {.name = "reader-memory", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.reader_memory), .commands = FOR_DRIVER,
	.is_positive = true, .standard = "256M" /* HOSTILE F16 */,
	.help = "most memory of a reader"},
    {.name = "once", .type = OPTION_FLAG, .target = AT(run.is_once),
	.commands = FOR_RUN, .place = ON_LINE,
	.help = "read what is due now, then end: for cron and timers"},
    {.name = "capacity", .argument = "NUMBER", .type = OPTION_NUMBER,
	.target = AT(run.capacity), .max = 4096, .is_positive = true,
	.commands = FOR_RUN,
	.help = "with a store in PostgreSQL: this machine's part of the shards "
		"follows from this number (its processors)"},
    {.name = "shard", .argument = "NUMBER", .type = OPTION_NUMBER,
	.target = AT(store.shard), .has = AT(store.has_shard),
	.max = 4095, .commands = FOR_RUN | FOR_ALERT | FOR_TOP, .place = ON_LINE, .is_own = true,
	.help = "only this shard of a store in PostgreSQL: 'run' starts itself "
		"so for each of its shards"},
    {.name = "interval", .argument = "TIME", .type = OPTION_MS,
	.target = AT(top.interval_ms), .max = DAY_MS, .is_positive = true,
	.commands = FOR_TOP, .standard = "1s", .place = ON_LINE,
	.help = "the time between two pictures"},
    {.name = "once", .type = OPTION_FLAG, .target = AT(top.is_once),
	.commands = FOR_TOP, .place = ON_LINE,
	.help = "one picture, as without a terminal"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(top.format),
	.choices = "text|ndjson", .commands = FOR_TOP, .standard = "text",
	.help = "text (default), or ndjson: one object"},
    {.name = "log", .argument = "FORM", .type = OPTION_CHOICE,
	.target = AT(run.log), .choices = "auto|text|json", .commands = FOR_RUN,
	.standard = "auto",
	.help = "events on stderr: auto (default: text on a terminal, else "
	    "json), text (a line each) or json (an object a line)"},
    {.name = "progress", .argument = "HOW", .type = OPTION_CHOICE,
	.target = AT(output.progress), .choices = "auto|plain|json|off",
	.commands = FOR_READING | FOR_STAMP, .standard = "auto", .is_own = true,
	.help = "progress on stderr: auto (default: one line, kept up to date, "
	    "on a terminal, else as plain), plain (a line a minute), json (an "
	    "object a second) or off"},
    /* what is printed */
    {.name = "urls", .type = OPTION_PICK, .target = AT(listing.view),
	.pick = LS_URLS, .commands = FOR_LS,
	.not_with = "sitemaps tree",
	.help = "the URLs that are listed, one a line (default)"},
    {.name = "sitemaps", .type = OPTION_PICK, .target = AT(listing.view),
	.pick = LS_SITEMAPS, .commands = FOR_LS,
	.not_with = "tree",
	.help = "the documents, one a line"},
    {.name = "tree", .type = OPTION_PICK, .target = AT(listing.view),
	.pick = LS_TREE, .commands = FOR_LS,
	.not_with = "json",
	.help = "sites, their indexes, and the sitemaps in them"},
    {.name = "long", .letter = 'l', .type = OPTION_FLAG,
	.target = AT(listing.is_long), .commands = FOR_LS | FOR_LIST,
	.help = "more columns: dates, counts, status"},
    {.name = "workers", .type = OPTION_FLAG,
	.target = AT(listing.wants_workers), .commands = FOR_LIST,
	.not_with = "long tag", .place = ON_LINE,
	.help = "of a store in PostgreSQL: its shards, who holds them, what "
		"waits for them, and the machines"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(export.format),
	.choices = "csv|tsv|jsonl|urls|sitemap", .commands = FOR_EXPORT,
	.standard = "csv",
	.not_with = "json:csv|tsv|urls|sitemap columns:urls|sitemap "
	    "changes:sitemap indexes:sitemap refused:sitemap",
	.help = "csv (default), tsv, jsonl, urls or sitemap"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(import_format),
	.choices = "urls|jsonl", .commands = FOR_IMPORT, .standard = "urls",
	.help = "urls (default): one a line, or jsonl: an object a line"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(sql_format),
	.choices = "table|csv|tsv|json", .commands = FOR_SQL,
	.standard = "table",
	.not_with = "json:table|csv|tsv",
	.help = "table (default), csv, tsv or json: one object a line"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_LIST, .target = AT(check.formats),
	.choices = REPORT_FORMATS,
	.shape = SHAPE_FORMAT, .form = "FORMAT, or FORMAT:FILE",
	.commands = FOR_CHECK,
	.not_with = "json:text|junit|github|sarif|html|markdown",
	.help = "text (default), json: one object a line, junit, github: "
	    "annotations, sarif, html: one page, or markdown: a job summary; "
	    "FORMAT:FILE writes to a file, so that one run makes several"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(frontier.format),
	.choices = "ndjson|urls|curl", .commands = FOR_DUE,
	.standard = "ndjson",
	.not_with = "json:urls|curl peek:curl",
	.help = "ndjson (default): one object a line, urls, or curl: a "
	    "configuration for 'curl -K -'"},
    {.name = "fail-on", .argument = "SEVERITY", .type = OPTION_CHOICE,
	.target = AT(check.fail_on), .choices = "error|warning|info",
	.commands = FOR_CHECK, .standard = "error",
	.help = "exit with 1 for findings from here on: error (default), "
	    "warning or info"},
    {.name = "ignore", .argument = "CODE[:PATTERN]", .type = OPTION_LIST,
	.target = AT(check.ignores), .shape = SHAPE_IGNORE,
	.form = "a CODE of 'freshet help diagnostics', or CODE:PATTERN",
	.commands = FOR_CHECK,
	.help = "drop findings of CODE, or only those of documents whose URL, "
	    "path or file matches PATTERN ('*' matches '/', too)"},
    {.name = "severity", .argument = "CODE=LEVEL", .type = OPTION_LIST,
	.target = AT(check.severities), .shape = SHAPE_SEVERITY,
	.form = "CODE=error, CODE=warning or CODE=info with a CODE of 'freshet "
	    "help diagnostics'",
	.commands = FOR_CHECK,
	.help = "the severity of CODE: error, warning or info (that of the "
	    "profile)"},
    {.name = "baseline", .argument = "FILE", .type = OPTION_PATH,
	.target = AT(check.baseline), .commands = FOR_CHECK, .place = ON_LINE,
	.help = "an earlier report in the format json: only findings that it "
	    "does not have fail"},
    {.name = "columns", .argument = "LIST", .type = OPTION_STRING,
	.target = AT(export.columns), .commands = FOR_EXPORT,
	.members = "loc|lastmod|precision|document|first_seen|redated|state|"
	    "reading|at|kind|before|after|refused",
	.help = "which columns, in which order, separated by commas (all)"},
    {.name = "changes", .type = OPTION_FLAG, .target = AT(export.wants_changes),
	.commands = FOR_EXPORT,
	.not_with = "all refused as-of",
	.help = "what the latest crawl of each site changed"},
    {.name = "since", .argument = "WHEN", .type = OPTION_STRING,
	.target = AT(diff.since), .shape = SHAPE_WHEN, .form = FORM_WHEN,
	.commands = FOR_EXPORT, .place = ON_LINE,
	.help = "with --changes: what every reading changed from then on: a "
	    "date, or so long back from now, such as 7d"},
    {.name = "until", .argument = "WHEN", .type = OPTION_STRING,
	.target = AT(diff.until), .shape = SHAPE_WHEN, .form = FORM_WHEN,
	.commands = FOR_EXPORT, .place = ON_LINE,
	.help = "with --changes: what changed before then: a date, or so long "
	    "back from now (now)"},
    {.name = "as-of", .argument = "WHEN", .type = OPTION_STRING,
	.target = AT(export.as_of), .shape = SHAPE_WHEN, .form = FORM_WHEN,
	.commands = FOR_EXPORT, .place = ON_LINE,
	.not_with = "all refused indexes",
	.help = "what was listed then: a date, or so long back from now, such "
	    "as 7d"},
    {.name = "since", .argument = "WHEN", .type = OPTION_STRING,
	.target = AT(diff.since), .shape = SHAPE_WHEN, .form = FORM_WHEN,
	.commands = FOR_DIFF, .place = ON_LINE,
	.help = "the begin of the span: a date, or so long back from now (7d)"},
    {.name = "since", .argument = "WHEN", .type = OPTION_STRING,
	.target = AT(diff.since), .shape = SHAPE_WHEN, .form = FORM_WHEN,
	.commands = FOR_STATS, .place = ON_LINE,
	.help = "the begin of the span, in place of --last: a date, or so long "
	    "back from now"},
    {.name = "since", .argument = "WHEN", .type = OPTION_STRING,
	.target = AT(diff.since), .shape = SHAPE_WHEN, .form = FORM_WHEN,
	.commands = FOR_REPORT | FOR_ALERT, .place = ON_LINE,
	.help = "the first day of the span: a date, or so long back from now "
	    "(30d)"},
    {.name = "until", .argument = "WHEN", .type = OPTION_STRING,
	.target = AT(diff.until), .shape = SHAPE_WHEN, .form = FORM_WHEN,
	.commands = FOR_DIFF | FOR_STATS | FOR_REPORT | FOR_ALERT,
	.place = ON_LINE,
	.help = "the end of the span: a date, or so long back from now (now); "
	    "what waits, fails or was last read is told as of now"},
    {.name = "html", .argument = "FILE", .type = OPTION_STRING,
	.target = AT(report.html), .commands = FOR_REPORT, .place = ON_LINE,
	.help = "the file that is written or replaced; '-' is stdout"},
    {.name = "list", .type = OPTION_FLAG, .target = AT(note.wants_list),
	.commands = FOR_NOTE, .place = ON_LINE,
	.help = "print the notes of the sites, or of all"},
    {.name = "remove", .type = OPTION_FLAG, .target = AT(note.wants_remove),
	.commands = FOR_NOTE, .place = ON_LINE,
	.help = "remove the notes of the site at that date"},
    {.name = "listen", .argument = "ADDR:PORT", .type = OPTION_STRING,
	.target = AT(serve.listen), .shape = SHAPE_LISTEN,
	.form = "an address and a port: 127.0.0.1:8787, [::1]:8787",
	.commands = FOR_SERVE, .standard = "127.0.0.1:8787", .place = ON_LINE,
	.help = "where to listen; any address but a loopback one needs "
	    "--token-file"},
    {.name = "listen", .argument = "ADDR:PORT", .type = OPTION_STRING,
	.target = AT(serve.beside), .shape = SHAPE_LISTEN,
	.form = "an address and a port: 127.0.0.1:8787, [::1]:8787",
	.commands = FOR_RUN, .place = ON_LINE,
	.help = "run 'freshet serve' beside it, which listens there"},
    {.name = "token-file", .argument = "FILE", .type = OPTION_PATH,
	.target = AT(serve.token_file), .commands = FOR_SERVE | FOR_RUN,
	.place = ON_LINE,
	.help = "first line: the token that clients must show"},
    {.name = "kind", .argument = "LIST", .type = OPTION_STRING,
	.target = AT(diff.kinds), .commands = FOR_DIFF, .place = ON_LINE,
	.members = EVENT_NAMES,
	.help = "events of these kinds alone, separated by commas (all)"},
    {.name = "rows", .type = OPTION_FLAG, .target = AT(diff.wants_rows),
	.commands = FOR_DIFF, .place = ON_LINE,
	.help = "each page that was new, gone, moved or re-dated, too"},
    {.name = "exit-code", .type = OPTION_FLAG,
	.target = AT(diff.wants_exit_code), .commands = FOR_DIFF,
	.place = ON_LINE,
	.help = "exit with 1 if something happened, or a page changed"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(diff.format),
	.choices = "text|ndjson|csv", .commands = FOR_DIFF, .standard = "text",
	.not_with = "excel:text|ndjson",
	.help = "text (default), ndjson: one object a line, or csv: one table"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(stats.format),
	.choices = "text|ndjson|csv", .commands = FOR_STATS,
	.standard = "text",
	.not_with = "json:text|csv",
	.help = "text (default), ndjson: one object a line, or csv: one table"},
    {.name = "excel", .type = OPTION_FLAG, .target = AT(diff.is_excel),
	.commands = FOR_DIFF, .place = ON_LINE,
	.not_with = "json",
	.help = "the table of -f csv as Excel opens it: with a byte order mark, "
	    "the list separator of the locale, and times in the zone of --tz"},
    {.name = "consumer", .argument = "NAME", .type = OPTION_STRING,
	.target = AT(changes.consumer), .shape = SHAPE_TAG, .form = FORM_TAG,
	.commands = FOR_CHANGES, .place = ON_LINE,
	.not_with = "list forget",
	.help = "whose changes: a name of your own, which the store remembers"},
    {.name = "limit", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(changes.limit), .max = 100000, .is_positive = true,
	.commands = FOR_CHANGES, .standard = "10000", .place = ON_LINE,
	.help = "most pages in a batch"},
    {.name = "ack", .argument = "CURSOR", .type = OPTION_STRING,
	.target = AT(changes.ack), .commands = FOR_CHANGES, .place = ON_LINE,
	.not_with = "list forget tag limit",
	.help = "the batch that ended with this cursor was applied: the next one "
	    "begins behind it ('-': read the cursor, or the last line of the "
	    "batch, from stdin)"},
    {.name = "list", .type = OPTION_FLAG, .target = AT(changes.wants_list),
	.commands = FOR_CHANGES, .place = ON_LINE,
	.not_with = "forget",
	.help = "the consumers, and when they acknowledged last"},
    {.name = "forget", .argument = "NAME", .type = OPTION_STRING,
	.target = AT(changes.forget), .commands = FOR_CHANGES,
	.place = ON_LINE, .help = "remove a consumer"},
    {.name = "all", .type = OPTION_FLAG, .target = AT(listing.wants_all),
	.commands = FOR_EXPORT,
	.help = "removed entries too"},
    {.name = "all", .type = OPTION_FLAG, .target = AT(listing.wants_all),
	.commands = FOR_COMPARE,
	.help = "every URL that differs, not three of each kind"},
    {.name = "indexes", .type = OPTION_FLAG, .target = AT(listing.wants_indexes),
	.commands = FOR_EXPORT,
	.help = "what indexes list too: sitemaps, which are no pages"},
    {.name = "refused", .type = OPTION_FLAG, .target = AT(listing.wants_refused),
	.commands = FOR_LS | FOR_EXPORT,
	.not_with = "sitemaps tree",
	.help = "the URLs that are listed and refused, instead of the others"},
    {.name = "repair", .type = OPTION_FLAG, .target = AT(db.wants_repair),
	.commands = FOR_DB, .action = "fsck", .place = ON_LINE,
	.help = "fsck: mend what follows from other data, and forget documents "
	    "of which something is lost, to read them anew"},
    {.name = "older", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(db.older_s), .max = 100 * 365 * DAY_MS, .commands = FOR_DB,
	.is_positive = true, .action = "prune", .place = ON_LINE,
	.help = "prune: remove the readings that are older than this"},
    {.name = "shards", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(db.shards), .max = 4096, .commands = FOR_DB,
	.is_positive = true, .place = ON_LINE, .standard = "1",
	.help = "init, move: shards of the store in PostgreSQL (1)"},
    {.name = "shard", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(store.shard), .has = AT(store.has_shard), .max = 4095,
	.commands = FOR_DB, .action = "copy", .place = ON_LINE,
	.help = "copy: this shard alone, as it is"},
    {.name = "keep", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(run.keep_s), .max = 100 * 365 * DAY_MS, .commands = FOR_RUN,
	.is_positive = true, .help = "forget readings that are older than this, as 'db prune' does, "
	    "little by little (never)"},
    {.name = "store", .argument = "PATH", .type = OPTION_STRING,
	.target = AT(store.given), .commands = FOR_STORE, .is_own = true,
	.help = "the store: a path, sqlite:///path, or "
	    "postgresql://host/database "
	    "(~/.local/share/freshet/freshet.db)"},
    {.name = "tz", .argument = "ZONE", .type = OPTION_STRING,
	.target = AT(output.tz), .shape = SHAPE_ZONE, .form = FORM_ZONE,
	.commands = FOR_TIMES,
	.help = "print and read times in this zone: Europe/Berlin, +02:00, local "
	    "(UTC); JSON is in UTC"},
    {.name = "config", .argument = "FILE", .type = OPTION_STRING,
	.target = AT(config.path), .has = AT(config.is_given), .has_off = true,
	.commands = FOR_CONFIGURED, .place = ON_LINE, .is_own = true,
	.help = "read this configuration; --no-config: none; see "
	    "'freshet help config'"},
    {.name = "input-file", .letter = 'i', .argument = "FILE",
	.type = OPTION_LIST, .target = AT(targets.input_files),
	.commands = FOR_READING | FOR_ADD | FOR_RM | FOR_LS | FOR_EXPLAIN |
	    FOR_ROBOTS, .place = ON_LINE, .is_own = true,
	.help = "more targets, one a line; # begins a comment"},
    {.name = "json", .type = OPTION_FLAG, .target = AT(output.is_json),
	.commands = FOR_ALL & ~(FOR_COMPLETION | FOR_STAMP), .is_own = true,
	.help = "one JSON object a line, each with \"v\":1; reference/json.md "
	    "in the folder of the documentation lists the fields"},
    {.name = "color", .argument = "WHEN", .type = OPTION_CHOICE,
	.target = AT(output.color), .choices = "auto|always|never",
	.commands = FOR_ALL, .standard = "auto", .is_own = true,
	.help = "colours: auto (default: on a terminal), always or never"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG,
	.target = AT(output.is_quiet), .commands = FOR_ALL, .is_own = true,
	.help = "say nothing but errors and the data"},
    {.name = "help", .letter = 'h', .type = OPTION_FLAG,
	.target = AT(wants_help), .commands = FOR_ALL,
	.place = ON_LINE, .is_own = true,
	.help = "print this help"},
    {.name = "version", .letter = 'V', .type = OPTION_FLAG,
	.target = AT(wants_version), .commands = FOR_ALL,
	.place = ON_LINE, .is_own = true,
	.help = "print the version"},
    {.name = NULL}
};

/* Every switch of the profile is an option of its own name. */
const struct option option_switch = {.argument = "VALUE",
	.type = OPTION_SWITCH, .target = AT(rules.switches), .commands = FOR_RULES,
	.place = IN_SITE};
/* clang-format on */

const struct option *
option_find(struct slice name, const char **key)
{
	const struct option *option;

	*key = NULL;
	for (option = option_rows; option->name != NULL; option++)
		if (slice_is(name, option->name))
			return option;
	/* in a name of a switch '-' and '_' count as the same */
	for (size_t i = 0; i < PROFILE_SWITCHES; i++) {
		size_t k = 0;

		*key = profile_switches[i].key;
		while (k < name.len && (*key)[k] != '\0' &&
		    ((*key)[k] == name.p[k] ||
			((*key)[k] == '_' && name.p[k] == '-')))
			k++;
		if (k == name.len && (*key)[k] == '\0')
			return &option_switch;
	}
	*key = NULL;
	return NULL;
}

const struct option *
option_of(const struct option *option, uint64_t command)
{
	if (option->commands & command || option->name == NULL)
		return option;
	for (const struct option *row = option_rows; row->name != NULL; row++)
		if (strcmp(row->name, option->name) == 0 &&
		    (row->commands & command) != 0)
			return row;
	return option;
}

enum option_place
option_place(const struct option *option)
{
	if (option->type == OPTION_PICK)
		return ON_LINE;
	for (const struct option *row = option_rows;
	     row->name != NULL && option->name != NULL; row++)
		if (row != option && strcmp(row->name, option->name) == 0 &&
		    row->place < ON_LINE && option->place < ON_LINE)
			return ON_LINE;
	return option->place;
}

bool
option_repeats(const struct option *option)
{
	return option->type == OPTION_LIST || option->type == OPTION_LINES ||
	    option->type == OPTION_SET;
}

int
choice_find(const char *choices, struct slice value)
{
	for (int i = 0;; i++) {
		size_t len = strcspn(choices, "|");

		if (slice_equal(slice_make(choices, len), value))
			return i;
		if (choices[len] == '\0')
			return -1;
		choices += len + 1;
	}
}

/* Switches are written with '_' in rules and with '-' as options; a shell
 * completes the latter. */
static void
options_table_set(
    struct option_walk *walk, const struct option *option, const char *name)
{
	walk->option = option;
	walk->argument = option->argument;
	(void)snprintf(walk->name, sizeof(walk->name), "%s", name);
	for (char *p = walk->name; *p != '\0'; p++)
		if (*p == '_')
			*p = '-';
	if (walk->argument == NULL)
		walk->kind = VALUE_NONE;
	else if (option->members != NULL)
		walk->kind = VALUE_MEMBERS;
	else if (option->type == OPTION_SET)
		walk->kind = VALUE_SWITCH;
	else if (walk->choices != NULL)
		walk->kind = VALUE_CHOICE;
	else if (strcmp(walk->argument, "FILE") == 0 ||
	    strcmp(walk->argument, "PATH") == 0)
		walk->kind = VALUE_FILE;
	else
		walk->kind = strcmp(walk->argument, "DIR") == 0 ? VALUE_FOLDER
								: VALUE_ANY;
}

bool
option_walk_next(struct option_walk *walk)
{
	const struct profile_switch *row;
	const struct option *option;
	const size_t rows = sizeof(option_rows) / sizeof(option_rows[0]) - 1;

	while (walk->at < rows) {
		option = &option_rows[walk->at++];
		if ((option->commands & walk->commands) == 0)
			continue;
		walk->choices = option->choices;
		walk->help = option->help;
		options_table_set(walk, option, option->name);
		return true;
	}
	/* behind the last row come the switches, which are no rows */
	walk->place = walk->at - rows;
	if ((option_switch.commands & walk->commands) == 0 ||
	    walk->place >= PROFILE_SWITCHES)
		return false;
	row = &profile_switches[walk->place];
	walk->at++;
	walk->help = row->help;
	walk->is_switch = true;
	walk->choices = row->values;
	options_table_set(walk, &option_switch, row->key);
	return true;
}
