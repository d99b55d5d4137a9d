/*
 * A run that lives for ever: it reads 100,000 documents one after the other,
 * of sites that lead to new hosts all the time, with crawls between them; its
 * memory does not grow.
 *
 *	run-forever [READINGS]
 */
#include <inttypes.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/crawl/run_host_state.h"
#include "crawler/crawl/run_tables.h"
#include "crawler/parse/read.h"
#include "tests/scenario/fake.h"

#define READINGS 100000
#define SITES 200
#define EACH 4 /* documents of a site */
#define MEMBERS 6 /* crawls at a time, the first of which stays */
#define BATCH 10 /* documents of each other crawl */
#define CRAWL_EVERY 50 /* every so many batches, a crawl of a site */
#define HOST_EVERY 8 /* every so many answers, a redirect to a new host */
#define ROOM (512 << 10) /* bytes that may come and go */

struct forever;

struct member {
	struct forever *forever;
	uint32_t crawl;
	bool is_first;
};

struct forever {
	struct run_options options;
	struct run *run;
	struct member members[MEMBERS];
	struct site_rules rules;
	int64_t ids[SITES * EACH];
	uint64_t readings, batches, given, wanted;
	uint64_t used[2]; /* bytes: after a fifth of the readings; at the end */
	size_t open;
	bool has_failed;
};

static void begin(struct member *);

/* The answers of every host. */
static struct fake_answer *
answer(const char *url)
{
	static struct fake_answer one;
	static char location[64];
	static uint64_t asked, hosts;

	buf_release(&one.body);
	one = (struct fake_answer){
	    .status = 200, .retry_after_s = -1, .ms = 400};
	buf_init(&one.body, SIZE_MAX);
	if (strstr(url, "/robots.txt") != NULL) {
		one.status = 404;
	} else if (++asked % HOST_EVERY == 0 && strstr(url, "//s") != NULL) {
		(void)snprintf(location, sizeof(location),
		    "https://r%" PRIu64 ".example/x.xml", hosts++);
		one.status = 302;
		one.location = location;
	} else {
		(void)buf_print(&one.body, "%.*s%" PRIu64 "\n",
		    (int)(strrchr(url, '/') - url + 1), url, asked);
	}
	return &one;
}

static const struct site_rules *
rules_of(void *arg, struct slice host)
{
	const struct forever *forever = arg;

	(void)host;
	return &forever->rules;
}

static uint64_t
used(void)
{
	return mallinfo2().uordblks - (uint64_t)sqlite3_memory_used();
}

static void
fail(struct forever *forever, const char *what)
{
	(void)printf("%s\n", what);
	forever->has_failed = true;
}

static void
give(struct member *member)
{
	struct forever *forever = member->forever;

	run_document(forever->run, member->crawl,
	    forever->ids[forever->given++ * 7 % (SITES * EACH)]);
}

static void
on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct member *member = arg;
	struct forever *forever = member->forever;

	(void)url, (void)profile;
	buf_clear(fake_log());
	if (reading->content.kind == KIND_ROBOTS)
		return;
	if (reading->outcome != OUTCOME_READ)
		fail(forever, "a document was not read");
	forever->readings++;
	if (forever->readings == forever->wanted / 5)
		forever->used[0] = used();
	if (member->is_first && forever->readings < forever->wanted)
		give(member);
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	const struct member *member = arg;

	(void)printf("%s %.*s %.*s\n", diag_name(code), (int)url.len, url.p,
	    (int)text.len, text.p);
	member->forever->has_failed = true;
}

static void
on_done(void *arg)
{
	struct member *member = arg;
	struct forever *forever = member->forever;

	if (forever->readings < forever->wanted) {
		begin(member);
	} else if (--forever->open == 0) {
		forever->used[1] = used();
		loop_stop(forever->options.loop);
	}
}

static void
begin(struct member *member)
{
	struct forever *forever = member->forever;
	struct crawl_options how = {.max_urls = UINT64_MAX,
	    .document = on_document,
	    .problem = on_problem,
	    .done = on_done,
	    .arg = member,
	    .done_arg = member};
	char target[64];

	member->crawl = run_crawl(forever->run, &how);
	if (!member->is_first && ++forever->batches % CRAWL_EVERY == 0) {
		(void)snprintf(target, sizeof(target),
		    "https://s%d.example/d0.xml",
		    (int)(forever->batches % SITES));
		(void)run_target(forever->run, member->crawl, slice_of(target));
	}
	for (int i = 0; i < (member->is_first ? 1 : BATCH); i++)
		give(member);
	run_start(forever->run, member->crawl);
}

