/* A growing list of borrowed strings. */
#ifndef FRESHET_STRING_LIST_H
#define FRESHET_STRING_LIST_H

#include <stddef.h>

/*
 * Zeroed before its first use; ended by NULL once it holds a string.  The
 * array is owned; the strings are borrowed, mostly from argv or from what
 * options_keep() copied.
 */
struct string_list {
	const char **items; /* NULL while the list is empty */
	size_t count;
	size_t cap;
};

/* string_list_add(list, string): append a string, which is not copied. */
void string_list_add(struct string_list *, const char *string);

void string_list_release(struct string_list *);

#endif
