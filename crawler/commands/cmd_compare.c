/*
 * freshet compare: the same bytes under strict, google and lenient.
 *
 *	a crawl under lenient keeps every body -> when all proofs are known, the
 *	reader reads each body once under each profile -> three sorted lists of
 *	URLs become groups of differences, which are printed at the end
 *
 * Indexes are read first, from the top down: the list of an index says under
 * which profiles its children are read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/human.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/out_json.h"
#include "base/sort.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/out.h"
#include "crawler/cli/targets.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/scratch_crawl.h"
#include "crawler/commands/target_files.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "store/lookup.h"
#include "store/proof.h"

#define PROFILES 3 /* the profiles of enum profile_name */
#define ALL ((1u << PROFILES) - 1)
#define SAMPLES 3 /* URLs shown of a group, unless all are wanted */
#define COLUMN 12

enum compare_what { DIFFERS_DOCUMENT, DIFFERS_URL, DIFFERS_DATE };

struct compare_document {
	int64_t id;
	char *url, *final_url; /* owned */
	uint64_t offset, body_len; /* of its body in the file of bodies */
	struct buf scope; /* of its reading in the crawl, as scope_put() says */
	uint32_t depth;
	bool is_index;
	/* the profiles, as bits, for which it is a target, or is listed by an
	 * index that they read */
	unsigned reached;
	/* of each profile: why no index leads to it, or why it was not read */
	enum diag_code codes[PROFILES];
};

/* What differs in the same way, for the same reasons. */
struct compare_group {
	enum compare_what what;
	/* the profiles that read the documents, list the URLs, or have the
	 * dates; of dates without codes, they have different ones */
	unsigned mask;
	/* of each other profile: the code by which it lost the document, URL or
	 * date; DIAG_OK: one of several codes */
	enum diag_code codes[PROFILES];
	uint64_t count;
	struct strings samples; /* owned */
};

struct compare {
	struct crawler crawl;
	struct target_files files;
	int bodies_fd; /* the bodies, one after the other */
	uint64_t bodies_len;
	struct compare_document *documents; /* owned */
	size_t count;
	size_t cap;
	struct idmap by_id; /* place of a document by its id */
	/* of the document at hand under each profile: the rules of locations,
	 * and what the reader made of it */
	struct location_scope scopes[PROFILES];
	struct content contents[PROFILES];
	int reading; /* the profile that a reader is at; -1: none */
	enum diag_code result; /* of the last reading */
	int error; /* errno of a body that could not be kept */
	struct compare_group *groups; /* owned */
	size_t group_count;
	size_t group_cap;
	/* of all documents under each profile; indexes count no entries */
	struct {
		uint64_t documents, urls, dated;
	} totals[PROFILES];
	uint64_t lost; /* documents without a body */
	bool is_damaged; /* a segment cannot be decoded */
};

/* The crawl under lenient. */

/* One line on stderr about a document or a target. */
static void
compare_on_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct compare *compare = arg;
	struct buf line = BUF_UP_TO(SIZE_MAX);

	if (code != DIAG_OK)
		(void)buf_print(&line, "%s: ", diag_name(code));
	(void)buf_put_slice(&line,
	    code != DIAG_OK && text.len == 0
		? slice_of(diag_info(code)->trigger)
		: text);
	scratch_crawl_say(&compare->crawl, url, buf_text(&line));
	buf_release(&line);
}

/* A reading was committed.  What was read is compared later, from its body;
 * here only documents without a body count.  A robots.txt that is missing is
 * nothing special, and a digest tells that all bytes came. */
static void
compare_on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct compare *compare = arg;
	struct buf path = BUF_UP_TO(SIZE_MAX);

	(void)profile;
	if (reading->content.kind == KIND_ROBOTS ||
	    (reading->outcome != OUTCOME_FAILED &&
		reading->outcome != OUTCOME_REFUSED) ||
	    reading->http.has_digest)
		return;
	compare->lost++;
	if (local_path(compare->crawl.local, url, &path))
		url = buf_text(&path);
	compare_on_problem(compare, reading->failure, url, slice_make(NULL, 0));
	buf_release(&path);
}

