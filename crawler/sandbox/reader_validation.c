/*
 * Validation of a reader's answers.
 *
 * Nearly all URLs are in the origin or the directory of the document and
 * consist of characters that normalisation leaves alone: for these, comparing
 * bytes is enough. The others are parsed and judged, as the reader should have
 * done.
 */
#include "crawler/sandbox/reader_validation.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/parse/page.h"
#include "crawler/parse/read.h"
#include "store/segment/bloom.h"

/* Far more than any document has; as a signed number of the store it is
 * positive. */
#define COUNT_MAX (UINT64_C(1) << 48)

static const char no_damage[] = "damage that is not there";
static const char not_allowed[] = "an entry that the document may not list";
static const char not_changed[] = "a change that the document may not list";

/* Escapes make a URL up to three times as long. This is twice that, because the
 * segment keeps entries that are missing for the first time. */
#define URL_GROWTH 6

#define SUBJECTS (SUBJECT_PAGE + 1)

struct validation {
	const struct scope *scope; /* borrowed */
	struct profile parsing;
	/* Counts for each subject, because the kind of the document comes at
	 * the end. */
	/* every URL below it is accepted; empty: there is no such prefix */
	struct buf prefix[SUBJECTS];
	/* wrong verdicts: `wrong` of entries that the reading had,
	 * `wrong_changes` of its changes */
	uint64_t wrong[SUBJECTS];
	uint64_t wrong_changes[SUBJECTS];
	/* verdicts that are right only if the previous segment has them */
	uint64_t kept[SUBJECTS];
	uint64_t open[SUBJECTS]; /* URLs that were not judged yet */
	struct url url;
	struct block_reader *reader; /* owned */
	struct slice next; /* the block that reader pulls next; empty: none */
	struct merge_counts counts;
	uint64_t changes[DELTA_KINDS];
	/* times that are right only if the previous segment has them */
	uint64_t odd;
	uint64_t bytes,
	    most_bytes; /* of URLs: so far; the most that a document has */
	uint64_t keys[BLOCK_ENTRIES];
	uint64_t hashes[BLOCK_ENTRIES]; /* see struct block */
	/* the current block begins or ends with another URL than its frame
	 * says */
	bool is_beside;
	/* the URL before in the block is an accepted page by its bytes: see
	 * validation_note() */
	bool is_plain;
	struct buf bloom;
};

static struct slice
validation_pull(void *arg)
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

	validation->reader = block_reader_new(validation_pull, validation);
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

/* Verdicts of the rules on one URL. */

/* validation_judge(validation, url, verdicts): the verdict for each subject;
 * false: url is not normalised. */
