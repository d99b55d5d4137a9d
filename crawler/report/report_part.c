/* The parts of a report while it grows: documents, findings, strings. */
#include "crawler/report/report_part.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/suggestion.h"

#define TEXTS_MAX_BYTES (48u << 20) /* of all samples */
#define LARGE 1000 /* a report with more documents is large */
/* samples of one code in one document, if the report is large */
#define PART_SAMPLES 4
#define SHORT_TAG 4 /* letters */

const char *
report_text_own(struct report_builder *builder, struct slice text)
{
	strings_add(&builder->texts, text);
	builder->text_bytes += text.len;
	return builder->texts.items[builder->texts.count - 1];
}

const char *
report_text_keep(struct report_builder *builder, struct slice text)
{
	if (text.len == 0)
		return "";
	/* Samples come from strangers: a site may have a million long ones. */
	if (builder->text_bytes + text.len > TEXTS_MAX_BYTES)
		return NULL;
	return report_text_own(builder, text);
}

struct report_finding *
report_part_find(struct report_part *part, enum diag_code code)
{
	struct report_document *document = &part->document;
	struct report_finding *finding;

	for (size_t i = 0; i < document->finding_count; i++)
		if (document->findings[i].code == code)
			return &document->findings[i];
	finding = MEM_PUSH(
	    document->findings, document->finding_count, part->finding_cap);
	*finding = (struct report_finding){
	    .code = code, .severity = profile_severity(part->profile, code)};
	return finding;
}

void
report_part_fail(struct report_part *part, enum diag_code code)
{
	struct report_finding *finding = report_part_find(part, code);

	finding->severity = SEVERITY_ERROR;
	if (finding->count == 0)
		finding->count = 1;
}

void
report_part_drop(struct report_part *part, enum diag_code code)
{
	struct report_document *document = &part->document;
	size_t kept = 0;

	for (size_t i = 0; i < document->finding_count; i++)
		if (document->findings[i].code != code)
			document->findings[kept++] = document->findings[i];
	document->finding_count = kept;
}

const char *
report_tag_meant(struct slice tag)
{
	static const char *const tags[] = {
	    "loc", "lastmod", "changefreq", "priority", "url", "sitemap"};
	struct suggestion suggestion;

	suggestion_init(&suggestion, tag);
	/* a short name with two wrong letters is another word */
	if (tag.len <= SHORT_TAG && suggestion.distance > 2)
		suggestion.distance = 2;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		/* a known element in a wrong place was not mistyped */
		if (slice_equal_nocase(tag, slice_of(tags[i])))
			return slice_is(tag, tags[i]) ? NULL : tags[i];
		suggestion_try(&suggestion, tags[i]);
	}
	return suggestion.best;
}

void
report_part_sample(struct report_builder *builder,
    struct report_finding *finding, uint32_t part,
    const struct report_place *place, struct slice text)
{
	/* With many documents each has few samples, because a group has room
	 * for eight in all. */
	size_t max = builder->count > LARGE ? PART_SAMPLES : REPORT_SAMPLES;
	struct report_sample sample = {
	    .document = part, .line = place->line, .entry = place->entry};
	struct buf seen = BUF_UP_TO(SIZE_MAX);

	if (finding->sample_count >= max)
		return;
	sample.text = report_text_keep(builder, text);
	if (sample.text == NULL)
		return;
	/* The walk over the lines is long: most faults are no sample. */
	if (sample.line == 0 && sample.entry > 0)
		sample.line = content_line(
		    slice_make(builder->parts[part].lines,
			builder->parts[part].lines_len),
		    sample.entry - 1);
	if (place->loc.len > 0)
		sample.loc = report_text_keep(builder, place->loc);
	if (finding->code == DIAG_UNKNOWN_TAG)
		sample.meant = report_tag_meant(text);
	/* Most texts say all: only the others are kept a second time. */
	(void)buf_put_slice(&seen, text);
	if (sample.meant != NULL)
		(void)buf_print(&seen, " (did you mean <%s>?)", sample.meant);
	if (sample.loc != NULL && strstr(sample.text, sample.loc) == NULL)
		(void)buf_print(
		    &seen, "%s%s", text.len == 0 ? "" : ", in ", sample.loc);
	sample.seen = seen.len == text.len
	    ? sample.text
	    : report_text_own(builder, buf_text(&seen));
	buf_release(&seen);
	finding->samples[finding->sample_count++] = sample;
}

