/* Files among the targets of `check`: where they are, and would be. */
#ifndef FRESHET_CMD_CHECK_FILES_H
#define FRESHET_CMD_CHECK_FILES_H

#include <stdbool.h>

#include "base/url.h"
#include "crawler/local.h"
#include "crawler/options.h"

struct check_files {
	struct url base; /* owned */
	char *root; /* owned; NULL: no files are read */
	struct local_options options; /* what local_new takes, if so */
};

/*
 * check_files_init(files, options): from --base, --root and the targets.
 * EXIT_DONE, or EXIT_USAGE after one line on stderr: a target is neither, or
 * they do not go together.  check_files_release in any case.
 */
int check_files_init(struct check_files *, const struct options *);
void check_files_release(struct check_files *);

/*
 * check_files_target(files, local, text, out): the target that it stands for.
 * False after one line on stderr: a file outside of the root.
 */
bool check_files_target(const struct check_files *, const struct local *,
    const char *text, struct buf *out);

#endif
