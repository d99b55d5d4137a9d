/*
 * The main text of a page, as a digest that changes when an author changed the
 * page, and stays when only its frame or its build did; and as text.
 *
 * Text in <main>, in an <article> or below role="main" is the main text; of a
 * page without these that in <div id="content">, or else all text that is not
 * navigation. For the digest white space and tags do not count, so that a build
 * that packs pages more tightly changes nothing; words that a build writes are
 * left out: numbers of versions, hashes, moments, and a date behind "Last
 * updated".
 */
#ifndef FRESHET_PAGE_TEXT_H
#define FRESHET_PAGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/slice.h"

struct html_tag;

/* The first of which a page has text is its main text. The region of TEXT_ALL
 * is that of what belongs to none of the others. */
enum text_kind {
	TEXT_MAIN,
	TEXT_CONTENT,
	TEXT_BODY, /* has no region */
	TEXT_ALL,
	TEXT_KINDS
};

/* An element whose end is waited for; depth: open elements of that name. */
struct page_region {
	char name[16];
	unsigned depth; /* 0: there is no such element */
};

#define PAGE_WORD_BYTES 128 /* no word that a build writes is longer */

/* page_text_init() makes one, page_text_release() frees what it has. */
struct page_text {
	struct page_region regions[TEXT_KINDS];
	/* The kind of the text at this place; and without regard to <time>,
	 * which is none for the digest. */
	enum text_kind kind, raw_kind;

	struct digester *digester; /* owned; of text of the kind best */
	enum text_kind best; /* TEXT_KINDS: no text yet */
	uint64_t bytes; /* given to it */
	char word[PAGE_WORD_BYTES];
	size_t len;
	bool is_long; /* the beginning of this word was taken already */
	unsigned stamp; /* so many words may belong to a stamp */

	bool wants_raw; /* the text itself is wanted */
	enum text_kind raw_best; /* as best, of raw */
	struct buf raw; /* with HTML_BLOCK between blocks */
	char gap; /* stands before what comes next in raw; '.': nothing */
};

/* page_text_init(text, raw_max): raw_max: so many bytes of the text are kept;
 * 0: it is not wanted. */
void page_text_init(struct page_text *, size_t raw_max);
void page_text_release(struct page_text *);

/* page_text_tag(text, tag): does what is main text begin or end here?
 * page_text_run(text, run, is_behind): text between tags, as in html.h. */
void page_text_tag(struct page_text *, const struct html_tag *);
void page_text_run(struct page_text *, struct slice run, bool is_behind);

/* page_text_digest(text, digest): the digest of the main text so far; false:
 * there is none. */
bool page_text_digest(struct page_text *, struct digest *);

#endif