static void
fill_store(struct forever *forever)
{
	struct store *store = forever->options.store;
	struct document document;
	char text[64];

	for (int i = 0; i < SITES * EACH; i++) {
		(void)snprintf(text, sizeof(text), "s%d.example", i / EACH);
		int64_t site = store_site(store, slice_of(text));
		(void)snprintf(text, sizeof(text),
		    "https://s%d.example/d%d.xml", i / EACH, i % EACH);
		store_document(store, site, slice_of(text), &document);
		forever->ids[i] = document.id;
		document_release(&document);
	}
	(void)store_flush(store);
}

/* How many sites of the store have a place still. */
static uint32_t
places_in_use(const struct forever *forever)
{
	struct store *store = forever->options.store;
	uint32_t count = 0;
	char host[32];

	for (int i = 0; i < SITES; i++) {
		(void)snprintf(host, sizeof(host), "s%d.example", i);
		count += sites_place_find(forever->run,
			     store_site(store, slice_of(host))) != NULL;
	}
	return count;
}

/* Check how many entries and how much memory are left. */
static void
check(struct forever *forever)
{
	const struct run *run = forever->run;
	uint64_t grown = forever->used[1] - forever->used[0];
	uint32_t tasks = run->task_count;
	uint32_t sites = run->site_count;
	uint32_t places = places_in_use(forever);
	uint32_t crawls = run->crawl_count;
	uint32_t origins = run->origin_count;
	uint32_t hosts = run->host_state_count;

	(void)printf("%" PRIu64 " readings; %u tasks, %u sites, %u places, "
		     "%u crawls, %u origins, %u hosts; grown by %" PRId64
		     " bytes\n",
	    forever->readings, tasks, sites, places, crawls, origins, hosts,
	    (int64_t)grown);
	if (tasks > 200 || sites > 100 || places > 100 || crawls > MEMBERS + 1)
		fail(forever, "tasks, sites or crawls are not used again");
	if (origins > 4096 || hosts > 4096)
		fail(forever, "origins or hosts are not used again");
	if ((int64_t)grown > ROOM)
		fail(forever, "memory grows");
}

static void
run_it(struct forever *forever)
{
	struct run_options *options = &forever->options;

	forever->run = run_new(options);
	forever->open = MEMBERS;
	for (int i = 0; i < MEMBERS; i++) {
		forever->members[i] = (struct member){
		    .forever = forever, .is_first = i == 0};
		begin(&forever->members[i]);
	}
	loop_run(options->loop);
	check(forever);
	fetcher_free(options->fetcher);
	readers_free(options->readers);
	run_free(forever->run);
}

/* False: the store cannot be opened. */
static bool
set_up(struct forever *forever, const char *path, const struct string_set *own)
{
	struct store_options where = {.path = path, .is_scratch = true};
	struct readers_options readers = {.job_wall_ms = 60000,
	    .jobs_each = 256,
	    .max_result_bytes = 64 << 20};
	struct run_options *options = &forever->options;
	struct fetcher_options how = fetcher_defaults;
	struct buf why;
	bool is_open;

	forever->rules = (struct site_rules){
	    .profile = profile_default(PROFILE_GOOGLE),
	    .own = own,
	    .has_delay = true,
	    .max_urls = 10000,
	    .max_bytes = 1 << 20,
	    .max_children = 10,
	    .max_drop = 100};
	*options = (struct run_options){.loop = loop_new(),
	    .policy = policy_new(),
	    .spool = spool_new(NULL),
	    .rules = rules_of,
	    .rules_arg = forever,
	    .max_backlog = 8};
	options->fetcher = fetcher_new(options->loop, &how);
	options->readers = readers_new(options->loop, NULL, &readers);
	buf_init(&why, SIZE_MAX);
	is_open = store_open(&where, &options->store, &why) == DIAG_OK;
	if (!is_open)
		(void)printf("no store: %s\n", buf_str(&why));
	buf_release(&why);
	return is_open;
}

int
main(int argc, char **argv)
{
	static struct forever forever;
	char path[] = "/tmp/freshet-forever-XXXXXX";
	char lock[sizeof(path) + 8];
	struct string_set own = {0};
	int fd = mkstemp(path);

	/* a library that is in use goes on counting its memory: see used() */
	(void)sqlite3_initialize();
	read_warm();
	forever.wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : READINGS;
	fake_serve_by(answer);
	if (fd < 0 || !set_up(&forever, path, &own))
		return 1;
	fill_store(&forever);
	run_it(&forever);
	store_close(forever.options.store);
	spool_free(forever.options.spool);
	loop_free(forever.options.loop);
	policy_free(forever.options.policy);
	fake_forget();
	(void)close(fd);
	(void)unlink(path);
	(void)snprintf(lock, sizeof(lock), "%s.lock", path);
	(void)unlink(lock);
	(void)printf(
	    "%d passed, %d failed\n", !forever.has_failed, forever.has_failed);
	return forever.has_failed;
}
