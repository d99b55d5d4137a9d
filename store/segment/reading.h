/* A reading: the result of one attempt to read one document. */
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
#include "store/segment/block.h"
#include "store/segment/finding.h"
#include "store/segment/merge.h"

enum document_kind {
	KIND_UNKNOWN,
	KIND_ROBOTS,
	KIND_INDEX,
	KIND_URLSET,
	KIND_TEXT,
	KIND_RSS,
	KIND_ATOM,
	KIND_COUNT, /* of the kinds that a reading can have */
	/* The store's own document for pages that no other document lists. */
	KIND_UNLISTED = KIND_COUNT
};

/*
 * document_kind_name(kind): "index", "urlset", "text", "rss", "atom", "robots",
 * "unknown", "unlisted".
 * document_kind_find(name): the kind of a name; KIND_UNKNOWN for other names.
 */
const char *document_kind_name(enum document_kind);
enum document_kind document_kind_find(struct slice name);

/* Why the scanner, the fast one of the two parsers of sitemaps, stepped aside
 * from a document, so that libxml2 read it (crawler/parse/scan.h). */
enum aside {
	ASIDE_NO, /* it did not */
	ASIDE_KIND, /* no urlset and no index */
	ASIDE_ENCODING, /* not UTF-8 */
	ASIDE_NAMESPACE, /* a namespace or a prefix */
	ASIDE_MARKUP, /* CDATA, a comment, a DOCTYPE, an odd tag */
	ASIDE_ELEMENT, /* one that is unknown, twice, empty or missing */
	ASIDE_TEXT, /* a reference or a character, or text between elements */
	ASIDE_RULE, /* a rule could report something, or end the reading */
	ASIDE_LIMIT, /* it is too large */
	ASIDE_CUT, /* it ends early */
	ASIDE_COUNT
};

/* "no", "kind", "encoding", … */
extern const char *const aside_names[ASIDE_COUNT];

/* The content of a document: the result of the parsers (DESIGN 3.1). */
struct content {
	enum document_kind kind;
	/* DIAG_OK, or the code that made the document unreadable as a whole
	 * (DIAG_UNSUPPORTED_FORMAT, …); a partial document has DIAG_OK and
	 * is_complete false, with its reason among the findings. */
	enum diag_code failure;
	bool is_complete;
	bool is_held; /* too much is absent to remove anything (SPEC R-120) */
	bool is_baseline; /* as in struct merge_options */
	uint64_t decoded_bytes;
	struct digest decoded_digest;
	unsigned gzip_layers;
	/* the scanner read the document; else aside says why not, or ASIDE_NO:
	 * it was not asked. Neither is stored. */
	bool is_scanned;
	enum aside aside;
	/* who wrote the document, for generator_of(); 0: not known. */
	uint8_t generator;
	uint64_t seen; /* entries of the document, valid or not */
	uint64_t accepted; /* of these, with repeats */
	uint64_t refused; /* of these */
	struct merge_counts merge;
	/* the newest publication_date of accepted news entries that can be
	 * used; DATE_NONE: none */
	struct date published;
	/* the moment, or the first of the day, that a build or one commit wrote
	 * into many entries of a sitemap; 0: none. Not stored. */
	uint64_t build_s;
	struct findings findings;
	struct block_list segment;
	struct block_list delta;
	/* Hreflang links, for findings about the whole site
	 * (crawler/parse/return_links.h), or in full, if the scope wants that
	 * (crawler/parse/return_links.h); empty unless extensions are
	 * checked. Never stored. */
	struct buf alternates;
	/* How many lines each entry is below the one before, as varints; empty
	 * unless lines are wanted, and without the entries at the end if they
	 * are too many. Never stored. */
	struct buf lines;
	/* The facts of a listed page that was fetched
	 * (crawler/parse/page.h), or a robots.txt (crawler/parse/read.h); of a
	 * feed the hub that it names, as written.  Never stored. */
	struct buf page;
};

/* The most bytes of content.alternates, lines and page; all must fit into one
 * frame between processes. */
#define CONTENT_MAX_ALTERNATES (12u << 20)
#define CONTENT_MAX_LINES (2u << 20)
#define CONTENT_MAX_PAGE (520u << 10)

/* content_line(lines, ordinal): the line of an entry, in the form of
 * content.lines; 0: unknown. */
uint32_t content_line(struct slice lines, uint32_t ordinal);

void content_init(struct content *);
void content_release(struct content *);

/* How an attempt ended. */
enum outcome {
	OUTCOME_READ,
	OUTCOME_UNCHANGED,
	OUTCOME_FAILED,
	OUTCOME_REFUSED,
	OUTCOME_ENDED /* no attempt was made: no document names it any more */
};

/*
 * outcome_name(outcome): "read", "unchanged", "failed", "refused", "ended".
 * outcome_find(name): the outcome of a name; OUTCOME_FAILED for other names.
 */
const char *outcome_name(enum outcome);
enum outcome outcome_find(struct slice name);

/* Facts of the last HTTP hop of an attempt. */
struct http_facts {
	int status; /* 0: none came */
	char *final_url; /* owned; NULL: none */
	char *etag; /* owned; NULL: none */
	char *last_modified; /* owned; NULL: none */
	char *content_type; /* owned; NULL: none */
	char *content_encoding; /* owned; NULL: none; not stored */
	char *hub; /* owned; of a Link header; NULL: none; not stored */
	/* static: the product whose bot wall answered, such as "Cloudflare";
	 * not stored */
	const char *wall;
	uint64_t wire_bytes;
	uint32_t duration_ms;
	bool has_digest;
	struct digest wire_digest;
	/* The request had conditions, and they spoilt the answer: the next ones
	 * have none. */
	bool is_spoilt;
	/* The index dated the document newer than it was: all bytes came, and
	 * they are the known ones. */
	bool is_index_wrong;
};

struct reading {
	int64_t document_id;
	int64_t at_s; /* when the request was sent */
	enum outcome outcome;
	enum diag_code failure; /* DIAG_OK unless FAILED or REFUSED */
	uint64_t fingerprint; /* of the scope rules of this reading */
	/* the newest that an index gave before the request, for SPEC R-115 */
	struct date index_lastmod;
	/* since when entries are absent that this reading is the first to lack:
	 * its own time, or when the crawl of the whole site began */
	int64_t absent_s;
	struct http_facts http;
	/* zeroed unless bytes were read; but findings of the transfer are
	 * here, too */
	struct content content;
};

/* reading_new(document_id, at_s): an empty reading, which owns all it gets.
 * reading_free(reading): also what the reading owns. */
struct reading *reading_new(int64_t document_id, int64_t at_s);
void reading_free(struct reading *);

#endif
