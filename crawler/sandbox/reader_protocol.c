/* Frames between main and a reader. */
#include "crawler/sandbox/reader_protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/url.h"
#include "base/wire.h"
#include "crawler/sandbox/reader.h"

size_t
frame_begin(struct buf *out, unsigned type)
{
	size_t mark = out->len;

	wire_put_u32(out, 0);
	wire_put_u8(out, (uint8_t)type);
	return mark;
}

bool
frame_end(struct buf *out, size_t mark)
{
	size_t len = out->len - mark;
	unsigned i;

	if (out->is_cut || len > FRAME_HEAD + FRAME_MAX_BYTES) {
		out->len = mark;
		out->is_cut = false;
		return false;
	}
	len -= FRAME_HEAD;
	for (i = 0; i < 4; i++)
		out->p[mark + i] = (char)(len >> (8 * i) & 0xff);
	return true;
}

int
frame_take(struct slice *in, uint8_t *type, struct slice *payload)
{
	struct wire wire = wire_open(*in);
	uint32_t len;
	uint8_t kind;

	if (in->len < FRAME_HEAD)
		return 0;
	len = wire_get_u32(&wire);
	kind = wire_get_u8(&wire);
	if (len > FRAME_MAX_BYTES || kind < FRAME_JOB || kind > FRAME_TYPE_MAX)
		return -1;
	if (wire.in.len < len)
		return 0;
	*type = kind;
	*payload = slice_make(wire.in.p, len);
	*in = slice_from(wire.in, len);
	return 1;
}

bool
frame_put_job(struct buf *out, uint64_t body_len, const struct scope *scope)
{
	size_t mark = frame_begin(out, FRAME_JOB);

	wire_put_u64(out, body_len);
	scope_put(out, scope);
	return frame_end(out, mark);
}

bool
frame_get_job(struct slice payload, uint64_t *body_len, struct scope *scope)
{
	struct wire wire = wire_open(payload);

	*body_len = wire_get_u64(&wire);
	if (scope_get(&wire, scope) && wire.ok && wire.in.len == 0)
		return true;
	scope_release(scope);
	return false;
}

void
frame_put_block(struct buf *out, const struct block *block)
{
	wire_put_u32(out, block->count);
	wire_put_slice(out, block->first_url);
	wire_put_slice(out, block->last_url);
	wire_put_slice(out, block->data);
}

/* is_url_text(text): a normalised URL is printable ASCII without spaces (SPEC
 * section 5). */
static bool
is_url_text(struct slice text)
{
	size_t i;

	if (text.len > URL_MAX_BYTES)
		return false;
	for (i = 0; i < text.len; i++) {
		if (text.p[i] < 0x21 || text.p[i] > 0x7e)
			return false;
	}
	return true;
}

bool
frame_get_block(struct slice payload, struct block *block)
{
	struct wire wire = wire_open(payload);

	block->count = wire_get_u32(&wire);
	block->first_url = wire_get_slice(&wire);
	block->last_url = wire_get_slice(&wire);
	block->data = wire_get_slice(&wire);
	block->bloom = slice_make(NULL, 0);
	block->hashes = NULL;
	return wire.ok && wire.in.len == 0 && block->count <= BLOCK_ENTRIES &&
	    block->data.len <= BLOCK_MAX_BYTES &&
	    is_url_text(block->first_url) && is_url_text(block->last_url) &&
	    slice_order(block->first_url, block->last_url) <= 0;
}

static void
frame_put_date(struct buf *out, const struct date *date)
{
	wire_put_u64(out, (uint64_t)date->epoch_s);
	wire_put_u32(out, date->nanos);
	wire_put_u8(out, date->precision);
	wire_put_u8(out, date->offset);
	wire_put_u8(out, date->zone);
}

static bool
get_date(struct wire *wire, struct date *date)
{
	date->epoch_s = (int64_t)wire_get_u64(wire);
	date->nanos = wire_get_u32(wire);
	date->precision = wire_get_u8(wire);
	date->offset = wire_get_u8(wire);
	date->zone = wire_get_u8(wire);
	return date->epoch_s >= -DATE_BOUND_S &&
	    date->epoch_s <= DATE_BOUND_S && date->nanos < 1000000000 &&
	    date->precision <= DATE_FRACTION && date->zone <= ZONE_EXPLICIT &&
	    date->offset <= DATE_OFFSET_MOST;
}

/* frame_get_count(wire, count): false: the count is larger than that of any
 * document. */
static bool
frame_get_count(struct wire *wire, uint64_t *count)
{
	*count = wire_get_varint(wire);
	return *count <= FRAME_MAX_COUNT;
}

