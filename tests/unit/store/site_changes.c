/* Pages of a site that moved, found among the changes of its readings. */
#include "tests/fixtures/fixture.h"

#include "base/renaming.h"
#include "store/outcome.h"
#include "store/page.h"
#include "store/site_changes.h"
#include "tests/fixtures/store_fixture.h"

#define CHILD_URL HOST_TEXT "map.xml"
#define DAYS(n) (DAY_0 + (int64_t)(n)*DAY_S)

struct tried {
	struct world world;
	int64_t site_id, document_id;
	struct buf out;
	struct renamings *renamings; /* owned */
};

static void
begin(struct tried *tried)
{
	struct document document;

	tried->renamings = NULL;
	world_open(&tried->world);
	tried->document_id = document_make(
	    tried->world.store, "h.test", CHILD_URL);
	document = document_get(tried->world.store, tried->document_id);
	tried->site_id = document.site_id;
	document_release(&document);
	buf_init(&tried->out, SIZE_MAX);
}

static void
end(struct tried *tried)
{
	renamings_free(tried->renamings);
	buf_release(&tried->out);
	world_close(&tried->world);
}

static void
read_on(struct tried *tried, int day, const char *listed)
{
	(void)submit(tried->world.store,
	    reading_make(tried->world.store, tried->document_id, DAYS(day),
		COMPLETE, listed));
}

/* Append the part of a URL that is not the same in all. */
static void
put_url(struct buf *out, struct slice url)
{
	static const char *const hosts[][2] = {{"http://h.test/", ""},
	    {"https://h.test/", "$"}, {"https://www.h.test/", "$$"}};

	for (size_t i = 0; i < 3; i++)
		if (slice_starts(url, slice_of(hosts[i][0])))
			(void)buf_print(out, "%s%.*s", hosts[i][1],
			    (int)(url.len - strlen(hosts[i][0])),
			    url.p + strlen(hosts[i][0]));
}

/* These are the moves since that day. */
static void
assert_moves(struct tried *tried, int day, const char *expected)
{
	struct site_changes *changes = site_changes_new(
	    tried->world.store, tried->site_id, tried->renamings, DAYS(day));
	const struct move *move, *found;

	buf_clear(&tried->out);
	for (size_t i = 0; i < changes->move_count; i++) {
		move = &changes->moves[i];
		put_url(&tried->out, move->from.url);
		(void)buf_put_char(&tried->out, '>');
		put_url(&tried->out, move->to.url);
		(void)buf_print(&tried->out, "@%d%s ",
		    (int)((move->to.at_s - DAY_0) / DAY_S),
		    move->was_removed ? "" : "!");
		assert_int_equal(
		    site_changes_find(
			changes, move->from.reading_id, move->from.at, &found),
		    DELTA_GONE);
		assert_ptr_equal(found, move);
		assert_int_equal(site_changes_find(changes, move->to.reading_id,
				     move->to.at, &found),
		    DELTA_ADDED);
		assert_ptr_equal(found, move);
	}
	assert_true(changes->is_compared);
	assert_int_equal(
	    site_changes_find(changes, INT64_MAX, 0, &found), DELTA_KINDS);
	assert_string_equal(buf_str(&tried->out), expected);
	site_changes_free(changes);
}

static void
test_scheme(void **state)
{
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c");
	read_on(&tried, 1, "a $b $$c");
	assert_moves(&tried, 0, "");
	read_on(&tried, 2, "a $b $$c");
	assert_moves(&tried, 0, "b>$b@1 c>$$c@1 ");
	/* a page that goes now may have become one that came days before */
	assert_moves(&tried, 2, "b>$b@1 c>$$c@1 ");
	/* and back */
	read_on(&tried, 5, "a b $$c");
	read_on(&tried, 6, "a b $$c");
	assert_moves(&tried, 0, "b>$b@1 c>$$c@1 $b>b@5 ");
	end(&tried);
}

static void
test_too_late(void **state)
{
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c");
	read_on(&tried, 1, "a b c $a");
	read_on(&tried, 30, "b c $a");
	read_on(&tried, 31, "b c $a");
	assert_moves(&tried, 0, "");
	end(&tried);
}