/* Append so many bytes of one file, from an offset on, to another file. */
static bool
compare_copy(struct compare *compare, int to, int from, off_t at, uint64_t len)
{
	while (len > 0) {
		ssize_t n = sendfile(to, from, &at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			compare->error = n < 0 ? errno : EIO;
			return false;
		}
		len -= (uint64_t)n;
	}
	return true;
}

/* The callback run_options.body.  A document is read again if a proof comes
 * late; its last body counts. */
static void
compare_body(void *arg, int64_t document_id, struct slice url,
    const struct reader_job *job, struct spool_file *spool)
{
	struct compare *compare = arg;
	uint32_t place = idmap_get(&compare->by_id, document_id);
	int fd = spool_reader_fd(spool);
	struct compare_document *document;

	if (place == IDMAP_NONE) {
		place = (uint32_t)compare->count;
		idmap_put(&compare->by_id, document_id, place);
		document = MEM_PUSH(
		    compare->documents, compare->count, compare->cap);
		*document = (struct compare_document){.id = document_id};
		buf_init(&document->scope, SIZE_MAX);
	}
	document = &compare->documents[place];
	free(document->url);
	free(document->final_url);
	document->url = slice_dup(url);
	document->final_url = slice_dup(url_text(&job->scope.location.final));
	/* the body before, if there was one, stays in the file: it is rare,
	 * and the file is thrown away */
	document->offset = compare->bodies_len;
	document->body_len = job->body_len;
	document->depth = job->scope.depth;
	document->reached = job->scope.is_child ? 0 : ALL;
	buf_clear(&document->scope);
	scope_put(&document->scope, &job->scope);
	if (fd < 0)
		compare->error = errno;
	else if (compare_copy(
		     compare, compare->bodies_fd, fd, 0, job->body_len))
		compare->bodies_len += job->body_len;
	if (fd >= 0)
		(void)close(fd);
	/* a disk that is full will stay so */
	if (compare->error != 0)
		loop_stop(compare->crawl.loop);
}

/* The readings. */

/* One reading is under way at a time, so the profile that it is of is known. */
static void
compare_was_read(void *arg, enum diag_code result, struct content *content)
{
	struct compare *compare = arg;

	compare->contents[compare->reading] = *content;
	compare->result = result;
	compare->reading = -1;
	loop_stop(compare->crawl.loop);
}

/* Read a document under a profile; its code says whether there is a list.
 * Returns false if the command cannot go on. */
static bool
compare_read(struct compare *compare, struct compare_document *document,
    enum profile_name name)
{
	struct crawler *crawl = &compare->crawl;
	struct store *store = crawl->store;
	struct location_scope *scope = &compare->scopes[name];
	const struct profile profile = profile_default(name);
	struct proof_document what = {.id = document->id,
	    .url = slice_of(document->url),
	    .final_url = slice_of(document->final_url)};
	struct reader_job job = {
	    .body_fd = scratch_fd(NULL), .body_len = document->body_len};
	struct wire wire = {buf_text(&document->scope), true};
	const struct site_rules *rules;
	struct document stored;
	struct buf host = BUF_UP_TO(SIZE_MAX);

	/* The rules of locations that hold for the document under the profile,
	 * now that all proofs are known; strict takes no --own for a proof. */
	location_scope_init(scope, &profile);
	(void)store_standing(store, document->id, &host);
	rules = options_site_rules(crawl->options, buf_text(&host));
	buf_release(&host);
	for (size_t i = 0;
	     profile.ownership == SWITCH_ON && i < rules->own->count; i++)
		string_set_add(&scope->own, slice_of(rules->own->items[i]));
	if (document->is_index &&
	    store_document_get(store, document->id, &stored)) {
		what.listed = proof_self_listed(store, stored.site_id);
		document_release(&stored);
	}
	(void)proof_scope(store, &what, INDEX_MAX_DEPTH, scope);
	self_listed_release(what.listed);
	/* files without --base have no URLs */
	scope->has_location = crawl->files == NULL ||
	    crawl->files->base != NULL;

