/* A foreign library, as it was at build time and as it is now. */
#ifndef FRESHET_LIBRARY_H
#define FRESHET_LIBRARY_H

struct library {
	const char *name; /* static */
	/* "7.88.1"; running is empty when the library does not tell. */
	char built[48];
	char running[48];
};

/*
 * The file that uses a library answers for it, as everywhere: hash_library,
 * host_libraries, store_libraries, loop_library, fetch_library,
 * gunzip_library, xml_library, ndjson_library.
 */

#endif
