/*
 * The shards of a store, for a command that writes.  A site lives in the shard
 * of its host (its home).  What a command wants of a shard it asks the process
 * of this machine that holds the shard, through the socket beside its cache; if
 * none does, the request becomes mail, a row in PostgreSQL that the owner of
 * the shard reads within seconds.
 *
 * A store in a file, and one in PostgreSQL with one shard, have the shard 0.
 */
#ifndef FRESHET_SHARDS_H
#define FRESHET_SHARDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "crawler/cli/options.h"

struct members;

struct shards {
	unsigned count;
	struct members *members; /* owned; NULL: a store in a file */
	bool has_told; /* it was said where a shard lives */
};

/* shards_open(shards, options): EXIT_DONE, or another exit status after one
 * line on stderr.  If there is one shard, the command works on it
 * (options_take_shard).  shards_close() in any case. */
int shards_open(struct shards *, struct options *);
void shards_close(struct shards *);

/* shards_home(shards, text): the home of a host, or of the host of a URL.
 * shards_of_token(shards, token, url): the shard whose lease has that token; a
 * token from the time when there was one shard names none, and then the URL
 * decides. */
unsigned shards_home(const struct shards *, struct slice text);
unsigned shards_of_token(
    const struct shards *, struct slice token, struct slice url);

/* shards_post(shards, shard, lines, why): a request and its lines become mail,
 * and the first time a line on stderr says where the shard lives.  False: why
 * has a line. */
bool shards_post(
    struct shards *, unsigned shard, struct slice lines, struct buf *why);

#endif
