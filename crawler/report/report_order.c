/* The report: its order, its groups, its sums. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/report/report_build_internal.h"
#include "crawler/report/report_facts.h"

/* Documents in order. */

/* A part on its way to its place, with all that order depends on. */
struct place {
	const char *url;
	size_t origin_len; /* at the front of it */
	uint32_t part;
	uint32_t parent;
	uint8_t rank; /* robots.txt, indexes, others */
};

static int
compare_places(const void *a, const void *b)
{
	const struct place *x = a;
	const struct place *y = b;

	if (x->parent != y->parent) /* those without one come last */
		return x->parent < y->parent ? -1 : 1;
	if (x->parent == NO_PART) {
		int order = slice_order(slice_make(x->url, x->origin_len),
		    slice_make(y->url, y->origin_len));

		if (order != 0)
			return order;
	}
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->url, y->url);
}

static uint8_t
rank_of(const struct report_document *document)
{
	if (document->kind == KIND_ROBOTS)
		return 0;
	return document->kind == KIND_INDEX ? 1 : 2;
}

/* Parts sorted by parent, and where the children of each begin. */
struct family {
	struct place *places; /* owned */
	size_t *first; /* owned, by part; count: it has none */
	uint32_t *stack; /* owned: parts whose children are to come */
	size_t count;
	uint32_t given; /* places so far */
};

static void
family_init(struct family *family, const struct report_builder *builder)
{
	size_t n = builder->count;

	*family = (struct family){.count = n};
	family->places = mem_alloc((n + 1) * sizeof(*family->places));
	family->first = mem_alloc((n + 1) * sizeof(*family->first));
	family->stack = mem_alloc((n + 1) * sizeof(*family->stack));
	for (uint32_t i = 0; i < n; i++) {
		const struct report_part *part = &builder->parts[i];

		family->places[i] = (struct place){.url = part->document.url,
		    .origin_len = report_origin(slice_of(part->document.url))
				      .len,
		    .part = i,
		    .parent = part->parent,
		    .rank = rank_of(&part->document)};
		family->first[i] = n;
	}
	qsort(family->places, n, sizeof(*family->places), compare_places);
	for (size_t i = n; i-- > 0;)
		if (family->places[i].parent != NO_PART)
			family->first[family->places[i].parent] = i;
}

static void
family_release(struct family *family)
{
	free(family->places);
	free(family->first);
	free(family->stack);
}

/* give(builder, family, root): places for it and all below it that have none
 * yet: indexes may list each other. */
static void
give(struct report_builder *builder, struct family *family, uint32_t root)
{
	size_t depth = 0;

	family->stack[depth++] = root;
	builder->parts[root].place = family->given++;
	while (depth > 0) {
		size_t *next = &family->first[family->stack[depth - 1]];
		uint32_t part;

		if (*next >= family->count ||
		    family->places[*next].parent != family->stack[depth - 1]) {
			depth--;
			continue;
		}
		part = family->places[(*next)++].part;
		if (builder->parts[part].place != NO_PART)
			continue;
		builder->parts[part].place = family->given++;
		family->stack[depth++] = part;
	}
}

void
report_order(struct report_builder *builder)
{
	struct family family;

	family_init(&family, builder);
	for (size_t i = 0; i < builder->count; i++)
		builder->parts[i].place = NO_PART;
	for (size_t i = 0; i < family.count; i++)
		if (family.places[i].parent == NO_PART)
			give(builder, &family, family.places[i].part);
	/* A ring of indexes has no beginning. */
	for (size_t i = 0; i < family.count; i++)
		if (builder->parts[family.places[i].part].place == NO_PART)
			give(builder, &family, family.places[i].part);
	family_release(&family);
}
