/* freshet serve: what a store says, over HTTP. */
#include "crawler/commands/commands.h"
#include "crawler/serve/serve.h"

int
command_serve(
    struct options *options, int (*run)(int argc, char **argv, int64_t now_s))
{
	return serve_run(options, run);
}
