/* Pages of HTML: their style, their frame, and how foreign text gets in. */
#include "crawler/chart/markup.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/human.h"
#include "base/vis.h"
#include "base/w3cdate.h"
#include "base/zone.h"
#include "crawler/chart/style.inc"

#define LABEL 24 /* columns of a label of a host that make a column wider */
#define WIDE 160 /* columns of a text that is cut; a link has the whole URL */

void
markup_put(struct buf *out, const char *markup)
{
	(void)buf_put_slice(out, slice_of(markup));
}

void
markup_text(struct buf *out, struct slice text)
{
	struct buf plain;

	/* each byte may become four: \xNN */
	buf_init(&plain, 4 * text.len + 4);
	vis_put(&plain, text, SIZE_MAX);
	xml_put(out, buf_text(&plain));
	buf_release(&plain);
}

void
markup_cut(struct buf *out, struct slice text)
{
	struct buf cut = BUF_UP_TO(SIZE_MAX);

	(void)vis_put_middle(&cut, text, WIDE);
	xml_put(out, buf_text(&cut));
	buf_release(&cut);
}

void
markup_parts(struct buf *out, struct slice text, char separator)
{
	struct buf cut = BUF_UP_TO(SIZE_MAX);
	struct slice rest;
	bool is_long = false; /* a part is, or there are several words */
	size_t part = 0;

	(void)vis_put_middle(&cut, text, WIDE);
	rest = buf_text(&cut);
	for (size_t i = 0; i < rest.len; i++) {
		part = rest.p[i] == separator ? 0 : part + 1;
		is_long |= part > LABEL || rest.p[i] == ' ';
	}
	markup_put(
	    out, is_long ? "<span class=\"url\">" : "<span class=\"parts\">");
	while (rest.len > 0) {
		size_t len = 1;

		/* The next separator that stands alone, unlike those of
		 * "http://"; one at the end breaks nothing. */
		while (len + 1 < rest.len &&
		    !(rest.p[len] == separator &&
			rest.p[len - 1] != separator &&
			rest.p[len + 1] != separator))
			len++;
		if (len + 1 >= rest.len)
			len = rest.len;
		xml_put(out, slice_make(rest.p, len));
		rest = slice_from(rest, len);
		markup_put(out, rest.len > 0 ? "<wbr>" : "");
	}
	markup_put(out, "</span>");
	buf_release(&cut);
}

void
markup_parameter(struct buf *out, struct slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.p[i];

		/* The unreserved characters of RFC 3986, which need no escape
		 * anywhere in a URL. */
		if (ascii_is_letter(c) || ascii_is_digit(c) ||
		    memchr("-._~", c, 4) != NULL)
			(void)buf_put_char(out, c);
		else
			(void)buf_print(out, "%%%02X", (unsigned char)c);
	}
}

void
markup_link(struct buf *out, struct slice url, struct slice shown)
{
	/* Any other scheme may run something: "javascript:". */
	bool is_link = slice_starts(url, slice_of("http://")) ||
	    slice_starts(url, slice_of("https://"));

	markup_put(out,
	    is_link ? "<a rel=\"noreferrer noopener nofollow\" href=\""
		    : "<span class=\"url");
	if (is_link)
		markup_text(out, url);
	markup_put(out, "\">");
	markup_cut(out, shown);
	markup_put(out, is_link ? "</a>" : "</span>");
}

void
markup_tile(struct buf *out, const char *name, uint64_t n, const char *class)
{
	(void)buf_print(out, "<div><dt>%s</dt><dd", name);
	if (class != NULL && n > 0)
		(void)buf_print(out, " class=\"%s\"", class);
	(void)buf_print(out, ">%s</dd></div>\n", human_of(n, NULL).text);
}

void
markup_table(struct buf *out, const char *class, const char *heads)
{
	struct slice head;

	markup_print(out, "<table class=\"%s\">\n<thead><tr>", class);
	while (slice_next(&heads, '|', &head)) {
		bool is_number = slice_ends(head, slice_of("#"));

		(void)buf_print(out, "<th scope=\"col\"%s>%.*s</th>",
		    is_number ? " class=\"n\"" : "",
		    (int)(head.len - is_number), head.p);
	}
	markup_put(out, "</tr></thead>\n<tbody>\n");
}

void
markup_time(struct buf *out, int64_t at_s)
{
	markup_put(out, "<time datetime=\"");
	time_print(out, at_s);
	markup_print(out, "\">%s</time>", zone_text(at_s, ZONE_MOMENT).text);
}

void
markup_print_texts(struct buf *out, const char *const *texts)
{
	const char *form = *texts++;
	size_t len;

	for (; len = strcspn(form, "%"), form[len] != '\0'; form += len + 2) {
		struct slice text = slice_of(*texts);

		/* a text for each '%', and a '%' for each text */
		assert(*texts != NULL);
		texts++;
		(void)buf_put(out, form, len);
		if (form[len + 1] == 's')
			(void)buf_put_slice(out, text);
		else if (form[len + 1] == 't')
			markup_text(out, text);
		else if (form[len + 1] == 'c')
			markup_cut(out, text);
		else if (form[len + 1] == 'h')
			markup_parts(out, text, '.');
		else
			markup_parameter(out, text);
	}
	assert(*texts == NULL);
	markup_put(out, form);
}

void
markup_begin(struct buf *out, struct slice title)
{
	markup_put(out,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\""
	    "default-src 'none'; style-src 'sha256-" MARKUP_STYLE_HASH
	    "'; base-uri 'none'; form-action 'none'\">\n"
	    "<meta name=\"viewport\" "
	    "content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n"
	    "<meta name=\"robots\" content=\"noindex\">\n<title>");
	markup_cut(out, title);
	(void)buf_print(out, "</title>\n<style>%s</style>\n</head>\n<body>\n",
	    markup_style);
}

void
markup_end(struct buf *out, const char *note)
{
	markup_print(out,
	    "<footer>\n<p>freshet " FRESHET_VERSION
	    "; %s</p>\n</footer>\n</body>\n</html>\n",
	    note);
}
