/* Inside: the virtual tables change and index_change. */
#ifndef FRESHET_VTAB_CHANGE_H
#define FRESHET_VTAB_CHANGE_H

struct sqlite3_module;

extern const struct sqlite3_module vtab_change;

#endif
