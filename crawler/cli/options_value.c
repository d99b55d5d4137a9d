/* The forms of option values: durations, sizes, numbers, rates, moments,
 * texts. */
#include "crawler/cli/options_value.h"

#include <stdio.h>
#include <string.h>

#include "base/addr.h"
#include "base/ascii.h"
#include "base/slice.h"
#include "base/w3cdate.h"
#include "base/zone.h"
#include "store/location.h"

#define HEADER_MAX 8192
#define TEXT_MAX 512
#define BACK_MAX_MS  \
	(100 * 365 * \
	    INT64_C(86400000)) /* the longest duration of value_moment() */
#define DAY_CHARS 10 /* of "2026-11-20" */
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

bool
value_number(const char *text, uint64_t max, uint64_t *n)
{
	uint64_t value = 0;
	const char *p = text;

	for (; ascii_is_digit(*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (value > (max - digit) / 10)
			return false;
		value = value * 10 + digit;
		if (value > max)
			return false;
	}
	if (p == text || *p != '\0')
		return false;
	*n = value;
	return true;
}

struct unit {
	const char *name;
	uint64_t size;
};

/* Read digits, perhaps with a fraction, and a unit; *n is in the smallest
 * unit. */
static bool
scaled(const char *text, const struct unit *units, uint64_t max, uint64_t *n)
{
	uint64_t whole = 0;
	uint64_t part = 0;
	uint64_t scale = 1;
	const char *p = text;

	for (; ascii_is_digit(*p); p++) {
		if (whole > max / 10)
			return false;
		whole = whole * 10 + (uint64_t)(*p - '0');
	}
	if (p == text)
		return false;
	if (*p == '.') {
		p++;
		if (!ascii_is_digit(*p))
			return false;
		/* digits after the sixth are less than every smallest unit */
		for (; ascii_is_digit(*p); p++) {
			if (scale >= 1000000)
				continue;
			part = part * 10 + (uint64_t)(*p - '0');
			scale *= 10;
		}
	}
	/* what stands behind the digits is a unit, or ends the table */
	while (units->name != NULL && strcmp(units->name, p) != 0)
		units++;
	if (units->name == NULL || whole > max / units->size)
		return false;
	whole = whole * units->size + part * units->size / scale;
	if (whole > max)
		return false;
	*n = whole;
	return true;
}

bool
value_duration(const char *text, int64_t max_ms, int64_t *ms)
{
	static const struct unit units[] = {{"", 1000}, {"ms", 1}, {"s", 1000},
	    {"m", 60000}, {"h", 3600000}, {"d", 86400000}, {"w", 604800000},
	    {"y", 365 * INT64_C(86400000)}, {NULL, 0}};
	uint64_t n;

	if (!scaled(text, units, (uint64_t)max_ms, &n))
		return false;
	*ms = (int64_t)n;
	return true;
}

bool
value_size(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {{"", 1}, {"B", 1}, {"K", 1 << 10},
	    {"KiB", 1 << 10}, {"M", 1 << 20}, {"MiB", 1 << 20}, {"G", 1 << 30},
	    {"GiB", 1 << 30}, {"T", 1ull << 40}, {"TiB", 1ull << 40},
	    {"kB", 1000}, {"KB", 1000}, {"MB", 1000000}, {"GB", 1000000000},
	    {"TB", 1000000000000}, {NULL, 0}};

	return scaled(text, units, INT64_MAX / 1024, bytes);
}

/* Skip a host or "[IPv6]", perhaps empty, up to ':'. *end is behind it. */
static bool
host_part(const char *p, const char **end)
{
	if (*p == '[') {
		p = strchr(p, ']');
		if (p == NULL)
			return false;
		p++;
	} else {
		while (*p > ' ' && *p != ':' && *p != '/' && *p != '@')
			p++;
	}
	*end = p;
	return *p == ':';
}

/* Skip an empty port, or one from 1 to 65535. */
static bool
port_part(const char *p, const char **end)
{
	unsigned port = 0;
	const char *start = p;

	for (; ascii_is_digit(*p) && p - start < 6; p++)
		port = port * 10 + (unsigned)(*p - '0');
	*end = p;
	return p == start || (port > 0 && port < 65536);
}

bool
shape_connect_to(const char *value)
{
	const char *p = value;

	/* the host and port that are asked for, either of which may be empty
	 * and is then any */
	if (!host_part(p, &p) || !port_part(p + 1, &p) || *p != ':')
		return false;
	/* and those that get the request instead */
	if (!host_part(p + 1, &p) || !port_part(p + 1, &p))
		return false;
	return *p == '\0';
}

bool
shape_resolve(const char *value)
{
	const char *p = value;
	const char *port;
	const char *end;
	struct addr addr;

	/* a host, a port, and at least one address */
	if (*p ==
	    '+') /* curl's mark for an entry that times out; it has no effect */
		p++;
	if (*p == ':' || !host_part(p, &port) || !port_part(port + 1, &p))
		return false;
	if (p == port + 1 || *p != ':')
		return false;
	do {
		p++;
		end = p + strcspn(p, ",");
		if (!addr_parse(&addr, slice_make(p, (size_t)(end - p))))
			return false;
		p = end;
	} while (*p == ',');
	return true;
}

bool
shape_proxy(const char *value)
{
	static const char *const schemes[] = {
	    "http", "https", "socks4", "socks4a", "socks5", "socks5h"};
	const char *p = strstr(value, "://");
	const char *sign = strrchr(value, '@');
	size_t len = p == NULL ? 0 : (size_t)(p - value);
	size_t i = 0;
	const char *end;
	/* without a scheme, HOST may have any form */
	bool is_plain = p == NULL;

	/* the kinds of proxies that libcurl knows */
	if (p != NULL) {
		while (i < LENGTH(schemes) &&
		    !slice_equal_nocase(
			slice_make(value, len), slice_of(schemes[i])))
			i++;
		if (i == LENGTH(schemes))
			return false;
	}
	p = p == NULL ? value : p + 3;
	/* a name and a password may stand before the host */
	if (sign != NULL && sign >= p)
		p = sign + 1;
	if (*p == '[' && strchr(p, ']') != NULL)
		end = strchr(p, ']') + 1;
	else
		end = p + strcspn(p, ":/[]@?# ");
	if (end == p ||
	    (is_plain && (*end != ':' || !ascii_is_digit(end[1]))) ||
	    (*end == ':' && !port_part(end + 1, &end)))
		return false;
	if (*end == '/')
		end++;
	return *end == '\0' && shape_text(value);
}

bool
shape_cidr(const char *value)
{
	struct cidr cidr;

	return cidr_parse(&cidr, slice_of(value));
}

bool
shape_own(const char *value)
{
	struct string_set own = {0};
	bool is_one = location_own_parse(&own, slice_of(value));

	string_set_release(&own);
	return is_one;
}

bool
value_listen(const char *text, struct value_listen *listen)
{
	const char *colon = strrchr(text, ':');
	struct value_listen found;
	uint64_t port;

	/* the colons of an IPv6 address stand in brackets */
	if (colon == NULL ||
	    (text[0] == '[') != (colon > text && colon[-1] == ']') ||
	    (text[0] != '[' && strchr(text, ':') != colon))
		return false;
	if (!addr_parse(
		&found.addr, slice_make(text, (size_t)(colon - text))) ||
	    !value_number(colon + 1, UINT16_MAX, &port))
		return false;
	found.port = (uint16_t)port;
	*listen = found;
	return true;
}

bool
shape_listen(const char *value)
{
	struct value_listen listen;

	return value_listen(value, &listen);
}

bool
shape_text(const char *value)
{
	const char *p = value;

	while (*p >= ' ' && *p < 0x7f)
		p++;
	return *p == '\0' && p > value && p - value <= TEXT_MAX;
}

bool
shape_header(const char *value)
{
	/* RFC 9110 5.6.2: the characters of a token */
	static const char token[] = "!#$%&'*+-.^_`|~0123456789"
				    "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t name = strspn(value, token);

	if (value[0] == '@')
		return value[1] != '\0';
	/* the colon stands right behind the name */
	if (name == 0 || value[name] != ':' || strlen(value) > HEADER_MAX)
		return false;
	for (const char *p = value + name; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' && *p != '\t')
			return false;
	return true;
}

bool
shape_user(const char *value)
{
	return shape_text(value) && strchr(value, ':') == NULL;
}

bool
value_ignore(const char *text, enum diag_code *code, const char **pattern)
{
	size_t n = strcspn(text, ":");
	enum diag_code found = diag_find(slice_make(text, n));

	if (found == DIAG_OK || (text[n] == ':' && text[n + 1] == '\0'))
		return false;
	*code = found;
	*pattern = text[n] == ':' ? text + n + 1 : NULL;
	return true;
}

bool
shape_ignore(const char *value)
{
	enum diag_code code;
	const char *pattern;

	return value_ignore(value, &code, &pattern);
}

bool
value_severity(const char *text, enum diag_code *code, enum severity *severity)
{
	static const enum severity levels[] = {
	    SEVERITY_ERROR, SEVERITY_WARNING, SEVERITY_INFO};
	size_t n = strcspn(text, "=");
	enum diag_code found = diag_find(slice_make(text, n));

	/* SEVERITY_NONE is none that an owner may give: --ignore does that */
	for (size_t i = 0;
	     found != DIAG_OK && text[n] == '=' && i < LENGTH(levels); i++)
		if (strcmp(text + n + 1, severity_names[levels[i]]) == 0) {
			*code = found;
			*severity = levels[i];
			return true;
		}
	return false;
}

bool
shape_severity(const char *value)
{
	enum diag_code code;
	enum severity severity;

	return value_severity(value, &code, &severity);
}

bool
shape_format(const char *value)
{
	size_t n = strcspn(value, ":");

	return n > 0 && (value[n] == '\0' || value[n + 1] != '\0');
}

bool
shape_agent(const char *value)
{
	size_t n = strspn(
	    value, "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return n > 0 && n <= TEXT_MAX && value[n] == '\0';
}

/* Decimals and moments. */

bool
value_decimal(const char **text, double *value)
{
	const char *p = *text;
	double scale = 1;

	*value = 0;
	for (; ascii_is_digit(*p); p++)
		*value = *value * 10 + (*p - '0');
	/* a point without digits behind it is a slip */
	if (p > *text && *p == '.') {
		if (!ascii_is_digit(p[1]))
			return false;
		for (p++; ascii_is_digit(*p); p++) {
			scale /= 10;
			*value += (*p - '0') * scale;
		}
	}
	if (p == *text)
		return false;
	*text = p;
	return true;
}

bool
value_moment(const char *text, int64_t now_s, int64_t *at_s)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink nobody = {0};
	struct date date;
	char room[40];
	int64_t ms;

	if (strcmp(text, "today") == 0 || strcmp(text, "yesterday") == 0) {
		*at_s = zone_day_s(zone_day(now_s) - (text[0] == 'y'));
		return true;
	}
	/* "2026-11-20 10:00", as people write it */
	(void)snprintf(room, sizeof(room), "%s", text);
	if (strlen(text) > DAY_CHARS && strlen(text) < sizeof(room) &&
	    room[DAY_CHARS] == ' ') {
		room[DAY_CHARS] = 'T';
		text = room;
	}
	/* try a date first: "2026" is a year, not a number of seconds */
	if (date_parse(&date, slice_of(text), &profile, nobody) == DIAG_OK) {
		struct civil civil = civil_of(date.epoch_s);

		*at_s = date.zone == ZONE_EXPLICIT ? date.epoch_s
						   : zone_epoch_s(&civil);
		return true;
	}
	if (!value_duration(text, BACK_MAX_MS, &ms))
		return false;
	*at_s = now_s - ms / 1000;
	return true;
}

bool
shape_when(const char *value)
{
	int64_t at_s;

	return value_moment(value, 0, &at_s);
}