static void
test_gone_and_back(void **state)
{
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c d");
	read_on(&tried, 1, "b c d");
	read_on(&tried, 2, "b c d");
	read_on(&tried, 3, "a b c d");
	assert_moves(&tried, 0, "");
	end(&tried);
}

#define OLD "blog/1 blog/2 blog/x/3 blog/4 blog/x/5 "
#define NEW "in/sights/1 in/sights/2 in/sights/x/3 in/sights/4 "

static void
test_prefix(void **state)
{
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c d e f g " OLD);
	read_on(&tried, 1, "a b c d e f g in/sights/x/5 " NEW);
	read_on(&tried, 2, "a b c d e f g in/sights/x/5 " NEW);
	assert_moves(&tried, 0,
	    "blog/1>in/sights/1@1 blog/2>in/sights/2@1 "
	    "blog/4>in/sights/4@1 blog/x/3>in/sights/x/3@1 "
	    "blog/x/5>in/sights/x/5@1 ");
	end(&tried);
}

/* The same pages, spelt otherwise. */
static void
test_spelling(void **state)
{
	static const struct {
		const char *before, *after, *moves;
	} trials[] = {
	    {"d/a", "d/a/", "d/a>d/a/@1 "},
	    {"d/a/", "d/a", "d/a/>d/a@1 "},
	    {"a.html b.php c.htm", "a b/ c.html",
		"a.html>a@1 b.php>b/@1 c.htm>c.html@1 "},
	    {"d/index.html", "d/", "d/index.html>d/@1 "},
	    {"d", "d/index.php", "d>d/index.php@1 "},
	    {"Shop/A shop/b", "shop/a shop/b", "Shop/A>shop/a@1 "},
	    {"a.html?x=1 b?x=A", "$a?x=1 b?x=a", "a.html?x=1>$a?x=1@1 "},
	    /* one page may have several spellings, each of which is a URL */
	    {"a a/ a.html", "a a/ a.html", ""},
	    {"a a/", "$a $a/", "a>$a@1 a/>$a/@1 "},
	    /* other extensions are other files */
	    {"a.pdf b.xml", "a b", ""},
	    /* a folder is renamed besides */
	    {"b/post-a.html b/post-b.html b/post-c.html b/post-d.html "
	     "b/post-e.html b/",
		"in/post-a/ in/post-b/ in/post-c/ in/post-d/ in/Post-E/ in",
		"b/>in@1 b/post-e.html>in/Post-E/@1 b/post-a.html>in/post-a/@1 "
		"b/post-b.html>in/post-b/@1 b/post-c.html>in/post-c/@1 "
		"b/post-d.html>in/post-d/@1 "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(trials); i++) {
		struct tried tried;

		begin(&tried);
		read_on(&tried, 0, trials[i].before);
		read_on(&tried, 1, trials[i].after);
		read_on(&tried, 2, trials[i].after);
		assert_moves(&tried, 0, trials[i].moves);
		end(&tried);
	}
}

/* Append the pages that a text lists: "p/x-1..3 q" is p/x-1 to p/x-3, and q. */
static void
put_pages(struct buf *out, const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, " ");
		const char *dots = memmem(text, len, "..", 2);
		const char *first = dots;
		long from, to;

		while (first != NULL && first > text && first[-1] >= '0' &&
		    first[-1] <= '9')
			first--;
		if (dots == NULL) {
			(void)buf_print(out, "%.*s ", (int)len, text);
		} else {
			from = strtol(first, NULL, 10);
			to = strtol(dots + 2, NULL, 10);
			for (; from <= to; from++)
				(void)buf_print(out, "%.*s%ld ",
				    (int)(first - text), text, from);
		}
		text += len + strspn(text + len, " ");
	}
}

#define CITIES(a) a "berlin " a "lisbon " a "madrid " a "vienna " a "prague "
#define TOWNS(a) a "basel " a "exeter " a "bremen " a "torino " a "rouen "
#define MUCH "z/1..50 "

