/* What a TARGET on the command line means (SPEC 15.5, 15.6). */
#ifndef FRESHET_TARGET_H
#define FRESHET_TARGET_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/slice.h"
#include "base/url.h"

enum target_kind { TARGET_SITE, TARGET_ROBOTS, TARGET_DOCUMENT };

struct target {
	enum target_kind kind;
	struct url url; /* of the site's root, its robots.txt, the document */
	bool has_no_scheme; /* a bare host: https, http if that fails */
};

/*
 * target_parse(target, text): a host ("example.org", "example.org:8080"), a
 * site URL (empty path or "/"), the URL of a robots.txt, or of a document.
 * Returns DIAG_OK or what url_parse says.  target_release in any case.
 */
enum diag_code target_parse(struct target *, struct slice text);
void target_release(struct target *);

/*
 * target_is_path(text): by its form it is the name of a file, though it may be
 * read as a host: "public/sitemap.xml", "sitemap.xml", "./a"; so a slip of the
 * pen in it is never asked of the network.  Whoever means a host writes
 * https://.
 */
bool target_is_path(struct slice text);

/*
 * target_text(target): what is kept of it: its URL; or, when which scheme it
 * has is still to be found out, its host and port.  Borrowed from it; parsed
 * again it is the same.
 */
struct slice target_text(const struct target *);

/* Where a sitemap is looked for when robots.txt names none, in turn
 * (DESIGN 5.1). */
#define TARGET_PLACES 2
extern const char *const target_places[TARGET_PLACES];

#endif
