/* A document read in a test: bytes in, entries and findings out. */
#ifndef FRESHET_READ_FIXTURE_H
#define FRESHET_READ_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawler/parse/read.h"

/* An entry of the new segment, in the order of the document. */
struct fixture_entry {
	char *url; /* owned */
	struct entry entry; /* its url is not to be used */
};

struct fixture {
	struct slice body;
	size_t chunk; /* bytes given at once, 0: as many as are wanted */
	size_t fail_at; /* the body is lost there, 0: never */
	int scratch_fd; /* -1: none */
	struct block_list *previous; /* borrowed; NULL: none */
	/* What came of it. */
	enum diag_code code;
	struct content content;
	struct block_list segment;
	struct block_list delta;
	struct fixture_entry *entries; /* owned */
	size_t count;
	size_t accepted; /* of these */
	/* Private. */
	size_t at;
	size_t previous_at;
};

void fixture_init(struct fixture *, struct slice body);
void fixture_release(struct fixture *);

/* fixture_read(fixture, scope): scope->has_previous is set as fits. */
void fixture_read(struct fixture *, struct scope *);

/* fixture_scope(scope, profile, url): a document at url; NULL: it has none.
 * The time is 2026-01-01T00:00:00Z. */
void fixture_scope(struct scope *, enum profile_name, const char *url);

/* fixture_print(fixture, out): all of the result that must not depend on how
 * the bytes came, as text. */
void fixture_print(const struct fixture *, struct buf *out);

/*
 * fixture_events(out, body, chunk, profile): what the parsers tell of a
 * decoded document, one line for each event, fed in pieces of chunk bytes.
 */
void fixture_events(
    struct buf *out, struct slice body, size_t chunk, const struct profile *);

#endif