/* What proves that pages moved, and what both folders may have by chance. */
static void
test_evidence(void **state)
{
	static const struct {
		const char *listed[4]; /* on these days, and after them */
		int days[4];
		size_t moves;
	} trials[] = {
	    /* two counters, in either order or at once */
	    {{"p/1..100 n/1..40", "p/1..100 n/1..46",
		 "p/1..40 p/47..100 n/1..46"},
		{0, 1, 2}, 0},
	    {{"p/1..100 n/1..40", "p/1..40 p/47..100 n/1..40",
		 "p/1..40 p/47..100 n/1..46"},
		{0, 1, 2}, 0},
	    {{"p/1..100 n/1..40", "p/1..40 p/47..100 n/1..46"}, {0, 1}, 0},
	    {{"p/item-1..100 n/item-1..40",
		 "p/item-1..40 p/item-47..100 n/item-1..46"},
		{0, 1}, 0},
	    {{"p?id=1..100 n?id=1..40", "p?id=1..40 p?id=47..100 n?id=1..46"},
		{0, 1}, 0},
	    {{"p/1..100 k", "n/1..6 k"}, {0, 1}, 0},
	    {{"p/1..6 n/7..40", "p/1..6 n/1..40", "n/1..40"}, {0, 3, 9}, 0},
	    /* a folder is renamed, split, joined or shortened */
	    {{MUCH "p/1..30", MUCH "q/1..30"}, {0, 1}, 30},
	    {{MUCH "p/1..30", MUCH "p/1..30 q/1..30", MUCH "q/1..30"},
		{0, 1, 9}, 30},
	    {{MUCH "p/1..30", MUCH "p/11..30 q/1..10", MUCH "p/21..30 q/1..20",
		 MUCH "q/1..30"},
		{0, 1, 2, 3}, 30},
	    {{MUCH "p/1..30", MUCH "q/1..12"}, {0, 1}, 12},
	    {{MUCH "p/1..30", MUCH "q/1..10 r/11..20 s/21..30"}, {0, 1}, 30},
	    {{MUCH "p/1..20 q/21..40", MUCH "r/1..40"}, {0, 1}, 40},
	    {{MUCH "p/1..20 q/21..40", MUCH "q/1..40"}, {0, 1}, 20},
	    /* some products get a folder of their own, or join others */
	    {{MUCH "p/1100..1160", MUCH "p/1100..1150 q/1151..1160"}, {0, 1},
		10},
	    {{MUCH "p/1100..1160 q/1200..1210",
		 MUCH "p/1100..1150 q/1151..1160 q/1200..1210"},
		{0, 1}, 0},
	    {{MUCH "p/1100..1160", MUCH "p/1100..1160 q/1151..1160",
		 MUCH "p/1100..1150 q/1151..1160"},
		{0, 1, 6}, 0},
	    {{"about/us 1..30", "about/us t/1..30"}, {0, 1}, 30},
	    /* what is back was there before */
	    {{MUCH "p/1..9 q/1..9", MUCH "q/1..9", MUCH "q/1..9",
		 MUCH "p/1..9"},
		{0, 1, 2, 5}, 9},
	    {{MUCH "p/1..9 q/1..9 k", MUCH "q/1..9 k", MUCH "p/1..9 q/1..9",
		 MUCH "p/1..9"},
		{0, 1, 3, 8}, 0},
	    /* the old folder has the same numbers again later */
	    {{MUCH "p/1..30", MUCH "q/1..30", MUCH "q/1..30",
		 MUCH "q/1..30 p/1..30"},
		{0, 1, 2, 5}, 30},
	    /* names of which some move, and names that both folders use */
	    {{CITIES("h/") TOWNS("h/") "j/1..40",
		 TOWNS("h/") CITIES("j/") "j/1..40"},
		{0, 1}, 5},
	    {{CITIES("h/") TOWNS("h/") "j/1..40",
		 CITIES("h/") TOWNS("h/") CITIES("j/") "j/1..40",
		 TOWNS("h/") CITIES("j/") "j/1..40"},
		{0, 1, 8}, 5},
	    {{CITIES("h/") TOWNS("h/") TOWNS("j/"),
		 TOWNS("h/") CITIES("j/") TOWNS("j/")},
		{0, 1}, 0},
	    /* any folder of that kind has these names: a third one stays */
	    {{MUCH CITIES("de/") CITIES("es/"),
		 MUCH CITIES("fr/") CITIES("es/")},
		{0, 1}, 0},
	    {{MUCH CITIES("de/x/") CITIES("es/x/"),
		 MUCH CITIES("fr/x/") CITIES("es/x/")},
		{0, 1}, 0},
	    {{MUCH CITIES("de/") CITIES("es/") CITIES("it/"),
		 MUCH CITIES("fr/") CITIES("es/") CITIES("it/"),
		 MUCH CITIES("fr/"), MUCH CITIES("fr/")},
		{0, 1, 3, 4}, 0},
	    {{MUCH CITIES("de/") "de/1..9 " CITIES("es/") "es/1..9",
		 MUCH CITIES("fr/") "fr/1..9 " CITIES("es/") "es/1..9"},
		{0, 1}, 0},
	    /* but not if a large folder became another one as a whole, such as
	     * a version of a manual, */
	    {{MUCH CITIES("de/") "de/1..100 " CITIES("es/") "es/1..100",
		 MUCH CITIES("fr/") "fr/1..100 " CITIES("es/") "es/1..100"},
		{0, 1}, 105},
	    {{MUCH CITIES("de/") "de/1..130 " CITIES("es/") "es/1..130",
		 MUCH CITIES("fr/") "fr/1..100 de/101..130 " CITIES(
		     "es/") "es/1..130"},
		{0, 1}, 0},
	    /* nor if it came later, or if it is elsewhere, or if the folder
	     * has names of its own */
	    {{MUCH CITIES("de/"), MUCH CITIES("fr/"),
		 MUCH CITIES("fr/") CITIES("es/")},
		{0, 1, 3}, 5},
	    {{MUCH CITIES("en/de/") CITIES("es/de/"),
		 MUCH CITIES("en/fr/") CITIES("es/de/")},
		{0, 1}, 5},
	    {{MUCH CITIES("de/") TOWNS("de/") CITIES("es/"),
		 MUCH CITIES("fr/") TOWNS("fr/") CITIES("es/")},
		{0, 1}, 10},
	    {{MUCH "p/1..30 r/1..30", MUCH "q/1..30 r/1..30"}, {0, 1}, 30},
	    /* a section that is renamed at two levels, of which one has too
	     * few pages to be known by itself */
	    {{MUCH CITIES("old/x/") TOWNS("old/"),
		 MUCH CITIES("new/y/") TOWNS("new/")},
		{0, 1}, 10},
	    {{MUCH TOWNS("old/") CITIES("old/x/") "old/z/lima old/z/bern",
		 MUCH TOWNS("new/") CITIES("new/y/") "new/v/lima new/v/bern"},
		{0, 1}, 10},
	    {{MUCH TOWNS("old/") "old/z/lima old/z/bern old/z/riga",
		 MUCH TOWNS("new/") "new/z/lima new/z/bern new/v/riga"},
		{0, 1}, 7},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(trials); i++) {
		struct site_changes *changes;
		struct tried tried;
		struct buf pages;
		size_t moves = 0;

		buf_init(&pages, SIZE_MAX);
		begin(&tried);
		for (size_t k = 0; k < 4 && trials[i].listed[k] != NULL; k++) {
			buf_clear(&pages);
			put_pages(&pages, trials[i].listed[k]);
			read_on(&tried, trials[i].days[k], buf_str(&pages));
		}
		read_on(&tried, 10, buf_str(&pages));
		changes = site_changes_new(
		    tried.world.store, tried.site_id, NULL, DAYS(0));
		moves = changes->move_count;
		if (moves != trials[i].moves)
			fail_msg("trial %zu: %zu moves", i, moves);
		site_changes_free(changes);
		end(&tried);
		buf_release(&pages);
	}
}

