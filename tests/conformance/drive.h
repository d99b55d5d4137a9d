/* The whole driver in virtual time, with a store of its own, for the cases
 * about HTTP. */
#ifndef FRESHET_CONFORMANCE_DRIVE_H
#define FRESHET_CONFORMANCE_DRIVE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/site_rules.h"
#include "store/location.h"
#include "store/segment/reading.h"

/* The outcome of one document in the latest crawl. */
struct drive_document {
	char *url; /* owned */
	char *final_url; /* owned; NULL: none */
	enum outcome outcome;
	enum document_kind kind;
	bool has_code[DIAG_COUNT];
};

struct drive {
	struct site_rules rules;
	struct string_set own; /* owned */
	char dir[64], path[96];
	/* The documents of the latest crawl. */
	struct drive_document *documents; /* owned */
	size_t count, cap;
	bool has_failed;
};

/* drive_init(drive, c): take over profile, switches, assertions and retries of
 * the case, and set the clock to its beginning. */
void drive_init(struct drive *, const json_t *c);
void drive_release(struct drive *);

/*
 * drive_crawl(drive, targets): crawl the NULL-terminated list; the script
 * answers the requests (script.h). False: a target is invalid, or there is no
 * store.
 */
bool drive_crawl(struct drive *, const char *const *targets);

/* drive_document(drive, url): NULL: the crawl reported nothing about it. */
const struct drive_document *drive_document(
    const struct drive *, const char *url);

#endif
