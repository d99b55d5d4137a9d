/* The targets of a command. */
#include "crawler/cli/targets.h"

#include <unistd.h>

#include "base/target.h"
#include "crawler/event/exit.h"
#include "crawler/cli/out.h"

#define SHOWN_MAX 1000 /* bytes of a bad one */

void
targets_refuse(const struct options *options, size_t i, const char *what)
{
	const char *text = options->args.items[i];
	const struct arg_place *place;

	if (i < options->typed) {
		complain("'%.*s' %s", SHOWN_MAX, text, what);
		return;
	}
	place = &options->places[i - options->typed];
	complain("%s:%zu: '%.*s' %s", place->file, place->line, SHOWN_MAX, text,
	    what);
}

static bool
is_target(const struct options *options, size_t i)
{
	const char *text = options->args.items[i];
	struct target target;
	enum diag_code code = target_parse(&target, slice_of(text));
	bool is_path = target_is_path(slice_of(text));

	target_release(&target);
	if (code == DIAG_URL_TOO_LONG)
		targets_refuse(options, i, "is too long for a URL");
	else if ((code != DIAG_OK || is_path) && access(text, F_OK) == 0)
		targets_refuse(options, i, "is a file, not a host or a URL");
	else if (is_path)
		targets_refuse(options, i,
		    "is the name of a file, not a host or a URL; if it is a "
		    "URL, write https:// in front of it");
	else if (code != DIAG_OK)
		targets_refuse(options, i, "is neither a host nor a URL");
	return code == DIAG_OK && !is_path;
}

int
targets_read(struct options *options, size_t *bad)
{
	struct words *args = &options->args;
	size_t kept = 0;

	*bad = 0;
	if (!options_read_targets(options))
		return EXIT_USAGE;
	for (size_t i = 0; i < args->count; i++) {
		if (is_target(options, i))
			args->items[kept++] = args->items[i];
		else if (i < options->typed)
			return EXIT_USAGE;
		else
			(*bad)++;
	}
	args->count = kept;
	return kept == 0 && *bad > 0 ? EXIT_NO_TARGET : EXIT_DONE;
}
