/* The end of a report: the links between documents, their order, the groups of
 * findings and the sums. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/civil.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/target.h"
#include "crawler/report/report_accept.h"
#include "crawler/report/report_part.h"
#include "crawler/report/report_unlisted.h"
#include "store/query.h"
#include "store/reach.h"
#include "store/site.h"

/* Which index lists which document. */

/* with more targets, their URLs are not compared with each document */
#define MANY_TARGETS 1000
#define INDEXES_MAX 500 /* of one site (SPEC R-40) */

struct document_links {
	struct report_builder *builder;
	uint32_t child; /* number of the part */
};

/* Add a sample: the URL, and the other document that has it. With
 * DIAG_URL_SLASH_BOTH has_slash is of this document, and the other one lists
 * the page in the other form. */
static void
also_in(struct report_builder *builder, uint32_t number, enum diag_code code,
    struct slice url, bool has_slash, uint32_t other)
{
	struct report_finding *finding = report_part_find(
	    &builder->parts[number], code);
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (code == DIAG_URL_SLASH_BOTH)
		url.len -= slice_ends(url, slice_of("/"));
	(void)buf_put_slice(&text, url);
	if (code == DIAG_URL_SLASH_BOTH && has_slash)
		(void)buf_put_char(&text, '/');
	url.len = text.len;
	(void)buf_print(&text, " is also%s in %s",
	    code != DIAG_URL_SLASH_BOTH ? ""
		: has_slash             ? ", without the slash at its end,"
					: ", with a slash at its end,",
	    builder->parts[other].document.url);
	report_part_sample(builder, finding, number,
	    &(struct report_place){.loc = slice_make(text.p, url.len)},
	    buf_text(&text));
	buf_release(&text);
}

/* The first index by URL is the child's; each other one lists the child once
 * too often. */
static void
note_parent(void *arg, int64_t index_id, struct slice url)
{
	struct document_links *links = arg;
	struct report_builder *builder = links->builder;
	struct report_part *child = &builder->parts[links->child];
	uint32_t number = idmap_get(&builder->by_id, index_id);
	uint32_t first = child->parent;
	uint32_t second = number;

	if (number == IDMAP_NONE)
		return;
	/* Of indexes that list each other one is above the others, so that the
	 * way up always ends. */
	for (uint32_t up = number; up != NO_PART;
	     up = builder->parts[up].parent)
		if (up == links->child)
			return;
	if (first == NO_PART) {
		child->parent = number;
		return;
	}
	/* Which index is read first depends on the network; which URL is the
	 * smaller one does not. */
	if (slice_order(url, slice_of(builder->parts[first].document.url)) <
	    0) {
		child->parent = number;
		second = first;
		first = number;
	}
	report_part_find(&builder->parts[second], DIAG_DUPLICATE_CHILD)
	    ->count++;
	also_in(builder, second, DIAG_DUPLICATE_CHILD,
	    slice_of(child->document.url), false, first);
}

/* Where a document lists the URL of a sample, and an index a document that was
 * not read. */

struct wanted_place {
	uint32_t part; /* lists the URL */
	const char *url;
	char *owned; /* the same, or NULL */
	uint32_t *line, *entry; /* where the answer goes */
};

static const struct sort_key wanted_by_part[] = {
    {SORT_KEY(struct wanted_place, part), false},
    {SORT_KEY(struct wanted_place, url), false}, {0}};

static void
find_places(const struct report_builder *builder, struct store *store,
    struct wanted_place *wanted, size_t count)
{
	const struct report_part *part = &builder->parts[wanted->part];
	struct block_source *source = block_source_new(
	    store, BLOCKS_OF_SEGMENT, part->id);
	struct block_reader *reader = block_source_reader(source);
	struct entry entry;
	size_t i = 0;

	while (i < count && block_next(reader, &entry)) {
		struct report_place place = {0};

		for (; i < count &&
		     slice_order(slice_of(wanted[i].url), entry.url) <= 0;
		     i++) {
			if (!slice_equal(slice_of(wanted[i].url), entry.url))
				continue;
			if (place.entry == 0)
				place = (struct report_place){
				    .line = content_line(
					buf_text(&part->lines), entry.ordinal),
				    .entry = entry.ordinal + 1};
			*wanted[i].line = place.line;
			*wanted[i].entry = place.entry;
		}
	}
	block_source_close(source, NULL, 0);
}

/* Findings come while documents are read, long before anybody knows which of
 * them become samples. So lines are looked up at the end, document after
 * document, each in one walk over its entries. */
