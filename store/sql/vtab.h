/* The public tables (public.h) on a connection to a store. */
#ifndef FRESHET_VTAB_H
#define FRESHET_VTAB_H

struct sqlite3;

/*
 * vtab_register(db):
 * Make the functions, virtual tables and temporary views, for the life of the
 * connection.  Its main database must be a store of this version; nothing is
 * written to it.  Returns SQLite's code.
 */
int vtab_register(struct sqlite3 *);

#endif
