/* freshet db: care for the store. */
#include "crawler/commands/cmd_db.h"

#include <string.h>
#include <sys/stat.h>

#include "base/out_json.h"
#include "base/suggestion.h"
#include "base/w3cdate.h"
#include "crawler/cli/out.h"
#include "crawler/cli/selection.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"

#define NAME_WIDTH 16

struct fact {
	const char *key; /* in JSON */
	const char *name; /* for people */
	uint64_t value;
};

#define FACTS 13

static void
facts_of(const struct store_info *info, struct fact facts[FACTS])
{
	const struct fact all[FACTS] = {
	    {"sites", "sites", info->sites},
	    {"watched", "watched", info->watched},
	    {"documents", "documents", info->documents},
	    {"robots", "robots.txt", info->robots},
	    {"entries", "entries", info->urls},
	    {"pages", "pages", info->pages},
	    {"readings", "readings", info->readings},
	    {"findings", "findings", info->findings},
	    {"proofs", "proofs", info->proofs},
	    {"segment_bytes", "segments", info->segment_bytes},
	    {"delta_bytes", "deltas", info->delta_bytes},
	    {"file_bytes", "file", info->file_bytes},
	    {"schema", "schema", (uint64_t)info->schema_version},
	};

	memcpy(facts, all, sizeof(all));
}

static void
print_time(struct out *out, const char *name, int64_t epoch_s)
{
	size_t from = out->text.len;

	(void)buf_put_slice(&out->text, slice_of(name));
	out_pad(out, from, NAME_WIDTH);
	if (epoch_s == 0)
		(void)buf_put_char(&out->text, '-');
	else
		time_print(&out->text, epoch_s);
	(void)buf_put_char(&out->text, '\n');
}

static void
print_info(struct out *out, const struct options *options,
    const struct store_info *info)
{
	struct fact facts[FACTS];
	size_t from = out->text.len;

	facts_of(info, facts);
	(void)buf_put_slice(&out->text, slice_of("store"));
	out_pad(out, from, NAME_WIDTH);
	out_text(out, slice_of(options->store));
	(void)buf_put_char(&out->text, '\n');
	for (size_t i = 0; i < FACTS; i++) {
		bool is_size = strstr(facts[i].key, "_bytes") != NULL;

		from = out->text.len;
		(void)buf_put_slice(&out->text, slice_of(facts[i].name));
		out_pad(out, from, NAME_WIDTH);
		out_grouped(out, facts[i].value, 0);
		(void)buf_put_slice(
		    &out->text, slice_of(is_size ? " bytes\n" : "\n"));
	}
	if (info->urls > 0) {
		from = out->text.len;
		(void)buf_put_slice(&out->text, slice_of("per entry"));
		out_pad(out, from, NAME_WIDTH);
		(void)buf_print(&out->text, "%.1f bytes\n",
		    (double)info->used_bytes / (double)info->urls);
	}
	print_time(out, "first reading", info->first_reading_s);
	print_time(out, "last reading", info->last_reading_s);
}

static void
json_time(struct buf *out, const char *key, int64_t epoch_s)
{
	out_json_key(out, key);
	if (epoch_s == 0) {
		(void)buf_put(out, "null", 4);
		return;
	}
	(void)buf_put_char(out, '"');
	time_print(out, epoch_s);
	(void)buf_put_char(out, '"');
}

static void
json_info(struct buf *out, const struct options *options,
    const struct store_info *info)
{
	struct fact facts[FACTS];

	facts_of(info, facts);
	(void)buf_put_slice(out, slice_of("{\"v\":1"));
	out_json_word(out, "type", slice_of("store"));
	out_json_word(out, "store", slice_of(options->store));
	for (size_t i = 0; i < FACTS; i++)
		out_json_number(out, facts[i].key, facts[i].value);
	json_time(out, "first_reading", info->first_reading_s);
	json_time(out, "last_reading", info->last_reading_s);
	(void)buf_put_slice(out, slice_of("}\n"));
}

int
db_info(struct options *options)
{
	struct store_info info = {0};
	struct store *store = NULL;
	struct out out;
	int status = selection_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	store_info(store, &info);
	status = selection_close(store, status);
	if (status != EXIT_DONE)
		return status;
	out_init(&out, options);
	if (options->is_json)
		json_info(&out.text, options, &info);
	else
		print_info(&out, options, &info);
	return out_finish(&out);
}

int
db_open(const struct options *options, struct store **store)
{
	struct store_options how = {.path = options->store};
	struct stat found;
	struct buf why;
	enum diag_code code;

	if (lstat(options->store, &found) != 0) {
		complain("there is no store '%s'; 'freshet crawl' makes one",
		    options->store);
		return EXIT_USAGE;
	}
	buf_init(&why, SIZE_MAX);
	code = store_open(&how, store, &why);
	if (code != DIAG_OK)
		complain("%s: %s%s", diag_name(code), buf_str(&why),
		    code == DIAG_STORE_LOCKED ? "; try again when it is "
						"through, or stop it with "
						"Ctrl-C: it can go on later"
					      : "");
	buf_release(&why);
	return exit_of_store(code);
}

struct action {
	const char *name;
	const char *operand; /* NULL: it takes none */
	int (*run)(struct options *);
};

static const struct action actions[] = {
    {"info", NULL, db_info},
    {"fsck", NULL, db_fsck},
    {"backup", "FILE", db_backup},
    {"migrate", NULL, db_migrate},
    {"prune", NULL, db_prune},
    {"vacuum", NULL, db_vacuum},
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

static const struct action *
find_action(const char *name)
{
	struct suggestion suggestion;

	for (size_t i = 0; i < ACTIONS; i++)
		if (strcmp(name, actions[i].name) == 0)
			return &actions[i];
	suggestion_init(&suggestion, slice_of(name));
	for (size_t i = 0; i < ACTIONS; i++)
		suggestion_try(
		    &suggestion, actions[i].name, strlen(actions[i].name));
	if (suggestion.best != NULL)
		complain("'db' has no action '%s'; did you mean '%s'?", name,
		    suggestion.best);
	else
		complain(
		    "'db' has no action '%s'; see 'freshet help db'", name);
	return NULL;
}

int
command_db(struct options *options)
{
	const struct action *action;
	size_t count = options->args.count;

	if (count == 0) {
		complain("'db' needs an ACTION; see 'freshet help db'");
		return EXIT_USAGE;
	}
	action = find_action(options->args.items[0]);
	if (action == NULL)
		return EXIT_USAGE;
	if (count > 1 && action->operand == NULL) {
		complain("'db %s' takes no '%s'", action->name,
		    options->args.items[1]);
		return EXIT_USAGE;
	}
	if (count == 1 && action->operand != NULL) {
		complain("'db %s' needs a %s", action->name, action->operand);
		return EXIT_USAGE;
	}
	return action->run(options);
}
