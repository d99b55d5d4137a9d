/* A growing list of strings. */
#include "strings.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

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

static int
strings_by_text(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return strcmp(*one, *other);
}

void
strings_sort(struct strings *strings)
{
	/* qsort() must not get NULL, not even with a count of 0. */
	if (strings->count > 0)
		qsort(strings->items, strings->count, sizeof(*strings->items),
		    strings_by_text);
}

void
strings_release(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
	*strings = (struct strings){0};
}
