/* The text of WARC records. */
#include "crawler/archive/warc.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/civil.h"
#include "base/hash.h"

#define PROFILE "http://netpreserve.org/warc/1.1/revisit/"
#define WARC_TIME 32 /* bytes of a time */
#define UNDONE "X-Archive-Orig-"

static const struct {
	const char *name, *content;
} types[] = {
    [WARC_INFO] = {"warcinfo", "application/warc-fields"},
    [WARC_REQUEST] = {"request", "application/http;msgtype=request"},
    [WARC_RESPONSE] = {"response", "application/http;msgtype=response"},
    [WARC_REVISIT] = {"revisit", "application/http;msgtype=response"},
    [WARC_METADATA] = {"metadata", "application/json"},
};

/* "2026-11-30T02:50:43.000001Z" */
static void
warc_time(int64_t at_us, char out[WARC_TIME])
{
	struct civil civil = civil_of(at_us / 1000000);

	(void)snprintf(out, WARC_TIME, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
	    (int)(civil.year % 10000), civil.month, civil.day, civil.hour,
	    civil.minute, civil.second, (int)(at_us % 1000000));
}

void
warc_id(char id[WARC_ID], enum warc_type type, struct slice url, int64_t at_us)
{
	struct digester *digester = digester_new();
	char text[64];
	int n = snprintf(text, sizeof(text), "%d %" PRId64 " ",
	    (int)(type == WARC_REVISIT ? WARC_RESPONSE : type), at_us);
	struct digest digest;
	const uint8_t *b = digest.bytes;

	digester_feed(digester, slice_make(text, (size_t)n));
	digester_feed(digester, url);
	digest = digester_value(digester);
	digester_free(digester);
	/* RFC 9562, version 8: of the program's own making */
	(void)snprintf(id, WARC_ID,
	    "urn:uuid:%02x%02x%02x%02x-%02x%02x-8%01x%02x-%02x%02x-"
	    "%02x%02x%02x%02x%02x%02x",
	    b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 15, b[7],
	    (b[8] & 63) | 128, b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

/* In base32 (RFC 4648), as all readers take it. */
static void
print_digest(struct buf *out, const char *name, const uint8_t *digest)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	char text[SHA1_BYTES * 8 / 5];

	for (size_t i = 0; i < sizeof(text); i++) {
		size_t bit = i * 5;
		unsigned two = (unsigned)digest[bit / 8] << 8 |
		    (bit / 8 + 1 < SHA1_BYTES ? digest[bit / 8 + 1] : 0);

		text[i] = digits[two >> (11 - bit % 8) & 31];
	}
	(void)buf_print(
	    out, "%s: sha1:%.*s\r\n", name, (int)sizeof(text), text);
}

void
warc_print(const struct warc_record *record, struct buf *out)
{
	struct slice url = record->url;
	char id[WARC_ID], answer[WARC_ID], time[WARC_TIME], peer[46];

	warc_id(id, record->type, url, record->at_us);
	warc_id(answer, WARC_RESPONSE, url, record->at_us);
	warc_time(record->at_us, time);
	(void)buf_print(out,
	    "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <%s>\r\n"
	    "WARC-Date: %s\r\n%s: ",
	    types[record->type].name, id, time,
	    record->type == WARC_INFO ? "WARC-Filename" : "WARC-Target-URI");
	(void)buf_put_slice(out, url);
	(void)buf_print(out, "\r\n");
	if (record->peer != NULL) {
		addr_print(record->peer, peer);
		(void)buf_print(out, "WARC-IP-Address: %s\r\n", peer);
	}
	if (record->type == WARC_REQUEST || record->type == WARC_METADATA)
		(void)buf_print(out, "WARC-Concurrent-To: <%s>\r\n", answer);
	if (record->type == WARC_REVISIT) {
		warc_id(answer, WARC_RESPONSE, url, record->before_us);
		warc_time(record->before_us, time);
		(void)buf_print(out,
		    "WARC-Profile: " PROFILE "%s\r\n"
		    "WARC-Refers-To: <%s>\r\nWARC-Refers-To-Target-URI: ",
		    record->is_not_modified ? "server-not-modified"
					    : "identical-payload-digest",
		    answer);
		(void)buf_put_slice(out, url);
		(void)buf_print(out, "\r\nWARC-Refers-To-Date: %s\r\n", time);
	}
	if (record->payload != NULL)
		print_digest(out, "WARC-Payload-Digest", record->payload);
	print_digest(out, "WARC-Block-Digest", record->block);
	if (record->truncated != NULL)
		(void)buf_print(
		    out, "WARC-Truncated: %s\r\n", record->truncated);
	(void)buf_print(out,
	    "Content-Type: %s\r\nContent-Length: %" PRIu64 "\r\n\r\n",
	    types[record->type].content, record->length);
}

void
warc_answer(struct slice head, struct buf *out)
{
	const struct slice name = slice_of("transfer-encoding:");

	while (head.len > 0) {
		const char *end = memchr(head.p, '\n', head.len);
		size_t len = end == NULL ? head.len
					 : (size_t)(end - head.p) + 1;

		if (len >= name.len &&
		    slice_equal_nocase(slice_make(head.p, name.len), name))
			(void)buf_put_slice(out, slice_of(UNDONE));
		(void)buf_put(out, head.p, len);
		head = slice_from(head, len);
	}
}
