/*
 * A whole reading of any bytes: no crash, no promise broken, and the same
 * result however the bytes come.
 *
 *	byte 0: profile, is it a child, has it a location, its coding, is it
 *	        checked
 *	byte 1: bytes given at once in the second reading
 *	rest:   the body
 */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/read_fixture.h"

static void
print_reading(struct buf *out, struct slice body, uint8_t how, size_t chunk)
{
	static const enum profile_name profiles[] = {
	    PROFILE_STRICT, PROFILE_GOOGLE, PROFILE_LENIENT, PROFILE_GOOGLE};
	struct fixture fixture;
	struct scope scope;

	fixture_init(&fixture, body);
	fixture.chunk = chunk;
	fixture_scope(&scope, profiles[how & 3],
	    (how & 4) != 0 ? NULL : "https://a.example/d/s.xml");
	scope.is_child = (how & 8) != 0;
	scope.limits.max_entries = 20;
	scope.limits.hard_entries = 40;
	scope.limits.max_bytes = 1 << 18;
	scope.limits.hard_bytes = 1 << 19;
	scope.checks.has_extensions = (how & 64) != 0;
	scope.checks.has_schema = (how & 64) != 0;
	if ((how & 48) != 0)
		scope.content_encoding = slice_dup(
		    slice_of((how & 16) != 0 ? "gzip" : "deflate"));
	fixture_read(&fixture, &scope);
	fixture_print(&fixture, out);
	if (fixture.content.seen !=
	    fixture.content.accepted + fixture.content.refused)
		abort();
	if (fixture.code == DIAG_OK &&
	    fixture.content.merge.entries != fixture.count)
		abort();
	fixture_release(&fixture);
	scope_release(&scope);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	read_warm();
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole;
	struct buf pieces;

	if (size < 2)
		return 0;
	struct slice body = slice_make((const char *)data + 2, size - 2);
	buf_init(&whole, 64 << 20);
	buf_init(&pieces, 64 << 20);
	print_reading(&whole, body, data[0], 0);
	print_reading(&pieces, body, data[0], (size_t)data[1] + 1);
	if (!slice_equal(buf_text(&whole), buf_text(&pieces)))
		abort();
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
