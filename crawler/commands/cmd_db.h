/* Inside `freshet db`: its actions; each returns the exit status. */
#ifndef FRESHET_CMD_DB_H
#define FRESHET_CMD_DB_H

#include "crawler/cli/options.h"

struct store;

int db_info(struct options *);
int db_fsck(struct options *);
int db_backup(struct options *);
int db_migrate(struct options *);
int db_prune(struct options *);
int db_vacuum(struct options *);

/* db_vacuum_beside(path): where SQLite makes the new file of a store. */
void db_vacuum_beside(const char *path);

/* db_open(options, *store): open the store, which must be there, for writing.
 * Returns EXIT_DONE, or the exit status after one line on stderr. */
int db_open(const struct options *, struct store **);

#endif
