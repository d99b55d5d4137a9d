/*
 * A scanner of regular sitemaps.
 *
 *	START --root tag--> ENTRIES --end of the root--> AFTER --end--> accepted
 *	  '--------------------'------anything unsure------'--> aside
 *
 *	START    scan_prolog   nothing is reported
 *	ENTRIES  scan_item     all entries before `done` are reported
 *	AFTER    scan_comment  white space and comments
 *
 * Each function that reads gets the position where it begins and returns the
 * position where it ended; NULL: it stopped (scan_stop(), scan_refuse()).
 *
 * The bytes that are held end with zero bytes, which belong to no token, so
 * that no function counts the bytes that are left. There are AHEAD of them:
 * more than any fixed text that is compared, and than plain_end() reads ahead.
 * A stop near the end of the held bytes only means that more bytes are needed:
 * the scanner goes back to `done` and tries again when it has them.
 */
#include "crawler/parse/scan.h"

#include <assert.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/mem.h"
#include "crawler/parse/charset.h"
#include "crawler/parse/extension.h"
#include "crawler/parse/html.h"
#include "crawler/parse/sitemap.h"

#define AHEAD 64 /* zero bytes behind the held bytes */
#define PIECE 131072 /* bytes taken at a time */
#define TRY 1024 /* fewer new bytes are not worth a try */

/* All limits are narrower than those of libxml2 and of xml.c: longer tokens and
 * deeper elements are read there. An ITEM is an entry, or all that stands
 * before the root. */
#define ITEM_MAX 262144
#define TOKEN_MAX 16384 /* a tag, a comment or a value */
#define DECLARATION_MAX 256
#define ATTRIBUTES_MAX 24
#define DEPTH_MAX 8 /* of the elements of one extension */
#define PREFIXES_MAX 16
/* libxml2 limits the memory of all names of a document, so few are accepted. */
#define NAMES_MAX 64
#define NAME_MAX 48

enum scan_place { START, ENTRIES, AFTER };

#define FIELDS XSD_FOREIGN /* loc, lastmod, changefreq, priority */

struct prefix {
	char name[NAME_MAX];
	size_t len;
	uint16_t bit; /* see extension_bit() */
	bool is_schema; /* the namespace of xsi:schemaLocation */
};

#define KNOWN_MAX 8
#define KNOWN_BYTES 256
#define KNOWN_VALUES 6

/* What matters of the start tag of an element of an extension. */
struct element {
	struct slice name; /* with its prefix */
	bool has_prefix;
	bool is_empty; /* <tag/> */
	uint16_t bit; /* see extension_of() */
};

/* A start tag of an extension that was read and accepted before. Most such tags
 * of a document differ only in the values of their attributes, so that the next
 * one is compared, not read. */
struct known_tag {
	struct element element; /* the name lies in text */
	size_t len;
	unsigned count; /* of the values that may differ */
	struct {
		uint16_t at, end;
	} values[KNOWN_VALUES];
	char text[KNOWN_BYTES];
};

struct scan {
	const struct parser_events *events;
	const struct scope *scope;
	enum scan_place place;
	enum aside aside;
	bool is_over; /* the scanner has stepped aside */
	bool is_last; /* no more bytes come */
	bool is_index;
	struct buf held;
	size_t wanted; /* scan again when so many bytes are held */
	const char *end; /* of the held bytes, while they are scanned */
	const char *done; /* all before it is reported */
	const char *stopped; /* where scan_stop() was called */
	uint32_t line;
	uint32_t done_line;
	struct buf values; /* decoded values of an entry; never reallocated */
	struct prefix prefixes[PREFIXES_MAX];
	unsigned prefix_count;
	char names[NAMES_MAX][NAME_MAX];
	size_t name_lens[NAMES_MAX];
	unsigned name_count;
	struct known_tag known[KNOWN_MAX];
	unsigned known_count;
	struct raw_link *links; /* owned: of the entry, if they are judged */
	size_t link_count, link_cap;
};

struct attribute {
	struct slice name; /* with its prefix */
	struct slice prefix; /* empty: none */
	struct slice local;
	struct slice value; /* as written */
};

struct tag {
	struct slice name;
	struct slice prefix;
	struct slice local;
	struct attribute attributes[ATTRIBUTES_MAX];
	unsigned count;
	bool is_empty; /* <tag/> */
};

struct scan *
scan_new(const struct parser_events *events, const struct scope *scope)
{
	struct scan *scan = mem_zero(sizeof(*scan));
	const struct read_limits *limits = &scope->limits;

	scan->events = events;
	scan->scope = scope;
	scan->line = scan->done_line = 1;
	scan->wanted = TRY;
	buf_init(&scan->held, 2 * ITEM_MAX + 2 * PIECE + AHEAD);
	buf_init(&scan->values, (size_t)(FIELDS + 1) * TOKEN_MAX);
	(void)buf_reserve(&scan->values, scan->values.max);
	if (limits->max_depth < DEPTH_MAX + 2 ||
	    limits->max_attributes < ATTRIBUTES_MAX ||
	    limits->max_text < TOKEN_MAX ||
	    limits->max_pending < 2 * TOKEN_MAX) {
		scan->is_over = true;
		scan->aside = ASIDE_LIMIT;
	}
	return scan;
}

