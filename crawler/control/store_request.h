/* One request to the owner of the store, for a command that waits for the
 * answer. */
#ifndef FRESHET_STORE_REQUEST_H
#define FRESHET_STORE_REQUEST_H

#include <stdint.h>

#include "base/slice.h"

struct ndjson;

/*
 * store_request_send(store_path, line, patience_ms, fn, arg):
 * Send a line, and call fn for each object of the answer before its end, with
 * the line that it stands in; each may take patience_ms.  What the owner says
 * for people goes to stderr.
 *
 * Returns the exit status that the owner sent; EXIT_LOCKED if there is no
 * owner, or if it went away or did not answer.
 */
typedef void store_request_fn(
    void *arg, const struct ndjson *, struct slice line);
int store_request_send(const char *store_path, struct slice line,
    int64_t patience_ms, store_request_fn *, void *arg);

#endif