	/* A reader begins at the beginning of its file, so it gets a copy of
	 * the body. */
	if (job.body_fd < 0)
		compare->error = errno;
	if (job.body_fd < 0 ||
	    !compare_copy(compare, job.body_fd, compare->bodies_fd,
		(off_t)document->offset, document->body_len)) {
		if (job.body_fd >= 0)
			(void)close(job.body_fd);
		return false;
	}
	/* All but the rules is as in the crawl: the headers, the time of the
	 * reading, the limits. */
	(void)scope_get(&wire, &job.scope);
	job.scope.has_previous = false;
	location_scope_release(&job.scope.location);
	location_scope_copy(&job.scope.location, scope);
	compare->reading = name;
	readers_submit(crawl->readers, &job, compare_was_read, compare);
	while (compare->reading >= 0 && crawl->stopped_by == 0)
		loop_run(crawl->loop);
	document->codes[name] = compare->result;
	return crawl->stopped_by == 0;
}

/* Three sorted lists. */

/* The code by which a profile lost a URL that it did not refuse for its place:
 * that of a sample of the URL, or the only one that has more entries than
 * samples. */
static enum diag_code
compare_value_code(const struct compare *compare, int profile, struct slice url)
{
	const struct findings *findings = &compare->contents[profile].findings;
	enum diag_code only = DIAG_OK;
	unsigned count = 0;
	enum diag_code code;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		/* Other findings repair something, and lose no entry. */
		if (diag_info(finding->code)->loss != LOSS_ENTRY)
			continue;
		for (unsigned k = 0; k < finding->sample_count; k++)
			if (raw_url_is(slice_of(finding->samples[k].text),
				&compare->scopes[profile].final, url, &code))
				return finding->code;
		/* If all entries of a code are samples, the URL would be one of
		 * them.  A limit ends the document, and names one URL only. */
		if (finding->count > FINDING_SAMPLES ||
		    finding->code == DIAG_TOO_MANY_URLS ||
		    finding->code == DIAG_TOO_MANY_SITEMAPS)
			only = count++ == 0 ? finding->code : DIAG_OK;
	}
	return only;
}

/* Count a document or URL in the group of its kind. */
static void
compare_add(
    struct compare *compare, const struct compare_group *like, struct slice url)
{
	bool wants_all = compare->crawl.options->listing.wants_all;
	struct compare_group *group;
	size_t i = 0;

	for (; i < compare->group_count; i++) {
		group = &compare->groups[i];
		if (group->what == like->what && group->mask == like->mask &&
		    memcmp(group->codes, like->codes, sizeof(like->codes)) == 0)
			break;
	}
	if (i == compare->group_count)
		*MEM_PUSH(compare->groups, compare->group_count,
		    compare->group_cap) = *like;
	group = &compare->groups[i];
	group->count++;
	if (wants_all || group->samples.count < SAMPLES)
		strings_add(&group->samples, url);
}

/* The order in which compare_lead() searches. */
static const struct sort_key compare_by_url[] = {
    {SORT_KEY(struct compare_document, url), false}, {0}};

/* An index lists the URL under the profiles of the mask: note that its child is
 * read under them, and why not under the others. */
static void
compare_lead(
    struct compare *compare, struct slice url, const struct compare_group *how)
{
	struct compare_document key = {.url = slice_dup(url)};
	struct compare_document *child = sort_find(&key, compare->documents,
	    compare->count, sizeof(key), compare_by_url);
	struct url final;

	free(key.url);
	if (child == NULL)
		return;
	url_init(&final);
	(void)url_parse_raw(&final, slice_of(child->final_url), NULL);
	for (int i = 0; i < PROFILES; i++) {
		enum diag_code code = how->codes[i];

		/* SPEC R-54: a redirect must not lead out of what the index
		 * may list */
		if ((how->mask & 1u << i) != 0)
			code = strcmp(child->url, child->final_url) == 0 ||
				location_judge(
				    &compare->scopes[i], &final, SUBJECT_CHILD)
				    .is_accepted
			    ? DIAG_OK
			    : DIAG_FETCH_REDIRECT_UNSAFE;
		/* another index may have led to it already */
		if ((child->reached & 1u << i) != 0)
			continue;
		if ((how->mask & 1u << i) != 0 && code == DIAG_OK)
			child->reached |= 1u << i;
		if (child->codes[i] == DIAG_OK ||
		    (child->reached & 1u << i) != 0)
			child->codes[i] = code;
	}
	url_release(&final);
}