static void
report_places(struct report_builder *builder, struct store *store)
{
	struct wanted_place *wanted = NULL;
	size_t count = 0, cap = 0;
	struct document document;

	for (uint32_t i = 0; store != NULL && i < builder->count; i++) {
		struct report_part *part = &builder->parts[i];
		struct report_document *its = &part->document;

		if (part->id == 0)
			continue;
		for (size_t k = 0; k < its->finding_count * REPORT_SAMPLES;
		     k++) {
			struct report_finding
			    *finding = &its->findings[k / REPORT_SAMPLES];
			struct report_sample
			    *sample = &finding->samples[k % REPORT_SAMPLES];

			/* it knows its URL, but not its entry */
			if (k % REPORT_SAMPLES < finding->sample_count &&
			    sample->loc != NULL && sample->entry == 0)
				*MEM_PUSH(wanted, count,
				    cap) = (struct wanted_place){i, sample->loc,
				    NULL, &sample->line, &sample->entry};
		}
		if (part->parent == NO_PART || its->failure == DIAG_OK ||
		    !store_document_get(store, part->id, &document))
			continue;
		/* a file has another name in the report than in its index */
		*MEM_PUSH(wanted, count, cap) = (struct wanted_place){
		    part->parent, document.url, document.url, &its->listed_line,
		    &its->listed_entry};
		document.url = NULL;
		document_release(&document);
	}
	sort_rows(wanted, count, sizeof(*wanted), wanted_by_part);
	/* One walk over the entries of a document finds all that is wanted of
	 * it. */
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from;
		     to < count && wanted[to].part == wanted[from].part;)
			to++;
		find_places(builder, store, &wanted[from], to - from);
	}
	for (size_t i = 0; i < count; i++)
		free(wanted[i].owned);
	free(wanted);
}

static void
report_unlisted_link(void *arg, uint32_t part, uint32_t line, struct slice url)
{
	report_part_add(arg, part, DIAG_HREFLANG_NOT_LISTED,
	    &(struct report_place){.line = line}, "%.*s", (int)url.len, url.p);
}

/* Judge hreflang links that are not returned again, since all documents are
 * known now. */
static void
report_alternates(
    struct report_builder *builder, struct store *store, bool is_cut)
{
	builder->report.has_unjudged_links = builder->links.is_over;
	if (!builder->has_links || store == NULL || builder->links.is_over)
		return;
	for (size_t i = 0; i < builder->count; i++)
		report_part_drop(&builder->parts[i], DIAG_HREFLANG_NO_RETURN);
	for (size_t i = 0; i < builder->count; i++)
		if (builder->parts[i].id != 0 &&
		    builder->parts[i].document.kind != KIND_INDEX) {
			struct block_source *source = block_source_new(
			    store, BLOCKS_OF_SEGMENT, builder->parts[i].id);
			struct block_reader *reader = block_source_reader(
			    source);
			struct entry entry;

			while (block_next(reader, &entry))
				if (entry.verdict == VERDICT_ACCEPTED)
					return_links_see(
					    &builder->links, entry.url);
			block_source_close(source, NULL, 0);
		}
	/* Only if all sitemaps were read to their ends, and nothing of them was
	 * refused, what is not listed is listed nowhere. */
	for (size_t i = 0; i < builder->count; i++) {
		const struct report_document *document = &builder->parts[i]
							      .document;

		is_cut |= document->kind != KIND_ROBOTS &&
		    (document->failure != DIAG_OK || !document->is_complete ||
			document->refused > 0);
	}
	if (!is_cut)
		return_links_unlisted(&builder->links, report_unlisted_link);
}

/* Where sitemaps are named. */

/* The documents that a robots.txt names. */
struct named {
	struct slice host; /* of the robots.txt, with its port */
	uint64_t count, own; /* own: on that host */
	char *first; /* owned */
};

static void
named_take(void *arg, struct slice url)
{
	struct named *named = arg;
	struct slice origin = report_origin(url);

	if (named->count++ == 0)
		named->first = slice_dup(url);
	named->own += slice_ends(origin, named->host) &&
	    origin.p[origin.len - named->host.len - 1] == '/';
}

static bool
named_is_listed(const struct report_builder *builder, struct store *store,
    struct slice host)
{
	bool is_listed = false;

	for (size_t i = 0; !is_listed && i < builder->count; i++) {
		const struct report_part *part = &builder->parts[i];
		struct block_source *source;
		struct block_reader *reader;
		struct entry entry;

		if (part->document.kind == KIND_ROBOTS)
			continue;
		is_listed = part->document.failure != DIAG_FETCH_NOT_FOUND &&
		    part->document.failure != DIAG_NO_SITEMAP_FOUND &&
		    (part->document.failure != DIAG_OK ||
			!part->document.is_complete);
		if (part->id == 0 || part->document.kind == KIND_INDEX)
			continue;
		source = block_source_new(store, BLOCKS_OF_SEGMENT, part->id);
		reader = block_source_reader(source);
		while (!is_listed && block_next(reader, &entry)) {
			struct slice origin = report_origin(entry.url);

			is_listed = entry.verdict == VERDICT_ACCEPTED &&
			    slice_ends(origin, host) &&
			    origin.p[origin.len - host.len - 1] == '/';
		}
		block_source_close(source, NULL, 0);
	}
	return is_listed;
}

