/* A reading: what one attempt to read one document brought. */
#ifndef FRESHET_READING_H
#define FRESHET_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/wire.h"
#include "store/block.h"
#include "store/merge.h"

enum document_kind { KIND_UNKNOWN, KIND_ROBOTS, KIND_INDEX, KIND_URLSET,
	KIND_TEXT, KIND_RSS, KIND_ATOM, KIND_COUNT };

/* document_kind_name(kind): "index", "urlset", "text", "rss", "atom",
 * "robots", "unknown". */
const char *document_kind_name(enum document_kind);

#define FINDING_SAMPLES 8       /* kept per code and reading */
#define FINDING_TEXT_MAX 512    /* bytes of a sample's text */

struct finding_sample {
	uint32_t line; /* in the decoded document, from 1; 0: none */
	char *text;    /* owned; the raw value, hostile, cut */
};

struct finding {
	enum diag_code code;
	uint64_t count;
	struct finding_sample samples[FINDING_SAMPLES];
	unsigned sample_count;
};

/* Findings of one reading, one for each code, in order of appearance. */
struct findings {
	struct finding *items; /* owned */
	size_t count;
	size_t cap;
};

/* findings_add(findings, code, line, text): count it, keep a sample. */
void findings_add(struct findings *, enum diag_code, uint32_t line,
    struct slice text);
const struct finding *findings_get(const struct findings *, enum diag_code);
void findings_release(struct findings *);

/* An owned copy of a block. */
struct block_copy {
	char *data;
	char *first_url;
	char *last_url;
	size_t len;
	uint32_t count;
};

struct block_list {
	struct block_copy *items;
	size_t count;
	size_t cap;
};

void block_list_add(struct block_list *, const struct block *);
void block_list_release(struct block_list *);

/* What the bytes said: the value of the pure function (DESIGN 3.1). */
struct content {
	enum document_kind kind;
	/*
	 * DIAG_OK, or the code that made the document unreadable as a whole
	 * (DIAG_UNSUPPORTED_FORMAT, …); a partial document has DIAG_OK and
	 * is_complete false, with its reason among the findings.
	 */
	enum diag_code failure;
	bool is_complete;
	uint64_t decoded_bytes;
	struct digest decoded_digest;
	unsigned gzip_layers;
	uint64_t seen;     /* entries, valid or not */
	uint64_t accepted; /* of these: taken, repeats included */
	uint64_t refused;  /* of these: not taken */
	struct merge_counts merge;
	struct findings findings;
	struct block_list segment;
	struct block_list delta;
};

void content_init(struct content *);
void content_release(struct content *);

/* How an attempt ended. */
enum outcome { OUTCOME_READ, OUTCOME_UNCHANGED, OUTCOME_FAILED,
	OUTCOME_REFUSED };

const char *outcome_name(enum outcome);

/* One hop's worth of HTTP facts, of the last hop. */
struct http_facts {
	int status; /* 0: none came */
	char *final_url;      /* owned; NULL: none */
	char *etag;           /* owned; NULL: none */
	char *last_modified;  /* owned; NULL: none */
	char *content_type;   /* owned; NULL: none */
	uint64_t wire_bytes;
	uint32_t duration_ms;
	bool has_digest;
	struct digest wire_digest;
};

struct reading {
	int64_t document_id;
	int64_t at_s; /* when the request was sent */
	enum outcome outcome;
	enum diag_code failure; /* DIAG_OK unless FAILED or REFUSED */
	uint64_t fingerprint;   /* of the scope it was read under */
	struct http_facts http;
	struct content content; /* zeroed unless bytes were read; findings of
				   the transfer are here too */
};

/* reading_new(document_id, at_s), reading_free(reading): owns all of it. */
struct reading *reading_new(int64_t document_id, int64_t at_s);
void reading_free(struct reading *);

#endif
