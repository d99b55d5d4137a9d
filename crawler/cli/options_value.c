/* The forms of values of options and settings: durations, sizes, numbers,
 * rates, moments, texts. */
#include "crawler/cli/options_value.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/page_filter.h"
#include "base/renaming.h"
#include "base/section.h"
#include "base/target.h"
#include "base/vis.h"
#include "base/w3cdate.h"
#include "base/zone.h"
#include "store/location.h"

#define HEADER_MAX 8192
#define TEXT_MAX 512
#define MAX_WEIGHT 1e6
#define MAX_RATE 1e9
#define MAX_TAG 64
#define MAX_BELOW 2048 /* bytes; a URL may be as long (SPEC R-24) */
#define MAX_TIME 32 /* bytes of one bound */
#define BACK_MAX_MS  \
	(100 * 365 * \
	    INT64_C(86400000)) /* the longest duration of value_moment() */
#define DAY_CHARS 10 /* of "2026-11-20" */

bool
value_number(const char *text, uint64_t max, uint64_t *n)
{
	uint64_t value;

	if (!slice_number(slice_of(text), &value) || value > max)
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

/* HOST:PORT:ADDR[,ADDR]..., as curl's option. */
static bool
value_is_resolve(const char *value)
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

/* A proxy: the kinds of proxies that libcurl knows; a name and a password may
 * stand before the host. */
static bool
value_is_proxy(const char *value)
{
	const char *p = strstr(value, "://");
	const char *sign = strrchr(value, '@');
	const char *end;
	const char *schemes = "http|https|socks4|socks4a|socks5|socks5h";
	struct slice scheme;
	/* without a scheme, HOST may have any form */
	bool is_plain = p == NULL, is_known = is_plain;

	while (!is_known && slice_next(&schemes, '|', &scheme))
		is_known = slice_equal_nocase(
		    slice_make(value, (size_t)(p - value)), scheme);
	if (!is_known)
		return false;
	p = is_plain ? value : p + 3;
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
	return strcmp(end, *end == '/' ? "/" : "") == 0 &&
	    value_has_shape(value, SHAPE_TEXT);
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

/* "Name: value", or @FILE. */
static bool
value_is_header(const char *value)
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

/* Decimals and moments. */

bool
value_decimal(const char **text, double *value)
{
	static const char digits[] = "0123456789";
	size_t len = strspn(*text, digits);

	if (len == 0)
		return false;
	/* a point without digits behind it is a slip */
	if ((*text)[len] == '.') {
		size_t part = strspn(*text + len + 1, digits);

		if (part == 0)
			return false;
		len += 1 + part;
	}
	*value = strtod(*text, NULL);
	*text += len;
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

/* Read one bound; an empty text is 0. */
static bool
take_bound(const char *text, size_t len, int64_t *seconds)
{
	char one[MAX_TIME];
	int64_t ms;

	*seconds = 0;
	if (len == 0)
		return true;
	if (len >= sizeof(one))
		return false;
	memcpy(one, text, len);
	one[len] = '\0';
	/* rounded up, so that no interval is shorter than was asked for */
	if (!value_duration(one, VALUE_MAX_BOUND_S * 1000, &ms))
		return false;
	*seconds = (ms + 999) / 1000;
	return true;
}

bool
value_bounds(const char *text, int64_t *least_s, int64_t *most_s)
{
	const char *dots = strstr(text, "..");
	int64_t least;
	int64_t most;

	if (!take_bound(text,
		dots == NULL ? strlen(text) : (size_t)(dots - text), &least))
		return false;
	if (dots == NULL)
		most = least;
	else if (!take_bound(dots + 2, strlen(dots + 2), &most))
		return false;
	/* two empty bounds are no bounds, and are set by an empty value */
	if ((least == 0 && most == 0) || (most > 0 && least > most))
		return false;
	*least_s = least;
	*most_s = most;
	return true;
}

bool
value_amount(const char *text, bool is_rate, double *amount)
{
	double value;
	bool is_daily;

	if (!value_decimal(&text, &value) || !(value > 0) ||
	    value > (is_rate ? MAX_RATE : MAX_WEIGHT))
		return false;
	/* a rate without a unit is one of an hour; a weight has no unit */
	is_daily = is_rate && strcmp(text, "/d") == 0;
	if (text[0] != '\0' && !is_daily &&
	    !(is_rate && strcmp(text, "/h") == 0))
		return false;
	*amount = is_daily ? value / 24 : value;
	return true;
}

static bool
value_is_rule(const char *key, const char *value)
{
	struct buf text = BUF_UP_TO(SIZE_MAX);
	bool is_rule = buf_print(&text, "%s=%s", key, value) &&
	    page_filter_check(buf_str(&text));

	buf_release(&text);
	return is_rule;
}

static bool
value_is_https_host(struct slice text)
{
	struct url url = {0};
	bool is_good;

	is_good = url_parse_raw(&url, text, NULL) == DIAG_OK && url.is_https &&
	    slice_equal(url_origin(&url), text);
	url_release(&url);
	return is_good;
}

bool
value_sign(struct slice text, enum sign_mode *mode)
{
	static const char *const words[] = {"challenge", "always", "never"};

	for (int i = SIGN_CHALLENGE; i <= SIGN_NEVER; i++)
		if (slice_is(text, words[i])) {
			*mode = (enum sign_mode)i;
			return true;
		}
	return false;
}

bool
value_has_shape(const char *value, enum value_shape shape)
{
	const struct slice text = slice_of(value);
	const size_t head = strcspn(value, ":");
	const char *p = value, *pattern;
	ptrdiff_t most = TEXT_MAX;
	struct string_set own = {0};
	struct value_listen listen;
	enum profile_name profile;
	enum severity severity;
	enum sign_mode sign;
	enum diag_code code;
	int64_t least_s, most_s;
	struct target target;
	struct cidr cidr;
	double amount;
	uint64_t number;
	bool is_good = true;

	switch (shape) {
	case SHAPE_ANY:
		return value[0] != '\0';
	case SHAPE_CONNECT_TO:
		/* the host and port that are asked for, either of which may be
		 * empty and is then any; and those that get the request
		 * instead */
		return host_part(p, &p) && port_part(p + 1, &p) && *p == ':' &&
		    host_part(p + 1, &p) && port_part(p + 1, &p) && *p == '\0';
	case SHAPE_RESOLVE:
		return value_is_resolve(value);
	case SHAPE_PROXY:
		return value_is_proxy(value);
	case SHAPE_HEADER:
		return value_is_header(value);
	case SHAPE_CIDR:
		return cidr_parse(&cidr, text);
	case SHAPE_OWN:
		is_good = location_own_parse(&own, text);
		string_set_release(&own);
		return is_good;
	case SHAPE_LISTEN:
		return value_listen(value, &listen);
	case SHAPE_IGNORE:
		return value_ignore(value, &code, &pattern);
	case SHAPE_SEVERITY:
		return value_severity(value, &code, &severity);
	case SHAPE_FORMAT:
		return head > 0 &&
		    (value[head] == '\0' || value[head + 1] != '\0');
	case SHAPE_WHEN:
		return value_moment(value, 0, &least_s);
	case SHAPE_BOUNDS:
		return value_bounds(value, &least_s, &most_s);
	case SHAPE_WEIGHT:
	case SHAPE_BUDGET:
		return value_amount(value, shape == SHAPE_BUDGET, &amount);
	case SHAPE_VERIFY:
		return value_number(value, VALUE_MAX_VERIFY, &number) &&
		    number > 0;
	case SHAPE_SIGN:
		return value_sign(text, &sign);
	case SHAPE_SECTION:
	case SHAPE_BELOW:
		return (shape == SHAPE_SECTION && section_is_name(text)) ||
		    (value[0] == '/' && slice_is_graphic(text) &&
			text.len <= MAX_BELOW);
	case SHAPE_PROFILE:
		/* the names of --profile; one with switches has no name */
		return profile_find(text, &profile);
	case SHAPE_TARGET:
		/* whether it belongs to the site is judged where the site is
		 * known */
		is_good = target_parse(&target, text) == DIAG_OK;
		url_release(&target.url);
		return is_good;
	case SHAPE_SECTION_PATHS:
		return section_is_paths(value);
	case SHAPE_PATTERN:
		return value_is_rule("include", value);
	case SHAPE_NEWER:
		return value_is_rule("newer", value);
	case SHAPE_DEPTH:
		return value_is_rule("depth", value);
	case SHAPE_PURPOSE:
		return value_is_rule("purpose", value);
	case SHAPE_RENAMING:
		return renaming_is(value);
	case SHAPE_ZONE:
		return zone_is(value);
	case SHAPE_HTTPS_HOST:
		return value_is_https_host(text);
	/* texts, of some characters and of some length */
	case SHAPE_TEXT:
		while (*p >= ' ' && *p < 0x7f)
			p++;
		break;
	case SHAPE_AGENT:
		p += strspn(p,
		    "-_abcdefghijklmnopqrstuvwxyz"
		    "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		break;
	case SHAPE_TAG:
		while ((unsigned char)*p > ' ' && *p != ',' && *p != 0x7f)
			p++;
		is_good = vis_is_utf8(text);
		most = MAX_TAG;
		break;
	}
	return is_good && *p == '\0' && p > value && p - value <= most;
}
