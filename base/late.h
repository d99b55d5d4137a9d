/*
 * Libraries that are loaded when they are first used. A library that is named
 * when the program is linked is loaded, and each symbol in it sought, at each
 * start, also by the many commands that never use it.
 */
#ifndef FRESHET_LATE_H
#define FRESHET_LATE_H

#include <stddef.h>

struct late_function {
	const char *name;
	void *place; /* of the pointer to the function, which is set */
};

/*
 * late_load(library, functions, count): load the shared library of that file
 * name, which stays loaded, and find functions in it. If it cannot be loaded or
 * lacks one of them, the process says so and ends, as the loader would have it
 * end at its start. A process that may open no files loads its libraries
 * before that (read_warm() in crawler/parse/read.h).
 */
void late_load(
    const char *library, const struct late_function *functions, size_t count);

#endif
