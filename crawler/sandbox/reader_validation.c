/*
 * What a reader answers, held against what it may answer.
 *
 * Nearly all URLs are in the document's own origin, or directory, and of
 * characters that normalisation leaves alone: for them a comparison of bytes
 * is all that there is to it.  The others are parsed and judged as the reader
 * should have done.
 */
#include "crawler/sandbox/reader_validation.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/parse/read.h"
#include "store/segment/bloom.h"
#include "store/segment/entry.h"

/* Far above what any document holds, and no negative number in the store. */
#define COUNT_MAX (UINT64_C(1) << 48)

static const char no_damage[] = "damage that is not there";
static const char not_allowed[] = "an entry that the document may not list";
static const char not_changed[] = "a change that the document may not list";

/* What escapes make of a URL, twice: an entry that is missing is kept once. */
#define URL_GROWTH 6

#define SUBJECTS (SUBJECT_PAGE + 1)

struct validation {
	const struct scope *scope; /* borrowed */
	struct profile parsing;
	/* By subject, since the kind of the document is said at the end. */
	struct buf prefix[SUBJECTS]; /* below it all is accepted; empty: none */
	uint64_t wrong[SUBJECTS]; /* verdicts of what was in the bytes, if all
				     of them were read; of changes, too: */
	uint64_t wrong_changes[SUBJECTS];
	uint64_t kept[SUBJECTS]; /* verdicts that are right only if they were
				    so before */
	uint64_t open[SUBJECTS]; /* that were not judged yet */
	struct url url;
	struct block_reader *reader; /* owned */
	struct slice next; /* the block that it gets, then none */
	struct merge_counts counts;
	uint64_t changes[DELTA_KINDS];
	uint64_t odd; /* times that are right only if they were so before */
	uint64_t doubts; /* all that has to be looked up in what was before */
	bool is_open;
	uint64_t held; /* entries that only the previous segment had */
	uint64_t bytes, most_bytes; /* of URLs; that a document can hold */
	uint64_t keys[BLOCK_ENTRIES];
	bool is_beside; /* the block at hand begins or ends with other URLs */
	struct buf bloom;
};

static struct slice
pull(void *arg)
{
	struct validation *validation = arg;
	struct slice data = validation->next;

	validation->next = slice_make(NULL, 0);
	return data;
}

struct validation *
validation_new(void)
{
	struct validation *validation = mem_zero(sizeof(*validation));

	validation->reader = block_reader_new(pull, validation);
	url_init(&validation->url);
	for (int i = 0; i < SUBJECTS; i++)
		buf_init(&validation->prefix[i], URL_MAX_BYTES);
	buf_init(&validation->bloom, BLOOM_MAX_BYTES);
	return validation;
}

void
validation_free(struct validation *validation)
{
	if (validation == NULL)
		return;
	block_reader_free(validation->reader);
	url_release(&validation->url);
	for (int i = 0; i < SUBJECTS; i++)
		buf_release(&validation->prefix[i]);
	buf_release(&validation->bloom);
	free(validation);
}

/* What the rules say of a URL. */

/* judge(audit, url, verdicts): of each subject; false: it is no normalised
 * URL. */
static bool
judge(struct validation *validation, struct slice url,
    enum verdict verdicts[SUBJECTS])
{
	if (url_parse(&validation->url, url, NULL, &validation->parsing,
		(struct diag_sink){0}) != DIAG_OK ||
	    !slice_equal(url_text(&validation->url), url))
		return false;
	for (int i = 0; i < SUBJECTS; i++)
		verdicts[i] = location_judge(&validation->scope->location,
		    &validation->url, (enum location_subject)i)
				  .verdict;
	return true;
}

/* Left alone by normalisation: letters, digits, and !$&'()*+,-./:;=?@_~ as
 * bits; a dot may be one of "/../" after a slash. */
static bool
is_plain(struct slice text)
{
	static const uint32_t plain[8] = {
	    0, 0xafffffd2, 0x87ffffff, 0x47fffffe};
	unsigned before = '/'; /* the prefix ends with one */
	bool is_good = true;

	for (size_t i = 0; i < text.len; i++) {
		unsigned c = (unsigned char)text.p[i];

		is_good &= (plain[c / 32] >> c % 32 & 1) != 0;
		is_good &= (c != '.') | (before != '/');
		before = c;
	}
	return is_good;
}

