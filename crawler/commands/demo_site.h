/* The site of the demo, shop.example, as files within the program. */
#ifndef FRESHET_DEMO_SITE_H
#define FRESHET_DEMO_SITE_H

#include <stddef.h>

#define DEMO_HOST "shop.example"

struct demo_file {
	unsigned generation; /* 1 or 2: served from that generation on */
	const char *target; /* "/robots.txt" */
	const char *type; /* its Content-Type */
	const char *etag;
	const char *last_modified;
	const char *bytes;
	size_t len;
};

/* demo_site_file(i): the i-th file, by generation; NULL past the last one. A
 * file of generation 2 replaces that of the same target. The build makes the
 * files from crawler/commands/demo/. */
const struct demo_file *demo_site_file(size_t i);

#endif
