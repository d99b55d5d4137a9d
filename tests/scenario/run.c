/*
 * Scenarios: the whole driver against scripted servers in virtual time.
 *
 *	run-scenario FILE.scn...
 *
 * A scenario is a list of commands, one a line:
 *
 *	serve URL STATUS [key=value]...	 from now on; a body may follow between
 *					 lines that hold only <<< and >>>.
 *					 Keys: location etag last-modified type
 *					 encoding retry-after ms failures peer
 *					 truncated (bytes that are cut off)
 *					 short (1: every other request is not
 *					 sent, for want of a descriptor)
 *	profile NAME | set SWITCH=VALUE | own ASSERTION | delay MS | retry N |
 *	max-urls N | max-site-urls N | force | credentials USER:PASSWORD
 *	join MS TARGET...		 a further crawl of the next crawl
 *	join-read MS URL...		 the same, for documents by themselves
 *	more MS URL...			 and more of them for that one
 *	order MS [etag=TAG] [max=BYTES] [head=1] URL...
 *					 pages of the first site are ordered
 *					 during the next crawl
 *	drop MS				 and when nobody waits for it any more
 *	page MS HOST WAIT_MS		 somebody else requests a page of HOST
 *					 during the next crawl, and the run may
 *					 not ask HOST for WAIT_MS
 *	hold MS HOST WAIT_MS		 somebody else holds HOST for so long
 *					 then; 0: ends its hold
 *	look MS				 log what the next crawl does then
 *	asked MS			 somebody else goes first: the run may
 *					 not ask a host for MS after a request
 *	crawl TARGET...			 run to the end, with the same store
 *	read URL...			 the same, for documents by themselves
 *	watch TARGET...			 on the watch list from now on
 *	sleep SECONDS
 *	expect				 the log since the last expect is what
 *					 stands between <<< and >>>
 *
 * Prints each difference; the last line is `N passed, N failed`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/target.h"
#include "crawler/crawl/run.h"
#include "crawler/parse/read.h"
#include "store/watch.h"
#include "tests/scenario/crawls.h"
#include "tests/scenario/fake.h"

#define MAX_WORDS MAX_TARGETS
#define FILE_MAX (1 << 20)

struct scenario {
	const char *file;
	struct slice rest; /* of the script */
	unsigned line;
	char dir[64];
	char path[96];
	struct site_rules rules;
	struct string_set own;
	char *credentials;
	struct crawls crawls; /* of the next crawl; the first is its own */
	bool has_failed;
};

/* False at the end of the script. */
static bool
take_line(struct scenario *s, struct slice *line)
{
	const char *end;

	if (s->rest.len == 0)
		return false;
	end = memchr(s->rest.p, '\n', s->rest.len);
	*line = s->rest;
	if (end != NULL)
		line->len = (size_t)(end - s->rest.p);
	s->rest = slice_from(s->rest, line->len + (end != NULL));
	s->line++;
	return true;
}

/* The text between <<< and >>>, if there is any. */
static void
take_block(struct scenario *s, struct buf *out)
{
	struct slice line;

	if (!slice_starts(s->rest, slice_of("<<<\n")))
		return;
	(void)take_line(s, &line);
	while (take_line(s, &line) && !slice_is(line, ">>>")) {
		(void)buf_put_slice(out, line);
		(void)buf_put_char(out, '\n');
	}
}

static void
fail(struct scenario *s, const char *what)
{
	(void)printf("%s:%u: %s\n", s->file, s->line, what);
	s->has_failed = true;
}

