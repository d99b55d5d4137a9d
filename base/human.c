/* Numbers as people read them. */
#include "base/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void
human_count(struct buf *out, uint64_t n)
{
	if (n >= 1000) {
		human_count(out, n / 1000);
		(void)buf_print(out, ",%03u", (unsigned)(n % 1000));
	} else {
		(void)buf_print(out, "%u", (unsigned)n);
	}
}

/* put_scaled(out, n, units): append about three digits and the unit. */
static void
put_scaled(struct buf *out, uint64_t n, const char *const *units)
{
	double value = (double)n;
	unsigned unit = 0;

	while (value >= 999.5 && units[unit + 1] != NULL) {
		value /= 1000;
		unit++;
	}
	(void)buf_print(out, unit > 0 && value < 99.95 ? "%.1f%s" : "%.0f%s",
	    value, units[unit]);
}

void
human_short(struct buf *out, uint64_t n)
{
	static const char *const units[] = {"", " k", " M", " G", NULL};

	put_scaled(out, n, units);
}

void
human_bytes(struct buf *out, uint64_t n)
{
	static const char *const units[] = {
	    " B", " kB", " MB", " GB", " TB", NULL};

	put_scaled(out, n, units);
}

void
human_clock(struct buf *out, int64_t ms)
{
	int64_t s = (ms + 500) / 1000;

	if (s >= 3600)
		(void)buf_print(out, "%" PRId64 ":%02d:%02d", s / 3600,
		    (int)(s / 60 % 60), (int)(s % 60));
	else
		(void)buf_print(out, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

void
human_spent(struct buf *out, int64_t ms)
{
	if (ms < 9950)
		(void)buf_print(out, "%.1f s", (double)ms / 1000);
	else if (ms < 59500)
		(void)buf_print(out, "%d s", (int)((ms + 500) / 1000));
	else
		human_clock(out, ms);
}

void
human_plural(struct buf *out, uint64_t n, const char *one)
{
	human_count(out, n);
	(void)buf_print(out, " %s%s", one, n == 1 ? "" : "s");
}

/* Take the text of a buf, which is released. */
static struct human
human_take(struct buf *text)
{
	struct human human;

	(void)snprintf(human.text, sizeof(human.text), "%s", buf_str(text));
	buf_release(text);
	return human;
}

struct human
human_n(uint64_t n)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	human_count(&text, n);
	return human_take(&text);
}

struct human
human_of(uint64_t n, const char *one)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	human_plural(&text, n, one);
	return human_take(&text);
}

struct human
human_size(uint64_t bytes)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	human_bytes(&text, bytes);
	return human_take(&text);
}

struct human
human_time(int64_t ms)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	human_spent(&text, ms);
	return human_take(&text);
}

void
human_waiting(struct buf *out, uint64_t documents, uint64_t urls)
{
	human_plural(out, documents, "sitemap");
	(void)buf_print(out, ", ");
	human_plural(out, urls, "URL");
}

void
human_span(struct buf *out, double seconds)
{
	if (seconds < 90)
		(void)buf_print(out, "%.0f s", seconds);
	else if (seconds < 90 * 60)
		(void)buf_print(out, "%.0f min", seconds / 60);
	else if (seconds < 36 * 3600)
		(void)buf_print(out, "%.1f h", seconds / 3600);
	else
		(void)buf_print(out, "%.1f d", seconds / 86400);
}