/* Judge the Sitemap lines of each robots.txt: none, while a sitemap was found
 * without them, or only those of other hosts; and what a folder's has lost. */
static void
note_named(struct report_builder *builder, struct store *store,
    const struct report_facts *facts)
{
	for (uint32_t i = 0; i < builder->count; i++) {
		const struct report_document *robots = &builder->parts[i]
							    .document;
		struct slice origin = report_origin(slice_of(robots->url));
		const char *host = memmem(origin.p, origin.len, "://", 3);
		struct named named = {0};
		enum reach_root_kind kind;

		bool is_there = robots->http_status == 200;
		bool is_told = false; /* why its line names nothing */

		for (size_t k = 0; k < robots->finding_count; k++) {
			enum diag_code code = robots->findings[k].code;

			is_told |= code == DIAG_ROBOTS_SITEMAP_KEY ||
			    code == DIAG_ROBOTS_BAD_SITEMAP ||
			    code == DIAG_ROBOTS_RELATIVE_SITEMAP;
		}
		if (robots->kind != KIND_ROBOTS ||
		    (!is_there && !report_is_absent(robots)) ||
		    robots->failure != DIAG_OK || robots->final_url != NULL ||
		    host == NULL)
			continue;
		named.host = slice_from(origin, (size_t)(host + 3 - origin.p));
		store_each_url(
		    store, URLS_SEEDS, 0, origin, named_take, &named);
		for (uint32_t k = 0;
		     named.count == 0 && !is_told && k < builder->count; k++) {
			const struct report_part *part = &builder->parts[k];
			struct slice url = slice_of(part->document.url);
			/* Without a robots.txt, many look at these. */
			bool is_usual = slice_ends(
					    url, slice_of(target_places[0])) ||
			    slice_ends(url, slice_of(target_places[1]));

			if (part->id != 0 && part->parent == NO_PART &&
			    (is_there || !is_usual) &&
			    part->document.kind != KIND_ROBOTS &&
			    part->document.failure == DIAG_OK &&
			    slice_equal(origin, report_origin(url)) &&
			    reach_root_kind(store, part->id, &kind) &&
			    kind == ROOT_OF_PLACE)
				report_part_add(builder, is_there ? i : k,
				    DIAG_SITEMAP_GUESSED,
				    &(struct report_place){0}, "%s", url.p);
		}
		if (facts->lost_rule != NULL && robots->file != NULL)
			report_part_add(builder, i, DIAG_ROBOTS_OVERWRITTEN,
			    NULL, "%s", facts->lost_rule);
		/* for a folder other hosts are not asked */
		if (named.count > 0 && named.own == 0 && !facts->is_cut &&
		    robots->file == NULL &&
		    !named_is_listed(builder, store, named.host))
			report_part_add(builder, i, DIAG_ROBOTS_OTHER_HOSTS,
			    NULL, "%s", named.first);
		free(named.first);
	}
}

/* The target of a document without an index: the one that names the document,
 * else the first one of its site. */
static uint32_t
target_of(const struct report_part *part, struct store *store,
    const struct idmap *by_site, const struct report_facts *facts)
{
	struct document document;
	uint32_t target = IDMAP_NONE;

	for (size_t i = 0; i < facts->target_count && i < MANY_TARGETS; i++)
		if (strcmp(facts->urls[i], part->document.url) == 0)
			return (uint32_t)i;
	if (part->id != 0 && store_document_get(store, part->id, &document)) {
		target = idmap_get(by_site, document.site_id);
		document_release(&document);
	}
	for (size_t i = 0; target == IDMAP_NONE && i < facts->target_count;
	     i++) {
		struct slice url = slice_of(part->document.url);

		if (slice_starts(slice_of(facts->urls[i]), url) ||
		    slice_starts(url, slice_of(facts->urls[i])))
			target = (uint32_t)i;
	}
	return target == IDMAP_NONE ? 0 : target;
}

/* The order of documents. */

static unsigned
part_depth(const struct report_builder *builder, uint32_t part)
{
	unsigned depth = 0;

	while (builder->parts[part].parent != NO_PART) {
		part = builder->parts[part].parent;
		depth++;
	}
	return depth;
}

