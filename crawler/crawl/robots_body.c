/* What came for a robots.txt with 2xx. */
#include "crawler/crawl/robots_body.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/profile.h"
#include "base/robots.h"
#include "base/url.h"
#include "crawler/event/spool.h"
#include "crawler/fetch/fetch.h"
#include "crawler/parse/page_wall.h"
#include "crawler/parse/read.h"
#include "crawler/sandbox/readers.h"

enum robots_body
robots_body_of_head(
    const struct fetch_result *result, char why[ROBOTS_WHY_BYTES])
{
	if (result->is_challenge) {
		(void)snprintf(why, ROBOTS_WHY_BYTES,
		    "status %d, a challenge of the bot wall of %s",
		    result->status, result->wall);
		return ROBOTS_BODY_HIDDEN;
	}
	if (result->status == 202) {
		(void)snprintf(why, ROBOTS_WHY_BYTES,
		    "status 202, with which no file comes");
		return ROBOTS_BODY_HIDDEN;
	}
	return ROBOTS_BODY_FILE;
}

enum robots_body
robots_body_of_text(struct slice text, char why[ROBOTS_WHY_BYTES])
{
	if (robots_is_packed(text, NULL)) {
		(void)snprintf(why, ROBOTS_WHY_BYTES,
		    "it is packed in a coding that cannot be undone");
		return ROBOTS_BODY_HIDDEN;
	}
	if (robots_is_file(text))
		return ROBOTS_BODY_FILE;
	(void)snprintf(why, ROBOTS_WHY_BYTES, "%s, and no robots.txt",
	    robots_is_html(text) ? "a web page" : "some text");
	return ROBOTS_BODY_PAGE;
}

bool
robots_body_wants_reader(struct slice body, const char *content_encoding)
{
	return robots_is_packed(body, content_encoding) ||
	    (robots_is_html(body) && !robots_is_file(body));
}

bool
robots_body_job(struct reader_job *job, struct spool_file *spool,
    const struct url *url, const struct fetch_result *result)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);

	*job = (struct reader_job){.body_fd = spool_reader_fd(spool)};
	if (job->body_fd < 0)
		return false;
	job->body_len = spool_length(spool);
	scope_init(&job->scope, &profile);
	url_copy(&job->scope.location.requested, url);
	url_copy(&job->scope.location.final, url);
	job->scope.is_robots = true;
	job->scope.is_truncated = result->code == DIAG_BODY_TOO_BIG;
	if (result->content_type != NULL)
		job->scope.content_type = mem_copy(result->content_type);
	if (result->content_encoding != NULL)
		job->scope.content_encoding = mem_copy(
		    result->content_encoding);
	return true;
}

enum robots_body
robots_body_of_reading(enum diag_code result, const struct content *content,
    struct slice *text, char why[ROBOTS_WHY_BYTES])
{
	unsigned wall;

	*text = slice_make(NULL, 0);
	if (result != DIAG_OK || !read_robots_get(content, &wall, text)) {
		(void)snprintf(why, ROBOTS_WHY_BYTES,
		    "its bytes cannot be unpacked: %s",
		    diag_name(result != DIAG_OK ? result : DIAG_READER_KILLED));
		return ROBOTS_BODY_HIDDEN;
	}
	if (wall == 0)
		return robots_body_of_text(*text, why);
	*text = slice_make(NULL, 0);
	(void)snprintf(why, ROBOTS_WHY_BYTES,
	    "a challenge of the bot wall of %s", page_wall_name(wall));
	return ROBOTS_BODY_HIDDEN;
}

struct slice
robots_whole_lines(struct slice body, bool is_cut)
{
	if (body.len > ROBOTS_MAX_BYTES) {
		body.len = ROBOTS_MAX_BYTES;
		is_cut = true;
	}
	while (is_cut && body.len > 0 && body.p[body.len - 1] != '\n' &&
	    body.p[body.len - 1] != '\r')
		body.len--;
	return body;
}