void
scan_free(struct scan *scan)
{
	if (scan == NULL)
		return;
	buf_release(&scan->held);
	buf_release(&scan->values);
	free(scan->links);
	free(scan);
}

/* scan_stop(scan, p, why): what stands at p is not in the subset, or p is the
 * end of the held bytes. */
static const char *
scan_stop(struct scan *scan, const char *p, enum aside why)
{
	scan->stopped = p;
	scan->aside = why;
	return NULL;
}

/* scan_refuse(scan, why): step aside, whatever follows. */
static const char *
scan_refuse(struct scan *scan, enum aside why)
{
	scan->is_over = true;
	return scan_stop(scan, scan->end, why);
}

static const char *
scan_take(struct scan *scan, const char *p, struct slice text, enum aside why)
{
	return memcmp(p, text.p, text.len) == 0 ? p + text.len
						: scan_stop(scan, p, why);
}

/* Characters. */

/* plain_end(p): the first byte that is a control character, '<', '>', '&' or no
 * ASCII. */
static const char *
plain_end(const char *p)
{
	for (;; p += sizeof(bytes16)) {
		bytes16 c = bytes16_load(p);
		unsigned odd = bytes16_mask(
		    (bytes16)((c - ' ' > 0x7f - ' ') | (c == '&') |
			/* '<' and '>' differ in this bit */
			((c | 2) == '>')));

		if (odd != 0)
			return p + __builtin_ctz(odd);
	}
}

/* scan_skip_space(scan, p): a CR that is no part of a CR LF is not white space
 * here, because it would count as a line end. */
static const char *
scan_skip_space(struct scan *scan, const char *p)
{
	for (;; p++) {
		while (*p == ' ')
			p++;
		if (*p == '\n')
			scan->line++;
		else if (*p != '\t' && (*p != '\r' || p[1] != '\n'))
			return p;
	}
}

/* are_characters(text): is text UTF-8 without the two code points that XML
 * forbids, U+FFFE and U+FFFF? */
static bool
are_characters(struct slice text)
{
	if (!utf8_is_valid(text))
		return false;
	for (size_t i = 0; i + 2 < text.len; i++)
		if (text.p[i] == '\xEF' && text.p[i + 1] == '\xBF' &&
		    (unsigned char)text.p[i + 2] >= 0xBE)
			return false;
	return true;
}

/* put_reference(out, text): decode the reference whose '&' stands before text;
 * returns the length of what follows the '&', or 0. Control characters are not
 * accepted. */
static size_t
put_reference(struct buf *out, struct slice text)
{
	char utf8[4];
	size_t len;
	size_t n = html_reference(text, utf8, &len);

	/* What is no character of XML, or "&#X", is left to libxml2. */
	if (n == 0 || text.p[1] == 'X' || (unsigned char)utf8[0] < ' ' ||
	    (len > 1 && !are_characters(slice_make(utf8, len))) ||
	    !buf_put(out, utf8, len))
		return 0;
	return n;
}

/* scan_decode(scan, text): put text into scan->values without references.
 * False: not all references are known, or there is no room. */
static bool
scan_decode(struct scan *scan, struct slice text)
{
	while (text.len > 0) {
		const char *mark = memchr(text.p, '&', text.len);
		size_t n = mark == NULL ? text.len : (size_t)(mark - text.p);

		if (!buf_put(&scan->values, text.p, n))
			return false;
		text = slice_from(text, n);
		if (text.len == 0)
			break;
		text = slice_from(text, 1);
		n = put_reference(&scan->values, text);
		if (n == 0)
			return false;
		text = slice_from(text, n);
	}
	return true;
}

/* are_references(scan, text): could text be decoded? */
static bool
are_references(struct scan *scan, struct slice text)
{
	size_t before = scan->values.len;
	bool ok = scan_decode(scan, text);

	scan->values.len = before;
	return ok;
}

/* What a text contains besides plain characters and line feeds. */
enum { TEXT_HIGH = 1, TEXT_REFERENCE = 2, TEXT_CR = 4 };

/* text_end(scan, p, kinds): the '<' that ends the text at p. */
static const char *
text_end(struct scan *scan, const char *p, unsigned *kinds)
{
	const char *start = p;

	*kinds = 0;
	for (;;) {
		p = plain_end(p);
		if (*p == '<')
			break;
		if ((*p & 0x80) != 0)
			*kinds |= TEXT_HIGH;
		else if (*p == '&')
			*kinds |= TEXT_REFERENCE;
		else if (*p == '\n')
			scan->line++;
		else if (*p == '\r' && p[1] == '\n')
			*kinds |= TEXT_CR;
		else if (*p != '\t')
			return scan_stop(scan, p, ASIDE_TEXT);
		p++;
	}
	if (p - start > TOKEN_MAX)
		return scan_stop(scan, p, ASIDE_LIMIT);
	if ((*kinds & TEXT_HIGH) != 0 &&
	    !are_characters(slice_make(start, (size_t)(p - start))))
		return scan_stop(scan, p, ASIDE_ENCODING);
	return p;
}

/* Markup. */

/* misc_end(scan, p, end): skip a comment or a processing instruction, whose
 * content begins at p. */