/* The order of the report: by origin, robots.txt first, then indexes, each with
 * what it lists behind it. */
static int
compare_parts(const void *a, const void *b, void *arg)
{
	const struct report_builder *builder = arg;
	const struct report_part *parts = builder->parts;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	unsigned x_depth = part_depth(builder, x);
	unsigned y_depth = part_depth(builder, y);
	const struct report_document *one, *other;
	int order = x_depth < y_depth ? -1 : x_depth > y_depth;

	/* Climb to two parts that have one parent, or none; if that is one part
	 * only, one of the two is above the other. */
	for (; x_depth > y_depth; x_depth--)
		x = parts[x].parent;
	for (; y_depth > x_depth; y_depth--)
		y = parts[y].parent;
	if (x == y)
		return order;
	while (parts[x].parent != parts[y].parent) {
		x = parts[x].parent;
		y = parts[y].parent;
	}
	one = &parts[x].document;
	other = &parts[y].document;
	order = 0;
	if (parts[x].parent == NO_PART)
		order = slice_order(report_origin(slice_of(one->url)),
		    report_origin(slice_of(other->url)));
	if (order == 0)
		order = (other->kind == KIND_ROBOTS) -
		    (one->kind == KIND_ROBOTS);
	if (order == 0)
		order = (other->kind == KIND_INDEX) - (one->kind == KIND_INDEX);
	if (order == 0)
		order = strcmp(one->url, other->url);
	return order != 0 ? order : x < y ? -1 : 1;
}

/* URLs in several documents. */

/* The later one of two documents gets the finding. */
static void
note_shared(struct report_builder *builder)
{
	for (size_t i = 0; i < builder->urls.count; i++) {
		const struct report_pair *pair = &builder->urls.pairs[i];
		uint32_t a = pair->documents[0];
		uint32_t b = pair->documents[1];

		if (builder->parts[a].place > builder->parts[b].place) {
			a = pair->documents[1];
			b = pair->documents[0];
		}
		enum diag_code code = pair->slashes[0] != pair->slashes[1]
		    ? DIAG_URL_SLASH_BOTH
		    : DIAG_DUPLICATE_URL;
		bool has_slash = pair->slashes[b == pair->documents[1]];

		report_part_find(&builder->parts[b], code)
		    ->count += pair->count;
		for (size_t k = 0; k < pair->sample_count; k++)
			also_in(builder, b, code, slice_of(pair->samples[k]),
			    has_slash, a);
	}
}

/* The part that gets the findings about the folder: the first index without an
 * index above it, else the first document. */
static uint32_t
part_of_folder(const struct report_builder *builder)
{
	for (uint32_t i = 0; i < builder->count; i++)
		if (builder->parts[i].parent == NO_PART &&
		    builder->parts[i].document.kind == KIND_INDEX)
			return i;
	for (uint32_t i = 0; i < builder->count; i++)
		if (builder->parts[i].document.kind != KIND_ROBOTS)
			return i;
	return 0;
}

/* Add a finding about a file; false: the owner accepts it. */
static bool
note_unlisted(struct report_builder *builder, enum diag_code code,
    const char *path, const char *url, const struct report_accept *accept)
{
	if (accept != NULL && report_accept_ignores(accept, code, url, path)) {
		builder->report.ignored++;
		return false;
	}
	report_part_add(builder, part_of_folder(builder), code,
	    &(struct report_place){.loc = slice_of(url)}, "%s: %s", url, path);
	return true;
}

static void
note_unlisted_sitemaps(
    struct report_builder *builder, const struct report_accept *accept)
{
	const struct unlisted_files *sitemaps = &builder->unlisted->sitemaps;
	struct names read = {.key = builder->problems.key};
	struct names lost = {.key = builder->problems.key};
	struct names folders = {.key = builder->problems.key};
	bool has_index = false; /* that was not read: it may name sitemaps */