/* Merge the lists of a document, which has one under each profile of `read`:
 * count how they differ.  Each list is in the order of URLs and has each URL
 * once, as segments are.  In each round `first` has the least URL of all lists,
 * and `at` the lists that have it, which then move on.  A list may have the URL
 * and refuse it: then the profile does not list it, but the verdict says why.
 */
static void
compare_merge(struct compare *compare, const struct compare_document *document,
    unsigned read)
{
	struct block_walk walks[PROFILES];
	/* NULL: at the end of the list */
	struct block_reader *readers[PROFILES] = {NULL};
	struct entry entries[PROFILES];
	unsigned at = ALL; /* the lists whose next entry is wanted */

	for (int i = 0; i < PROFILES; i++) {
		walks[i] = (struct block_walk){
		    &compare->contents[i].segment, 0};
		if ((read & 1u << i) != 0)
			readers[i] = block_reader_new(
			    block_walk_pull, &walks[i]);
	}
	for (;;) {
		struct compare_group urls = {.what = DIFFERS_URL};
		struct compare_group dates = {.what = DIFFERS_DATE};
		const struct entry *first = NULL; /* has the least URL */
		const struct entry *listed = NULL; /* under any profile */
		const struct entry *dated = NULL; /* of those, with a date */
		bool is_same = true;

		for (int i = 0; i < PROFILES; i++) {
			if (readers[i] != NULL && (at & 1u << i) != 0 &&
			    !block_next(readers[i], &entries[i])) {
				compare->is_damaged |= block_reader_damaged(
				    readers[i]);
				block_reader_free(readers[i]);
				readers[i] = NULL;
			}
			if (readers[i] != NULL &&
			    (first == NULL ||
				slice_order(entries[i].url, first->url) < 0))
				first = &entries[i];
		}
		if (first == NULL)
			return;
		at = 0;
		/* which profiles list the URL, and why do the others not? */
		for (int i = 0; i < PROFILES; i++) {
			const struct entry *entry = &entries[i];
			bool is_here = readers[i] != NULL &&
			    slice_equal(entry->url, first->url);

			if (is_here)
				at |= 1u << i;
			if (is_here && entry->verdict == VERDICT_ACCEPTED)
				urls.mask |= 1u << i;
			else if (is_here)
				urls.codes[i] = verdict_codes[entry->verdict];
			else
				urls.codes[i] = (read & 1u << i) == 0
				    ? document->codes[i]
				    : compare_value_code(
					  compare, i, first->url);
		}
		/* which of them have a date, and is it the same one? */
		for (int i = 0; i < PROFILES; i++) {
			const struct date *date = &entries[i].lastmod;

			if ((urls.mask & 1u << i) == 0)
				continue;
			if (listed == NULL)
				listed = &entries[i];
			is_same = is_same &&
			    date->precision == listed->lastmod.precision &&
			    date->epoch_s == listed->lastmod.epoch_s &&
			    date->nanos == listed->lastmod.nanos;
			if (date->precision == DATE_NONE)
				continue;
			dates.mask |= 1u << i;
			if (dated == NULL)
				dated = &entries[i];
		}
		/* The findings of a reading do not say which entry a date
		 * belongs to, but the form of a date says which profiles take
		 * it (SPEC ). */
		for (int i = 0; i < PROFILES; i++) {
			bool is_lenient = dates.mask == 1u << PROFILE_LENIENT;

			if ((urls.mask & ~dates.mask & 1u << i) == 0 ||
			    dated == NULL)
				continue;
			dates.codes[i] = is_lenient ? DIAG_LASTMOD_NONSTANDARD
						    : DIAG_INVALID_DATE;
			if (dated->lastmod.zone == ZONE_ASSUMED && !is_lenient)
				dates.codes[i] = DIAG_LASTMOD_NO_TIMEZONE;
			if (dated->lastmod.precision == DATE_DAY &&
			    dated->lastmod.zone == ZONE_EXPLICIT)
				dates.codes[i] = DIAG_LASTMOD_DATE_TIMEZONE;
		}
		if (document->is_index)
			compare_lead(compare, first->url, &urls);
		if (urls.mask != 0 && urls.mask != ALL)
			compare_add(compare, &urls, first->url);
		if (!is_same)
			compare_add(compare, &dates, first->url);
	}
}

