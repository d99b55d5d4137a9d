/* Foreign text for a terminal or a log: nothing in it can act. */
#ifndef FRESHET_VIS_H
#define FRESHET_VIS_H

#include "buf.h"
#include "slice.h"

/*
 * vis_put(out, text, max): append text to out, at most max bytes (4 or more);
 * printable ASCII as it is, well-formed UTF-8 letters that neither control
 * nor reorder as they are, all else as \xNN, and so the second of two #
 * (vis_put_lines); "..." where it was cut.
 */
void vis_put(struct buf *out, struct slice text, size_t max);

/*
 * vis_put_lines(out, text, lines): append text, of whole characters, to out as
 * it is, but for what a runner of continuous integration would take for a
 * command in a line of its log: a colon that nothing but blanks stands before
 * is \x3a ("::set-output …"), and of two # the second is \x23 ("##[…]" of
 * GitHub, "##vso[…]", "##teamcity[…]"), whatever invisible stands between.
 * lines, zeroed, is at the beginning of a line.
 */
struct vis_lines {
	bool is_inside; /* of a line: behind more than blanks */
	bool has_hash; /* behind a #, and nothing that is seen */
};
void vis_put_lines(struct buf *out, struct slice text, struct vis_lines *);

/* vis_columns(shown): of what vis_put wrote: one for each character. */
size_t vis_columns(struct slice shown);

/*
 * vis_put_middle(out, text, max): as vis_put, all of it, with the middle cut
 * out where it is wider than max columns (8 or more).  Returns its columns.
 */
size_t vis_put_middle(struct buf *out, struct slice text, size_t max);

/* vis_is_utf8(text): is it well-formed? */
bool vis_is_utf8(struct slice text);

/*
 * json_put(out, text): text as a JSON string with its quotes, in ASCII; bytes
 * that are no UTF-8 become U+FFFD, '<' is written as \u003c, and the second of
 * two # as \u0023: there is no command in it (vis_put_lines).
 */
void json_put(struct buf *out, struct slice text);

/* csv_put(out, text, separator): one field, quoted where needed, with a ' where
 * a spreadsheet would run what follows, at its beginning or behind a semicolon,
 * a tab or a line end, blanks aside (HOSTILE T24). */
void csv_put(struct buf *out, struct slice text, char separator);

/* xml_put(out, text): text with the five XML characters escaped, and
 * the second of two # (vis_put_lines). */
void xml_put(struct buf *out, struct slice text);

#endif