	for (size_t i = 0; i < builder->count; i++) {
		const struct report_document *document = &builder->parts[i]
							      .document;
		struct slice url = slice_of(document->url);

		(void)names_put(&read, slice_from(url, report_origin(url).len));
		if (document->kind != KIND_ROBOTS)
			(void)names_put(&folders,
			    slice_make(
				url.p, (size_t)(strrchr(url.p, '/') - url.p)));
		/* Listed elsewhere than it lies, it is told already. */
		if (document->failure == DIAG_FETCH_NOT_FOUND)
			(void)names_put(
			    &lost, slice_of(strrchr(document->url, '/')));
	}
	for (size_t i = 0; i < sitemaps->count; i++) {
		struct slice url = slice_of(sitemaps->items[i].url);

		has_index |= sitemaps->items[i].is_index &&
		    names_find(&read,
			slice_from(url, report_origin(url).len)) == NAMES_NONE;
	}
	for (size_t i = 0; i < sitemaps->count; i++) {
		struct slice url = slice_of(sitemaps->items[i].url);
		struct slice path = slice_from(url, report_origin(url).len);
		struct slice name = slice_of(strrchr(url.p, '/'));
		bool is_read = names_find(&read, path) != NAMES_NONE ||
		    names_find(&lost, name) != NAMES_NONE ||
		    (has_index && !sitemaps->items[i].is_index);

		/* A server may have a document with and without its gzip layer,
		 * to send the smaller one: the plain file is the one that has
		 * to be named, if it is a sitemap. */
		if (slice_ends(path, slice_of(".gz"))) {
			path.len -= strlen(".gz");
			is_read |= names_find(&read, path) != NAMES_NONE ||
			    names_find(&builder->unlisted->documents, path) !=
				NAMES_NONE;
		}
		/* What lies among sitemaps is likely one. */
		is_read |= sitemaps->items[i].is_unsure &&
		    names_find(&folders,
			slice_make(url.p, (size_t)(name.p - url.p))) ==
			NAMES_NONE;
		if (!is_read)
			(void)note_unlisted(builder, DIAG_SITEMAP_NOT_LISTED,
			    sitemaps->items[i].path, url.p, accept);
	}
	names_release(&read);
	names_release(&lost);
	names_release(&folders);
}

static const struct sort_key pages_by_url[] = {
    {SORT_KEY(struct report_page, url), false}, {0}};

/* Give the pages that nothing lists their finding, and drop those that the
 * owner accepts, and all if what is listed is not known.  Readers answer in any
 * order, and the report has one. */
static void
note_unlisted_pages(struct report_builder *builder,
    const struct report_accept *accept, bool is_known)
{
	struct report *report = &builder->report;
	size_t kept = 0;

	sort_rows(report->pages, report->page_count, sizeof(*report->pages),
	    pages_by_url);
	for (size_t i = 0; i < report->page_count; i++) {
		struct report_page page = report->pages[i];

		if (page.unlisted != NULL) {
			if (!is_known ||
			    !note_unlisted(builder, DIAG_PAGE_NOT_LISTED,
				page.unlisted, page.url, accept))
				continue;
			page.document = part_of_folder(builder);
			page.codes[page.code_count++] = DIAG_PAGE_NOT_LISTED;
		}
		report->pages[kept++] = page;
	}
	report->page_count = kept;
}

static const struct sort_key findings_by_severity[] = {
    {SORT_KEY(struct report_finding, severity), true},
    {SORT_KEY(struct report_finding, code), false}, {0}};

static void
note_indexes(
    struct report_builder *builder, const uint32_t *parts, size_t targets)
{
	size_t slots = targets > 0 ? targets : 1;
	uint64_t *counts = mem_zero(slots * sizeof(*counts));
	uint32_t *firsts = mem_zero(slots * sizeof(*firsts));

	for (size_t i = 0; i < builder->count; i++) {
		const struct report_part *part = &builder->parts[parts[i]];
		const struct report_part *root = part;
		uint32_t target;

		while (root->parent != NO_PART)
			root = &builder->parts[root->parent];
		target = root->document.target;

		if (part->document.kind != KIND_INDEX)
			continue;
		if (target >= slots)
			target = 0;
		if (counts[target]++ == INDEXES_MAX)
			firsts[target] = parts[i];
	}
	/* The first index that is too many gets the finding, which says how
	 * many there are (SPEC R-40). */
	for (size_t i = 0; i < slots; i++)
		if (counts[i] > INDEXES_MAX)
			report_part_add(builder, firsts[i],
			    DIAG_TOO_MANY_INDEXES, NULL, "%" PRIu64 " indexes",
			    counts[i]);
	free(firsts);
	free(counts);
}

/* The small sitemaps of one index: the dates of one say nothing, those of a
 * hundred say much. */
struct small {
	struct report_day days;
	uint64_t documents;
	/* of its sitemaps whose entries all have dates: how the index dates
	 * them, and how many it dates more than a day after their entries */
	struct report_day listed;
	uint64_t ahead;
	struct date newest; /* of all these entries */
	/* its first sitemap; another one is by another generator, or by one
	 * that is not known */
	const struct report_document *made;
	bool has_several;
};

