/* Helpers for the cases about documents. */
#include "tests/conformance/case_help.h"

#include <string.h>

bool
code_set_check(
    const struct code_set *set, const json_t *expect, struct buf *why)
{
	bool expected[DIAG_COUNT] = {false};
	bool ok = true;
	size_t i;
	const json_t *item;

	json_array_foreach(expect, i, item)
	{
		const char *name = json_string_value(item);
		enum diag_code code = diag_find(slice_of(name));

		if (code == DIAG_OK) {
			buf_print(why, "no such code %s; ", name);
			return false;
		}
		expected[code] = true;
	}
	for (int code = 0; code < DIAG_COUNT; code++) {
		if (expected[code] == set->has[code])
			continue;
		buf_print(why, "%s %s; ", expected[code] ? "lacks" : "has also",
		    diag_name((enum diag_code)code));
		ok = false;
	}
	return ok;
}

bool
base64_decode(struct buf *out, struct slice text)
{
	static const char alphabet[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	unsigned count = 0;

	for (size_t i = 0; i < text.len && text.p[i] != '='; i++) {
		const char *at = memchr(alphabet, text.p[i], 64);

		if (at == NULL)
			return false;
		bits = bits << 6 | (uint32_t)(at - alphabet);
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		if (!buf_put_char(out, (char)(bits >> count & 0xFF)))
			return false;
	}
	return true;
}

const char *
case_text(const json_t *c, const char *name)
{
	return json_string_value(json_object_get(c, name));
}