/* Read a document under each profile that reaches it, and count what differs.
 * Its lists are freed at once: a site may have more URLs than memory has room
 * for. */
static bool
compare_document(struct compare *compare, struct compare_document *document)
{
	struct compare_group how = {.what = DIFFERS_DOCUMENT};
	bool can_go_on = true;
	struct buf path = BUF_UP_TO(SIZE_MAX);

	for (int i = 0; i < PROFILES; i++) {
		if ((document->reached & 1u << i) == 0 || !can_go_on)
			continue;
		can_go_on = compare_read(
		    compare, document, (enum profile_name)i);
		if (can_go_on && document->codes[i] == DIAG_OK)
			how.mask |= 1u << i;
	}
	if (can_go_on)
		compare_merge(compare, document, how.mask);
	for (int i = 0; i < PROFILES; i++) {
		const struct merge_counts *merge = &compare->contents[i].merge;

		if ((how.mask & 1u << i) != 0) {
			compare->totals[i].documents++;
			if (!document->is_index) {
				compare->totals[i].urls += verdict_accepted(
				    merge->entries, merge->refused);
				compare->totals[i].dated += merge->dated;
			}
		}
		how.codes[i] = document->codes[i];
		location_scope_release(&compare->scopes[i]);
		compare->scopes[i] = (struct location_scope){0};
		content_release(&compare->contents[i]);
		compare->contents[i] = (struct content){0};
	}
	/* a document that a profile does not have is a difference itself,
	 * under the name that the user knows */
	if (can_go_on && how.mask != ALL) {
		if (!local_path(
			compare->crawl.local, slice_of(document->url), &path))
			(void)buf_print(&path, "%s", document->url);
		compare_add(compare, &how, buf_text(&path));
		buf_release(&path);
	}
	return can_go_on;
}

/* Compare the documents of the crawl: indexes, from the top down, and then the
 * others. */
static void
compare_documents(struct compare *compare)
{
	struct document stored;

	/* The store knows the kind of a document only after its last reading.
	 */
	for (size_t i = 0; i < compare->count; i++) {
		struct compare_document *document = &compare->documents[i];

		if (!store_document_get(
			compare->crawl.store, document->id, &stored))
			continue;
		document->is_index = stored.kind == KIND_INDEX;
		document_release(&stored);
	}
	sort_rows(compare->documents, compare->count,
	    sizeof(*compare->documents), compare_by_url);
	for (uint32_t depth = 0; depth <= INDEX_MAX_DEPTH + 1; depth++)
		for (size_t i = 0; i < compare->count; i++) {
			struct compare_document *at = &compare->documents[i];
			bool is_last = depth == INDEX_MAX_DEPTH + 1;

			if ((at->is_index ? at->depth == depth : is_last) &&
			    !compare_document(compare, at))
				return;
		}
}

/* The output. */

/* Append a group for people: what differs, which profiles have it, why each of
 * the others does not, and some of it. */
