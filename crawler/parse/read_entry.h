/* What becomes of the entries of one document: read.c's other half. */
#ifndef FRESHET_READ_ENTRY_H
#define FRESHET_READ_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/url.h"
#include "crawler/parse/parser.h"
#include "crawler/parse/read_links.h"
#include "crawler/parse/scope.h"
#include "crawler/parse/uniform.h"
#include "store/segment/reading.h"
#include "store/segment/sorter.h"

struct entries {
	const struct scope *scope;
	const struct url *base; /* NULL: the document has no URL */
	struct content *content;
	struct sorter *sorter; /* owned */
	struct links links; /* only if extensions are checked */
	struct url url;
	struct buf converted; /* a line of a text list that is no UTF-8 */
	struct buf first_host;
	struct uniform uniform;
	enum root_kind root;
	/* READER_KILLED, or a code that makes the document no document for
	 * this profile: NESTED_INDEX, INDEX_TOO_DEEP, TOO_MANY_*. */
	enum diag_code failure;
	bool is_cut; /* a limit stopped it: entries are lacking */
	bool is_over; /* TOO_MANY_* is reported */
	bool is_mixed; /* MIXED_HOSTS is reported */
	bool is_foreign_text; /* ENCODING_NOT_UTF8 is reported */
	uint32_t line; /* of the entry at hand */
	struct slice subject; /* the value at hand, for findings */
};

/* entries_init(entries, scope, content, scratch_fd): all borrowed. */
void entries_init(
    struct entries *, const struct scope *, struct content *, int scratch_fd);
void entries_release(struct entries *);

/* The parser_events of a reading; arg is the entries. */
bool entries_root(void *arg, enum root_kind);
bool entries_take(void *arg, const struct raw_entry *);
void entries_finding(
    void *arg, enum diag_code, uint32_t line, struct slice text);

/* hint_changefreq(text), hint_priority(text): the nibble of entry.hints; 0:
 * the value is none (SPEC ). */
uint8_t hint_changefreq(struct slice text);
uint8_t hint_priority(struct slice text);

#endif
