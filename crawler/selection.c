/* What the commands that look into the store have in common. */
#include "crawler/selection.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/mem.h"
#include "crawler/exit.h"
#include "crawler/out.h"
#include "crawler/target.h"
#include "store/since.h"

#define WHY_MAX 8192

int
selection_open(const struct options *options, struct store **store)
{
	struct store_options how = {
	    .path = options->store, .is_read_only = true};
	struct stat found;
	struct buf why;
	enum diag_code code;

	if (lstat(options->store, &found) != 0) {
		complain(
		    "there is no store '%s'; 'freshet add' or 'freshet crawl' "
		    "makes one",
		    options->store);
		return EXIT_USAGE;
	}
	buf_init(&why, WHY_MAX);
	code = store_open(&how, store, &why);
	if (code != DIAG_OK)
		complain("%s: %s", diag_name(code), buf_str(&why));
	buf_release(&why);
	return exit_of_store(code);
}

int
selection_close(struct store *store, int status)
{
	enum diag_code code;

	if (store == NULL)
		return status;
	code = store_failed(store);
	if (code != DIAG_OK && status != exit_of_store(code))
		status = exit_complain(store, code);
	store_close(store);
	return status;
}

struct search {
	struct slice url;
	bool is_found;
};

static bool
is_searched(void *arg, const struct document_row *row)
{
	struct search *search = arg;

	search->is_found = slice_is(search->url, row->document.url);
	return !search->is_found;
}

static bool
select_document(
    struct selection *selection, struct store *store, struct slice url)
{
	struct search search = {.url = url};

	store_each_document(
	    store, slice_of(selection->site), is_searched, &search);
	if (search.is_found)
		selection->document = slice_dup(url);
	return search.is_found;
}

/* select_http(selection, store, rest): a document over http, when its scheme
 * was not typed; rest begins with "://". */
static bool
select_http(struct selection *selection, struct store *store, struct slice rest)
{
	struct buf url;
	bool is_found;

	buf_init(&url, URL_MAX_BYTES);
	is_found = buf_print(&url, "http%.*s", (int)rest.len, rest.p) &&
	    select_document(selection, store, buf_text(&url));
	buf_release(&url);
	return is_found;
}

/* select_path(selection, store, target): a document or a section of the
 * site. */
static int
select_path(struct selection *selection, struct store *store,
    const struct target *target)
{
	struct slice url = url_text(&target->url);
	struct slice rest = slice_from(url, strcspn(url.p, ":"));

	if (select_document(selection, store, url) ||
	    (target->has_no_scheme && select_http(selection, store, rest)))
		return EXIT_DONE;
	if (url.p[url.len - 1] == '/') {
		selection->any_scheme = target->has_no_scheme;
		selection->section = slice_dup(
		    target->has_no_scheme ? rest : url);
		return EXIT_DONE;
	}
	complain("'%.*s' is not in the store; see 'freshet ls --sitemaps %s', "
		 "or run 'freshet crawl' first",
	    (int)url.len, url.p, selection->site);
	return EXIT_NO_TARGET;
}

int
selection_init(
    struct selection *selection, struct store *store, const char *text)
{
	struct target target;
	enum diag_code code = target_parse(&target, slice_of(text));
	int status = EXIT_DONE;

	*selection = (struct selection){0};
	if (code != DIAG_OK) {
		complain("'%s' is neither a host nor a URL", text);
		status = EXIT_USAGE;
		goto fail;
	}
	selection->site = slice_dup(url_host(&target.url));
	if (!store_has_site(store, slice_of(selection->site))) {
		complain("'%s' is not in the store; run 'freshet crawl %s' "
			 "first",
		    selection->site, text);
		status = EXIT_NO_TARGET;
		goto fail;
	}
	if (target.kind != TARGET_SITE)
		status = select_path(selection, store, &target);

fail:
	target_release(&target);
	return status;
}

void
selection_release(struct selection *selection)
{
	free(selection->site);
	strings_release(&selection->sites);
	free(selection->document);
	free(selection->section);
	*selection = (struct selection){0};
}