static void
small_add(struct small *small, const struct report_part *part)
{
	const struct report_document *document = &part->document;
	const struct date *listed = &part->index_lastmod;

	small->documents += part->day_count > 0;
	for (size_t k = 0; k < part->day_count; k++)
		report_day_vote(&small->days, part->days[k]);
	if (small->made == NULL)
		small->made = document;
	if (small->made->generator != document->generator)
		small->has_several = true;
	if (document->kind == KIND_INDEX || document->failure != DIAG_OK ||
	    !document->is_complete || document->entries == 0 ||
	    document->dated < document->entries || listed->precision < DATE_DAY)
		return;
	report_day_vote(&small->listed, report_day_of(listed->epoch_s));
	small->ahead += date_differs(listed, &document->newest) &&
	    listed->epoch_s - document->newest.epoch_s > DAY_S;
	if (date_order(&document->newest, &small->newest) > 0)
		small->newest = document->newest;
}

/* Find indexes whose small sitemaps are all dated on one day, and those that
 * date their sitemaps by the build; and who wrote an index. */
static void
note_dates(struct report_builder *builder)
{
	struct small *all = mem_zero((builder->count + 1) * sizeof(*all));

	for (size_t i = 0; i < builder->count; i++) {
		const struct report_part *part = &builder->parts[i];

		if (part->parent != NO_PART)
			small_add(&all[part->parent], part);
	}
	for (size_t i = 0; i < builder->count; i++) {
		const struct report_part *part = &builder->parts[i];

		if (part->parent == NO_PART)
			continue;
		for (size_t k = 0; k < part->day_count; k++)
			all[part->parent].days.count += part->days[k] ==
			    all[part->parent].days.day;
	}
	for (uint32_t i = 0; i < builder->count; i++) {
		struct small *small = &all[i];
		struct report_document *index = &builder->parts[i].document;

		if (index->generator == NULL && small->made != NULL &&
		    !small->has_several) {
			index->generator = small->made->generator;
			index->generator_reason = small->made->generator_reason;
		}
		/* all votes are for one day */
		if (small->listed.dated >= 2 &&
		    small->ahead == small->listed.dated &&
		    small->listed.votes == small->listed.dated) {
			struct date day = {.epoch_s = small->listed.day * DAY_S,
			    .precision = DATE_DAY};

			report_part_drop(
			    &builder->parts[i], DIAG_LASTMOD_UNIFORM);
			report_part_add(builder, i, DIAG_INDEX_DATES_BUILD,
			    NULL,
			    "all %" PRIu64
			    " sitemaps are dated %s, their newest entry %s",
			    small->listed.dated, date_text(&day).text,
			    date_text(&small->newest).text);
		}
		if (report_day_is_frozen(
			&all[i].days, builder->parts[i].document.read_s)) {
			char of[120];

			(void)snprintf(of, sizeof(of),
			    " in its %" PRIu64
			    " sitemaps with fewer than %d of them",
			    all[i].documents, REPORT_SHAPE_LEAST);
			report_part_frozen(builder, i, &all[i].days, of);
			builder->parts[i].document.lastmod_shape = "frozen";
		}
	}
	free(all);
}

/* Severities are known only now, after what the owner accepts. */
static void
settle_document(struct report_builder *builder, struct report_part *part)
{
	struct report_document *document = &part->document;

	sort_rows(document->findings, document->finding_count,
	    sizeof(*document->findings), findings_by_severity);
	for (size_t i = 0; i < document->finding_count; i++) {
		struct report_finding *finding = &document->findings[i];

		if (finding->severity == SEVERITY_ERROR)
			document->errors += finding->count;
		else if (finding->severity == SEVERITY_WARNING)
			document->warnings += finding->count;
		else if (finding->severity == SEVERITY_INFO)
			document->infos += finding->count;
		for (size_t k = 0; k < finding->sample_count; k++)
			finding->samples[k].document = part->place;
	}
	if (document->status == REPORT_SUCCESS &&
	    (document->errors > 0 || document->failure != DIAG_OK))
		document->status = REPORT_HAS_ERRORS;
	if (part->parent != NO_PART) {
		document->parent = builder->parts[part->parent].place;
		/* that of the topmost index above it */
		while (part->parent != NO_PART)
			part = &builder->parts[part->parent];
		document->target = part->document.target;
	}
}

/* The group of a code and a severity. One code may have several severities:
 * sites have different profiles, and a code that costs the document is an
 * error. */
static struct report_finding *
group_of(struct report_builder *builder, const struct report_finding *finding)
{
	struct report *report = &builder->report;

	for (size_t i = 0; i < report->group_count; i++)
		if (report->groups[i].code == finding->code &&
		    report->groups[i].severity == finding->severity)
			return &report->groups[i];
	*MEM_PUSH(report->groups, report->group_count,
	    builder->group_cap) = (struct report_finding){
	    .code = finding->code, .severity = finding->severity};
	return &report->groups[report->group_count - 1];
}

/* Collect the samples in that range, which begins with a first walk that
 * counts. Taking the first one of each document before the others shows as many
 * documents as there is room for. */
