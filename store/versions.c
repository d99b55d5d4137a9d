/* The foreign libraries of the store. */
#include "store/versions.h"

#include <sqlite3.h>
#include <stdio.h>
#include <zstd.h>

void
store_libraries(struct library libraries[STORE_LIBRARIES])
{
	struct library *sqlite = &libraries[0];
	struct library *zstd = &libraries[1];

	*sqlite = (struct library){.name = "SQLite"};
	*zstd = (struct library){.name = "zstd"};
	(void)snprintf(
	    sqlite->built, sizeof(sqlite->built), "%s", SQLITE_VERSION);
	(void)snprintf(sqlite->running, sizeof(sqlite->running), "%s",
	    sqlite3_libversion());
	(void)snprintf(
	    zstd->built, sizeof(zstd->built), "%s", ZSTD_VERSION_STRING);
	(void)snprintf(
	    zstd->running, sizeof(zstd->running), "%s", ZSTD_versionString());
}
