/* What the commands that look into the store have in common. */
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

/*
 * selection_open(options, *store): open the store to read from it.  Returns
 * EXIT_DONE, or the exit status after one line on stderr.
 */
int selection_open(const struct options *, struct store **);

/*
 * selection_close(store, status): close it (NULL: nothing is open).  Returns
 * status, or, when something of the store could not be read, what that means,
 * after one line on stderr: what is damaged must not look empty.
 */
int selection_close(struct store *, int status);

/* Which documents and entries a SITE or TARGET means; zeroed: all. */
struct selection {
	char *site; /* owned: host, NULL: all */
	struct strings sites; /* owned: hosts, of these alone; none: see site */
	char *document; /* owned: URL of the only one, NULL: all of the site */
	char *section; /* owned: what its entries begin with, NULL: anything */
	bool any_scheme; /* section lacks its scheme: it begins with "://" */
	bool has_since; /* changes are those of all readings since then */
	int64_t since_s;
	int64_t day_s; /* else of watched sites those since then */
};

/*
 * selection_init(selection, store, text): a host, the URL of a site, of a
 * document, or of a section (ends in a slash); without a scheme, https or http.
 * Returns EXIT_DONE, EXIT_USAGE
 * when it is none of these, or EXIT_NO_TARGET when the store knows nothing
 * of it; after one line on stderr.  selection_release in any case.
 */
int selection_init(struct selection *, struct store *, const char *text);
void selection_release(struct selection *);

/* selection_has_host(selection, url): is the host of that normalised URL the
 * name of one of its sites? */
bool selection_has_host(const struct selection *, struct slice url);

/* selection_documents(selection, store, fn, arg): its documents in the order
 * of their URLs, robots.txt and indexes too. */
void selection_documents(
    const struct selection *, struct store *, store_row_fn *, void *arg);

/* selection_is_robots(row): a robots.txt, read or never read. */
bool selection_is_robots(const struct document_row *);

/* selection_is_notable(row): what lists of documents show: all but a robots.txt
 * that came; one that cannot be had is why a site has nothing else. */
bool selection_is_notable(const struct document_row *);

enum walk_what {
	WALK_REMOVED = 1, /* entries that the last complete reading lacked */
	WALK_INDEXES = 2, /* entries of indexes, though no index was named */
	WALK_REFUSED = 4, /* entries that are refused, instead of the others */
	WALK_BY_DOCUMENT = 8 /* each as often as documents list it */
};

typedef bool walk_entry_fn(
    void *arg, const struct document_row *, const struct entry *);
/* move: the page came from there, and is no other change; NULL: it is one. */
typedef bool walk_change_fn(void *arg, const struct document_row *,
    const struct change *, const struct move *);

/*
 * selection_entries(selection, store, what, fn, arg): every URL that is not
 * refused, site by site, once, in the order of their bytes: of what document
 * lists it row has the URL alone.  By document, with indexes, or of a document,
 * what each document lists, in the order of their URLs. selection_changes:
 * what the latest crawl of each site changed, and of a watched one all readings
 * of the last day; or what all did since_s or later; document by document, of
 * each the oldest reading first.  By document, with indexes, or of a document,
 * whatever changed there; else what changed of the site, and what moved.
 * False from fn stops.  Return EXIT_DONE; after one line on stderr EXIT_DAMAGED
 * when a block cannot be decoded, or EXIT_NO_TARGET when nothing lies in the
 * section that was asked for.
 */
int selection_entries(const struct selection *, struct store *, unsigned what,
    walk_entry_fn *, void *arg);
int selection_changes(const struct selection *, struct store *, unsigned what,
    walk_change_fn *, void *arg);

/* Which sites of the watch list a command means. */

/* sites_of(args, hosts): append the host of each, a host or a URL; false after
 * one line on stderr: one of them is neither. */
bool sites_of(const struct string_list *args, struct strings *hosts);

/* watch_is_tagged(watch, tags): has it one of them, or are there none? */
bool watch_is_tagged(const struct watch *, const struct string_list *tags);

/*
 * sites_tagged(options, hosts): append those of watched sites with a --tag that
 * was given.  EXIT_DONE, or after one line on stderr EXIT_NO_TARGET: no site
 * has it; or what selection_open says.
 */
int sites_tagged(const struct options *, struct strings *hosts);

/*
 * choose_selection(options, store, selection): by the SITE that was given, or
 * --tag, or all; selection_release in any case.  EXIT_DONE, or after one line
 * on stderr EXIT_USAGE: both were given; EXIT_NO_TARGET: no site has the tag;
 * or what selection_init says.
 */
int choose_selection(
    const struct options *, struct store *, struct selection *);

/* complain_tag(tag): no site has it. */
void complain_tag(struct slice tag);

#endif
