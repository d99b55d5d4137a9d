/* The parts of a normalised URL. */
#include "crawler/frontier/url_parts.h"

struct url_parts
url_parts(struct slice url)
{
	size_t at = 0, end, stop;

	while (at < url.len && url.p[at] != '/')
		at++;
	at = at + 2 < url.len ? at + 2 : url.len;
	for (end = at; end < url.len && url.p[end] != '/';)
		end++;
	stop = at;
	/* an IPv6 address has colons inside its brackets */
	if (stop < end && url.p[stop] == '[')
		while (stop < end && url.p[stop] != ']')
			stop++;
	while (stop < end && url.p[stop] != ':')
		stop++;
	return (struct url_parts){.origin = slice_make(url.p, end),
	    .host = slice_make(url.p + at, stop - at),
	    .target = slice_from(url, end)};
}
