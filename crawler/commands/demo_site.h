/* The demonstration's site, shop.example, as files in the program. */
#ifndef FRESHET_DEMO_SITE_H
#define FRESHET_DEMO_SITE_H

#include <stddef.h>

#define DEMO_HOST "shop.example"

struct demo_file {
	unsigned generation; /* from when it is served: 1 or 2 */
	const char *target; /* "/robots.txt" */
	const char *type; /* its Content-Type */
	const char *etag;
	const char *last_modified;
	const char *bytes;
	size_t len;
};

/*
 * demo_site_file(i): the i-th file, by generation; NULL past the last.  A
 * target of generation 2 replaces that of generation 1; the others stay.
 * Made from crawler/demo/ when the program is built.
 */
const struct demo_file *demo_site_file(size_t i);

#endif