static bool
is_below(const struct validation *validation, enum location_subject subject,
    struct slice url)
{
	struct slice prefix = buf_text(&validation->prefix[subject]);

	return prefix.len > 0 && slice_starts(url, prefix);
}

/* is_self(audit, url): it may be what no index lists (SPEC R-69). */
static bool
is_self(const struct validation *validation, struct slice url)
{
	const struct location_scope *location = &validation->scope->location;

	return slice_equal(url, url_text(&location->requested)) ||
	    slice_equal(url, url_text(&location->final));
}

/* is_accepted_page(audit, url): by a look at its bytes, most of the time. */
static bool
is_accepted_page(const struct validation *validation, struct slice url)
{
	return is_below(validation, SUBJECT_PAGE, url) &&
	    is_plain(slice_from(url, validation->prefix[SUBJECT_PAGE].len));
}

/* is_accepted_child(audit, url): the same of one that is an accepted page. */
static bool
is_accepted_child(const struct validation *validation, struct slice url)
{
	size_t len = validation->prefix[SUBJECT_CHILD].len;

	return (len > 0 && len <= validation->prefix[SUBJECT_PAGE].len
		       ? true
		       : is_below(validation, SUBJECT_CHILD, url)) &&
	    !is_self(validation, url);
}

static bool
allows_below(struct validation *validation, enum location_subject subject,
    struct slice prefix)
{
	struct buf *text = &validation->prefix[subject];
	enum verdict verdicts[SUBJECTS];

	buf_clear(text);
	(void)buf_put_slice(text, prefix);
	(void)buf_put_char(text, 'x');
	/* A listed one is accepted for itself (SPEC R-66). */
	if (self_listed_has(
		validation->scope->location.listed, buf_text(text)) ||
	    !judge(validation, buf_text(text), verdicts) ||
	    verdicts[subject] != VERDICT_ACCEPTED)
		return false;
	text->len--;
	return true;
}

/* What the rules say of one URL they say of all below the same directory or
 * origin, unless an assertion of the owner ends in the midst of a name; but
 * for the document itself. */
static void
set_prefix(struct validation *validation, enum location_subject subject)
{
	const struct url *final = &validation->scope->location.final;
	struct buf root;

	buf_init(&root, URL_MAX_BYTES);
	(void)buf_put_slice(&root, url_origin(final));
	(void)buf_put_char(&root, '/');
	if (validation->scope->location.own.count > 0 ||
	    url_text(final).len == 0 ||
	    (!allows_below(validation, subject, buf_text(&root)) &&
		!allows_below(validation, subject, url_directory(final))))
		buf_clear(&validation->prefix[subject]);
	buf_release(&root);
}

void
validation_begin(struct validation *validation, const struct scope *scope)
{
	validation->scope = scope;
	validation->parsing = profile_default(PROFILE_LENIENT);
	validation->parsing.max_loc_chars = URL_MAX_BYTES;
	validation->counts = (struct merge_counts){0};
	memset(validation->changes, 0, sizeof(validation->changes));
	validation->odd = validation->doubts = validation->held =
	    validation->bytes = 0;
	validation->is_open = false;
	for (int i = 0; i < SUBJECTS; i++) {
		validation->wrong[i] = validation->wrong_changes[i] = 0;
		validation->kept[i] = validation->open[i] = 0;
		set_prefix(validation, (enum location_subject)i);
	}
	validation->most_bytes = URL_GROWTH *
	    (scope->location.profile.limit_overrun == OVERRUN_ALL
		    ? scope->limits.hard_bytes
		    : scope->limits.max_bytes);
}

/* Blocks. */

static void
open_block(struct validation *validation, const struct block *block)
{
	block_reader_reset(validation->reader);
	validation->next = block->data;
	validation->is_beside = false;
	buf_clear(&validation->bloom);
}

/* note(audit, url, verdict, wrong): what is said of it; where that is not what
 * the rules say, wrong counts it. */
