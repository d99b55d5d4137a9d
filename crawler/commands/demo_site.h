/* The site of the demo, shop.example, and its stories, within the program. */
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

#define DEMO_WORDS 10

struct demo_step {
	const char *text; /* told before; each \n ends a paragraph */
	unsigned generation; /* of the site from this step on */
	const char *words[DEMO_WORDS]; /* arguments of freshet; ended by NULL */
};

struct demo_story {
	const char *name; /* "": it is shown if none is asked for */
	const struct demo_step *steps;
	size_t count;
};

/* demo_story(i): the i-th story; NULL past the last one. The build makes the
 * stories from crawler/commands/demo/stories.txt. */
const struct demo_story *demo_story(size_t i);
extern const char demo_introduction[];

/* The script of `demo machines`, for /bin/sh. */
extern const char demo_machines_script[];

#endif
