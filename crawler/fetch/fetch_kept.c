/* A result that outlives its call of done. */
#include "crawler/fetch/fetch_kept.h"

void
fetch_keep(struct fetch_kept *kept, const struct fetch_result *result)
{
	struct fetch_result *copy = &kept->result;
	const char **const texts[] = {&copy->location, &copy->etag,
	    &copy->last_modified, &copy->content_type, &copy->content_encoding,
	    &copy->noindex, &copy->canonical, &copy->sitemap, &copy->cookie};
	struct slice *const heads[] = {&copy->request_head, &copy->answer_head};
	size_t size = result->request_head.len + result->answer_head.len + 1;

	*copy = *result;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		size += slice_of(*texts[i]).len + 1;
	/* With enough room from the beginning, no text moves. */
	buf_release(&kept->texts);
	kept->texts = (struct buf)BUF_UP_TO(SIZE_MAX);
	(void)buf_reserve(&kept->texts, size);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *at = kept->texts.p + kept->texts.len;

		if (*texts[i] == NULL)
			continue;
		(void)buf_put_slice(&kept->texts, slice_of(*texts[i]));
		(void)buf_put_char(&kept->texts, '\0');
		*texts[i] = at;
	}
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *at = kept->texts.p + kept->texts.len;

		(void)buf_put_slice(&kept->texts, *heads[i]);
		heads[i]->p = at;
	}
}

void
fetch_kept_release(struct fetch_kept *kept)
{
	buf_release(&kept->texts);
	kept->result = (struct fetch_result){0};
}
