/* Parts that all fake fetchers share: names need no look-up, and there is
 * room for some requests at once. */
#include "crawler/fetch/fetch.h"

uint64_t
fetch_owner(const struct fetcher *fetcher, const struct url *url)
{
	(void)fetcher, (void)url;
	return 0;
}

bool
fetch_may_look_up(const struct fetcher *fetcher, uint64_t owner)
{
	(void)fetcher, (void)owner;
	return true;
}

unsigned
fetch_capacity(const struct fetcher *fetcher)
{
	(void)fetcher;
	return 8;
}
