/* freshet completion: print the completion script of a shell. */
#include <stdio.h>
#include <string.h>

#include "base/suggestion.h"
#include "crawler/cli/completion.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"

int
command_completion(struct options *options)
{
	const char *shell = options->targets.args.items[0];
	const char *script = completion_script(shell);
	struct suggestion suggestion;
	struct out out;

	if (script != NULL) {
		out_init(&out, &options->output);
		out.is_raw = true;
		(void)buf_print(&out.text, "%s", script);
		return out_finish(&out);
	}
	suggestion_init(&suggestion, slice_of(shell));
	for (const char *at = completion_shells; *at != '\0';
	     at += strspn(at, "|")) {
		suggestion_try(&suggestion, at, strcspn(at, "|"));
		at += strcspn(at, "|");
	}
	if (suggestion.best == NULL)
		complain("'completion' has no shell '%s'; it has: %s", shell,
		    completion_shells);
	else
		complain("'completion' has no shell '%s'; did you mean '%.*s'?",
		    shell, (int)suggestion.best_len, suggestion.best);
	return EXIT_USAGE;
}

int
command_complete(int count, char *const *words)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	completion_words(&out, count, words);
	(void)fwrite(out.p, 1, out.len, stdout);
	buf_release(&out);
	return fflush(stdout) == 0 ? EXIT_DONE : EXIT_DISK;
}
