/* Compare: for people and for programs. */
#ifndef FRESHET_COMPARE_PRINT_H
#define FRESHET_COMPARE_PRINT_H

#include "crawler/cli/out.h"
#include "crawler/commands/compare_diff.h"

/* Of all documents. */
struct compare_totals {
	uint64_t documents; /* with a body */
	uint64_t differing; /* of these */
	uint64_t lost; /* documents that could not be had */
	uint64_t urls[COMPARE_PROFILES]; /* of documents that are no index */
	uint64_t dated[COMPARE_PROFILES];
	uint64_t differences[2]; /* by enum group_kind */
	uint64_t codes[DIAG_COUNT]; /* differences that a code makes */
};

/* compare_text_document(diff, out), compare_text_totals: some lines; a document
 * that is the same under all is one.  compare_json_*: one object. */
void compare_text_document(const struct compare_diff *, struct out *);
void compare_text_totals(const struct compare_totals *, struct out *);
void compare_json_document(const struct compare_diff *, struct out *);
void compare_json_totals(const struct compare_totals *, struct out *);

#endif
