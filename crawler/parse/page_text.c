/* The main text of a page. */
#include "crawler/parse/page_text.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "crawler/parse/html.h"

#define STAMP_WORDS 3 /* so far behind "updated" a date may begin, or go on */

void
page_text_init(struct page_text *text, size_t raw_max)
{
	*text = (struct page_text){.kind = TEXT_BODY,
	    .raw_kind = TEXT_BODY,
	    .best = TEXT_KINDS,
	    .wants_raw = raw_max > 0,
	    .raw_best = TEXT_KINDS,
	    .gap = '.'};
	buf_init(&text->raw, raw_max);
}

void
page_text_release(struct page_text *text)
{
	digester_free(text->digester);
	buf_release(&text->raw);
}

/* page_word_is_build(word): is it the number of a version, a hash or a moment,
 * such as v2, 1.2.3, 0f3c2a1, 2026-05-06T07:08:09Z? */
static bool
page_word_is_build(struct slice word)
{
	size_t digits = 0, letters = 0, hex = 0, dots = 0, clock = 0;
	bool has_v = word.len > 1 && ascii_lower(word.p[0]) == 'v';

	/* Nearly all words have none. */
	for (size_t i = 0; i < word.len; i++)
		digits += ascii_is_digit(word.p[i]);
	if (digits == 0)
		return false;
	for (size_t i = has_v ? 1 : 0; i < word.len; i++) {
		char c = ascii_lower(word.p[i]);

		letters += ascii_is_letter(c);
		hex += ascii_is_digit(c) || (c >= 'a' && c <= 'f');
		dots += c == '.';
		clock += c == ':';
	}
	return (hex == word.len && hex >= 7 && letters > 0) ||
	    (clock > 0 && digits >= 10 && letters <= 2) ||
	    (letters == 0 && digits + dots + has_v == word.len &&
		(has_v || (dots >= 2 && digits <= 7)));
}

/* page_word_is_time(word): may the word belong to a date in words? Names of
 * months and days are known by their first three letters. */
static bool
page_word_is_time(struct slice word)
{
	static const char names[] =
	    "jan feb mar apr may jun jul aug sep oct nov dec "
	    "mon tue wed thu fri sat sun";

	for (size_t i = 0; i < word.len; i++)
		if (ascii_is_digit(word.p[i]))
			return true;
	for (const char *name = names; word.len >= 3; name += 4) {
		if (strncasecmp(word.p, name, 3) == 0)
			return true;
		if (name[3] == '\0')
			break;
	}
	return false;
}

/* page_text_put(text, bytes): bytes of a word. Text of a kind that is worse
 * than the best does not count any more. */
static void
page_text_put(struct page_text *text, struct slice bytes)
{
	if (text->kind > text->best)
		return;
	if (text->kind < text->best) {
		digester_free(text->digester);
		text->digester = digester_new();
		text->best = text->kind;
		text->bytes = 0;
	}
	text->bytes += bytes.len;
	digester_feed(text->digester, bytes);
}

/* page_word_is_stamp(word): does a build write a date behind that word? */
static bool
page_word_is_stamp(struct slice word)
{
	static const char *const stamps[] = {"updated", "modified", "edited",
	    "generated", "built", "build", "compiled", "rendered", "revision",
	    "aktualisiert", "actualizado", "mise"};

	/* No stamp is shorter, and most words are. */
	if (word.len < 4)
		return false;
	for (size_t i = 0; i < LENGTH(stamps); i++)
		/* the first letter decides for nearly all words */
		if (ascii_lower(word.p[0]) == stamps[i][0] &&
		    slice_equal_nocase(word, slice_of(stamps[i])))
			return true;
	return false;
}

/* page_text_word(text, whole): a word: take it, unless a build writes it. */
static void
page_text_word(struct page_text *text, struct slice whole)
{
	struct slice word = whole;

	/* without the marks around it */
	while (word.len > 0 && !ascii_is_letter(word.p[0]) &&
	    strchr("()[],.;:#\"'", word.p[0]) != NULL)
		word = slice_from(word, 1);
	while (word.len > 0 && !ascii_is_letter(word.p[word.len - 1]) &&
	    strchr("()[],.;:\"'", word.p[word.len - 1]) != NULL)
		word.len--;
	if (page_word_is_stamp(word))
		text->stamp = STAMP_WORDS + 1;
	text->stamp -= text->stamp > 0;
	if (text->stamp > 0 && page_word_is_time(word))
		text->stamp = STAMP_WORDS + 1;
	else if (!page_word_is_build(word))
		page_text_put(text, whole);
}

