/* Accepting the children of an index. */
#include "store/accept.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/segment/block.h"
#include "store/site.h"

struct accept {
	struct accept_options options;
	/* allows long URLs: R-24 was applied to the raw ones */
	struct profile parsing;
	struct block_reader *reader;
	struct url url;
	size_t next_block;
};

static struct slice
next_block(void *arg)
{
	struct accept *accept = arg;
	const struct block_list *list = &accept->options.content->segment;

	if (accept->next_block == list->count)
		return slice_make(NULL, 0);
	accept->next_block++;
	return slice_make(list->items[accept->next_block - 1].data,
	    list->items[accept->next_block - 1].len);
}

struct accept *
accept_new(const struct accept_options *options)
{
	struct accept *accept = mem_zero(sizeof(*accept));

	accept->options = *options;
	accept->parsing = options->scope->profile;
	accept->parsing.max_loc_chars = URL_MAX_BYTES;
	accept->reader = block_reader_new(next_block, accept);
	url_init(&accept->url);
	store_links_begin(options->store, options->index_id);
	return accept;
}

void
accept_free(struct accept *accept)
{
	if (accept == NULL)
		return;
	block_reader_free(accept->reader);
	url_release(&accept->url);
	free(accept);
}

/* Make a document of the current URL, which is new. */
static int64_t
make_document(struct accept *accept)
{
	struct document document;
	int64_t id;

	store_document(accept->options.store, accept->options.site_id,
	    url_text(&accept->url), &document);
	id = document.id;
	document_release(&document);
	return id;
}

static enum diag_code
take_child(struct accept *accept, const struct entry *entry)
{
	const struct accept_options *options = &accept->options;
	struct location_verdict verdict;
	enum diag_code code;
	int64_t id;

	code = url_parse(&accept->url, entry->url, NULL, &accept->parsing,
	    (struct diag_sink){0});
	if (code != DIAG_OK)
		return code;
	if (url_text(&accept->url).len > URL_MAX_SITEMAP_BYTES)
		return DIAG_URL_TOO_LONG;
	verdict = location_judge(options->scope, &accept->url, SUBJECT_CHILD);
	if (!verdict.is_accepted)
		return verdict.code;
	id = store_document_id(
	    options->store, options->site_id, url_text(&accept->url));
	/* When the limit is reached, a new child gets no row at all. */
	if (options->is_full(options->arg) &&
	    !options->is_counted(options->arg, id))
		return DIAG_BUDGET_REACHED;
	if (id == 0)
		id = make_document(accept);
	else if (store_other_parents(options->store, id, options->index_id,
		     ACCEPT_PARENTS_MAX) == ACCEPT_PARENTS_MAX)
		return DIAG_BUDGET_REACHED;
	code = options->child(options->arg, id, url_text(&accept->url));
	if (code == DIAG_OK)
		store_link(
		    options->store, options->index_id, id, &entry->lastmod);
	return code;
}

bool
accept_step(struct accept *accept, unsigned max)
{
	struct content *content = accept->options.content;
	struct entry entry;

	while (max-- > 0) {
		enum diag_code code;

		if (!block_next(accept->reader, &entry))
			return true;
		if (entry_is_absent(&entry) ||
		    entry.verdict != VERDICT_ACCEPTED)
			continue;
		code = take_child(accept, &entry);
		if (code == DIAG_OK)
			continue;
		findings_add(&content->findings, code, 0, entry.url);
		content->refused++;
	}
	return false;
}

bool
accept_is_damaged(const struct accept *accept)
{
	return block_reader_damaged(accept->reader);
}
