/* Values of the watch list. */
#include "crawler/cli/watch_value.h"

#include <inttypes.h>
#include <string.h>

#include "base/vis.h"
#include "crawler/cli/options_rate.h"
#include "crawler/cli/options_value.h"

#define MAX_WEIGHT 1e6
#define MAX_TAG 64
#define MAX_SECTION 2048 /* as long as a URL may be: SPEC R-24 */
#define MAX_TIME 32 /* bytes of one bound */

/* take_bound(text, len, seconds): an empty one is 0. */
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
	if (!value_duration(one, WATCH_MAX_BOUND_S * 1000, &ms))
		return false;
	*seconds = (ms + 999) / 1000;
	return true;
}

bool
watch_value_bounds(const char *text, int64_t *least_s, int64_t *most_s)
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
	if ((least == 0 && most == 0) || (most > 0 && least > most))
		return false;
	*least_s = least;
	*most_s = most;
	return true;
}

bool
watch_value_weight(const char *text, double *weight)
{
	double value;

	if (!value_decimal(&text, &value) || *text != '\0' || !(value > 0) ||
	    value > MAX_WEIGHT)
		return false;
	*weight = value;
	return true;
}

bool
watch_value_budget(const char *text, double *per_hour)
{
	struct value_rate rate;

	if (!value_rate(text, &rate) || rate.unit == '%')
		return false;
	*per_hour = rate.unit == 'd' ? rate.amount / 24 : rate.amount;
	return true;
}

void
watch_put_seconds(struct buf *out, int64_t seconds)
{
	static const struct {
		int64_t size;
		char name;
	} units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
	size_t i = 0;

	while (seconds % units[i].size != 0)
		i++;
	(void)buf_print(
	    out, "%" PRId64 "%c", seconds / units[i].size, units[i].name);
}

void
watch_put_bounds(struct buf *out, int64_t least_s, int64_t most_s)
{
	if (least_s > 0)
		watch_put_seconds(out, least_s);
	if (least_s == most_s)
		return;
	(void)buf_print(out, "..");
	if (most_s > 0)
		watch_put_seconds(out, most_s);
}

bool
shape_bounds(const char *value)
{
	int64_t least_s;
	int64_t most_s;

	return watch_value_bounds(value, &least_s, &most_s);
}

bool
shape_weight(const char *value)
{
	double weight;

	return watch_value_weight(value, &weight);
}

bool
shape_budget(const char *value)
{
	double per_hour;

	return watch_value_budget(value, &per_hour);
}

bool
shape_tag(const char *value)
{
	const char *p = value;

	while ((unsigned char)*p > ' ' && *p != ',' && *p != 0x7f)
		p++;
	return *p == '\0' && p > value && p - value <= MAX_TAG &&
	    vis_is_utf8(slice_of(value));
}

bool
shape_section(const char *value)
{
	const char *p = value;

	while (*p > ' ' && *p < 0x7f)
		p++;
	return value[0] == '/' && *p == '\0' && p - value <= MAX_SECTION;
}