bool
selection_has_host(const struct selection *selection, struct slice url)
{
	const char *at = memmem(url.p, url.len, "://", 3);
	const char *end = url.p + url.len;
	const char *host;
	bool is_in_brackets = false;

	if (selection->site == NULL && selection->sites.count == 0)
		return true;
	if (at == NULL)
		return false;
	host = at += 3;
	for (; at < end && *at != '/' && (*at != ':' || is_in_brackets); at++)
		is_in_brackets = *at != ']' && (is_in_brackets || *at == '[');
	url = slice_make(host, (size_t)(at - host));
	return strings_has(&selection->sites, url) ||
	    (selection->site != NULL && slice_is(url, selection->site));
}

/* The state of one walk; fn is one of two. */
struct walk {
	const struct selection *selection;
	struct store *store;
	unsigned what;
	store_row_fn *row;
	walk_entry_fn *entry;
	walk_change_fn *change;
	void *arg;
	bool is_found; /* something lies in the section */
	bool is_stopped;
	bool is_over; /* no further document is wanted */
	bool is_damaged;
};

static bool
walk_row(void *arg, const struct document_row *row)
{
	struct walk *walk = arg;
	const char *document = walk->selection->document;

	if (document != NULL &&
	    !slice_is(slice_of(document), row->document.url))
		return true;
	walk->is_over = !walk->row(walk->arg, row) || document != NULL;
	return !walk->is_over;
}

void
selection_documents(const struct selection *selection, struct store *store,
    store_row_fn *fn, void *arg)
{
	struct walk walk = {.selection = selection, .row = fn, .arg = arg};

	if (selection->sites.count == 0)
		store_each_document(
		    store, slice_of(selection->site), walk_row, &walk);
	for (size_t i = 0; i < selection->sites.count && !walk.is_over; i++)
		store_each_document(store, slice_of(selection->sites.items[i]),
		    walk_row, &walk);
}

bool
selection_is_robots(const struct document_row *row)
{
	const char *path = strstr(row->document.url, "://");

	if (row->document.kind != KIND_UNKNOWN)
		return row->document.kind == KIND_ROBOTS;
	path = path == NULL ? NULL : strchr(path + 3, '/');
	return path != NULL && strcmp(path, "/robots.txt") == 0;
}

bool
selection_is_notable(const struct document_row *row)
{
	return row->failure.len > 0 || !selection_is_robots(row);
}

/* has_entries(walk, row): of the kind that was asked for? */
static bool
has_entries(const struct walk *walk, const struct document_row *row)
{
	if (selection_is_robots(row))
		return false;
	return row->document.kind != KIND_INDEX ||
	    (walk->what & WALK_INDEXES) != 0 ||
	    walk->selection->document != NULL;
}

static bool
is_in_section(struct walk *walk, struct slice url)
{
	const struct selection *selection = walk->selection;
	const char *colon = NULL;

	if (selection->any_scheme)
		colon = memchr(url.p, ':', url.len);
	if (colon != NULL)
		url = slice_from(url, (size_t)(colon - url.p));
	if (selection->section != NULL &&
	    !slice_starts(url, slice_of(selection->section)))
		return false;
	walk->is_found = true;
	return true;
}

/* status_of(walk): how it ended. */
static int
status_of(const struct walk *walk)
{
	const struct selection *selection = walk->selection;

	if (walk->is_damaged)
		return EXIT_DAMAGED;
	if (selection->section == NULL || walk->is_found)
		return EXIT_DONE;
	complain("nothing in the store begins with '%s%s'; see 'freshet ls %s'",
	    selection->any_scheme ? "https" : "", selection->section,
	    selection->site);
	return EXIT_NO_TARGET;
}

/* finish(walk, row, reader): free it; go on with the next document? */
static bool
finish(struct walk *walk, const struct document_row *row,
    struct block_reader *reader)
{
	if (block_reader_damaged(reader)) {
		walk->is_damaged = true;
		complain("%s: the entries of '%s' cannot be decoded",
		    diag_name(DIAG_STORE_DAMAGED), row->document.url);
	}
	block_reader_free(reader);
	return !walk->is_stopped && !walk->is_damaged;
}

static bool
walk_segment(void *arg, const struct document_row *row)
{
	struct walk *walk = arg;
	struct block_source *source;
	struct block_reader *reader;
	struct entry entry;

	if (!has_entries(walk, row))
		return true;
	source = block_source_segment(walk->store, row->document.id);
	reader = block_reader_new(block_source_pull, source);
	while (!walk->is_stopped && block_next(reader, &entry)) {
		bool is_refused = entry.verdict != VERDICT_ACCEPTED;

		if (is_in_section(walk, entry.url) &&
		    is_refused == ((walk->what & WALK_REFUSED) != 0) &&
		    (entry.missed == 0 || (walk->what & WALK_REMOVED) != 0))
			walk->is_stopped = !walk->entry(walk->arg, row, &entry);
	}
	block_source_free(source);
	return finish(walk, row, reader);
}

