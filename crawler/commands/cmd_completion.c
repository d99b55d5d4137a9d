/* freshet completion: print the completion script of a shell. */
#include "base/suggestion.h"
#include "crawler/cli/completion.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"

int
command_completion(struct options *options)
{
	static const struct {
		const char *name;
		void (*put)(struct buf *);
	} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh},
	    {"fish", completion_fish}};
	struct slice shell = slice_of(options->targets.args.items[0]);
	struct suggestion suggestion;
	struct out out;

	suggestion_init(&suggestion, shell);
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (!slice_is(shell, shells[i].name)) {
			suggestion_try(&suggestion, shells[i].name,
			    slice_of(shells[i].name).len);
			continue;
		}
		out_init(&out, &options->output);
		out.is_raw = true;
		shells[i].put(&out.text);
		return out_finish(&out);
	}
	if (suggestion.best == NULL)
		complain(
		    "'completion' has no shell '%s'; it has: bash|zsh|fish",
		    options->targets.args.items[0]);
	else
		complain("'completion' has no shell '%s'; did you mean '%s'?",
		    options->targets.args.items[0], suggestion.best);
	return EXIT_USAGE;
}
