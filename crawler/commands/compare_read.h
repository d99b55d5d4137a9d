/* The same bytes under each profile. A crawl under the profile lenient keeps
 * every body. When all proofs are known, the readers read each body once under
 * each profile, and the segments are compared. */
#ifndef FRESHET_COMPARE_READ_H
#define FRESHET_COMPARE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "crawler/control/crawler.h"
#include "crawler/parse/scope.h"
#include "store/segment/reading.h"

#define COMPARE_PROFILES 3 /* the profiles of enum profile_name */

/* One document under one profile. */
struct compare_reading {
	/* it is a target, or an index that was read lists it */
	bool is_reached;
	enum diag_code why_not; /* if it is not reached: the reason */
	enum diag_code result; /* DIAG_OK: content has a segment */
	struct content content;
};

struct compare_document {
	int64_t id;
	int64_t site_id; /* known at the end of the crawl */
	char *url; /* owned */
	char *final_url; /* owned */
	uint64_t offset; /* of its body in the file of bodies */
	struct scope scope; /* owned, but for its location */
	uint64_t body_len;
	bool is_seed;
	bool is_index;
	struct compare_reading readings[COMPARE_PROFILES];
};

/* The rules that the options give, and those of the crawl made of them. */
struct compare_rules {
	const struct site_rules *given;
	struct site_rules *made; /* owned */
};

struct compare {
	struct crawler crawl;
	bool has_location; /* false for files without URLs */
	int bodies_fd; /* the file of bodies, one after the other */
	uint64_t bodies_len;
	struct compare_document *documents; /* owned */
	size_t count;
	size_t cap;
	uint64_t lost; /* documents without a body */
	unsigned pending; /* jobs at the readers */
	int error; /* errno of a body that could not be kept */
	bool has_no_readers; /* the readers are lost, with this errno: */
	int readers_error;
	struct idmap by_id; /* place of a document by its id */
	struct compare_rules *rules; /* owned; by compare_rules_of() */
	size_t rules_count;
	size_t rules_cap;
};

/* compare_body(compare, ...): the callback run_options.body. */
void compare_body(void *compare, int64_t document_id, struct slice url,
    const struct reader_job *, struct spool_file *);

/* compare_rules_of(compare, host): a site_rules_fn: the rules of the options
 * under the profile lenient. */
const struct site_rules *compare_rules_of(void *compare, struct slice host);

/* compare_read(compare, fn, arg): after the crawl, read every document under
 * each profile, indexes first, and then call fn for each document: indexes,
 * then all others, in the order of URLs. Returns false if the readers are lost,
 * or with compare->error set. */
typedef void compare_fn(void *arg, const struct compare_document *);
bool compare_read(struct compare *, compare_fn *, void *arg);

/* compare_scope(compare, document, profile, location): the rules that hold for
 * the document. Release the location in any case. */
bool compare_scope(const struct compare *, const struct compare_document *,
    int profile, struct location_scope *);

/* compare_release(compare): free all but the crawl. */
void compare_release(struct compare *);

#endif
