/* Words of a command line. */
#ifndef FRESHET_WORDS_H
#define FRESHET_WORDS_H

#include <stddef.h>

/* A list of words, NULL-terminated once it holds one; the array is owned,
 * the words are borrowed from argv or from the options' kept strings. */
struct words {
	const char **items; /* NULL while there is none */
	size_t count;
	size_t cap;
};

/* A line of a list of targets. */
struct arg_place {
	const char *file; /* "-": stdin */
	size_t line;
};

#endif
