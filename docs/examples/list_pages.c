/*
 * list_pages.c: print the pages that a sitemap may list, with their dates.
 *
 *	cc list_pages.c $(pkg-config --cflags --libs libfreshet) -o list_pages
 *	./list_pages https://example.com/sitemap.xml <sitemap.xml
 */
#include <stdio.h>
#include <unistd.h>

#include <freshet.h>

/* The strings of a reading that may be foreign text do not go to the terminal
 * as they are: URLs are printable ASCII, codes are ours, samples are left out.
 */
static void
print_findings(const struct freshet_reading *reading)
{
	for (size_t i = 0; i < reading->finding_count; i++) {
		const struct freshet_finding *finding = &reading->findings[i];

		fprintf(stderr, "%s: %s, %llu times: %s\n", finding->severity,
		    finding->code, (unsigned long long)finding->count,
		    finding->remedy);
	}
}

static bool
print_page(void *arg, const struct freshet_entry *entry)
{
	unsigned *pages = arg;

	if (entry->refusal != NULL)
		return true;
	printf("%s %lld\n", entry->url, (long long)entry->lastmod_s);
	++*pages;
	return true;
}

int
main(int argc, char **argv)
{
	struct freshet_document document = FRESHET_DOCUMENT_INIT;
	const struct freshet_reading *reading;
	enum freshet_status status;
	struct freshet *handle;
	unsigned pages = 0;

	if (argc != 2)
		return 2;
	status = freshet_open(&handle, NULL);
	if (status == FRESHET_OK) {
		document.place.url = argv[1];
		status = freshet_read_fd(
		    handle, &document, STDIN_FILENO, &reading);
	}
	if (status == FRESHET_OK) {
		print_findings(reading);
		status = freshet_each(handle, print_page, &pages);
	}
	if (status != FRESHET_OK)
		fprintf(stderr, "list_pages: %s\n", freshet_error(handle));
	freshet_close(handle);
	return status == FRESHET_OK && pages > 0 ? 0 : 1;
}
