/* How the tables url and index_url are searched. */
#include "store/sql/url_plan.h"

#include <sqlite3ext.h>

#include "store/sql/public.h"
#include "store/sql/vtab_plan.h"

SQLITE_EXTENSION_INIT3

#define HAS(plan, term) URL_PLAN_HAS(plan, term)

static const struct vtab_term terms[] = {
    [BY_ID] = {URL_DOCUMENT_ID, {SQLITE_INDEX_CONSTRAINT_EQ}, "document_id="},
    [BY_DOCUMENT] = {URL_DOCUMENT, {SQLITE_INDEX_CONSTRAINT_EQ}, "document="},
    [BY_SITE] = {URL_SITE, {SQLITE_INDEX_CONSTRAINT_EQ}, "site="},
    [BY_LOC] = {URL_LOC, {SQLITE_INDEX_CONSTRAINT_EQ}, "loc="},
    [FROM_LOC] = {URL_LOC,
	{SQLITE_INDEX_CONSTRAINT_GE, SQLITE_INDEX_CONSTRAINT_GT}, "loc>"},
    [TO_LOC] = {URL_LOC,
	{SQLITE_INDEX_CONSTRAINT_LE, SQLITE_INDEX_CONSTRAINT_LT}, "loc<"},
    [GLOB] = {URL_LOC, {SQLITE_INDEX_CONSTRAINT_GLOB}, "loc GLOB"},
    [LIKE] = {URL_LOC, {SQLITE_INDEX_CONSTRAINT_LIKE}, "loc LIKE"},
};

/*
 * Guesses, for there are no statistics: 10 M entries of 200 documents, where
 * a URL or prefix costs a look at each document.
 */
static void
set_cost(sqlite3_index_info *info, int plan)
{
	double documents = 200;
	double share = 1;

	if (HAS(plan, BY_ID) || HAS(plan, BY_DOCUMENT))
		documents = 1;
	else if (HAS(plan, BY_SITE))
		documents = 20;
	if (HAS(plan, BY_LOC))
		share = 0;
	else if (HAS(plan, GLOB) || HAS(plan, LIKE))
		share = 0.01;
	else if (HAS(plan, FROM_LOC) && HAS(plan, TO_LOC))
		share = 0.05;
	else if (HAS(plan, FROM_LOC) || HAS(plan, TO_LOC))
		share = 0.3;
	info->estimatedCost = documents * (100 + 50000 * share);
	info->estimatedRows = 1 + (sqlite3_int64)(documents * 50000 * share);
}

/* The order in which documents and their entries come. */
static bool
comes_ordered(const sqlite3_index_info *info, int plan)
{
	static const int one[] = {URL_LOC};
	static const int of_site[] = {URL_DOCUMENT, URL_LOC};
	static const int all[] = {URL_DOCUMENT_ID, URL_LOC};

	if (HAS(plan, BY_ID) || (HAS(plan, BY_DOCUMENT) && HAS(plan, BY_SITE)))
		return vtab_orders(info, one, 1);
	if (HAS(plan, BY_SITE))
		return vtab_orders(info, of_site, 2);
	return vtab_orders(info, all, 2);
}

bool
url_plan(sqlite3_index_info *info)
{
	int plan = vtab_plan(info, terms, sizeof(terms) / sizeof(terms[0]));

	if (plan < 0)
		return false;
	set_cost(info, plan);
	info->orderByConsumed = comes_ordered(info, plan);
	return true;
}

/* Of many documents only those that can hold something of
 * the range are looked at; a single one is as quickly searched itself. */
bool
url_is_fenced(int plan)
{
	return !HAS(plan, BY_ID) && !HAS(plan, BY_DOCUMENT) && plan >> BY_LOC;
}

/* CROSS JOIN keeps SQLite from another order. */
void
url_documents_sql(struct buf *out, int plan, bool of_indexes)
{
	bool by_site = HAS(plan, BY_SITE) || HAS(plan, BY_DOCUMENT);
	int argument = 0;

	(void)buf_print(out,
	    "SELECT d.id, d.url, s.host, d.blocks FROM main.%s CROSS JOIN "
	    "main.%s ON s.id = d.site_id WHERE d.blocks > 0"
	    " AND d.kind %s 'index'",
	    by_site ? "site s" : "document d",
	    by_site ? "document d" : "site s", of_indexes ? "=" : "<>");
	if (HAS(plan, BY_ID))
		(void)buf_print(out, " AND d.id = ?%d", ++argument);
	if (HAS(plan, BY_DOCUMENT))
		(void)buf_print(out, " AND d.url = ?%d", ++argument);
	if (HAS(plan, BY_SITE))
		(void)buf_print(out, " AND s.host = ?%d", ++argument);
	if (url_is_fenced(plan))
		(void)buf_print(out,
		    " AND d.id IN (SELECT id >> 16 FROM main.fence WHERE"
		    " first_url <= ?%d AND"
		    " (last_url IS NULL OR last_url >= ?%d)%s)",
		    URL_HIGH_PARAMETER, URL_LOW_PARAMETER,
		    HAS(plan, BY_LOC) ? " AND freshet_may_hold(sieve, ?11)"
				      : "");
	(void)buf_print(
	    out, " ORDER BY %s", HAS(plan, BY_SITE) ? "d.url" : "d.id");
}