#define PAGES(folder) \
	folder "/1 " folder "/2 " folder "/3 " folder "/4 " folder "/5 "

/* A version that comes when another one goes is a release, and a year is a
 * year; a version that is renamed to a word has moved. */
static void
test_release(void **state)
{
	static const struct {
		const char *before, *after;
		bool is_move;
	} trials[] = {
	    {PAGES("man/2.8.0"), PAGES("man/2.17.0"), false},
	    {PAGES("man/v2"), PAGES("man/v3"), false},
	    {PAGES("man/2_1/x"), PAGES("man/2-2/x"), false},
	    {PAGES("fair/2025"), PAGES("fair/2026"), false},
	    {PAGES("man/2.8/acts"), PAGES("man/2.9/steps"), false},
	    {PAGES("news/2026/01"), PAGES("news/2026"), true},
	    {PAGES("man/2.8.0"), PAGES("man/old"), true},
	    {PAGES("man/v"), PAGES("man/v3"), true},
	    {PAGES("man/2.8.0"), PAGES("docs/2.17.0"), true},
	    {PAGES("2/man"), PAGES("2/docs"), true},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(trials); i++) {
		struct site_changes *changes;
		struct tried tried;

		begin(&tried);
		read_on(&tried, 0, trials[i].before);
		read_on(&tried, 1, trials[i].after);
		read_on(&tried, 2, trials[i].after);
		changes = site_changes_new(
		    tried.world.store, tried.site_id, NULL, DAYS(0));
		if ((changes->move_count > 0) != trials[i].is_move)
			fail_msg("%s: %s", trials[i].before, trials[i].after);
		site_changes_free(changes);
		end(&tried);
	}
}

