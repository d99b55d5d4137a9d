/* crawler/sandbox/reader_protocol.c: frames, and frames that must not be
 * trusted (HOSTILE X33). */
#include "tests/fixtures/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crawler/sandbox/reader_protocol.h"
#include "tests/fixtures/read_fixture.h"

static void
test_frames(void **state)
{
	struct buf out;
	struct slice in, payload;
	size_t mark, len;
	uint8_t type;

	buf_init(&out, 1 << 20);
	mark = frame_begin(&out, FRAME_END);
	(void)buf_print(&out, "first");
	assert_true(frame_end(&out, mark));
	mark = frame_begin(&out, FRAME_DELTA);
	assert_true(frame_end(&out, mark));
	for (len = 0; len < FRAME_HEAD + 5; len++) {
		in = slice_make(out.p, len);
		assert_int_equal(frame_take(&in, &type, &payload), 0);
		assert_int_equal(in.len, len);
	}
	in = buf_text(&out);
	assert_int_equal(frame_take(&in, &type, &payload), 1);
	assert_int_equal(type, FRAME_END);
	assert_true(slice_is(payload, "first"));
	assert_int_equal(frame_take(&in, &type, &payload), 1);
	assert_int_equal(type, FRAME_DELTA);
	assert_int_equal(payload.len, 0);
	assert_int_equal(in.len, 0);
	assert_int_equal(frame_take(&in, &type, &payload), 0);
	buf_release(&out);
}

static const struct {
	const char *head;
	int taken;
} heads[] = {
    {"\x00\x00\x00\x00\x01", 1},
    {"\x00\x00\x00\x00\x05", 1},
    {"\x00\x00\x00\x00\x00", -1},
    {"\x00\x00\x00\x00\x48", -1},
    {"\x00\x00\x00\x00\xff", -1},
    {"\x01\x00\x00\x00\x01", 0},
    {"\x00\x00\x00\x01\x03", 0}, /* 16 MiB */
    {"\x01\x00\x00\x01\x03", -1}, /* and one byte more */
    {"\xff\xff\xff\xff\x03", -1},
};

static void
test_heads(void **state)
{
	struct slice in, payload;
	uint8_t type;
	size_t i;

	for (i = 0; i < COUNT(heads); i++) {
		in = slice_make(heads[i].head, FRAME_HEAD);
		assert_int_equal(
		    frame_take(&in, &type, &payload), heads[i].taken);
	}
}

#define A "http://a.example/"

static const struct {
	const char *why;
	const char *first;
	const char *last;
	uint32_t count;
	size_t len;
	bool is_good;
} blocks[] = {
    {"plain", A, A "b", 2, 10, true},
    {"one", A, A, 1, 10, true},
    {"the end of previous", "", "", 0, 0, true},
    {"previous: main knows no URLs", "", "", 0, 10, true},
    {"descending", A "b", A, 2, 10, false},
    {"no ASCII", A, A "\xc3\xa4", 2, 10, false},
    {"control", A "\x1b[0m", A "b", 2, 10, false},
    {"space", A " ", A "b", 2, 10, false},
    {"delete", A "a", A "b\x7f", 2, 10, false},
    {"most", A, A "b", BLOCK_ENTRIES, 10, true},
    {"too many", A, A "b", BLOCK_ENTRIES + 1, 10, false},
    {"largest", A, A "b", 2, BLOCK_MAX_BYTES, true},
    {"too large", A, A "b", 2, BLOCK_MAX_BYTES + 1, false},
};

static void
test_blocks(void **state)
{
	char *data = mem_zero(BLOCK_MAX_BYTES + 1);
	struct buf out;
	size_t i, len;

	buf_init(&out, FRAME_MAX_BYTES);
	for (i = 0; i < COUNT(blocks); i++) {
		struct block block = {slice_make(data, blocks[i].len),
		    slice_of(blocks[i].first), slice_of(blocks[i].last),
		    blocks[i].count, slice_of(NULL), NULL};
		struct block back;

		buf_clear(&out);
		frame_put_block(&out, &block);
		assert_int_equal(
		    frame_get_block(buf_text(&out), &back), blocks[i].is_good);
		if (!blocks[i].is_good)
			continue;
		assert_true(slice_equal(back.data, block.data));
		assert_true(slice_equal(back.first_url, block.first_url));
		assert_true(slice_equal(back.last_url, block.last_url));
		assert_int_equal(back.count, block.count);
		assert_int_equal(back.bloom.len, 0);
		for (len = 0; len < 60 && len < out.len; len++)
			assert_false(
			    frame_get_block(slice_make(out.p, len), &back));
		(void)buf_put_char(&out, 0);
		assert_false(frame_get_block(buf_text(&out), &back));
	}
	buf_release(&out);
	free(data);
}