static void
set_answer(struct fake_answer *answer, struct slice key, struct slice value)
{
	char *text = slice_dup(value);
	char **to = NULL;

	if (slice_is(key, "location"))
		to = &answer->location;
	else if (slice_is(key, "etag"))
		to = &answer->etag;
	else if (slice_is(key, "last-modified"))
		to = &answer->last_modified;
	else if (slice_is(key, "type"))
		to = &answer->type;
	else if (slice_is(key, "encoding"))
		to = &answer->encoding;
	else if (slice_is(key, "peer"))
		to = &answer->peer;
	else if (slice_is(key, "retry-after"))
		answer->retry_after_s = strtol(text, NULL, 10);
	else if (slice_is(key, "ms"))
		answer->ms = strtol(text, NULL, 10);
	else if (slice_is(key, "failures"))
		answer->failures = (unsigned)strtoul(text, NULL, 10);
	else if (slice_is(key, "short"))
		answer->is_short = true;
	else if (slice_is(key, "truncated"))
		answer->cut = strtoul(text, NULL, 10);
	if (to != NULL)
		*to = text;
	else
		free(text);
}

static void
do_serve(struct scenario *s, const struct slice *words, size_t count)
{
	struct fake_answer answer = {
	    .url = slice_dup(words[1]), .retry_after_s = -1, .ms = 10};
	char *status = slice_dup(words[2]);

	answer.status = (int)strtol(status, NULL, 10);
	free(status);
	for (size_t i = 3; i < count; i++) {
		const char *sign = memchr(words[i].p, '=', words[i].len);
		size_t at = sign == NULL ? words[i].len
					 : (size_t)(sign - words[i].p);

		set_answer(&answer, slice_make(words[i].p, at),
		    slice_from(words[i], at + (sign != NULL)));
	}
	buf_init(&answer.body, SIZE_MAX);
	take_block(s, &answer.body);
	answer.is_truncated = answer.cut > 0;
	if (answer.cut <= answer.body.len)
		answer.body.len -= answer.cut;
	fake_serve(&answer);
}

static const struct site_rules *
rules_of(void *arg, struct slice host)
{
	const struct scenario *s = arg;

	(void)host;
	return &s->rules;
}

/* Set the targets of the plan. */
static bool
set_plan(struct crawl_plan *plan, const struct slice *words, size_t from,
    size_t count)
{
	plan->drop_ms = -1;
	plan->is_read = slice_is(words[0], "read") ||
	    slice_is(words[0], "join-read");
	plan->is_more = slice_is(words[0], "more");
	plan->is_order = slice_is(words[0], "order");
	plan->target_count = 0;
	for (size_t i = from; i < count && i - from < MAX_TARGETS; i++)
		plan->targets[plan->target_count++] = words[i];
	return plan->target_count > 0;
}

static int64_t
number(struct slice word)
{
	char *text = slice_dup(word);
	int64_t value = strtoll(text, NULL, 10);

	free(text);
	return value;
}

static void
do_join(struct scenario *s, const struct slice *words, size_t count)
{
	struct crawl_plan *plan = &s->crawls.plans[s->crawls.count];

	if (s->crawls.count == MAX_CRAWLS || !set_plan(plan, words, 2, count))
		fail(s, "too many crawls, or no target");
	else
		s->crawls.count++;
	plan->at_ms = number(words[1]);
}

/* words: "page MS HOST MORE", "hold MS HOST WAIT_MS", or "look MS". */
static void
do_page(struct scenario *s, const struct slice *words, size_t count)
{
	struct crawls *crawls = &s->crawls;
	struct crawl_page page = {.at_ms = number(words[1])};

	page.is_hold = slice_is(words[0], "hold");
	if (count == 4) {
		page.host = words[2];
		page.wait_ms = number(words[3]);
	}
	if (crawls->page_count == MAX_PAGES)
		fail(s, "too many pages");
	else
		crawls->pages[crawls->page_count++] = page;
}

/* Add a site to the watch list. */
static void
do_watch(struct scenario *s, const struct slice *words, size_t count)
{
	struct store_options where = {.path = s->path};
	struct store *store;
	struct target target;
	struct watch watch;
	struct buf why;

	buf_init(&why, SIZE_MAX);
	watch = (struct watch)WATCH_DEFAULTS;
	if (store_open(&where, &store, &why) != DIAG_OK)
		fail(s, buf_str(&why));
	for (size_t i = 1; i < count; i++) {
		if (target_parse(&target, words[i]) != DIAG_OK)
			fail(s, "a target that is none");
		watch.site_id = store_site(store, url_host(&target.url));
		strings_add(&watch.targets, words[i]);
		url_release(&target.url);
	}
	store_watch_put(store, &watch);
	(void)store_flush(store);
	store_close(store);
	watch_release(&watch);
	buf_release(&why);
}

