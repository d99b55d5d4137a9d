/* Frames between main and a reader. */
#include "crawler/sandbox/reader_protocol.h"

#include <string.h>

#include "base/mem.h"

bool
frame_put_job(struct buf *out, uint64_t body_len, const struct scope *scope)
{
	size_t mark = frame_begin(out, FRAME_JOB);

	wire_put_fixed(out, 8, body_len);
	scope_put(out, scope);
	return frame_end(out, mark);
}

bool
frame_get_job(struct slice payload, uint64_t *body_len, struct scope *scope)
{
	struct wire wire = {payload, true};

	*body_len = wire_get_fixed(&wire, 8);
	if (scope_get(&wire, scope) && wire.ok && wire.in.len == 0)
		return true;
	scope_release(scope);
	return false;
}

void
frame_put_block(struct buf *out, const struct block *block)
{
	wire_put_fixed(out, 4, block->count);
	wire_put_slice(out, block->first_url);
	wire_put_slice(out, block->last_url);
	wire_put_slice(out, block->data);
}

bool
frame_get_block(struct slice payload, struct block *block)
{
	struct wire wire = {payload, true};

	block->count = (uint32_t)wire_get_fixed(&wire, 4);
	block->first_url = wire_get_slice(&wire);
	block->last_url = wire_get_slice(&wire);
	block->data = wire_get_slice(&wire);
	block->bloom = slice_make(NULL, 0);
	block->hashes = NULL;
	/* A normalised URL is printable ASCII without spaces (SPEC section
	 * 5). */
	return wire.ok && wire.in.len == 0 && block->count <= BLOCK_ENTRIES &&
	    block->data.len <= BLOCK_MAX_BYTES &&
	    block->first_url.len <= URL_MAX_BYTES &&
	    block->last_url.len <= URL_MAX_BYTES &&
	    slice_is_graphic(block->first_url) &&
	    slice_is_graphic(block->last_url) &&
	    slice_order(block->first_url, block->last_url) <= 0;
}

#define DATE(member, max) WIRE_MEMBER(struct date, member, max)
#define COUNT(member) WIRE_MEMBER(struct content, member, FRAME_MAX_COUNT)
#define COUNTS(member) WIRE_ARRAY(struct content, member, FRAME_MAX_COUNT)
#define TIME(member) WIRE_MEMBER(struct content, member, UINT64_MAX)
#define WITHIN(member, max) WIRE_MEMBER(struct content, member, max)

static const struct wire_member date_members[] = {
    DATE(epoch_s, UINT64_MAX), /* frame_get_content() looks at it */
    DATE(nanos, 999999999),
    DATE(precision, DATE_FRACTION),
    DATE(offset, DATE_OFFSET_MOST),
    DATE(zone, ZONE_EXPLICIT),
};

/* What main believes of the numbers is what stands here; reader_validation.c
 * compares them with the entries. */
static const struct wire_member content_members[] = {
    WITHIN(kind, KIND_COUNT - 1),
    WITHIN(failure, DIAG_COUNT - 1),
    WITHIN(is_complete, 1),
    COUNT(decoded_bytes),
    COUNT(build_s),
    WITHIN(gzip_layers, 16),
    WITHIN(is_scanned, 1),
    WITHIN(aside, ASIDE_COUNT - 1),
    WITHIN(generator, UINT8_MAX),
    COUNT(seen),
    COUNT(accepted),
    COUNT(refused),
    COUNT(merge.entries),
    COUNT(merge.refused),
    COUNTS(merge.refused_by),
    COUNT(merge.missed),
    COUNT(merge.held),
    TIME(merge.held_since_s),
    COUNT(merge.lasting),
    COUNT(merge.lacking),
    COUNT(merge.coming),
    COUNT(merge.undecided),
    TIME(merge.gone_since_s),
    COUNTS(merge.changes),
    COUNT(merge.dated),
    COUNT(merge.regressed),
    WITHIN(merge.window, WINDOW_KINDS - 1),
    WITHIN(merge.segment_blocks, UINT32_MAX),
    WITHIN(merge.delta_blocks, UINT32_MAX),
};

/* frame_get_finding(wire, finding): finding owns its texts, whatever the
 * function returns. */
