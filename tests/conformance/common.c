/* Helpers for all kinds of cases. */
#include "tests/conformance/common.h"

#include <assert.h>
#include <stdio.h>

#include "base/vis.h"

static void
note_diag(void *arg, enum diag_code code, struct slice detail)
{
	struct code_set *set = arg;

	(void)detail;
	set->has[code] = true;
}

struct diag_sink
note_codes(struct code_set *set)
{
	return (struct diag_sink){note_diag, set};
}

struct profile
case_profile(const json_t *c)
{
	enum profile_name name = PROFILE_GOOGLE;
	bool is_known = profile_find(slice_of(case_text(c, "profile")), &name);
	struct profile profile = profile_default(name);
	const char *key;
	json_t *value;

	assert(is_known);
	json_object_foreach(json_object_get(c, "policy"), key, value)
	{
		char number[24];
		const char *text = json_string_value(value);

		(void)snprintf(number, sizeof(number), "%lld",
		    (long long)json_integer_value(value));
		if (text == NULL)
			text = json_is_integer(value) ? number
			    : json_is_true(value)     ? "on"
						      : "off";
		is_known = profile_set(&profile, slice_of(key), slice_of(text));
		assert(is_known);
	}
	return profile;
}

void
case_body(const json_t *c, struct buf *body)
{
	const json_t *part;
	size_t i;

	/* The results need no test: a case that exceeds the ceiling fails by
	 * itself. */
	(void)buf_put_slice(body, slice_of(case_text(c, "body")));
	(void)base64_decode(body, slice_of(case_text(c, "body_b64")));
	json_array_foreach(json_object_get(c, "body_parts"), i, part)
	{
		const json_t *times = json_object_get(part, "times");
		json_int_t n = times == NULL ? 1 : json_integer_value(times);

		for (; n > 0; n--)
			(void)buf_put_slice(
			    body, slice_of(case_text(part, "text")));
	}
}

bool
case_same_text(
    struct buf *why, const char *what, struct slice expected, struct slice got)
{
	if (slice_equal(expected, got))
		return true;
	(void)buf_print(why, "  %s: expected '", what);
	vis_put(why, expected, 4096);
	(void)buf_print(why, "', got '");
	vis_put(why, got, 4096);
	(void)buf_print(why, "'\n");
	return false;
}

bool
case_same_number(
    struct buf *why, const char *what, json_int_t expected, json_int_t got)
{
	if (expected == got)
		return true;
	(void)buf_print(why,
	    "  %s: expected %" JSON_INTEGER_FORMAT ", got %" JSON_INTEGER_FORMAT
	    "\n",
	    what, expected, got);
	return false;
}
