/* The elements of the extensions: what each holds, and what it must. */
#ifndef FRESHET_EXTENSION_TAGS_H
#define FRESHET_EXTENSION_TAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/profile.h"
#include "base/slice.h"

/* What the children of an element are looked up in. */
enum vocabulary {
	VOCABULARY_IMAGE,
	VOCABULARY_VIDEO,
	VOCABULARY_NEWS,
	VOCABULARY_PUBLICATION,
	VOCABULARIES
};

enum value_kind {
	VALUE_ANY,
	VALUE_IMAGE_LOC,
	VALUE_LOCATION, /* must not be the page's own */
	VALUE_DURATION,
	VALUE_RATING,
	VALUE_DESCRIPTION,
	VALUE_UPLOADER,
	VALUE_YES_NO,
	VALUE_VIDEO_DATE,
	VALUE_RESTRICTION,
	VALUE_PLATFORM,
	VALUE_TAG, /* of which there may be several */
	VALUE_LANGUAGE,
	VALUE_NEWS_DATE,
	VALUE_PUBLICATION /* elements of its own */
};

struct tag {
	enum vocabulary vocabulary;
	const char *name;
	enum value_kind kind;
	bool is_required;
	bool is_removed; /* from Google's documents (SPEC R-114) */
};

#define TAGS_MAX 64 /* so that a set of them is a uint64_t */

/* tag_find(vocabulary, local): its number; -1: there is none. */
int tag_find(enum vocabulary, struct slice local);

/* tag_at(number): NULL past the last. */
const struct tag *tag_at(int number);

/* vocabulary_codes(vocabulary, *missing, *removed): what a required element
 * that lacks, and one that was removed, is reported as. */
void vocabulary_codes(
    enum vocabulary, enum diag_code *missing, enum diag_code *removed);

/*
 * tag_judge(kind, text, profile): DIAG_OK, or the code of a value, trimmed and
 * not empty, that is none of its kind (SPEC ).
 */
enum diag_code tag_judge(
    enum value_kind, struct slice text, const struct profile *);

/* hreflang_ok(text): x-default, or language[-Script][-REGION], in any case
 * (SPEC R-112). */
bool hreflang_ok(struct slice text);

#endif
