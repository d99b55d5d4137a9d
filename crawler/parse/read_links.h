/* URLs of extensions judged beside the page that they stand with (SPEC R-108,
 * */
#ifndef FRESHET_READ_LINKS_H
#define FRESHET_READ_LINKS_H

#include "base/url.h"
#include "crawler/parse/alternates.h"
#include "crawler/parse/parser.h"
#include "store/segment/finding.h"

struct links {
	const struct profile *profile;
	struct findings *findings;
	struct alternates *alternates; /* owned */
	struct url url;
};

/* links_init(links, profile, hash_key, findings): borrowed; the key is that of
 * alternates_new. */
void links_init(struct links *, const struct profile *, uint64_t hash_key,
    struct findings *findings);
void links_release(struct links *);

/*
 * links_take(links, page, raw): an entry that was accepted as page.  Findings:
 * VIDEO_LOCATION_EQUALS_PAGE, VIDEO_INVALID_VALUE (an uploader of another
 * domain), HREFLANG_RELATIVE, HREFLANG_MISSING_SELF.
 */
void links_take(
    struct links *, const struct url *page, const struct raw_entry *raw);

#endif
