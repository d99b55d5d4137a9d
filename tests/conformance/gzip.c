/* Cases of kind "gzip": what can be recovered from the bytes on the wire. */
#include <jansson.h>
#include <stdlib.h>

#include "crawler/parse/gunzip.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/common.h"
#include "tests/conformance/document_case.h"
#include "tests/fixtures/read_fixture.h"

/* is_of_kind(code): is the code about compression? A body of "<urlset/>" causes
 * other codes, too. */
static bool
is_of_kind(enum diag_code code)
{
	switch (code) {
	case DIAG_UNSUPPORTED_ENCODING:
	case DIAG_CONTENT_ENCODING_MISMATCH:
	case DIAG_COMPRESSION_ERROR:
	case DIAG_GZIP_TRUNCATED:
	case DIAG_GZIP_TOO_MANY_LAYERS:
	case DIAG_GZIP_DOUBLE:
	case DIAG_GZIP_MULTIMEMBER:
	case DIAG_GZIP_TRAILING_GARBAGE:
	case DIAG_GZ_EXTENSION_NOT_GZIP:
	case DIAG_GZIP_UNDECLARED:
	case DIAG_FILE_TOO_LARGE:
	case DIAG_EMPTY_FILE:
		return true;
	default:
		return false;
	}
}

struct unpacked {
	struct buf text;
	unsigned layers;
	bool is_complete;
};

static bool
take(void *arg, struct slice bytes)
{
	struct unpacked *unpacked = arg;

	return buf_put_slice(&unpacked->text, bytes);
}

static void
unpack(struct unpacked *unpacked, const struct scope *scope, struct slice body)
{
	struct gunzip_outcome outcome;
	struct gunzip_options options = {.limits = &scope->limits,
	    .max_bytes = scope->limits.max_bytes,
	    .path = url_path(&scope->location.final),
	    .content_type = slice_of(scope->content_type),
	    .content_encoding = slice_of(scope->content_encoding),
	    .outcome = &outcome,
	    .out = take,
	    .arg = unpacked};
	struct gunzip *gunzip = gunzip_new(&options);

	buf_init(&unpacked->text, 1 << 20);
	(void)gunzip_feed(gunzip, body);
	unpacked->is_complete = gunzip_finish(gunzip);
	unpacked->layers = outcome.layers;
	/* The strict profile keeps nothing of a broken body (SPEC R-82). */
	if (!unpacked->is_complete &&
	    scope->location.profile.on_partial == PARTIAL_DROP)
		buf_clear(&unpacked->text);
	gunzip_free(gunzip);
}

static bool
judge(const json_t *expect, const struct unpacked *unpacked,
    const struct fixture *fixture, struct buf *why)
{
	struct code_set codes = {0};
	const char *text = case_text(expect, "text");
	bool ok = true;

	for (size_t i = 0; i < fixture->content.findings.count; i++) {
		enum diag_code code = fixture->content.findings.items[i].code;

		if (is_of_kind(code))
			codes.has[code] = true;
	}
	if (!code_set_check(
		&codes, json_object_get(expect, "diagnostics"), why))
		ok = false;
	if (unpacked->layers !=
	    (unsigned)json_integer_value(json_object_get(expect, "layers"))) {
		buf_print(why, "layers %u; ", unpacked->layers);
		ok = false;
	}
	if (unpacked->is_complete !=
	    json_is_true(json_object_get(expect, "complete"))) {
		buf_print(why, "complete %d; ", unpacked->is_complete);
		ok = false;
	}
	if (!slice_is(buf_text(&unpacked->text), text)) {
		buf_print(why, "text '%.*s'; ", (int)unpacked->text.len,
		    unpacked->text.p == NULL ? "" : unpacked->text.p);
		ok = false;
	}
	return ok;
}

bool
case_gzip(const json_t *c, struct buf *why)
{
	struct unpacked unpacked;
	struct fixture fixture;
	struct scope scope;
	struct buf body;

	buf_init(&body, BODY_MAX);
	bool ok = document_case(c, &scope, &body);
	unpack(&unpacked, &scope, buf_text(&body));
	fixture_init(&fixture, buf_text(&body));
	fixture_read(&fixture, &scope);
	ok = judge(json_object_get(c, "expect"), &unpacked, &fixture, why) &&
	    ok;
	fixture_release(&fixture);
	buf_release(&unpacked.text);
	buf_release(&body);
	scope_release(&scope);
	return ok;
}