void
report_part_add(struct report_builder *builder, uint32_t part,
    enum diag_code code, const struct report_place *place, const char *format,
    ...)
{
	struct report_finding *finding = report_part_find(
	    &builder->parts[part], code);
	const struct report_place everywhere = {0};
	struct buf text = BUF_UP_TO(SIZE_MAX);
	va_list args;

	finding->count++;
	if (place == NULL) {
		finding->count = 1;
		finding->sample_count = 0;
		place = &everywhere;
	}
	/* a site may have a million faults of one kind */
	if (finding->sample_count == REPORT_SAMPLES)
		return;
	va_start(args, format);
	(void)buf_vprint(&text, format, args);
	va_end(args);
	report_part_sample(builder, finding, part, place, buf_text(&text));
	buf_release(&text);
}

void
report_part_frozen(struct report_builder *builder, uint32_t number,
    const struct report_day *days, const char *of)
{
	struct date date = {
	    .epoch_s = days->day * DAY_S, .precision = DATE_DAY};

	report_part_add(builder, number, DIAG_LASTMOD_FROZEN, NULL,
	    "%" PRIu64 " of %" PRIu64 " dates%s are of %s", days->count,
	    days->dated, of, date_text(&date).text);
}

/* URLs that several documents list. */

#define SLOTS_FIRST 4096
#define SLOTS_MAX (1u << 21) /* 24 MB */
#define GROWTH 8 /* three steps from the first size to the largest */
#define PAIRS_MAX 10000
/* The table is larger than the processor's caches. So many URLs wait while
 * their slots are loaded from memory; without that, loading takes half of the
 * time. */
#define WAITING 32
#define URL_BYTES 65536

/* 12 bytes, so that most lookups touch one cache line */
struct slot {
	uint32_t hash[2]; /* both 0: free */
	uint32_t document;
};

struct urls_waiting {
	uint64_t hash;
	uint32_t document;
	struct buf url;
};

struct report_urls {
	uint64_t key;
	struct slot *table; /* owned */
	size_t slots; /* a power of two */
	size_t used;
	/* so many last bits of a hash must be 0 for its URL to count */
	unsigned shift;
	struct report_pair *pairs; /* owned */
	size_t count;
	size_t cap;
	struct idmap by_pair;
	struct urls_waiting waiting[WAITING];
	unsigned waiting_count;
};

static uint64_t
urls_hash_of(const struct slot *slot)
{
	return (uint64_t)slot->hash[1] << 32 | slot->hash[0];
}

struct report_urls *
report_urls_new(uint64_t hash_key)
{
	struct report_urls *urls = mem_zero(sizeof(*urls));

	urls->key = hash_key;
	urls->slots = SLOTS_FIRST;
	urls->table = mem_zero(SLOTS_FIRST * sizeof(*urls->table));
	for (size_t i = 0; i < WAITING; i++)
		buf_init(&urls->waiting[i].url, URL_MAX_BYTES);
	return urls;
}

void
report_urls_free(struct report_urls *urls)
{
	if (urls == NULL)
		return;
	for (size_t i = 0; i < urls->count; i++)
		for (size_t k = 0; k < urls->pairs[i].sample_count; k++)
			free(urls->pairs[i].samples[k]);
	for (size_t i = 0; i < WAITING; i++)
		buf_release(&urls->waiting[i].url);
	free(urls->pairs);
	free(urls->table);
	free(urls->by_pair.slots);
	free(urls);
}

/* The sample is chosen by the hash alone, so that a URL is in it in every
 * document, or in none. */
static bool
is_chosen(const struct report_urls *urls, uint64_t hash)
{
	return (hash & ((UINT64_C(1) << urls->shift) - 1)) == 0;
}

/* The slot of a hash, or the free one where it belongs. */
static struct slot *
urls_find(const struct report_urls *urls, uint64_t hash)
{
	/* the last bits choose the sample */
	size_t i = (size_t)(hash >> 32) & (urls->slots - 1);
	uint64_t there;

	while ((there = urls_hash_of(&urls->table[i])) != 0 && there != hash)
		i = (i + 1) & (urls->slots - 1);
	return &urls->table[i];
}

