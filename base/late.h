/*
 * Foreign libraries: those that are loaded when they are first used, and their
 * versions. A library that is named when the program is linked is loaded, and
 * each symbol in it sought, at each start, also by the many commands that never
 * use it.
 */
#ifndef FRESHET_LATE_H
#define FRESHET_LATE_H

#include <stdbool.h>
#include <stddef.h>

struct late_function {
	const char *name;
	void *place; /* of the pointer to the function, which is set */
};

/* Of a list of functions, `#define FUNCTIONS(F) F(one) F(two)`, FUNCTIONS(
 * LATE_POINTER) makes the members of a struct with pointers to them;
 * LATE_ENTRY(late, one) is a row of the table for late_load(). */
#define LATE_POINTER(name) __typeof__(name) *name;
#define LATE_ENTRY(holder, name) {#name, &(holder).name},

/*
 * late_is_there(library): can the shared library of that file name be loaded?
 * It stays loaded.
 * late_load(library, functions, count): load the shared library of that file
 * name, which stays loaded, and find functions in it. If it cannot be loaded or
 * lacks one of them, the process says so and ends, as the loader would have it
 * end at its start. A process that may open no files loads its libraries
 * before that (read_warm() in crawler/parse/read.h). */
bool late_is_there(const char *library);
void late_load(
    const char *library, const struct late_function *functions, size_t count);

/* A foreign library: its version at build time and at run time. */
struct library {
	const char *name; /* static */
	/* "7.88.1"; running is empty if the library does not say its version */
	char built[48];
	char running[48];
};

/* library_make(name, built, running): the three are copied or static. */
struct library library_make(
    const char *name, const char *built, const char *running);

/* The one file that uses a library reports its version: hash_library,
 * host_libraries, store_libraries, loop_library, fetch_facts,
 * gunzip_libraries, xml_library, ndjson_library. */

#endif
