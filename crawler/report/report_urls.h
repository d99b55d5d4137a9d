/*
 * Which URLs stand in several documents.  Memory is bounded: when there are
 * too many URLs, those with some values of their hashes stand for all.
 */
#ifndef FRESHET_REPORT_URLS_H
#define FRESHET_REPORT_URLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define REPORT_PAIR_SAMPLES 3

/* URLs that two documents have in common. */
struct report_pair {
	uint32_t documents[2];
	uint64_t count; /* at least */
	char *samples[REPORT_PAIR_SAMPLES]; /* owned */
	size_t sample_count;
};

struct report_urls;

struct report_urls *report_urls_new(uint64_t hash_key);
void report_urls_free(struct report_urls *);

/* report_urls_add(urls, url, document): it lists the URL; the same again is
 * fine. */
void report_urls_add(struct report_urls *, struct slice url, uint32_t document);

/* report_urls_pair(urls, i): in no order; NULL past the last.  At most
 * 10,000: what further documents share is not told. */
const struct report_pair *report_urls_pair(struct report_urls *, size_t);

#endif