static void
gather(struct report_builder *builder, size_t from, size_t to, bool is_new,
    bool is_counted)
{
	const struct report *report = &builder->report;

	for (size_t i = 0; i < report->document_count; i++)
		for (size_t k = 0; k < report->documents[i].finding_count;
		     k++) {
			const struct report_finding
			    *finding = &report->documents[i].findings[k];

			struct report_finding *group = group_of(
			    builder, finding);
			if (!is_counted) {
				group->count += finding->count;
				group->known += finding->known;
			}
			for (size_t j = from;
			     j < to && j < finding->sample_count; j++)
				if (group->sample_count < REPORT_SAMPLES &&
				    finding->samples[j].is_new == is_new)
					group->samples[group->sample_count++] =
					    finding->samples[j];
		}
}

static const struct sort_key groups_by_severity[] = {
    {SORT_KEY(struct report_finding, severity), true},
    {SORT_KEY(struct report_finding, count), true},
    {SORT_KEY(struct report_finding, code), false}, {0}};

/* What is new goes first, because only that is news to an owner who has a
 * baseline. */
static const struct sort_key samples_by_news[] = {
    {SORT_KEY(struct report_sample, is_new), true},
    {SORT_KEY(struct report_sample, document), false},
    {SORT_KEY(struct report_sample, line), false}, {0}};

/* A robots.txt is no sitemap, and a target that led to none has no document to
 * count. */
static void
finish_sum(struct report *report)
{
	for (size_t i = 0; i < report->document_count; i++) {
		const struct report_document *document = &report->documents[i];

		report->errors += document->errors;
		report->warnings += document->warnings;
		report->infos += document->infos;
		for (size_t k = 0; k < document->finding_count; k++) {
			const struct report_finding
			    *finding = &document->findings[k];

			report->known_of[finding->severity] += finding->known;
		}
		if (document->kind == KIND_ROBOTS)
			continue;
		if (document->failure == DIAG_NO_SITEMAP_FOUND) {
			report->lost++;
			continue;
		}
		report->sitemaps++;
		report->success += document->status == REPORT_SUCCESS;
		report->has_errors += document->status == REPORT_HAS_ERRORS;
		report->not_fetched += document->status == REPORT_NOT_FETCHED;
		if (document->kind == KIND_INDEX) {
			report->indexes++;
			continue;
		}
		report->urls += document->accepted;
		report->refused += document->refused;
		report->entries += document->entries;
		report->dated += document->dated;
	}
}

static const struct sort_key pages_by_document[] = {
    {SORT_KEY(struct report_page, document), false},
    {SORT_KEY(struct report_page, url), false}, {0}};

/*
 * The order of the steps matters:
 *
 * 1. robots.txt files that came late are judged, and each document gets its
 *    parent, because dates are judged by family and targets by root.
 * 2. What only the whole shows becomes findings: links that nobody returns, and
 *    files of a folder that nothing lists.
 * 3. Documents get their places.  Of two documents that list one URL, and of
 *    too many indexes, the later one has the finding.
 * 4. All findings are there now: their lines are looked up, and what the owner
 *    accepts is dropped or made milder.
 * 5. Groups and sums count what is left.
 */
