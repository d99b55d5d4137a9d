/*
 * Validation of a reader's answers: main trusts no reader, because one that
 * hostile bytes have subverted knows the protocol. The segment is decoded block
 * by block as it comes, so that each entry has the verdict that the rules give
 * it, and the store gets nothing that a later check would find wrong.
 * Validation cannot see that a reader left out entries or invented their dates.
 * For readers.c.
 */
#ifndef FRESHET_READER_VALIDATION_H
#define FRESHET_READER_VALIDATION_H

#include <stdbool.h>

#include "crawler/parse/scope.h"
#include "store/segment/reading.h"

struct validation;

struct validation *validation_new(void);
void validation_free(struct validation *);

/* validation_begin(validation, scope): the answer to a job with that scope
 * comes next; the scope must outlive the answer. */
void validation_begin(struct validation *, const struct scope *);

/* The functions below return NULL, or what is wrong, as a static text. */

/* validation_segment(validation, block), validation_delta(validation, block):
 * validate the next block.  validation_segment also sets block->bloom, unless
 * the segment will not be stored, and block->hashes, if the scope says that
 * this is the first reading of a new site's document; both are borrowed until
 * the next block. */
const char *validation_segment(struct validation *, struct block *);
const char *validation_delta(struct validation *, const struct block *);

/*
 * validation_content(validation, content, has_doubts): validate the content
 * after the last block; the blocks are not looked at again.
 *
 * *has_doubts: must the previous segment be looked at? It must in three cases:
 * some entries are right only if they were kept from it; entries must still be
 * judged as children, because only now the kind is known; or the reader says
 * that the previous segment is damaged. Then
 * validation_previous(validation, content, of_changes, previous, arg) looks up
 * the entries in it, or the changes. content has the kind, the failure and
 * is_complete that the reader sent, and the blocks that came. Each call reads
 * all of previous.
 */
const char *validation_content(
    struct validation *, const struct content *, bool *has_doubts);
const char *validation_previous(struct validation *, const struct content *,
    bool of_changes, block_pull_fn *previous, void *arg);

#endif
