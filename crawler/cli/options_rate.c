/* Values of options: rates of requests, decimals. */
#include "crawler/cli/options_rate.h"

#include <string.h>

#define MOST 1e9

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
value_decimal(const char **text, double *value)
{
	const char *p = *text;
	double scale = 1;

	*value = 0;
	for (; is_digit(*p); p++)
		*value = *value * 10 + (*p - '0');
	if (p > *text && *p == '.') {
		if (!is_digit(p[1]))
			return false;
		for (p++; is_digit(*p); p++) {
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
value_rate(const char *text, struct value_rate *rate)
{
	double amount;

	if (!value_decimal(&text, &amount) || !(amount > 0) || amount > MOST)
		return false;
	if (text[0] != '\0' && strcmp(text, "/h") != 0 &&
	    strcmp(text, "/d") != 0 && strcmp(text, "%") != 0)
		return false;
	rate->amount = amount;
	rate->unit = text[0] == '\0' ? 'h' : text[0] == '%' ? '%' : text[1];
	return true;
}

bool
shape_rate(const char *value)
{
	struct value_rate rate;

	return value_rate(value, &rate);
}

bool
shape_setting(const char *value)
{
	const char *end = strchr(value, '=');

	return end != NULL && end > value && end[1] != '\0';
}
