/* Readings: the names of their enums, and how they are made and freed. */
#include "store/segment/reading.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

const char *
document_kind_name(enum document_kind kind)
{
	static const char *const names[] = {"unknown", "robots", "index",
	    "urlset", "text", "rss", "atom", "unlisted"};

	assert(kind <= KIND_UNLISTED);
	return names[kind];
}

const char *
outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
	    "read", "unchanged", "failed", "refused", "ended"};

	assert(outcome <= OUTCOME_ENDED);
	return names[outcome];
}

enum outcome
outcome_find(struct slice name)
{
	for (int outcome = OUTCOME_READ; outcome <= OUTCOME_ENDED; outcome++)
		if (slice_is(name, outcome_name((enum outcome)outcome)))
			return (enum outcome)outcome;
	return OUTCOME_FAILED;
}

enum document_kind
document_kind_find(struct slice name)
{
	for (int kind = 0; kind <= KIND_UNLISTED; kind++)
		if (slice_is(
			name, document_kind_name((enum document_kind)kind)))
			return (enum document_kind)kind;
	return KIND_UNKNOWN;
}

const char *const aside_names[ASIDE_COUNT] = {"no", "kind", "encoding",
    "namespace", "markup", "element", "text", "rule", "limit", "cut"};

void
content_init(struct content *content)
{
	*content = (struct content){0};
	buf_init(&content->alternates, CONTENT_MAX_ALTERNATES);
	buf_init(&content->lines, CONTENT_MAX_LINES);
	buf_init(&content->page, CONTENT_MAX_PAGE);
}

uint32_t
content_line(struct slice lines, uint32_t ordinal)
{
	struct wire wire = {lines, true};
	uint64_t line = 0;

	for (uint64_t i = 0; i <= ordinal && wire.in.len > 0 && wire.ok; i++) {
		line += wire_get_varint(&wire);
		if (wire.ok && i == ordinal && line <= UINT32_MAX)
			return (uint32_t)line;
	}
	return 0;
}

void
content_release(struct content *content)
{
	findings_release(&content->findings);
	block_list_release(&content->segment);
	block_list_release(&content->delta);
	buf_release(&content->alternates);
	buf_release(&content->lines);
	buf_release(&content->page);
	content_init(content);
}

struct reading *
reading_new(int64_t document_id, int64_t at_s)
{
	struct reading *reading = mem_zero(sizeof(*reading));

	reading->document_id = document_id;
	reading->at_s = at_s;
	content_init(&reading->content);
	return reading;
}

void
reading_free(struct reading *reading)
{
	if (reading == NULL)
		return;
	free(reading->http.final_url);
	free(reading->http.etag);
	free(reading->http.last_modified);
	free(reading->http.content_type);
	free(reading->http.content_encoding);
	free(reading->http.hub);
	content_release(&reading->content);
	free(reading);
}
