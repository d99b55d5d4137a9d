/* A foreign library: its version at build time and at run time. */
#ifndef FRESHET_LIBRARY_H
#define FRESHET_LIBRARY_H

struct library {
	const char *name; /* static */
	/* "7.88.1"; running is empty if the library does not say its version */
	char built[48];
	char running[48];
};

/*
 * The one file that uses a library reports its version: hash_library,
 * host_libraries, store_libraries, loop_library, fetch_library,
 * gunzip_libraries, xml_library, ndjson_library.
 */

#endif
