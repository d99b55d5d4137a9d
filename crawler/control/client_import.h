/* The lines of a client of the frontier's service that imports what another
 * crawler knows. */
#ifndef FRESHET_CLIENT_IMPORT_H
#define FRESHET_CLIENT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"
#include "crawler/event/loop.h"

struct client_import;
struct frontier;
struct store;

/* client_import_new(loop, store, frontier, is_json, line): line is the number
 * of the client's first line; all pointers are borrowed. */
struct client_import *client_import_new(struct loop *, struct store *,
    struct frontier *, bool is_json, uint64_t line);
void client_import_free(struct client_import *);

/* client_import_line(import, line): keep one more line; false when too much
 * waits already. */
bool client_import_line(struct client_import *, struct slice line);

/*
 * client_import_bite(import, out): import waiting lines for a few milliseconds,
 * and append the answers to out, which may be written after the next COMMIT.
 * Returns true when there is more to do.
 */
bool client_import_bite(struct client_import *, struct buf *out);

#endif
