/* The image, video, news and hreflang data of entries (SPEC ). */
#ifndef FRESHET_EXTENSION_H
#define FRESHET_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawler/parse/parser.h"
#include "crawler/parse/scope.h"
#include "crawler/parse/xml.h"

/* What an element of an extension contains. */
enum extension_value {
	VALUE_ANY,
	VALUE_IMAGE_LOC,
	VALUE_LOCATION, /* must differ from the URL of the page */
	VALUE_DURATION,
	VALUE_RATING,
	VALUE_DESCRIPTION,
	VALUE_UPLOADER,
	VALUE_YES_NO,
	VALUE_VIDEO_DATE,
	VALUE_RESTRICTION,
	VALUE_PLATFORM,
	VALUE_TAG, /* may occur several times */
	VALUE_LANGUAGE,
	VALUE_NEWS_DATE,
	VALUE_PUBLICATION /* contains elements of its own */
};

/* tag_judge(kind, text, profile): DIAG_OK, or the code for a value of the wrong
 * form. text is trimmed and not empty (SPEC ). */
enum diag_code tag_judge(
    enum extension_value, struct slice text, const struct profile *);

/* hreflang_ok(text): is text x-default, or language[-Script][-REGION], in any
 * case (SPEC R-112)? */
bool hreflang_ok(struct slice text);

/* The parent element in whose children a name is looked up. */
enum vocabulary {
	VOCABULARY_IMAGE,
	VOCABULARY_VIDEO,
	VOCABULARY_NEWS,
	VOCABULARY_PUBLICATION,
	VOCABULARIES
};

/* An element in which others stand. */
struct extension_frame {
	enum vocabulary vocabulary;
	uint32_t line;
	uint64_t seen; /* a bit for each tag that occurred */
	uint64_t filled; /* a bit for each tag with a value that is not blank */
	uint32_t repeats; /* how often video:tag occurred */
};

/* A new one has what it borrows, the tag -1, and two bufs with the ceiling
 * max_text; its owner frees what it holds. */
struct extension {
	struct xml *xml; /* borrowed, as are the next two */
	const struct parser_events *events;
	const struct scope *scope;
	const char *uri; /* of the frame's elements */
	/* news:news and news:publication */
	struct extension_frame frames[2];
	unsigned frame_count;
	int tag; /* the open value; -1: none */
	uint32_t line; /* of the open value */
	uint32_t skip_depth;
	struct buf text; /* of the open value */
	uint32_t images; /* in the entry */
	uint32_t news; /* in the document */
	struct buf urls; /* URL and language of each link, concatenated */
	struct raw_link *links; /* owned; extension_links() sets the pointers */
	size_t link_count;
	size_t link_cap;
};

/* extension_bit(uri): the enum raw_extension of the elements of a namespace.
 * RAW_HREFLANG stands for XHTML, of which only a link with rel="alternate" and
 * hreflang counts as RAW_HREFLANG, and all else as RAW_OTHER. */
uint16_t extension_bit(struct slice uri);

/* extension_of(xml, element): called from a start event: the enum raw_extension
 * of an element of another namespace than the sitemap's; 0: its prefix is not
 * declared. */
uint16_t extension_of(struct xml *, const struct xml_element *);

/*
 * extension_start, extension_end, extension_text: the xml_events of each
 * element of another namespace in a url element, from its start to its end.
 * Findings: IMAGE_*, VIDEO_*, NEWS_*, HREFLANG_*, TOO_MANY_IMAGES,
 * TOO_MANY_NEWS, except those that need the URL of the entry.
 * extension_links(extension, count): the URLs that these findings depend on,
 * borrowed until the next url element begins: its owner then clears urls, and
 * sets the counts of links and images to 0.
 */
void extension_start(struct extension *, const struct xml_element *);
void extension_end(struct extension *);
void extension_text(struct extension *, struct slice);
const struct raw_link *extension_links(struct extension *, size_t *count);

#endif