static void
compare_text_group(struct out *out, const struct compare_group *group)
{
	static const char *const whats[] = {"document", "URL", "lastmod"};
	struct buf *text = &out->text;
	bool is_date = group->what == DIFFERS_DATE;
	bool has_others = false;
	const char *before = " ";

	for (int i = 0; i < PROFILES; i++)
		has_others |= is_date ? group->codes[i] != DIAG_OK
				      : (group->mask & 1u << i) == 0;
	out_severity(out, SEVERITY_WARNING);
	(void)buf_print(text, "%s %s%s %s", human_of(group->count, NULL).text,
	    whats[group->what], is_date || group->count == 1 ? "" : "s",
	    !has_others            ? "different in"
		: group->mask == 0 ? "not read"
				   : "only in");
	out_severity(out, SEVERITY_NONE);
	for (int i = 0; i < PROFILES; i++)
		if ((group->mask & 1u << i) != 0) {
			(void)buf_print(text, "%s%s", before, profile_names[i]);
			before = ", ";
		}
	out_end_line(out);
	for (int i = 0; i < PROFILES; i++) {
		enum diag_code code = group->codes[i];

		/* a profile that does not list the URL lost no date */
		if ((group->mask & 1u << i) != 0 ||
		    (is_date && code == DIAG_OK))
			continue;
		if (code == DIAG_OK)
			(void)buf_print(text,
			    "  %s: for one of several reasons; see check",
			    profile_names[i]);
		else
			(void)buf_print(text, "  %s: %s (%s)", profile_names[i],
			    diag_name(code), diag_info(code)->rule);
		out_end_line(out);
	}
	for (size_t i = 0; i < group->samples.count; i++) {
		(void)buf_print(text, "  ");
		(void)out_cut(out, slice_of(group->samples.items[i]), 2);
		out_end_line(out);
	}
	if (group->count > group->samples.count) {
		(void)buf_print(text, "  and %s more; --all names them",
		    human_of(group->count - group->samples.count, NULL).text);
		out_end_line(out);
	}
}

/* Print the groups, and then what all documents have under each profile. */
static void
compare_text(const struct compare *compare, struct out *out)
{
	struct buf *text = &out->text;

	for (size_t i = 0; i < compare->group_count; i++)
		compare_text_group(out, &compare->groups[i]);
	(void)buf_print(text, "%s",
	    compare->count == 0             ? "nothing was read"
		: compare->group_count == 0 ? "all profiles agree on "
					    : "the profiles differ in ");
	if (compare->count > 0)
		human_put(text, compare->count, "document");
	if (compare->lost > 0) {
		(void)buf_print(text, "; could not be fetched: ");
		human_put(text, compare->lost, NULL);
	}
	out_end_line(out);
	for (int i = 0; i < PROFILES && compare->count > 0; i++) {
		(void)buf_print(text, "  %-8s", profile_names[i]);
		out_grouped(out, compare->totals[i].urls, COLUMN);
		(void)buf_print(
		    text, compare->totals[i].urls == 1 ? " URL, " : " URLs,");
		out_grouped(out, compare->totals[i].dated, COLUMN);
		(void)buf_print(text, " with lastmod");
		out_end_line(out);
	}
}

/* The same for programs: an object a line (docs/reference/json.md). */
static void
compare_json(const struct compare *compare, struct out *out)
{
	static const char *const whats[] = {"document", "url", "lastmod"};
	struct buf *text = &out->text;

	for (size_t i = 0; i < compare->group_count; i++) {
		const struct compare_group *group = &compare->groups[i];

		out_json_line(text, "difference");
		out_json_string(text, "what", whats[group->what]);
		out_json_begin(text, "in", '[');
		for (int k = 0; k < PROFILES; k++)
			if ((group->mask & 1u << k) != 0)
				out_json_string(text, NULL, profile_names[k]);
		out_json_end(text, ']');
		/* a code for each profile that does not have it */
		out_json_begin(text, "codes", '{');
		for (int k = 0; k < PROFILES; k++)
			if ((group->mask & 1u << k) == 0)
				out_json_code(
				    text, profile_names[k], group->codes[k]);
		out_json_end(text, '}');
		out_json_number(text, "count", group->count);
		out_json_strings(text, "samples", &group->samples);
		(void)out_end_json(out);
	}
	out_json_line(text, "summary");
	out_json_number(text, "documents", compare->count);
	out_json_number(text, "lost", compare->lost);
	out_json_begin(text, "profiles", '{');
	for (int i = 0; i < PROFILES; i++) {
		out_json_begin(text, profile_names[i], '{');
		out_json_number(
		    text, "documents", compare->totals[i].documents);
		out_json_number(text, "urls", compare->totals[i].urls);
		out_json_number(text, "dated", compare->totals[i].dated);
		out_json_end(text, '}');
	}
	out_json_end(text, '}');
	out_json_line_end(text);
}

