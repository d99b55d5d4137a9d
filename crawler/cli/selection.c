/*
 * Selections, and walks over what they select.
 *
 * There are four walks: over documents; over the entries of segments; over the
 * lists of sites, which have each URL once; and over what readings changed. A
 * walk into the past goes through the deltas of each document, because no list
 * of a site is kept of it.
 */
#include "crawler/cli/selection.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/idmap.h"
#include "base/target.h"
#include "crawler/cli/options_sites.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/scratch.h"
#include "store/depot/copy.h"
#include "store/document.h"
#include "store/page.h"
#include "store/site.h"
#include "store/site_changes.h"
#include "store/site_list.h"
#include "store/watch.h"

#define WHY_MAX 8192

/* The store is in PostgreSQL: a copy of what the command needs, in a file
 * without a name. */
static enum diag_code
selection_copy(
    const struct options *options, struct store **store, struct buf *why)
{
	/* These are of sites alone, and all that is known of a site is in one
	 * shard. */
	static const char *const of_sites[] = {
	    "diff", "export", "list", "ls", "note", "robots", "stats"};
	const struct strings *args = &options->targets.args;
	char *folder = scratch_folder();
	struct store_options how = {.is_scratch = true};
	enum diag_code code = DIAG_DISK_FULL;
	struct strings hosts = {0};
	struct buf path = BUF_UP_TO(SIZE_MAX);

	(void)buf_print(
	    &path, "%s/" SCRATCH_STORE, folder == NULL ? "" : folder);
	how.path = buf_str(&path);
	if (folder == NULL)
		(void)buf_print(
		    why, "there is no room for temporary files: see TMPDIR");
	else
		code = store_open(&how, store, why);
	scratch_drop(folder);
	for (size_t i = 0; i < sizeof(of_sites) / sizeof(of_sites[0]); i++)
		for (size_t k = 0; k < args->count &&
		     strcmp(of_sites[i], options->command) == 0;
		     k++) {
			struct target target;

			if (target_parse(&target, slice_of(args->items[k])) ==
			    DIAG_OK)
				strings_add(&hosts, url_host(&target.url));
			url_release(&target.url);
		}
	if (code == DIAG_OK)
		code = copy_fill(options->store.url, &hosts,
		    options->store.has_shard ? options->store.shard : COPY_ALL,
		    *store, why);
	if (code != DIAG_OK) {
		store_close(*store);
		*store = NULL;
	}
	strings_release(&hosts);
	buf_release(&path);
	return code;
}

int
selection_open(const struct options *options, struct store **store)
{
	const char *path = options->store.path;
	struct store_options how = {.path = path, .is_read_only = true};
	struct stat found;
	struct buf why = BUF_UP_TO(WHY_MAX);
	enum diag_code code;

	if (options->store.url == NULL && lstat(path, &found) != 0)
		return complain_with(EXIT_USAGE,
		    "there is no store '%s'; 'freshet add' or 'freshet crawl' "
		    "makes one",
		    path);
	/* nothing is written, so that no lock is needed and no owner disturbed
	 */
	code = options->store.url != NULL ? selection_copy(options, store, &why)
					  : store_open(&how, store, &why);
	if (code != DIAG_OK)
		complain("%s: %s", diag_name(code), buf_str(&why));
	else if (why.len > 0 && !options->output.is_quiet)
		complain("%s", buf_str(&why));
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
		status = complain_of_store(store, code);
	store_close(store);
	return status;
}

/* A document is asked for by its URL in normal form, as the store keeps it. */
static bool
select_document(
    struct selection *selection, struct store *store, struct slice url)
{
	int64_t site_id = store_site_find(store, slice_of(selection->site));
	bool is_found = store_document_id(store, site_id, url) != 0;

	if (is_found)
		selection->document = slice_dup(url);
	return is_found;
}

