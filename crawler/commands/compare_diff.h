/* What one document lists under each profile, side by side. */
#ifndef FRESHET_COMPARE_DIFF_H
#define FRESHET_COMPARE_DIFF_H

#include "crawler/commands/compare_read.h"

#define COMPARE_SAMPLES 3 /* of one group, unless all are wanted */

enum group_kind {
	GROUP_URL, /* listed under those profiles only */
	GROUP_DATE /* dated under those only, or with other dates */
};

/* URLs that differ in the same way, by the same rules. */
struct compare_group {
	enum group_kind kind;
	unsigned mask; /* of profiles: 1 << enum profile_name */
	/* of each other profile: what lost it; DIAG_OK: one of several codes
	 * of the document, it cannot be told which */
	enum diag_code codes[COMPARE_PROFILES];
	uint64_t count;
	char **samples; /* owned, and each of them */
	size_t sample_count;
	size_t sample_cap;
};

struct compare_diff {
	const struct compare_document *document; /* borrowed */
	const char *name; /* its URL, or the path of a file that has none;
			     borrowed */
	struct compare_group *groups; /* owned */
	size_t count;
	size_t cap;
	uint64_t totals[2]; /* by enum group_kind */
	bool is_damaged; /* a segment cannot be decoded */
};

/*
 * compare_diff(compare, document, max_samples, diff): of a document whose
 * readings are there.  compare_diff_release in any case.
 */
void compare_diff(const struct compare *, const struct compare_document *,
    size_t max_samples, struct compare_diff *);
void compare_diff_release(struct compare_diff *);

/* compare_is_read(document, profile): is there a segment? */
bool compare_is_read(const struct compare_document *, int profile);

/* compare_is_same(diff): neither URLs nor dates nor what can be read. */
bool compare_is_same(const struct compare_diff *);

#endif
