/*
 * Which shards a machine has, and their workers.
 *
 *	no process -> running -> ending -> no process
 *	    ^            |
 *	    +- it died --+
 */
#include "crawler/daemon/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "store/depot/members.h"

/* A shard of which this many workers died within that time is left alone. */
#define DEATHS_MOST 3
#define DEATHS_MS 300000
#define ASIDE_MS 600000

/* A shard, as this machine sees it. */
struct keeper_shard {
	pid_t pid; /* 0: no worker */
	bool is_ending; /* the worker was told to */
	bool is_done; /* with is_once */
	int64_t died_ms[DEATHS_MOST]; /* the last ones first; 0: never */
	/* of the last pulse: */
	bool is_open, is_mine, is_free, is_lapsed;
	int64_t weight;
};

struct keeper {
	struct keeper_options how;
	struct members *members; /* owned */
	int lock; /* owned */
	char name[MEMBER_NAME_BYTES];
	char place[128];
	struct keeper_shard *shards; /* owned */
	size_t count, cap;
	struct loop_timer *pulse; /* owned */
	struct loop_watch *child; /* owned */
	/* since when each pulse was answered, and the last one that was */
	int64_t reached_ms, pulsed_ms;
	bool is_stopping, is_away;
	int status;
	/* of the last pulse: */
	unsigned open; /* shards */
	/* capacities of machines whose names come before this one's, and of
	 * all that stay */
	uint64_t before, all;
};

/* Workers. */

/* Start the worker of a shard.  It ends in good order when this process dies,
 * and is none of the business of the terminal or the service manager. */
static void
keeper_start(struct keeper *keeper, unsigned shard)
{
	static const int signals[] = {
	    SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCHLD, SIGPIPE};
	size_t argc = (size_t)keeper->how.argc;
	const char **words = mem_zero((argc + 3) * sizeof(*words));
	struct keeper_shard *kept = &keeper->shards[shard];
	pid_t parent = getpid();
	sigset_t all, before;
	char number[16], room[128];

	/* options may stand before the command, but not behind "--" */
	(void)snprintf(number, sizeof(number), "%u", shard);
	words[0] = "freshet";
	words[1] = "--shard";
	words[2] = number;
	memcpy(words + 3, keeper->how.argv + 1, (argc - 1) * sizeof(*words));
	/* A signal waits until the handlers of the parent are gone. */
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &before);
	kept->pid = fork();
	if (kept->pid == 0) {
		closefrom(STDERR_FILENO + 1);
		(void)setpgid(0, 0);
		(void)unsetenv("NOTIFY_SOCKET");
		for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]);
		     i++)
			(void)signal(signals[i], SIG_DFL);
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
		(void)sigemptyset(&all);
		(void)sigprocmask(SIG_SETMASK, &all, NULL);
		/* the parent may have ended before prctl() */
		if (getppid() == parent)
			(void)execv(
			    "/proc/self/exe", (char *const *)(uintptr_t)words);
		_exit(EXIT_RESOURCES);
	}
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	free(words);
	kept->is_ending = false;
	if (kept->pid < 0) {
		kept->pid = 0;
		keeper->how.event(keeper->how.arg, "problem", shard,
		    slice_of(strerror_r(errno, room, sizeof(room))));
	}
}

static void
keeper_end(struct keeper *keeper, unsigned shard)
{
	struct keeper_shard *kept = &keeper->shards[shard];

	if (kept->pid == 0 || kept->is_ending)
		return;
	kept->is_ending = true;
	(void)kill(kept->pid, SIGTERM);
}

/* A worker died: the next one begins at once, unless that is of no use. */
static void
keeper_bury(struct keeper *keeper, unsigned shard, int status)
{
	struct keeper_shard *kept = &keeper->shards[shard];
	int64_t now_ms = loop_now_ms(keeper->how.loop);
	bool is_hopeless = kept->died_ms[DEATHS_MOST - 2] > 0 &&
	    now_ms - kept->died_ms[DEATHS_MOST - 2] < DEATHS_MS;
	struct buf text;

	memmove(kept->died_ms + 1, kept->died_ms,
	    (DEATHS_MOST - 1) * sizeof(kept->died_ms[0]));
	kept->died_ms[0] = now_ms;
	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, "its worker ended by %s %d",
	    WIFSIGNALED(status) ? "signal" : "itself with status",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (is_hopeless) {
		(void)buf_print(&text,
		    ", %d times in 5 minutes: the shard is left alone by all "
		    "for 10 minutes",
		    DEATHS_MOST);
		memset(kept->died_ms, 0, sizeof(kept->died_ms));
		kept->is_done = keeper->how.is_once;
		keeper->status = keeper->how.is_once ? EXIT_BUG : EXIT_DONE;
	}
	keeper->how.event(keeper->how.arg, "problem", shard, buf_text(&text));
	buf_clear(&text);
	if (!is_hopeless)
		keeper_start(keeper, shard);
	else if (!members_set_aside(
		     keeper->members, shard, keeper->name, ASIDE_MS, &text))
		keeper->how.event(
		    keeper->how.arg, "problem", shard, buf_text(&text));
	buf_release(&text);
}

