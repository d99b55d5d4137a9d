/* A document read in a test. */
#include "tests/read_fixture.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "crawler/parse/document.h"

#define NOW_S 1767225600

void
fixture_init(struct fixture *fixture, struct slice body)
{
	*fixture = (struct fixture){.body = body, .scratch_fd = -1};
	content_init(&fixture->content);
}

static void
entries_clear(struct fixture *fixture)
{
	for (size_t i = 0; i < fixture->count; i++)
		free(fixture->entries[i].url);
	free(fixture->entries);
	fixture->entries = NULL;
	fixture->count = fixture->accepted = 0;
}

void
fixture_release(struct fixture *fixture)
{
	content_release(&fixture->content);
	block_list_release(&fixture->segment);
	block_list_release(&fixture->delta);
	entries_clear(fixture);
}

static ssize_t
pull_body(void *arg, void *p, size_t n)
{
	struct fixture *fixture = arg;
	size_t left = fixture->body.len - fixture->at;

	if (fixture->fail_at > 0 && fixture->at >= fixture->fail_at)
		return -1;
	if (n > left)
		n = left;
	if (fixture->chunk > 0 && n > fixture->chunk)
		n = fixture->chunk;
	if (n > 0)
		memcpy(p, fixture->body.p + fixture->at, n);
	fixture->at += n;
	return (ssize_t)n;
}

static struct slice
pull_previous(void *arg)
{
	struct fixture *fixture = arg;

	if (fixture->previous_at == fixture->previous->count)
		return slice_make(NULL, 0);
	const struct block_copy *copy = &fixture->previous
					     ->items[fixture->previous_at++];
	return slice_make(copy->data, copy->len);
}

static void
take_segment(void *arg, const struct block *block)
{
	block_list_add(&((struct fixture *)arg)->segment, block);
}

static void
take_delta(void *arg, const struct block *block)
{
	block_list_add(&((struct fixture *)arg)->delta, block);
}

static struct slice
pull_segment(void *arg)
{
	struct fixture *fixture = arg;

	if (fixture->previous_at == fixture->segment.count)
		return slice_make(NULL, 0);
	const struct block_copy *copy = &fixture->segment
					     .items[fixture->previous_at++];
	return slice_make(copy->data, copy->len);
}

static int
by_ordinal(const void *a, const void *b)
{
	const struct fixture_entry *x = a;
	const struct fixture_entry *y = b;

	return x->entry.ordinal < y->entry.ordinal
	    ? -1
	    : x->entry.ordinal > y->entry.ordinal;
}

static void
decode(struct fixture *fixture)
{
	struct block_reader *reader;
	struct entry entry;
	size_t cap = 0;

	fixture->previous_at = 0;
	reader = block_reader_new(pull_segment, fixture);
	while (block_next(reader, &entry)) {
		fixture->entries = mem_grow(fixture->entries, &cap,
		    fixture->count + 1, sizeof(*fixture->entries));
		fixture->entries[fixture->count++] = (struct fixture_entry){
		    .url = slice_dup(entry.url), .entry = entry};
		fixture->accepted += entry.verdict == VERDICT_ACCEPTED;
	}
	assert(!block_reader_damaged(reader));
	block_reader_free(reader);
	if (fixture->count > 0)
		qsort(fixture->entries, fixture->count,
		    sizeof(*fixture->entries), by_ordinal);
}

void
fixture_read(struct fixture *fixture, struct scope *scope)
{
	struct read_job job = {.scope = scope,
	    .body = pull_body,
	    .body_arg = fixture,
	    .previous = pull_previous,
	    .previous_arg = fixture,
	    .segment = take_segment,
	    .delta = take_delta,
	    .blocks_arg = fixture,
	    .scratch_fd = fixture->scratch_fd};

	content_release(&fixture->content);
	block_list_release(&fixture->segment);
	block_list_release(&fixture->delta);
	fixture->segment = (struct block_list){0};
	fixture->delta = (struct block_list){0};
	entries_clear(fixture);
	fixture->at = 0;
	fixture->previous_at = 0;
	scope->has_previous = fixture->previous != NULL;
	fixture->code = read_document(&job, &fixture->content);
	if (fixture->code == DIAG_OK)
		decode(fixture);
}