/* Select a document or a folder of the site. */
static int
select_path(struct selection *selection, struct store *store,
    const struct target *target)
{
	struct slice url = url_text(&target->url);
	/* "://www.example.org/", for a target without a scheme */
	struct slice rest = slice_from(url, strcspn(url.p, ":"));
	bool is_found = select_document(selection, store, url);
	struct buf http;

	/* the document may be over http if no scheme was typed and https has
	 * none */
	if (!is_found && target->has_no_scheme) {
		buf_init(&http, URL_MAX_BYTES);
		is_found = buf_print(
			       &http, "http%.*s", (int)rest.len, rest.p) &&
		    select_document(selection, store, buf_text(&http));
		buf_release(&http);
	}
	if (is_found)
		return EXIT_DONE;
	if (url.p[url.len - 1] == '/') {
		selection->any_scheme = target->has_no_scheme;
		selection->folder = slice_dup(
		    target->has_no_scheme ? rest : url);
		return EXIT_DONE;
	}
	return complain_with(EXIT_NO_TARGET,
	    "'%.*s' is not in the store; see 'freshet ls --sitemaps %s', or "
	    "run 'freshet crawl' first",
	    (int)url.len, url.p, selection->site);
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
		status = complain_with(
		    EXIT_USAGE, "'%s' is neither a host nor a URL", text);
		goto fail;
	}
	/* first the site, so that a misspelt host is told as such */
	selection->site = slice_dup(url_host(&target.url));
	if (store_site_find(store, slice_of(selection->site)) == 0) {
		status = complain_with(EXIT_NO_TARGET,
		    "'%s' is not in the store; run 'freshet crawl %s' first",
		    selection->site, text);
		goto fail;
	}
	if (target.kind != TARGET_SITE)
		status = select_path(selection, store, &target);

fail:
	url_release(&target.url);
	return status;
}

void
selection_release(struct selection *selection)
{
	free(selection->site);
	strings_release(&selection->sites);
	free(selection->document);
	free(selection->folder);
	*selection = (struct selection){0};
}

/* The state of one walk; one of the two callbacks is set. */
struct selection_walk {
	const struct selection *selection;
	struct store *store;
	unsigned what;
	store_row_fn *row;
	walk_entry_fn *entry;
	walk_change_fn *change;
	void *arg;
	/* for changes: */
	/* true: changes of the site as a whole; false: changes of each
	 * document */
	bool is_of_site;
	int64_t site_id; /* the site at hand */
	struct reading_from from; /* the site's readings from here on count */
	/* owned: changes of the site; NULL: not compared */
	struct site_changes *changes;
	bool is_found; /* the folder is not empty */
	bool is_stopped;
	bool is_over; /* fn has stopped the walk */
	/* for the past: */
	struct idmap seen; /* hashes of the URLs of the site at hand */
	bool is_unknown; /* of a document */
	bool has_refused; /* the site at hand listed what was refused */
	bool is_second; /* this is passed on now; all else was before */
};

