/* freshet compare: merge the segments of one document under three profiles. */
#include "crawler/commands/compare_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/raw_url.h"

#define ALL ((1u << COMPARE_PROFILES) - 1)

/* One merge. */
struct diff_merge {
	const struct compare_document *document;
	struct compare_diff *diff;
	size_t max_samples;
	struct location_scope scopes[COMPARE_PROFILES];
	struct block_walk walks[COMPARE_PROFILES];
	/* NULL: at the end of the segment */
	struct block_reader *readers[COMPARE_PROFILES];
	struct entry entries[COMPARE_PROFILES];
};

bool
compare_is_read(const struct compare_document *document, int profile)
{
	const struct compare_reading *reading = &document->readings[profile];

	return reading->is_reached && reading->result == DIAG_OK;
}

bool
compare_is_same(const struct compare_diff *diff)
{
	bool is_read = compare_is_read(diff->document, 0);

	for (int i = 1; i < COMPARE_PROFILES; i++)
		if (compare_is_read(diff->document, i) != is_read)
			return false;
	return diff->count == 0;
}

/* Which code makes a difference. */

/* Is one of the samples of the finding that URL? */
static bool
names(const struct finding *finding, struct slice url, const struct url *base)
{
	enum diag_code code;

	for (unsigned i = 0; i < finding->sample_count; i++)
		if (raw_url_is(
			slice_of(finding->samples[i].text), base, url, &code))
			return true;
	return false;
}

/* The finding of the document that has a sample of this URL; DIAG_OK: none.
 * *only: the one finding that dropped entries without a sample; DIAG_OK: none
 * or several. */
static enum diag_code
value_code(const struct diff_merge *merge, int profile, struct slice url,
    enum diag_code *only)
{
	const struct findings *findings = &merge->document->readings[profile]
					       .content.findings;
	unsigned count = 0;

	*only = DIAG_OK;
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		bool is_limit = finding->code == DIAG_TOO_MANY_URLS ||
		    finding->code == DIAG_TOO_MANY_SITEMAPS;

		if (diag_info(finding->code)->loss != LOSS_ENTRY)
			continue;
		if (names(finding, url, &merge->scopes[profile].final))
			return finding->code;
		/* each of so few entries has a sample */
		if (finding->count <= FINDING_SAMPLES && !is_limit)
			continue;
		*only = count++ == 0 ? finding->code : DIAG_OK;
	}
	return DIAG_OK;
}

static enum diag_code
lost_by(const struct diff_merge *merge, int profile, struct slice text)
{
	const struct compare_reading *reading = &merge->document
						     ->readings[profile];
	struct location_verdict verdict;
	enum diag_code only;
	enum diag_code code;
	struct url url;

	if (!reading->is_reached)
		return reading->why_not;
	if (reading->result != DIAG_OK)
		return reading->result;
	/* SPEC R-71: a URL's syntax is judged before its location */
	code = value_code(merge, profile, text, &only);
	if (code != DIAG_OK)
		return code;
	url_init(&url);
	(void)raw_url_parse(
	    &url, text, NULL); /* the text is a normalised URL */
	verdict = location_judge(&merge->scopes[profile], &url,
	    merge->document->is_index ? SUBJECT_CHILD : SUBJECT_PAGE);
	url_release(&url);
	return verdict.is_accepted ? only : verdict.code;
}

/* The code by which a profile accepts fewer dates than another. */
static enum diag_code
date_code(const struct diff_merge *merge, unsigned mask)
{
	const struct date *date = NULL;

	for (int i = 0; date == NULL && i < COMPARE_PROFILES; i++)
		if (mask & 1u << i)
			date = &merge->entries[i].lastmod;
	if (date == NULL)
		return DIAG_OK;
	if (date->precision == DATE_DAY && date->zone == ZONE_EXPLICIT)
		return DIAG_LASTMOD_DATE_TIMEZONE;
	if (date->zone == ZONE_ASSUMED && mask != 1u << PROFILE_LENIENT)
		return DIAG_LASTMOD_NO_TIMEZONE;
	return mask == 1u << PROFILE_LENIENT ? DIAG_LASTMOD_NONSTANDARD
					     : DIAG_INVALID_DATE;
}

/* Groups. */

static struct compare_group *
group_of(struct compare_diff *diff, const struct compare_group *like)
{
	for (size_t i = 0; i < diff->count; i++) {
		struct compare_group *group = &diff->groups[i];

		if (group->kind == like->kind && group->mask == like->mask &&
		    memcmp(group->codes, like->codes, sizeof(group->codes)) ==
			0)
			return group;
	}
	diff->groups = mem_grow(
	    diff->groups, &diff->cap, diff->count + 1, sizeof(*diff->groups));
	diff->groups[diff->count] = *like;
	return &diff->groups[diff->count++];
}