static void
make_content(struct content *content)
{
	unsigned i;

	content_init(content);
	content->kind = KIND_URLSET;
	content->is_complete = true;
	content->decoded_bytes = UINT64_C(1) << 40;
	memset(content->decoded_digest.bytes, 0xab, 16);
	content->gzip_layers = 1;
	content->is_scanned = true;
	content->aside = ASIDE_CUT;
	content->seen = 300;
	content->accepted = 200;
	content->refused = 100;
	content->merge.entries = 200;
	content->merge.missed = 3;
	for (i = 0; i < DELTA_KINDS; i++)
		content->merge.changes[i] = 1000 * i;
	content->merge.dated = 5;
	content->merge.regressed = 6;
	content->merge.newest = (struct date){.epoch_s = -5,
	    .nanos = 999999999,
	    .precision = DATE_FRACTION,
	    .zone = ZONE_EXPLICIT};
	content->merge.segment_blocks = 7;
	content->merge.delta_blocks = 8;
	for (i = 0; i < 100; i++)
		findings_add(&content->findings, DIAG_OUTSIDE_DIRECTORY, i,
		    slice_of("http://a.example/x"));
	findings_add(&content->findings, DIAG_READER_KILLED, 0, slice_of(""));
	(void)buf_print(&content->alternates, "12345678901234567890");
}

static void
test_content(void **state)
{
	struct content content, back;
	struct buf out, again;
	size_t len;

	make_content(&content);
	buf_init(&out, 1 << 20);
	buf_init(&again, 1 << 20);
	frame_put_content(&out, &content);
	assert_true(frame_get_content(buf_text(&out), &back));
	assert_int_equal(back.kind, KIND_URLSET);
	assert_int_equal(back.seen, 300);
	assert_true(back.is_scanned);
	assert_int_equal(back.aside, ASIDE_CUT);
	assert_int_equal(back.merge.changes[DELTA_GONE], 4000);
	assert_int_equal(back.merge.newest.epoch_s, -5);
	assert_int_equal(back.findings.count, 2);
	assert_int_equal(back.alternates.len, 20);
	assert_int_equal(back.findings.items[0].count, 100);
	assert_int_equal(back.findings.items[0].samples[7].line, 7);
	assert_string_equal(
	    back.findings.items[0].samples[7].text, "http://a.example/x");
	frame_put_content(&again, &back);
	assert_true(slice_equal(buf_text(&out), buf_text(&again)));
	content_release(&back);
	for (len = 0; len < out.len; len++)
		assert_false(frame_get_content(slice_make(out.p, len), &back));
	(void)buf_put_char(&out, 0);
	assert_false(frame_get_content(buf_text(&out), &back));
	buf_release(&out);
	buf_release(&again);
	content_release(&content);
}

/* False statements that a subverted reader could make: this value in a member
 * of the content, or of one of its two findings; the first has 100 places. */
#define MEMBER(type, member)                                                  \
	offsetof(struct type, member), sizeof(((struct type *)NULL)->member), \
	    #member

struct lie {
	size_t at, size;
	const char *member;
	uint64_t value;
};

static const struct lie lies[] = {
    {MEMBER(content, kind), KIND_COUNT},
    {MEMBER(content, failure), DIAG_COUNT},
    {MEMBER(content, accepted), 301},
    {MEMBER(content, gzip_layers), 1000},
    {MEMBER(content, aside), ASIDE_COUNT},
    {MEMBER(content, merge.newest.precision), DATE_FRACTION + 1},
    {MEMBER(content, merge.newest.nanos), 1000000000},
    {MEMBER(content, merge.newest.epoch_s), DATE_BOUND_S + 1},
    {MEMBER(content, merge.newest.epoch_s), (uint64_t)INT64_MIN},
    {MEMBER(content, decoded_bytes), FRAME_MAX_COUNT + 1},
    {MEMBER(content, seen), UINT64_MAX},
    {MEMBER(content, merge.entries), FRAME_MAX_COUNT + 1},
    {MEMBER(content, merge.missed), UINT64_MAX},
    {MEMBER(content, merge.changes[DELTA_GONE]), FRAME_MAX_COUNT + 1},
    {MEMBER(content, merge.dated), FRAME_MAX_COUNT + 1},
    {MEMBER(content, merge.regressed), FRAME_MAX_COUNT + 1},
};

