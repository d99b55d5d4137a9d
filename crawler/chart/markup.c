/* Pages of HTML: their style, their frame, and how foreign text gets in. */
#include "crawler/chart/markup.h"

#include <assert.h>
#include <string.h>

#include "base/ascii.h"
#include "base/human.h"
#include "base/vis.h"
#include "base/w3cdate.h"
#include "base/zone.h"

#define LABEL 24 /* columns of a label of a host that make a column wider */
#define WIDE 160 /* columns of a text that is cut; a link has the whole URL */

/* clang-format off */
#define DIGIT(place, digit) "." place digit "{--" place ":" digit "}"
#define DIGITS(place) \
    DIGIT(place, "1") DIGIT(place, "2") DIGIT(place, "3") \
    DIGIT(place, "4") DIGIT(place, "5") DIGIT(place, "6") \
    DIGIT(place, "7") DIGIT(place, "8") DIGIT(place, "9")
#define RANK(hundreds, tens, ones) \
    "calc(var(--" hundreds ",0)*100 + var(--" tens ",0)*10 + " \
    "var(--" ones ",0))"
#define HIDE_OTHERS(severity) \
    ".sev-" severity ":checked~.items .item:not(.sev-" severity \
    "):not(:target){display:none}"

/* The text between <style> and </style>.  Whoever changes the text changes
 * MARKUP_STYLE_HASH. */
