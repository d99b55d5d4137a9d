/* The values of options, and the strings that live as long as they do. */
#include "crawler/cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "crawler/cli/out.h"

const char *
options_keep(struct options *options, struct slice text)
{
	options->kept = mem_grow(options->kept, &options->kept_cap,
	    options->kept_count + 1, sizeof(*options->kept));
	options->kept[options->kept_count] = slice_dup(text);
	return options->kept[options->kept_count++];
}

void
options_clear(struct options *options)
{
	struct string_list *const lists[] = {&options->args, &options->switches,
	    &options->owned, &options->network.connect_to,
	    &options->network.resolve, &options->network.allow_address,
	    &options->headers, &options->input_files, &options->watch.tags,
	    &options->watch.sections, &options->sim.traces,
	    &options->sim.worlds, &options->sim.settings,
	    &options->sim.policies, &options->sim.budgets};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		string_list_release(lists[i]);
	for (size_t i = 0; i < options->kept_count; i++)
		free(options->kept[i]);
	free(options->kept);
	free(options->places);
	free(options->store);
	string_set_release(&options->own);
	*options = (struct options){0};
}

bool
options_make_folder(const struct options *options)
{
	char *path = mem_copy(options->store);
	char room[128];
	bool is_good = true;

	for (char *p = strchr(path + 1, '/'); is_good && p != NULL;
	     p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST) {
			complain("cannot make the folder '%s': %s", path,
			    strerror_r(errno, room, sizeof(room)));
			is_good = false;
		}
		*p = '/';
	}
	free(path);
	return is_good;
}
