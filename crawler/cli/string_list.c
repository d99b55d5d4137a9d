/* A growing list of borrowed strings. */
#include "crawler/cli/string_list.h"

#include <stdlib.h>

#include "base/mem.h"

void
string_list_add(struct string_list *list, const char *string)
{
	list->items = mem_grow(
	    list->items, &list->cap, list->count + 2, sizeof(*list->items));
	list->items[list->count++] = string;
	list->items[list->count] = NULL;
}

void
string_list_release(struct string_list *list)
{
	free(list->items);
	*list = (struct string_list){0};
}