void
fixture_scope(struct scope *scope, enum profile_name name, const char *url)
{
	struct profile profile = profile_default(name);
	struct diag_sink none = {0};

	scope_init(scope, &profile);
	scope->now_s = NOW_S;
	if (url == NULL)
		return;
	enum diag_code code = url_parse(
	    &scope->location.requested, slice_of(url), NULL, &profile, none);
	assert(code == DIAG_OK);
	url_copy(&scope->location.final, &scope->location.requested);
	scope->location.has_location = true;
}

void
fixture_print(const struct fixture *fixture, struct buf *out)
{
	const struct content *content = &fixture->content;

	(void)buf_print(out, "%s %s complete=%d layers=%u",
	    diag_name(fixture->code), document_kind_name(content->kind),
	    content->is_complete, content->gzip_layers);
	/* What is not read to its end ends within some chunk. */
	if (content->is_complete)
		(void)buf_print(out, " bytes=%llu",
		    (unsigned long long)content->decoded_bytes);
	(void)buf_print(out, " seen=%llu accepted=%llu refused=%llu\n",
	    (unsigned long long)content->seen,
	    (unsigned long long)content->accepted,
	    (unsigned long long)content->refused);
	for (size_t i = 0; i < content->findings.count; i++) {
		const struct finding *finding = &content->findings.items[i];

		(void)buf_print(out, "finding %s x%llu",
		    diag_name(finding->code),
		    (unsigned long long)finding->count);
		for (unsigned j = 0; j < finding->sample_count; j++)
			(void)buf_print(out, " %u:'%s'",
			    finding->samples[j].line, finding->samples[j].text);
		(void)buf_put_char(out, '\n');
	}
	for (size_t i = 0; i < fixture->count; i++) {
		const struct entry *entry = &fixture->entries[i].entry;

		(void)buf_print(
		    out, "%u %s ", entry->ordinal, fixture->entries[i].url);
		date_print(out, &entry->lastmod);
		(void)buf_print(out, " ext=%u hints=%02x missed=%u",
		    entry->extensions, entry->hints, entry->missed);
		if (entry->verdict != VERDICT_ACCEPTED)
			(void)buf_print(out, " %s",
			    diag_name(
				verdict_code((enum verdict)entry->verdict)));
		(void)buf_put_char(out, '\n');
	}
}

static bool
log_root(void *arg, enum root_kind kind)
{
	static const char *const names[] = {[ROOT_NONE] = "none",
	    [ROOT_INDEX] = "index",
	    [ROOT_URLSET] = "urlset",
	    [ROOT_TEXT] = "text",
	    [ROOT_RSS] = "rss",
	    [ROOT_ATOM] = "atom"};

	return buf_print(arg, "root %s\n", names[kind]);
}

static void
log_value(struct buf *out, const char *name, struct slice value)
{
	if (value.p != NULL)
		(void)buf_print(
		    out, " %s='%.*s'", name, (int)value.len, value.p);
}

static bool
log_entry(void *arg, const struct raw_entry *entry)
{
	struct buf *out = arg;

	(void)buf_print(out, "%u", entry->line);
	log_value(out, "loc", entry->loc);
	log_value(out, "lastmod", entry->lastmod);
	log_value(out, "changefreq", entry->changefreq);
	log_value(out, "priority", entry->priority);
	if (entry->extensions != 0)
		(void)buf_print(out, " ext=%u", entry->extensions);
	return buf_put_char(out, '\n');
}

static void
log_finding(void *arg, enum diag_code code, uint32_t line, struct slice text)
{
	(void)text;
	(void)buf_print(arg, "%u %s\n", line, diag_name(code));
}

void
fixture_events(struct buf *out, struct slice body, size_t chunk,
    const struct profile *profile)
{
	struct scope scope;
	struct parser_events events = {.root = log_root,
	    .entry = log_entry,
	    .finding = log_finding,
	    .arg = out};
	struct document *document;
	bool is_wanted = true;

	scope_init(&scope, profile);
	document = document_new(&events, &scope);

	while (body.len > 0 && is_wanted) {
		size_t n = chunk < body.len ? chunk : body.len;

		is_wanted = document_feed(document, slice_make(body.p, n));
		body = slice_from(body, n);
	}
	(void)document_finish(document, true);
	if (!document_is_complete(document))
		(void)buf_print(out, "incomplete %s\n",
		    diag_name(document_failure(document)));
	document_free(document);
	scope_release(&scope);
}