/* Add a URL that two documents list. */
static void
note_pair(struct report_urls *urls, uint32_t a, uint32_t b, struct slice url)
{
	uint32_t low = a < b ? a : b;
	uint32_t high = a < b ? b : a;
	int64_t id = (int64_t)((((uint64_t)high & INT32_MAX) << 32) | low);
	uint32_t number = idmap_get(&urls->by_pair, id);
	struct report_pair *pair;

	/* So many pairs say that sitemaps repeat each other; more of them say
	 * no more. */
	if (number == IDMAP_NONE && urls->count == PAIRS_MAX)
		return;
	if (number == IDMAP_NONE) {
		urls->pairs = mem_grow(urls->pairs, &urls->cap, urls->count + 1,
		    sizeof(*urls->pairs));
		number = (uint32_t)urls->count++;
		urls->pairs[number] = (struct report_pair){
		    .documents = {low >> 1, high >> 1},
		    .slashes = {low & 1, high & 1}};
		idmap_put(&urls->by_pair, id, number);
	}
	pair = &urls->pairs[number];
	pair->count += UINT64_C(1) << urls->shift;
	if (pair->sample_count < REPORT_PAIR_SAMPLES)
		pair->samples[pair->sample_count++] = slice_dup(url);
}

/* A slot keeps the first document that lists its URL; each later one makes a
 * pair with that. */
static void
urls_take(struct report_urls *urls, const struct urls_waiting *one)
{
	struct slot *slot;

	/* the sample may be smaller since the URL began to wait */
	if (!is_chosen(urls, one->hash))
		return;
	slot = urls_find(urls, one->hash);
	if (urls_hash_of(slot) == one->hash) {
		if (slot->document != one->document)
			note_pair(urls, slot->document, one->document,
			    buf_text(&one->url));
		return;
	}
	*slot = (struct slot){
	    .hash = {(uint32_t)one->hash, (uint32_t)(one->hash >> 32)},
	    .document = one->document};
	if (++urls->used > urls->slots / 4 * 3) {
		/* Make the table larger, or the sample smaller. */
		struct slot *table = urls->table;
		size_t slots = urls->slots;

		if (slots == SLOTS_MAX)
			urls->shift++;
		else
			urls->slots = slots * GROWTH;
		urls->used = 0;
		urls->table = mem_zero(urls->slots * sizeof(*urls->table));
		for (size_t i = 0; i < slots; i++) {
			uint64_t hash = urls_hash_of(&table[i]);

			if (hash == 0 || !is_chosen(urls, hash))
				continue;
			*urls_find(urls, hash) = table[i];
			urls->used++;
		}
		free(table);
	}
}

static void
urls_take_waiting(struct report_urls *urls)
{
	for (unsigned i = 0; i < urls->waiting_count; i++)
		urls_take(urls, &urls->waiting[i]);
	urls->waiting_count = 0;
}

void
report_urls_add(struct report_urls *urls, struct slice url, uint32_t document)
{
	/* Pages with and without a slash at the end are one key, so that both
	 * make a pair: the last bit of the number says which one it is. */
	bool has_slash = url.len > 0 && url.p[url.len - 1] == '/';
	uint64_t hash = hash_key(
	    slice_make(url.p, url.len - has_slash), urls->key);
	struct urls_waiting *one = &urls->waiting[urls->waiting_count];

	if (hash == 0 || !is_chosen(urls, hash))
		return;
	__builtin_prefetch(
	    &urls->table[(size_t)(hash >> 32) & (urls->slots - 1)], 1);
	one->hash = hash;
	one->document = document << 1 | has_slash;
	buf_clear(&one->url);
	(void)buf_put_slice(&one->url, url);
	if (++urls->waiting_count == WAITING)
		urls_take_waiting(urls);
}

const struct report_pair *
report_urls_pair(struct report_urls *urls, size_t i)
{
	urls_take_waiting(urls);
	return i < urls->count ? &urls->pairs[i] : NULL;
}
