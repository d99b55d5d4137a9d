/* Files among the targets of `check` and `compare`: where they are, and would
 * be. */
#ifndef FRESHET_TARGET_FILES_H
#define FRESHET_TARGET_FILES_H

#include <stdbool.h>

#include "base/url.h"
#include "crawler/cli/options.h"
#include "crawler/crawl/local.h"

/* What is said of files without --base. */
#define TARGET_FILES_NO_BASE                                                \
	"files without --base have no URL: no location rule is applied to " \
	"them"

struct target_files {
	struct url base; /* owned */
	char *root; /* owned; NULL: no files are read */
	struct local_options options; /* what local_new takes, if so */
	size_t bad; /* lines of lists that were no targets */
};

/*
 * target_files_init(files, options): from --base, --root and the targets.  A
 * typed one that is none is a mistake; a bad line of a list is named, costs
 * itself only, and is counted; args holds the good ones.  EXIT_DONE, or
 * EXIT_USAGE: one is a mistake, or they do not go together, or EXIT_NO_TARGET:
 * no line was good; each after a line on stderr.  target_files_release in any
 * case.
 */
int target_files_init(struct target_files *, struct options *);
void target_files_release(struct target_files *);

/*
 * target_files_target(files, local, text, out): the target that it stands for.
 * False after one line on stderr: a file outside of the root.
 */
bool target_files_target(const struct target_files *, const struct local *,
    const char *text, struct buf *out);

#endif
