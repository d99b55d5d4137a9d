/* Which sites, documents and URLs of the store a command means, and walks over
 * them. */
#ifndef FRESHET_SELECTION_H
#define FRESHET_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/strings.h"
#include "crawler/cli/options.h"
#include "store/query.h"
#include "store/store.h"

struct move;
struct selection;
struct store;
struct watch;

/* selection_open(options, *store): open the store for reading; of one in
 * PostgreSQL a copy of this moment, with the shard of the sites that were typed
 * or all shards.  Returns EXIT_DONE, or another exit status after one line on
 * stderr. */
int selection_open(const struct options *, struct store **);

/* selection_close(store, status): close the store (NULL: none is open). Returns
 * status. If a part of the store could not be read, returns what that means
 * instead, after one line on stderr: damaged data must not look like no
 * data. */
int selection_close(struct store *, int status);

/* Which documents and entries a SITE or TARGET means; all of them if zeroed. */
struct selection {
	char *site; /* owned: host; NULL: all sites */
	/* owned: hosts, instead of site; empty: see site */
	struct strings sites;
	/* owned: URL of the only document; NULL: all of the site */
	char *document;
	char *folder; /* owned: prefix of entries; NULL: all entries */
	/* folder begins with "://": http and https are meant */
	bool any_scheme;
	bool has_since; /* changes since since_s are meant, of all readings */
	int64_t since_s;
	/* without has_since: changes since then, for watched sites */
	int64_t day_s;
	/* say which pages of a site moved; borrowed; NULL: nobody says it */
	const struct options *options;
	bool has_as_of; /* entries that were listed at as_of_s are meant */
	int64_t as_of_s;
};

/* selection_init(selection, store, text): the text is a host, or the URL of a
 * site, of a document, or of a folder (which ends in a slash); without a
 * scheme, https or http. Returns EXIT_DONE; or after one line on stderr
 * EXIT_USAGE if the text is none of these, or EXIT_NO_TARGET if the store knows
 * nothing of it. Call selection_release() in any case. */
int selection_init(struct selection *, struct store *, const char *text);
void selection_release(struct selection *);

/* selection_documents(selection, store, fn, arg): call fn for each selected
 * document, in the order of URLs, with robots.txt and indexes. */
void selection_documents(
    const struct selection *, struct store *, store_row_fn *, void *arg);

/* selection_is_robots(row): whether the row is a robots.txt, read or not. */
bool selection_is_robots(const struct document_row *);

/* selection_is_notable(row): whether lists of documents show the row: all but a
 * robots.txt that was read. One that cannot be read is shown, because it is the
 * reason why its site has nothing else. */
bool selection_is_notable(const struct document_row *);

enum walk_what {
	WALK_REMOVED = 1, /* URLs that the last complete reading lacks */
	WALK_INDEXES = 2, /* entries of indexes, too */
	WALK_REFUSED = 4, /* entries that a location rule refuses, too */
	WALK_ONLY_REFUSED = 8, /* with WALK_REFUSED: no others */
	WALK_BY_DOCUMENT = 16 /* a URL as often as documents list it */
};

typedef bool walk_entry_fn(
    void *arg, const struct document_row *, const struct entry *);
/* walk_change_fn: one change. `move`: where the page came from; the change is
 * then no other one. NULL: the change is not part of a move. Return false to
 * stop. */
typedef bool walk_change_fn(void *arg, const struct document_row *,
    const struct change *, const struct move *);

/*
 * selection_entries(selection, store, what, fn, arg): call fn for every URL
 * that is wanted, once, site by site in byte order; a URL counts as refused if
 * no document that lists it may. The row has only the site, and the URL of the
 * document that lists it. With WALK_BY_DOCUMENT, WALK_INDEXES or a
 * selected document: what each document lists, in the order of URLs. With
 * has_as_of: what each document listed then, of a site each URL once unless
 * WALK_BY_DOCUMENT, what was refused after all else; verdicts may be VERDICTS
 * (store/changes.h).
 *
 * selection_changes(selection, store, what, fn, arg): call fn for what the
 * latest crawl of each site changed (of a watched site: all readings of the
 * last day); or what all readings since since_s changed; document by document,
 * oldest reading first. With WALK_BY_DOCUMENT, WALK_INDEXES or a selected
 * document: all changes there; else the changes of the site as a whole, and
 * moves.
 *
 * Both stop if fn returns false. They return EXIT_DONE; or after one line on
 * stderr EXIT_DAMAGED if a block cannot be decoded, EXIT_NO_TARGET if the
 * selected folder is empty, or EXIT_FINDINGS if readings were removed that
 * would tell what a document listed.
 */
int selection_entries(const struct selection *, struct store *, unsigned what,
    walk_entry_fn *, void *arg);
int selection_changes(const struct selection *, struct store *, unsigned what,
    walk_change_fn *, void *arg);

/* selection_add_host(strings, site_id, host): a callback of store_each_site()
 * that adds the host to struct strings. */
void selection_add_host(void *strings, int64_t site_id, struct slice host);

/* Which watched sites a command means. */

/* sites_of(args, hosts): append the host of each argument, which is a host or a
 * URL. Returns false after one line on stderr if one is neither. */
bool sites_of(const struct strings *args, struct strings *hosts);

/* watch_is_tagged(watch, tags): whether the site has one of the tags, or there
 * are no tags. */
bool watch_is_tagged(const struct watch *, const struct strings *tags);

/* tag_is_used(store, tag): whether a watched site has the tag.
 * complain_unused_tags(store, tags): say on stderr which tags no watched site
 * has. */
bool tag_is_used(struct store *, struct slice tag);
void complain_unused_tags(struct store *, const struct strings *tags);

/* sites_tagged(options, wants_targets, found): append the hosts, or the
 * targets, of watched sites that have a tag of --tag; a tag that no site has is
 * named on stderr. Returns EXIT_DONE; or after a line on stderr EXIT_NO_TARGET
 * if no site has one of the tags, or what selection_open() returns. */
int sites_tagged(
    const struct options *, bool wants_targets, struct strings *found);

/* choose_selection(options, store, selection): select by the SITE that was
 * typed, or by --tag, or all. Call selection_release() in any case. Returns
 * EXIT_DONE; or after one line on stderr EXIT_USAGE if both were typed,
 * EXIT_NO_TARGET if no site has the tag, or what selection_init() returns. */
int choose_selection(
    const struct options *, struct store *, struct selection *);

/*
 * choose_hosts(options, store, hosts): append the hosts of the SITEs that were
 * typed, or of --tag, or all; sorted, each once.  Returns EXIT_DONE, or what
 * choose_selection() returns after one line on stderr; EXIT_USAGE also if a
 * folder or a document was typed.
 *
 * choose_span(options, back_s, since_s, until_s): the span of --since and
 * --until; by default from back_s seconds before its end to now, this second
 * included.
 * Returns false after one line on stderr if the span would be empty.
 */
int choose_hosts(const struct options *, struct store *, struct strings *hosts);
bool choose_span(
    const struct options *, int64_t back_s, int64_t *since_s, int64_t *until_s);

/* complain_tag(tag): say on stderr that no site has the tag. */
void complain_tag(struct slice tag);

#endif