struct report *
report_builder_finish(struct report_builder *builder, struct store *store,
    const struct report_facts *facts)
{
	struct report *report = &builder->report;

	report->targets = facts->targets;
	report->target_count = facts->target_count;
	report->target_urls = facts->urls;
	report_blocked_finish(builder);
	struct document_links links = {.builder = builder};

	for (; store != NULL && links.child < builder->count; links.child++)
		if (builder->parts[links.child].id != 0)
			store_each_parent(store, builder->parts[links.child].id,
			    note_parent, &links);
	note_dates(builder);
	report_alternates(builder, store, facts->is_cut);
	/* A web page at a default location is none of its documents; if there
	 * are no others, nothing was found. */
	for (uint32_t i = 0;
	     facts->guessed != NULL && i < facts->guessed->count; i++) {
		struct slice origin = slice_of(names_text(facts->guessed, i));
		bool is_any = false;

		for (size_t k = 0; k < builder->count; k++)
			is_any |= builder->parts[k].document.kind !=
				KIND_ROBOTS &&
			    slice_equal(origin,
				report_origin(
				    slice_of(builder->parts[k].document.url)));
		if (!is_any)
			report_builder_problem(builder, DIAG_NO_SITEMAP_FOUND,
			    origin,
			    slice_of("web pages are at the usual names"),
			    builder->parts[0].profile);
	}
	if (store != NULL)
		note_named(builder, store, facts);
	struct idmap by_site = {0};

	if (store != NULL && facts->urls != NULL) {
		/* From the last one to the first: of two targets of a site, the
		 * first one stays. */
		for (size_t i = facts->target_count; i-- > 0;)
			idmap_put(&by_site,
			    store_site(store, slice_of(facts->hosts[i])),
			    (uint32_t)i);
		for (size_t i = 0; i < builder->count; i++)
			if (builder->parts[i].parent == NO_PART)
				builder->parts[i].document.target = target_of(
				    &builder->parts[i], store, &by_site, facts);
		free(by_site.slots);
	}

	/* What was not read, or not to its end, may list anything; only what
	 * is not there lists nothing. */
	bool lists_pages = facts->is_cut, lists_sitemaps = facts->is_cut;
	bool has_list = false; /* a feed lists only what is new */

	for (size_t i = 0; i < builder->count; i++) {
		const struct report_document *document = &builder->parts[i]
							      .document;
		bool is_whole = document->kind == KIND_ROBOTS ||
		    document->failure == DIAG_FETCH_NOT_FOUND ||
		    document->failure == DIAG_NO_SITEMAP_FOUND ||
		    (document->failure == DIAG_OK && document->is_complete);
		bool is_wrong = false;

		has_list |= document->kind == KIND_URLSET ||
		    document->kind == KIND_TEXT;
		for (size_t k = 0; k < document->finding_count; k++)
			is_wrong |= document->findings[k].code ==
				DIAG_WRONG_ROOT ||
			    document->findings[k].code == DIAG_MISSING_TAG;
		lists_pages |= !is_whole || is_wrong;
		lists_sitemaps |= is_wrong ||
		    (!is_whole && document->kind != KIND_URLSET);
	}
	if (builder->unlisted != NULL && builder->count > 0) {
		if (!lists_sitemaps)
			note_unlisted_sitemaps(builder, facts->accept);
		note_unlisted_pages(
		    builder, facts->accept, has_list && !lists_pages);
	}
	/* the numbers of the parts in the order of the report */
	uint32_t *parts = mem_alloc((builder->count + 1) * sizeof(*parts));

	for (uint32_t i = 0; i < builder->count; i++)
		parts[i] = i;
	if (builder->count > 0)
		qsort_r(parts, builder->count, sizeof(*parts), compare_parts,
		    builder);
	for (uint32_t i = 0; i < builder->count; i++)
		builder->parts[parts[i]].place = i;

	for (size_t i = 0; i < report->page_count; i++)
		report->pages[i]
		    .document = builder->parts[report->pages[i].document].place;
	sort_rows(report->pages, report->page_count, sizeof(*report->pages),
	    pages_by_document);

	for (size_t i = 0; i < report->closed_count; i++)
		report->closed_pages[i].document =
		    builder->parts[report->closed_pages[i].document].place;
	note_shared(builder);
	note_indexes(builder, parts, facts->target_count);
	free(parts);
	report_places(builder, store);
	for (size_t i = 0; i < builder->count; i++) {
		/* A server may have removed the gzip layer of a .gz file; of a
		 * file that is not published yet, the build forgot it. */
		struct report_document *document = &builder->parts[i].document;

		for (size_t k = 0; k < document->finding_count; k++)
			if (document->file != NULL &&
			    document->findings[k].code ==
				DIAG_GZ_EXTENSION_NOT_GZIP)
				document->findings[k]
				    .severity = SEVERITY_WARNING;
	}
	if (facts->accept != NULL)
		report_accept_apply(facts->accept, builder);
	/* From here on the numbers of documents are those of the report; parts
	 * keep theirs, and still own the findings. */
	report->document_count = builder->count;
	report->documents = mem_alloc(
	    (builder->count + 1) * sizeof(*report->documents));
	for (size_t i = 0; i < builder->count; i++) {
		settle_document(builder, &builder->parts[i]);
		report->documents[builder->parts[i].place] = builder->parts[i]
								 .document;
	}
	for (size_t i = 0; i < report->page_count; i++)
		report_accept_page(report, &report->pages[i]);
	/* A group has room for a few samples: what is new goes first, then one
	 * of each document. */
	gather(builder, 0, REPORT_SAMPLES, true, false);
	gather(builder, 0, 1, false, true);
	gather(builder, 1, REPORT_SAMPLES, false, true);
	for (size_t i = 0; i < report->group_count; i++)
		sort_rows(report->groups[i].samples,
		    report->groups[i].sample_count,
		    sizeof(report->groups[i].samples[0]), samples_by_news);
	sort_rows(report->groups, report->group_count, sizeof(*report->groups),
	    groups_by_severity);
	finish_sum(report);
	report->home = report_home(report);
	return report;
}
