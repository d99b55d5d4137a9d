/*
 * The scanner against libxml2 and sitemap.c: if it accepts a document, they
 * read the document without a failure and report the same events; and neither
 * depends on how the bytes come.
 *
 *	byte 0: checks, when an event ends the reading, is it a document or a
 *	        recipe for one
 *	byte 1: bytes given at once
 *	rest:   the document, or the recipe
 *
 * Of random bytes the scanner would accept nothing. So most inputs are recipes:
 * each byte chooses a piece that can stand where the document is, and now and
 * then one that cannot.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "crawler/parse/document.h"
#include "crawler/parse/read.h"
#include "crawler/parse/scan.h"
#include "tests/fuzz/fuzz.h"

#define DOCUMENT_MAX ((size_t)1 << 20)
/* xml.c gives pieces of this size to libxml2.  Padding moves the rest of the
 * document into the second piece. */
#define XML_CHUNK 16384
#define PIECES(...)                       \
	{                                 \
		(const char *const[])     \
		{                         \
			__VA_ARGS__, NULL \
		}                         \
	}

enum {
	HOW_CHECKS = 3,
	HOW_EXTENSIONS = 1,
	HOW_SCHEMA = 2,
	HOW_CUT = 4,
	HOW_ENTRIES = 24,
	/* what the highest bits are: */
	HOW_BODY = 224,
	HOW_PADDED = 32,
	HOW_PLAIN = 224
};

/* Where a recipe is. */
enum place { PROLOG, ROOT, ENTRY, VALUE, EXTENSION, PLACES };

struct pieces {
	const char *const *texts;
};

static const struct pieces declarations = PIECES("",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8' standalone=\"yes\" ?>",
    "<?xml version=\"1.0\"?>", "<?xml version=\"1.0\" encoding=\"latin1\"?>",
    "\xEF\xBB\xBF", "<?xml  version=\"1.0\"  standalone='no'?>");

#define NAMES                                                              \
	" xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\"" \
	" xmlns:xhtml='http://www.w3.org/1999/xhtml' xmlns:o=\"urn:o\""
#define XSI                                                              \
	"\n xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\r\n" \
	"\txsi:schemaLocation=\"a\r\n\t b\""
#define OURS "http://www.sitemaps.org/schemas/sitemap/0.9"

static const struct pieces roots = PIECES("<urlset xmlns=\"" OURS "\"" NAMES
					  ">",
    "<sitemapindex xmlns='" OURS "'" NAMES ">",
    "<urlset\n xmlns=\"" OURS "\"" XSI NAMES "\n>",
    "<urlset" XSI " xmlns=\"" OURS "\"" NAMES " >",
    "<urlset xmlns=\"" OURS "\"" NAMES " a=\"1\">",
    "<urlset xmlns=\"" OURS "\"" NAMES " xmlns:two=\"urn:o\">",
    "<urlset xmlns=\"" OURS "\"" NAMES " xmlns:x=\"" OURS "\">");

