/* The whole driver in virtual time. */
#include "tests/conformance/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/crawl/run.h"
#include "tests/conformance/common.h"
#include "tests/scenario/fake.h"

#define MAX_URLS 1000000

void
drive_init(struct drive *drive, const json_t *c)
{
	const json_t *item;
	size_t i;

	*drive = (struct drive){.rules = {.profile = case_profile(c),
				    .has_delay = true,
				    .max_bytes = 64 << 20,
				    .max_urls = UINT64_MAX,
				    .max_children = 100000,
				    .max_drop = 30}};
	/* Each case has a store of its own: in memory, if there is room, so
	 * that no case waits for a disk. */
	(void)snprintf(drive->dir, sizeof(drive->dir),
	    "%s/freshet-conformance-XXXXXX",
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	drive->rules.own = &drive->own;
	drive->rules.retry = (unsigned)json_integer_value(
	    json_object_get(c, "retry"));
	json_array_foreach(json_object_get(c, "own"), i, item)
	{
		if (!location_own_parse(
			&drive->own, slice_of(json_string_value(item))))
			drive->has_failed = true;
	}
	fake_reset();
	if (mkdtemp(drive->dir) == NULL)
		drive->has_failed = true;
	(void)snprintf(
	    drive->path, sizeof(drive->path), "%s/store.db", drive->dir);
}

static void
forget(struct drive *drive)
{
	for (size_t i = 0; i < drive->count; i++) {
		free(drive->documents[i].url);
		free(drive->documents[i].final_url);
	}
	drive->count = 0;
}

void
drive_release(struct drive *drive)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	char path[128];

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		(void)snprintf(
		    path, sizeof(path), "%s%s", drive->path, ends[i]);
		(void)unlink(path);
	}
	(void)rmdir(drive->dir);
	forget(drive);
	free(drive->documents);
	string_set_release(&drive->own);
}

const struct drive_document *
drive_document(const struct drive *drive, const char *url)
{
	for (size_t i = drive->count; i-- > 0;)
		if (strcmp(drive->documents[i].url, url) == 0)
			return &drive->documents[i];
	return NULL;
}

/* Receives the events of the crawl. */

struct crawl_ear {
	struct drive *drive;
	struct loop *loop;
};

static void
on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct crawl_ear *ear = arg;
	struct drive *drive = ear->drive;
	const struct findings *findings = &reading->content.findings;
	struct drive_document *document;

	(void)profile;
	drive->documents = mem_grow(drive->documents, &drive->cap,
	    drive->count + 1, sizeof(*drive->documents));
	document = &drive->documents[drive->count++];
	*document = (struct drive_document){.url = slice_dup(url),
	    .outcome = reading->outcome,
	    .kind = reading->content.kind};
	if (reading->http.final_url != NULL)
		document->final_url = mem_copy(reading->http.final_url);
	for (size_t i = 0; i < findings->count; i++)
		document->has_code[findings->items[i].code] = true;
}

static void
on_problem(void *arg, enum diag_code code, struct slice url, struct slice text)
{
	(void)arg;
	(void)code;
	(void)url;
	(void)text;
}

static void
on_done(void *arg)
{
	struct crawl_ear *ear = arg;

	loop_stop(ear->loop);
}

static const struct site_rules *
rules_of(void *arg, struct slice host)
{
	const struct drive *drive = arg;

	(void)host;
	return &drive->rules;
}

/* run_all(drive, options, targets): run one crawl to its end. */
static bool
run_all(struct drive *drive, const struct run_options *options,
    const char *const *targets)
{
	struct crawl_ear ear = {drive, options->loop};
	struct crawl_options how = {.max_urls = MAX_URLS,
	    .document = on_document,
	    .problem = on_problem,
	    .done = on_done,
	    .arg = &ear,
	    .done_arg = &ear};
	struct run *run = run_new(options);
	uint32_t crawl = run_crawl(run, &how);
	bool is_good = true;

	for (size_t i = 0; targets[i] != NULL; i++)
		is_good &= run_target(run, crawl, slice_of(targets[i])) ==
		    DIAG_OK;
	run_start(run, crawl);
	loop_run(options->loop);
	fetcher_free(options->fetcher);
	readers_free(options->readers);
	run_free(run);
	return is_good;
}

bool
drive_crawl(struct drive *drive, const char *const *targets)
{
	struct store_options where = {.path = drive->path, .is_scratch = true};
	struct readers_options readers = {.job_wall_ms = 60000,
	    .jobs_each = 256,
	    .max_result_bytes = 64 << 20};
	struct run_options options = {.loop = loop_new(),
	    .policy = policy_new(),
	    .spool = spool_new(NULL),
	    .rules = rules_of,
	    .rules_arg = drive,
	    .max_backlog = 8};
	struct fetcher_options how = fetcher_defaults;
	struct buf why;

	forget(drive);
	buf_init(&why, SIZE_MAX);
	how.policy = options.policy;
	options.fetcher = fetcher_new(options.loop, &how);
	options.readers = readers_new(options.loop, NULL, &readers);
	if (drive->has_failed ||
	    store_open(&where, &options.store, &why) != DIAG_OK ||
	    !run_all(drive, &options, targets))
		drive->has_failed = true;
	store_close(options.store);
	spool_free(options.spool);
	loop_free(options.loop);
	policy_free(options.policy);
	buf_release(&why);
	return !drive->has_failed;
}
