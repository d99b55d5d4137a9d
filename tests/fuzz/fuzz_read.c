/*
 * A whole reading of any bytes: no crash, no promise broken, the same result
 * without the scanner and however the bytes come, nothing listed that the
 * location rules forbid, and nothing new in the same bytes read again.
 *
 *	byte 0: profile, is it a child, has it a location, its coding, is it
 *	        checked, is it read again
 *	byte 1: bytes given at once in the second reading
 *	rest:   the body
 */
#include <assert.h>
#include <stdlib.h>

#include "tests/fixtures/read_fixture.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/fuzz.h"

#define ORIGIN "https://a.example/"
#define DIRECTORY "https://a.example/d/"

enum {
	HOW_PROFILE = 3,
	HOW_NO_LOCATION = 4,
	HOW_CHILD = 8,
	HOW_GZIP = 16,
	HOW_DEFLATE = 32,
	HOW_CHECKED = 64,
	HOW_AGAIN = 128
};

static enum profile_name
profile_of(uint8_t how)
{
	static const enum profile_name profiles[] = {
	    PROFILE_STRICT, PROFILE_GOOGLE, PROFILE_LENIENT, PROFILE_GOOGLE};

	return profiles[how & HOW_PROFILE];
}

static void
make_scope(struct scope *scope, uint8_t how)
{
	fixture_scope(scope, profile_of(how),
	    (how & HOW_NO_LOCATION) != 0 ? NULL : DIRECTORY "s.xml");
	scope->is_child = (how & HOW_CHILD) != 0;
	scope->limits.max_entries = 20;
	scope->limits.hard_entries = 40;
	scope->limits.max_bytes = 1 << 18;
	scope->limits.hard_bytes = 1 << 19;
	scope->checks.has_extensions = (how & HOW_CHECKED) != 0;
	scope->checks.has_schema = (how & HOW_CHECKED) != 0;
	if ((how & (HOW_GZIP | HOW_DEFLATE)) != 0)
		scope->content_encoding = slice_dup(
		    slice_of((how & HOW_GZIP) != 0 ? "gzip" : "deflate"));
}

/* What a document may list: one line for each kind of document. */
static void
check_place(const struct fixture *fixture, uint8_t how)
{
	const char *place = fixture->content.kind == KIND_INDEX ? ORIGIN
								: DIRECTORY;

	if ((how & HOW_NO_LOCATION) != 0 || profile_of(how) == PROFILE_LENIENT)
		return;
	for (size_t i = 0; i < fixture->count; i++)
		assert(fixture->entries[i].entry.verdict != VERDICT_ACCEPTED ||
		    slice_starts(
			slice_of(fixture->entries[i].url), slice_of(place)));
}

static void
check_result(const struct fixture *fixture, uint8_t how)
{
	const struct content *content = &fixture->content;
	bool is_damaged;

	assert(content->seen == content->accepted + content->refused);
	if (fixture->code != DIAG_OK)
		return;
	assert(content->merge.entries == fixture->count);
	assert(verdict_accepted(content->merge.entries,
		   content->merge.refused) == fixture->accepted);
	assert(content->merge.refused <= content->refused);
	assert(content->merge.segment_blocks == fixture->segment.count);
	for (size_t i = 0; i < fixture->segment.count; i++) {
		const struct block_copy *copy = &fixture->segment.items[i];
		unsigned count = check_block(
		    slice_make(copy->data, copy->len), false, &is_damaged);

		assert(!is_damaged && count == copy->count);
	}
	check_place(fixture, how);
}

/* Read the same bytes once more, with the segment that they made as the
 * previous one. */
static void
check_again(struct fixture *first, struct scope *scope)
{
	struct fixture again;

	if (first->code != DIAG_OK)
		return;
	fixture_init(&again, first->body);
	again.previous = &first->segment;
	fixture_read(&again, scope);
	assert(again.code == DIAG_OK && again.count == first->count);
	assert(again.delta.count == 0);
	for (unsigned i = 0; i < DELTA_KINDS; i++)
		assert(again.content.merge.changes[i] == 0);
	fixture_release(&again);
}

static void
print_reading(struct buf *out, struct slice body, uint8_t how, size_t chunk,
    bool is_scan_off)
{
	struct fixture fixture;
	struct scope scope;

	fixture_init(&fixture, body);
	fixture.chunk = chunk;
	make_scope(&scope, how);
	scope.is_scan_off = is_scan_off;
	fixture_read(&fixture, &scope);
	fixture_print(&fixture, out);
	check_result(&fixture, how);
	if (chunk == 0 && !is_scan_off && (how & HOW_AGAIN) != 0)
		check_again(&fixture, &scope);
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
	struct buf parsed;

	if (size < 2)
		return 0;
	struct slice body = slice_make((const char *)data + 2, size - 2);
	buf_init(&whole, 64 << 20);
	buf_init(&pieces, 64 << 20);
	buf_init(&parsed, 64 << 20);
	print_reading(&whole, body, data[0], 0, false);
	print_reading(&pieces, body, data[0], (size_t)data[1] + 1, false);
	print_reading(&parsed, body, data[0], 0, true);
	assert(slice_equal(buf_text(&whole), buf_text(&pieces)));
	assert(slice_equal(buf_text(&whole), buf_text(&parsed)));
	buf_release(&parsed);
	buf_release(&whole);
	buf_release(&pieces);
	return 0;
}
