/* crawler/parse/document.c: the events of RSS and Atom. */
#include "tests/fixtures/events_fixture.h"

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
    {"R-20 only the item's namespace",
	"<rss xmlns:a='http://www.w3.org/2005/Atom'><channel><item>"
	"<a:link href='no'>no</a:link><link>a</link></item></channel></rss>",
	"root rss\n1 loc='a'\n"},
    {"R-21",
	"<feed " ATOM "><link href='no'/><entry><link rel='self' href='no'/>"
	"<link href='a'/><link href='no'/><updated>d</updated></entry>\n"
	"<entry><link rel='alternate' href='b'/><modified>e</modified>"
	"</entry></feed>",
	"root atom\n1 loc='a' lastmod='d'\n2 loc='b' lastmod='e'\n"},
    {"R-14", "<rss><channel><item><link>a<b/></link></item></channel></rss>",
	"root rss\n1 nested-markup\n1 missing-tag\n1\n"},
    {"R-35",
	"<rss><channel><item><link>a</link><pubDate> </pubDate></item>"
	"</channel></rss>",
	"root rss\n1 empty-tag\n1 loc='a'\n"},
    {"R-21 foreign",
	"<feed " ATOM "><entry xmlns=''><link href='no'/></entry></feed>",
	"root atom\n"},
};

static void
test_events(void **state)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_events(cases[i].rule, PROFILE_GOOGLE, cases[i].document,
		    cases[i].events);
}

UNIT(feed)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_events)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
