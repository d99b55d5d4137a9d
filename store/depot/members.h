/*
 * A connection to PostgreSQL that waits for each answer, for whoever holds no
 * shard: keepers, routers, and commands.
 *
 * A connection that is broken is made anew by the next call.  Functions that
 * return bool return false if that fails, too, with a line for people in `why`.
 * An answer that does not come counts as such a failure after a few seconds.
 */
#ifndef FRESHET_MEMBERS_H
#define FRESHET_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"

struct members;

/* members_open(url, members, why): DIAG_OK or STORE_UNUSABLE.
 * members_free(members): NULL is ignored. */
enum diag_code members_open(
    const char *url, struct members **, struct buf *why);
void members_free(struct members *);

/*
 * members_shards(members), members_lease_ms(members): of the store, as they
 * were at the last pulse.
 * members_home(members, host): the shard of a normalised host.
 */
unsigned members_shards(const struct members *);
int64_t members_lease_ms(const struct members *);
unsigned members_home(const struct members *, struct slice host);

/* members_put_place(members, shard, out): append where the machine is that
 * holds the shard; false: nobody does. */
bool members_put_place(struct members *, unsigned shard, struct buf *out);

/* members_post(members, shard, lines, why): the request and its lines become
 * mail for the owner of the shard, who is woken.  After true they are durable,
 * and will be done. */
bool members_post(
    struct members *, unsigned shard, struct slice lines, struct buf *why);

/* A machine that runs.  Everything in it is borrowed. */
struct machine {
	const char *name; /* as owner of shards */
	const char *place; /* the name of its host, and a process */
	const char *program; /* its version */
	unsigned capacity;
	bool leaves; /* it gives its shards away */
	int64_t left_ms; /* of its lease; below 0: it does not run any more */
};

/* members_pulse(members, machine, why): write that this machine runs, for the
 * next lease.  left_ms is not used. */
bool members_pulse(struct members *, const struct machine *, struct buf *why);

/* Everything in it is borrowed. */
struct member_shard {
	unsigned shard;
	const char *owner; /* name of a machine; empty: it is free */
	const char *place; /* of its owner, or the name */
	uint64_t term, version;
	int64_t left_ms; /* of its lease; below 0: anybody may take it */
	bool is_open;
	int64_t sites, pages; /* as its owner told last */
	int64_t mail; /* so many requests wait */
};

/* members_each(members, shard, machine, arg, why): call `shard` for each shard,
 * by number, and `machine` for each machine, by name.  The time of a machine
 * may have passed; machines that are gone for a day are removed. */
typedef void members_shard_fn(void *arg, const struct member_shard *);
typedef void members_machine_fn(void *arg, const struct machine *);
bool members_each(struct members *, members_shard_fn *, members_machine_fn *,
    void *arg, struct buf *why);

/* members_set_aside(members, shard, owner, ms, why): let nobody take the shard
 * for this long: its owner is called 'set aside'.  Nothing happens if it is
 * not this owner's. */
bool members_set_aside(struct members *, unsigned shard, const char *owner,
    int64_t ms, struct buf *why);

/*
 * members_name(machine, name): the name of this machine as an owner (machine:
 * options.store.machine), which is random, since two containers may have the
 * same name and the same folders.  It is kept in a file, which is made if it is
 * not there.  Returns a descriptor of the file, which the caller closes; -1: it
 * cannot be written.
 */
#define MEMBER_NAME_BYTES 128
int members_name(const char *machine, char name[MEMBER_NAME_BYTES]);

#endif
