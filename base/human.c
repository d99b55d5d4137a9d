/* Numbers as people read them. */
#include "base/human.h"

#include <inttypes.h>
#include <stdio.h>

void
human_put(struct buf *out, uint64_t n, const char *one)
{
	if (n >= 1000) {
		human_put(out, n / 1000, NULL);
		(void)buf_print(out, ",%03u", (unsigned)(n % 1000));
	} else {
		(void)buf_print(out, "%u", (unsigned)n);
	}
	if (one != NULL)
		(void)buf_print(out, " %s%s", one, n == 1 ? "" : "s");
}

struct human
human_of(uint64_t n, const char *one)
{
	struct human human;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	human_put(&text, n, one);
	(void)snprintf(human.text, sizeof(human.text), "%s", buf_str(&text));
	buf_release(&text);
	return human;
}

struct human
human_times(uint64_t n)
{
	return n == 1 ? (struct human){"once"} : human_of(n, "time");
}

const char *const human_counts[] = {"", " k", " M", " G", NULL};
const char *const human_bytes[] = {" B", " kB", " MB", " GB", " TB", NULL};

/* About three digits, and the unit: who reads it wants to know how much it is
 * about. */
struct human
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
human_time(int64_t ms, bool is_clock)
{
	int64_t s = (ms + 500) / 1000;
	struct human human;

	/* Tenths are of interest while there are few of them. */
	if (!is_clock && ms < 9950)
		(void)snprintf(human.text, sizeof(human.text), "%.1f s",
		    (double)ms / 1000);
	else if (!is_clock && ms < 59500)
		(void)snprintf(human.text, sizeof(human.text), "%d s", (int)s);
	else if (s >= 3600)
		(void)snprintf(human.text, sizeof(human.text),
		    "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60),
		    (int)(s % 60));
	else
		(void)snprintf(human.text, sizeof(human.text), "%d:%02d",
		    (int)(s / 60), (int)(s % 60));
	return human;
}

struct human
human_span(double seconds)
{
	static const struct {
		double below, unit;
		int digits;
		const char *name;
	} units[] = {{90, 1, 0, "s"}, {90 * 60, 60, 0, "min"},
	    {36 * 3600, 3600, 1, "h"}, {0, 86400, 1, "d"}};
	struct human human;
	size_t i = 0;

	while (i < 3 && seconds >= units[i].below)
		i++;
	(void)snprintf(human.text, sizeof(human.text), "%.*f %s",
	    units[i].digits, seconds / units[i].unit, units[i].name);
	return human;
}