static const struct pieces pieces[PLACES] = {
    [PROLOG] = PIECES(" ", "\n", "\r\n", "<!-- c -->", "<!--a\nb-->",
	"<?xml-stylesheet href=\"a.xsl\"?>", "<!-- \xC3\xA9 < & > -->", "\t"),
    [ROOT] = PIECES(" ", "\n", "\r\n  ", "\t\n", "<!-- c -->", "<!-- -->",
	"<!-- - \n> -->", "\n\n\n"),
    [ENTRY] = PIECES(" ", "\n", "\r\n  ", "\t", "<o:o/>",
	"<o:a b='1' c=\"&amp;\"/>", "<image:image/>",
	"<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"https://a/\"/>",
	"<xhtml:link\n rel='alternate' media='m'\r\n href='x&#38;y' />",
	"<xhtml:link rel=\"x\" hreflang=\"\xC3\xA9\"></xhtml:link >",
	"<xhtml:link rel=\"alternate\" hreflang=\"\" href=\"b&amp;'\"/>",
	"<xhtml:link rel=\"alternate\" hreflang=\"e>\" href=\"\tc\"/>",
	"<xhtml:link rel=\"alternatf\" hreflang=\"de\" href=\"\"/>",
	"<o:a b='2' c=\"x'y\"/>", "<o:a b='1\n' c=\"\"/>",
	"<xhtml:link href='/a&amp;b' hreflang='en-GB'\nrel='alternate' />",
	"<xhtml:link rel='alternate' href='https://a/' hreflang='en-UK'/>",
	"<image:image>\n<image:loc> https://a/b&amp;c </image:loc>\n"
	"</image:image>",
	"<image:image><image:loc>/b</image:loc></image:image>",
	"<image:image><image:loc>http://a/b</image:loc><image:title>t"
	"</image:title></image:image>"),
    [VALUE] = PIECES("https://a.example/", "a", "/b?c=d", "&amp;", "&#38;",
	"&#x2e;", "&lt;", "&gt;", "&quot;", "&apos;", "\xC3\xA9",
	"\xE2\x82\xAC", "\xF0\x9F\x98\x80", " ", "\n", "\t", "2024-01-02",
	"T03:04:05Z", "daily", "0.5", "%C3%A9", "\x7F", "]]", "'\""),
    [EXTENSION] = PIECES("text", " ", "\n", "\r\n", "&amp;", "&#xE9;",
	"\xC3\xA9", "<o:b/>", "<loc/>", "<o:c d=\"e\n\tf\"/>", "<o:d></o:d>"),
};

/* Pieces that are wrong in some places of a document, or in all. */
static const struct pieces odd = PIECES("<", ">", "&", "<![CDATA[a]]>", "]]>",
    "\r", "&nbsp;", "&#0;", "&#xD800;", "&#x110000;", "\x01", "\xC3",
    "\xEF\xBF\xBE", "\xED\xA0\x80", "<!-- -- -->", "<!--", "<?p q?>",
    "<unknown/>", "<x:y/>", "<loc>", "</loc>", "<url>", "</url>", "<loc/>",
    "</o:o>", "<o:o", " a=\"", "<!DOCTYPE a>", "<o:o a='1' a='2'/>",
    "<o:o x:a='1'/>", "<o:o xmlns:o='urn:p'/>", "<url a='b'>", "text", "\"",
    "<o:o a=1/>", "<o:o a='<'/>", "<o:o a='>'/>", "<loc >", "</loc >",
    "<o:o xml:lang='de'/>", "&#13;", "&#9;", "&amp", "&#", "--", "<o:1/>",
    "\xF4\x90\x80\x80", "\xC0\xBC", "<sitemap>", "</urlset>", "\xC2\x85",
    "<o:o rel='&#97;lternate'/>", "<!--->-->", "<!---->", "<!-- --->",
    "<?xml?>");

static const char *const names[] = {"loc", "lastmod", "changefreq", "priority"};

struct recipe {
	const uint8_t *p;
	size_t left;
	struct buf *out;
	enum place place;
	bool is_index;
	size_t padding; /* spaces behind the root tag */
	bool has_text; /* the value is not blank */
	unsigned seen; /* a bit for each name */
	unsigned name; /* the open value */
};

static void
put(struct recipe *recipe, const char *text)
{
	(void)buf_put_slice(recipe->out, slice_of(text));
}

static void
put_spaces(struct buf *out, size_t count)
{
	static const char spaces[] = "                                "
				     "                                ";

	while (count > 0) {
		size_t n = count < strlen(spaces) ? count : strlen(spaces);

		(void)buf_put(out, spaces, n);
		count -= n;
	}
}

static void
put_piece(struct recipe *recipe, const struct pieces *from, unsigned number)
{
	unsigned count = 0;

	while (from->texts[count] != NULL)
		count++;
	put(recipe, from->texts[number % count]);
}

static void
put_tag(struct recipe *recipe, const char *begin, const char *name)
{
	put(recipe, begin);
	put(recipe, name);
	put(recipe, ">");
}

static void
open_value(struct recipe *recipe, unsigned name)
{
	recipe->name = name;
	recipe->seen |= 1u << name;
	recipe->has_text = false;
	recipe->place = VALUE;
	put_tag(recipe, "<", names[name]);
}

static void
close_value(struct recipe *recipe)
{
	if (!recipe->has_text)
		put(recipe, "x");
	put_tag(recipe, "</", names[recipe->name]);
	recipe->place = ENTRY;
}

