/* Values of options of `sim`: rates of requests, and KEY=VALUE. */
#ifndef FRESHET_OPTIONS_RATE_H
#define FRESHET_OPTIONS_RATE_H

#include <stdbool.h>

struct value_rate {
	double amount;
	char unit; /* 'h', 'd', or '%': of all pages, a day */
};

/* value_decimal(text, value): digits, perhaps with a fraction, at the front of
 * *text, which is moved behind them; false when there are none. */
bool value_decimal(const char **text, double *value);

/*
 * value_rate(text, rate): "500/h", "40/d", "5%"; "20" is of an hour.  More
 * than nothing, and a billion at most; false, and nothing written, for
 * anything else.
 */
bool value_rate(const char *text, struct value_rate *);

/* Shapes, for option.shape. */
bool shape_rate(const char *value); /* what value_rate reads */
bool shape_setting(const char *value); /* KEY=VALUE, neither empty */

#endif
