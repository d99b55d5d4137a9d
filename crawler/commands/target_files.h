/* Files among the targets of `check` and `compare`, and the URLs at which they
 * will be published. */
#ifndef FRESHET_TARGET_FILES_H
#define FRESHET_TARGET_FILES_H

#include <stdbool.h>

#include "base/url.h"
#include "crawler/cli/options.h"
#include "crawler/control/crawler.h"
#include "crawler/crawl/local.h"

struct target_files {
	struct url base; /* owned */
	char *root; /* owned; NULL: no files are read */
	struct local_options options; /* for local_new(), if root is set */
	bool is_folder; /* a whole folder is read as if it were at the base */
	size_t bad; /* lines of lists that are no targets */
};

/* target_files_init(files, crawler): read the targets, sort them by --base,
 * --root and their form, and let the crawler answer from files if there are
 * some. A typed target that is bad is a usage error; a bad line of a list is
 * reported, skipped and counted. The options keep the good ones. Returns
 * EXIT_DONE; or after one line on stderr EXIT_USAGE if there is no target, a
 * typed one is bad, or they cannot be read together, or EXIT_NO_TARGET if no
 * line was good. The files outlive the crawler; target_files_release() in any
 * case. */
int target_files_init(struct target_files *, struct crawler *);
void target_files_release(struct target_files *);

/* target_files_ask(files, crawler, text, target): add the target that the text
 * stands for to the crawl; *target becomes it. Returns false after one line on
 * stderr for a file outside of the root, and if there is no such target. */
bool target_files_ask(const struct target_files *, const struct crawler *,
    const char *text, struct buf *target);

#endif
