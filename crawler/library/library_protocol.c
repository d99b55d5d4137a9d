/* Structs of freshet.h as bytes, and back: see "image" in the header. */
#include "crawler/library/library_protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN sizeof(uint64_t) /* of structs in an image */

enum member_kind {
	MEMBER_TEXT, /* may be NULL */
	MEMBER_NAME, /* a text that must be there */
	MEMBER_BOOL,
	MEMBER_ITEMS, /* an array and its count */
	MEMBER_GAP /* bytes that the caller need not have set */
};

struct member {
	enum member_kind kind;
	size_t at; /* offset in the struct */
	size_t also; /* ITEMS: offset of the count; GAP: of the end */
	const struct image_shape *items;
};

struct image_shape {
	size_t size;
	const struct member *members;
	size_t count;
};

#define MEMBER(kind, type, member)                    \
	{                                             \
		kind, offsetof(type, member), 0, NULL \
	}
#define TEXT(type, member) MEMBER(MEMBER_TEXT, type, member)
#define NAME(type, member) MEMBER(MEMBER_NAME, type, member)
#define BOOL(type, member) MEMBER(MEMBER_BOOL, type, member)
#define ITEMS(type, member, count, shape)                                    \
	{                                                                    \
		MEMBER_ITEMS, offsetof(type, member), offsetof(type, count), \
		    &(shape)                                                 \
	}
#define GAP(begin, end)                      \
	{                                    \
		MEMBER_GAP, begin, end, NULL \
	}
#define SHAPE(type, members)                                                  \
	{                                                                     \
		sizeof(type), members, sizeof(members) / sizeof((members)[0]) \
	}

static const struct member text_members[] = {{MEMBER_TEXT, 0, 0, NULL}};
static const struct image_shape image_text = SHAPE(const char *, text_members);

static const struct member options_members[] = {
    TEXT(struct freshet_options, helper),
    TEXT(struct freshet_options, scratch_dir)};
const struct image_shape image_options = SHAPE(
    struct freshet_options, options_members);

#define IN_DOCUMENT(member) (offsetof(struct library_question, document.member))
#define PLACE(place)                                                 \
	TEXT(struct library_question, document.place.url),           \
	    TEXT(struct library_question, document.place.final_url), \
	    ITEMS(struct library_question, document.place.proofs,    \
		document.place.proof_count, image_text)

static const struct member question_members[] = {PLACE(place), PLACE(index),
    GAP(IN_DOCUMENT(depth) + sizeof(uint32_t), IN_DOCUMENT(listed)),
    ITEMS(struct library_question, document.listed, document.listed_count,
	image_text),
    ITEMS(
	struct library_question, document.own, document.own_count, image_text),
    TEXT(struct library_question, document.profile),
    ITEMS(struct library_question, document.switches, document.switch_count,
	image_text),
    TEXT(struct library_question, document.content_type),
    TEXT(struct library_question, document.content_encoding),
    BOOL(struct library_question, document.is_truncated),
    GAP(IN_DOCUMENT(is_truncated) + sizeof(bool),
	sizeof(struct freshet_document)),
    TEXT(struct library_question, url),
    BOOL(struct library_question, is_child)};
const struct image_shape image_question = SHAPE(
    struct library_question, question_members);

static const struct member robots_members[] = {
    TEXT(struct library_robots, agent), TEXT(struct library_robots, profile),
    TEXT(struct library_robots, url)};
const struct image_shape image_robots = SHAPE(
    struct library_robots, robots_members);

static const struct member sample_members[] = {
    NAME(struct freshet_sample, text)};
static const struct image_shape image_sample = SHAPE(
    struct freshet_sample, sample_members);

static const struct member finding_members[] = {
    NAME(struct freshet_finding, code), TEXT(struct freshet_finding, severity),
    TEXT(struct freshet_finding, meaning), TEXT(struct freshet_finding, remedy),
    TEXT(struct freshet_finding, rule),
    ITEMS(struct freshet_finding, samples, sample_count, image_sample)};
static const struct image_shape image_finding = SHAPE(
    struct freshet_finding, finding_members);

static const struct member reading_members[] = {
    TEXT(struct freshet_reading, failure),
    TEXT(struct freshet_reading, refusal),
    BOOL(struct freshet_reading, is_complete),
    BOOL(struct freshet_reading, are_alternates_cut),
    ITEMS(struct freshet_reading, findings, finding_count, image_finding)};
const struct image_shape image_reading = SHAPE(
    struct freshet_reading, reading_members);

static const struct member alternate_members[] = {
    NAME(struct freshet_alternate, language),
    NAME(struct freshet_alternate, url)};
static const struct image_shape image_alternate = SHAPE(
    struct freshet_alternate, alternate_members);

static const struct member entry_members[] = {NAME(struct freshet_entry, url),
    TEXT(struct freshet_entry, refusal), BOOL(struct freshet_entry, has_zone),
    ITEMS(struct freshet_entry, alternates, alternate_count, image_alternate)};
const struct image_shape image_entry = SHAPE(
    struct freshet_entry, entry_members);

static const struct member verdict_members[] = {
    TEXT(struct freshet_verdict, url), TEXT(struct freshet_verdict, refusal),
    TEXT(struct freshet_verdict, exception)};
const struct image_shape image_verdict = SHAPE(
    struct freshet_verdict, verdict_members);

