/* Self-listed documents. */
#include "store/self_listed.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* The key need not be secret: a site that makes two sets with the same digest
 * only hides a change of its own. */
#define DIGEST_KEY 1

struct listed_document {
	char *url; /* owned */
	size_t len;
};

struct self_listed {
	unsigned users;
	bool is_sealed;
	struct listed_document *items; /* owned; sorted once sealed */
	size_t count, cap;
	/* Owned; count + 1 sums: sums[i] is that of the hashes of the first i
	 * items, modulo 2^64. */
	uint64_t *sums;
	size_t bytes; /* of all URLs */
};

struct self_listed *
self_listed_new(void)
{
	struct self_listed *listed = mem_zero(sizeof(*listed));

	listed->users = 1;
	return listed;
}

bool
self_listed_add(struct self_listed *listed, struct slice url)
{
	assert(!listed->is_sealed);
	if (listed->count == SELF_LISTED_MAX ||
	    url.len > SELF_LISTED_BYTES - listed->bytes)
		return false;
	listed->items = mem_grow(listed->items, &listed->cap, listed->count + 1,
	    sizeof(*listed->items));
	listed->items[listed->count++] = (struct listed_document){
	    slice_dup(url), url.len};
	listed->bytes += url.len;
	return true;
}

static struct slice
text(const struct self_listed *listed, size_t i)
{
	return slice_make(listed->items[i].url, listed->items[i].len);
}

static int
compare(const void *a, const void *b)
{
	const struct listed_document *x = a, *y = b;

	return slice_order(
	    slice_make(x->url, x->len), slice_make(y->url, y->len));
}

/* Fill the sums of hashes, and seal the set. */
static void
sum(struct self_listed *listed)
{
	listed->sums = mem_zero((listed->count + 1) * sizeof(*listed->sums));
	for (size_t i = 0; i < listed->count; i++)
		listed->sums[i + 1] = listed->sums[i] +
		    hash_key(text(listed, i), DIGEST_KEY);
	listed->is_sealed = true;
}

void
self_listed_seal(struct self_listed *listed)
{
	if (listed->count > 0)
		qsort(listed->items, listed->count, sizeof(*listed->items),
		    compare);
	sum(listed);
}

struct self_listed *
self_listed_share(struct self_listed *listed)
{
	if (listed != NULL)
		listed->users++;
	return listed;
}

void
self_listed_release(struct self_listed *listed)
{
	if (listed == NULL || --listed->users > 0)
		return;
	for (size_t i = 0; i < listed->count; i++)
		free(listed->items[i].url);
	free(listed->items);
	free(listed->sums);
	free(listed);
}

/* The index of the first item that is not less than `what`. */
static size_t
find(const struct self_listed *listed, struct slice what)
{
	size_t low = 0, high = listed->count;

	assert(listed->is_sealed);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (slice_order(text(listed, mid), what) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool
self_listed_has(const struct self_listed *listed, struct slice url)
{
	size_t at;

	if (listed == NULL)
		return false;
	at = find(listed, url);
	return at < listed->count && slice_equal(text(listed, at), url);
}

uint64_t
self_listed_digest(const struct self_listed *listed, struct slice directory)
{
	size_t from, low, high;

	if (listed == NULL)
		return 0;
	/* Items that begin with the directory stand side by side. */
	low = from = find(listed, directory);
	high = listed->count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (slice_starts(text(listed, mid), directory))
			low = mid + 1;
		else
			high = mid;
	}
	return listed->sums[from] + listed->sums[listed->count] -
	    listed->sums[low];
}

void
self_listed_put(struct buf *out, const struct self_listed *listed)
{
	size_t count = listed == NULL ? 0 : listed->count;

	wire_put_varint(out, count);
	for (size_t i = 0; i < count; i++)
		wire_put_slice(out, text(listed, i));
}

/* The items arrive sorted. qsort() could not be used here: it asks the kernel
 * for the size of the memory, which the sandbox of a reader process forbids. */
bool
self_listed_get(struct wire *wire, struct self_listed **listed)
{
	uint64_t count = wire_get_varint(wire);
	struct slice before = {NULL, 0};

	*listed = count == 0 ? NULL : self_listed_new();
	for (uint64_t i = 0; i < count && wire->ok; i++) {
		struct slice url = wire_get_slice(wire);

		if (slice_order(before, url) > 0 ||
		    !self_listed_add(*listed, url))
			wire->ok = false;
		before = url;
	}
	if (*listed != NULL)
		sum(*listed);
	return wire->ok;
}
