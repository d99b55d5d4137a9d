/* The document of a case. */
#include "tests/conformance/document_case.h"

#include <stdint.h>

#include "base/mem.h"
#include "tests/conformance/common.h"
#include "tests/fixtures/read_fixture.h"

static void
set_u32(uint32_t *limit, const json_t *limits, const char *name)
{
	const json_t *value = json_object_get(limits, name);

	if (value != NULL)
		*limit = (uint32_t)json_integer_value(value);
}

static void
set_u64(uint64_t *limit, const json_t *limits, const char *name)
{
	const json_t *value = json_object_get(limits, name);

	if (value != NULL)
		*limit = (uint64_t)json_integer_value(value);
}

static void
set_limits(struct read_limits *to, const json_t *limits)
{
	set_u64(&to->max_entries, limits, "max_urls");
	set_u64(&to->max_entries, limits, "max_sitemaps");
	set_u64(&to->max_bytes, limits, "max_uncompressed");
	set_u32(&to->max_images, limits, "max_images");
	set_u32(&to->max_news, limits, "max_news");
}

static void
set_header(char **field, const json_t *http, const char *name)
{
	const char *value = case_text(http, name);

	if (value != NULL)
		*field = mem_copy(value);
}

static bool
is_asked(const json_t *c, const char *name)
{
	return json_is_true(json_object_get(c, name));
}

static bool
put_body(const json_t *c, struct buf *body)
{
	const json_t *text = json_object_get(c, "document");
	const char *base64 = case_text(c, "document_b64");

	if (base64 == NULL)
		base64 = case_text(c, "body_b64");
	if (base64 != NULL)
		return base64_decode(body, slice_of(base64));
	return text != NULL &&
	    buf_put(body, json_string_value(text), json_string_length(text));
}

bool
document_case(const json_t *c, struct scope *scope, struct buf *body)
{
	const json_t *http = json_object_get(c, "http");
	const json_t *now = json_object_get(c, "now");
	const json_t *context = json_object_get(c, "context");
	struct profile profile = case_profile(c);

	fixture_scope(
	    scope, (enum profile_name)profile.name, case_text(c, "url"));
	scope->location.profile = profile;
	if (slice_is(slice_of(case_text(c, "kind")), "xml"))
		scope->location.has_location = false;
	scope->is_child = json_object_get(context, "parent") != NULL;
	scope->depth = scope->is_child;
	if (now != NULL)
		scope->now_s = json_integer_value(now);
	scope->checks.has_extensions = is_asked(c, "check_extensions");
	scope->checks.has_schema = is_asked(c, "check_schema");
	scope->checks.has_legacy = is_asked(c, "check_legacy");
	set_header(&scope->content_type, http, "content_type");
	set_header(&scope->content_encoding, http, "content_encoding");
	set_limits(&scope->limits, json_object_get(c, "limits"));
	return put_body(c, body);
}