/* When five pairs are complete, the renamed prefix is known. */
static void
test_known(void **state)
{
	struct site_changes *changes;
	const struct move *move;
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c d e f g " OLD);
	read_on(&tried, 1, "a b c d e f g blog/x/5 " NEW);
	read_on(&tried, 2, "a b c d e f g blog/x/5 " NEW);
	read_on(&tried, 3, "a b c d e f g in/sights/x/5 " NEW);
	read_on(&tried, 4, "a b c d e f g in/sights/x/5 " NEW);
	changes = site_changes_new(
	    tried.world.store, tried.site_id, NULL, DAYS(0));
	for (size_t i = 0; i < 5; i++) {
		assert_true(i < changes->move_count);
		move = &changes->moves[i];
		assert_int_equal(move->known_s, DAYS(4));
	}
	assert_int_equal(changes->move_count, 5);
	site_changes_free(changes);
	end(&tried);
}

/* Four pages do not prove that a prefix was renamed; neither do five without
 * a common rest. */
static void
test_no_prefix(void **state)
{
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c d e f g " OLD);
	read_on(&tried, 1, "a b c d e f g in/sights/6 " NEW);
	read_on(&tried, 2, "a b c d e f g in/sights/6 " NEW);
	assert_moves(&tried, 0, "");
	end(&tried);
}

/* If two pages have the same rest, the prefix of the others decides which one
 * it is. */
static void
test_one_of_two(void **state)
{
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c d e f g news/1 " OLD);
	read_on(&tried, 1, "a b c d e f g in/sights/x/5 in/sights/7 " NEW);
	read_on(&tried, 2, "a b c d e f g in/sights/x/5 in/sights/7 " NEW);
	assert_moves(&tried, 0,
	    "blog/1>in/sights/1@1 blog/2>in/sights/2@1 "
	    "blog/4>in/sights/4@1 blog/x/3>in/sights/x/3@1 "
	    "blog/x/5>in/sights/x/5@1 ");
	end(&tried);
}

/* Pages move into a deeper folder and back: each pairs with the page of its
 * time. */
static void
test_deeper(void **state)
{
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c d e f g h/1 h/2 h/3 h/4 h/5");
	read_on(&tried, 1, "a b c d e f g en/h/1 en/h/2 en/h/3 en/h/4 en/h/5");
	read_on(&tried, 2, "a b c d e f g en/h/1 en/h/2 en/h/3 en/h/4 en/h/5");
	read_on(&tried, 7, "a b c d e f g h/1 h/2 h/3 h/4 h/5");
	read_on(&tried, 8, "a b c d e f g h/1 h/2 h/3 h/4 h/5");
	assert_moves(&tried, 0,
	    "h/1>en/h/1@1 h/2>en/h/2@1 h/3>en/h/3@1 h/4>en/h/4@1 "
	    "h/5>en/h/5@1 en/h/1>h/1@7 en/h/2>h/2@7 en/h/3>h/3@7 "
	    "en/h/4>h/4@7 en/h/5>h/5@7 ");
	end(&tried);
}

