/* Text lists: one absolute URL per line (SPEC R-19). */
#ifndef FRESHET_TEXTLIST_H
#define FRESHET_TEXTLIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "crawler/parse/parser.h"

struct textlist;

/* textlist_new(events, limits, line): events are borrowed; line is the number
 * of the first one. */
struct textlist *textlist_new(
    const struct parser_events *, const struct read_limits *, uint32_t line);
void textlist_free(struct textlist *);

/*
 * textlist_feed(textlist, text), textlist_finish(textlist, is_whole):
 * The first line that is not blank decides: events.root, or the finding
 * UNSUPPORTED_FORMAT.  Then each such line is an entry, trimmed and otherwise
 * as it is, whatever its encoding; of a line over max_text only that much.
 * A last line without a line end counts if the document is_whole.
 * False when nothing more is wanted: an event said so, or the format is
 * unsupported.
 */
bool textlist_feed(struct textlist *, struct slice text);
bool textlist_finish(struct textlist *, bool is_whole);

/* textlist_is_list(textlist): not found to be an unsupported format. */
bool textlist_is_list(const struct textlist *);

#endif
