/* Cases of kind url: SPEC. */
#include "base/url.h"

#include "tests/conformance/cases.h"

static bool
check(const json_t *expect, enum diag_code code, const struct url *url,
    struct buf *why)
{
	struct slice error = slice_of(case_text(expect, "error"));

	if (error.p != NULL)
		return case_same_text(
		    why, "error", error, slice_of(diag_name(code)));
	return case_same_text(
		   why, "code", slice_of("ok"), slice_of(diag_name(code))) &&
	    case_same_text(why, "normalized",
		slice_of(case_text(expect, "normalized")), url_text(url));
}

bool
case_url(const json_t *c, struct buf *why)
{
	const json_t *expect = json_object_get(c, "expect");
	struct profile profile = case_profile(c);
	struct slice base_text = slice_of(case_text(c, "base"));
	struct code_set seen = {{false}};
	struct diag_sink quiet = {NULL, NULL};
	struct url url = {0}, base = {0};
	enum diag_code code;
	bool passed;

	if (base_text.p != NULL)
		(void)url_parse(&base, base_text, NULL, &profile, quiet);
	code = url_parse(&url, slice_of(case_text(c, "raw")),
	    base_text.p == NULL ? NULL : &base, &profile, note_codes(&seen));
	passed = check(expect, code, &url, why);
	if (passed && code == DIAG_OK)
		passed = code_set_check(
		    &seen, json_object_get(expect, "diagnostics"), why);
	url_release(&base);
	url_release(&url);
	return passed;
}
