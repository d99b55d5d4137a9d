/* crawler/parse/page.c: X-Robots-Tag, <meta name=robots> and Link. */
#include "tests/fixtures/fixture.h"

#include "crawler/parse/page.h"

static const struct {
	const char *value;
	bool is_noindex;
} fields[] = {
    {"noindex", true},
    {"NoIndex", true},
    {"none", true},
    {"nofollow, noindex", true},
    {" noindex ,nofollow", true},
    {"", false},
    {"all", false},
    {"index, follow", false},
    {"noindexes", false},
    {"nofollow", false},
    {"googlebot: noindex", true},
    {"GoogleBot:none", true},
    {"robots: noindex", true},
    {"otherbot: noindex, nofollow", false},
    {"googlebot: nofollow", false},
    {"examplebot: noindex", true},
    {"ExampleBot : none, nofollow", true},
    {"examplebot: nofollow", false},
    {"examplebot2: noindex", false},
    {"unavailable_after: 25 Jun 2010 15:00:00 PST", false},
    {"unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", true},
    {"noindex, unavailable_after: 25 Jun 2010 15:00:00 PST", true},
    {"max-snippet:20, noindex", true},
    {"max-image-preview:large", false},
    {":", false},
    {",", false},
};

static const struct {
	const char *name;
	enum robots_name whose;
} names[] = {
    {"robots", ROBOTS_ALL},
    {" ROBOTS ", ROBOTS_ALL},
    {"GoogleBot", ROBOTS_GOOGLEBOT},
    {" ExampleBot ", ROBOTS_OWN},
    {"bingbot", ROBOTS_OTHER},
    {"description", ROBOTS_OTHER},
    {"", ROBOTS_OTHER},
};

static const struct {
	const char *content;
	bool is_noindex;
} contents[] = {
    {"noindex", true},
    {"NOINDEX,NOFOLLOW", true},
    {" none ", true},
    {"follow, noindex", true},
    {"index", false},
    {"", false},
    {"this page is about noindex", false},
};

static const struct {
	const char *value, *target; /* NULL: none */
} links[] = {
    {"<https://a.example/>; rel=canonical", "https://a.example/"},
    {"<https://a.example/>; rel=\"canonical\"", "https://a.example/"},
    {"<https://a.example/>;rel=\"next CANONICAL\"", "https://a.example/"},
    {"< /a >; title=\"x, y; rel=canonical\"; rel=canonical", "/a"},
    {"</s.css>; rel=preload, </a>; rel=canonical", "/a"},
    {"</a,b>; rel=\"canonical\", </c>; rel=canonical", "/a,b"},
    {"</a>; rel=next; rel=canonical", NULL},
    {"</a>; title=\"\\\"; rel=canonical\"", NULL},
    {"</a>; rel=canonicals", NULL},
    {"</a>; rel", NULL},
    {"</a>", NULL},
    {"/a; rel=canonical", NULL},
    {"<a; rel=canonical", NULL},
    {"", NULL},
    {"<>; rel=canonical", ""},
    {",,</a>; rel=canonical", "/a"},
};

static bool
tag_is_noindex(const char *value, const char *agent)
{
	enum robots_name whose;
	struct slice list = robots_tag_list(
	    slice_of(value), slice_of(agent), &whose);

	return whose != ROBOTS_OTHER && robots_noindex(list);
}

static void
test_fields(void **state)
{
	for (size_t i = 0; i < COUNT(fields); i++)
		if (tag_is_noindex(fields[i].value, "examplebot") !=
		    fields[i].is_noindex)
			fail_msg("'%s'", fields[i].value);
	/* without a token */
	assert_false(tag_is_noindex("examplebot: noindex", NULL));
	assert_false(tag_is_noindex(": noindex", NULL));
}

static void
test_metas(void **state)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (robots_name(slice_of(names[i].name),
			slice_of("examplebot")) != names[i].whose)
			fail_msg("'%s'", names[i].name);
	assert_int_equal(
	    robots_name(slice_of(""), slice_of(NULL)), ROBOTS_OTHER);
	for (size_t i = 0; i < COUNT(contents); i++)
		if (robots_noindex(slice_of(contents[i].content)) !=
		    contents[i].is_noindex)
			fail_msg("'%s'", contents[i].content);
}

static void
test_links(void **state)
{
	struct buf *buf = *state;

	for (size_t i = 0; i < COUNT(links); i++) {
		struct slice target = {0};
		bool is_there = link_target(
		    slice_of(links[i].value), "canonical", &target);

		if (is_there != (links[i].target != NULL))
			fail_msg("'%s'", links[i].value);
		if (is_there)
			assert_string_equal(
			    text_of(buf, target), links[i].target);
	}
}

UNIT(robots_tag)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_metas), text_test(test_links)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
