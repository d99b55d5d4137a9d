/*
 * Which shards a machine has, and their workers.
 *
 *	no process -> running -> ending -> no process
 *	    ^            |
 *	    +- it died --+
 */
#include "crawler/daemon/keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/event/exit.h"
#include "crawler/event/log.h"
#include "crawler/event/loop.h"
#include "crawler/event/spawn.h"
#include "store/depot/members.h"

/* A shard of which this many workers died within that time is left alone. */
#define DEATHS_MOST 3
#define DEATHS_MS 300000
#define ASIDE_MS 600000

struct keeper_shard {
	pid_t pid; /* of its worker; 0: none */
	bool is_ending; /* the worker was told to */
	unsigned deaths; /* since died_ms */
	int64_t died_ms;
	int64_t alone_ms; /* no worker begins before */
};

struct keeper {
	struct keeper_options how;
	struct members *members; /* owned */
	int lock; /* owned */
	char name[MEMBER_NAME_BYTES], place[128];
	struct keeper_shard *shards; /* owned */
	size_t count, cap;
	struct loop_timer *pulse; /* owned */
	struct loop_watch *child; /* owned */
	bool is_stopping, is_away, has_pulsed, has_given, told_newer;
	int status; /* the worst of the workers; -1: none has ended well */
	/* in a pulse: workers, and how many of these had their turn */
	unsigned running, seen;
};

/* Log something about a shard, or, with -1, about PostgreSQL. */
static void
keeper_log(
    struct keeper *keeper, const char *event, int64_t shard, const char *text)
{
	log_begin(keeper->how.log, loop_now_s(keeper->how.loop), event);
	if (shard >= 0)
		log_number(keeper->how.log, "shard", shard);
	log_text(keeper->how.log, "text", slice_of(text));
	log_end(keeper->how.log);
}

/* Options may stand before the command, but not behind "--". */
static void
keeper_start(struct keeper *keeper, unsigned shard)
{
	const struct options_run *run = &keeper->how.options->run;
	const char **words = mem_zero(((size_t)run->argc + 3) * sizeof(*words));
	struct keeper_shard *kept = &keeper->shards[shard];
	char number[16];

	(void)snprintf(number, sizeof(number), "%u", shard);
	words[0] = "freshet";
	words[1] = "--shard";
	words[2] = number;
	for (int i = 1; i < run->argc; i++)
		words[i + 2] = run->argv[i];
	kept->pid = spawn_self(words);
	free(words);
	if (kept->pid > 0)
		return;
	kept->pid = 0;
	keeper_log(keeper, "problem", shard, strerrordesc_np(errno));
}

/* A worker died: the next one begins at once, unless that is of no use. */
static void
keeper_bury(struct keeper *keeper, unsigned shard, int status)
{
	struct keeper_shard *kept = &keeper->shards[shard];
	int64_t now_ms = loop_now_ms(keeper->how.loop);
	struct buf text = BUF_UP_TO(SIZE_MAX);

	if (kept->deaths == 0 || now_ms - kept->died_ms > DEATHS_MS) {
		kept->died_ms = now_ms;
		kept->deaths = 0;
	}
	kept->deaths++;
	(void)buf_print(&text, "its worker died: %s %d%s",
	    WIFSIGNALED(status) ? "signal" : "status",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
	    kept->deaths == DEATHS_MOST
		? "; it was the third one within 5 minutes: all machines leave "
		  "the shard alone for 10 minutes"
		: "");
	keeper_log(keeper, "problem", shard, buf_str(&text));
	if (kept->deaths < DEATHS_MOST) {
		keeper_start(keeper, shard);
	} else {
		/* maybe no worker came so far that it took the shard */
		kept->alone_ms = now_ms + ASIDE_MS;
		kept->deaths = 0;
		(void)members_set_aside(
		    keeper->members, shard, keeper->name, &text);
	}
	buf_release(&text);
}

unsigned
keeper_signal(struct keeper *keeper, int number)
{
	unsigned count = 0;

	for (size_t i = 0; i < keeper->count; i++) {
		const struct keeper_shard *kept = &keeper->shards[i];

		count += kept->pid != 0;
		/* a second signal would not let a worker give its shard */
		if (kept->pid != 0 && !kept->is_ending)
			(void)kill(kept->pid, number);
	}
	return count;
}

static void
keeper_on_child(void *arg, int number, int ready)
{
	struct keeper *keeper = arg;
	bool is_once = keeper->how.options->run.is_once;

	(void)number, (void)ready;
	for (unsigned i = 0; i < keeper->count; i++) {
		struct keeper_shard *kept = &keeper->shards[i];
		int status, code;

		if (kept->pid == 0 ||
		    waitpid(kept->pid, &status, WNOHANG) != kept->pid)
			continue;
		kept->pid = 0;
		code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BUG;
		if (code != EXIT_LOCKED && code > keeper->status)
			keeper->status = code;
		/* For other ends the next pulse is early enough: another
		 * machine was quicker, PostgreSQL is away, or somebody ended
		 * it. */
		if (code >= EXIT_DAMAGED && code <= EXIT_BUG && !is_once &&
		    !kept->is_ending && !keeper->is_stopping)
			keeper_bury(keeper, i, status);
		kept->is_ending = false;
	}
	if ((keeper->is_stopping || (is_once && keeper->has_pulsed)) &&
	    keeper_signal(keeper, 0) == 0)
		keeper->how.over(keeper->how.arg,
		    keeper->status < 0 ? EXIT_LOCKED : keeper->status);
}

