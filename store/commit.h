/* Inside the store: what waits for a COMMIT. */
#ifndef FRESHET_COMMIT_H
#define FRESHET_COMMIT_H

#include <stdbool.h>
#include <stdint.h>

struct link_set;
struct store;

/* commit_drop(store): forget the readings and links that wait. */
void commit_drop(struct store *);

/* commit_has_room(store): is the free space above its floor (HOSTILE T29)? */
bool commit_has_room(const struct store *);

/* commit_room_bytes(store): that free space; UINT64_MAX: nobody knows. */
uint64_t commit_room_bytes(const struct store *);

/* commit_links(store, index_id): the links that wait for the index's reading;
 * a new, empty set when there is none. */
struct link_set *commit_links(struct store *, int64_t index_id);

#endif
