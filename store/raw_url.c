/* URLs as segments and samples of findings hold them. */
#include "store/raw_url.h"

#include "store/segment/finding.h"

/* How many bytes at the end of a cut sample may belong to an incomplete escape
 * or letter. */
#define CUT 8

enum diag_code
raw_url_parse(struct url *url, struct slice text, const struct url *base)
{
	struct profile profile = profile_default(PROFILE_LENIENT);

	profile.max_loc_chars = URL_MAX_BYTES;
	if (base == NULL)
		profile.relative_loc = RELATIVE_REJECT;
	return url_parse(url, text, base, &profile, (struct diag_sink){0});
}

bool
raw_url_is(struct slice text, const struct url *base, struct slice wanted,
    enum diag_code *code)
{
	struct slice made;
	struct url url;
	bool is_it = false;

	url_init(&url);
	*code = raw_url_parse(&url, text, base);
	made = url_text(&url);
	if (*code == DIAG_OK && text.len >= FINDING_TEXT_MAX && made.len > CUT)
		is_it = slice_starts(
		    wanted, slice_make(made.p, made.len - CUT));
	else if (*code == DIAG_OK)
		is_it = slice_equal(made, wanted);
	url_release(&url);
	return is_it;
}