static const char markup_style[] =
    ":root{color-scheme:light dark;--back:#fff;--card:#f4f5f7;--text:#1a1d21;"
    "--soft:#5a626c;--line:#d9dde2;--link:#0b57d0;--bad:#b3261e;"
    "--warn:#8a5300;--good:#1b6e37;--info:#2b5a8c;"
    "--new:#0b57d0;--gone:#b3541e;--moved:#6a727c}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#14171a;--card:#1e2226;"
    "--text:#e7e9ec;--soft:#a2abb5;--line:#343a41;--link:#8ab4f8;"
    "--bad:#ff8a80;--warn:#f5b74f;--good:#7bd193;--info:#8fbbe8;"
    "--new:#8ab4f8;--gone:#e8955c;--moved:#a2abb5}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:78rem;padding:1rem;background:var(--back);"
    "color:var(--text);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0;"
    "overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:2rem 0 .75rem;overflow-wrap:anywhere}\n"
    "h3{font-size:1rem;margin:1.5rem 0 .5rem;overflow-wrap:anywhere}\n"
    "h2 .soft,h3 .soft,figcaption .soft{font-weight:400}\n"
    "p{margin:.25rem 0 .75rem}\n"
    "a{color:var(--link)}\n"
    "a,code,.url{overflow-wrap:anywhere;unicode-bidi:isolate}\n"
    ".parts{overflow-wrap:normal;white-space:nowrap;unicode-bidi:isolate}"
    ".parts wbr{white-space:normal}\n"
    "code{font:.9em/1.4 ui-monospace,monospace}\n"
    ".soft,footer{color:var(--soft);font-size:.9rem}\n"
    ".verdict{font-size:1.15rem;font-weight:600}\n"
    ".error{color:var(--bad)}.warning{color:var(--warn)}"
    ".info{color:var(--info)}.good{color:var(--good)}\n"
    ".new{color:var(--new)}.gone{color:var(--gone)}\n"
    ".trust{background:var(--card);border-radius:.5rem;"
    "border-left:.3rem solid var(--good);padding:.5rem .8rem}"
    ".trust.doubt{border-color:var(--warn)}\n"
    "nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.5rem 0}\n"
    "nav [aria-current]{color:inherit;font-weight:600;text-decoration:none}\n"
    /* numbers in tiles */
    ".tiles{display:grid;gap:.6rem;margin:1rem 0;"
    "grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr))}\n"
    ".tiles div{background:var(--card);border-radius:.5rem;"
    "padding:.6rem .8rem}\n"
    ".tiles dt{color:var(--soft);font-size:.85rem;font-weight:400}\n"
    ".tiles dd{margin:0;font-size:1.3rem;font-weight:600;"
    "font-variant-numeric:tabular-nums}"
    ".tiles dd.words{font-size:1rem}\n"
    /* what opens */
    "details{background:var(--card);border-radius:.5rem;"
    "border-left:.3rem solid var(--line);margin:.6rem 0;"
    "padding:.6rem .8rem}\n"
    "details.error{border-color:var(--bad)}"
    "details.warning{border-color:var(--warn)}"
    "details.info{border-color:var(--info)}"
    "details>*{color:var(--text)}\n"
    "summary{cursor:pointer}\n"
    "summary code{font-weight:600;margin-right:.4rem}\n"
    "summary .soft{white-space:nowrap}\n"
    "details.error summary code{color:var(--bad)}"
    "details.warning summary code{color:var(--warn)}"
    "details.info summary code{color:var(--info)}\n"
    "details p{margin:.5rem 0}\n"
    "details ul{margin:.5rem 0;padding-left:1.2rem}li.soft{list-style:none}\n"
    "pre{font:.85rem/1.4 ui-monospace,monospace;margin:.3rem 0;"
    "white-space:pre-wrap;overflow-wrap:anywhere}"
    ".halves{display:grid;gap:.2rem 1rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(22rem,100%),1fr))}\n"
    "details.data{border:0;margin:.4rem 0 0;padding:0;font-size:.85rem}"
    ".data summary{color:var(--soft)}"
    ".data .wide{max-height:20rem;overflow:auto}\n"
    "dt{font-weight:600}dd{margin:0}\n"
    /* tables */
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th{color:var(--soft);font-size:.85rem;font-weight:600;text-align:left}\n"
    "th,td{border-bottom:1px solid var(--line);padding:.45rem .6rem;"
    "vertical-align:top}\n"
    "table.plain th,table.plain td{padding:.15rem .6rem;font-size:.85rem}\n"
    "tbody th{color:inherit;font-size:inherit;font-weight:400;"
    "min-width:8.5rem;overflow-wrap:anywhere}\n"
    "td.n,th.n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}.n .soft{white-space:normal}\n"
    "td.when,.day{white-space:nowrap}\n"
    "tr.head td{background:var(--card)}\n"
    "tr.child td:first-child{padding-left:1.4rem}\n"
    "td a.error,td a.warning{white-space:nowrap}\n"
    "td.soft{white-space:nowrap}\n"
    "td[data-name=rhythm]{min-width:9rem}\n"
    ".what{display:block;color:var(--soft);font-size:.85rem;font-weight:400;"
    "max-width:22rem}\n"
    ".state{font-weight:600;white-space:nowrap}\n"
    ".struck{color:var(--soft);text-decoration:line-through}\n"
    "meter{display:block;width:5rem;height:.5rem;margin-left:auto}\n"
    /* choices: radio buttons stand before the items that they filter and
     * sort; a digit of a rank is a class, so that no style attribute is
     * needed */
    ".pick{position:absolute;opacity:0}"
    ".pick+label{display:inline-block;border:1px solid var(--line);"
    "border-radius:1rem;padding:.1rem .8rem;margin:.15rem .3rem .15rem 0;"
    "font-size:.9rem;cursor:pointer}"
    ".pick:checked+label{background:var(--text);color:var(--back)}"
    ".pick:focus-visible+label{outline:2px solid var(--link);"
    "outline-offset:2px}\n"
    ".items{display:flex;flex-direction:column}"
    ".items>details{margin:.3rem 0}"
    "table.items,.items thead,.items tr{display:block}"
    ".items tbody{display:flex;flex-direction:column}"
    ".items tr{display:grid;grid-template-columns:"
    "minmax(0,3fr) minmax(0,2fr) 6.5rem 7.5rem 6.5rem 6rem}"
    ".items .empty{grid-column:span 4}"
    /* a child does not stand below its index in another order */
    ".by-1:checked~.items .child td:first-child,"
    ".by-2:checked~.items .child td:first-child,"
    ".by-3:checked~.items .child td:first-child{padding-left:.6rem}\n"
    HIDE_OTHERS("error") HIDE_OTHERS("warning") HIDE_OTHERS("info")
    HIDE_OTHERS("none") "\n"
    ".by-1:checked~.items .item{order:" RANK("a", "b", "c") "}"
    ".by-2:checked~.items .item{order:" RANK("d", "e", "f") "}"
    ".by-3:checked~.items .item{order:" RANK("g", "h", "i") "}\n"
    DIGITS("a") DIGITS("b") DIGITS("c") DIGITS("d") DIGITS("e") DIGITS("f")
    DIGITS("g") DIGITS("h") DIGITS("i") "\n"
    /* what happened */
    "ol.events{list-style:none;margin:0;padding:0}"
    ".events li{display:grid;grid-template-columns:9rem 1fr;gap:.2rem .8rem;"
    "padding:.45rem .6rem;border-bottom:1px solid var(--line);"
    "overflow-wrap:anywhere}"
    ".events time{color:var(--soft);font-size:.9rem;white-space:nowrap}"
    ".events b{margin-right:.4rem}\n"
    ".kind{font-size:.8rem;font-weight:600;border-radius:.3rem;"
    "padding:.05rem .4rem;background:var(--card);white-space:nowrap}\n"
    /* charts */
    ".plots{display:grid;gap:1rem;margin:1rem 0;"
    "grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}\n"
    "figure{background:var(--card);border-radius:.5rem;margin:0;"
    "padding:.8rem;min-width:0}\n"
    "figcaption{font-weight:600;overflow-wrap:anywhere}\n"
    "figure>svg{display:block;width:100%;max-width:29rem;height:auto}\n"
    "svg text{fill:var(--text);font:11px system-ui,sans-serif}\n"
    "svg .value{font-variant-numeric:tabular-nums}\n"
    "svg .axis{fill:var(--soft);font-size:10px}\n"
    "svg .sign{font-size:10px;font-weight:700}"
    "svg .strong{font-size:10px;font-weight:700}\n"
    "svg .end{text-anchor:end}svg .mid{text-anchor:middle}\n"
    "svg.spark{width:8rem;height:auto;vertical-align:middle}\n"
    ".bar,.up{fill:var(--new)}.down{fill:var(--gone)}"
    "path.moved{fill:var(--moved)}.cut{stroke:var(--card);stroke-width:3}\n"
    ".grid{stroke:var(--line)}"
    ".mark{stroke:var(--soft);stroke-dasharray:3 3}\n"
    ".line{fill:none;stroke:var(--new);stroke-width:1.6;"
    "stroke-linejoin:round}\n"
    ".key{list-style:none;margin:.5rem 0 0;padding:0;display:flex;"
    "flex-wrap:wrap;gap:.2rem 1rem;font-size:.85rem}\n"
    ".key .block{display:inline-block;width:.8rem;height:.8rem;"
    "margin-right:.3rem;border-radius:.15rem;vertical-align:-.1rem;"
    "background:var(--moved)}"
    ".block.new{background:var(--new)}.block.gone{background:var(--gone)}\n"
    /* phones: a row of a table is a card */
    "@media(max-width:56rem){body{padding:.75rem}"
    ".what{max-width:none}"
    "table.cards,.cards tbody,.cards tr,.cards td,.cards tbody th"
    "{display:block;width:100%}"
    ".cards thead{display:none}"
    ".cards tr{border-bottom:1px solid var(--line);padding:.5rem 0}"
    ".cards tr.head{background:var(--card);padding:.5rem}"
    ".cards td,.cards tbody th,.cards tr.child td:first-child"
    "{border:0;padding:.1rem 0}"
    ".cards td.n,.cards td.when,.cards td[data-name]{display:flex;"
    "justify-content:space-between;text-align:right;gap:1rem;"
    "white-space:normal}"
    ".cards td[data-name]::before{content:attr(data-name);"
    "color:var(--soft);font-size:.9rem;font-weight:400}"
    ".cards td.n br,.cards td.empty,meter{display:none}"
    ".items tbody{display:flex}"
    ".events li{grid-template-columns:1fr}}\n"
    "@media print{body{max-width:none;padding:0}"
    "details,figure,.events li,tr{break-inside:avoid}"
    ".data,nav,.pick,.pick+label{display:none}a{color:inherit}"
    /* what is closed is printed, by browsers that can */
    "details::details-content{content-visibility:visible}}\n";
/* clang-format on */

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
