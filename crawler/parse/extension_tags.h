/* The elements of the extensions: what each may contain, and which are
 * required. */
#ifndef FRESHET_EXTENSION_TAGS_H
#define FRESHET_EXTENSION_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"

/* The parent element in whose children a name is looked up. */
enum vocabulary {
	VOCABULARY_IMAGE,
	VOCABULARY_VIDEO,
	VOCABULARY_NEWS,
	VOCABULARY_PUBLICATION,
	VOCABULARIES
};

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

struct extension_tag {
	enum vocabulary vocabulary;
	const char *name;
	enum extension_value kind;
	bool is_required;
	/* Google's documents do not name it any more (SPEC R-114) */
	bool is_removed;
};

#define TAGS_MAX 64 /* so that a set of them is a uint64_t */

/* tag_find(vocabulary, local): the number of that tag; -1: there is none. */
int tag_find(enum vocabulary, struct slice local);

/* tag_at(number): the tag with that number; NULL past the last. */
const struct extension_tag *tag_at(int number);

/* vocabulary_codes(vocabulary, missing, removed): the code for a required
 * element that is missing, and the code for an element that was removed. */
void vocabulary_codes(
    enum vocabulary, enum diag_code *missing, enum diag_code *removed);

/* tag_judge(kind, text, profile): DIAG_OK, or the code for a value of the wrong
 * form. text is trimmed and not empty (SPEC ). */
enum diag_code tag_judge(
    enum extension_value, struct slice text, const struct profile *);

/* hreflang_ok(text): is text x-default, or language[-Script][-REGION], in any
 * case (SPEC R-112)? */
bool hreflang_ok(struct slice text);

#endif
