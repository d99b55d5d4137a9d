/* The report: who lists whom, and what is listed more than once. */
#include <string.h>

#include "crawler/report_build_internal.h"
#include "store/site.h"

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
