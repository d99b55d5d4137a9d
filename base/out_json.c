/* Members of a JSON object on stdout. */
#include "base/out_json.h"

#include <math.h>

#include "base/civil.h"
#include "base/vis.h"
#include "base/w3cdate.h"

void
out_json_key(struct buf *out, const char *key)
{
	if (out->len > 0 && out->p[out->len - 1] != '{')
		(void)buf_put_char(out, ',');
	(void)buf_put_char(out, '"');
	(void)buf_put_slice(out, slice_of(key));
	(void)buf_put(out, "\":", 2);
}

void
out_json_number(struct buf *out, const char *key, uint64_t n)
{
	out_json_key(out, key);
	(void)buf_put_number(out, n);
}

void
out_json_word(struct buf *out, const char *key, struct slice text)
{
	out_json_key(out, key);
	if (text.len == 0)
		(void)buf_put(out, "null", 4);
	else
		json_put(out, text);
}

void
out_json_real(struct buf *out, const char *key, double value)
{
	out_json_key(out, key);
	if (isfinite(value))
		(void)buf_print(out, "%.6g", value);
	else
		(void)buf_put(out, "null", 4);
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
	out_json_key(out, key);
	if (epoch_s == 0 || !civil_is_writable(epoch_s)) {
		(void)buf_put(out, "null", 4);
		return;
	}
	(void)buf_put_char(out, '"');
	time_print(out, epoch_s);
	(void)buf_put_char(out, '"');
}

void
out_json_code(struct buf *out, const char *key, enum diag_code code)
{
	out_json_word(
	    out, key, slice_of(code == DIAG_OK ? "" : diag_name(code)));
}
