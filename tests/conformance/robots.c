/* Cases of kind robots: SPEC section 8. */
#include "base/robots.h"

#include "base/url.h"
#include "tests/conformance/cases.h"

/* judge(robots, path): the path of a case is written as in the URL of a page,
 * before normalisation; a path that makes no URL is matched as it is. */
static struct robots_verdict
judge(const struct robots *robots, struct slice path, unsigned purposes)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct diag_sink quiet = {NULL, NULL};
	struct robots_verdict verdict;
	struct buf text;
	struct url url = {0};
	enum diag_code code;

	buf_init(&text, BODY_MAX);
	(void)buf_put_slice(&text, slice_of("http://a.example"));
	(void)buf_put_slice(&text, path);
	profile.max_loc_chars = URL_MAX_BYTES;
	code = url_parse(&url, buf_text(&text), NULL, &profile, quiet);
	verdict = robots_page_verdict(
	    robots, code == DIAG_OK ? url_target(&url) : path, purposes);
	url_release(&url);
	buf_release(&text);
	return verdict;
}

static bool
check_match(const json_t *c, const struct robots *robots, struct buf *why)
{
	const json_t *expect = json_object_get(c, "expect");
	const json_t *delay = json_object_get(expect, "delay");
	const char *purpose = case_text(c, "purpose");
	const char *want = case_text(expect, "purposes");
	struct robots_verdict verdict = judge(robots,
	    slice_of(case_text(c, "path")),
	    purpose == NULL ? 0 : 1U << purpose_find(slice_of(purpose)));
	struct buf said = BUF_UP_TO(BODY_MAX);
	bool is_same;
	double delay_s = json_number_value(delay);

	if (!case_same_text(why, "verdict",
		slice_of(case_text(expect, "verdict")),
		slice_of(verdict.is_allowed ? "allow" : "deny")))
		return false;
	purposes_print(&said, "", verdict.said);
	is_same = want == NULL ||
	    case_same_text(why, "purposes", slice_of(want), buf_text(&said));
	buf_release(&said);
	if (!is_same)
		return false;
	return delay == NULL ||
	    case_same_number(why, "delay in ms",
		(json_int_t)(delay_s * 1000 + 0.5), robots_delay_ms(robots));
}

static bool
check_sitemaps(const json_t *c, const struct robots *robots,
    const struct code_set *seen, struct buf *why)
{
	const json_t *expect = json_object_get(c, "expect");
	const json_t *want;
	uint32_t line;
	size_t i;

	json_array_foreach(json_object_get(expect, "sitemaps"), i, want)
	{
		if (!case_same_text(why, "sitemap",
			slice_of(json_string_value(want)),
			robots_sitemap(robots, (uint32_t)i, &line)))
			return false;
	}
	i = json_array_size(json_object_get(expect, "sitemaps"));
	return case_same_text(why, "one more sitemap", slice_make(NULL, 0),
		   robots_sitemap(robots, (uint32_t)i, &line)) &&
	    code_set_check(seen, json_object_get(expect, "diagnostics"), why);
}

bool
case_robots(const json_t *c, struct buf *why)
{
	struct profile profile = case_profile(c);
	struct slice agent = slice_of(case_text(c, "ua"));
	struct code_set seen = {{false}};
	struct robots *robots;
	struct buf body;
	bool passed;

	if (slice_is(slice_of(case_text(c, "op")), "fetch"))
		return case_robots_fetch(c, why);
	buf_init(&body, BODY_MAX);
	case_body(c, &body);
	robots = robots_parse(buf_text(&body),
	    agent.p == NULL ? slice_of("freshet") : agent, &profile,
	    note_codes(&seen));
	if (slice_is(slice_of(case_text(c, "op")), "match"))
		passed = check_match(c, robots, why);
	else
		passed = check_sitemaps(c, robots, &seen, why);
	robots_free(robots);
	buf_release(&body);
	return passed;
}
