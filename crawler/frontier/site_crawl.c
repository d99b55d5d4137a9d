/* What the daemon remembers of a watched site. */
#include "crawler/frontier/site_crawl.h"

#include "base/wire.h"
#include "store/hold.h"
#include "store/watch.h"

#define RECORD_KIND "crawl"
#define RECORD_VERSION 2 /* 1: without lost_s */
#define RECORD_BYTES (1u << 20)

static void
site_crawl_put_targets(struct buf *out, const struct watch *watch)
{
	for (size_t i = 0; i < watch->targets.count; i++) {
		(void)buf_put_slice(out, slice_of(watch->targets.items[i]));
		(void)buf_put_char(out, '\n');
	}
}

void
site_crawl_put(struct store *store, const struct watch *watch,
    const struct site_crawl *crawl)
{
	struct buf record = BUF_UP_TO(RECORD_BYTES + 64);
	struct buf targets = BUF_UP_TO(RECORD_BYTES);

	site_crawl_put_targets(&targets, watch);
	wire_put_fixed(&record, 1, RECORD_VERSION);
	wire_put_fixed(&record, 1, crawl->tries);
	wire_put_fixed(&record, 8, (uint64_t)crawl->whole_s);
	wire_put_fixed(&record, 8, (uint64_t)crawl->lost_s);
	wire_put_slice(&record, buf_text(&targets));
	store_learned(store, RECORD_KIND, watch->site_id, buf_text(&record));
	buf_release(&record);
	buf_release(&targets);
}

bool
site_crawl_get(
    struct store *store, const struct watch *watch, struct site_crawl *crawl)
{
	struct buf record = BUF_UP_TO(SIZE_MAX);
	struct buf targets = BUF_UP_TO(RECORD_BYTES);
	struct wire wire;
	uint8_t version;
	bool is_known;

	site_crawl_put_targets(&targets, watch);
	(void)store_learned_get(store, RECORD_KIND, watch->site_id, &record);
	wire = (struct wire){buf_text(&record), true};
	version = (uint8_t)wire_get_fixed(&wire, 1);
	crawl->tries = (uint8_t)wire_get_fixed(&wire, 1);
	crawl->whole_s = (int64_t)wire_get_fixed(&wire, 8);
	crawl->lost_s = version == 1 ? 0 : (int64_t)wire_get_fixed(&wire, 8);
	is_known = (version == 1 || version == RECORD_VERSION) &&
	    slice_equal(wire_get_slice(&wire), buf_text(&targets)) && wire.ok &&
	    crawl->tries <= SITE_CRAWL_TRIES;
	buf_release(&record);
	buf_release(&targets);
	return is_known;
}
