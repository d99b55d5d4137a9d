/* What a fetched page becomes: see page_object.h. */
#include "crawler/page_fetch/page_object.h"

#include <stdio.h>

#include "base/out_json.h"
#include "crawler/archive/archive.h"
#include "crawler/crawl/crawl_options.h"
#include "crawler/parse/page.h"

struct frontier_result
page_result(const struct listed_page *page, int64_t at_s, const uint8_t *body,
    char hash[PAGE_HASH_BYTES])
{
	struct frontier_result result = {.url = page->url,
	    .etag = page->etag,
	    .last_modified = page->last_modified,
	    .bytes = page->bytes,
	    .ms = page->ms,
	    .at_s = at_s,
	    .retry_after_s = page->retry_after_s > 0 ? page->retry_after_s : 0,
	    .is_noindex = page->noindex.len > 0,
	    .is_own = true};
	bool is_permanent = page->status == 301 || page->status == 308;
	const struct page_facts *facts = page->facts;

	/* those of another URL say nothing of this one */
	if (page->hops > 0)
		result.etag = result.last_modified = slice_of("");

	/* a redirect that was not followed counts as it is */
	result.status = is_permanent || page->wall != NULL ||
		(page->end == PAGE_DISALLOWED && page->hops > 0)
	    ? page->status
	    : page->final_status;
	/* an answer that broke off is none */
	if (result.status < 100 || result.status > 599 ||
	    (page->end == PAGE_LOST &&
		page->failure == DIAG_FETCH_NETWORK_ERROR))
		result.status = 0;
	result.is_walled = !is_permanent &&
	    (page->wall != NULL || page->end == PAGE_DISALLOWED ||
		(page->end == PAGE_LOST &&
		    (result.status / 100 == 2 || result.status == 304)));
	if (is_permanent)
		result.location = page->end == PAGE_ANSWERED
		    ? page->final_url
		    : page->first_location;
	if (facts != NULL && facts->text.len == PAGE_DIGEST_BYTES)
		body = (const uint8_t *)facts->text.p;
	hash[0] = '\0';
	if (body != NULL && result.status == 200 && !result.is_walled) {
		for (size_t i = 0; i < PAGE_DIGEST_BYTES; i++)
			(void)snprintf(hash + 2 * i, 3, "%02x", body[i]);
		result.has_hash = true;
	}
	result.content_hash = slice_of(hash);
	return result;
}

void
page_object_begin(struct buf *out, const struct listed_page *page,
    const struct frontier_result *result, enum page_outcome outcome)
{
	static const struct page_facts nothing;
	const struct page_facts *facts = page->facts == NULL ? &nothing
							     : page->facts;
	struct slice error = page->end == PAGE_ANSWERED ? slice_of("")
							: page->detail;

	out_json_line(out, "page");
	out_json_text(out, "url", page->url);
	out_json_number(out, "status", (uint64_t)result->status);
	out_json_string(out, "outcome", page_outcome_name(outcome));
	if (result->location.len > 0 || page->first_location.len > 0)
		out_json_text(out, "location",
		    result->location.len > 0 ? result->location
					     : page->first_location);
	if (page->hops > 0 && !slice_equal(page->final_url, page->url))
		out_json_text(out, "final_url", page->final_url);
	if (page->wall != NULL)
		out_json_string(out, "wall", page->wall);
	if (error.len > 0)
		out_json_text(out, "error", error);
	out_json_word(out, "title", facts->title);
	out_json_word(out, "description", facts->description);
	out_json_word(out, "language", facts->language);
	out_json_word(out, "canonical", page->canonical_url);
	out_json_word(out, "robots", facts->robots);
	out_json_number_if(out, "links", page->facts != NULL, facts->links);
	out_json_number(out, "bytes", page->bytes);
	out_json_word(out, "content_hash", result->content_hash);
	out_json_flag(out, "changed", outcome == PAGE_CHANGED);
	out_json_number(out, "ms", page->ms);
	out_json_word(out, "content_type", page->content_type);
	if (page->etag.len > 0)
		out_json_text(out, "etag", page->etag);
	if (page->last_modified.len > 0)
		out_json_text(out, "last_modified", page->last_modified);
	out_json_flag(out, "noindex", result->is_noindex);
	if (page->robots_tag.len > 0)
		out_json_text(out, "x_robots_tag", page->robots_tag);
	purposes_json(out, page->purposes);
	out_json_time(out, "fetched", result->at_s);
}

void
page_object_archive(struct buf *out, const struct archive_place *place)
{
	out_json_begin(out, "archive", '{');
	out_json_string(out, "file", place->file);
	out_json_number(out, "offset", place->offset);
	out_json_number(out, "length", place->length);
	out_json_string(out, "id", place->record_id);
	out_json_flag(out, "revisit", place->is_revisit);
	out_json_end(out, '}');
}
