/*
 * Any bytes as what a reader sends, and as what is sent to one: whatever is
 * believed keeps the promises that the rest of the program builds on, and
 * means the same when it is sent on.
 *
 *	byte 0: where the stream is cut in two
 *	rest:   frames
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/parse/return_links.h"
#include "crawler/sandbox/reader_protocol.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/fuzz.h"

#define OUT_MAX (64u << 20)

static void
check_counts(const struct content *content)
{
	const struct merge_counts *counts = &content->merge;

	assert(content->kind < KIND_COUNT && content->failure < DIAG_COUNT);
	assert(content->accepted <= content->seen);
	assert(content->refused <= content->seen);
	assert(content->seen <= FRAME_MAX_COUNT);
	assert(content->decoded_bytes <= FRAME_MAX_COUNT);
	assert(counts->entries <= FRAME_MAX_COUNT);
	assert(counts->missed <= FRAME_MAX_COUNT &&
	    counts->dated <= FRAME_MAX_COUNT);
	assert(counts->regressed <= FRAME_MAX_COUNT);
	for (unsigned i = 0; i < DELTA_KINDS; i++)
		assert(counts->changes[i] <= FRAME_MAX_COUNT);
	for (unsigned i = 0; i < VERDICTS; i++)
		assert(counts->refused_by[i] <= FRAME_MAX_COUNT);
	assert(content->aside < ASIDE_COUNT && content->gzip_layers <= 16);
	assert(counts->window < WINDOW_KINDS);
	check_date(&counts->newest);
	check_date(&content->published);
}

static void
check_findings(const struct findings *findings)
{
	assert(findings->count < DIAG_COUNT);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		assert(finding->code != DIAG_OK && finding->code < DIAG_COUNT);
		assert(findings_get(findings, finding->code) == finding);
		assert(finding->sample_count <= FINDING_SAMPLES);
		assert(finding->sample_count <= finding->count);
		assert(finding->count <= FRAME_MAX_COUNT);
		for (unsigned s = 0; s < finding->sample_count; s++)
			assert(strlen(finding->samples[s].text) <=
			    FINDING_TEXT_MAX);
	}
}

static void
on_broken(void *arg, uint32_t document, uint32_t line, struct slice url)
{
	(void)arg;
	(void)line;
	assert(document == 1 && url.len > 0);
}

static void
on_unlisted(void *arg, uint32_t document, uint32_t line, struct slice url)
{
	(void)arg;
	(void)line;
	(void)url;
	assert(document == 1);
}

/* Return links are judged in the main process, for the whole site. */
static void
check_alternates(struct slice alternates)
{
	struct return_links links = {.broken = on_broken};

	buf_init(&links.texts, RETURN_TEXT_MAX);
	return_links_add(&links, 1, alternates);
	return_links_see(&links, slice_of("https://a.example/d/x"));
	return_links_see(&links, slice_of("https://a.example/d/y"));
	return_links_unlisted(&links, on_unlisted);
	free(links.links);
	buf_release(&links.texts);
}

/* The frame is written twice, because a varint in the input may have been
 * longer than it had to be. */
static void
on_content(struct slice payload)
{
	struct content content, again;
	struct buf first, second;
	bool is_good;

	if (!frame_get_content(payload, &content))
		return;
	check_counts(&content);
	check_findings(&content.findings);
	check_alternates(buf_text(&content.alternates));
	buf_init(&first, OUT_MAX);
	buf_init(&second, OUT_MAX);
	frame_put_content(&first, &content);
	is_good = frame_get_content(buf_text(&first), &again);
	assert(is_good);
	frame_put_content(&second, &again);
	assert(slice_equal(buf_text(&first), buf_text(&second)));
	content_release(&content);
	content_release(&again);
	buf_release(&first);
	buf_release(&second);
}

static void
on_block(struct slice payload, bool has_changes)
{
	struct block block;
	bool is_damaged;
	struct buf out;

	if (!frame_get_block(payload, &block))
		return;
	assert(slice_order(block.first_url, block.last_url) <= 0);
	assert(block.count <= BLOCK_ENTRIES);
	buf_init(&out, OUT_MAX);
	frame_put_block(&out, &block);
	assert(slice_equal(buf_text(&out), payload));
	buf_release(&out);
	(void)check_block(block.data, has_changes, &is_damaged);
}

static void
on_job(struct slice payload)
{
	struct buf first, second;
	struct scope scope, again;
	uint64_t len, len_again;
	uint8_t type;
	bool is_good;

	if (!frame_get_job(payload, &len, &scope))
		return;
	buf_init(&first, OUT_MAX);
	buf_init(&second, OUT_MAX);
	(void)frame_put_job(&first, len, &scope);
	struct slice in = buf_text(&first);
	int taken = frame_take(&in, &type, &payload);
	assert(taken == 1 && type == FRAME_JOB && in.len == 0);
	is_good = frame_get_job(payload, &len_again, &again);
	assert(is_good && len_again == len);
	(void)frame_put_job(&second, len_again, &again);
	assert(slice_equal(buf_text(&first), buf_text(&second)));
	scope_release(&scope);
	scope_release(&again);
	buf_release(&first);
	buf_release(&second);
}

static void
on_frame(uint8_t type, struct slice payload)
{
	assert(payload.len <= FRAME_MAX_BYTES);
	switch ((enum frame_type)type) {
	case FRAME_JOB:
		on_job(payload);
		break;
	case FRAME_PREVIOUS:
	case FRAME_SEGMENT:
		on_block(payload, false);
		break;
	case FRAME_DELTA:
		on_block(payload, true);
		break;
	case FRAME_END:
		on_content(payload);
		break;
	}
	/* other types are those of libfreshet */
}

/* Returns how many bytes were whole frames.  From half a stream, only frames
 * are taken with which the whole stream begins. */
static size_t
take_all(struct slice in, bool is_looked_at)
{
	const char *start = in.p;
	struct slice payload;
	uint8_t type;
	int taken;

	for (;;) {
		const char *before = in.p;

		taken = frame_take(&in, &type, &payload);
		if (taken <= 0)
			break;
		assert(in.p == before + FRAME_HEAD + payload.len);
		assert(type >= FRAME_JOB && type <= FRAME_TYPE_MAX);
		if (is_looked_at)
			on_frame(type, payload);
	}
	return (size_t)(in.p - start);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	struct slice in = slice_make((const char *)data + 1, size - 1);
	size_t all = take_all(in, true);
	size_t half = take_all(slice_make(in.p, in.len * data[0] / 256), false);

	assert(half <= all);
	return 0;
}
