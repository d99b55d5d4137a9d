/* Which URLs several documents list. Memory is limited: if there are too many
 * URLs, only a sample of them is counted, chosen by hash. */
#ifndef FRESHET_REPORT_URLS_H
#define FRESHET_REPORT_URLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

#define REPORT_PAIR_SAMPLES 3

/* URLs that two documents both list. */
struct report_pair {
	uint32_t documents[2];
	uint64_t count; /* at least so many */
	char *samples[REPORT_PAIR_SAMPLES]; /* owned */
	size_t sample_count;
};

struct report_urls;

struct report_urls *report_urls_new(uint64_t hash_key);
void report_urls_free(struct report_urls *);

/* report_urls_add(urls, url, document): a document lists the URL; it may do so
 * again. */
void report_urls_add(struct report_urls *, struct slice url, uint32_t document);

/* report_urls_pair(urls, i): the i-th pair, in no order; NULL past the last.
 * There are at most 10,000 pairs; further ones are dropped. */
const struct report_pair *report_urls_pair(struct report_urls *, size_t);

#endif