unsigned
keeper_workers(const struct keeper *keeper, unsigned *shards)
{
	unsigned count = 0;

	for (size_t i = 0; i < keeper->count; i++)
		count += keeper->shards[i].pid != 0;
	*shards = (unsigned)keeper->count;
	return count;
}

static void
keeper_on_child(void *arg, int number, int ready)
{
	struct keeper *keeper = arg;
	unsigned shards;

	(void)number, (void)ready;
	for (unsigned i = 0; i < keeper->count; i++) {
		struct keeper_shard *kept = &keeper->shards[i];
		int status, code;

		if (kept->pid == 0 ||
		    waitpid(kept->pid, &status, WNOHANG) != kept->pid)
			continue;
		kept->pid = 0;
		code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		if (kept->is_ending) {
			struct buf why;

			/* it was filling its cache, and could not give */
			buf_init(&why, SIZE_MAX);
			if (code < 0)
				(void)members_set_aside(
				    keeper->members, i, keeper->name, 0, &why);
			buf_release(&why);
		} else if (code == EXIT_LOCKED || code == EXIT_USAGE ||
		    code == EXIT_INTERRUPTED || code == EXIT_TERMINATED) {
			/* another machine was quicker, PostgreSQL is away, or
			 * somebody ended it: the next pulse sees */
		} else if (!keeper->how.is_once || code < 0) {
			keeper_bury(keeper, i, status);
		} else {
			kept->is_done = true;
			if (keeper->status == EXIT_LOCKED ||
			    code > keeper->status)
				keeper->status = code;
		}
	}
	if (keeper->is_stopping && keeper_workers(keeper, &shards) == 0)
		keeper->how.over(keeper->how.arg, keeper->status);
	else if (keeper->how.is_once)
		loop_timer_set(keeper->pulse, 0);
}

/* Pulses. */

static void
keeper_on_shard(void *arg, const struct member_shard *shard)
{
	struct keeper *keeper = arg;
	struct keeper_shard *kept;

	while (keeper->count <= shard->shard) {
		keeper->shards = mem_grow(keeper->shards, &keeper->cap,
		    keeper->count + 1, sizeof(*keeper->shards));
		keeper->shards[keeper->count++] = (struct keeper_shard){0};
	}
	kept = &keeper->shards[shard->shard];
	kept->is_open = shard->is_open;
	kept->is_free = shard->owner[0] == '\0';
	kept->is_mine = strcmp(shard->owner, keeper->name) == 0;
	kept->is_lapsed = shard->left_ms < 0;
	kept->weight = shard->sites + shard->pages;
	keeper->open += shard->is_open;
}

static void
keeper_on_machine(void *arg, const struct machine *machine)
{
	struct keeper *keeper = arg;

	if (machine->left_ms < 0 || machine->leaves)
		return;
	keeper->all += machine->capacity;
	if (strcmp(machine->name, keeper->name) < 0)
		keeper->before += machine->capacity;
}

/* May a worker for the shard begin?  First those that this machine had last,
 * then those of which it has a cache, then others. */
static bool
keeper_may_start(const struct keeper *keeper, unsigned shard, int turn)
{
	const struct keeper_shard *kept = &keeper->shards[shard];
	/* after an outage the owners of before come back first */
	bool may_take = keeper->pulsed_ms - keeper->reached_ms >=
	    members_lease_ms(keeper->members);
	bool has_cache;
	struct buf path;

	if (kept->pid != 0 || kept->is_done || !kept->is_open ||
	    (!kept->is_free && !kept->is_mine &&
		(!kept->is_lapsed || !may_take)))
		return false;
	if (turn != 1)
		return turn == 2 || kept->is_mine;
	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%.*s-%u.db",
	    (int)(strlen(keeper->how.machine) - strlen(".db")),
	    keeper->how.machine, shard);
	has_cache = access(buf_str(&path), F_OK) == 0;
	buf_release(&path);
	return has_cache;
}

/* Start workers up to the fair part of this machine, and end one if there are
 * more. */
