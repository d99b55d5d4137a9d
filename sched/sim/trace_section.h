/* Folders of the URLs of a trace: pages of one are alike. */
#ifndef FRESHET_TRACE_SECTION_H
#define FRESHET_TRACE_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

struct history;

/* Zeroed: none. */
struct trace_sections {
	struct trace_section *items; /* owned; hashed by their text */
	size_t cap; /* a power of two */
	size_t count;
};

/*
 * trace_section(sections, history, url): the number of the section of a URL,
 * made where it is new, with those above it: what is before the last slash of
 * its path, that at its end not counted; at most 8 below that of the host.
 * Runs of digits are alike, so that releases and years are one section.
 * 0: it has none, or there are too many.
 */
uint32_t trace_section(
    struct trace_sections *, struct history *, struct slice url);

void trace_sections_release(struct trace_sections *);

#endif
