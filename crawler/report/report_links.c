/* The report: who lists whom, and what is listed more than once. */
#include <string.h>

#include "crawler/report/report_build_internal.h"
#include "store/query.h"
#include "store/site.h"

#define MANY_TARGETS 1000 /* their URLs are not compared with each document */

struct links {
	struct report_builder *builder;
	uint32_t child; /* part */
};

/* also_in(builder, part, code, url, other): one more sample. */
static void
also_in(struct report_builder *builder, uint32_t number, enum diag_code code,
    struct slice url, uint32_t other)
{
	struct report_finding *finding = report_part_find(
	    &builder->parts[number], code);
	struct buf text;

	buf_init(&text, SIZE_MAX);
	(void)buf_put_slice(&text, url);
	(void)buf_print(
	    &text, " is also in %s", builder->parts[other].document.url);
	report_part_sample(builder, finding, number, 0, buf_text(&text));
	buf_release(&text);
}

/* note_parent(arg, index_id, url): the first index by its URL has the child,
 * in the others it stands once too often. */
static void
note_parent(void *arg, int64_t index_id, struct slice url)
{
	struct links *links = arg;
	struct report_builder *builder = links->builder;
	struct report_part *child = &builder->parts[links->child];
	uint32_t number = idmap_get(&builder->by_id, index_id);
	uint32_t first = child->parent;
	uint32_t second = number;

	if (number == IDMAP_NONE || number == links->child)
		return;
	if (first == NO_PART) {
		child->parent = number;
		return;
	}
	if (slice_order(url, slice_of(builder->parts[first].document.url)) <
	    0) {
		child->parent = number;
		second = first;
		first = number;
	}
	report_part_find(&builder->parts[second], DIAG_DUPLICATE_CHILD)
	    ->count++;
	also_in(builder, second, DIAG_DUPLICATE_CHILD,
	    slice_of(child->document.url), first);
}

void
report_links(struct report_builder *builder, struct store *store)
{
	struct links links = {.builder = builder};

	for (; store != NULL && links.child < builder->count; links.child++)
		if (builder->parts[links.child].id != 0)
			store_each_parent(store, builder->parts[links.child].id,
			    note_parent, &links);
}

/* Links between languages. */

void
report_unreturned(void *arg, uint32_t part, uint32_t line, struct slice url)
{
	struct report_builder *builder = arg;
	struct report_finding *finding = report_part_find(
	    &builder->parts[part], DIAG_HREFLANG_NO_RETURN);

	finding->count++;
	report_part_sample(builder, finding, part, line, url);
}

/* see_segment(builder, store, id): each URL that the document lists. */
static void
see_segment(struct report_builder *builder, struct store *store, int64_t id)
{
	struct block_source *source = block_source_segment(store, id);
	struct block_reader *reader = block_reader_new(
	    block_source_pull, source);
	struct entry entry;

	while (block_next(reader, &entry))
		if (entry.verdict == VERDICT_ACCEPTED)
			return_links_see(builder->links, entry.url);
	block_reader_free(reader);
	block_source_free(source);
}

void
report_returns(struct report_builder *builder, struct store *store)
{
	if (!builder->has_links || store == NULL ||
	    !return_links_can_judge(builder->links))
		return;
	for (size_t i = 0; i < builder->count; i++)
		report_part_drop(&builder->parts[i], DIAG_HREFLANG_NO_RETURN);
	for (size_t i = 0; i < builder->count; i++)
		if (builder->parts[i].id != 0 &&
		    builder->parts[i].document.kind != KIND_INDEX)
			see_segment(builder, store, builder->parts[i].id);
}

/* Targets. */

/* target_of(builder, store, part, by_site, facts): of a part that nobody
 * lists: the one that names it, else the first of its site. */
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

void
report_targets(struct report_builder *builder, struct store *store,
    const struct report_facts *facts)
{
	struct idmap by_site = {0};

	if (store == NULL || facts->urls == NULL)
		return;
	for (size_t i = facts->target_count; i-- > 0;)
		idmap_put(&by_site,
		    store_site(store, slice_of(facts->hosts[i])), (uint32_t)i);
	for (size_t i = 0; i < builder->count; i++)
		if (builder->parts[i].parent == NO_PART)
			builder->parts[i].document.target = target_of(
			    &builder->parts[i], store, &by_site, facts);
	idmap_release(&by_site);
}