static void
frame_put_counts(struct buf *out, const struct merge_counts *counts)
{
	unsigned i;

	wire_put_varint(out, counts->entries);
	wire_put_varint(out, counts->refused);
	for (i = 0; i < VERDICTS; i++)
		wire_put_varint(out, counts->refused_by[i]);
	wire_put_varint(out, counts->missed);
	wire_put_varint(out, counts->held);
	wire_put_u64(out, (uint64_t)counts->held_since_s);
	wire_put_varint(out, counts->lasting);
	wire_put_varint(out, counts->lacking);
	wire_put_varint(out, counts->coming);
	wire_put_varint(out, counts->undecided);
	wire_put_u64(out, (uint64_t)counts->gone_since_s);
	for (i = 0; i < DELTA_KINDS; i++)
		wire_put_varint(out, counts->changes[i]);
	wire_put_varint(out, counts->dated);
	wire_put_varint(out, counts->regressed);
	wire_put_u8(out, (uint8_t)counts->window);
	frame_put_date(out, &counts->newest);
	wire_put_u32(out, counts->segment_blocks);
	wire_put_u32(out, counts->delta_blocks);
}

static bool
get_counts(struct wire *wire, struct merge_counts *counts)
{
	bool is_good = frame_get_count(wire, &counts->entries) &&
	    frame_get_count(wire, &counts->refused);
	unsigned i;

	for (i = 0; i < VERDICTS; i++)
		is_good &= frame_get_count(wire, &counts->refused_by[i]);
	is_good &= frame_get_count(wire, &counts->missed);
	is_good &= frame_get_count(wire, &counts->held);
	counts->held_since_s = (int64_t)wire_get_u64(wire);
	is_good &= frame_get_count(wire, &counts->lasting);
	is_good &= frame_get_count(wire, &counts->lacking);
	is_good &= frame_get_count(wire, &counts->coming);
	is_good &= frame_get_count(wire, &counts->undecided);
	counts->gone_since_s = (int64_t)wire_get_u64(wire);
	for (i = 0; i < DELTA_KINDS; i++)
		is_good &= frame_get_count(wire, &counts->changes[i]);
	is_good &= frame_get_count(wire, &counts->dated);
	is_good &= frame_get_count(wire, &counts->regressed);
	counts->window = wire_get_u8(wire);
	is_good &= counts->window < WINDOW_KINDS;
	is_good &= get_date(wire, &counts->newest);
	counts->segment_blocks = wire_get_u32(wire);
	counts->delta_blocks = wire_get_u32(wire);
	return is_good;
}

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

