/* The targets of a command. */
#include "crawler/cli/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

#include "base/target.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"

#define SHOWN_MAX 1000 /* bytes of a bad target in a message */

/* A line keeps its place, so that a bad target is found again in a long list.
 */
static void
targets_read_lines(struct options *options, const char *name, FILE *from)
{
	struct options_targets *targets = &options->targets;
	struct arg_place place = {.file = name};
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, from)) >= 0) {
		struct slice word = slice_trim(slice_make(line, (size_t)len));
		size_t count = targets->args.count - targets->typed;

		place.line++;
		/* a # within a URL begins its fragment, others a comment */
		for (size_t i = 0; i < word.len; i++)
			if (word.p[i] == '#' &&
			    (i == 0 || word.p[i - 1] == ' ' ||
				word.p[i - 1] == '\t'))
				word = slice_trim(slice_make(word.p, i));
		if (word.len == 0)
			continue;
		strings_add(&targets->args, word);
		targets->places = mem_grow(targets->places, &targets->place_cap,
		    count + 1, sizeof(*targets->places));
		targets->places[count] = place;
	}
	free(line);
}

bool
options_read_targets(struct options *options)
{
	options->targets.typed = options->targets.args.count;
	for (size_t i = 0; i < options->targets.input_files.count; i++) {
		const char *path = options->targets.input_files.items[i];
		FILE *file = fopen(path, "re");
		bool is_read;

		if (file != NULL)
			targets_read_lines(options, path, file);
		is_read = file != NULL && !ferror(file);
		if (file != NULL)
			(void)fclose(file);
		if (!is_read)
			return refuse("cannot read '%s'", path);
	}
	if (options->targets.has_stdin)
		targets_read_lines(options, "-", stdin);
	return true;
}

void
targets_refuse(
    const struct options_targets *targets, size_t i, const char *what)
{
	const char *text = targets->args.items[i];
	const struct arg_place *place;

	if (i < targets->typed) {
		complain("'%.*s' %s", SHOWN_MAX, text, what);
		return;
	}
	place = &targets->places[i - targets->typed];
	complain("%s:%zu: '%.*s' %s", place->file, place->line, SHOWN_MAX, text,
	    what);
}

int
targets_read(struct options *options, size_t *bad)
{
	struct strings *args = &options->targets.args;
	size_t kept = 0;

	*bad = 0;
	if (!options_read_targets(options))
		return EXIT_USAGE;
	for (size_t i = 0; i < args->count; i++) {
		char *text = args->items[i];
		struct target target;
		enum diag_code code = target_parse(&target, slice_of(text));
		bool is_path = target_is_path(slice_of(text));
		const char *what = NULL;

		url_release(&target.url);
		/* each of these mistakes has a remedy of its own, so the
		 * message says which it is */
		if (code == DIAG_URL_TOO_LONG)
			what = "is too long for a URL";
		else if ((code != DIAG_OK || is_path) &&
		    access(text, F_OK) == 0)
			what = "is a file, not a host or a URL";
		else if (is_path)
			what = "is the name of a file, not a host or a URL; if "
			       "it is a URL, write https:// in front of it";
		else if (code != DIAG_OK)
			what = "is neither a host nor a URL";
		if (what != NULL)
			targets_refuse(&options->targets, i, what);
		/* a typed target that is bad ends the command; a bad line of a
		 * long list does not */
		if (what != NULL && i < options->targets.typed)
			return EXIT_USAGE;
		if (what == NULL) {
			args->items[kept++] = text;
		} else {
			free(text);
			(*bad)++;
		}
	}
	args->count = kept;
	return kept == 0 && *bad > 0 ? EXIT_NO_TARGET : EXIT_DONE;
}
