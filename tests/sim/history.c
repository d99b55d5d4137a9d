/* Histories: see history.h. */
#include "tests/sim/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const one_class[] = {"all"};

void
history_init(struct history *history)
{
	*history = (struct history){.class_names = one_class, .class_count = 1};
}

void
history_release(struct history *history)
{
	for (size_t i = 0; i < history->site_count; i++)
		free(history->sites[i].name);
	free(history->sites);
	free(history->sections);
	free(history->documents);
	free(history->pages);
	free(history->events);
	*history = (struct history){0};
}

void
history_add(struct history *history, const struct history_event *event)
{
	history->events = mem_grow(history->events, &history->event_cap,
	    history->event_count + 1, sizeof(*event));
	history->events[history->event_count++] = *event;
}

uint32_t
history_add_page(struct history *history, const struct history_page *page)
{
	history->pages = mem_grow(history->pages, &history->page_cap,
	    history->page_count + 1, sizeof(*page));
	history->pages[history->page_count] = *page;
	return (uint32_t)history->page_count++;
}

uint32_t
history_add_document(
    struct history *history, const struct history_document *document)
{
	history->documents = mem_grow(history->documents,
	    &history->document_cap, history->document_count + 1,
	    sizeof(*document));
	history->documents[history->document_count] = *document;
	return (uint32_t)history->document_count++;
}

uint32_t
history_add_site(struct history *history, const char *name, uint32_t class)
{
	history->sites = mem_grow(history->sites, &history->site_cap,
	    history->site_count + 1, sizeof(*history->sites));
	history->sites[history->site_count] = (struct history_site){
	    mem_copy(name), class};
	return (uint32_t)history->site_count++;
}

uint32_t
history_add_section(struct history *history, uint32_t parent)
{
	history->sections = mem_grow(history->sections, &history->section_cap,
	    history->section_count + 1, sizeof(*history->sections));
	history->sections[history->section_count] = parent;
	return (uint32_t)++history->section_count;
}

enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };

/* One pass of a radix sort: by 16 bits of the time since `from_s`. */
static void
sort_by_digit(const struct history *history, struct history_event *out,
    int64_t from_s, int shift)
{
	size_t *at = mem_zero((DIGITS + 1) * sizeof(*at));

	for (size_t i = 0; i < history->event_count; i++) {
		uint64_t t = (uint64_t)(history->events[i].t_s) -
		    (uint64_t)from_s;
		at[(t >> shift) % DIGITS + 1]++;
	}
	for (size_t i = 0; i < DIGITS; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < history->event_count; i++) {
		uint64_t t = (uint64_t)(history->events[i].t_s) -
		    (uint64_t)from_s;
		out[at[(t >> shift) % DIGITS]++] = history->events[i];
	}
	free(at);
}

void
history_sort(struct history *history)
{
	struct history_event *spare;
	int64_t first_s, last_s;
	bool is_sorted = true;

	if (history->event_count == 0)
		return;
	first_s = last_s = history->events[0].t_s;
	for (size_t i = 1; i < history->event_count; i++) {
		int64_t t_s = history->events[i].t_s;
		if (t_s < history->events[i - 1].t_s)
			is_sorted = false;
		first_s = t_s < first_s ? t_s : first_s;
		last_s = t_s > last_s ? t_s : last_s;
	}
	if (is_sorted)
		return;
	spare = mem_alloc(history->event_count * sizeof(*spare));
	history->event_cap = history->event_count;
	for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct history_event *full = history->events;
		if (((uint64_t)last_s - (uint64_t)first_s) >> shift == 0)
			break;
		sort_by_digit(history, spare, first_s, shift);
		history->events = spare;
		spare = full;
	}
	free(spare);
}

const struct history_dates *
history_dates(const struct history_document *document, int64_t now_s)
{
	return &document->dates[now_s >= document->turn_s];
}
