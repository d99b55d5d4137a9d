/* A growing list of strings. */
#include "strings.h"

#include <stdlib.h>

#include "mem.h"
#include "sort.h"

void
strings_add(struct strings *strings, struct slice text)
{
	/* room for the NULL that ends the list for libcurl and the like */
	strings->items = mem_grow(strings->items, &strings->cap,
	    strings->count + 2, sizeof(*strings->items));
	strings->items[strings->count++] = slice_dup(text);
	strings->items[strings->count] = NULL;
}

bool
strings_has(const struct strings *strings, struct slice text)
{
	for (size_t i = 0; i < strings->count; i++)
		if (slice_is(text, strings->items[i]))
			return true;
	return false;
}

void
strings_sort(struct strings *strings)
{
	static const struct sort_key by_text[] = {{.type = SORT_TEXT}, {0}};

	sort_rows(
	    strings->items, strings->count, sizeof(*strings->items), by_text);
}

void
strings_release(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
	*strings = (struct strings){0};
}
