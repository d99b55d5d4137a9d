/* The whole driver in virtual time, with a store of its own, for the cases
 * about HTTP. */
#ifndef FRESHET_CONFORMANCE_DRIVE_H
#define FRESHET_CONFORMANCE_DRIVE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/site_rules.h"
#include "store/location.h"
#include "store/segment/reading.h"

/* What one document came to, in the latest crawl. */
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
	/* Of the latest crawl. */
	struct drive_document *documents; /* owned */
	size_t count, cap;
	bool has_failed;
};

/* drive_init(drive, c): the profile, switches, assertions and retries of the
 * case; the beginning of time. */
void drive_init(struct drive *, const json_t *c);
void drive_release(struct drive *);

/* drive_crawl(drive, targets): from the list, NULL-terminated; what the
 * script answers (script.h).  False: a target is none, or no store. */
bool drive_crawl(struct drive *, const char *const *targets);

/* drive_document(drive, url): NULL when nothing was said of it. */
const struct drive_document *drive_document(
    const struct drive *, const char *url);

#endif
