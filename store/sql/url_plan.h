/* How the tables url and index_url are searched. */
#ifndef FRESHET_URL_PLAN_H
#define FRESHET_URL_PLAN_H

#include <stdbool.h>

#include "base/buf.h"

struct sqlite3_index_info;

/* What can be pushed down: bits of a plan, arguments in this order. */
enum url_term {
	BY_ID,
	BY_DOCUMENT,
	BY_SITE,
	BY_LOC,
	FROM_LOC,
	TO_LOC,
	GLOB,
	LIKE
};

#define URL_PLAN_HAS(plan, term) (((plan) >> (term)&1) != 0)

/* url_plan(info): xBestIndex; false when there is no memory. */
bool url_plan(struct sqlite3_index_info *);

/*
 * url_documents_sql(out, plan, of_indexes): the query for the documents to
 * read, in the order that the plan promised: the columns below.  Parameters
 * are the arguments up to BY_SITE, from 1 on, and, when url_is_fenced(plan),
 * the bounds of the range of URLs.
 */
void url_documents_sql(struct buf *out, int plan, bool of_indexes);
bool url_is_fenced(int plan);

enum { DOCUMENT_ID, DOCUMENT_URL, DOCUMENT_SITE, DOCUMENT_BLOCKS };

#define URL_HIGH_PARAMETER 10
#define URL_LOW_PARAMETER 11

#endif
