/* crawler/parse/feed.c: the events of RSS and Atom. */
#include "tests/fixtures/fixture.h"
#include "tests/fixtures/read_fixture.h"

#define ATOM "xmlns='http://www.w3.org/2005/Atom'"

static const struct {
	const char *rule;
	const char *document;
	const char *events;
} cases[] = {
    {"R-20",
	"<rss><channel><link>no</link><item><link>a</link><pubDate>d"
	"</pubDate></item>\n<item><guid>b</guid></item></channel></rss>",
	"root rss\n1 loc='a' lastmod='d'\n2 loc='b'\n"},
    {"R-20 guid",
	"<rss><channel>"
	"<item><guid isPermaLink='false'>no</guid></item>"
	"<item><guid isPermaLink=' FALSE '>no</guid></item>"
	"<item><guid isPermaLink='true'>a</guid><link>b</link>"
	"</item></channel></rss>",
	"root rss\n1 missing-tag\n1\n1 missing-tag\n1\n1 loc='b'\n"},
    {"R-20 blank link",
	"<rss><channel><item><link> </link><guid>a</guid></item>"
	"<item><link/></item></channel></rss>",
	"root rss\n1 loc='a'\n1 missing-tag\n1\n"},
    {"R-20 only the item's namespace",
	"<rss xmlns:a='http://www.w3.org/2005/Atom'><channel><item>"
	"<a:link href='no'>no</a:link><link>a</link></item></channel></rss>",
	"root rss\n1 loc='a'\n"},
    {"R-20 image in a channel",
	"<rss><channel><image><link>no</link></image><item><enclosure>"
	"<link>no</link></enclosure><link>a</link></item></channel></rss>",
	"root rss\n1 loc='a'\n"},
    {"R-20 RDF",
	"<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'"
	" xmlns='http://purl.org/rss/1.0/'><channel><link>no</link></channel>"
	"<item><link>a</link></item></r:RDF>",
	"root rss\n1 loc='a'\n"},
    {"R-21",
	"<feed " ATOM "><link href='no'/><entry><link rel='self' href='no'/>"
	"<link href='a'/><link href='no'/><updated>d</updated></entry>\n"
	"<entry><link rel='alternate' href='b'/><modified>e</modified>"
	"</entry></feed>",
	"root atom\n1 loc='a' lastmod='d'\n2 loc='b' lastmod='e'\n"},
    {"R-21 none",
	"<feed " ATOM "><entry><link rel='enclosure' href='no'/>"
	"<content><link href='no'/></content></entry></feed>",
	"root atom\n1 missing-tag\n1\n"},
    {"R-14", "<rss><channel><item><link>a<b/></link></item></channel></rss>",
	"root rss\n1 nested-markup\n1 missing-tag\n1\n"},
    {"R-35",
	"<rss><channel><item><link>a</link><pubDate> </pubDate></item>"
	"</channel></rss>",
	"root rss\n1 empty-tag\n1 loc='a'\n"},
    {"R-20 foreign",
	"<rss><channel><x:item xmlns:x='u'><x:link>no</x:link></x:item><item>"
	"<link>a</link></item></channel></rss>",
	"root rss\n1 loc='a'\n"},
    {"R-21 foreign",
	"<feed " ATOM "><entry xmlns=''><link href='no'/></entry></feed>",
	"root atom\n"},
    {"R-02", "<rss><channel><item><link>a</link></item><item",
	"root rss\n1 loc='a'\n1 parse-error\nincomplete parse-error\n"},
    {"R-15", "<feed " ATOM "><entry><link href='?a&amp;b'/></entry></feed>",
	"root atom\n1 loc='?a&b'\n"},
};

static void
test_events(void **state)
{
	static const size_t chunks[] = {1, 7, 16384};
	struct profile profile = profile_default(PROFILE_GOOGLE);

	for (size_t i = 0; i < COUNT(cases); i++)
		for (size_t j = 0; j < COUNT(chunks); j++) {
			struct buf out;

			buf_init(&out, 1 << 20);
			fixture_events(&out, slice_of(cases[i].document),
			    chunks[j], &profile);
			if (!slice_is(buf_text(&out), cases[i].events))
				fail_msg("%s, chunks of %zu: got\n%s",
				    cases[i].rule, chunks[j], buf_str(&out));
			buf_release(&out);
		}
}

UNIT(feed)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