/* page_text_end_word(text): the word that is held has ended. */
static void
page_text_end_word(struct page_text *text)
{
	struct slice word = slice_make(text->word, text->len);

	if (text->is_long)
		page_text_put(text, word);
	else if (text->len > 0)
		page_text_word(text, word);
	text->len = 0;
	text->is_long = false;
}

static bool
page_text_is_space(char c)
{
	return ascii_is_space(c) || c == '\f';
}

/* page_text_keep(text, run, is_behind): keep a run as text. */
static void
page_text_keep(struct page_text *text, struct slice run, bool is_behind)
{
	struct buf *raw = &text->raw;

	while (!is_behind && run.len > 0 && page_text_is_space(run.p[0])) {
		run = slice_from(run, 1);
		text->gap = text->gap == '.' ? ' ' : text->gap;
	}
	if ((run.len == 0 && !is_behind) || text->raw_kind > text->raw_best)
		return;
	if (text->raw_kind < text->raw_best)
		buf_clear(raw);
	text->raw_best = text->raw_kind;
	if (text->gap != '.')
		(void)buf_put_char(raw, text->gap);
	text->gap = '.';
	if (is_behind)
		(void)buf_put_char(raw, '<');
	if (run.len > raw->max - raw->len)
		run.len = raw->max - raw->len;
	(void)buf_put_slice(raw, run);
}

void
page_text_run(struct page_text *text, struct slice run, bool is_behind)
{
	if (text->wants_raw)
		page_text_keep(text, run, is_behind);
	for (size_t i = 0; i < run.len; i++) {
		if (page_text_is_space(run.p[i])) {
			page_text_end_word(text);
			continue;
		}
		if (text->len == sizeof(text->word)) {
			page_text_put(text, slice_make(text->word, text->len));
			text->len = 0;
			text->is_long = true;
		}
		text->word[text->len++] = run.p[i];
	}
}

/* page_text_is(value, word, is_whole): is one of the words of the attribute's
 * value that word, or does it begin with it, as in navbar-default? */
static bool
page_text_is(struct slice value, const char *word, bool is_whole)
{
	size_t len = strlen(word);
	struct slice one;

	while (slice_cut(&value, ' ', &one))
		if (one.len >= len && strncasecmp(one.p, word, len) == 0 &&
		    (one.len == len ||
			(!is_whole && strchr("-_", one.p[len]) != NULL)))
			return true;
	return false;
}

/* page_text_gap(name): what a tag of that name puts between the words around
 * it: '.' for nothing. */
static char
page_text_gap(struct slice name)
{
	static const char *const none[] = {"a", "abbr", "acronym", "b", "bdi",
	    "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font",
	    "i", "ins", "kbd", "mark", "nobr", "q", "rb", "rp", "rt", "ruby",
	    "s", "samp", "script", "small", "span", "strike", "strong", "style",
	    "sub", "sup", "time", "tt", "u", "var", "wbr"};
	static const char *const spaces[] = {
	    "td", "th", "img", "button", "input", "label", "option", "svg"};

	for (size_t i = 0; i < LENGTH(none); i++)
		if (name.p[0] == none[i][0] && slice_is(name, none[i]))
			return '.';
	for (size_t i = 0; i < LENGTH(spaces); i++)
		if (slice_is(name, spaces[i]))
			return ' ';
	return HTML_BLOCK;
}

/* page_text_set_kind(text): the regions have changed. */
static void
page_text_set_kind(struct page_text *text)
{
	const struct page_region *regions = text->regions;
	bool is_other = regions[TEXT_ALL].depth > 0;

	text->raw_kind = regions[TEXT_MAIN].depth > 0 ? TEXT_MAIN
	    : regions[TEXT_CONTENT].depth > 0         ? TEXT_CONTENT
						      : TEXT_BODY;
	text->kind = is_other ? TEXT_ALL : text->raw_kind;
	if (is_other && strcmp(regions[TEXT_ALL].name, "time") != 0)
		text->raw_kind = TEXT_ALL;
}

