/*
 * The same bytes under each profile.  A crawl by the most lenient rules keeps
 * every body; when all proofs are known each body is read once more under each
 * set of rules, in the readers, and the segments are compared.
 */
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

#define COMPARE_PROFILES 3 /* by enum profile_name */

/* One document under one profile. */
struct compare_reading {
	bool is_reached; /* a target, or an index that was read lists it */
	enum diag_code why_not; /* reached: what keeps it out */
	enum diag_code result; /* DIAG_OK: content has a segment */
	struct content content;
};

struct compare_document {
	int64_t id;
	int64_t site_id; /* known when the crawl is over */
	char *url; /* owned */
	char *final_url; /* owned */
	uint64_t offset; /* of its body among those that are kept */
	struct scope scope; /* owned; but for its location */
	uint64_t body_len;
	bool is_seed;
	bool is_index;
	struct compare_reading readings[COMPARE_PROFILES];
};

/* What the options give, and what the crawl goes by. */
struct compare_rules {
	const struct site_rules *given;
	struct site_rules *made; /* owned */
};

struct compare {
	struct crawler crawl;
	bool has_location; /* files without URLs have none */
	int bodies_fd; /* a scratch file with all bodies, one after the other */
	uint64_t bodies_len;
	struct compare_document *documents; /* owned */
	size_t count;
	size_t cap;
	uint64_t lost; /* documents of which no body came */
	unsigned pending; /* jobs of the readers */
	int error; /* errno: a body could not be kept */
	bool has_no_readers; /* they are lost, with: */
	int readers_error;
	struct idmap by_id; /* their places among documents */
	struct compare_rules *rules; /* owned: see compare_rules_of */
	size_t rules_count;
	size_t rules_cap;
};

/* compare_body(compare, …): run_options.body. */
void compare_body(void *compare, int64_t document_id, struct slice url,
    const struct reader_job *, struct spool_file *);

/* compare_rules_of(compare, host): site_rules_fn: those of the options under
 * profile lenient. */
const struct site_rules *compare_rules_of(void *compare, struct slice host);

/*
 * compare_read(compare): after the crawl: every document under each profile,
 * indexes first; calls fn for each document once its readings are there, in
 * the order of URLs, indexes before all others.  False with compare->error
 * set, or when the readers are lost.
 */
typedef void compare_fn(void *arg, const struct compare_document *);
bool compare_read(struct compare *, compare_fn *, void *arg);

/* compare_scope(compare, document, profile, location): the rules that hold for
 * it; release the location in any case. */
bool compare_scope(const struct compare *, const struct compare_document *,
    int profile, struct location_scope *);

/* compare_release(compare): all but its crawl. */
void compare_release(struct compare *);

#endif
