/*
 * A connection to PostgreSQL that waits for each answer, for whoever holds no
 * shard: keepers and commands.
 *
 * A connection that is broken is made anew by the next call.  Functions with
 * `why` return false if that fails, too, and append a line for people.
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

/* members_shards(members), members_lease_ms(members): of the store, as they
 * were when the connection was made.  members_home(members, host): the shard of
 * a normalised host. */
unsigned members_shards(const struct members *);
int64_t members_lease_ms(const struct members *);
unsigned members_home(const struct members *, struct slice host);

/* members_put_place(members, shard, out): append which machine holds the shard;
 * false: none does, or PostgreSQL is away. */
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
	bool leaves; /* it gives its shards away, and has no part of them */
	/* it takes shards of others as soon as their time has passed, and does
	 * not wait until it has reached PostgreSQL all through a lease: after
	 * an outage the owners of before shall come back first */
	bool is_hasty;
};

/* What a machine may do about a shard now. */
struct member_turn {
	unsigned shard;
	unsigned part; /* how many shards the machine should have */
	bool may_start;
	bool is_newer; /* its schema is one that this freshet does not know */
};

/* members_pulse(members, machine, fn, arg, why): write that this machine runs,
 * for the next lease, and call fn for each shard, its own first. */
typedef void members_turn_fn(void *arg, const struct member_turn *);
bool members_pulse(struct members *, const struct machine *, members_turn_fn *,
    void *arg, struct buf *why);

/* members_show(members, is_json, lines, why): a line for each shard and each
 * machine, for people or programs. */
bool members_show(
    struct members *, bool is_json, struct buf *lines, struct buf *why);

/* members_set_aside(members, shard, owner, why): let nobody take the shard for
 * ten minutes: its owner is called 'set aside'.  Nothing happens if it is not
 * this owner's. */
bool members_set_aside(
    struct members *, unsigned shard, const char *owner, struct buf *why);

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
