/* The parts of a normalised URL. */
#ifndef FRESHET_URL_PARTS_H
#define FRESHET_URL_PARTS_H

#include "base/slice.h"

/* All borrowed from the URL. */
struct url_parts {
	struct slice origin; /* http://a.example:8080 */
	struct slice host; /* a.example; without the port */
	struct slice target; /* /path?query */
};

/* url_parts(url): split a URL that url_parse() has normalised. */
struct url_parts url_parts(struct slice url);

#endif
