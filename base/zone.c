/* Times in the zone of people. */
#include "base/zone.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/slice.h"

#define ZONES "/usr/share/zoneinfo"
#define NAME_MOST 64
#define OFFSET_MOST_S (15 * 3600)

struct zone {
	/* of the C library, which knows when offsets change */
	bool is_named;
	int64_t offset_s; /* from UTC, unless it is named */
};

static struct zone zone;

/* "+02:00", "-0330" or "+2"; false: it is none. */
static bool
read_offset(const char *text, int64_t *offset_s)
{
	struct slice in = slice_of(text);
	bool is_west;
	int hours, minutes = 0;

	is_west = scan_char(&in, '-');
	if (!is_west && !scan_char(&in, '+'))
		return false;
	if (!scan_number(&in, 2, &hours) && !scan_number(&in, 1, &hours))
		return false;
	if (in.len > 0) {
		(void)scan_char(&in, ':');
		if (!scan_number(&in, 2, &minutes))
			return false;
	}
	*offset_s = hours * 3600 + minutes * 60;
	if (in.len > 0 || minutes > 59 || *offset_s >= OFFSET_MOST_S)
		return false;
	if (is_west)
		*offset_s = -*offset_s;
	return true;
}

bool
zone_is(const char *text)
{
	size_t len = strlen(text);
	int64_t offset_s;

	if (read_offset(text, &offset_s))
		return true;
	/* A name of a file below the folder of zones, and nothing else: the C
	 * library would also read any file, and rules such as "CET-1CEST". */
	if (len == 0 || len > NAME_MOST || text[0] == '/' || text[0] == '.' ||
	    text[0] == '-' || text[0] == '+' || strstr(text, "..") != NULL ||
	    strstr(text, "//") != NULL || text[len - 1] == '/')
		return false;
	return strspn(text,
		   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
		   "yz0123456789_+-/.") == len;
}

bool
zone_use(const char *text)
{
	const char *folder = getenv("TZDIR");
	int64_t offset_s = 0;
	struct stat file;
	struct buf path = BUF_UP_TO(4096);
	bool is_there;

	if (strcmp(text, "UTC") == 0 || strcmp(text, "Z") == 0 ||
	    read_offset(text, &offset_s)) {
		zone.is_named = false;
		zone.offset_s = offset_s;
		return true;
	}
	/* The C library takes a zone that it does not find for UTC. */
	if (strcmp(text, "local") != 0) {
		is_there = zone_is(text) &&
		    buf_print(&path, "%s/%s",
			folder != NULL && folder[0] == '/' ? folder : ZONES,
			text) &&
		    stat(buf_str(&path), &file) == 0 && S_ISREG(file.st_mode);
		buf_release(&path);
		if (!is_there || setenv("TZ", text, 1) != 0)
			return false;
	}
	tzset();
	zone.is_named = true;
	return true;
}

bool
zone_is_utc(void)
{
	return !zone.is_named && zone.offset_s == 0;
}

/* The offset from UTC at that time. */
static int64_t
offset_at(int64_t at_s)
{
	time_t at = (time_t)at_s;
	struct tm there;

	if (!zone.is_named)
		return zone.offset_s;
	return localtime_r(&at, &there) == NULL ? 0 : there.tm_gmtoff;
}

struct civil
zone_civil(int64_t at_s)
{
	int64_t there_s = at_s + offset_at(at_s);

	return civil_of(civil_is_writable(there_s) ? there_s : at_s);
}

int64_t
zone_epoch_s(const struct civil *civil)
{
	int64_t there_s = civil_epoch_s(civil);
	/* Offsets change by some hours, and not twice in two days. */
	int64_t before_s = offset_at(there_s - DAY_S);
	int64_t after_s = offset_at(there_s + DAY_S);
	int64_t at_s = there_s - before_s;

	if (offset_at(at_s) == before_s)
		return at_s;
	/* a time that is skipped is not that of the offset after, either */
	if (offset_at(there_s - after_s) == after_s)
		return there_s - after_s;
	return at_s;
}

int64_t
zone_day(int64_t at_s)
{
	int64_t there_s = at_s + offset_at(at_s);

	return (there_s - (there_s % DAY_S + DAY_S) % DAY_S) / DAY_S;
}

int64_t
zone_day_s(int64_t day)
{
	struct civil civil = civil_of(day * DAY_S);

	return zone_epoch_s(&civil);
}

unsigned
zone_weekday(int64_t day)
{
	/* the Epoch was a Thursday */
	return (unsigned)(((day + 3) % 7 + 7) % 7);
}

void
zone_print(struct buf *out, int64_t at_s, enum zone_form form)
{
	struct civil civil = zone_civil(at_s);
	int64_t offset_s = offset_at(at_s);
	int64_t minutes = (offset_s < 0 ? -offset_s : offset_s) / 60;

	(void)buf_print(
	    out, "%04d-%02d-%02d", (int)civil.year, civil.month, civil.day);
	if (form == ZONE_DATE)
		return;
	(void)buf_print(out, "%c%02d:%02d", form == ZONE_FULL ? 'T' : ' ',
	    civil.hour, civil.minute);
	if (form == ZONE_MOMENT)
		return;
	(void)buf_print(out, ":%02d", civil.second);
	if (zone_is_utc())
		(void)buf_put_char(out, 'Z');
	else
		(void)buf_print(out, "%c%02d:%02d", offset_s < 0 ? '-' : '+',
		    (int)(minutes / 60), (int)(minutes % 60));
}

struct human
zone_text(int64_t at_s, enum zone_form form)
{
	struct human human;
	struct buf text;

	buf_init(&text, sizeof(human.text) - 1);
	zone_print(&text, at_s, form);
	memcpy(human.text, buf_str(&text), text.len + 1);
	buf_release(&text);
	return human;
}
