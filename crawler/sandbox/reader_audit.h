/*
 * What a reader answers, held against what it may answer: a subverted one
 * knows the protocol.  Its segment is decoded block by block as it comes, so
 * that each entry has the verdict that the rules of the document give it, and
 * nothing is stored that the store would later be found wrong for.  That it
 * leaves entries out, or dates them as it likes, cannot be seen.  Private to
 * reader*.c.
 */
#ifndef FRESHET_READER_AUDIT_H
#define FRESHET_READER_AUDIT_H

#include <stdbool.h>

#include "crawler/parse/scope.h"
#include "store/segment/reading.h"

struct audit;

struct audit *audit_new(void);
void audit_free(struct audit *);

/* audit_begin(audit, scope): the answer to a job with that scope comes next;
 * the scope outlives the answer. */
void audit_begin(struct audit *, const struct scope *);

/* Each of these: NULL, or how the reader lied; static. */

/* audit_segment(audit, block), audit_delta(audit, block): the next one. */
const char *audit_segment(struct audit *, const struct block *);
const char *audit_delta(struct audit *, const struct block *);

/* audit_content(audit, content): after the last block; the blocks themselves
 * are not looked at again. */
const char *audit_content(struct audit *, const struct content *);

/*
 * audit_has_doubts(audit): there are entries that may only have been kept
 * from the previous segment, or are to be judged as children, now that the kind
 * is known, or the reader says that the previous segment is damaged.
 * Then audit_entries(audit, content, previous, arg) looks them up there, and
 * audit_changes the changes: content has the kind, the failure and is_complete
 * that were said, and the blocks that came; each needs all of previous.
 */
bool audit_has_doubts(const struct audit *);
const char *audit_entries(
    struct audit *, const struct content *, block_pull_fn *previous, void *arg);
const char *audit_changes(
    struct audit *, const struct content *, block_pull_fn *previous, void *arg);

#endif