static void
close_entry(struct recipe *recipe)
{
	if ((recipe->seen & 1) == 0) {
		open_value(recipe, 0);
		close_value(recipe);
	}
	put_tag(recipe, "</", recipe->is_index ? "sitemap" : "url");
	recipe->place = ROOT;
}

/* move(recipe, b): open or close an element. */
static void
move(struct recipe *recipe, unsigned b)
{
	unsigned name = b % (recipe->is_index ? 2 : 4);

	switch (recipe->place) {
	case PROLOG:
		recipe->is_index = b % 7 == 1;
		put_piece(recipe, &roots, b);
		put_spaces(recipe->out, recipe->padding);
		recipe->place = ROOT;
		break;
	case ROOT:
		put_tag(recipe, "<", recipe->is_index ? "sitemap" : "url");
		recipe->seen = 0;
		recipe->place = ENTRY;
		break;
	case ENTRY:
		if ((recipe->seen >> name & 1) == 0) {
			open_value(recipe, name);
		} else if (b % 8 == 0) {
			put(recipe, "<image:image>");
			recipe->place = EXTENSION;
		} else {
			close_entry(recipe);
		}
		break;
	case VALUE:
		close_value(recipe);
		break;
	case EXTENSION:
		put(recipe, "</image:image>");
		recipe->place = ENTRY;
		break;
	case PLACES:
		break;
	}
}

static void
step(struct recipe *recipe, unsigned b)
{
	if (b >= 254 && recipe->left > 0) {
		(void)buf_put(recipe->out, recipe->p, 1);
		recipe->p++;
		recipe->left--;
	} else if (b >= 251) {
		put_piece(recipe, &odd, recipe->left > 0 ? recipe->p[0] : b);
	} else if (b % 3 == 0) {
		move(recipe, b / 3);
	} else {
		put_piece(recipe, &pieces[recipe->place], b / 3);
		recipe->has_text |= recipe->place == VALUE && b / 3 % 24 < 13;
	}
}

static void
cook(struct slice data, bool is_cut, size_t padding, struct buf *out)
{
	struct recipe recipe = {.p = (const uint8_t *)data.p,
	    .left = data.len,
	    .out = out,
	    .padding = padding};
	unsigned b = 0;

	if (recipe.left > 0)
		put_piece(&recipe, &declarations, recipe.p[0]);
	while (recipe.left > 0) {
		b = *recipe.p++;
		recipe.left--;
		step(&recipe, b);
	}
	if (is_cut && b % 4 == 0)
		return;
	if (recipe.place == PROLOG)
		move(&recipe, 0);
	if (recipe.place == VALUE || recipe.place == EXTENSION)
		move(&recipe, 0);
	if (recipe.place == ENTRY)
		close_entry(&recipe);
	put_tag(&recipe, "</", recipe.is_index ? "sitemapindex" : "urlset");
	if (is_cut)
		put(&recipe, b % 4 == 1 ? "\n<!-- c -->\n" : "\r\n");
}

/* The events of a parser, as text. */
struct log {
	struct buf text;
	unsigned entries; /* that may still come */
};

static bool
on_root(void *arg, enum root_kind kind)
{
	return buf_print(&((struct log *)arg)->text, "root %d\n", (int)kind);
}

static void
on_open(void *arg)
{
	(void)buf_print(&((struct log *)arg)->text, "open\n");
}

static void
log_text(struct log *log, struct slice text)
{
	(void)buf_print(&log->text, " %d:%zu:", text.p != NULL, text.len);
	(void)buf_put_slice(&log->text, text);
}

static bool
on_entry(void *arg, const struct raw_entry *entry)
{
	struct log *log = arg;

	(void)buf_print(&log->text, "entry %u %d %u %d %zu %d", entry->line,
	    entry->has_loc, entry->extensions, entry->is_feed_date,
	    entry->link_count, entry->is_resolvable);
	log_text(log, entry->loc);
	log_text(log, entry->lastmod);
	log_text(log, entry->changefreq);
	log_text(log, entry->priority);
	log_text(log, entry->published);
	for (size_t i = 0; i < entry->link_count; i++) {
		const struct raw_link *link = &entry->links[i];

		(void)buf_print(&log->text, " %u", link->line);
		log_text(log, link->url);
		log_text(log, link->language);
	}
	(void)buf_put_char(&log->text, '\n');
	return log->entries-- > 0;
}