static const char *
misc_end(struct scan *scan, const char *p, struct slice end)
{
	const char *close = memmem(p, (size_t)(scan->end - p), end.p, end.len);

	if (close == NULL)
		return scan_stop(scan, scan->end, ASIDE_MARKUP);
	struct slice content = slice_make(p, (size_t)(close - p));
	if (content.len > TOKEN_MAX)
		return scan_stop(scan, close, ASIDE_LIMIT);
	if (!are_characters(content))
		return scan_stop(scan, close, ASIDE_ENCODING);
	for (size_t i = 0; i < content.len; i++) {
		char c = p[i];

		if (c == '\n')
			scan->line++;
		else if (c == '\r' ? p[i + 1] != '\n'
				   : (unsigned char)c < ' ' && c != '\t')
			return scan_stop(scan, close, ASIDE_MARKUP);
	}
	return close + end.len;
}

/* scan_comment(scan, p): "--" may stand only at the end of a comment. */
static const char *
scan_comment(struct scan *scan, const char *p)
{
	const struct slice dashes = slice_of("--");

	p = scan_take(scan, p, slice_of("<!--"), ASIDE_MARKUP);
	if (p == NULL)
		return NULL;
	if (*p == '-' || *p == '>')
		return scan_stop(scan, p, ASIDE_MARKUP);
	p = misc_end(scan, p, dashes);
	return p == NULL ? NULL
			 : scan_take(scan, p, slice_of(">"), ASIDE_MARKUP);
}

/* name_end(scan, p, name, prefix, local): read a name, and split it: it is one
 * word, or two with a colon between them. */
static const char *
name_end(struct scan *scan, const char *p, struct slice *name,
    struct slice *prefix, struct slice *local)
{
	const char *start = p;
	const char *word = p;

	*prefix = slice_make(p, 0);
	for (;;) {
		if (!ascii_is_letter(*p) && *p != '_')
			return scan_stop(scan, p, ASIDE_MARKUP);
		while (ascii_is_letter(*p) || ascii_is_digit(*p) || *p == '_' ||
		    *p == '-' || *p == '.')
			p++;
		if (*p != ':' || word != start)
			break;
		*prefix = slice_make(start, (size_t)(p - start));
		word = ++p;
	}
	*name = slice_make(start, (size_t)(p - start));
	*local = slice_make(word, (size_t)(p - word));
	return p;
}

/* quoted_end(scan, p, value): read a value in quotes. */
static const char *
quoted_end(struct scan *scan, const char *p, struct slice *value)
{
	const char *start = p + 1;
	bool has_reference = false;
	bool has_high = false;
	const char *end;

	if (*p != '"' && *p != '\'')
		return scan_stop(scan, p, ASIDE_MARKUP);
	end = memchr(start, *p, (size_t)(scan->end - start));
	if (end == NULL)
		return scan_stop(scan, scan->end, ASIDE_MARKUP);
	*value = slice_make(start, (size_t)(end - start));
	for (p = plain_end(start); p < end; p = plain_end(p + 1)) {
		if ((*p & 0x80) != 0)
			has_high = true;
		else if (*p == '&')
			has_reference = true;
		else if (*p == '\n')
			scan->line++;
		else if (*p != '\t' && (*p != '\r' || p[1] != '\n'))
			return scan_stop(scan, end, ASIDE_MARKUP);
	}
	if (value->len > TOKEN_MAX)
		return scan_stop(scan, end, ASIDE_LIMIT);
	if (has_high && !are_characters(*value))
		return scan_stop(scan, end, ASIDE_ENCODING);
	if (has_reference && !are_references(scan, *value))
		return scan_stop(scan, end, ASIDE_TEXT);
	return end + 1;
}

/* tag_end(scan, p, tag): read the start tag at p. */
static const char *
tag_end(struct scan *scan, const char *p, struct tag *tag)
{
	const char *start = p;

	tag->count = 0;
	p = name_end(scan, p + 1, &tag->name, &tag->prefix, &tag->local);
	while (p != NULL) {
		const char *space = p;

		p = scan_skip_space(scan, p);
		tag->is_empty = *p == '/' && p[1] == '>';
		if (*p == '>' || tag->is_empty)
			break;
		if (p == space)
			return scan_stop(scan, p, ASIDE_MARKUP);
		/* name="value", under a name that is new here */
		struct attribute *attribute = &tag->attributes[tag->count];

		if (tag->count == ATTRIBUTES_MAX)
			return scan_stop(scan, p, ASIDE_LIMIT);
		p = name_end(scan, p, &attribute->name, &attribute->prefix,
		    &attribute->local);
		if (p == NULL || *p != '=')
			return p == NULL ? NULL
					 : scan_stop(scan, p, ASIDE_MARKUP);
		for (unsigned i = 0; i < tag->count; i++)
			if (slice_equal(
				tag->attributes[i].name, attribute->name))
				return scan_stop(scan, p, ASIDE_MARKUP);
		tag->count++;
		p = quoted_end(scan, p + 1, &attribute->value);
	}
	if (p == NULL)
		return NULL;
	if (p - start > TOKEN_MAX)
		return scan_stop(scan, p, ASIDE_LIMIT);
	return p + (tag->is_empty ? 2 : 1);
}

/* pseudo_end(p, name, value): the end of ` name="value"`; p if it is not there.
 * A quote follows, because the declaration is whole. */
