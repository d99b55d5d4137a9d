/* Inside: the virtual tables url and index_url. */
#ifndef FRESHET_VTAB_URL_H
#define FRESHET_VTAB_URL_H

struct sqlite3_module;

extern const struct sqlite3_module vtab_url;

#endif