static void
on_finding(void *arg, enum diag_code code, uint32_t line, struct slice text)
{
	struct log *log = arg;

	(void)buf_print(&log->text, "finding %s %u", diag_name(code), line);
	log_text(log, text);
	(void)buf_put_char(&log->text, '\n');
}

static struct parser_events
events_of(struct log *log, uint8_t how)
{
	/* nearly all entries are wanted, or the first few */
	log->entries = (how & HOW_ENTRIES) == HOW_ENTRIES ? 3 : 1000000;
	buf_init(&log->text, 64 * DOCUMENT_MAX);
	return (struct parser_events){.root = on_root,
	    .open = on_open,
	    .entry = on_entry,
	    .finding = on_finding,
	    .arg = log};
}

static enum aside
scan(struct log *log, const struct scope *scope, struct slice body,
    size_t chunk, uint8_t how)
{
	struct parser_events events = events_of(log, how);
	struct scan *scan = scan_new(&events, scope);
	bool goes_on = true;
	enum aside aside;

	while (goes_on && body.len > 0) {
		size_t n = chunk < body.len ? chunk : body.len;

		goes_on = scan_feed(scan, slice_make(body.p, n));
		body = slice_from(body, n);
	}
	aside = scan_finish(scan, true);
	assert(goes_on || aside != ASIDE_NO);
	scan_free(scan);
	return aside;
}

/* check_same(log, scope, body): libxml2 reads it, too. */
static void
check_same(const struct log *scanned, const struct scope *scope,
    struct slice body, size_t chunk, uint8_t how)
{
	struct log log;
	struct parser_events events = events_of(&log, how);
	enum diag_code failure;
	struct document_parser *document = document_new(
	    &events, scope, &failure);
	bool goes_on = true;

	while (goes_on && body.len > 0) {
		size_t n = chunk < body.len ? chunk : body.len;

		goes_on = document_feed(document, slice_make(body.p, n));
		body = slice_from(body, n);
	}
	assert(goes_on && document_finish(document, true));
	assert(failure == DIAG_OK);
	assert(slice_equal(buf_text(&scanned->text), buf_text(&log.text)));
	document_free(document);
	buf_release(&log.text);
}

static unsigned long runs;
static unsigned long accepted;

static void
tell(void)
{
	fprintf(stderr, "accepted: %lu of %lu\n", accepted, runs);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	read_warm();
	return atexit(tell);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct log whole, cut;
	struct scope scope;
	struct buf body;
	enum aside aside;

	if (size < 3)
		return 0;
	struct slice rest = slice_make((const char *)data + 2, size - 2);
	buf_init(&body, DOCUMENT_MAX);
	if ((data[0] & HOW_BODY) == HOW_PLAIN)
		(void)buf_put_slice(&body, rest);
	else
		cook(rest, (data[0] & HOW_CUT) != 0,
		    (data[0] & HOW_BODY) == HOW_PADDED
			? XML_CHUNK - 4u * data[1]
			: 0,
		    &body);
	scope_init(&scope, &profile);
	scope.checks.has_extensions = (data[0] & HOW_CHECKS) == HOW_EXTENSIONS;
	scope.checks.has_schema = (data[0] & HOW_CHECKS) == HOW_SCHEMA;
	aside = scan(&whole, &scope, buf_text(&body), SIZE_MAX, data[0]);
	runs++;
	if (aside == ASIDE_NO) {
		size_t chunk = (size_t)data[1] + 1;

		accepted++;
		check_same(&whole, &scope, buf_text(&body), SIZE_MAX, data[0]);
		aside = scan(&cut, &scope, buf_text(&body), chunk, data[0]);
		assert(aside == ASIDE_NO);
		assert(slice_equal(buf_text(&whole.text), buf_text(&cut.text)));
	} else {
		enum aside again = scan(
		    &cut, &scope, buf_text(&body), data[1] + 1u, data[0]);

		assert(again == aside);
	}
	buf_release(&whole.text);
	buf_release(&cut.text);
	scope_release(&scope);
	buf_release(&body);
	return 0;
}