static void
note(struct validation *validation, struct slice url, enum verdict verdict,
    uint64_t wrong[SUBJECTS])
{
	enum verdict verdicts[SUBJECTS];
	bool is_url;

	if (is_accepted_page(validation, url)) {
		wrong[SUBJECT_PAGE] += verdict != VERDICT_ACCEPTED;
		if (is_accepted_child(validation, url))
			wrong[SUBJECT_CHILD] += verdict != VERDICT_ACCEPTED;
		else
			validation->open[SUBJECT_CHILD]++;
		return;
	}
	is_url = judge(validation, url, verdicts);
	for (int i = 0; i < SUBJECTS; i++)
		wrong[i] += !is_url || verdict != verdicts[i];
}

/* is_of_now(entry): the reading had it, if it was complete. */
static bool
is_of_now(const struct entry *entry)
{
	return entry->missed == 0 && !entry->is_held;
}

/* is_of_before(change): it is of what the reading lacked. */
static bool
is_of_before(const struct change *change)
{
	return change->kind == DELTA_REMOVED || change->kind == DELTA_GONE;
}

/* close_block(audit, block, count): is it what is said beside it? */
static const char *
close_block(
    struct validation *validation, const struct block *block, uint32_t count)
{
	if (block_reader_damaged(validation->reader))
		return "a block that cannot be decoded";
	if (count != block->count || validation->is_beside)
		return "a block of other entries than it says";
	if (block->bloom.len == 0)
		return NULL;
	bloom_make(&validation->bloom, validation->keys, count);
	return slice_equal(block->bloom, buf_text(&validation->bloom))
	    ? NULL
	    : "a sieve of other entries";
}

/* note_url(audit, block, at, url): its at-th, from 0; false: they are more than
 * the document can hold.  Packed URLs are small, and cost main what they are
 * long. */
static bool
note_url(struct validation *validation, const struct block *block, uint32_t at,
    struct slice url)
{
	validation->bytes += url.len;
	if (at == 0 && !slice_equal(url, block->first_url))
		validation->is_beside = true;
	if (at + 1 == block->count && !slice_equal(url, block->last_url))
		validation->is_beside = true;
	return validation->bytes <= validation->most_bytes;
}

static const char too_much[] = "more URLs than the document can hold";

const char *
validation_segment(struct validation *validation, const struct block *block)
{
	struct entry entry;
	uint32_t count = 0;

	open_block(validation, block);
	while (block_next(validation->reader, &entry)) {
		if (!note_url(validation, block, count, entry.url))
			return too_much;
		if (block->bloom.len > 0)
			validation->keys[count] = bloom_key(entry.url);
		count++;
		note(validation, entry.url, (enum verdict)entry.verdict,
		    is_of_now(&entry) ? validation->wrong : validation->kept);
		/* The clock may have been set back since it came. */
		validation->odd += !entry_has_times(
		    &entry, validation->scope->now_s);
		validation->held += entry.is_held;
		if (!entry_has_hints(&entry) || !entry_has_date(&entry))
			return "an entry with values that there are not";
		merge_count(
		    &validation->counts, &entry, validation->scope->now_s);
	}
	validation->counts.segment_blocks++;
	return close_block(validation, block, count);
}

const char *
validation_delta(struct validation *validation, const struct block *block)
{
	struct change change;
	uint32_t count = 0;

	if (block->bloom.len > 0)
		return "a sieve of changes";
	open_block(validation, block);
	while (block_next_change(validation->reader, &change)) {
		if (!note_url(validation, block, count++, change.url))
			return too_much;
		note(validation, change.url, (enum verdict)change.verdict,
		    is_of_before(&change) ? validation->kept
					  : validation->wrong_changes);
		if (!change_has_dates(&change) || !change_has_verdict(&change))
			return "a change with dates or a verdict that it has "
			       "not";
		validation->changes[change.kind]++;
	}
	validation->counts.delta_blocks++;
	return close_block(validation, block, count);
}

/* What is said of them all. */

static bool
has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* is_of_readers(code): not of the network, the store, or the whole run, but
 * for a body that the network cut short. */
