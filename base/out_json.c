/* The writer of JSON. */
#include "base/out_json.h"

#include <math.h>

#include "base/civil.h"
#include "base/vis.h"
#include "base/w3cdate.h"

void
out_json_key(struct buf *out, const char *key)
{
	char last = out->len > 0 ? out->p[out->len - 1] : '\n';

	/* a string ends with its quote, so none of these is a part of one */
	if (last != '{' && last != '[' && last != ':' && last != '\n')
		(void)buf_put_char(out, ',');
	if (key == NULL)
		return;
	(void)buf_put_char(out, '"');
	(void)buf_put_slice(out, slice_of(key));
	(void)buf_put(out, "\":", 2);
}

void
out_json_line(struct buf *out, const char *type)
{
	(void)buf_put_slice(out, slice_of("{\"v\":1"));
	if (type != NULL)
		out_json_string(out, "type", type);
}

void
out_json_line_end(struct buf *out)
{
	(void)buf_put(out, "}\n", 2);
}

void
out_json_begin(struct buf *out, const char *key, char bracket)
{
	out_json_key(out, key);
	(void)buf_put_char(out, bracket);
}

void
out_json_end(struct buf *out, char bracket)
{
	(void)buf_put_char(out, bracket);
}

void
out_json_strings(struct buf *out, const char *key, const struct strings *list)
{
	out_json_begin(out, key, '[');
	for (size_t i = 0; i < list->count; i++)
		out_json_text(out, NULL, slice_of(list->items[i]));
	out_json_end(out, ']');
}

void
out_json_text(struct buf *out, const char *key, struct slice text)
{
	out_json_key(out, key);
	json_put(out, text);
}

void
out_json_word(struct buf *out, const char *key, struct slice text)
{
	if (text.len > 0) {
		out_json_text(out, key, text);
		return;
	}
	out_json_key(out, key);
	(void)buf_put(out, "null", 4);
}

void
out_json_string(struct buf *out, const char *key, const char *text)
{
	out_json_word(out, key, slice_of(text));
}

void
out_json_number(struct buf *out, const char *key, uint64_t n)
{
	char digits[20]; /* of the greatest number */
	char *p = digits + sizeof(digits);

	/* printf() would take most of the time of a line of numbers */
	do {
		*--p = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	out_json_key(out, key);
	(void)buf_put(out, p, (size_t)(digits + sizeof(digits) - p));
}

void
out_json_number_if(struct buf *out, const char *key, bool is_known, uint64_t n)
{
	if (is_known)
		out_json_number(out, key, n);
	else
		out_json_string(out, key, NULL);
}

void
out_json_some(struct buf *out, const char *key, uint64_t n)
{
	out_json_number_if(out, key, n > 0, n);
}

void
out_json_real(struct buf *out, const char *key, double value)
{
	if (isfinite(value)) {
		out_json_key(out, key);
		(void)buf_print(out, "%.6g", value);
	} else
		out_json_string(out, key, NULL);
}

void
out_json_flag(struct buf *out, const char *key, bool value)
{
	out_json_key(out, key);
	(void)buf_put_slice(out, slice_of(value ? "true" : "false"));
}

void
out_json_time(struct buf *out, const char *key, int64_t epoch_s)
{
	if (epoch_s == 0 || !civil_is_writable(epoch_s)) {
		out_json_string(out, key, NULL);
		return;
	}
	out_json_key(out, key);
	(void)buf_put_char(out, '"');
	time_print(out, epoch_s);
	(void)buf_put_char(out, '"');
}

void
out_json_date(struct buf *out, const char *key, const struct date *date)
{
	if (date->precision == DATE_NONE) {
		out_json_string(out, key, NULL);
		return;
	}
	out_json_key(out, key);
	(void)buf_put_char(out, '"');
	date_print(out, date);
	(void)buf_put_char(out, '"');
}

void
out_json_code(struct buf *out, const char *key, enum diag_code code)
{
	out_json_string(out, key, code == DIAG_OK ? NULL : diag_name(code));
}