static void
add(struct diff_merge *merge, const struct compare_group *like,
    struct slice url)
{
	struct compare_group *group = group_of(merge->diff, like);

	merge->diff->totals[like->kind]++;
	group->count++;
	if (group->sample_count == merge->max_samples)
		return;
	group->samples = mem_grow(group->samples, &group->sample_cap,
	    group->sample_count + 1, sizeof(*group->samples));
	group->samples[group->sample_count++] = slice_dup(url);
}

static bool
is_date_same(const struct date *a, const struct date *b)
{
	return a->precision == b->precision && a->epoch_s == b->epoch_s &&
	    a->nanos == b->nanos;
}

/* Compare the dates of a URL; `here` has the profiles that list it. */
static void
put_date(struct diff_merge *merge, unsigned here, struct slice url)
{
	struct compare_group like = {.kind = GROUP_DATE};
	const struct entry *first = NULL;
	bool is_same = true;

	for (int i = 0; i < COMPARE_PROFILES; i++) {
		const struct entry *entry = &merge->entries[i];

		if ((here & 1u << i) == 0)
			continue;
		if (first == NULL)
			first = entry;
		is_same = is_same &&
		    is_date_same(&first->lastmod, &entry->lastmod);
		if (entry->lastmod.precision != DATE_NONE)
			like.mask |= 1u << i;
	}
	if (is_same)
		return;
	for (int i = 0; i < COMPARE_PROFILES; i++)
		if (here & ~like.mask & 1u << i)
			like.codes[i] = date_code(merge, like.mask);
	add(merge, &like, url);
}

static void
put_url(struct diff_merge *merge, unsigned here, struct slice url)
{
	struct compare_group like = {.kind = GROUP_URL, .mask = here};

	for (int i = 0; i < COMPARE_PROFILES; i++)
		if ((here & 1u << i) == 0)
			like.codes[i] = lost_by(merge, i, url);
	add(merge, &like, url);
}

/* The merge. */

static void
next(struct diff_merge *merge, int profile)
{
	struct block_reader **reader = &merge->readers[profile];

	/* an entry that a profile refuses is missing under it */
	while (block_next(*reader, &merge->entries[profile]))
		if (merge->entries[profile].verdict == VERDICT_ACCEPTED)
			return;
	if (block_reader_damaged(*reader))
		merge->diff->is_damaged = true;
	block_reader_free(*reader);
	*reader = NULL;
}

/* The profiles whose next URL is the smallest one, and that URL. */
static unsigned
least(const struct diff_merge *merge, struct slice *url)
{
	unsigned here = 0;

	for (int i = 0; i < COMPARE_PROFILES; i++) {
		struct slice mine = merge->entries[i].url;
		int order = here == 0 ? -1 : 0;

		if (merge->readers[i] == NULL)
			continue;
		if (here != 0)
			order = slice_order(mine, *url);
		if (order < 0) {
			here = 0;
			*url = mine;
		}
		if (order <= 0)
			here |= 1u << i;
	}
	return here;
}

static void
run(struct diff_merge *merge)
{
	struct slice url = {NULL, 0};
	unsigned here;

	while ((here = least(merge, &url)) != 0) {
		if (here != ALL)
			put_url(merge, here, url);
		put_date(merge, here, url);
		for (int i = 0; i < COMPARE_PROFILES; i++)
			if (here & 1u << i)
				next(merge, i);
	}
}

void
compare_diff(const struct compare *compare,
    const struct compare_document *document, size_t max_samples,
    struct compare_diff *diff)
{
	struct diff_merge merge = {
	    .document = document, .diff = diff, .max_samples = max_samples};

	*diff = (struct compare_diff){
	    .document = document, .name = document->url};
	for (int i = 0; i < COMPARE_PROFILES; i++) {
		(void)compare_scope(compare, document, i, &merge.scopes[i]);
		if (!compare_is_read(document, i))
			continue;
		merge.walks[i].list = &document->readings[i].content.segment;
		merge.readers[i] = block_reader_new(
		    block_walk_pull, &merge.walks[i]);
		next(&merge, i);
	}
	run(&merge);
	for (int i = 0; i < COMPARE_PROFILES; i++)
		location_scope_release(&merge.scopes[i]);
}

void
compare_diff_release(struct compare_diff *diff)
{
	for (size_t i = 0; i < diff->count; i++) {
		for (size_t k = 0; k < diff->groups[i].sample_count; k++)
			free(diff->groups[i].samples[k]);
		free(diff->groups[i].samples);
	}
	free(diff->groups);
}