static const char *
pseudo_end(const char *p, const char *name, struct slice *value)
{
	const char *start = p;
	size_t n = strlen(name);

	while (*p == ' ')
		p++;
	if (p == start || strncmp(p, name, n) != 0 || p[n] != '=' ||
	    (p[n + 1] != '"' && p[n + 1] != '\''))
		return start;
	p += n + 1;
	for (n = 1; p[n] != *p && p[n] != '?' && p[n] != '\0'; n++)
		continue;
	*value = slice_make(p + 1, n - 1);
	return p[n] == *p ? p + n + 1 : start;
}

/* scan_declaration(scan, p): an XML declaration in one of its usual forms. */
static const char *
scan_declaration(struct scan *scan, const char *p)
{
	struct slice version = slice_of("");
	struct slice encoding = slice_of("utf-8");
	struct slice standalone = slice_of("yes");
	const char *start = p;
	const char *end = memmem(p, (size_t)(scan->end - p), "?>", 2);

	if (end == NULL)
		return scan_stop(scan, scan->end, ASIDE_MARKUP);
	p += strlen("<?xml");
	p = pseudo_end(p, "version", &version);
	p = pseudo_end(p, "encoding", &encoding);
	p = pseudo_end(p, "standalone", &standalone);
	while (*p == ' ')
		p++;
	if (p != end || end - start > DECLARATION_MAX ||
	    !slice_is(version, "1.0") ||
	    (!slice_is(standalone, "yes") && !slice_is(standalone, "no")))
		return scan_stop(scan, end, ASIDE_MARKUP);
	if (!slice_equal_nocase(encoding, slice_of("utf-8")))
		return scan_stop(scan, end, ASIDE_ENCODING);
	return end + 2;
}

static const struct prefix *
find_prefix(const struct scan *scan, struct slice name)
{
	for (unsigned i = 0; i < scan->prefix_count; i++)
		if (slice_equal(slice_make(scan->prefixes[i].name,
				    scan->prefixes[i].len),
			name))
			return &scan->prefixes[i];
	return NULL;
}

/* declare(scan, root, attribute): keep a prefix. False: it is declared in an
 * odd way, or its namespace has a second prefix, with which an element could be
 * the sitemap's, and an attribute could be there twice. */
static bool
declare(struct scan *scan, const struct tag *root,
    const struct attribute *attribute)
{
	struct slice name = attribute->local;
	struct slice uri = attribute->value;
	struct prefix *prefix = &scan->prefixes[scan->prefix_count];

	if (scan->prefix_count == PREFIXES_MAX || name.len > NAME_MAX ||
	    uri.len == 0 || slice_is(name, "xml") || slice_is(name, "xmlns") ||
	    slice_is(uri, "http://www.w3.org/XML/1998/namespace") ||
	    slice_is(uri, "http://www.w3.org/2000/xmlns/"))
		return false;
	for (size_t i = 0; i < uri.len; i++)
		if (uri.p[i] <= ' ' || uri.p[i] > '~' || uri.p[i] == '&')
			return false;
	for (unsigned i = 0; i < root->count; i++)
		if (&root->attributes[i] != attribute &&
		    slice_equal(root->attributes[i].value, uri))
			return false;
	memcpy(prefix->name, name.p, name.len);
	prefix->len = name.len;
	prefix->bit = extension_bit(uri);
	prefix->is_schema = slice_is(uri, XML_SCHEMA_INSTANCE);
	scan->prefix_count++;
	return true;
}

/* declare_all(scan, root): the root has namespaces, and attributes that concern
 * a schema, but no other attributes. */
static bool
declare_all(struct scan *scan, const struct tag *root)
{
	bool is_ours = false;

	scan->prefix_count = 0;
	for (unsigned i = 0; i < root->count; i++) {
		const struct attribute *attribute = &root->attributes[i];

		if (slice_is(attribute->name, "xmlns"))
			is_ours = slice_is(attribute->value, SITEMAP_NAMESPACE);
		else if (slice_is(attribute->prefix, "xmlns") &&
		    !declare(scan, root, attribute))
			return false;
	}
	for (unsigned i = 0; i < root->count; i++) {
		const struct attribute *attribute = &root->attributes[i];
		const struct prefix *prefix = find_prefix(
		    scan, attribute->prefix);

		if (!slice_is(attribute->name, "xmlns") &&
		    !slice_is(attribute->prefix, "xmlns") &&
		    (prefix == NULL || !prefix->is_schema))
			return false;
	}
	return is_ours;
}

