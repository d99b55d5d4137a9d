/* The foreign libraries of the store. */
#ifndef FRESHET_VERSIONS_H
#define FRESHET_VERSIONS_H

#include "base/library.h"

#define STORE_LIBRARIES 2

/* store_libraries(libraries): SQLite and zstd. */
void store_libraries(struct library libraries[STORE_LIBRARIES]);

#endif