static bool
frame_get_findings(struct wire *wire, struct findings *findings)
{
	uint64_t count = wire_get_varint(wire);
	uint64_t i;

	if (count >= DIAG_COUNT)
		return false;
	for (i = 0; i < count; i++) {
		struct finding finding = {0};
		bool is_good = frame_get_finding(wire, &finding) &&
		    findings_get(findings, finding.code) == NULL;

		findings->items = mem_grow(findings->items, &findings->cap,
		    findings->count + 1, sizeof(*findings->items));
		findings->items[findings->count++] = finding;
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

	wire_put_u8(out, (uint8_t)content->kind);
	wire_put_u32(out, content->failure);
	wire_put_u8(out, content->is_complete);
	wire_put_u64(out, content->decoded_bytes);
	wire_put_slice(out, digest);
	wire_put_u32(out, content->gzip_layers);
	wire_put_u8(out, content->is_scanned);
	wire_put_u8(out, (uint8_t)content->aside);
	wire_put_varint(out, content->seen);
	wire_put_varint(out, content->accepted);
	wire_put_varint(out, content->refused);
	frame_put_counts(out, &content->merge);
	frame_put_date(out, &content->published);
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

static bool
get_head(struct wire *wire, struct content *content)
{
	uint8_t kind = wire_get_u8(wire);
	uint32_t failure = wire_get_u32(wire);
	uint8_t is_complete = wire_get_u8(wire);
	uint8_t is_scanned, aside;
	struct slice digest;

	if (kind >= KIND_COUNT || failure >= DIAG_COUNT || is_complete > 1)
		return false;
	content->kind = (enum document_kind)kind;
	content->failure = (enum diag_code)failure;
	content->is_complete = is_complete != 0;
	content->decoded_bytes = wire_get_u64(wire);
	if (content->decoded_bytes > FRAME_MAX_COUNT)
		return false;
	digest = wire_get_slice(wire);
	if (digest.len != sizeof(content->decoded_digest.bytes))
		return false;
	memcpy(content->decoded_digest.bytes, digest.p, digest.len);
	content->gzip_layers = wire_get_u32(wire);
	is_scanned = wire_get_u8(wire);
	aside = wire_get_u8(wire);
	if (is_scanned > 1 || aside >= ASIDE_COUNT)
		return false;
	content->is_scanned = is_scanned != 0;
	content->aside = (enum aside)aside;
	if (!frame_get_count(wire, &content->seen))
		return false;
	content->accepted = wire_get_varint(wire);
	content->refused = wire_get_varint(wire);
	return content->gzip_layers <= 16 &&
	    content->accepted <= content->seen &&
	    content->refused <= content->seen;
}

bool
frame_get_content(struct slice payload, struct content *content)
{
	struct wire wire = wire_open(payload);

	content_init(content);
	/* Read the texts that their users validate. */
	if (get_head(&wire, content) && get_counts(&wire, &content->merge) &&
	    get_date(&wire, &content->published) &&
	    frame_get_findings(&wire, &content->findings) &&
	    (buf_put_slice(&content->alternates, wire_get_slice(&wire)) &&
		buf_put_slice(&content->lines, wire_get_slice(&wire)) &&
		buf_put_slice(&content->page, wire_get_slice(&wire))) &&
	    wire.ok && wire.in.len == 0)
		return true;
	content_release(content);
	return false;
}

#define RECEIVE_BYTES (64 << 10)
#define SEND_BYTES (64 << 10) /* smaller frames are sent together */

void
frame_stream_init(struct frame_stream *stream, int fd, bool takes_fds)
{
	*stream = (struct frame_stream){.fd = fd, .takes_fds = takes_fds};
	/* The longest frame fits, and what was received behind it. */
	buf_init(&stream->in, FRAME_HEAD + FRAME_MAX_BYTES + RECEIVE_BYTES);
	buf_init(&stream->out, SEND_BYTES + FRAME_HEAD + FRAME_MAX_BYTES);
}

void
frame_stream_release(struct frame_stream *stream)
{
	buf_release(&stream->in);
	buf_release(&stream->out);
}

_Noreturn void
frame_stream_error(void)
{
	_exit(READER_EXIT_PROTOCOL);
}

/* Receive more bytes; false: the socket was closed. */
static bool
frame_stream_receive(struct frame_stream *stream)
{
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct buf *in = &stream->in;
	struct iovec bytes;
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
	struct cmsghdr *head;
	int values[2] = {-1, -1};
	ssize_t n;

	/* Frames that were taken make room for those that come. */
	if (stream->in_at > 0) {
		in->len -= stream->in_at;
		memmove(in->p, in->p + stream->in_at, in->len);
		stream->in_at = 0;
	}
	if (!buf_reserve(in, RECEIVE_BYTES))
		frame_stream_error();
	bytes.iov_base = in->p + in->len;
	bytes.iov_len = RECEIVE_BYTES;
	if (stream->takes_fds) {
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
	}
	do
		n = recvmsg(stream->fd, &message, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	in->len += (size_t)n;
	/* Descriptors come with the first byte of their frame, so they are kept
	 * until the frame is whole. */
	head = CMSG_FIRSTHDR(&message);
	if ((message.msg_flags & MSG_CTRUNC) != 0)
		frame_stream_error();
	if (head == NULL)
		return true;
	if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS ||
	    (head->cmsg_len != CMSG_LEN(sizeof(int)) &&
		head->cmsg_len != CMSG_LEN(2 * sizeof(int))) ||
	    stream->pending_count == FRAME_PENDING)
		frame_stream_error();
	memcpy(values, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	stream->pending[stream->pending_count++] = (struct frame_fds){
	    values[0], values[1]};
	return true;
}

bool
frame_stream_take(
    struct frame_stream *stream, uint8_t *type, struct slice *payload)
{
	for (;;) {
		struct slice in = buf_text(&stream->in);
		int taken;

		if (stream->in_at > 0)
			in = slice_from(in, stream->in_at);
		taken = frame_take(&in, type, payload);
		if (taken < 0)
			frame_stream_error();
		if (taken > 0) {
			stream->in_at = stream->in.len - in.len;
			return true;
		}
		if (!frame_stream_receive(stream))
			return false;
	}
}

void
frame_stream_fds(struct frame_stream *stream, struct frame_fds *fds)
{
	if (stream->pending_count == 0)
		frame_stream_error();
	*fds = stream->pending[0];
	stream->pending_count--;
	memmove(stream->pending, stream->pending + 1,
	    stream->pending_count * sizeof(*fds));
}

bool
frame_stream_end(struct frame_stream *stream, size_t mark)
{
	/* what is sent has ceilings below that of a frame */
	if (!frame_end(&stream->out, mark))
		frame_stream_error();
	return stream->out.len < SEND_BYTES || frame_stream_send(stream);
}

bool
frame_stream_send(struct frame_stream *stream)
{
	struct buf *out = &stream->out;
	size_t at = 0;

	while (at < out->len) {
		struct iovec bytes = {out->p + at, out->len - at};
		struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
		ssize_t n = sendmsg(stream->fd, &message, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		at += (size_t)n;
	}
	buf_clear(out);
	return true;
}
