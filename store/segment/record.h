/*
 * Inside the sorter: one entry as it lies in memory and in scratch, the sort
 * over them, and the runs that were spilled.
 */
#ifndef FRESHET_RECORD_H
#define FRESHET_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/slice.h"
#include "store/segment/entry.h"

struct record {
	int64_t epoch_s;
	uint32_t nanos;
	uint32_t ordinal;
	uint32_t url_len;
	uint8_t extensions; /* five bits: enum entry_extension */
	uint8_t verdict;
	uint8_t hints;
	uint8_t date_form; /* precision, zone << 4 */
	char url[]; /* never NUL */
};

_Static_assert(EXT_OTHER <= UINT8_MAX, "extensions fit into a record");

static inline struct slice
record_url(const struct record *record)
{
	return slice_make(record->url, record->url_len);
}

/* What is sorted: a record with 8 bytes of its URL, big-endian, at hand. */
struct sort_item {
	uint64_t key;
	const struct record *record;
};

/*
 * records_sort(items, count, skip):
 * By URL, stable; all URLs share their first skip bytes.  Keys are filled in
 * here.  Takes time and memory in proportion to the bytes that tell URLs
 * apart, whatever they are, and no stack.
 */
void records_sort(struct sort_item *, size_t count, size_t skip);

struct runs; /* sorted runs in a scratch file */

/* runs_new(fd): none yet; the file is borrowed. */
struct runs *runs_new(int fd);
void runs_free(struct runs *);

/* runs_write(runs, items, count): one more run; false when it cannot be
 * written. */
bool runs_write(struct runs *, const struct sort_item *, size_t count);

/* runs_merge(runs): no more runs, now read them; false as above. */
bool runs_merge(struct runs *);

/*
 * runs_next(runs): the next record of all runs in order of URL, of equal ones
 * that of the earlier run first; valid until the next call.  NULL at the end
 * and when scratch cannot be read: runs_failed tells.
 */
const struct record *runs_next(struct runs *);
bool runs_failed(const struct runs *);

#endif