static bool
is_of_readers(enum diag_code code)
{
	const char *name = diag_name(code);

	return code == DIAG_FETCH_NETWORK_ERROR ||
	    (diag_info(code)->loss != LOSS_RUN && !has_prefix(name, "fetch-") &&
		!has_prefix(name, "robots-") && code != DIAG_READER_CRASHED &&
		code != DIAG_MASS_DROP && code != DIAG_VERDICT_CHANGED);
}

/* A damaged store is looked at: validation_kept(). */
static bool
has_codes(const struct content *content)
{
	if (content->failure != DIAG_OK &&
	    content->failure != DIAG_STORE_DAMAGED &&
	    !is_of_readers(content->failure))
		return false;
	for (size_t i = 0; i < content->findings.count; i++) {
		const struct finding *finding = &content->findings.items[i];

		if (finding->count > COUNT_MAX ||
		    (!is_of_readers(finding->code) &&
			(finding->code != DIAG_STORE_DAMAGED ||
			    content->failure != DIAG_STORE_DAMAGED)))
			return false;
	}
	return true;
}

static bool
has_changes(const struct validation *validation, const struct content *content)
{
	const struct merge_counts *said = &content->merge;

	if (validation->counts.delta_blocks > 0)
		return memcmp(said->changes, validation->changes,
			   sizeof(said->changes)) == 0;
	for (int i = 0; i < DELTA_KINDS; i++)
		if (said->changes[i] != 0 &&
		    (i != DELTA_ADDED || said->changes[i] != said->entries))
			return false;
	return true;
}

static bool
has_counts(const struct validation *validation, const struct content *content)
{
	const struct merge_counts *said = &content->merge;
	const struct merge_counts *is = &validation->counts;

	return said->entries == is->entries && said->missed == is->missed &&
	    said->refused == is->refused &&
	    memcmp(said->refused_by, is->refused_by, sizeof(is->refused_by)) ==
	    0 &&
	    said->dated == is->dated &&
	    said->segment_blocks == is->segment_blocks &&
	    said->delta_blocks == is->delta_blocks &&
	    said->regressed <= said->changes[DELTA_REDATED] &&
	    date_order(&said->newest, &is->newest) == 0 &&
	    said->newest.precision == is->newest.precision &&
	    said->newest.zone == is->newest.zone &&
	    has_changes(validation, content);
}

static bool
has_sum(const struct validation *validation, const struct content *content)
{
	const struct merge_counts *merge = &content->merge;

	return content->seen <= COUNT_MAX && content->refused <= COUNT_MAX &&
	    content->accepted <= content->seen &&
	    content->seen <= content->accepted + content->refused &&
	    (!content->is_complete ||
		(merge->entries <= content->seen + validation->held &&
		    merge_accepted(merge) <=
			content->accepted + validation->held)) &&
	    (validation->held == 0 || validation->scope->has_previous);
}

static enum location_subject
subject_of(const struct content *content)
{
	return content->kind == KIND_INDEX ? SUBJECT_CHILD : SUBJECT_PAGE;
}

const char *
validation_content(struct validation *validation, const struct content *content)
{
	enum location_subject subject = subject_of(content);

	if (content->decoded_bytes > COUNT_MAX || !has_codes(content))
		return "a finding that is no reader's";
	if (validation->scope->is_page)
		return read_page_fits(content) &&
			has_counts(validation, content) &&
			validation->counts.segment_blocks +
				validation->counts.delta_blocks ==
			    0
		    ? NULL
		    : "what no page says of itself";
	if (content->failure != DIAG_OK) {
		validation->doubts = content->failure == DIAG_STORE_DAMAGED;
		return validation->doubts > 0 &&
			!validation->scope->has_previous
		    ? no_damage
		    : NULL;
	}
	if (content->kind == KIND_UNKNOWN || content->kind == KIND_ROBOTS)
		return "a document of no kind";
	if (validation->wrong_changes[subject] > 0)
		return not_changed;
	if (content->is_complete && validation->wrong[subject] > 0)
		return not_allowed;
	validation->is_open = validation->open[subject] > 0;
	validation->doubts = validation->odd + validation->kept[subject] +
	    validation->wrong[subject];
	if (!has_counts(validation, content))
		return "counts of other entries";
	if (!has_sum(validation, content))
		return "counts that make no sum";
	if (!content->is_complete &&
	    content->merge.changes[DELTA_REMOVED] +
		    content->merge.changes[DELTA_GONE] >
		0)
		return "absence, and yet not all was read";
	return validation->doubts > 0 && !validation->scope->has_previous
	    ? not_allowed
	    : NULL;
}

