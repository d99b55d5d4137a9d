/* Accepting the children of an index. */
#include "store/accept.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/block.h"
#include "store/site.h"

struct accept {
	struct accept_options options;
	struct profile parsing; /* normalised URLs may be long: R-24 was applied
				   to the raw ones */
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

static enum diag_code
take_child(struct accept *accept, const struct entry *entry)
{
	const struct accept_options *options = &accept->options;
	struct location_verdict verdict;
	struct document document;
	enum diag_code code;

	code = url_parse(&accept->url, entry->url, NULL, &accept->parsing,
	    (struct diag_sink){0});
	if (code != DIAG_OK)
		return code;
	verdict = location_judge(options->scope, &accept->url, SUBJECT_CHILD);
	if (!verdict.is_accepted)
		return verdict.code;
	/* Not even a row is made for what is too many. */
	if (options->is_full(options->arg) &&
	    !options->is_counted(options->arg,
		store_document_id(
		    options->store, options->site_id, url_text(&accept->url))))
		return DIAG_BUDGET_REACHED;
	store_document(options->store, options->site_id, url_text(&accept->url),
	    &document);
	code = store_other_parents(options->store, document.id,
		   options->index_id, ACCEPT_PARENTS_MAX) < ACCEPT_PARENTS_MAX
	    ? options->child(options->arg, document.id, url_text(&accept->url))
	    : DIAG_BUDGET_REACHED;
	if (code == DIAG_OK)
		store_link(options->store, options->index_id, document.id,
		    &entry->lastmod);
	document_release(&document);
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
		if (entry.missed > 0)
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
