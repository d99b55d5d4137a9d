/* freshet compare: its output, for people and for programs. */
#ifndef FRESHET_COMPARE_PRINT_H
#define FRESHET_COMPARE_PRINT_H

#include "crawler/cli/out.h"
#include "crawler/commands/compare_diff.h"

/* Totals of all documents. */
struct compare_totals {
	uint64_t documents; /* documents with a body */
	uint64_t differing; /* documents that differ */
	uint64_t lost; /* documents without a body */
	/* URLs in documents that are no index */
	uint64_t urls[COMPARE_PROFILES];
	uint64_t dated[COMPARE_PROFILES];
	uint64_t differences[2]; /* by enum group_kind */
	uint64_t codes[DIAG_COUNT]; /* differences that each code makes */
};

/* compare_text_document(): some lines; one line if all profiles agree.
 * compare_json_document(), compare_json_totals(): one object. */
void compare_text_document(const struct compare_diff *, struct out *);
void compare_text_totals(const struct compare_totals *, struct out *);
void compare_json_document(const struct compare_diff *, struct out *);
void compare_json_totals(const struct compare_totals *, struct out *);

#endif