static const struct {
	struct lie lie;
	unsigned finding;
} finding_lies[] = {
    {{MEMBER(finding, count), FRAME_MAX_COUNT + 1}, 0},
    {{MEMBER(finding, count), 7}, 0}, /* samples are eight */
    {{MEMBER(finding, count), 0}, 1}, {{MEMBER(finding, code), DIAG_COUNT}, 0},
    {{MEMBER(finding, code), DIAG_OK}, 0},
    {{MEMBER(finding, code), DIAG_READER_KILLED}, 0}, /* the other's */
};

/* Write a number into a member of any size; machines are little-endian here. */
static void
lie_tell(void *struct_of, const struct lie *lie)
{
	memcpy((char *)struct_of + lie->at, &lie->value, lie->size);
}

static void
lie_fails(struct content *content, const char *what)
{
	struct content back;
	struct buf out;

	buf_init(&out, 1 << 20);
	frame_put_content(&out, content);
	if (frame_get_content(buf_text(&out), &back))
		fail_msg("%s", what);
	content_release(content);
	buf_release(&out);
}

static void
test_lies(void **state)
{
	struct content content;
	char **text;

	for (size_t i = 0; i < COUNT(lies); i++) {
		make_content(&content);
		lie_tell(&content, &lies[i]);
		lie_fails(&content, lies[i].member);
	}
	for (size_t i = 0; i < COUNT(finding_lies); i++) {
		const struct lie *lie = &finding_lies[i].lie;

		make_content(&content);
		lie_tell(&content.findings.items[finding_lies[i].finding], lie);
		lie_fails(&content, lie->member);
	}
	make_content(&content);
	text = &content.findings.items[1].samples[0].text;
	free(*text);
	*text = mem_zero(FINDING_TEXT_MAX + 2);
	memset(*text, 'x', FINDING_TEXT_MAX + 1);
	lie_fails(&content, "text");
}

static void
test_job(void **state)
{
	struct scope scope, back;
	uint64_t body_len;
	struct slice in, payload;
	struct buf out;
	uint8_t type;
	size_t len;

	fixture_scope(&scope, PROFILE_STRICT, "https://a.example/d/s.xml");
	scope.depth = 3;
	scope.content_type = mem_copy("text/xml");
	buf_init(&out, 1 << 20);
	assert_true(frame_put_job(&out, 12345, &scope));
	in = buf_text(&out);
	assert_int_equal(frame_take(&in, &type, &payload), 1);
	assert_int_equal(type, FRAME_JOB);
	assert_true(frame_get_job(payload, &body_len, &back));
	assert_int_equal(body_len, 12345);
	assert_int_equal(back.depth, 3);
	assert_string_equal(back.content_type, "text/xml");
	assert_null(back.content_encoding);
	scope_release(&back);
	for (len = 0; len < payload.len; len++)
		assert_false(frame_get_job(
		    slice_make(payload.p, len), &body_len, &back));
	buf_release(&out);
	scope_release(&scope);
}

static uint32_t
next_random(uint32_t *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

/*
 * try_payload(bytes): decoding neither reads beyond the bytes nor leaks memory.
 */
static void
try_payload(struct slice bytes)
{
	struct content content;
	struct scope scope;
	struct block block;
	uint64_t body_len;

	(void)frame_get_block(bytes, &block);
	if (frame_get_content(bytes, &content))
		content_release(&content);
	if (frame_get_job(bytes, &body_len, &scope))
		scope_release(&scope);
}

/* Random bytes, and good frames with a few bytes changed. */
static void
test_garbage(void **state)
{
	struct content content;
	struct buf good;
	uint32_t x = 42;
	unsigned round;

	make_content(&content);
	buf_init(&good, 1 << 20);
	frame_put_content(&good, &content);
	for (round = 0; round < 20000; round++) {
		size_t len = next_random(&x) % (good.len + 1);
		char *bytes = mem_alloc(good.len + 1);
		size_t i;

		/* The copy has exactly that size, so that sanitizers detect
		 * reads beyond it. */
		memcpy(bytes, good.p, good.len);
		if (round % 2 == 0) {
			for (i = 0; i < len; i++)
				bytes[i] = (char)next_random(&x);
			bytes = mem_resize(bytes, len + (len == 0));
			try_payload(slice_make(bytes, len));
		} else {
			for (i = next_random(&x) % 4 + 1; i > 0; i--)
				bytes[next_random(&x) % good.len] = (char)
				    next_random(&x);
			try_payload(slice_make(bytes, good.len));
		}
		free(bytes);
	}
	buf_release(&good);
	content_release(&content);
}

UNIT_TESTS(reader_protocol, cmocka_unit_test(test_frames),
    cmocka_unit_test(test_heads), cmocka_unit_test(test_blocks),
    cmocka_unit_test(test_content), cmocka_unit_test(test_lies),
    cmocka_unit_test(test_job), cmocka_unit_test(test_garbage));
