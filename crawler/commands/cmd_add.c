/*
 * freshet add, rm, set: change the watch list.
 *
 * The arguments become a request, which the owner of the store carries out,
 * this process if there is no other. Each site is answered for alone: one that
 * is not on the list does not keep the others from being changed.
 */
#include <string.h>
#include <unistd.h>

#include "base/human.h"
#include "base/out_json.h"
#include "base/target.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/cli/targets.h"
#include "crawler/cli/watch_settings.h"
#include "crawler/commands/commands.h"
#include "crawler/control/asks.h"
#include "crawler/event/exit.h"

/* up to this many sites are named; of more, only the number is printed */
#define FEW 20

struct change_command {
	struct options *options;
	struct watch_request request;
	struct out out;
	struct watch_asked asked;
	bool names_all;
};

/* Print the change of one site: one line on stdout, and what is wrong on
 * stderr. */
static void
add_put_change(void *arg, struct slice host, enum watch_change change)
{
	struct change_command *command = arg;
	struct buf *text = &command->out.text;
	bool is_tag = host.len > 0 && host.p[0] == '@';

	if (change == WATCH_UNKNOWN && is_tag)
		complain_tag(slice_from(host, 1));
	else if (change == WATCH_UNKNOWN)
		complain("'%.*s' is not on the watch list; see 'freshet list'",
		    (int)host.len, host.p);
	if (change == WATCH_FULL)
		complain("'%.*s' has %d targets, and takes no more",
		    (int)host.len, host.p, WATCH_MAX_TARGETS);
	/* JSON has a line for each site; people get lines for few sites, else
	 * numbers */
	if (command->options->output.is_json) {
		out_json_line(text, is_tag ? "tag" : "site");
		out_json_word(
		    text, is_tag ? "tag" : "site", slice_from(host, is_tag));
		out_json_string(text, "change", watch_change_names[change]);
		(void)out_end_json(&command->out);
	} else if (command->names_all && change < WATCH_UNKNOWN &&
	    !command->options->output.is_quiet) {
		(void)buf_print(text, "%-9s", watch_change_names[change]);
		out_text(&command->out, host);
		out_end_line(&command->out);
	}
}

/* Make the change. The exit status is 4 if nothing was left to do, 1 if some of
 * it was not done (exit.h); `bad` is the number of bad lines. */
static int
add_go(struct change_command *command, size_t bad)
{
	const uint64_t *counts = command->asked.counts;
	uint64_t amiss;
	int status;

	command->names_all = command->request.items.count <= FEW;
	out_init(&command->out, &command->options->output);
	status = watch_ask(command->options, &command->request, add_put_change,
	    command, &command->asked);
	if (status == EXIT_DONE && !command->options->output.is_json &&
	    !command->options->output.is_quiet && !command->names_all) {
		/* Print the numbers of sites that changed. */
		const char *before = "";

		for (int change = 0; change < WATCH_CHANGES; change++) {
			if (counts[change] == 0)
				continue;
			(void)buf_print(&command->out.text, "%s%s %s", before,
			    human_of(counts[change], NULL).text,
			    watch_change_names[change]);
			before = ", ";
		}
		out_end_line(&command->out);
	}
	/* sites that are not on the list, or have too many targets */
	amiss = counts[WATCH_UNKNOWN] + counts[WATCH_FULL] + counts[WATCH_BAD];
	if (status == EXIT_DONE && amiss == command->request.items.count)
		status = EXIT_NO_TARGET;
	if (status == EXIT_DONE && amiss + bad > 0)
		status = EXIT_FINDINGS;
	return out_end(&command->out, status);
}

int
command_add(struct options *options)
{
	struct change_command command = {
	    .options = options, .request.verb = WATCH_ADD};
	size_t bad = 0;
	int status = targets_read(options, &bad);

	if (status != EXIT_DONE)
		return status;
	if (options->targets.args.count == 0)
		return complain_with(EXIT_USAGE,
		    "add needs a target: a host, or the URL of a site, an "
		    "index or a sitemap");
	for (size_t i = 0; i < options->targets.args.count; i++)
		/* targets_read() has checked the texts */
		(void)watch_item(options->targets.args.items[i], WATCH_ADD,
		    &command.request.items);
	/* The owner of the store takes settings as texts, whoever asks: what
	 * 'add' is given as options, 'set' is given as words. */
	command.request.settings = options->watch.settings;
	options->watch.settings = (struct strings){0};
	/* what was committed stays, whenever the command ends */
	exit_on_signals();
	status = add_go(&command, bad);
	/* Tell people which command reads the new sites, if no command is
	 * reading them now. */
	if (!options->output.is_quiet && !options->output.is_json &&
	    !command.asked.was_held && command.asked.counts[WATCH_ADDED] > 0 &&
	    isatty(STDERR_FILENO) == 1)
		complain("'freshet run' reads what is on the watch list, for "
			 "ever; 'freshet crawl SITE' reads a site once");
	watch_request_release(&command.request);
	return status;
}