#define ACADEMY "academy/1 academy/2 academy/3 academy/4 academy/5 "
#define BLOG "blog/1 blog/2 blog/3 blog/4 blog/5 "
#define NEWS "news/1 news/2 news/3 news/4 news/5 "

/* Pages of other sections that have the same names came or went some days
 * before and after. */
static void
test_same_names(void **state)
{
	struct tried tried;

	(void)state;
	begin(&tried);
	read_on(&tried, 0, "a b c d e f g " BLOG);
	read_on(&tried, 3, "a b c d e f g " ACADEMY BLOG);
	read_on(&tried, 6, "a b c d e f g " ACADEMY NEWS);
	read_on(&tried, 7, "a b c d e f g " ACADEMY NEWS);
	assert_moves(&tried, 0,
	    "blog/1>news/1@6 blog/2>news/2@6 blog/3>news/3@6 "
	    "blog/4>news/4@6 blog/5>news/5@6 ");
	read_on(&tried, 9, "a b c d e f g " NEWS);
	read_on(&tried, 10, "a b c d e f g " NEWS);
	assert_moves(&tried, 0,
	    "blog/1>news/1@6 blog/2>news/2@6 blog/3>news/3@6 "
	    "blog/4>news/4@6 blog/5>news/5@6 ");
	end(&tried);
}