static const struct member sitemap_members[] = {
    NAME(struct freshet_robots_sitemap, url)};
static const struct image_shape image_sitemap = SHAPE(
    struct freshet_robots_sitemap, sitemap_members);

static const struct member facts_members[] = {
    ITEMS(struct freshet_robots_facts, sitemaps, sitemap_count, image_sitemap),
    ITEMS(struct freshet_robots_facts, findings, finding_count, image_finding)};
const struct image_shape image_facts = SHAPE(
    struct freshet_robots_facts, facts_members);

static const struct member robots_verdict_members[] = {
    BOOL(struct freshet_robots_verdict, is_allowed),
    NAME(struct freshet_robots_verdict, rule)};
const struct image_shape image_robots_verdict = SHAPE(
    struct freshet_robots_verdict, robots_verdict_members);

/* Append an array, and what it points to; the image begins at base. */
static void
image_put_items(struct buf *out, size_t base, const struct image_shape *shape,
    const void *items, size_t count)
{
	static const char zeros[ALIGN];
	const size_t gap = (ALIGN - (out->len - base) % ALIGN) % ALIGN;
	const size_t begin = out->len + gap;

	/* A product that overflows is longer than any array in memory. */
	out->is_cut = out->is_cut || count > SIZE_MAX / shape->size ||
	    !buf_put(out, zeros, gap) ||
	    !buf_put(out, items, count * shape->size);
	for (size_t i = 0; i < count * shape->count && !out->is_cut; i++) {
		const struct member *member = &shape->members[i % shape->count];
		const size_t item = i / shape->count * shape->size;
		const char *from = (const char *)items + item;
		/* As an offset, because the bytes may move. */
		const size_t to = begin + item;
		const void *pointed = NULL;
		size_t number = 0;

		if (member->kind == MEMBER_GAP)
			memset(out->p + to + member->at, 0,
			    member->also - member->at);
		if (member->kind == MEMBER_GAP || member->kind == MEMBER_BOOL)
			continue;
		memcpy(&pointed, from + member->at, sizeof(pointed));
		/* The peer has no use for an address of this process. */
		memset(
		    out->p + to + member->at, pointed != NULL, sizeof(pointed));
		if (member->kind != MEMBER_ITEMS) {
			out->is_cut = pointed != NULL &&
			    !buf_put(out, pointed, strlen(pointed) + 1);
			continue;
		}
		if (pointed != NULL)
			memcpy(&number, from + member->also, sizeof(number));
		memcpy(out->p + to + member->also, &number, sizeof(number));
		if (pointed != NULL)
			image_put_items(
			    out, base, member->items, pointed, number);
	}
}

void
image_put(struct buf *out, const struct image_shape *shape, const void *value)
{
	image_put_items(out, out->len, shape, value, 1);
}

/* What is left of an image that is taken. */
struct image_rest {
	char *base;
	size_t at;
	size_t len;
};

/* Let the pointers of the next `count` items lead to what follows.  That goes
 * strictly forward, so that no two things can share bytes, and no count changes
 * after it was checked.  NULL: the items do not fit into the image. */
static char *
image_settle(
    struct image_rest *rest, const struct image_shape *shape, size_t count)
{
	char *items;

	rest->at += (ALIGN - rest->at % ALIGN) % ALIGN;
	if (rest->at > rest->len ||
	    count > (rest->len - rest->at) / shape->size)
		return NULL;
	items = rest->base + rest->at;
	rest->at += count * shape->size;
	for (size_t i = 0; i < count * shape->count; i++) {
		const struct member *member = &shape->members[i % shape->count];
		char *item = items + i / shape->count * shape->size;
		const char *end;
		char *pointed;
		size_t number = 0;

		if (member->kind == MEMBER_GAP)
			continue;
		if (member->kind == MEMBER_BOOL) {
			if ((unsigned char)item[member->at] > 1)
				return NULL;
			continue;
		}
		memcpy(&pointed, item + member->at, sizeof(pointed));
		if (member->kind == MEMBER_ITEMS)
			memcpy(&number, item + member->also, sizeof(number));
		if (pointed == NULL && member->kind != MEMBER_NAME &&
		    number == 0)
			continue;
		if (pointed == NULL)
			return NULL;
		pointed = rest->base + rest->at;
		if (member->kind == MEMBER_ITEMS) {
			pointed = image_settle(rest, member->items, number);
		} else {
			end = memchr(pointed, '\0', rest->len - rest->at);
			if (end == NULL)
				return NULL;
			rest->at += (size_t)(end - pointed) + 1;
		}
		if (pointed == NULL)
			return NULL;
		memcpy(item + member->at, &pointed, sizeof(pointed));
	}
	return items;
}

const void *
image_take(struct image_room *room, const struct image_shape *shape,
    struct slice image)
{
	struct image_rest rest = {.len = image.len};
	const void *value;
	char *grown;

	if (room->cap < image.len) {
		/* malloc's memory is aligned for every struct. */
		grown = realloc(room->p, image.len);
		if (grown == NULL) {
			errno = ENOMEM;
			return NULL;
		}
		room->p = grown;
		room->cap = image.len;
	}
	if (image.len > 0)
		memcpy(room->p, image.p, image.len);
	rest.base = room->p;
	value = image_settle(&rest, shape, 1);
	errno = EPROTO;
	return rest.at == rest.len ? value : NULL;
}