/* All rows of a site come by; one document may be meant alone. */
static bool
walk_row(void *arg, const struct document_row *row)
{
	struct selection_walk *walk = arg;
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
	struct selection_walk walk = {
	    .selection = selection, .row = fn, .arg = arg};

	if (selection->sites.count == 0)
		store_each_document(store, DOCUMENTS_OF_SITE,
		    slice_of(selection->site), walk_row, &walk);
	for (size_t i = 0; i < selection->sites.count && !walk.is_over; i++)
		store_each_document(store, DOCUMENTS_OF_SITE,
		    slice_of(selection->sites.items[i]), walk_row, &walk);
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

/* Are entries of this kind wanted of the document? */
static bool
wants_kind(const struct selection_walk *walk, const struct document_row *row,
    bool are_pages)
{
	if (selection_is_robots(row))
		return false;
	return are_pages || (walk->what & WALK_INDEXES) != 0 ||
	    walk->selection->document != NULL;
}

/* Without a scheme, http and https are meant, and the folder begins behind the
 * scheme. */
static bool
is_in_folder(struct selection_walk *walk, struct slice url)
{
	const struct selection *selection = walk->selection;
	const char *colon = NULL;

	if (selection->any_scheme)
		colon = memchr(url.p, ':', url.len);
	if (colon != NULL)
		url = slice_from(url, (size_t)(colon - url.p));
	if (selection->folder != NULL &&
	    !slice_starts(url, slice_of(selection->folder)))
		return false;
	walk->is_found = true;
	return true;
}

/* The exit status of a walk that has ended. */
static int
selection_status_of(const struct selection_walk *walk)
{
	const struct selection *selection = walk->selection;
	enum diag_code code = store_failed(walk->store);

	if (code != DIAG_OK)
		return complain_of_store(walk->store, code);
	if (walk->is_unknown)
		return EXIT_FINDINGS;
	if (selection->folder == NULL || selection->has_as_of || walk->is_found)
		return EXIT_DONE;
	return complain_with(EXIT_NO_TARGET,
	    "nothing in the store begins with '%s%s'; see 'freshet ls %s'",
	    selection->any_scheme ? "https" : "", selection->folder,
	    selection->site);
}

/* Is an entry with that verdict wanted? */
static bool
wants_verdict(const struct selection_walk *walk, unsigned verdict)
{
	if (verdict == VERDICT_ACCEPTED)
		return (walk->what & WALK_ONLY_REFUSED) == 0;
	return (walk->what & WALK_REFUSED) != 0;
}

/* A document, while the walk goes through its entries or readings. */
struct walk_document {
	struct selection_walk *walk;
	const struct document_row *row;
};

/* An entry that the last reading lacks is kept until a second one lacks it,
 * too; only who asks for removed ones gets it. */
static bool
walk_segment_entry(void *arg, const struct entry *entry)
{
	struct walk_document *document = arg;
	struct selection_walk *walk = document->walk;

	if (is_in_folder(walk, entry->url) &&
	    wants_verdict(walk, entry->verdict) &&
	    (entry->missed == 0 || (walk->what & WALK_REMOVED) != 0))
		walk->is_stopped = walk->entry == NULL ||
		    !walk->entry(walk->arg, document->row, entry);
	return !walk->is_stopped;
}

/* Returns whether to go on with the next document. */
static bool
walk_segment(void *arg, const struct document_row *row)
{
	struct selection_walk *walk = arg;
	struct walk_document document = {walk, row};

	if (wants_kind(walk, row, row->document.kind != KIND_INDEX))
		store_each_entry(walk->store, row->document.id,
		    walk_segment_entry, &document);
	return !walk->is_stopped && store_failed(walk->store) == DIAG_OK;
}

/* The URLs of the documents of a site. */
struct names_of {
	struct idmap by_id; /* places in urls */
	struct strings urls;
};

/* The list of a site names its documents by numbers, which people do not know.
 */
static void
selection_put_name(void *arg, const struct document_list_row *row)
{
	struct names_of *names = arg;

	idmap_put(&names->by_id, row->id, (uint32_t)names->urls.count);
	strings_add(&names->urls, row->url);
}

void
selection_add_host(void *arg, int64_t site_id, struct slice host)
{
	(void)site_id;
	strings_add(arg, host);
}

/* The hosts of the selected sites, in order. */
static void
hosts_of(const struct selection *selection, struct store *store,
    struct strings *hosts)
{
	for (size_t i = 0; i < selection->sites.count; i++)
		strings_add(hosts, slice_of(selection->sites.items[i]));
	/* a SITE, or without one all sites of the store */
	if (hosts->count == 0 && selection->site != NULL)
		strings_add(hosts, slice_of(selection->site));
	else if (hosts->count == 0)
		store_each_site(store, 0, selection_add_host, hosts);
	strings_sort(hosts);
}

/* Call fn for the selected documents, site by site: in the order of their URLs,
 * the documents of several sites would alternate. A site with refused entries
 * in the past is walked twice, so that a URL that one document may list and
 * another may not is no refused one. */
static void
walk_documents_of_sites(struct selection_walk *walk, store_row_fn *fn)
{
	struct selection_walk rows = {
	    .selection = walk->selection, .row = fn, .arg = walk};
	struct strings hosts = {0};

	hosts_of(walk->selection, walk->store, &hosts);
	for (size_t i = 0; i < hosts.count && !rows.is_over; i++) {
		walk->is_second = walk->has_refused = false;
		store_each_document(walk->store, DOCUMENTS_OF_SITE,
		    slice_of(hosts.items[i]), walk_row, &rows);
		walk->is_second = walk->has_refused;
		if (walk->is_second && !walk->is_stopped) {
			rows.is_over = false;
			store_each_document(walk->store, DOCUMENTS_OF_SITE,
			    slice_of(hosts.items[i]), walk_row, &rows);
		}
		free(walk->seen.slots);
		walk->seen = (struct idmap){0};
	}
	strings_release(&hosts);
}

/* A URL that several documents list is one URL of the site: its list, which is
 * kept sorted, has it once. */
static void
walk_sites(struct selection_walk *walk)
{
	struct strings hosts = {0};

	hosts_of(walk->selection, walk->store, &hosts);
	for (size_t i = 0; i < hosts.count && !walk->is_stopped; i++) {
		int64_t site_id = store_site_find(
		    walk->store, slice_of(hosts.items[i]));

		struct names_of names = {0};
		struct document_row row = {.site = slice_of(hosts.items[i])};
		struct site_list *list;
		struct entry entry;

		if (site_id == 0)
			continue;
		/* Pass on all URLs that the site lists, each once. */
		list = site_list_new(
		    walk->store, site_id, slice_of(""), SITE_LIST_ALL);
		store_each_document_list(walk->store, LIST_OF_SITE, site_id,
		    selection_put_name, &names);
		while (!walk->is_stopped &&
		    site_list_next(list, &row.document.id, &entry)) {
			uint32_t place = idmap_get(
			    &names.by_id, row.document.id);

			if (!is_in_folder(walk, entry.url) ||
			    !wants_verdict(walk, entry.verdict) ||
			    (entry.missed > 0 &&
				(walk->what & WALK_REMOVED) == 0) ||
			    place == IDMAP_NONE)
				continue;
			row.document.url = names.urls.items[place];
			walk->is_stopped = !walk->entry(
			    walk->arg, &row, &entry);
		}
		free(names.by_id.slots);
		strings_release(&names.urls);
		site_list_free(list);
	}
	strings_release(&hosts);
}

/* The past is read from the deltas of each document, and no list of a site is
 * kept of it, so URLs that came before are remembered. */
static bool
walk_past_entry(void *arg, const struct entry *entry)
{
	struct walk_document *document = arg;
	struct selection_walk *walk = document->walk;
	bool is_refused = entry->verdict != VERDICT_ACCEPTED;
	int64_t id;

	if (is_refused)
		walk->has_refused = true;
	if (is_refused != walk->is_second || !is_in_folder(walk, entry->url) ||
	    !wants_verdict(walk, entry->verdict))
		return true;
	/* has another document of the site listed the URL already? */
	if ((walk->what & WALK_BY_DOCUMENT) == 0) {
		id = (int64_t)(hash_key(
				   entry->url, store_hash_key(walk->store)) >>
			1 |
		    1);
		if (idmap_get(&walk->seen, id) != IDMAP_NONE)
			return true;
		idmap_put(&walk->seen, id, 0);
	}
	walk->is_stopped = !walk->entry(walk->arg, document->row, entry);
	return !walk->is_stopped;
}

/* Readings that 'db prune' removed cannot be told; a silent hole would look
 * like an empty list. */
static bool
walk_past(void *arg, const struct document_row *row)
{
	struct selection_walk *walk = arg;
	struct walk_document document = {walk, row};

	/* an index of today may have been a sitemap with pages then */
	if (wants_kind(walk, row,
		store_number(walk->store, STORE_LISTED_PAGES, row->document.id,
		    walk->selection->as_of_s) != 0) &&
	    !store_each_listed_at(walk->store, row->document.id,
		walk->selection->as_of_s, walk_past_entry, &document) &&
	    !walk->is_second) {
		complain("'%s': its readings of that time were removed",
		    row->document.url);
		walk->is_unknown = true;
	}
	return !walk->is_stopped;
}

int
selection_entries(const struct selection *selection, struct store *store,
    unsigned what, walk_entry_fn *fn, void *arg)
{
	struct selection_walk walk = {.selection = selection,
	    .store = store,
	    .what = what,
	    .entry = fn,
	    .arg = arg};

	/* the past, documents one by one, or whole sites, of which each URL is
	 * told once */
	if (selection->has_as_of)
		walk_documents_of_sites(&walk, walk_past);
	else if (selection->document != NULL ||
	    (what & (WALK_INDEXES | WALK_BY_DOCUMENT)) != 0)
		selection_documents(selection, store, walk_segment, &walk);
	else
		walk_sites(&walk);
	return selection_status_of(&walk);
}

/* Pass on a change. A move is passed on once, at the new URL if its reading is
 * covered, else at the old one. */
static bool
walk_change(void *arg, const struct reading_row *reading,
    const struct change *change, const struct move *move)
{
	struct walk_document *document = arg;
	struct selection_walk *walk = document->walk;
	struct change moved = *change;
	bool is_in = is_in_folder(walk, change->url);

	(void)reading;
	/* A move has two URLs: one of them in the folder is enough, and it is
	 * told where its new URL is, if that reading is in the span. */
	if (move != NULL) {
		bool has_new = move->to.reading_id > walk->from.after_id &&
		    move->to.read_s >= walk->from.at_s;

		is_in = is_in_folder(walk, move->from.url) || is_in;
		is_in = is_in_folder(walk, move->to.url) || is_in;
		is_in = is_in &&
		    (change->kind == DELTA_ADDED ||
			(change->kind == DELTA_GONE && !has_new));
		moved.url = move->to.url;
		moved.before = move->from.lastmod;
		moved.after = move->to.lastmod;
		moved.verdict = move->to.verdict;
	}
	if (is_in)
		walk->is_stopped = !walk->change(
		    walk->arg, document->row, &moved, move);
	return !walk->is_stopped;
}

static bool
walk_reading(void *arg, const struct reading_row *reading)
{
	const struct walk_document *document = arg;
	struct selection_walk *walk = document->walk;
	struct document_row row = *document->row;
	struct walk_document now = {walk, &row};
	uint64_t changes = 0; /* of the site */

	for (int kind = 0; kind < DELTA_KINDS; kind++)
		changes += reading->site[kind];
	row.reading_id = reading->id;
	row.at_s = reading->at_s;
	row.since_s = reading->since_s;
	memcpy(row.changes, reading->changes, sizeof(row.changes));
	if (!walk->is_of_site || changes > 0)
		reading_change_walk(walk->store, reading, walk->is_of_site,
		    walk->changes, walk_change, &now);
	return !walk->is_stopped && store_failed(walk->store) == DIAG_OK;
}

/* Documents of a site stand side by side: what belongs to the site is worked
 * out at the first of them. */
static bool
walk_changed(void *arg, const struct document_row *row)
{
	struct selection_walk *walk = arg;
	struct walk_document document = {walk, row};

	/* an index may have been a sitemap with pages before */
	if (walk->is_of_site
		? selection_is_robots(row)
		: !wants_kind(walk, row, row->document.kind != KIND_INDEX))
		return true;
	if (walk->site_id != row->document.site_id) {
		/* Begin a site, at the first of its documents. */
		int64_t site_id = row->document.site_id;
		struct watch watch;
		bool is_there = store_watch_get(walk->store, site_id, &watch);
		bool is_watched = is_there && watch.is_watched;

		if (is_there)
			watch_release(&watch);
		walk->site_id = site_id;
		walk->from = (struct reading_from){
		    .by = READINGS_OF_DOCUMENT, .has_delta = true};
		if (walk->selection->has_since)
			walk->from.at_s = walk->selection->since_s;
		else if (is_watched)
			/* it is read many times a day, so that its latest
			 * crawl alone would say little */
			walk->from.at_s = walk->selection->day_s;
		else
			walk->from.after_id = row->crawl_after;
		site_changes_free(walk->changes);
		walk->changes = NULL;
		/* Look for the pages of the site that moved. */
		const struct options *options = walk->selection->options;
		int64_t from_s = walk->from.at_s;

		if (options != NULL)
			options = options_of_site(options, row->site);
		if (walk->is_of_site && walk->from.after_id > 0)
			from_s = store_number(
			    walk->store, STORE_AFTER_S, walk->from.after_id, 0);
		if (walk->is_of_site)
			walk->changes = site_changes_new(walk->store, site_id,
			    options == NULL ? NULL : options->moves.renamings,
			    from_s);
		if (walk->is_of_site && !walk->changes->is_compared)
			complain("%.*s: more than %d changes: which of its "
				 "pages moved was not looked for",
			    (int)row->site.len, row->site.p, CHANGES_MOST);
	}
	walk->from.id = row->document.id;
	store_each_reading(walk->store, walk->from, walk_reading, &document);
	return !walk->is_stopped && store_failed(walk->store) == DIAG_OK;
}

int
selection_changes(const struct selection *selection, struct store *store,
    unsigned what, walk_change_fn *fn, void *arg)
{
	struct selection_walk walk = {.selection = selection,
	    .store = store,
	    .what = what,
	    .change = fn,
	    .arg = arg,
	    .is_of_site = selection->document == NULL &&
		(what & (WALK_INDEXES | WALK_BY_DOCUMENT)) == 0};

	if (walk.is_of_site)
		walk_documents_of_sites(&walk, walk_changed);
	else
		selection_documents(selection, store, walk_changed, &walk);
	site_changes_free(walk.changes);
	/* a folder without changes still exists */
	if (selection->folder != NULL && !walk.is_found) {
		walk.what |= WALK_REMOVED;
		selection_documents(selection, store, walk_segment, &walk);
	}
	return selection_status_of(&walk);
}

/* Which watched sites a command means. */

bool
sites_of(const struct strings *args, struct strings *hosts)
{
	for (size_t i = 0; i < args->count; i++) {
		struct target target;
		bool is_good = target_parse(&target,
				   slice_of(args->items[i])) == DIAG_OK;

		/* the first bad argument ends the command: a misspelt host
		 * must not make it act on fewer sites */
		if (is_good)
			strings_add(hosts, url_host(&target.url));
		else
			complain(
			    "'%s' is neither a host nor a URL", args->items[i]);
		url_release(&target.url);
		if (!is_good)
			return false;
	}
	return true;
}

bool
watch_is_tagged(const struct watch *watch, const struct strings *tags)
{
	for (size_t i = 0; i < tags->count; i++)
		if (strings_has(&watch->tags, slice_of(tags->items[i])))
			return true;
	return tags->count == 0;
}

struct tagged {
	const struct strings *tags;
	struct strings *found;
	bool wants_targets; /* of the sites, in place of their hosts */
};

/* Sites that were taken off the list keep their tags in the store, and are not
 * meant. */
static void
selection_add(void *arg, const struct watch *watch)
{
	struct tagged *tagged = arg;

	if (!watch->is_watched || !watch_is_tagged(watch, tagged->tags))
		return;
	if (!tagged->wants_targets)
		strings_add(tagged->found, slice_of(watch->host));
	for (size_t i = 0; tagged->wants_targets && i < watch->targets.count;
	     i++)
		strings_add(tagged->found, slice_of(watch->targets.items[i]));
}

void
complain_tag(struct slice tag)
{
	complain("no site of the watch list has the tag '%.*s'", (int)tag.len,
	    tag.p);
}

/* There is no index of tags: the watch list is short beside what the sites
 * list. */
bool
tag_is_used(struct store *store, struct slice tag)
{
	struct strings tags = {0}, found = {0};
	struct tagged tagged = {&tags, &found, false};
	bool is_used;

	strings_add(&tags, tag);
	store_each_watch(store, selection_add, &tagged);
	is_used = found.count > 0;
	strings_release(&tags);
	strings_release(&found);
	return is_used;
}

void
complain_unused_tags(struct store *store, const struct strings *tags)
{
	for (size_t i = 0; i < tags->count; i++)
		if (!tag_is_used(store, slice_of(tags->items[i])))
			complain_tag(slice_of(tags->items[i]));
}

/* A tag that no site has is most often misspelt, so it is named; the other tags
 * count. */
static int
add_tagged(const struct options *options, struct store *store,
    bool wants_targets, struct strings *found)
{
	struct tagged tagged = {&options->watch.tags, found, wants_targets};
	size_t before = found->count;

	complain_unused_tags(store, &options->watch.tags);
	store_each_watch(store, selection_add, &tagged);
	return found->count > before ? EXIT_DONE : EXIT_NO_TARGET;
}

int
sites_tagged(
    const struct options *options, bool wants_targets, struct strings *found)
{
	struct store *store = NULL;
	int status = selection_open(options, &store);

	if (status != EXIT_DONE)
		return status;
	return selection_close(
	    store, add_tagged(options, store, wants_targets, found));
}

int
choose_selection(const struct options *options, struct store *store,
    struct selection *selection)
{
	bool has_tag = options->watch.tags.count > 0;
	int status = EXIT_DONE;

	*selection = (struct selection){0};
	if (has_tag && options->targets.args.count > 0)
		return complain_with(
		    EXIT_USAGE, "give a SITE or --tag, one of them");
	if (has_tag)
		status = add_tagged(options, store, false, &selection->sites);
	else if (options->targets.args.count > 0)
		status = selection_init(
		    selection, store, options->targets.args.items[0]);
	selection->options = options;
	return status;
}

/* Whole sites, and a span of time. */

bool
choose_span(const struct options *options, int64_t back_s, int64_t *since_s,
    int64_t *until_s)
{
	int64_t now_s = options->now_s;

	/* so that the present second belongs to the span */
	*until_s = now_s + 1;
	/* their forms were judged when they were read */
	if (options->diff.until != NULL)
		(void)value_moment(options->diff.until, now_s, until_s);
	*since_s = (*until_s < now_s ? *until_s : now_s) - back_s;
	if (options->diff.since != NULL)
		(void)value_moment(options->diff.since, now_s, since_s);
	if (*since_s < 1)
		*since_s = 1;
	if (*since_s < *until_s)
		return true;
	return refuse("'--since' must be before %s",
	    options->diff.until != NULL ? "'--until'" : "now");
}

int
choose_hosts(
    const struct options *options, struct store *store, struct strings *hosts)
{
	const struct strings *args = &options->targets.args;
	bool has_tag = options->watch.tags.count > 0;
	int status = EXIT_DONE;

	if (args->count > 0 && has_tag)
		return complain_with(
		    EXIT_USAGE, "give a SITE or --tag, one of them");
	for (size_t i = 0; status == EXIT_DONE && i < args->count; i++) {
		struct selection selection = {0};

		status = selection_init(&selection, store, args->items[i]);
		if (selection.folder != NULL || selection.document != NULL)
			status = complain_with(EXIT_USAGE,
			    "'%s': '%s' is of whole sites; see 'freshet help "
			    "%s'",
			    args->items[i], options->command, options->command);
		if (status == EXIT_DONE)
			strings_add(hosts, slice_of(selection.site));
		selection_release(&selection);
	}
	/* without SITE and --tag, all sites */
	if (has_tag)
		status = add_tagged(options, store, false, hosts);
	else if (args->count == 0)
		store_each_site(store, 0, selection_add_host, hosts);
	/* Sort the hosts, and keep each once. */
	size_t count = 0;

	strings_sort(hosts);
	for (size_t i = 0; i < hosts->count; i++)
		if (count > 0 &&
		    strcmp(hosts->items[i], hosts->items[count - 1]) == 0)
			free(hosts->items[i]);
		else
			hosts->items[count++] = hosts->items[i];
	hosts->count = count;

	return status;
}
