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

/* Of a list of functions, `#define FUNCTIONS(F) F(one) F(two)`, FUNCTIONS(
 * LATE_POINTER) makes the members of a struct with pointers to them, and
 * LATE_NAMES(FUNCTIONS) their names for late_load(). */
#define LATE_POINTER(name) __typeof__(name) *name;
#define LATE_TEXT(name) #name
#define LATE_NAME(name) LATE_TEXT(name),
#define LATE_NAMES(LIST) ((const char *const[]){LIST(LATE_NAME) NULL})

/*
 * late_is_there(library): can the shared library of that file name be loaded?
 * It stays loaded.
 * late_load(library, names, pointers): load the shared library of that file
 * name, which stays loaded, and set the pointers, a struct of them, to the
 * functions of these names, unless that was done before; NULL ends the names.
 * If the library cannot be loaded or lacks one of them, the process says so and
 * ends, as the loader would have it end at its start. A process that may open
 * no files loads its libraries before that (read_warm() in
 * crawler/parse/read.h). */
bool late_is_there(const char *library);
void late_load(const char *library, const char *const names[], void *pointers);

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
