/* Readings: findings, lists of blocks, and who frees what. */
#include "store/segment/reading.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

/* Samples are C strings: what follows a NUL is lost with the rest. */
static char *
sample_text(struct slice text)
{
	if (text.len > FINDING_TEXT_MAX)
		text.len = FINDING_TEXT_MAX;
	return slice_dup(text);
}

static struct finding *
findings_row(struct findings *findings, enum diag_code code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].code == code)
			return &findings->items[i];

	findings->items = mem_grow(findings->items, &findings->cap,
	    findings->count + 1, sizeof(*findings->items));
	struct finding *row = &findings->items[findings->count++];
	*row = (struct finding){.code = code};
	return row;
}

void
findings_add(struct findings *findings, enum diag_code code, uint32_t line,
    struct slice text)
{
	assert(code > DIAG_OK && code < DIAG_COUNT);
	struct finding *row = findings_row(findings, code);

	row->count++;
	if (row->sample_count == FINDING_SAMPLES)
		return;
	row->samples[row->sample_count++] = (struct finding_sample){
	    line, sample_text(text)};
}

void
findings_say(struct findings *findings, enum diag_code code, struct slice text)
{
	struct finding *row = findings_row(findings, code);

	if (row->count == 0) {
		findings_add(findings, code, 0, text);
		return;
	}
	if (row->sample_count == 0)
		row->sample_count = 1;
	free(row->samples[0].text);
	row->samples[0].text = sample_text(text);
}

const struct finding *
findings_get(const struct findings *findings, enum diag_code code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].code == code)
			return &findings->items[i];
	return NULL;
}

void
findings_release(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		for (unsigned k = 0; k < findings->items[i].sample_count; k++)
			free(findings->items[i].samples[k].text);
	free(findings->items);
	*findings = (struct findings){0};
}

void
block_list_add(struct block_list *list, const struct block *block)
{
	list->items = mem_grow(
	    list->items, &list->cap, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct block_copy){
	    .data = slice_dup(block->data),
	    .first_url = slice_dup(block->first_url),
	    .last_url = slice_dup(block->last_url),
	    .len = block->data.len,
	    .count = block->count,
	    .bloom = slice_dup(block->bloom),
	    .bloom_len = block->bloom.len,
	};
}

struct slice
block_walk_pull(void *arg)
{
	struct block_walk *walk = arg;
	const struct block_copy *block;

	if (walk->at == walk->list->count)
		return slice_make(NULL, 0);
	block = &walk->list->items[walk->at++];
	return slice_make(block->data, block->len);
}

void
block_list_release(struct block_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].data);
		free(list->items[i].first_url);
		free(list->items[i].last_url);
		free(list->items[i].bloom);
	}
	free(list->items);
	*list = (struct block_list){0};
}

void
content_init(struct content *content)
{
	*content = (struct content){0};
	buf_init(&content->alternates, CONTENT_MAX_ALTERNATES);
	buf_init(&content->page, CONTENT_MAX_PAGE);
}

void
content_release(struct content *content)
{
	findings_release(&content->findings);
	block_list_release(&content->segment);
	block_list_release(&content->delta);
	buf_release(&content->alternates);
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
	content_release(&reading->content);
	free(reading);
}