bool
validation_has_doubts(const struct validation *validation)
{
	return validation->doubts > 0 || validation->is_open;
}

/* What was kept from the previous segment. */

/* is_right(audit, url, verdict, subject): what the rules say. */
static bool
is_right(struct validation *validation, struct slice url, uint8_t verdict,
    enum location_subject subject)
{
	enum verdict verdicts[SUBJECTS];

	if (is_accepted_page(validation, url) &&
	    (subject == SUBJECT_PAGE || is_accepted_child(validation, url)))
		return verdict == VERDICT_ACCEPTED;
	return judge(validation, url, verdicts) && verdict == verdicts[subject];
}

/* find(reader, url, *entry): in ascending order; entry is what was found last,
 * to begin with none. */
static bool
find(struct block_reader *reader, struct slice url, struct entry *entry)
{
	while (entry->url.len == 0 || slice_order(entry->url, url) < 0)
		if (!block_next(reader, entry)) {
			entry->url = slice_make(NULL, 0);
			return false;
		}
	return slice_equal(entry->url, url);
}

static bool
has_kept_times(const struct validation *validation, const struct entry *entry,
    const struct entry *old)
{
	return entry->first_seen_s == old->first_seen_s &&
	    (entry->redated_s == old->redated_s ||
		entry->redated_s == validation->scope->now_s);
}

static bool
are_kept(struct validation *validation, const struct content *content,
    bool is_complete, struct block_reader *previous)
{
	struct block_walk walk = {&content->segment, 0};
	struct block_reader *reader = block_reader_new(block_walk_pull, &walk);
	struct entry entry;
	struct entry old = {0};
	bool is_good = true;

	while (is_good && block_next(reader, &entry)) {
		bool has_times = entry_has_times(
		    &entry, validation->scope->now_s);
		bool has_verdict = is_right(
		    validation, entry.url, entry.verdict, subject_of(content));

		if (has_times && has_verdict)
			continue;
		is_good = (has_verdict || !is_complete || !is_of_now(&entry)) &&
		    find(previous, entry.url, &old) &&
		    (has_verdict || entry.verdict == old.verdict) &&
		    (has_times || has_kept_times(validation, &entry, &old));
	}
	block_reader_free(reader);
	return is_good;
}

static bool
is_damaged(struct block_reader *previous)
{
	struct entry entry;

	while (block_next(previous, &entry))
		continue;
	return block_reader_damaged(previous);
}

const char *
validation_entries(struct validation *validation, const struct content *content,
    block_pull_fn *pull_previous, void *arg)
{
	struct block_reader *previous = block_reader_new(pull_previous, arg);
	const char *lie = NULL;

	if (content->failure == DIAG_STORE_DAMAGED)
		lie = is_damaged(previous) ? NULL : no_damage;
	else if (!are_kept(validation, content, content->is_complete, previous))
		lie = not_allowed;
	block_reader_free(previous);
	return lie;
}

const char *
validation_changes(struct validation *validation, const struct content *content,
    block_pull_fn *pull_previous, void *arg)
{
	struct block_reader *previous = block_reader_new(pull_previous, arg);
	struct block_walk walk = {&content->delta, 0};
	struct block_reader *reader = block_reader_new(block_walk_pull, &walk);
	struct change change;
	struct entry old = {0};
	bool is_good = true;

	while (is_good && block_next_change(reader, &change))
		is_good = is_right(validation, change.url, change.verdict,
			      subject_of(content)) ||
		    (is_of_before(&change) &&
			find(previous, change.url, &old) &&
			change.verdict == old.verdict);
	block_reader_free(reader);
	block_reader_free(previous);
	return is_good ? NULL : not_changed;
}