static void
do_crawl(struct scenario *s, const struct slice *words, size_t count)
{
	struct store_options where = {.path = s->path};
	struct fetcher_options how = fetcher_defaults;
	struct readers_options readers = {.job_wall_ms = 60000,
	    .jobs_each = 256,
	    .max_result_bytes = 64 << 20};
	struct run_options options = {.loop = loop_new(),
	    .policy = policy_new(),
	    .spool = spool_new(NULL),
	    .rules = rules_of,
	    .rules_arg = s,
	    .max_backlog = 8};
	struct buf why;

	s->rules.own = &s->own;
	s->rules.credentials = s->credentials;
	s->rules.max_bytes = 64 << 20;
	buf_init(&why, SIZE_MAX);
	options.fetcher = fetcher_new(options.loop, &how);
	options.readers = readers_new(options.loop, NULL, &readers);
	if (store_open(&where, &options.store, &why) != DIAG_OK)
		fail(s, buf_str(&why));
	else if (!set_plan(&s->crawls.plans[0], words, 1, count) ||
	    !crawls_run(&s->crawls, &options))
		fail(s, "a target that is none");
	s->crawls.count = 1;
	s->crawls.page_count = 0;
	store_close(options.store);
	spool_free(options.spool);
	loop_free(options.loop);
	policy_free(options.policy);
	buf_release(&why);
}

/* Print one side of a difference, line by line. */
static void
show(const char *title, struct slice text)
{
	(void)printf("  %s\n%.*s", title, (int)text.len, text.p);
}

static void
do_expect(struct scenario *s)
{
	struct buf *log = fake_log();
	struct buf expected;
	unsigned line = s->line;

	buf_init(&expected, SIZE_MAX);
	take_block(s, &expected);
	if (!slice_equal(buf_text(&expected), buf_text(log))) {
		(void)printf("%s:%u: another log\n", s->file, line);
		show("expected", buf_text(&expected));
		show("got", buf_text(log));
		s->has_failed = true;
	}
	buf_release(&expected);
	buf_clear(log);
}

static void
do_set(struct scenario *s, struct slice word)
{
	const char *sign = memchr(word.p, '=', word.len);
	size_t at = sign == NULL ? word.len : (size_t)(sign - word.p);

	if (sign == NULL ||
	    !profile_set(&s->rules.profile, slice_make(word.p, at),
		slice_from(word, at + 1)))
		fail(s, "no such switch or value");
}

static bool
do_setting(struct scenario *s, struct slice key, struct slice value)
{
	char *text = slice_dup(value);
	bool is_known = true;
	enum profile_name name;

	if (slice_is(key, "profile") && profile_find(value, &name)) {
		s->rules.profile = profile_default(name);
	} else if (slice_is(key, "set")) {
		do_set(s, value);
	} else if (slice_is(key, "own")) {
		is_known = location_own_parse(&s->own, value);
	} else if (slice_is(key, "delay")) {
		s->rules.has_delay = true;
		s->rules.delay_ms = strtol(text, NULL, 10);
	} else if (slice_is(key, "retry")) {
		s->rules.retry = (unsigned)strtoul(text, NULL, 10);
	} else if (slice_is(key, "max-urls")) {
		s->crawls.max_urls = strtoull(text, NULL, 10);
	} else if (slice_is(key, "max-site-urls")) {
		s->rules.max_urls = strtoull(text, NULL, 10);
	} else if (slice_is(key, "sleep")) {
		fake_sleep(strtol(text, NULL, 10));
	} else if (slice_is(key, "credentials")) {
		free(s->credentials);
		s->credentials = mem_copy(text);
	} else {
		is_known = false;
	}
	free(text);
	return is_known;
}