/* Crawl, compare and print; returns the exit status. */
static int
compare_run(struct compare *compare, struct out *out)
{
	struct crawler *crawl = &compare->crawl;
	const struct string_list *args = &crawl->options->targets.args;
	struct crawl_options request = crawler_request(crawl);
	bool is_good = true;
	struct buf target = BUF_UP_TO(SIZE_MAX);
	int error = 0;
	int status;

	/* Fetch every document that lenient leads to, once.  Whatever strict
	 * and google read is among these documents, because lenient refuses the
	 * least. */
	request.document = compare_on_document;
	request.problem = compare_on_problem;
	request.arg = compare;
	scratch_crawl_begin(crawl, &request);
	for (size_t i = 0; is_good && i < args->count; i++)
		is_good = target_files_ask(
		    &compare->files, crawl, args->items[i], &target);
	buf_release(&target);
	if (!is_good)
		return EXIT_USAGE;
	scratch_crawl_run(crawl);
	if (compare->error == 0 && crawl->stopped_by == 0 &&
	    !crawler_complain(crawl))
		compare_documents(compare);
	if (readers_are_lost(crawl->readers, &error)) {
		/* readers cannot be started, or their parent died */
		struct buf why = BUF_UP_TO(SIZE_MAX);

		crawler_readers_trouble(error, &why);
		complain("%s", buf_str(&why));
		buf_release(&why);
		return error == 0 ? EXIT_BUG : EXIT_RESOURCES;
	}
	if (compare->error != 0)
		return complain_with(EXIT_DISK,
		    "no room for bodies in the folder for temporary files: %s",
		    strerrordesc_np(compare->error));
	if (crawl->stopped_by != 0)
		return 128 + crawl->stopped_by;
	if (crawl->options->output.is_json)
		compare_json(compare, out);
	else
		compare_text(compare, out);
	/* The exit status, in the order of precedence of exit.h. */
	status = scratch_crawl_status(crawl);
	if (status != EXIT_DONE && status != EXIT_FINDINGS &&
	    status != EXIT_BUDGET)
		return status;
	if (compare->is_damaged)
		return EXIT_BUG;
	if (compare->count == 0)
		return EXIT_NO_TARGET;
	if (status == EXIT_BUDGET)
		return status;
	return compare->group_count + compare->lost + compare->files.bad > 0
	    ? EXIT_FINDINGS
	    : EXIT_DONE;
}

int
command_compare(struct options *options, struct forkserver *forkserver)
{
	struct compare compare = {
	    .crawl = {.options = options}, .bodies_fd = -1, .reading = -1};
	struct crawler *crawl = &compare.crawl;
	struct out out;
	int status;

	if (!options_read_targets(options))
		return EXIT_USAGE;
	if (options->targets.args.count == 0)
		return complain_with(EXIT_USAGE,
		    "compare needs a target: a host, the URL of a site, an "
		    "index or a sitemap, or a file");
	out_init(&out, &options->output);
	status = target_files_init(&compare.files, options);
	if (compare.files.root != NULL)
		crawl->files = &compare.files.options;
	if (status == EXIT_DONE && crawl->files != NULL &&
	    crawl->files->base == NULL && !options->output.is_quiet)
		complain(TARGET_FILES_NO_BASE);
	crawl->body = compare_body;
	crawl->hooks_arg = &compare;
	/* an unlinked file: nothing is left, however this process ends */
	compare.bodies_fd = scratch_fd(NULL);
	if (status == EXIT_DONE && compare.bodies_fd < 0)
		status = complain_with(EXIT_DISK,
		    "cannot make temporary files: %s", strerrordesc_np(errno));
	if (status == EXIT_DONE)
		status = scratch_crawl_open(crawl, forkserver);
	if (status == EXIT_DONE)
		status = compare_run(&compare, &out);
	crawler_close(crawl);
	for (size_t i = 0; i < compare.count; i++) {
		free(compare.documents[i].url);
		free(compare.documents[i].final_url);
		buf_release(&compare.documents[i].scope);
	}
	for (size_t i = 0; i < compare.group_count; i++)
		strings_release(&compare.groups[i].samples);
	free(compare.documents);
	free(compare.groups);
	free(compare.by_id.slots);
	if (compare.bodies_fd >= 0)
		(void)close(compare.bodies_fd);
	url_release(&compare.files.base);
	free(compare.files.root);
	return out_end(&out, status);
}
