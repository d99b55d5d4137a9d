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

struct extension;

/* extension_new(xml, events, scope): all are borrowed. */
struct extension *extension_new(
    struct xml *, const struct parser_events *, const struct scope *);
void extension_free(struct extension *);

/*
 * extension_bit(uri): the enum raw_extension of the elements of a namespace.
 * RAW_HREFLANG stands for XHTML, of which only a link with rel="alternate" and
 * hreflang counts as RAW_HREFLANG, and all else as RAW_OTHER.
 */
uint16_t extension_bit(struct slice uri);

/*
 * extension_of(xml, element): called from a start event: the enum raw_extension
 * of an element of another namespace than the sitemap's; 0: its prefix is not
 * declared.
 */
uint16_t extension_of(struct xml *, const struct xml_element *);

/*
 * extension_entry(extension): a url element begins. extension_start,
 * extension_end, extension_text: the xml_events of each element of another
 * namespace in it, from its start to its end. Findings: IMAGE_*, VIDEO_*,
 * NEWS_*, HREFLANG_*, TOO_MANY_IMAGES, TOO_MANY_NEWS, except those that need
 * the URL of the entry.
 * extension_links(extension, count): the URLs that these findings depend on,
 * borrowed until the next url element begins.
 */
void extension_entry(struct extension *);
void extension_start(struct extension *, const struct xml_element *);
void extension_end(struct extension *);
void extension_text(struct extension *, struct slice);
const struct raw_link *extension_links(struct extension *, size_t *count);

#endif
