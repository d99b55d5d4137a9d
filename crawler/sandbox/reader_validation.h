/*
 * What a reader answers, held against what it may answer: a subverted one
 * knows the protocol.  Its segment is decoded block by block as it comes, so
 * that each entry has the verdict that the rules of the document give it, and
 * nothing is stored that the store would later be found wrong for.  That it
 * leaves entries out, or dates them as it likes, cannot be seen.  Private to
 * reader*.c.
 */
#ifndef FRESHET_READER_VALIDATION_H
#define FRESHET_READER_VALIDATION_H

#include <stdbool.h>

#include "crawler/parse/scope.h"
#include "store/segment/reading.h"

struct validation;

struct validation *validation_new(void);
void validation_free(struct validation *);

/* validation_begin(audit, scope): the answer to a job with that scope comes
 * next; the scope outlives the answer. */
void validation_begin(struct validation *, const struct scope *);

/* Each of these: NULL, or how the reader lied; static. */

/* validation_segment(audit, block), validation_delta(audit, block): the next
 * one. */
const char *validation_segment(struct validation *, const struct block *);
const char *validation_delta(struct validation *, const struct block *);

/* validation_content(audit, content): after the last block; the blocks
 * themselves are not looked at again. */
const char *validation_content(struct validation *, const struct content *);

/*
 * validation_has_doubts(audit): there are entries that may only have been kept
 * from the previous segment, or are to be judged as children, now that the kind
 * is known, or the reader says that the previous segment is damaged.
 * Then validation_entries(audit, content, previous, arg) looks them up there,
 * and validation_changes the changes: content has the kind, the failure and
 * is_complete that were said, and the blocks that came; each needs all of
 * previous.
 */
bool validation_has_doubts(const struct validation *);
const char *validation_entries(struct validation *, const struct content *,
    block_pull_fn *previous, void *arg);
const char *validation_changes(struct validation *, const struct content *,
    block_pull_fn *previous, void *arg);

#endif
