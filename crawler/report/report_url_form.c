/* What the text of a listed URL gives away. */
#include "crawler/report/report_url_form.h"

#include <stdbool.h>
#include <string.h>

#include "crawler/report/report_facts.h"

#define ID_LEAST 16 /* letters; shorter values are no ids of sessions */

/* Is the parameter "name=value" the id of a session? */
static bool
is_session(struct slice parameter)
{
	static const char *const names[] = {"jsessionid", "phpsessid",
	    "aspsessionid", "sessionid", "session_id", "oscsid", "zenid",
	    "sid"};
	const char *equals = memchr(parameter.p, '=', parameter.len);
	size_t len;

	if (equals == NULL)
		return false;
	len = (size_t)(equals - parameter.p);
	if (parameter.len - len - 1 < ID_LEAST)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_equal_nocase(
			slice_make(parameter.p, len), slice_of(names[i])))
			return true;
	return false;
}

/* Has the text such a parameter? */
static bool
has_session(struct slice text)
{
	size_t from = text.len;

	for (size_t i = 0; i <= text.len; i++) {
		if (i < text.len &&
		    !(text.p[i] == '?' || text.p[i] == '&' || text.p[i] == ';'))
			continue;
		if (from < i && is_session(slice_make(text.p + from, i - from)))
			return true;
		from = i + 1;
	}
	return false;
}

enum diag_code
report_url_form(struct slice url)
{
	struct slice path = url;
	const char *slash;

	/* most URLs have no parameters, and no name with an end */
	if (memchr(url.p, '=', url.len) != NULL && has_session(url))
		return DIAG_URL_HAS_SESSION_ID;
	if (!slice_ends(url, slice_of(".xml")) &&
	    !slice_ends(url, slice_of(".xml.gz")) &&
	    !slice_ends(url, slice_of(".txt")))
		return DIAG_OK;
	path = slice_from(url, report_origin(url).len);
	if (slice_is(path, "/robots.txt"))
		return DIAG_URL_NOT_A_PAGE;
	slash = memrchr(path.p, '/', path.len);
	return !slice_ends(path, slice_of(".txt")) && slash != NULL &&
		memmem(slash, (size_t)(path.p + path.len - slash), "sitemap",
		    strlen("sitemap")) != NULL
	    ? DIAG_URL_NOT_A_PAGE
	    : DIAG_OK;
}