int
selection_entries(const struct selection *selection, struct store *store,
    unsigned what, walk_entry_fn *fn, void *arg)
{
	struct walk walk = {.selection = selection,
	    .store = store,
	    .what = what,
	    .entry = fn,
	    .arg = arg};

	selection_documents(selection, store, walk_segment, &walk);
	return status_of(&walk);
}

/* walk_first(walk, row): a first reading has no delta: all it brought is in
 * the segment, and was first seen then. */
static bool
walk_first(struct walk *walk, const struct document_row *row)
{
	struct block_source *source = block_source_segment(
	    walk->store, row->document.id);
	struct block_reader *reader = block_reader_new(
	    block_source_pull, source);
	struct change change = {.kind = DELTA_ADDED};
	struct entry entry;

	while (!walk->is_stopped && block_next(reader, &entry)) {
		if (entry.first_seen_s != row->at_s ||
		    !is_in_section(walk, entry.url))
			continue;
		change.url = entry.url;
		change.verdict = entry.verdict;
		/* what it was then the delta that moved it knows */
		change.after = entry.redated_s == 0 ? entry.lastmod
						    : (struct date){0};
		walk->is_stopped = !walk->change(walk->arg, row, &change);
	}
	block_source_free(source);
	return finish(walk, row, reader);
}

/* walk_delta(walk, row): what the reading of the row changed. */
static bool
walk_delta(struct walk *walk, const struct document_row *row)
{
	struct block_source *source;
	struct block_reader *reader;
	struct change change;
	bool is_empty = true;

	source = block_source_delta(walk->store, row->reading_id);
	reader = block_reader_new(block_source_pull, source);
	while (!walk->is_stopped && block_next_change(reader, &change)) {
		is_empty = false;
		if (is_in_section(walk, change.url))
			walk->is_stopped = !walk->change(
			    walk->arg, row, &change);
	}
	block_source_free(source);
	if (!finish(walk, row, reader))
		return false;
	if (is_empty && row->changes[DELTA_ADDED] > 0)
		return walk_first(walk, row);
	return true;
}

static bool
walk_latest(void *arg, const struct document_row *row)
{
	struct walk *walk = arg;

	/* What the latest crawl did not meet, it did not change. */
	if (!has_entries(walk, row) || row->reading_id == 0 ||
	    row->reading_id <= row->crawl_after)
		return true;
	return walk_delta(walk, row);
}

/* One document whose readings are gone through. */
struct walk_document {
	struct walk *walk;
	const struct document_row *row;
	bool goes_on;
};

static bool
walk_reading(void *arg, const struct reading_row *reading)
{
	struct walk_document *document = arg;
	struct document_row row = *document->row;

	if (!reading->has_delta && reading->changes[DELTA_ADDED] == 0)
		return true;
	row.reading_id = reading->id;
	row.at_s = reading->at_s;
	memcpy(row.changes, reading->changes, sizeof(row.changes));
	document->goes_on = walk_delta(document->walk, &row);
	return document->goes_on;
}

static bool
walk_since(void *arg, const struct document_row *row)
{
	struct walk_document document = {arg, row, true};

	if (has_entries(document.walk, row))
		store_each_document_reading(document.walk->store,
		    row->document.id, document.walk->selection->since_s,
		    walk_reading, &document);
	return document.goes_on;
}

static bool
stop(void *arg, const struct document_row *row, const struct entry *entry)
{
	(void)arg;
	(void)row;
	(void)entry;
	return false;
}

int
selection_changes(const struct selection *selection, struct store *store,
    unsigned what, walk_change_fn *fn, void *arg)
{
	struct walk walk = {.selection = selection,
	    .store = store,
	    .what = what,
	    .change = fn,
	    .arg = arg};

	selection_documents(selection, store,
	    selection->has_since ? walk_since : walk_latest, &walk);
	/* a section in which nothing changed is there all the same */
	if (selection->section != NULL && !walk.is_found && !walk.is_damaged) {
		walk.what |= WALK_REMOVED;
		walk.entry = stop;
		selection_documents(selection, store, walk_segment, &walk);
	}
	return status_of(&walk);
}