void
page_text_tag(struct page_text *text, const struct html_tag *tag)
{
	/* Names of elements; roles; classes; and, in templates without <main>,
	 * ids and classes. TEXT_ALL: none of the three others. */
	enum { OF_NAME, OF_ROLE, OF_CLASS, OF_ID };
	static const struct {
		const char *word;
		enum text_kind kind;
		unsigned of;
	} starts[] = {{"main", TEXT_MAIN, OF_NAME},
	    {"article", TEXT_MAIN, OF_NAME}, {"nav", TEXT_ALL, OF_NAME},
	    {"header", TEXT_ALL, OF_NAME}, {"footer", TEXT_ALL, OF_NAME},
	    {"aside", TEXT_ALL, OF_NAME}, {"time", TEXT_ALL, OF_NAME},
	    {"button", TEXT_ALL, OF_NAME}, {"main", TEXT_MAIN, OF_ROLE},
	    {"navigation", TEXT_ALL, OF_ROLE}, {"banner", TEXT_ALL, OF_ROLE},
	    {"contentinfo", TEXT_ALL, OF_ROLE},
	    {"complementary", TEXT_ALL, OF_ROLE}, {"search", TEXT_ALL, OF_ROLE},
	    {"related", TEXT_ALL, OF_CLASS}, {"sidebar", TEXT_ALL, OF_CLASS},
	    {"pagination", TEXT_ALL, OF_CLASS}, {"pager", TEXT_ALL, OF_CLASS},
	    {"breadcrumb", TEXT_ALL, OF_CLASS},
	    {"breadcrumbs", TEXT_ALL, OF_CLASS}, {"main", TEXT_CONTENT, OF_ID},
	    {"content", TEXT_CONTENT, OF_ID}, {"header", TEXT_ALL, OF_ID},
	    {"site-header", TEXT_ALL, OF_ID}, {"footer", TEXT_ALL, OF_ID},
	    {"site-footer", TEXT_ALL, OF_ID}, {"nav", TEXT_ALL, OF_ID},
	    {"navbar", TEXT_ALL, OF_ID}, {"menu", TEXT_ALL, OF_ID},
	    {"sidebar", TEXT_ALL, OF_ID}};
	struct slice role = {0}, id = {0}, class = {0};
	bool is_block = slice_is(tag->name, "div") ||
	    slice_is(tag->name, "td") || slice_is(tag->name, "ul");
	bool is_list = is_block || slice_is(tag->name, "ol") ||
	    slice_is(tag->name, "section") || slice_is(tag->name, "aside");

	page_text_end_word(text);
	if (text->wants_raw && text->gap != HTML_BLOCK) {
		char gap = page_text_gap(tag->name);

		if (gap != '.')
			text->gap = gap;
	}
	for (size_t i = 0; i < TEXT_KINDS; i++)
		if (text->regions[i].depth > 0 &&
		    slice_is(tag->name, text->regions[i].name))
			text->regions[i].depth += tag->is_end ? -1U : 1U;
	page_text_set_kind(text);
	if (tag->is_end || tag->name.len >= sizeof(text->regions[0].name))
		return;
	(void)html_attribute(tag, "role", &role);
	(void)html_attribute(tag, "id", &id);
	(void)html_attribute(tag, "class", &class);
	for (size_t i = 0; i < LENGTH(starts); i++) {
		struct page_region *region = &text->regions[starts[i].kind];
		const char *word = starts[i].word;
		bool is_within = text->regions[TEXT_MAIN].depth > 0 ||
		    text->regions[TEXT_CONTENT].depth > 0;
		bool begins = false;
		bool may_begin = starts[i].of == OF_NAME
		    ? word[0] == tag->name.p[0]
		    : starts[i].of == OF_ROLE ? role.len > 0
		    : starts[i].of == OF_CLASS
		    ? is_list && class.len > 0
		    : is_block && id.len + class.len > 0;

		if (region->depth > 0 || !may_begin)
			continue;
		/* The header of an article has its title, and an aside in it
		 * is a note. */
		if (starts[i].of == OF_NAME)
			begins = slice_is(tag->name, word) &&
			    !(is_within &&
				(strcmp(word, "header") == 0 ||
				    strcmp(word, "aside") == 0));
		else if (starts[i].of == OF_ROLE)
			begins = page_text_is(role, word, true);
		else if (starts[i].of == OF_CLASS)
			/* an id may be that of a heading of the text */
			begins = page_text_is(class, word, false);
		else if (!is_within)
			begins = page_text_is(id, word,
				     starts[i].kind == TEXT_CONTENT) ||
			    (strcmp(word, "main") != 0 &&
				page_text_is(class, word,
				    starts[i].kind == TEXT_CONTENT));
		if (!begins)
			continue;
		memcpy(region->name, tag->name.p, tag->name.len);
		region->name[tag->name.len] = '\0';
		region->depth = 1;
		page_text_set_kind(text);
	}
}

bool
page_text_digest(struct page_text *text, struct digest *digest)
{
	page_text_end_word(text);
	if (text->digester != NULL)
		*digest = digester_value(text->digester);
	return text->digester != NULL;
}