static bool
frame_get_finding(struct wire *wire, struct finding *finding)
{
	uint64_t code = wire_get_varint(wire);
	uint64_t count = wire_get_varint(wire);
	uint64_t samples = wire_get_varint(wire);

	if (code == DIAG_OK || code >= DIAG_COUNT || count == 0 ||
	    count > FRAME_MAX_COUNT || samples > FINDING_SAMPLES ||
	    samples > count)
		return false;
	finding->code = (enum diag_code)code;
	finding->count = count;
	while (finding->sample_count < samples) {
		uint64_t line = wire_get_varint(wire);
		uint64_t entry = wire_get_varint(wire);
		struct slice text = wire_get_slice(wire);
		struct slice loc = wire_get_slice(wire);

		if (line > UINT32_MAX || entry > UINT32_MAX ||
		    text.len > FINDING_TEXT_MAX || loc.len > FINDING_TEXT_MAX)
			return false;
		finding->samples[finding->sample_count++] =
		    (struct finding_sample){.line = (uint32_t)line,
			.entry = (uint32_t)entry,
			.text = slice_dup(text),
			.loc = loc.len > 0 ? slice_dup(loc) : NULL};
	}
	return true;
}

/* frame_get_findings(wire, findings): each code has one finding at most. */
static bool
frame_get_findings(struct wire *wire, struct findings *findings)
{
	uint64_t count = wire_get_varint(wire);

	if (count >= DIAG_COUNT)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct finding finding = {0};
		bool is_good = frame_get_finding(wire, &finding) &&
		    findings_get(findings, finding.code) == NULL;

		/* A bad one is kept, too, so that its texts are freed. */
		*MEM_PUSH(
		    findings->items, findings->count, findings->cap) = finding;
		if (!is_good)
			return false;
	}
	return true;
}

void
frame_put_content(struct buf *out, const struct content *content)
{
	struct slice digest = slice_make(
	    (const char *)content->decoded_digest.bytes,
	    sizeof(content->decoded_digest.bytes));

	wire_put_members(
	    out, content_members, LENGTH(content_members), content);
	wire_put_slice(out, digest);
	wire_put_members(
	    out, date_members, LENGTH(date_members), &content->merge.newest);
	wire_put_members(
	    out, date_members, LENGTH(date_members), &content->published);
	size_t i;
	unsigned s;

	wire_put_varint(out, content->findings.count);
	for (i = 0; i < content->findings.count; i++) {
		const struct finding *finding = &content->findings.items[i];

		wire_put_varint(out, finding->code);
		wire_put_varint(out, finding->count);
		wire_put_varint(out, finding->sample_count);
		for (s = 0; s < finding->sample_count; s++) {
			wire_put_varint(out, finding->samples[s].line);
			wire_put_varint(out, finding->samples[s].entry);
			wire_put_slice(out, slice_of(finding->samples[s].text));
			wire_put_slice(out, slice_of(finding->samples[s].loc));
		}
	}
	wire_put_slice(out, buf_text(&content->alternates));
	wire_put_slice(out, buf_text(&content->lines));
	wire_put_slice(out, buf_text(&content->page));
}

bool
frame_get_content(struct slice payload, struct content *content)
{
	struct wire wire = {payload, true};
	struct digest *decoded = &content->decoded_digest;
	struct date *newest = &content->merge.newest;
	struct date *published = &content->published;
	struct slice digest;

	content_init(content);
	wire_get_members(
	    &wire, content_members, LENGTH(content_members), content);
	digest = wire_get_slice(&wire);
	if (digest.len == sizeof(decoded->bytes))
		memcpy(decoded->bytes, digest.p, digest.len);
	wire_get_members(&wire, date_members, LENGTH(date_members), newest);
	wire_get_members(&wire, date_members, LENGTH(date_members), published);
	/* Read the texts that their users validate. */
	if (digest.len == sizeof(decoded->bytes) &&
	    content->accepted <= content->seen &&
	    content->refused <= content->seen &&
	    newest->epoch_s >= -DATE_BOUND_S &&
	    newest->epoch_s <= DATE_BOUND_S &&
	    published->epoch_s >= -DATE_BOUND_S &&
	    published->epoch_s <= DATE_BOUND_S &&
	    frame_get_findings(&wire, &content->findings) &&
	    (buf_put_slice(&content->alternates, wire_get_slice(&wire)) &&
		buf_put_slice(&content->lines, wire_get_slice(&wire)) &&
		buf_put_slice(&content->page, wire_get_slice(&wire))) &&
	    wire.ok && wire.in.len == 0)
		return true;
	content_release(content);
	return false;
}
