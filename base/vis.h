/* Foreign text for a terminal, a log or a file: nothing in it has an effect. */
#ifndef FRESHET_VIS_H
#define FRESHET_VIS_H

#include "buf.h"
#include "slice.h"

/* vis_put(out, text, max): append text to out, at most max bytes (4 or more).
 * Printable ASCII stays, and so do well-formed UTF-8 characters that neither
 * control nor reorder the text. Everything else becomes \xNN, as does the
 * second of two '#' (see vis_put_lines). A cut text ends with "...". */
void vis_put(struct buf *out, struct slice text, size_t max);

/* vis_put_lines(out, text, lines): append text, which consists of whole
 * characters. Only what a CI system could read as a command in a line of its
 * log is changed: a colon with nothing but blanks before it becomes \x3a
 * ("::set-output"), and the second of two '#' becomes \x23 ("##[...]" of
 * GitHub, "##vso[...]", "##teamcity[...]"), even with invisible characters
 * between the two. A zeroed `lines` stands at the beginning of a line. */
struct vis_lines {
	bool is_inside; /* the line has more than blanks so far */
	bool has_hash; /* a '#' was the last visible character */
};
void vis_put_lines(struct buf *out, struct slice text, struct vis_lines *);

/* vis_put_middle(out, text, max): like vis_put for the whole text, but if the
 * text has more than max columns (8 or more), its middle is cut out. Returns
 * the number of columns. */
size_t vis_put_middle(struct buf *out, struct slice text, size_t max);

/* vis_is_utf8(text): is the text well-formed UTF-8? */
bool vis_is_utf8(struct slice text);

/* json_put(out, text): append text as a JSON string, with quotes, in ASCII.
 * Bytes that are not UTF-8 become U+FFFD, '<' becomes \u003c, and the second of
 * two '#' becomes \u0023, so that no line contains a command (see
 * vis_put_lines). */
void json_put(struct buf *out, struct slice text);

/* csv_put(out, text, separator): append one field, quoted if necessary. A '
 * precedes what a spreadsheet would run as a formula: at the beginning of the
 * field, or behind a semicolon, a tab or a line end, with blanks between or not
 * (HOSTILE T24). */
void csv_put(struct buf *out, struct slice text, char separator);

/* xml_put(out, text): append text with the five XML characters escaped, and the
 * second of two '#' (see vis_put_lines). */
void xml_put(struct buf *out, struct slice text);

#endif
