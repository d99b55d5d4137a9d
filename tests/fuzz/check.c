/* What decoded blocks may hold, whoever made the blocks. */
#include "tests/fuzz/check.h"

#include <assert.h>

#include "base/url.h"

void
check_date(const struct date *date)
{
	struct buf text;

	assert(date->precision <= DATE_FRACTION && date->zone <= ZONE_EXPLICIT);
	assert(date->nanos < 1000000000);
	assert(date->epoch_s >= -DATE_BOUND_S && date->epoch_s <= DATE_BOUND_S);
	assert(!date_differs(date, date) && date_order(date, date) == 0);
	buf_init(&text, 64);
	date_print(&text, date);
	assert((text.len == 0) == (date->precision == DATE_NONE));
	buf_release(&text);
}

static void
check_url(struct slice url, struct buf *last)
{
	assert(url.len > 0 && url.len <= URL_MAX_BYTES);
	for (size_t i = 0; i < url.len; i++)
		assert(url.p[i] >= 0x21 && url.p[i] <= 0x7e);
	assert(slice_order(buf_text(last), url) < 0);
	buf_clear(last);
	(void)buf_put_slice(last, url);
}

static void
check_time(int64_t time_s)
{
	assert(time_s >= -DATE_BOUND_S && time_s <= DATE_BOUND_S);
}

void
check_entry(const struct entry *entry, struct buf *last)
{
	check_url(entry->url, last);
	check_date(&entry->lastmod);
	check_time(entry->first_seen_s);
	check_time(entry->redated_s);
	assert(entry->missed <= 1);
	assert(entry->verdict < VERDICTS);
}

void
check_change(const struct change *change, struct buf *last)
{
	check_url(change->url, last);
	check_date(&change->before);
	check_date(&change->after);
	assert(change->kind < DELTA_KINDS);
	assert(change->verdict < VERDICTS);
}

static struct slice
pull_once(void *arg)
{
	struct slice *data = arg;
	struct slice now = *data;

	*data = slice_make(NULL, 0);
	return now;
}

/* The reader is kept between inputs: making one costs more than most inputs
 * do. */
static struct block_reader *reader;
static struct slice at_hand;

unsigned
check_block(struct slice data, bool has_changes, bool *damaged)
{
	struct change change;
	struct entry entry;
	unsigned count = 0;
	struct buf last;

	if (reader == NULL)
		reader = block_reader_new(pull_once, &at_hand);
	block_reader_reset(reader, false);
	at_hand = data;
	buf_init(&last, URL_MAX_BYTES);
	while (has_changes ? block_next_change(reader, &change)
			   : block_next(reader, &entry)) {
		if (has_changes)
			check_change(&change, &last);
		else
			check_entry(&entry, &last);
		count++;
	}
	assert(count <= BLOCK_ENTRIES);
	*damaged = block_reader_damaged(reader);
	buf_release(&last);
	return count;
}