/* What the user says moved; `!`: no such pair. */
static void
test_renamings(void **state)
{
	static const struct {
		const char *renamings[3];
		const char *before, *after, *moves;
	} trials[] = {
	    /* one page, and another last segment */
	    {{"/blog/* /insights/*"}, "blog/1", "insights/1",
		"blog/1>insights/1@1 "},
	    {{"/about.html /company"}, "about.html", "company",
		"about.html>company@1 "},
	    {{"/blog/post-* /in/2026/p*"}, "blog/post-x blog/y",
		"in/2026/px in/2026/y", "blog/post-x>in/2026/px@1 "},
	    {{"/p?id=* /p/*"}, "p?id=5 p?ix=6", "p/5 p/6", "p?id=5>p/5@1 "},
	    /* a release is none if the user says so */
	    {{"/2025/* /2026/*"}, "2025/x", "2026/x", "2025/x>2026/x@1 "},
	    /* the new page did not come */
	    {{"/blog/* /insights/*"}, "blog/1", "insights/2", ""},
	    {{"/blog /insights"}, "blog/1", "insights/1", ""},
	    {{"/blog/ /insights/"}, "blog/1", "insights/1", ""},
	    {{"/* /b/*"}, "x", "$b/x", ""},
	    /* the longest that fits, and then the next one */
	    {{"/a* /b*", "/ab* /c*"}, "abx aby", "bbx cx cy",
		"abx>cx@1 aby>cy@1 "},
	    {{"/a* /b*", "/ab* /c*"}, "abx", "bbx cy", "abx>bbx@1 "},
	    {{"/a* /b*", "/a /c"}, "a", "b c", "a>c@1 "},
	    {{"/a /b", "/a /c"}, "a", "b c", "a>b@1 "},
	    /* two pages cannot become one */
	    {{"/a /c", "/b /c"}, "a b", "c", "a>c@1 "},
	    /* a star in the middle */
	    {{"/d/* /e/*/"}, "d/x d/y", "e/x/ k", "d/x>e/x/@1 "},
	    {{"/*.html /p/*"}, "x.html y.htm", "p/x p/y", "x.html>p/x@1 "},
	    /* stronger than what freshet finds itself */
	    {{"/a /b"}, "a", "b $a", "a>b@1 "},
	    {{NULL}, "a", "b $a", "a>$a@1 "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(trials); i++) {
		struct tried tried;
		size_t count = 0;

		while (count < 3 && trials[i].renamings[count] != NULL)
			count++;
		begin(&tried);
		tried.renamings = renamings_new(trials[i].renamings, count);
		read_on(&tried, 0, trials[i].before);
		read_on(&tried, 1, trials[i].after);
		read_on(&tried, 2, trials[i].after);
		assert_moves(&tried, 0, trials[i].moves);
		end(&tried);
	}
}

/* If two pages may have become one, it is the one that went first. */
static void
test_renamed_twice(void **state)
{
	static const char *const texts[] = {"/a /c", "/b /c"};
	struct tried tried;

	(void)state;
	begin(&tried);
	tried.renamings = renamings_new(texts, COUNT(texts));
	read_on(&tried, 0, "a b k");
	read_on(&tried, 1, "a k c");
	read_on(&tried, 2, "a k c");
	read_on(&tried, 3, "k c");
	read_on(&tried, 4, "k c");
	assert_moves(&tried, 0, "b>c@1 ");
	end(&tried);
}

/* Fourteen days hold for a renaming, too. */
static void
test_renamed_late(void **state)
{
	static const char *const text = "/a /b";
	struct tried tried;

	(void)state;
	begin(&tried);
	tried.renamings = renamings_new(&text, 1);
	read_on(&tried, 0, "a k");
	read_on(&tried, 1, "k");
	read_on(&tried, 2, "k");
	read_on(&tried, 16, "k b");
	assert_moves(&tried, 0, "");
	read_on(&tried, 17, "k b a");
	read_on(&tried, 18, "k b");
	read_on(&tried, 19, "k b");
	assert_moves(&tried, 0, "a>b@16 ");
	end(&tried);
}

/* A fetcher was told on that day that the page is elsewhere. */
static void
redirect(struct tried *tried, double day, enum page_outcome kind,
    const char *path, const char *location)
{
	struct buf url;

	buf_init(&url, SIZE_MAX);
	(void)buf_print(&url, HOST_TEXT "%s", path);
	store_outcome(tried->world.store, NULL,
	    &(struct outcome_row){.page_id = store_page_add(tried->world.store,
				      tried->document_id, buf_text(&url)),
		.at_s = DAY_0 + (int64_t)(day * DAY_S),
		.kind = kind,
		.status = kind == PAGE_MOVED ? 308 : 302,
		.location = slice_of(location)});
	buf_release(&url);
}

#define MOVED PAGE_MOVED

/* Where redirects lead; `@`: known on that day. */
static void
test_redirects(void **state)
{
	static const struct {
		struct {
			double day;
			enum page_outcome kind;
			const char *path, *location;
		} redirects[3];
		const char *before, *after, *moves;
		int known_day;
	} trials[] = {
	    {{{0}}, "a k", "x k", "", 0},
	    {{{0.5, MOVED, "a", "http://h.test/x"}}, "a k", "x k", "a>x@1 ", 2},
	    /* the fetcher asked later, or asked again */
	    {{{9, MOVED, "a", "http://h.test/x"},
		 {10, MOVED, "a", "http://h.test/x"}},
		"a k", "x k", "a>x@1 ", 9},
	    /* a relative reference, and URLs that are written otherwise */
	    {{{0.5, MOVED, "d/a", "../x?q=1#top"}}, "d/a k", "x?q=1 k",
		"d/a>x?q=1@1 ", 2},
	    {{{0.5, MOVED, "a", "HTTP://H.TEST:80/%78"}}, "a k", "x k",
		"a>x@1 ", 2},
	    /* no redirect, or not a permanent one, or one of a page that stays
	     */
	    {{{0.5, MOVED, "a", ""}, {0.5, MOVED, "a", "javascript:x"}}, "a k",
		"x k", "", 0},
	    {{{0.5, PAGE_FAILED, "a", "/x"}}, "a k", "x k", "", 0},
	    {{{0.5, MOVED, "k", "/x"}}, "a k", "x k", "", 0},
	    /* to a page that did not come */
	    {{{0.5, MOVED, "a", "/"}, {0.6, MOVED, "a", "/k"}}, "a k", "x k",
		"", 0},
	    /* the first one that came decides */
	    {{{0.5, MOVED, "a", "/y"}, {0.6, MOVED, "a", "/z"},
		 {0.7, MOVED, "a", "/x"}},
		"a k", "x z k", "a>z@1 ", 2},
	    /* two pages cannot become one */
	    {{{0.5, MOVED, "b", "/x"}, {0.6, MOVED, "a", "/x"}}, "a b k", "x k",
		"a>x@1 ", 2},
	    /* a release is none if a redirect says so */
	    {{{0.5, MOVED, "2.8/a", "/2.9/a"}}, "2.8/a k", "2.9/a k",
		"2.8/a>2.9/a@1 ", 2},
	    /* one of five numbers proves them all */
	    {{{0.5, MOVED, "p/3", "/q/3"}},
		"p/1 p/2 p/3 p/4 p/5 p/6 p/7 p/8 "
		"p/9 p/10 p/11 q/6 q/7",
		"q/1 q/2 q/3 q/4 q/5 q/6 q/7 p/6 p/7 p/8 p/9 p/10 p/11",
		"p/1>q/1@1 p/2>q/2@1 p/3>q/3@1 p/4>q/4@1 p/5>q/5@1 ", 2},
	    /* weaker than what freshet finds itself */
	    {{{0.5, MOVED, "a", "/x"}}, "a k", "x $a k", "a>$a@1 ", 2},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(trials); i++) {
		struct site_changes *changes;
		struct tried tried;

		begin(&tried);
		read_on(&tried, 0, trials[i].before);
		read_on(&tried, 1, trials[i].after);
		read_on(&tried, 2, trials[i].after);
		for (size_t k = 0; k < 3 && trials[i].redirects[k].path != NULL;
		     k++)
			redirect(&tried, trials[i].redirects[k].day,
			    trials[i].redirects[k].kind,
			    trials[i].redirects[k].path,
			    trials[i].redirects[k].location);
		assert_moves(&tried, 0, trials[i].moves);
		changes = site_changes_new(
		    tried.world.store, tried.site_id, NULL, DAYS(0));
		if (trials[i].known_day > 0)
			assert_int_equal(changes->moves[0].known_s,
			    DAYS(trials[i].known_day));
		site_changes_free(changes);
		end(&tried);
	}
}

/* A page of a renamed prefix: whatever comes first proves the pair. */
static void
test_redirect_and_prefix(void **state)
{
	static const struct {
		double redirect_day;
		int known_day;
		bool is_redirected;
	} trials[] = {{0.5, 2, true}, {3, 3, true}, {5, 4, false}};

	(void)state;
	for (size_t i = 0; i < COUNT(trials); i++) {
		struct site_changes *changes;
		const struct move *move;
		struct tried tried;

		begin(&tried);
		read_on(&tried, 0, "a b c d e f g " OLD);
		read_on(&tried, 1, "a b c d e f g blog/x/5 " NEW);
		read_on(&tried, 2, "a b c d e f g blog/x/5 " NEW);
		read_on(&tried, 3, "a b c d e f g in/sights/x/5 " NEW);
		read_on(&tried, 4, "a b c d e f g in/sights/x/5 " NEW);
		redirect(&tried, trials[i].redirect_day, MOVED, "blog/1",
		    "/in/sights/1");
		changes = site_changes_new(
		    tried.world.store, tried.site_id, NULL, DAYS(0));
		for (size_t k = 0; k < 5; k++) {
			bool is_first = k == 0;

			assert_true(k < changes->move_count);
			move = &changes->moves[k];
			assert_int_equal(move->known_s,
			    DAYS(is_first ? trials[i].known_day : 4));
			assert_int_equal(move->is_redirected,
			    is_first && trials[i].is_redirected);
		}
		site_changes_free(changes);
		end(&tried);
	}
}

UNIT(site_changes)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scheme),
	    cmocka_unit_test(test_too_late),
	    cmocka_unit_test(test_gone_and_back),
	    cmocka_unit_test(test_prefix),
	    cmocka_unit_test(test_spelling),
	    cmocka_unit_test(test_evidence),
	    cmocka_unit_test(test_release),
	    cmocka_unit_test(test_known),
	    cmocka_unit_test(test_no_prefix),
	    cmocka_unit_test(test_one_of_two),
	    cmocka_unit_test(test_deeper),
	    cmocka_unit_test(test_same_names),
	    cmocka_unit_test(test_renamings),
	    cmocka_unit_test(test_renamed_twice),
	    cmocka_unit_test(test_renamed_late),
	    cmocka_unit_test(test_redirects),
	    cmocka_unit_test(test_redirect_and_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
