/* The shards of a store, for a command that writes. */
#include "crawler/control/shards.h"

#include <string.h>

#include "base/target.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "store/depot/members.h"

int
shards_open(struct shards *shards, struct options *options)
{
	const struct options_store *store = &options->store;
	enum diag_code code = DIAG_OK;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	*shards = (struct shards){.count = 1};
	if (store->url == NULL || store->has_shard)
		return EXIT_DONE;
	code = members_open(store->url, &shards->members, &why);
	if (code != DIAG_OK)
		complain("%s: %s", diag_name(code), buf_str(&why));
	else
		shards->count = members_shards(shards->members);
	if (code == DIAG_OK && shards->count == 1)
		options_take_shard(options, 0);
	buf_release(&why);
	return exit_of_store(code);
}

void
shards_close(struct shards *shards)
{
	members_free(shards->members);
	*shards = (struct shards){0};
}

unsigned
shards_home(const struct shards *shards, struct slice text)
{
	unsigned shard = 0;
	struct target target;

	if (shards->count < 2)
		return 0;
	if (target_parse(&target, text) == DIAG_OK)
		shard = members_home(shards->members, url_host(&target.url));
	url_release(&target.url);
	return shard < shards->count ? shard : 0;
}

unsigned
shards_of_token(
    const struct shards *shards, struct slice token, struct slice url)
{
	unsigned shard = 0;
	struct slice part;

	if (shards->count < 2 || token.len == 0 ||
	    memchr(token.p, ':', token.len) == NULL)
		return url.len > 0 ? shards_home(shards, url) : 0;
	(void)slice_cut(&token, ':', &part);
	for (size_t i = 0; i < part.len && shard < shards->count; i++)
		shard = shard << 4 | (unsigned)(slice_hex(part.p[i]) & 15);
	/* whoever gets a token that is none of its refuses it */
	return shard < shards->count ? shard : 0;
}

bool
shards_post(
    struct shards *shards, unsigned shard, struct slice lines, struct buf *why)
{
	struct buf place = BUF_UP_TO(SIZE_MAX);

	if (!members_post(shards->members, shard, lines, why))
		return false;
	if (shards->has_told)
		return true;
	shards->has_told = true;
	if (members_put_place(shards->members, shard, &place))
		complain("what lives on machine %s is noted, and done there "
			 "within seconds",
		    buf_str(&place));
	else
		complain("what lives in a shard that nobody holds now is "
			 "noted, and done when a 'freshet run' takes it");
	buf_release(&place);
	return true;
}