static void
keeper_balance(struct keeper *keeper, unsigned capacity)
{
	uint64_t from = keeper->all == 0
	    ? 0
	    : keeper->open * keeper->before / keeper->all;
	uint64_t part = keeper->all == 0
	    ? keeper->open
	    : keeper->open * (keeper->before + capacity) / keeper->all - from;
	struct keeper_shard *least = NULL;
	unsigned running = 0, shards;

	for (unsigned i = 0; i < keeper->count; i++) {
		struct keeper_shard *kept = &keeper->shards[i];

		if (!kept->is_open)
			keeper_end(keeper, i);
		if (kept->pid == 0 || kept->is_ending)
			continue;
		running++;
		if (least == NULL || kept->weight < least->weight)
			least = kept;
	}
	if (running > part && !keeper->how.is_once) {
		unsigned shard = (unsigned)(least - keeper->shards);

		keeper->how.event(keeper->how.arg, "give", shard, slice_of(""));
		keeper_end(keeper, shard);
	}
	/* machines that begin together begin at different shards */
	for (int turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < keeper->count && running < part; i++) {
			unsigned shard = (unsigned)((from + i) % keeper->count);

			if (!keeper_may_start(keeper, shard, turn))
				continue;
			keeper_start(keeper, shard);
			running++;
		}
	/* With is_once the end has come when nothing is left that this machine
	 * could have had. */
	bool is_left = false;

	for (unsigned i = 0; i < keeper->count; i++)
		is_left |= keeper->shards[i].is_open &&
		    !keeper->shards[i].is_done &&
		    (keeper->shards[i].is_free || keeper->shards[i].is_mine ||
			keeper->shards[i].is_lapsed);
	if (keeper->how.is_once && !is_left &&
	    keeper_workers(keeper, &shards) == 0)
		keeper->how.over(keeper->how.arg, keeper->status);
}

static void
keeper_on_pulse(void *arg)
{
	struct keeper *keeper = arg;
	int64_t lease_ms = members_lease_ms(keeper->members);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct machine machine = {.name = keeper->name,
	    .place = keeper->place,
	    .program = keeper->how.program,
	    .capacity = keeper->how.capacity > 0 ? keeper->how.capacity
		: processors > 0                 ? (unsigned)processors
						 : 1,
	    .leaves = keeper->is_stopping || keeper->how.is_once};
	bool is_good;
	struct buf why;

	buf_init(&why, SIZE_MAX);
	keeper->open = 0;
	keeper->before = keeper->all = 0;
	is_good = members_pulse(keeper->members, &machine, &why) &&
	    members_each(keeper->members, keeper_on_shard, keeper_on_machine,
		keeper, &why);
	if (is_good != !keeper->is_away)
		keeper->how.event(keeper->how.arg, "warning", -1,
		    is_good ? slice_of("PostgreSQL is there again")
			    : buf_text(&why));
	keeper->is_away = !is_good;
	buf_release(&why);
	loop_timer_set(keeper->pulse, lease_ms / 4);
	if (!is_good)
		return;
	if (keeper->pulsed_ms == 0 ||
	    loop_now_ms(keeper->how.loop) - keeper->pulsed_ms > lease_ms / 2)
		keeper->reached_ms = loop_now_ms(keeper->how.loop);
	keeper->pulsed_ms = loop_now_ms(keeper->how.loop);
	if (!keeper->is_stopping)
		keeper_balance(keeper, machine.capacity);
}

/* Beginning and ending. */

struct keeper *
keeper_new(const struct keeper_options *options, int *status, struct buf *why)
{
	struct keeper *keeper = mem_zero(sizeof(*keeper));
	char host[65] = "";

	keeper->how = *options;
	keeper->status = options->is_once ? EXIT_LOCKED : EXIT_DONE;
	*status = EXIT_USAGE;
	(void)gethostname(host, sizeof(host) - 1);
	(void)snprintf(keeper->place, sizeof(keeper->place), "%s %ld", host,
	    (long)getpid());
	keeper->lock = members_name(options->machine, keeper->name);
	if (keeper->lock < 0) {
		(void)buf_print(why, "cannot write beside the caches '%s'",
		    options->machine);
	} else if (flock(keeper->lock, LOCK_EX | LOCK_NB) != 0) {
		*status = EXIT_LOCKED;
		(void)buf_print(
		    why, "another 'run' of this machine keeps this store");
	} else if (members_open(options->url, &keeper->members, why) ==
	    DIAG_OK) {
		keeper->pulse = loop_timer_new(
		    options->loop, keeper_on_pulse, keeper);
		loop_timer_set(keeper->pulse, 0);
		keeper->child = loop_watch_new(options->loop, SIGCHLD,
		    LOOP_SIGNAL, keeper_on_child, keeper);
		return keeper;
	}
	keeper_free(keeper);
	return NULL;
}

void
keeper_stop(struct keeper *keeper)
{
	keeper->is_stopping = true;
	for (unsigned i = 0; i < keeper->count; i++)
		keeper_end(keeper, i);
	/* the other machines hear of it; and maybe no worker has to end */
	keeper_on_pulse(keeper);
	keeper_on_child(keeper, 0, 0);
}

void
keeper_signal(struct keeper *keeper, int number)
{
	for (size_t i = 0; i < keeper->count; i++)
		if (keeper->shards[i].pid != 0)
			(void)kill(keeper->shards[i].pid, number);
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
