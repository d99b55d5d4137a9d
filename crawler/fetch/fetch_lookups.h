/*
 * Which requests may have their names looked up now, and which addresses
 * libcurl keeps.
 *
 * libcurl starts a thread for each look-up (HOSTILE T5, F5), so there is a
 * ceiling.  By default libcurl searches all names for old ones after each
 * request, which takes long.  So fetch.c tells libcurl to keep them for
 * ever, and a table here says which names libcurl has to forget.
 */
#ifndef FRESHET_FETCH_LOOKUPS_H
#define FRESHET_FETCH_LOOKUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host.h"
#include "base/url.h"

#define KNOWN_S 300 /* until an address is looked up again */
#define KNOWN_MAX 2048 /* names kept at once */
#define KNOWN_TEXT (HOST_NAME_BYTES + sizeof(":65535"))

#define LOOKUPS_MAX 16 /* at once */
#define LOOKUPS_MAX_OWNER 4 /* of these, for names of one registrant */
#define LOOKUPS_MAX_WAITING 64 /* requests of one owner that wait */
#define LOOKUPS_MAX_AHEAD 64 /* of all owners, see lookups_has_room */
#define LOOKUPS_LOST_S 600 /* until a name without address is tried again */

/* Names and owners are found by hash alone. If two of them share a slot, they
 * wait more often, or are looked up once more; nothing else happens. */
#define LOOKUPS_KNOWN_SLOTS (4 * KNOWN_MAX)
#define LOOKUPS_LOST_SLOTS 16384
#define LOOKUPS_OWNER_SLOTS 4096
#define LOOKUPS_KEPT (KNOWN_MAX + 1)

struct name_slot {
	uint64_t key;
	int64_t until_ms;
};

struct kept_name {
	char *name; /* owned */
	uint64_t key;
	int64_t until_ms;
};

/* Slots answer whether an address is known, or known to be absent; the ring has
 * the names in the order in which libcurl got them, to forget the oldest. */
struct lookups {
	/* The caller sets it; the rest is zeroed.  It is secret, so that nobody
	 * can choose names that share a slot. */
	uint64_t hash_key;
	struct name_slot known[LOOKUPS_KNOWN_SLOTS]; /* by host and port */
	struct kept_name kept[LOOKUPS_KEPT]; /* the ring, from `first` on */
	unsigned first, count;
	struct name_slot lost[LOOKUPS_LOST_SLOTS]; /* by host */
	uint16_t waiting[LOOKUPS_OWNER_SLOTS];
	unsigned all_waiting;
	uint64_t owners[LOOKUPS_MAX]; /* of the look-ups under way */
	unsigned resolving; /* look-ups under way */
	/* At most this many given up threads still run. The end of such a
	 * thread is not reported, so the caller has to ask for a place again.
	 */
	unsigned left_behind;
	int64_t behind_until_ms; /* by then the resolver has given up, too */
};

void lookups_free(struct lookups *);

/* What is known of the address of a host. */
enum lookup_state {
	LOOKUP_NEEDED,
	LOOKUP_KNOWN, /* it is an address, or libcurl has one of its name */
	LOOKUP_OLD, /* that is too old */
	LOOKUP_LOST /* there was none within the last LOOKUPS_LOST_S */
};

/* lookups_state(lookups, url, now_ms): what is known of url's host?
 * lookups_found(lookups, url, now_ms): libcurl found the address of url's
 * host. */
enum lookup_state lookups_state(
    const struct lookups *, const struct url *, int64_t now_ms);
void lookups_found(struct lookups *, const struct url *, int64_t now_ms);

/* lookups_name(url, text): write "host:port", libcurl's key.
 * lookups_forget(lookups, text): if more than KNOWN_MAX names are kept, take
 * the oldest out and write its key, which libcurl must forget now.  False:
 * libcurl need not forget any. */
void lookups_name(const struct url *, char text[KNOWN_TEXT]);
bool lookups_forget(struct lookups *, char text[KNOWN_TEXT]);

/* lookups_owner(lookups, url): a key for the owner of url's host: the same for
 * all hosts below one registrable name. */
uint64_t lookups_owner(const struct lookups *, const struct url *);

/* lookups_wait(lookups, owner): one more request of the owner waits; false when
 * too many wait already. */
bool lookups_wait(struct lookups *, uint64_t owner);

/* lookups_has_room(lookups, owner, most): should a caller with many more
 * requests let one more request of this owner wait now? True while at most
 * `most` look-ups wait or are under way, and so few of them are of this owner
 * that requests of others find room. */
bool lookups_has_room(const struct lookups *, uint64_t owner, unsigned most);

/*
 * lookups_has_place(lookups, now_ms): may one more look-up begin at all?
 * lookups_take(lookups, owner): begin the look-up of a request that waited;
 * false when the owner has its share.
 * lookups_leave(lookups, owner): the look-up is over.
 */
bool lookups_has_place(struct lookups *, int64_t now_ms);
bool lookups_take(struct lookups *, uint64_t owner);
void lookups_leave(struct lookups *, uint64_t owner);

/* lookups_lost(lookups, url, now_ms, gave_up): url's host has no address;
 * gave_up: the look-up took too long, and its thread still runs. */
void lookups_lost(
    struct lookups *, const struct url *, int64_t now_ms, bool gave_up);

#endif