static bool
validation_judge(struct validation *validation, struct slice url,
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

/* is_accepted_page(validation, url): do the bytes alone prove that the rules
 * accept the page? False: validation_judge() must decide. */
static bool
is_accepted_page(const struct validation *validation, struct slice url)
{
	struct slice prefix = buf_text(&validation->prefix[SUBJECT_PAGE]);

	return prefix.len > 0 && slice_starts(url, prefix) &&
	    url_is_plain(url, prefix.len, NULL);
}

/* is_accepted_child(validation, url): the same for a child; is_accepted_page
 * was true for url. */
static bool
is_accepted_child(const struct validation *validation, struct slice url)
{
	const struct location_scope *location = &validation->scope->location;
	struct slice prefix = buf_text(&validation->prefix[SUBJECT_CHILD]);

	/* The page's prefix, which url has, may begin with the child's. */
	if (prefix.len == 0 ||
	    (prefix.len > validation->prefix[SUBJECT_PAGE].len &&
		!slice_starts(url, prefix)))
		return false;
	/* SPEC R-69: an index may not list itself. */
	return !slice_equal(url, url_text(&location->requested)) &&
	    !slice_equal(url, url_text(&location->final));
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
	/* The owner may have listed just this URL (SPEC R-66), which proves
	 * nothing for others. */
	if (self_listed_has(
		validation->scope->location.listed, buf_text(text)) ||
	    !validation_judge(validation, buf_text(text), verdicts) ||
	    verdicts[subject] != VERDICT_ACCEPTED)
		return false;
	text->len--;
	return true;
}

void
validation_begin(struct validation *validation, const struct scope *scope)
{
	validation->scope = scope;
	validation->parsing = profile_default(PROFILE_LENIENT);
	validation->parsing.max_loc_chars = URL_MAX_BYTES;
	validation->counts = (struct merge_counts){0};
	memset(validation->changes, 0, sizeof(validation->changes));
	validation->odd = validation->bytes = 0;
	for (int i = 0; i < SUBJECTS; i++) {
		validation->wrong[i] = validation->wrong_changes[i] = 0;
		validation->kept[i] = validation->open[i] = 0;
		/* The rules give all URLs below one directory
		 * or origin the same verdict, except the document itself, and
		 * unless the owner's own prefixes (`own`) exist, which may end
		 * inside a name. */
		enum location_subject subject = (enum location_subject)i;
		const struct url *final = &validation->scope->location.final;
		struct buf root = BUF_UP_TO(URL_MAX_BYTES);

		(void)buf_put_slice(&root, url_origin(final));
		(void)buf_put_char(&root, '/');
		if (validation->scope->location.own.count > 0 ||
		    url_text(final).len == 0 ||
		    (!allows_below(validation, subject, buf_text(&root)) &&
			!allows_below(
			    validation, subject, url_directory(final))))
			buf_clear(&validation->prefix[subject]);
		buf_release(&root);
	}
	validation->most_bytes = URL_GROWTH *
	    (scope->location.profile.limit_overrun == OVERRUN_ALL
		    ? scope->limits.hard_bytes
		    : scope->limits.max_bytes);
}

/* Blocks. */

/* validation_note(validation, url, verdict, wrong): check a verdict of the
 * reader on the URL that validation->reader gave last, and count it in `wrong`
 * if the rules say otherwise. */
static void
validation_note(struct validation *validation, struct slice url,
    enum verdict verdict, uint64_t wrong[SUBJECTS])
{
	enum verdict verdicts[SUBJECTS];
	bool is_url;

	/* As is_accepted_page() of the URL that validation->reader gave last.
	 * What it shares with the URL before was looked at there: whether a
	 * byte is plain depends on the byte before at most. */
	size_t shared = block_shared_bytes(validation->reader);

	validation->is_plain = validation->is_plain &&
		shared >= validation->prefix[SUBJECT_PAGE].len
	    ? url_is_plain(url, shared, NULL)
	    : is_accepted_page(validation, url);
	if (validation->is_plain) {
		wrong[SUBJECT_PAGE] += verdict != VERDICT_ACCEPTED;
		if (is_accepted_child(validation, url))
			wrong[SUBJECT_CHILD] += verdict != VERDICT_ACCEPTED;
		else
			validation->open[SUBJECT_CHILD]++;
		return;
	}
	is_url = validation_judge(validation, url, verdicts);
	for (int i = 0; i < SUBJECTS; i++)
		wrong[i] += !is_url || verdict != verdicts[i];
}

/* is_of_before(change): is the change about an entry that the reading lacked?
 */
static bool
is_of_before(const struct change *change)
{
	return change->kind == DELTA_REMOVED || change->kind == DELTA_GONE ||
	    change->kind == DELTA_LEFT;
}

/* close_block(validation, block, count): does the block contain what its frame
 * says? */
static const char *
close_block(
    struct validation *validation, const struct block *block, uint32_t count)
{
	if (block_reader_damaged(validation->reader))
		return "a block that cannot be decoded";
	return count != block->count || validation->is_beside
	    ? "a block of other entries than it says"
	    : NULL;
}

/* note_url(validation, block, at, url): count URL number `at`, from 0, of a
 * block, which validation->reader gave last. False: the URLs are longer than
 * the document can be. A packed block is small, but main's work grows with the
 * length of its URLs. */
static bool
note_url(struct validation *validation, const struct block *block, uint32_t at,
    struct slice url)
{
	validation->bytes += url.len;
	if (at == 0)
		validation->is_beside = !slice_equal(url, block->first_url);
	if (at + 1 == block->count && !slice_equal(url, block->last_url))
		validation->is_beside = true;
	return validation->bytes <= validation->most_bytes;
}

static const char too_much[] = "more URLs than the document can hold";

const char *
validation_segment(struct validation *validation, struct block *block)
{
	struct entry entry;
	uint32_t count = 0;
	bool is_first = validation->scope->is_first;
	bool is_stored = !validation->scope->is_scratch;
	const char *lie;

	block_reader_reset(validation->reader, false);
	validation->next = block->data;
	validation->is_beside = validation->is_plain = false;
	while (block_next(validation->reader, &entry)) {
		if (!note_url(validation, block, count, entry.url))
			return too_much;
		if (is_first || is_stored) {
			uint64_t key = bloom_key(entry.url);

			validation->keys[count] = key;
			validation->hashes[count] = (key & ~UINT64_C(1)) |
			    (entry.verdict == VERDICT_ACCEPTED);
		}
		is_first &= entry.missed == 0;
		count++;
		validation_note(validation, entry.url,
		    (enum verdict)entry.verdict,
		    entry_is_absent(&entry) ? validation->kept
					    : validation->wrong);
		/* A complete reading had the entries that are not absent.  An
		 * entry may be older than a clock that was set back. */
		unsigned odd = entry_odd(&entry, validation->scope->now_s);

		validation->odd += (odd & ODD_TIMES) != 0;
		if ((odd & (ODD_HINTS | ODD_DATE)) != 0)
			return "an entry with values that there are not";
		merge_count(
		    &validation->counts, &entry, validation->scope->now_s);
	}
	validation->counts.segment_blocks++;
	lie = close_block(validation, block, count);
	if (lie != NULL)
		return lie;
	if (is_stored) {
		buf_clear(&validation->bloom);
		bloom_make(&validation->bloom, validation->keys, count);
		block->bloom = buf_text(&validation->bloom);
	}
	if (is_first)
		block->hashes = validation->hashes;
	return NULL;
}

const char *
validation_delta(struct validation *validation, const struct block *block)
{
	struct change change;
	uint32_t count = 0;

	block_reader_reset(validation->reader, false);
	validation->next = block->data;
	validation->is_beside = validation->is_plain = false;
	while (block_next_change(validation->reader, &change)) {
		if (!note_url(validation, block, count++, change.url))
			return too_much;
		validation_note(validation, change.url,
		    (enum verdict)change.verdict,
		    is_of_before(&change) ? validation->kept
					  : validation->wrong_changes);
		if (change_odd(&change) != 0)
			return "a change with dates or a verdict that it has "
			       "not";
		validation->changes[change.kind]++;
	}
	validation->counts.delta_blocks++;
	return close_block(validation, block, count);
}

/* The content: what the reader says about all entries. */

/* is_of_readers(code): can a reader find this code? Codes about the network,
 * the store and the whole run are not a reader's, except the one for a body
 * that the network cut short. */
static bool
is_of_readers(enum diag_code code)
{
	struct slice name = slice_of(diag_name(code));

	return code == DIAG_FETCH_NETWORK_ERROR ||
	    (diag_info(code)->loss != LOSS_RUN &&
		!slice_starts(name, slice_of("fetch-")) &&
		!slice_starts(name, slice_of("robots-")) &&
		code != DIAG_READER_CRASHED && code != DIAG_MASS_DROP &&
		code != DIAG_VERDICT_CHANGED);
}

/* has_codes(content): are all codes a reader's? STORE_DAMAGED is accepted here,
 * because validation_previous() checks it. */
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

/* has_counts(validation, content): does the reader count what it sent? */
static bool
has_counts(const struct validation *validation, const struct content *content)
{
	const struct merge_counts *claimed = &content->merge;
	const struct merge_counts *is = &validation->counts;
	bool has_delta = is->delta_blocks > 0;

	/* Without a delta all entries are new, or nothing has changed. */
	for (int i = 0; i < DELTA_KINDS; i++)
		if (has_delta ? claimed->changes[i] != validation->changes[i]
			      : claimed->changes[i] != 0 &&
			    (i != DELTA_ADDED ||
				claimed->changes[i] != claimed->entries))
			return false;
	return claimed->entries == is->entries &&
	    claimed->missed == is->missed && claimed->held == is->held &&
	    claimed->held_since_s == is->held_since_s &&
	    claimed->gone_since_s >= 0 && claimed->gone_since_s <= UINT32_MAX &&
	    claimed->refused == is->refused &&
	    memcmp(claimed->refused_by, is->refused_by,
		sizeof(is->refused_by)) == 0 &&
	    claimed->dated == is->dated &&
	    claimed->segment_blocks == is->segment_blocks &&
	    claimed->delta_blocks == is->delta_blocks &&
	    claimed->regressed <= claimed->changes[DELTA_REDATED] &&
	    date_order(&claimed->newest, &is->newest) == 0 &&
	    claimed->newest.precision == is->newest.precision &&
	    claimed->newest.zone == is->newest.zone;
}

const char *
validation_content(struct validation *validation, const struct content *content,
    bool *has_doubts)
{
	enum location_subject subject = content->kind == KIND_INDEX
	    ? SUBJECT_CHILD
	    : SUBJECT_PAGE;
	uint32_t blocks = validation->counts.segment_blocks +
	    validation->counts.delta_blocks;
	struct page_facts facts;
	uint64_t doubts;
	struct slice text;
	unsigned wall;

	*has_doubts = false;
	if (content->decoded_bytes > COUNT_MAX || !has_codes(content))
		return "a finding that is no reader's";
	/* Neither a page nor a robots.txt has entries. */
	if (validation->scope->is_page)
		return page_get(buf_text(&content->page), &facts) &&
			(facts.text_bytes == 0 ||
			    validation->scope->wants_text) &&
			content->kind == KIND_UNKNOWN &&
			content->findings.count == 0 &&
			content->alternates.len == 0 && content->seen == 0 &&
			has_counts(validation, content) && blocks == 0
		    ? NULL
		    : "what no page says of itself";
	if (validation->scope->is_robots)
		return read_robots_get(content, &wall, &text) &&
			has_counts(validation, content) && blocks == 0
		    ? NULL
		    : "what is no robots.txt";
	if (validation->scope->dates != NULL)
		return content->kind == KIND_UNKNOWN &&
			content->findings.count == 0 &&
			content->seen <= COUNT_MAX &&
			content->accepted <= content->seen &&
			has_counts(validation, content) && blocks == 0
		    ? NULL
		    : "what is no sitemap with other dates";
	if (content->failure != DIAG_OK) {
		*has_doubts = content->failure == DIAG_STORE_DAMAGED;
		return *has_doubts && !validation->scope->has_previous
		    ? no_damage
		    : NULL;
	}
	if (content->kind == KIND_UNKNOWN || content->kind == KIND_ROBOTS)
		return "a document of no kind";
	if (validation->wrong_changes[subject] > 0 ||
	    content->merge.changes[DELTA_BACK] > 0)
		return not_changed;
	if (content->is_complete && validation->wrong[subject] > 0)
		return not_allowed;
	/* How much must be looked up in the previous segment? */
	doubts = validation->odd + validation->kept[subject] +
	    validation->wrong[subject];
	*has_doubts = doubts > 0 || validation->open[subject] > 0;
	if (!has_counts(validation, content))
		return "counts of other entries";
	const struct merge_counts *merge = &content->merge;
	if (!(content->seen <= COUNT_MAX && content->refused <= COUNT_MAX &&
		content->accepted <= content->seen &&
		content->seen <= content->accepted + content->refused &&
		(!content->is_complete ||
		    (merge->entries <=
			    content->seen + validation->counts.held &&
			verdict_accepted(merge->entries, merge->refused) <=
			    content->accepted + validation->counts.held)) &&
		(validation->counts.held == 0 ||
		    validation->scope->has_previous)))
		return "counts that make no sum";
	if (!content->is_complete &&
	    content->merge.changes[DELTA_REMOVED] +
		    content->merge.changes[DELTA_GONE] +
		    content->merge.changes[DELTA_LEFT] >
		0)
		return "absence, and yet not all was read";
	return doubts > 0 && !validation->scope->has_previous ? not_allowed
							      : NULL;
}

/* Entries that were kept from the previous segment. */

/* is_right(validation, url, verdict, subject): do the rules give this verdict?
 */
static bool
is_right(struct validation *validation, struct slice url, uint8_t verdict,
    enum location_subject subject)
{
	enum verdict verdicts[SUBJECTS];

	if (is_accepted_page(validation, url) &&
	    (subject == SUBJECT_PAGE || is_accepted_child(validation, url)))
		return verdict == VERDICT_ACCEPTED;
	return validation_judge(validation, url, verdicts) &&
	    verdict == verdicts[subject];
}

/* validation_find(reader, url, entry): find url in the previous segment; the
 * calls are in ascending order. *entry is the last entry that was read; zeroed
 * before the first call. */
static bool
validation_find(
    struct block_reader *reader, struct slice url, struct entry *entry)
{
	while (entry->url.len == 0 || slice_order(entry->url, url) < 0)
		if (!block_next(reader, entry)) {
			entry->url = slice_make(NULL, 0);
			return false;
		}
	return slice_equal(entry->url, url);
}

static bool
are_entries_kept(struct validation *validation, struct block_reader *reader,
    struct block_reader *previous, const struct content *content,
    enum location_subject subject)
{
	struct entry entry, old = {0};
	bool is_good = true;

	while (is_good && block_next(reader, &entry)) {
		bool has_times = (entry_odd(&entry, validation->scope->now_s) &
				     ODD_TIMES) == 0;
		bool has_verdict = is_right(
		    validation, entry.url, entry.verdict, subject);

		if (has_times && has_verdict)
			continue;
		is_good = (has_verdict || !content->is_complete ||
			      entry_is_absent(&entry)) &&
		    validation_find(previous, entry.url, &old) &&
		    (has_verdict || entry.verdict == old.verdict) &&
		    (has_times ||
			(entry.first_seen_s == old.first_seen_s &&
			    (entry.redated_s == old.redated_s ||
				entry.redated_s == validation->scope->now_s)));
	}
	return is_good;
}

static bool
are_changes_kept(struct validation *validation, struct block_reader *reader,
    struct block_reader *previous, enum location_subject subject)
{
	struct change change;
	struct entry old = {0};
	bool is_good = true;

	while (is_good && block_next_change(reader, &change))
		is_good = is_right(validation, change.url, change.verdict,
			      subject) ||
		    (is_of_before(&change) &&
			validation_find(previous, change.url, &old) &&
			change.verdict == old.verdict);
	return is_good;
}

const char *
validation_previous(struct validation *validation,
    const struct content *content, bool of_changes,
    block_pull_fn *pull_previous, void *arg)
{
	struct block_reader *previous = block_reader_new(pull_previous, arg);
	struct block_walk walk = {
	    of_changes ? &content->delta : &content->segment, 0};
	struct block_reader *reader = block_reader_new(block_walk_pull, &walk);
	enum location_subject subject = content->kind == KIND_INDEX
	    ? SUBJECT_CHILD
	    : SUBJECT_PAGE;
	const char *lie = NULL;
	struct entry entry;

	if (content->failure == DIAG_STORE_DAMAGED) {
		while (block_next(previous, &entry))
			continue;
		lie = block_reader_damaged(previous) ? NULL : no_damage;
	} else if (of_changes &&
	    !are_changes_kept(validation, reader, previous, subject))
		lie = not_changed;
	else if (!of_changes &&
	    !are_entries_kept(validation, reader, previous, content, subject))
		lie = not_allowed;
	block_reader_free(reader);
	block_reader_free(previous);
	return lie;
}
