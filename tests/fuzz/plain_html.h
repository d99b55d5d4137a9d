/* The plainest reader of HTML's tags one can write: another opinion. */
#ifndef FRESHET_PLAIN_HTML_H
#define FRESHET_PLAIN_HTML_H

#include "base/buf.h"

#define PLAIN_MAX (1 << 22) /* bytes of a page, and of what is told of it */

/*
 * plain_html_events(page, out): what crawler/parse/html.h promises to tell of a
 * page, in order, by the HTML standard's text (WHATWG 13.2.5) alone.  A letter
 * says what it is (t: text, r: raw text, < and /: the name of a tag, n and v:
 * of an attribute name and value); but for t its text follows, and a NUL.
 */
void plain_html_events(struct slice page, struct buf *out);

#endif
