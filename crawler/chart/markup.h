/*
 * Pages of HTML: one file that loads nothing and runs nothing.
 *
 * There is one style for all pages.  The Content-Security-Policy of a page
 * names its hash, so that no other style acts, nor any style attribute.
 */
#ifndef FRESHET_MARKUP_H
#define FRESHET_MARKUP_H

#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* The SHA-256 of that style, style.css, in base64. */
#define MARKUP_STYLE_HASH "sfW3X8qXORvr8GayXZImo8aC432K6Z17pORu4y10Ev8="

/* markup_begin(out, title): append all up to <body>.  The title may be foreign
 * text, and is cut if it is long.
 * markup_end(out, note): append the footer and the end.  `note` is markup. */
void markup_begin(struct buf *, struct slice title);
void markup_end(struct buf *, const char *note);

/*
 * markup_put(out, markup): append markup that has no foreign text.
 * markup_text(out, text): append foreign text for elements and for attributes
 * in quotes: what controls or reorders text is made visible, markup is escaped.
 * markup_cut(out, text): the same; the middle of a long text is cut out.
 * markup_parts(out, text, separator): the same of a host, which narrow columns
 * break before its dots only, or of a URL and its slashes; but for parts that
 * are longer than most columns.
 * markup_parameter(out, text): append foreign text as the value of a parameter
 * in a link: all bytes but letters, digits and "-._~" are percent-encoded.
 * markup_link(out, url, shown): append a link to a web address; of any other
 * URL only what is shown.
 * markup_tile(out, name, n, class): append a number with its name, in a list of
 * the class "tiles"; the class, which may be NULL, colours what is not 0.
 * markup_table(out, class, heads): begin a table; its columns have these heads,
 * with '|' between them, and '#' at the end of one for numbers.
 * markup_time(out, at_s): append a moment, for people in their zone and for
 * programs in UTC.
 * markup_print(out, form, ...): append markup in which '%' and a letter stand
 * for the next of the texts: %s for markup, %t, %c, %h and %p for foreign text
 * as markup_text(), markup_cut(), markup_parts() of a host and
 * markup_parameter() append it. All are const char * and none is NULL: the
 * compiler looks at the array as it would at arguments.
 */
void markup_put(struct buf *, const char *markup);
void markup_text(struct buf *, struct slice text);
void markup_cut(struct buf *, struct slice text);
void markup_parts(struct buf *, struct slice text, char separator);
void markup_parameter(struct buf *, struct slice text);
void markup_link(struct buf *, struct slice url, struct slice shown);
void markup_tile(struct buf *, const char *name, uint64_t n, const char *class);
void markup_table(struct buf *, const char *class, const char *heads);
void markup_time(struct buf *, int64_t at_s);
void markup_print_texts(struct buf *, const char *const *texts);
#define markup_print(out, ...) \
	markup_print_texts(out, (const char *const[]){__VA_ARGS__, NULL})

#endif