/* Start workers up to the part of this machine, and end one if there are more.
 */
static void
keeper_on_turn(void *arg, const struct member_turn *turn)
{
	struct keeper *keeper = arg;
	struct keeper_shard *kept;

	while (keeper->count <= turn->shard)
		*MEM_PUSH(keeper->shards, keeper->count,
		    keeper->cap) = (struct keeper_shard){0};
	kept = &keeper->shards[turn->shard];
	if (turn->is_newer && !keeper->told_newer) {
		keeper->told_newer = true;
		keeper_log(keeper, "warning", turn->shard,
		    "it has a newer schema than this freshet knows, and is for "
		    "machines with a newer freshet");
	}
	if (keeper->is_stopping || kept->is_ending) {
		return;
	} else if (kept->pid == 0 && turn->may_start &&
	    loop_now_ms(keeper->how.loop) >= kept->alone_ms &&
	    (keeper->running < turn->part ||
		keeper->how.options->run.is_once)) {
		keeper_start(keeper, turn->shard);
		keeper->running++;
	} else if (kept->pid != 0 && ++keeper->seen > turn->part &&
	    !keeper->has_given) {
		keeper->has_given = true;
		kept->is_ending = true;
		keeper_log(keeper, "give", turn->shard, "");
		(void)kill(kept->pid, SIGTERM);
	}
}

static void
keeper_on_pulse(void *arg)
{
	struct keeper *keeper = arg;
	const struct options_run *run = &keeper->how.options->run;
	int64_t lease_ms = members_lease_ms(keeper->members);
	struct machine machine = {.name = keeper->name,
	    .place = keeper->place,
	    .program = keeper->how.program,
	    .capacity = run->capacity > 0 ? run->capacity
					  : (unsigned)get_nprocs(),
	    .leaves = keeper->is_stopping || run->is_once,
	    .is_hasty = run->is_once};
	bool is_good;
	struct buf why = BUF_UP_TO(SIZE_MAX);

	keeper->running = keeper->seen = 0;
	keeper->has_given = false;
	for (size_t i = 0; i < keeper->count; i++)
		keeper->running += keeper->shards[i].pid != 0 &&
		    !keeper->shards[i].is_ending;
	is_good = members_pulse(
	    keeper->members, &machine, keeper_on_turn, keeper, &why);
	if (is_good == keeper->is_away)
		keeper_log(keeper, "warning", -1,
		    is_good ? "PostgreSQL is there again" : buf_str(&why));
	keeper->is_away = !is_good;
	buf_release(&why);
	keeper->has_pulsed |= is_good;
	if (!is_good || !run->is_once)
		loop_timer_set(keeper->pulse, lease_ms / 4);
	/* maybe there is no worker that could end */
	keeper_on_child(keeper, 0, 0);
}

/* Beginning and ending. */

struct keeper *
keeper_new(const struct keeper_options *how, int *status)
{
	struct keeper *keeper = mem_zero(sizeof(*keeper));
	const struct options_store *store = &how->options->store;
	enum diag_code code = DIAG_STORE_UNUSABLE;
	char host[65] = "";
	struct buf why = BUF_UP_TO(SIZE_MAX);

	keeper->how = *how;
	keeper->status = keeper->lock = -1;
	(void)gethostname(host, sizeof(host) - 1);
	(void)snprintf(keeper->place, sizeof(keeper->place), "%s %ld", host,
	    (long)getpid());
	if (options_make_folder(how->options))
		keeper->lock = members_name(store->machine, keeper->name);
	if (keeper->lock < 0) {
		(void)buf_print(&why, "cannot write beside the caches '%s'",
		    store->machine);
	} else if (flock(keeper->lock, LOCK_EX | LOCK_NB) != 0) {
		code = DIAG_STORE_LOCKED;
		(void)buf_print(
		    &why, "another 'run' of this machine keeps this store");
	} else {
		code = members_open(store->url, &keeper->members, &why);
	}
	*status = exit_of_store(code);
	if (code == DIAG_OK) {
		keeper->pulse = loop_timer_new(
		    how->loop, keeper_on_pulse, keeper);
		loop_timer_set(keeper->pulse, 0);
		keeper->child = loop_watch_new(
		    how->loop, SIGCHLD, LOOP_SIGNAL, keeper_on_child, keeper);
	} else {
		complain("%s: %s", diag_name(code), buf_str(&why));
		keeper_free(keeper);
		keeper = NULL;
	}
	buf_release(&why);
	return keeper;
}

void
keeper_stop(struct keeper *keeper)
{
	keeper->is_stopping = true;
	(void)keeper_signal(keeper, SIGTERM);
	/* other machines hear of it */
	keeper_on_pulse(keeper);
}

void
keeper_free(struct keeper *keeper)
{
	if (keeper == NULL)
		return;
	loop_watch_free(keeper->child);
	loop_timer_free(keeper->pulse);
	members_free(keeper->members);
	if (keeper->lock >= 0)
		(void)close(keeper->lock);
	free(keeper->shards);
	free(keeper);
}
