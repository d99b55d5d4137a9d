/* Sections: folders of the URLs of a trace.  Pages of one folder change
 * alike. */
#ifndef FRESHET_TRACE_SECTION_H
#define FRESHET_TRACE_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct history;

/* Zeroed: there are no sections. */
struct trace_sections {
	struct trace_section *items; /* owned; hashed by their text */
	size_t cap; /* a power of two */
	size_t count;
};

/*
 * trace_section(sections, history, url): the number of the section of a URL;
 * 0: the URL has none, or there are too many.  The section is the part of the
 * URL before the last slash of its path; a slash at the end of the path does
 * not count.  A new section is added to the history with all sections above
 * it, at most 8 below the one of the host.  All runs of digits are treated as
 * equal, so that the folders of releases or years are one section.
 */
uint32_t trace_section(
    struct trace_sections *, struct history *, struct slice url);

void trace_sections_release(struct trace_sections *);

#endif
