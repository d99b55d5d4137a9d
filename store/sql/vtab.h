/* The public tables (public.h) on a connection to a store. */
#ifndef FRESHET_VTAB_H
#define FRESHET_VTAB_H

#include <stdint.h>

#include "base/buf.h"

struct sqlite3;
struct sqlite3_module;
struct sqlite3_vtab;
struct vtab_shared;
struct public_table;

/*
 * vtab_register(db): the functions, virtual tables and temporary views, for
 * the life of the connection.  main must be a store of this version; nothing
 * is written to it.  Returns SQLite's code.
 */
int vtab_register(struct sqlite3 *);

/* Inside: what a virtual table is made of. */
struct vtab_base {
	struct vtab_shared *shared; /* borrowed from the connection */
	const struct public_table *table;
};

/* The virtual tables' functions, one set for two tables each. */
extern const struct sqlite3_module vtab_url;
extern const struct sqlite3_module vtab_change;

/*
 * vtab_connect_with(db, base, size, *table): declare its columns and make the
 * sqlite3_vtab of that size, zeroed.  vtab_fail(table, code, document): say
 * why a block cannot be read; answers the code.
 */
int vtab_connect_with(struct sqlite3 *, const struct vtab_base *, size_t size,
    struct sqlite3_vtab **);
int vtab_fail(struct sqlite3_vtab *, int code, const char *document);

#endif
