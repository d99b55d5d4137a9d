/* Each URL normalised as the page was, and compared. */
#include "crawler/parse/read_links.h"

#include "base/host.h"

void
links_init(struct links *links, const struct profile *profile,
    uint64_t hash_key, struct findings *findings)
{
	*links = (struct links){.profile = profile,
	    .findings = findings,
	    .alternates = alternates_new(hash_key)};
	url_init(&links->url);
}

void
links_release(struct links *links)
{
	alternates_free(links->alternates);
	url_release(&links->url);
}

/* Of one site: the registrable domain, or a host that has none. */
static bool
is_same_domain(const struct url *a, const struct url *b)
{
	struct slice x = host_registrable(url_host(a));
	struct slice y = host_registrable(url_host(b));

	if (x.len == 0 || y.len == 0)
		return slice_equal(url_host(a), url_host(b));
	return slice_equal(x, y);
}

/* Says whether the page names itself. */
static bool
take_alternate(struct links *links, const struct url *page,
    const struct raw_link *link, enum diag_code code)
{
	if (code == DIAG_RELATIVE_URL || code == DIAG_EMPTY_TAG)
		findings_add(links->findings, DIAG_HREFLANG_RELATIVE,
		    link->line, link->url);
	if (code != DIAG_OK)
		return false;
	alternates_link(links->alternates, url_text(&links->url), link->line);
	return slice_equal(url_text(&links->url), url_text(page));
}

void
links_take(
    struct links *links, const struct url *page, const struct raw_entry *raw)
{
	struct diag_sink none = {0};
	bool has_alternate = false;
	bool has_self = false;

	alternates_page(links->alternates, url_text(page));
	for (size_t i = 0; i < raw->link_count; i++) {
		const struct raw_link *link = &raw->links[i];
		enum diag_code code = url_parse(
		    &links->url, link->url, NULL, links->profile, none);

		switch (link->kind) {
		case RAW_ALTERNATE:
			has_alternate = true;
			if (take_alternate(links, page, link, code))
				has_self = true;
			break;
		case RAW_VIDEO_LOCATION:
			if (code == DIAG_OK &&
			    slice_equal(url_text(&links->url), url_text(page)))
				findings_add(links->findings,
				    DIAG_VIDEO_LOCATION_EQUALS_PAGE, link->line,
				    link->url);
			break;
		case RAW_UPLOADER:
			if (code != DIAG_OK ||
			    !is_same_domain(&links->url, page))
				findings_add(links->findings,
				    DIAG_VIDEO_INVALID_VALUE, link->line,
				    link->url);
			break;
		}
	}
	if (has_alternate && !has_self)
		findings_add(links->findings, DIAG_HREFLANG_MISSING_SELF,
		    raw->line, url_text(page));
}
