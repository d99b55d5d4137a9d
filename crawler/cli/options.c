/* The values of options, and the strings that live as long as they do. */
#include "crawler/cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"

const char *
options_keep(struct options *options, struct slice text)
{
	strings_add(&options->strings, text);
	return options->strings.items[options->strings.count - 1];
}

void
options_clear(struct options *options)
{
	struct site_table *sites = &options->config.sites;
	struct alert_rules *alerts = &options->config.alerts;

	/* the table says which members are lists */
	for (const struct option *row = option_rows; row->name != NULL; row++)
		if (option_repeats(row) || row->type == OPTION_SETTING ||
		    row->type == OPTION_SWITCH)
			strings_release(
			    (struct strings *)(void *)((char *)options +
				row->target));
	strings_release(&options->targets.args);
	strings_release(&options->strings);
	free(options->targets.places);
	free(options->store.path);
	free(options->store.machine);
	section_rules_free(options->sections.rules);
	page_filter_free(options->filters.pages);
	page_filter_free(options->filters.sitemaps);
	renamings_free(options->moves.renamings);
	string_set_release(&options->rules.own);
	for (size_t i = 0; i < alerts->count; i++) {
		struct alert_rule *rule = &alerts->items[i];

		free(rule->name);
		strings_release(&rule->tags);
		strings_release(&rule->sections);
		free(rule->program);
		free(rule->webhook_file);
		free(rule->atom);
	}
	free(alerts->items);
	/* those of a single site have no sites in turn */
	for (size_t i = 0; i < sites->count; i++) {
		options_clear(sites->items[i].options);
		free(sites->items[i].options);
		free(sites->items[i].host);
	}
	free(sites->items);
	*options = (struct options){0};
}

bool
options_make_folder(const struct options *options)
{
	char *path = mem_copy(options->store.path);
	bool is_good = true;

	/* nobody else has to look into the folder of a user's own store */
	for (char *p = strchr(path + 1, '/'); is_good && p != NULL;
	     p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST) {
			complain("cannot make the folder '%s': %s", path,
			    strerrordesc_np(errno));
			is_good = false;
		}
		*p = '/';
	}
	free(path);
	return is_good;
}

char *
options_shard_path(const struct options *options, unsigned shard)
{
	const char *machine = options->store.machine;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(&text, "%.*s-%u.db",
	    (int)(strlen(machine) - strlen(".db")), machine, shard);
	return buf_take(&text);
}

void
options_take_shard(struct options *options, unsigned shard)
{
	char *path = options_shard_path(options, shard);

	free(options->store.path);
	options->store.path = path;
	options->store.has_shard = true;
	options->store.shard = shard;
}