int
command_rm(struct options *options)
{
	struct change_command command = {
	    .options = options, .request.verb = WATCH_RM};
	bool has_sites = options->targets.args.count > 0 ||
	    options->targets.has_stdin ||
	    options->targets.input_files.count > 0;
	size_t bad = 0;
	int status;

	/* find the sites: those that were typed, or those with a tag */
	if (has_sites != (options->watch.tags.count == 0))
		return complain_with(EXIT_USAGE,
		    "'rm' needs a SITE or --tag, one of them; see 'freshet "
		    "help rm'");
	status = has_sites
	    ? targets_read(options, &bad)
	    : sites_tagged(options, false, &command.request.items);
	if (status == EXIT_DONE && has_sites &&
	    options->targets.args.count == 0) {
		status = complain_with(
		    EXIT_USAGE, "'rm' needs a SITE: the list has none");
	}
	for (size_t i = 0; i < options->targets.args.count; i++)
		(void)watch_item(options->targets.args.items[i], WATCH_RM,
		    &command.request.items);
	exit_on_signals();
	if (status == EXIT_DONE)
		status = add_go(&command, bad);
	watch_request_release(&command.request);
	return status;
}

/* Does the setting of a target belong to the one site that is changed? */
static bool
check_target(const char *setting, const struct strings *sites, struct buf *why)
{
	const char *value = setting + strlen("target=");
	struct target target;
	bool is_good;

	if (strncmp(setting, "target=", strlen("target=")) != 0)
		return true;
	is_good = target_parse(&target, slice_of(value)) == DIAG_OK &&
	    sites->count == 1 &&
	    slice_is(url_host(&target.url), sites->items[0]);
	url_release(&target.url);
	if (!is_good)
		(void)buf_print(why,
		    "'target' takes a host or a URL of the site that is set, "
		    "not '%.80s'; 'freshet rm' takes off the site",
		    value);
	return is_good;
}

/* Take the arguments from the given one on as settings. */
static bool
take_settings(const struct options_targets *targets, size_t from,
    const struct strings *sites, struct strings *settings)
{
	struct buf why = BUF_UP_TO(1 << 12);
	bool is_good = true;

	for (size_t i = from; is_good && i < targets->args.count; i++) {
		const char *setting = targets->args.items[i];

		is_good = watch_setting_check(setting, &why) &&
		    check_target(setting, sites, &why);
		/* a key that is no list stands once */
		for (size_t k = 0; is_good && k < settings->count; k++)
			if (watch_setting_repeats(
				setting, settings->items[k])) {
				(void)buf_print(&why, "'%.*s' is given twice",
				    (int)strcspn(setting, "="), setting);
				is_good = false;
			}
		strings_add(settings, slice_of(setting));
	}
	if (!is_good)
		complain("%s", buf_str(&why));
	buf_release(&why);
	return is_good;
}

static bool
are_filters(const struct strings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		if (page_filter_key(settings->items[i]) == FILTER_KEYS)
			return false;
	return true;
}

int
command_set(struct options *options)
{
	struct change_command command = {
	    .options = options, .request.verb = WATCH_SET};
	size_t from = options->watch.tags.count > 0 ? 0 : 1;
	const char *item;
	int status = EXIT_USAGE;

	exit_on_signals();
	if (options->targets.args.count < from + 1)
		return complain_with(EXIT_USAGE,
		    "'set' needs a SITE, or --tag, and KEY=VALUE; see 'freshet "
		    "help set'");
	item = options->targets.args.items[0];
	if (from > 0 && !watch_item(item, WATCH_SET, &command.request.items))
		complain(item[0] == '@' ? "'%.*s' is no tag: @ and " FORM_TAG
					: "'%.*s' is neither a host nor a URL",
		    1000, item);
	else if (!take_settings(&options->targets, from, &command.request.items,
		     &command.request.settings))
		; /* take_settings() has said why */
	else if (from == 0)
		status = sites_tagged(options, false, &command.request.items);
	else if (item[0] == '@' && are_filters(&command.request.settings)) {
		/* filters of a tag are those of each site that has it now */
		strings_release(&command.request.items);
		strings_add(&options->watch.tags, slice_of(item + 1));
		status = sites_tagged(options, false, &command.request.items);
	} else if (item[0] == '@' && !watch_is_tag(&command.request.settings))
		/* a tag has a budget only */
		complain("of all sites with a tag together only budget= can be "
			 "set; 'freshet set --tag %s' sets each",
		    item + 1);
	else
		status = EXIT_DONE;
	if (status == EXIT_DONE)
		status = add_go(&command, 0);
	watch_request_release(&command.request);
	return status;
}