static const char *
scan_prolog(struct scan *scan, const char *p)
{
	struct tag root;

	if (memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		p += 3;
	if (*p != '<')
		return scan_stop(
		    scan, p, (*p & 0x80) != 0 ? ASIDE_ENCODING : ASIDE_KIND);
	if (memcmp(p, "<?xml", 5) == 0 && p[5] != '-')
		p = scan_declaration(scan, p);
	while (p != NULL) {
		p = scan_skip_space(scan, p);
		if (*p != '<')
			return scan_stop(scan, p, ASIDE_MARKUP);
		if (p[1] == '!')
			p = scan_comment(scan, p);
		else if (p[1] != '?')
			break;
		else {
			/* the only instruction that sitemaps use */
			p = scan_take(scan, p, slice_of("<?xml-stylesheet "),
			    ASIDE_MARKUP);
			if (p != NULL)
				p = misc_end(scan, p, slice_of("?>"));
		}
	}
	if (p != NULL)
		p = tag_end(scan, p, &root);
	if (p == NULL)
		return NULL;
	scan->is_index = slice_is(root.name, "sitemapindex");
	if (!scan->is_index && !slice_is(root.name, "urlset"))
		return scan_stop(scan, p, ASIDE_KIND);
	if (root.is_empty)
		return scan_stop(scan, p, ASIDE_ELEMENT);
	if (!declare_all(scan, &root))
		return scan_stop(scan, p, ASIDE_NAMESPACE);
	scan->place = ENTRIES;
	if (!scan->events->root(
		scan->events->arg, scan->is_index ? ROOT_INDEX : ROOT_URLSET))
		return scan_refuse(scan, ASIDE_RULE);
	return p;
}

/* is_name_usual(scan, name): is the name one of the first NAMES_MAX names? */
static bool
is_name_usual(struct scan *scan, struct slice name)
{
	unsigned i;

	for (i = 0; i < scan->name_count; i++)
		if (slice_equal(
			slice_make(scan->names[i], scan->name_lens[i]), name))
			return true;
	if (i == NAMES_MAX || name.len > NAME_MAX)
		return false;
	memcpy(scan->names[i], name.p, name.len);
	scan->name_lens[i] = name.len;
	scan->name_count++;
	return true;
}

/* judge_names(scan, tag): ASIDE_NO, or why the tag is not in the subset. An
 * element without a prefix is the sitemap's: it may stand inside others. */
static enum aside
judge_names(struct scan *scan, const struct tag *tag)
{
	if (tag->prefix.len > 0 && find_prefix(scan, tag->prefix) == NULL)
		return ASIDE_NAMESPACE;
	if (!is_name_usual(scan, tag->name))
		return ASIDE_LIMIT;
	for (unsigned i = 0; i < tag->count; i++) {
		const struct attribute *attribute = &tag->attributes[i];

		if (slice_is(attribute->name, "xmlns") ||
		    (attribute->prefix.len > 0 &&
			find_prefix(scan, attribute->prefix) == NULL))
			return ASIDE_NAMESPACE;
		if (!is_name_usual(scan, attribute->name))
			return ASIDE_LIMIT;
		/* element_end() compares the value as it is written. */
		if (slice_is(attribute->name, "rel") &&
		    memchr(attribute->value.p, '&', attribute->value.len) !=
			NULL)
			return ASIDE_TEXT;
	}
	return ASIDE_NO;
}

/* known_end(scan, known, p): the end of the tag at p, which has this shape, and
 * simple values; NULL: it may be another one. */
static const char *
known_end(struct scan *scan, const struct known_tag *known, const char *p)
{
	size_t at = 0;

	for (unsigned i = 0;; i++) {
		size_t end = i < known->count ? known->values[i].at
					      : known->len;
		size_t len = end - at;

		if ((size_t)(scan->end - p) < len ||
		    memcmp(p, known->text + at, len) != 0)
			return NULL;
		p += len;
		if (i == known->count)
			return p;
		const char *quote = memchr(p, p[-1], (size_t)(scan->end - p));
		if (quote == NULL || quote - p > KNOWN_BYTES * 4)
			return NULL;
		/* Would quoted_end() accept the value, and are there no lines
		 * to count in it? */
		const char *odd = plain_end(p);
		bool has_reference = odd < quote;

		for (; odd < quote; odd = plain_end(odd + 1))
			if (*odd != '&')
				return NULL;
		if (has_reference &&
		    !are_references(scan, slice_make(p, (size_t)(quote - p))))
			return NULL;
		p = quote;
		at = known->values[i].end;
	}
}

/* element_end(scan, p, element): read the start tag at p. */
static const char *
element_end(struct scan *scan, const char *p, struct element *element)
{
	const char *start = p;
	struct tag tag;
	enum aside why;

	for (unsigned i = 0; i < scan->known_count; i++) {
		p = known_end(scan, &scan->known[i], start);
		if (p != NULL) {
			*element = scan->known[i].element;
			return p;
		}
	}
	p = tag_end(scan, start, &tag);
	if (p == NULL)
		return NULL;
	why = judge_names(scan, &tag);
	if (why != ASIDE_NO)
		return scan_stop(scan, p, why);
	*element = (struct element){.name = tag.name,
	    .has_prefix = tag.prefix.len > 0,
	    .is_empty = tag.is_empty};
	if (element->has_prefix)
		element->bit = find_prefix(scan, tag.prefix)->bit;
	/* Of XHTML only a link with rel="alternate" and hreflang counts: see
	 * extension_of(). */
	if (element->bit == RAW_HREFLANG) {
		bool has_language = false;
		bool is_alternate = false;

		for (unsigned i = 0; i < tag.count; i++) {
			const struct attribute *attribute = &tag.attributes[i];

			has_language |= slice_is(attribute->name, "hreflang");
			is_alternate |= slice_is(attribute->name, "rel") &&
			    slice_is(attribute->value, "alternate");
		}
		if (!has_language || !is_alternate ||
		    !slice_is(tag.local, "link"))
			element->bit = RAW_OTHER;
	}
	/* Keep the shape of the tag at start, if it is short, on one line, and
	 * there is room. */
	size_t len = (size_t)(p - start);
	struct known_tag *known = &scan->known[scan->known_count];

	if (scan->known_count != KNOWN_MAX && len <= KNOWN_BYTES &&
	    tag.count <= KNOWN_VALUES && memchr(start, '\n', len) == NULL) {
		memcpy(known->text, start, len);
		known->len = len;
		known->count = 0;
		for (unsigned i = 0; i < tag.count; i++) {
			const struct attribute *attribute = &tag.attributes[i];
			uint16_t at = (uint16_t)(attribute->value.p - start);

			/* The bit depends on this one. */
			if (slice_is(attribute->name, "rel"))
				continue;
			known->values[known->count].at = at;
			known->values[known->count++].end = (uint16_t)(at +
			    attribute->value.len);
		}
		known->element = *element;
		known->element.name = slice_make(
		    known->text + 1, element->name.len);
		scan->known_count++;
	}

	return p;
}

/* scan_extension(scan, p, bits, published): skip the element of another
 * namespace at p, with all that is in it.  *published: see raw_entry. */
static const char *
scan_extension(
    struct scan *scan, const char *p, uint16_t *bits, struct slice *published)
{
	struct slice open[DEPTH_MAX];
	unsigned depth = 0;
	unsigned kinds;
	bool is_news = false;

	do {
		bool is_date = false;

		if (p[1] == '/') {
			struct slice name = open[--depth];

			p = scan_take(scan, p + 2, name, ASIDE_MARKUP);
			p = p == NULL ? NULL : scan_skip_space(scan, p);
			p = p == NULL
			    ? NULL
			    : scan_take(scan, p, slice_of(">"), ASIDE_MARKUP);
		} else {
			struct element element;

			p = element_end(scan, p, &element);
			if (p == NULL)
				return NULL;
			if (depth == 0 && !element.has_prefix)
				return scan_stop(scan, p, ASIDE_ELEMENT);
			if (depth == DEPTH_MAX)
				return scan_stop(scan, p, ASIDE_LIMIT);
			if (depth == 0) {
				*bits |= element.bit;
				is_news = element.bit == RAW_NEWS;
			}
			/* sitemap_start() looks for the same element. */
			is_date = is_news && depth == 1 &&
			    published->p == NULL && element.bit == RAW_NEWS &&
			    slice_ends(
				element.name, slice_of(":publication_date"));
			if (is_date && element.is_empty)
				return scan_stop(scan, p, ASIDE_ELEMENT);
			if (!element.is_empty)
				open[depth++] = element.name;
		}
		if (p == NULL || depth == 0)
			return p;
		const char *start = p;
		p = text_end(scan, p, &kinds);
		if (p != NULL && (kinds & TEXT_REFERENCE) != 0 &&
		    !are_references(
			scan, slice_make(start, (size_t)(p - start))))
			return scan_stop(scan, p, ASIDE_TEXT);
		if (p == NULL || !is_date)
			continue;
		if ((kinds & (TEXT_REFERENCE | TEXT_CR)) != 0 || p[1] != '/')
			return scan_stop(scan, p, ASIDE_TEXT);
		*published = slice_make(start, (size_t)(p - start));
	} while (p != NULL);
	return NULL;
}

/* scan_judged(scan, p, images): skip the element of another namespace at p if
 * it is an image with nothing but its loc, or a link to an alternate, which is
 * kept, and if nothing is wrong with it. The rest is judged by extension.c. */
static const char *
scan_judged(struct scan *scan, const char *p, uint32_t *images)
{
	static const char *const names[] = {"href", "hreflang", "rel"};
	struct slice values[3] = {{NULL, 0}}, text;
	size_t before = scan->values.len;
	struct tag tag, loc;
	unsigned kinds;
	uint16_t bit;

	p = tag_end(scan, p, &tag);
	if (p == NULL)
		return NULL;
	bit = judge_names(scan, &tag) != ASIDE_NO || tag.prefix.len == 0
	    ? 0
	    : find_prefix(scan, tag.prefix)->bit;
	for (unsigned i = 0; i < tag.count && tag.count == 3; i++)
		for (unsigned k = 0; k < 3; k++)
			if (slice_is(tag.attributes[i].name, names[k]))
				values[k] = tag.attributes[i].value;
	if (bit == RAW_HREFLANG && tag.is_empty &&
	    slice_is(tag.local, "link") && values[0].p != NULL &&
	    values[1].p != NULL && slice_is(values[2], "alternate") &&
	    hreflang_ok(values[1]) && slice_is_graphic(values[0]) &&
	    scan_decode(scan, values[0])) {
		*MEM_PUSH(scan->links, scan->link_count,
		    scan->link_cap) = (struct raw_link){.kind = RAW_ALTERNATE,
		    .line = scan->line, /* that of its end, as in libxml2 */
		    .url = slice_make(
			scan->values.p + before, scan->values.len - before),
		    .language = values[1]};
		return p;
	}
	if (bit != RAW_IMAGE || tag.is_empty || !slice_is(tag.local, "image") ||
	    ++*images > scan->scope->limits.max_images)
		return scan_stop(scan, p, ASIDE_RULE);
	p = scan_skip_space(scan, p);
	p = *p == '<' ? tag_end(scan, p, &loc) : scan_stop(scan, p, ASIDE_RULE);
	if (p == NULL)
		return NULL;
	text.p = p;
	if (loc.is_empty || !slice_equal(loc.prefix, tag.prefix) ||
	    !slice_is(loc.local, "loc") || judge_names(scan, &loc) != ASIDE_NO)
		return scan_stop(scan, p, ASIDE_RULE);
	p = text_end(scan, p, &kinds);
	if (p == NULL)
		return NULL;
	text.len = (size_t)(p - text.p);
	if (!scan_decode(scan, text) ||
	    tag_judge(VALUE_IMAGE_LOC,
		slice_trim(slice_make(
		    scan->values.p + before, scan->values.len - before)),
		&scan->scope->location.profile) != DIAG_OK)
		return scan_stop(scan, p, ASIDE_RULE);
	scan->values.len = before;
	for (unsigned i = 0; i < 2 && p != NULL; i++) {
		struct slice name = i == 0 ? loc.name : tag.name;

		p = scan_take(
		    scan, scan_skip_space(scan, p), slice_of("</"), ASIDE_RULE);
		p = p == NULL ? NULL : scan_take(scan, p, name, ASIDE_RULE);
		p = p == NULL ? NULL
			      : scan_take(scan, p, slice_of(">"), ASIDE_RULE);
	}
	return p;
}

static_assert(
    NAME_MAX < AHEAD, "names are compared without a test for the end");
static_assert(XSD_LOC == 0 && XSD_FOREIGN == 4, "the fields of an entry");

/* The length of text if it stands at p, or 0. The compiler makes one or two
 * comparisons of words of it. */
#define LENGTH_AT(p, text) \
	(memcmp(p, text, sizeof(text) - 1) == 0 ? sizeof(text) - 1 : 0)

/* scan_find_field(scan, p, len): as sitemap_start_in_entry() does; *len is
 * the length of the tag. */
static enum xsd_child
scan_find_field(const struct scan *scan, const char *p, size_t *len)
{
	*len = LENGTH_AT(p, "<loc>");
	if (*len > 0)
		return XSD_LOC;
	*len = LENGTH_AT(p, "<lastmod>");
	if (*len > 0)
		return XSD_LASTMOD;
	if (scan->is_index)
		return FIELDS;
	*len = LENGTH_AT(p, "<changefreq>");
	if (*len > 0)
		return XSD_CHANGEFREQ;
	*len = LENGTH_AT(p, "<priority>");
	return *len > 0 ? XSD_PRIORITY : FIELDS;
}

/* scan_value(scan, p, field, value): read the value behind the tag of field,
 * and the end of the element. */
static const char *
scan_value(
    struct scan *scan, const char *p, enum xsd_child field, struct slice *value)
{
	const struct scope *scope = scan->scope;
	const char *start = p;
	size_t close = 0;
	unsigned kinds;

	p = text_end(scan, p, &kinds);
	if (p == NULL)
		return NULL;
	*value = slice_make(start, (size_t)(p - start));
	if ((kinds & TEXT_CR) != 0)
		return scan_stop(scan, p, ASIDE_TEXT);
	if ((kinds & TEXT_REFERENCE) != 0) {
		size_t before = scan->values.len;

		if (!scan_decode(scan, *value))
			return scan_stop(scan, p, ASIDE_TEXT);
		*value = slice_make(
		    scan->values.p + before, scan->values.len - before);
	}
	if (slice_trim(*value).len == 0)
		return scan_stop(scan, p, ASIDE_ELEMENT);
	if (scope->checks.has_schema &&
	    xsd_judge(field, *value,
		(size_t)scope->location.profile.max_loc_chars) != NULL)
		return scan_stop(scan, p, ASIDE_RULE);
	switch (field) {
	case XSD_LOC:
		close = LENGTH_AT(p, "</loc>");
		break;
	case XSD_LASTMOD:
		close = LENGTH_AT(p, "</lastmod>");
		break;
	case XSD_CHANGEFREQ:
		close = LENGTH_AT(p, "</changefreq>");
		break;
	case XSD_PRIORITY:
		close = LENGTH_AT(p, "</priority>");
		break;
	case XSD_FOREIGN:
		break;
	}
	return close > 0 ? p + close : scan_stop(scan, p, ASIDE_ELEMENT);
}

/* scan_entry(scan, p): read the entry behind its tag. */
static const char *
scan_entry(struct scan *scan, const char *p)
{
	const struct read_checks *checks = &scan->scope->checks;
	struct slice values[FIELDS] = {{NULL, 0}};
	struct slice published = {NULL, 0};
	enum xsd_child last = XSD_LOC;
	uint16_t extensions = 0;
	uint32_t line = 0, images = 0;

	scan->values.len = 0;
	scan->link_count = 0;
	for (;;) {
		p = scan_skip_space(scan, p);
		if (*p != '<')
			return scan_stop(scan, p, ASIDE_TEXT);
		if (p[1] == '/')
			break;
		size_t len;
		enum xsd_child field = scan_find_field(scan, p, &len);
		if (checks->has_schema &&
		    (field < last || (scan->is_index && field == FIELDS)))
			return scan_stop(scan, p, ASIDE_RULE);
		last = field;
		if (field == FIELDS) {
			if (!ascii_is_letter(p[1]) && p[1] != '_')
				return scan_stop(scan, p, ASIDE_MARKUP);
			if (checks->has_extensions && !scan->is_index)
				p = scan_judged(scan, p, &images);
			else
				p = scan_extension(
				    scan, p, &extensions, &published);
		} else if (values[field].p != NULL) {
			return scan_stop(scan, p, ASIDE_ELEMENT);
		} else {
			if (field == XSD_LOC)
				line = scan->line;
			p = scan_value(scan, p + len, field, &values[field]);
		}
		if (p == NULL)
			return NULL;
	}
	size_t close = scan->is_index ? LENGTH_AT(p, "</sitemap>")
				      : LENGTH_AT(p, "</url>");
	if (close == 0 || values[XSD_LOC].p == NULL)
		return scan_stop(scan, p + close, ASIDE_ELEMENT);
	p += close;
	extensions |= (images > 0 ? RAW_IMAGE : 0) |
	    (scan->link_count > 0 ? RAW_HREFLANG : 0);
	/* Report the entry, unless the rules end the reading. */
	const struct parser_events *events = scan->events;
	struct raw_entry entry = {.loc = values[XSD_LOC],
	    .lastmod = values[XSD_LASTMOD],
	    .changefreq = values[XSD_CHANGEFREQ],
	    .priority = values[XSD_PRIORITY],
	    .published = published,
	    .line = line,
	    .extensions = extensions,
	    .has_loc = true,
	    .links = scan->links,
	    .link_count = scan->link_count};

	if (events->open != NULL)
		events->open(events->arg);
	return events->entry(events->arg, &entry)
	    ? p
	    : scan_refuse(scan, ASIDE_RULE);
}

/* scan_item(scan, p): read an entry, a comment or the end of the root. */
static const char *
scan_item(struct scan *scan, const char *p)
{
	size_t open = scan->is_index ? LENGTH_AT(p, "<sitemap>")
				     : LENGTH_AT(p, "<url>");

	if (open > 0)
		return scan_entry(scan, p + open);
	if (*p != '<')
		return scan_stop(scan, p, ASIDE_TEXT);
	if (p[1] == '!')
		return scan_comment(scan, p);
	size_t close = scan->is_index ? LENGTH_AT(p, "</sitemapindex>")
				      : LENGTH_AT(p, "</urlset>");
	if (close == 0)
		return scan_stop(scan, p, ASIDE_ELEMENT);
	scan->place = AFTER;
	return p + close;
}

/* scan_held(scan, held): scan held, behind which zero bytes stand, as far as it
 * goes. */
static void
scan_held(struct scan *scan, struct slice held)
{
	const char *p = held.p;

	scan->end = held.p + held.len;
	scan->done = p;
	scan->line = scan->done_line;
	while (p != NULL && p != scan->end) {
		if (scan->place != START) {
			p = scan_skip_space(scan, p);
			scan->done = p;
			scan->done_line = scan->line;
		}
		if (p == scan->end)
			break;
		switch (scan->place) {
		case START:
			p = scan_prolog(scan, p);
			break;
		case ENTRIES:
			p = scan_item(scan, p);
			break;
		case AFTER:
			p = scan_comment(scan, p);
			break;
		}
		if (p == NULL)
			break;
		if (p - scan->done > ITEM_MAX) {
			(void)scan_refuse(scan, ASIDE_LIMIT);
			break;
		}
		scan->done = p;
		scan->done_line = scan->line;
	}
	if (p != NULL || scan->is_over)
		return;
	if (scan->is_last && scan->stopped == scan->end)
		scan->aside = ASIDE_CUT;
	scan->is_over = scan->is_last || scan->stopped + AHEAD < scan->end;
	if (!scan->is_over)
		scan->aside = ASIDE_NO;
}

/* scan_more(scan, bytes): bytes has at most PIECE bytes. */
static void
scan_more(struct scan *scan, struct slice bytes)
{
	struct buf *held = &scan->held;
	size_t left;

	if (!buf_put_slice(held, bytes)) {
		(void)scan_refuse(scan, ASIDE_LIMIT);
		return;
	}
	if (held->len < scan->wanted)
		return;
	(void)buf_reserve(held, AHEAD);
	memset(held->p + held->len, 0, AHEAD);
	scan_held(scan, buf_text(held));
	left = (size_t)(scan->end - scan->done);
	if (!scan->is_over && left > ITEM_MAX)
		(void)scan_refuse(scan, ASIDE_LIMIT);
	memmove(held->p, scan->done, left);
	held->len = left;
	/* All tries together take linear time. */
	scan->wanted = 2 * left + TRY;
}

bool
scan_feed(struct scan *scan, struct slice bytes)
{
	while (bytes.len > 0 && !scan->is_over) {
		size_t n = bytes.len < PIECE ? bytes.len : PIECE;

		scan_more(scan, slice_make(bytes.p, n));
		bytes = slice_from(bytes, n);
	}
	return !scan->is_over;
}

enum aside
scan_finish(struct scan *scan, bool is_whole)
{
	if (scan->is_over)
		return scan->aside;
	scan->is_last = true;
	scan->wanted = 0;
	if (is_whole)
		scan_more(scan, slice_of(NULL));
	if (!scan->is_over && (!is_whole || scan->place != AFTER)) {
		scan->is_over = true;
		scan->aside = ASIDE_CUT;
	}
	return scan->is_over ? scan->aside : ASIDE_NO;
}
