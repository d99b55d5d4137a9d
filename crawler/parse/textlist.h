/* Text lists: one absolute URL per line (SPEC R-19). */
#ifndef FRESHET_TEXTLIST_H
#define FRESHET_TEXTLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/parse/parser.h"

struct textlist;

/* textlist_new(events, limits, line): events are borrowed; line is the number
 * of the first line. */
struct textlist *textlist_new(
    const struct parser_events *, const struct read_limits *, uint32_t line);
void textlist_free(struct textlist *);

/*
 * textlist_feed(textlist, text), textlist_finish(textlist, is_whole): the first
 * line that is not blank decides: the root event, or the finding
 * UNSUPPORTED_FORMAT. Then each line that is not blank is an entry, trimmed but
 * otherwise unchanged, whatever its encoding is; of a line longer than max_text
 * only the front is used. A last line without a line end counts if the document
 * is_whole. False when no more bytes are wanted, because an event said so or
 * the format is unsupported.
 */
bool textlist_feed(struct textlist *, struct slice text);
bool textlist_finish(struct textlist *, bool is_whole);

/* textlist_is_list(textlist): false: the format is unsupported. */
bool textlist_is_list(const struct textlist *);

#endif
