/* The commands of the watch list, in words. */
#include "crawler/cli/commands_table.h"

#include <stdint.h>

#define SETTINGS_TEXT                                                         \
	"every: between two readings of a document, as 1h..1d: not sooner "   \
	"and "                                                                \
	"not later; 10m means exactly so often, ..1d only not later. "        \
	"pages-every: the same between two fetches of a page (1h..90d). "     \
	"budget: "                                                            \
	"requests to the site, 500/h or 40/d. weight: how much its pages "    \
	"matter beside those of other sites (1). profile: the rules to read " \
	"by. tag: a word of your own. section: only pages below this path "   \
	"are "                                                                \
	"handed out; tag and section may be given several times.\n"
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
const struct command command_row_add = {.name = "add", .group = "keep fresh",
	.summary = "put sites on the watch list",
	.synopsis = "[--every BOUNDS] [--tag TAG]... [--section PATH]... "
	    "TARGET...",
	.operand = "TARGET", .min_args = 1, .max_args = UINT32_MAX,
	.reads_stdin = true,
	.examples =
	"freshet add www.example.org|all that its robots.txt leads to\n"
	"freshet add --every 10m https://www.example.org/news.xml|"
	    "one sitemap, read every ten minutes\n"
	"freshet add --every 1h..1d --tag shops -i sites.txt|"
	    "many sites, from a file\n"
	"freshet add --section /blog --weight 3 www.example.org|"
	    "pages below /blog alone, and sooner than those of others\n",
	.text =
	"'freshet run' reads the sitemaps of these sites again and again, as "
	"often as it is worth it within the bounds given here. Nothing is "
	"fetched by this command; a daemon that is at work takes the sites up "
	"at once.\n"
	"A TARGET is a host, the URL of a site, of a robots.txt, of an index "
	"or of a sitemap; '-', or a pipe when no target is named, means: "
	"targets from stdin, one a line. A bad line is named and costs itself "
	"only. Targets of one host are one site, whatever their ports. A site that is on the list "
	"already gets a further target, and what is given with it takes the "
	"place of what was wanted before.\n"
	"What holds for a site, stronger first: what the watch list says of "
	"it, its [site HOST] in the configuration, [defaults].\n",
	.exits =
	"0|all are on the list\n"
	"1|some lines were no targets\n"
	"4|no line was a target\n"
	CHANGE_EXITS};

const struct command command_row_list = {.name = "list", .group = "keep fresh",
	.summary = "print the watch list",
	.synopsis = "[-l] [--tag TAG]... [SITE]...",
	.operand = "SITE", .max_args = UINT32_MAX,
	.examples =
	"freshet list|what is watched, and when it was read\n"
	"freshet list -l www.example.org|all that is known of one site\n"
	"freshet list --tag news|those with that tag\n"
	"freshet list --json|for programs\n",
	.text =
	"Prints one line a site: bounds between readings, when a document of "
	"it was read last, sitemaps, URLs that they list, and pages that were "
	"handed out, fetched or chosen for that; with -l its targets and "
	"settings too, as "
	"KEY=VALUE that 'set' takes, and when a document of it is looked at "
	"next. STATE is ok; new, when nothing of it was read yet; held, when "
	"its host is left alone, or its pages are, since several of them "
	"failed ('freshet hold' lists both); set aside, when it was at work as "
	"a bug ended freshet, twice in a row ('freshet help site-set-aside'); "
	"not found, when "
	"'freshet run' found nothing there and tries again later; and how many "
	"of its documents failed the last time, robots.txt among them; stale "
	"since, where one of them cannot be had and what was read of it before "
	"stands; and waiting, sitemaps whose last reading lacks what the one "
	"before had, and URLs that depend on the second one, which 'freshet "
	"run' makes within the hour.\n",
	.exits =
	"0|done\n"
	"1|some of the sites are not on the list\n"
	"2|usage, or there is no store\n"
	"4|none of the sites is on the list, or has the tag\n"
	"6|the store is damaged, or newer than this program\n"
	"7|stdout cannot be written\n"};

const struct command command_row_rm = {.name = "rm", .group = "keep fresh",
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
	"A SITE is a host, or any URL of it; it goes with all its targets. But "
	"where URLs are given that are targets of it, and it has others, only "
	"these go, and it stays: sitemaps that no target leads to any more, by "
	"robots.txt or an index, are read no more, and pages that no other "
	"sitemap lists are not handed out. With '-' sites come from stdin, "
	"one a line; a bad line is named and costs itself only. What the store knows of the site "
	"stays; its sitemaps are read no more, and its pages are not handed "
	"out. 'freshet add' takes it up again, with settings of its own.\n",
	.exits =
	"0|done\n"
	"1|some of the sites were not on the list, or some lines were no sites\n"
	"4|none of the sites was on the list, or has the tag; or no line was a "
	    "site\n"
	CHANGE_EXITS};

const struct command command_row_set = {.name = "set", .group = "keep fresh",
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
	"not used does not pile up.\n",
	.exits =
	"0|done\n"
	"4|the site is not on the list, or none has the tag\n"
	CHANGE_EXITS};
/* clang-format on */
