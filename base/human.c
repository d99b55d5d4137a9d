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

void
human_plural(struct buf *out, uint64_t n, const char *one)
{
	human_count(out, n);
	(void)buf_print(out, " %s%s", one, n == 1 ? "" : "s");
}

struct human
human_of(uint64_t n, const char *one)
{
	struct human human;
	struct buf text;

	buf_init(&text, SIZE_MAX);
	if (one == NULL)
		human_count(&text, n);
	else
		human_plural(&text, n, one);
	(void)snprintf(human.text, sizeof(human.text), "%s", buf_str(&text));
	buf_release(&text);
	return human;
}

struct human
human_n(uint64_t n)
{
	return human_of(n, NULL);
}

/* About three digits, and the unit: who reads it wants to know how much it is
 * about. */
static struct human
human_scaled(uint64_t n, const char *const *units)
{
	struct human human;
	double value = (double)n;
	unsigned unit = 0;

	while (value >= 999.5 && units[unit + 1] != NULL) {
		value /= 1000;
		unit++;
	}
	(void)snprintf(human.text, sizeof(human.text),
	    unit > 0 && value < 99.95 ? "%.1f%s" : "%.0f%s", value,
	    units[unit]);
	return human;
}

struct human
human_short(uint64_t n)
{
	static const char *const units[] = {"", " k", " M", " G", NULL};

	return human_scaled(n, units);
}

struct human
human_size(uint64_t bytes)
{
	static const char *const units[] = {
	    " B", " kB", " MB", " GB", " TB", NULL};

	return human_scaled(bytes, units);
}

struct human
human_clock(int64_t ms)
{
	int64_t s = (ms + 500) / 1000;
	struct human human;

	if (s >= 3600)
		(void)snprintf(human.text, sizeof(human.text),
		    "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
		    (int)(s % 60));
	else
		(void)snprintf(human.text, sizeof(human.text), "%d:%02d",
		    (int)(s / 60), (int)(s % 60));
	return human;
}

struct human
human_time(int64_t ms)
{
	struct human human;

	if (ms >= 59500)
		return human_clock(ms);
	/* Tenths are of interest while there are few of them. */
	if (ms < 9950)
		(void)snprintf(human.text, sizeof(human.text), "%.1f s",
		    (double)ms / 1000);
	else
		(void)snprintf(human.text, sizeof(human.text), "%d s",
		    (int)((ms + 500) / 1000));
	return human;
}

void
human_waiting(struct buf *out, uint64_t documents, uint64_t urls)
{
	(void)buf_print(out, "%s, %s", human_of(documents, "sitemap").text,
	    human_of(urls, "URL").text);
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