static size_t
split(struct slice line, struct slice *words)
{
	size_t count = 0;

	for (line = slice_trim(line); line.len > 0 && count < MAX_WORDS;) {
		const char *end = memchr(line.p, ' ', line.len);
		size_t len = end == NULL ? line.len : (size_t)(end - line.p);

		words[count++] = slice_make(line.p, len);
		line = slice_trim(slice_from(line, len));
	}
	return count;
}

static void
do_line(struct scenario *s, struct slice line)
{
	struct slice words[MAX_WORDS];
	size_t count = split(line, words);

	if (count == 0 || words[0].p[0] == '#')
		return;
	if (slice_is(words[0], "serve") && count >= 3)
		do_serve(s, words, count);
	else if ((slice_is(words[0], "crawl") || slice_is(words[0], "read")) &&
	    count >= 2)
		do_crawl(s, words, count);
	else if ((slice_is(words[0], "join") ||
		     slice_is(words[0], "join-read") ||
		     slice_is(words[0], "order") ||
		     slice_is(words[0], "more")) &&
	    count >= 3)
		do_join(s, words, count);
	else if (((slice_is(words[0], "page") || slice_is(words[0], "hold")) &&
		     count == 4) ||
	    (slice_is(words[0], "look") && count == 2))
		do_page(s, words, count);
	else if (slice_is(words[0], "watch") && count >= 2)
		do_watch(s, words, count);
	else if (slice_is(words[0], "drop") && count == 2)
		s->crawls.plans[s->crawls.count - 1].drop_ms = number(words[1]);
	else if (slice_is(words[0], "expect"))
		do_expect(s);
	else if (slice_is(words[0], "force"))
		s->crawls.is_forced = true;
	else if (count != 2 || !do_setting(s, words[0], words[1]))
		fail(s, "unknown command");
}

static void
remove_store(const struct scenario *s)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	char path[128];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", s->path, ends[i]);
		(void)unlink(path);
	}
	(void)rmdir(s->dir);
}

/* True if everything was as expected. */
static bool
run_file(const char *file, struct slice text)
{
	struct scenario s = {.file = file,
	    .rest = text,
	    .dir = "/tmp/freshet-scenario-XXXXXX",
	    .rules.profile = profile_default(PROFILE_GOOGLE),
	    .rules.retry = 2,
	    .rules.max_urls = UINT64_MAX,
	    .rules.max_children = 100000,
	    .rules.max_drop = 30,
	    .crawls = {.count = 1, .max_urls = UINT64_MAX}};
	struct slice line;

	fake_reset();
	if (mkdtemp(s.dir) == NULL) {
		fail(&s, "no folder for the store");
		return false;
	}
	(void)snprintf(s.path, sizeof(s.path), "%s/store.db", s.dir);
	while (take_line(&s, &line))
		do_line(&s, line);
	if (fake_log()->len > 0)
		fail(&s, "the end of the log was not expected");
	remove_store(&s);
	string_set_release(&s.own);
	free(s.credentials);
	fake_forget();
	return !s.has_failed;
}

static bool
run_path(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text;
	size_t len;
	bool passed;

	if (file == NULL) {
		(void)printf("%s: cannot be read\n", path);
		return false;
	}
	text = mem_alloc(FILE_MAX);
	len = fread(text, 1, FILE_MAX, file);
	(void)fclose(file);
	passed = run_file(path, slice_make(text, len));
	free(text);
	return passed;
}

int
main(int argc, char **argv)
{
	unsigned passed = 0, failed = 0;

	read_warm();
	for (int i = 1; i < argc; i++) {
		if (run_path(argv[i]))
			passed++;
		else
			failed++;
	}
	(void)printf("%u passed, %u failed\n", passed, failed);
	return failed > 0 || passed == 0;
}
