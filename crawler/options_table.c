/* The one table of options. */
#include "crawler/options_table.h"

#include "crawler/options_value.h"

#define AT(field) offsetof(struct options, field)
#define DAY_MS INT64_C(86400000)

#define FOR_READING (FOR_CHECK | FOR_COMPARE | FOR_CRAWL)
#define FOR_NETWORK (FOR_READING | FOR_ROBOTS)
#define FOR_STORE                                                           \
	(FOR_CRAWL | FOR_LS | FOR_EXPORT | FOR_EXPLAIN | FOR_SQL | FOR_DB | \
	    FOR_DOCTOR)
#define FOR_RULES (FOR_CHECK | FOR_CRAWL | FOR_EXPLAIN)

/* clang-format off */
static const struct option options[] = {
    /* what is read, and how it is judged */
    {.name = "profile", .argument = "NAME", .type = OPTION_CHOICE,
	.target = AT(profile.name), .choices = "strict|google|lenient",
	.commands = FOR_RULES | FOR_ROBOTS,
	.standard = "google", .place = IN_SITE,
	.help = "the rules to read by: strict, google (default) or lenient"},
    {.name = "set", .argument = "SWITCH=VALUE", .type = OPTION_SET,
	.target = AT(switches), .commands = FOR_RULES,
	.place = IN_SITE,
	.help = "change one switch of the profile; see Switches below"},
    {.name = "own", .argument = "ASSERTION", .type = OPTION_LIST,
	.target = AT(owned), .shape = shape_own,
	.form = "domain:example.com, no public suffix, or a URL prefix",
	.commands = FOR_RULES | FOR_COMPARE,
	.place = IN_SITE,
	.help = "what the site's owner owns too: domain:example.com, or a URL "
	    "prefix"},
    {.name = "force", .type = OPTION_FLAG, .target = AT(is_forced),
	.commands = FOR_CRAWL,
	.help = "fetch and read every document, changed or not"},
    {.name = "max-urls", .argument = "N", .type = OPTION_COUNT,
	.target = AT(max_urls), .commands = FOR_READING,
	.is_positive = true,
	.help = "stop after N listed URLs of all sites; documents are read "
	    "whole (no limit)"},
    {.name = "max-bytes", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(max_bytes), .commands = FOR_READING,
	.is_positive = true, .standard = "64M" /* HOSTILE T1 */, .place = IN_SITE,
	.help = "most bytes of one document on the wire"},
    {.name = "max-site-urls", .argument = "N", .type = OPTION_COUNT,
	.target = AT(limits.site_urls), .commands = FOR_READING,
	.is_positive = true, .standard = "50000000" /* SPEC R-41 */,
	.place = IN_SITE,
	.help = "ask a site for no more documents after N listed URLs"},
    {.name = "max-children", .argument = "N", .type = OPTION_COUNT,
	.target = AT(limits.site_children), .commands = FOR_READING,
	.is_positive = true, .standard = "100000" /* HOSTILE T10 */,
	.place = IN_SITE,
	.help = "most sitemaps that the indexes of one site may lead to"},
    {.name = "max-store", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.store_bytes), .commands = FOR_CRAWL,
	.is_positive = true,
	.help = "ask for nothing more when the store has this size (no limit)"},
    {.name = "min-free", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.free_bytes), .commands = FOR_CRAWL,
	.standard = "1GiB" /* HOSTILE T18 */,
	.help = "stop when less is free on the file system of the store"},
    {.name = "extensions", .type = OPTION_FLAG,
	.target = AT(checks_extensions), .commands = FOR_CHECK,
	.help = "judge image, video, news and hreflang data too"},
    {.name = "schema", .type = OPTION_FLAG, .target = AT(checks_schema),
	.commands = FOR_CHECK,
	.help = "tell what only the XSD forbids, as remarks"},
    {.name = "legacy", .type = OPTION_FLAG, .target = AT(checks_legacy),
	.commands = FOR_CHECK,
	.help = "tell what is over the 10 MB that were the limit until 2016"},
    {.name = "sample", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(sample), .max = 10000, .commands = FOR_CHECK,
	.help = "look at N listed pages, spread over all sitemaps: status, "
	    "redirects, robots.txt, noindex, canonical (none)"},
    {.name = "base", .argument = "URL", .type = OPTION_STRING,
	.target = AT(base), .commands = FOR_CHECK | FOR_COMPARE, .place = ON_LINE,
	.help = "files are judged as if they were published below this URL; "
	    "nothing there is asked for"},
    {.name = "root", .argument = "DIR", .type = OPTION_STRING,
	.target = AT(root), .commands = FOR_CHECK | FOR_COMPARE, .place = ON_LINE,
	.help = "the folder that will be at --base (that of the first file)"},
    /* how it is fetched */
    {.name = "delay", .argument = "TIME", .type = OPTION_MS,
	.target = AT(delay_ms), .has = AT(has_delay), .max = DAY_MS,
	.commands = FOR_NETWORK,
	.standard = "1s", .place = IN_SITE,
	.help = "between two requests to one host; none on a loopback "
	    "address that was named"},
    {.name = "user-agent", .letter = 'A', .argument = "TEXT",
	.type = OPTION_STRING, .target = AT(user_agent), .shape = shape_text,
	.form = "one line of printable ASCII", .commands = FOR_NETWORK,
	.help = "the User-Agent to send; in robots.txt the rules for "
	    "freshet hold all the same"},
    {.name = "contact", .argument = "TEXT", .type = OPTION_STRING,
	.target = AT(contact), .shape = shape_text,
	.form = "one line of printable ASCII", .commands = FOR_NETWORK,
	.help = "where you can be reached; becomes part of the User-Agent"},
    {.name = "header", .letter = 'H', .argument = "LINE",
	.type = OPTION_LINES, .target = AT(headers), .shape = shape_header,
	.form = "'Name: value', or @FILE", .commands = FOR_NETWORK,
	.place = IN_SITE,
	.help = "a further header for the target's own origin; @FILE reads "
	    "lines from a file"},
    {.name = "user", .letter = 'u', .argument = "USER",
	.type = OPTION_STRING, .target = AT(user), .shape = shape_user,
	.form = "a user name alone: the password comes from "
	    "FRESHET_PASSWORD or --user-file", .commands = FOR_NETWORK,
	.place = IN_SITE,
	.help = "log in at the target's own origin; the password is read from "
	    "FRESHET_PASSWORD or --user-file"},
    {.name = "user-file", .argument = "FILE", .type = OPTION_PATH,
	.target = AT(user_file), .commands = FOR_NETWORK,
	.place = IN_SITE,
	.help = "first line: USER:PASSWORD, or with --user the password "
	    "alone"},
    {.name = "retry", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(retry), .max = 100, .commands = FOR_NETWORK,
	.standard = "2", .place = IN_SITE,
	.help = "further tries after a network error"},
    {.name = "max-time", .argument = "TIME", .type = OPTION_MS,
	.target = AT(max_time_ms), .max = DAY_MS, .commands = FOR_NETWORK,
	.is_positive = true, .standard = "300s",
	.help = "longest time for one request"},
    {.name = "connect-timeout", .argument = "TIME", .type = OPTION_MS,
	.target = AT(connect_timeout_ms), .max = DAY_MS,
	.commands = FOR_NETWORK,
	.is_positive = true, .standard = "10s",
	.help = "longest time to connect"},
    {.name = "low-speed-time", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(low_speed_time_s), .max = DAY_MS,
	.commands = FOR_NETWORK,
	.is_positive = true, .standard = "30s",
	.help = "give up when slower than 1 KiB/s for so long"},
    {.name = "proxy", .argument = "URL", .type = OPTION_STRING,
	.target = AT(proxy), .shape = shape_proxy,
	.form = "HOST:PORT, or http, https, socks4, socks4a, socks5 or socks5h"
	    "://HOST[:PORT]", .commands = FOR_NETWORK,
	.help = "go through this proxy; none is taken from the environment"},
    {.name = "cacert", .argument = "FILE", .type = OPTION_PATH,
	.target = AT(ca_file), .commands = FOR_NETWORK | FOR_DOCTOR,
	.help = "trust the certificates in FILE, not the system's"},
    {.name = "connect-to", .argument = "H1:P1:H2:P2", .type = OPTION_LIST,
	.target = AT(connect_to), .shape = shape_connect_to,
	.form = "HOST1:PORT1:HOST2:PORT2", .commands = FOR_NETWORK,
	.help = "ask H2:P2 for what is at H1:P1; empty parts mean any, or "
	    "the same"},
    {.name = "resolve", .argument = "HOST:PORT:ADDR", .type = OPTION_LIST,
	.target = AT(resolve), .shape = shape_resolve,
	.form = "HOST:PORT:ADDR[,ADDR]", .commands = FOR_NETWORK,
	.help = "HOST has this address"},
    {.name = "allow-address", .argument = "CIDR", .type = OPTION_LIST,
	.target = AT(allow_address), .shape = shape_cidr,
	.form = "an address or a range such as 127.0.0.0/8",
	.commands = FOR_NETWORK,
	.help = "allow requests to these addresses though they are private"},
    {.name = "agent", .argument = "NAME", .type = OPTION_STRING,
	.target = AT(agent), .shape = shape_agent,
	.form = "a product token: letters, '-' and '_'",
	.commands = FOR_ROBOTS, .standard = "freshet",
	.help = "judge for this product token"},
    {.name = "file", .argument = "FILE", .type = OPTION_PATH,
	.target = AT(file), .commands = FOR_ROBOTS, .place = ON_LINE,
	.help = "judge by this robots.txt and ask nobody"},
    {.name = "sandbox-test", .type = OPTION_FLAG,
	.target = AT(is_sandbox_test), .commands = FOR_DOCTOR,
	.place = ON_LINE, .help = "try the readers' jail, and nothing else"},
    {.name = "keep", .argument = "DIR", .type = OPTION_STRING,
	.target = AT(keep), .commands = FOR_DEMO, .place = ON_LINE,
	.help = "keep the demonstration's store, in this folder"},
    /* how it is run */
    {.name = "readers", .argument = "N", .type = OPTION_NUMBER,
	.target = AT(readers), .has = AT(has_readers), .max = 64,
	.commands = FOR_READING,
	.help = "processes that read documents (one per core); 0 reads in "
	    "this process"},
    {.name = "sandbox", .argument = "WHEN", .type = OPTION_CHOICE,
	.target = AT(sandbox), .choices = "required|auto|off",
	.commands = FOR_READING,
	.standard = "auto",
	.help = "jail the readers: required, auto (default: when the kernel "
	    "can) or off"},
    {.name = "isolate", .argument = "WHAT", .type = OPTION_CHOICE,
	.target = AT(isolation), .choices = "off|site|document",
	.commands = FOR_READING,
	.standard = "off",
	.help = "read each site, or each document, with a new reader; off "
	    "(default): one for 256 documents"},
    {.name = "reader-cpu", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(limits.reader_cpu_s), .max = DAY_MS, .commands = FOR_READING,
	.is_positive = true, .standard = "10s" /* HOSTILE T15 */,
	.help = "most processor time for one document; then its reader is "
	    "killed"},
    {.name = "reader-time", .argument = "TIME", .type = OPTION_MS,
	.target = AT(limits.reader_time_ms), .max = DAY_MS, .commands = FOR_READING,
	.is_positive = true, .standard = "60s",
	.help = "longest time for reading one document; then its reader is "
	    "killed"},
    {.name = "reader-memory", .argument = "SIZE", .type = OPTION_SIZE,
	.target = AT(limits.reader_memory), .commands = FOR_READING,
	.is_positive = true, .standard = "256M" /* HOSTILE F16 */,
	.help = "most memory of a reader"},
    {.name = "progress", .argument = "HOW", .type = OPTION_CHOICE,
	.target = AT(progress), .choices = "auto|plain|json|off",
	.commands = FOR_READING,
	.standard = "auto",
	.help = "progress on stderr: auto (default: one line, kept up to date, "
	    "on a terminal, else as plain), plain (a line a minute), json (an "
	    "object a second) or off"},
    /* what is printed */
    {.name = "urls", .type = OPTION_PICK, .target = AT(view),
	.pick = LS_URLS, .commands = FOR_LS,
	.help = "the URLs that are listed, one a line (default)"},
    {.name = "sitemaps", .type = OPTION_PICK, .target = AT(view),
	.pick = LS_SITEMAPS, .commands = FOR_LS,
	.help = "the documents, one a line"},
    {.name = "tree", .type = OPTION_PICK, .target = AT(view),
	.pick = LS_TREE, .commands = FOR_LS,
	.help = "sites, their indexes, and the sitemaps in them"},
    {.name = "long", .letter = 'l', .type = OPTION_FLAG,
	.target = AT(is_long), .commands = FOR_LS,
	.help = "more columns: dates, counts, status"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(format),
	.choices = "csv|tsv|jsonl|urls|sitemap", .commands = FOR_EXPORT,
	.standard = "csv",
	.help = "csv (default), tsv, jsonl, urls or sitemap"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(sql_format),
	.choices = "table|csv|tsv|json", .commands = FOR_SQL,
	.standard = "table",
	.help = "table (default), csv, tsv or json: one object a line"},
    {.name = "format", .letter = 'f', .argument = "FORMAT",
	.type = OPTION_CHOICE, .target = AT(report_format),
	.choices = "text|json|junit|github|sarif|html", .commands = FOR_CHECK,
	.standard = "text",
	.help = "text (default), json: one object a line, junit, github: "
	    "annotations, sarif, or html: one page"},
    {.name = "fail-on", .argument = "SEVERITY", .type = OPTION_CHOICE,
	.target = AT(fail_on), .choices = "error|warning|info",
	.commands = FOR_CHECK, .standard = "error",
	.help = "exit with 1 for findings from here on: error (default), "
	    "warning or info"},
    {.name = "columns", .argument = "LIST", .type = OPTION_STRING,
	.target = AT(columns), .commands = FOR_EXPORT,
	.members = "loc|lastmod|precision|document|first_seen|redated|state|"
	    "reading|at|kind|before|after",
	.help = "which columns, in which order, separated by commas (all)"},
    {.name = "changes", .type = OPTION_FLAG, .target = AT(wants_changes),
	.commands = FOR_EXPORT,
	.help = "what the latest crawl of each site changed"},
    {.name = "all", .type = OPTION_FLAG, .target = AT(wants_all),
	.commands = FOR_EXPORT,
	.help = "removed entries too"},
    {.name = "all", .type = OPTION_FLAG, .target = AT(wants_all),
	.commands = FOR_COMPARE,
	.help = "every URL that differs, not three of each kind"},
    {.name = "indexes", .type = OPTION_FLAG, .target = AT(wants_indexes),
	.commands = FOR_EXPORT,
	.help = "what indexes list too: sitemaps, which are no pages"},
    {.name = "repair", .type = OPTION_FLAG, .target = AT(wants_repair),
	.commands = FOR_DB, .action = "fsck", .place = ON_LINE,
	.help = "fsck: make anew what follows from other data, counts for "
	    "example"},
    {.name = "older", .argument = "TIME", .type = OPTION_SECONDS,
	.target = AT(older_s), .max = 100 * 365 * DAY_MS, .commands = FOR_DB,
	.is_positive = true, .action = "prune", .place = ON_LINE,
	.help = "prune: remove the readings that are older than this"},
    {.name = "store", .argument = "PATH", .type = OPTION_STRING,
	.target = AT(store_given), .commands = FOR_STORE,
	.help = "the store: a path, or sqlite:///path "
	    "(~/.local/share/freshet/freshet.db)"},
    {.name = "config", .argument = "FILE", .type = OPTION_STRING,
	.target = AT(config), .has = AT(has_config), .has_off = true,
	.commands = FOR_CONFIGURED, .place = IN_ENVIRONMENT,
	.help = "read this configuration; --no-config: none; see "
	    "'freshet help config'"},
    {.name = "input-file", .letter = 'i', .argument = "FILE",
	.type = OPTION_LIST, .target = AT(input_files),
	.commands = FOR_READING | FOR_LS | FOR_EXPLAIN | FOR_ROBOTS,
	.place = ON_LINE,
	.help = "more targets, one a line; # begins a comment"},
    {.name = "json", .type = OPTION_FLAG, .target = AT(is_json),
	.commands = FOR_ALL & ~FOR_COMPLETION,
	.help = "one JSON object a line, each with \"v\":1; json.md in the "
	    "folder of the documentation lists the fields"},
    {.name = "color", .argument = "WHEN", .type = OPTION_CHOICE,
	.target = AT(color), .choices = "auto|always|never",
	.commands = FOR_ALL,
	.standard = "auto",
	.help = "colours: auto (default: on a terminal), always or never"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG,
	.target = AT(is_quiet), .commands = FOR_ALL,
	.help = "say nothing but errors and the data"},
    {.name = "help", .letter = 'h', .type = OPTION_FLAG,
	.target = AT(wants_help), .commands = FOR_ALL,
	.place = ON_LINE,
	.help = "print this help"},
    {.name = "version", .letter = 'V', .type = OPTION_FLAG,
	.target = AT(wants_version), .commands = FOR_ALL,
	.place = ON_LINE,
	.help = "print the version"},
};

/* Every switch of the profile is an option under its own name. */
static const struct option switch_option = {.argument = "VALUE",
	.type = OPTION_SWITCH, .target = AT(switches), .commands = FOR_RULES,
	.place = IN_SITE};
/* clang-format on */

#define OPTIONS (sizeof(options) / sizeof(options[0]))

const struct option *
option_row(size_t i)
{
	return i < OPTIONS ? &options[i] : NULL;
}

const struct option *
option_switch(void)
{
	return &switch_option;
}
