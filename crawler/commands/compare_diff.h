/* What one document lists under each profile, side by side. */
#ifndef FRESHET_COMPARE_DIFF_H
#define FRESHET_COMPARE_DIFF_H

#include "crawler/commands/compare_read.h"

#define COMPARE_SAMPLES 3 /* URLs shown of a group, unless all are wanted */

enum group_kind {
	GROUP_URL, /* listed under the profiles of the mask only */
	/* dated under the profiles of the mask only, or with other dates */
	GROUP_DATE
};

/* URLs that differ in the same way, for the same reasons. */
struct compare_group {
	enum group_kind kind;
	unsigned mask; /* profiles, as 1 << enum profile_name */
	/* for each profile that is not in the mask, the code by which it lost
	 * the URL; DIAG_OK: the document has several codes that may be it */
	enum diag_code codes[COMPARE_PROFILES];
	uint64_t count;
	char **samples; /* owned, and so is each */
	size_t sample_count;
	size_t sample_cap;
};

struct compare_diff {
	const struct compare_document *document; /* borrowed */
	/* borrowed: its URL, or the path of a file that has none */
	const char *name;
	struct compare_group *groups; /* owned */
	size_t count;
	size_t cap;
	uint64_t totals[2]; /* by enum group_kind */
	bool is_damaged; /* a segment cannot be decoded */
};

/* compare_diff(compare, document, max_samples, diff): compare the readings of a
 * document. Call compare_diff_release() in any case. */
void compare_diff(const struct compare *, const struct compare_document *,
    size_t max_samples, struct compare_diff *);
void compare_diff_release(struct compare_diff *);

/* compare_is_read(document, profile): has the document a segment under that
 * profile? */
bool compare_is_read(const struct compare_document *, int profile);

/* compare_is_same(diff): are URLs, dates and readability all equal? */
bool compare_is_same(const struct compare_diff *);

#endif
