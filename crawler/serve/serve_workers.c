/*
 * Processes that make answers.
 *
 *	waiting --turn--> running --end of its stdout--> done
 *	   |                 |
 *	   +--- deadline ----+--- too long, enough lines: killed --> done
 *	   +--- cancelled ---+--------------------------: killed
 *
 * leave() takes a worker out of its list, and kills what still runs.
 */
#include "crawler/serve/serve_workers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "crawler/event/splitter.h"
#include "crawler/sandbox/sandbox.h"

#define PART 65536 /* bytes that are read at once */
#define WHY_MAX 4096
/* A crawl on the same machine goes first. */
#define NICE 10

struct worker {
	struct serve_workers *workers;
	struct serve_work work;
	struct worker *next; /* of those that wait, or of those that run */
	pid_t pid; /* 0: the worker waits */
	bool has_ended; /* the process; it has been waited for */
	int out, err; /* ends of pipes */
	struct loop_watch *watch; /* of out */
	struct loop_timer *timer; /* its deadline */
	struct buf body;
	struct splitter lines; /* of its output */
	uint64_t seen, taken; /* lines that `only` allows */
};

static void
take_out(struct worker **list, struct worker *worker)
{
	while (*list != NULL && *list != worker)
		list = &(*list)->next;
	if (*list == worker)
		*list = worker->next;
}

static void
free_worker(struct worker *worker)
{
	loop_watch_free(worker->watch);
	loop_timer_free(worker->timer);
	if (worker->out >= 0)
		(void)close(worker->out);
	if (worker->err >= 0)
		(void)close(worker->err);
	buf_release(&worker->body);
	buf_release(&worker->lines.text);
	free(worker);
}

static void on_output(void *arg, int fd, int ready);

/* Start the process of a worker; false with errno, and then the worker is as it
 * was but for its pipes. */
static bool
worker_start(struct worker *worker)
{
	struct serve_workers *workers = worker->workers;
	pid_t parent = getpid();
	int out[2], err[2];
	int error;

	if (pipe2(out, O_CLOEXEC) != 0)
		return false;
	if (pipe2(err, O_CLOEXEC | O_NONBLOCK) != 0) {
		error = errno;
		(void)close(out[0]);
		(void)close(out[1]);
		errno = error;
		return false;
	}
	/* only this end does not block: whoever prints waits for room */
	(void)fcntl(out[0], F_SETFL, O_NONBLOCK);
	worker->pid = fork();
	error = errno;
	if (worker->pid == 0) {
		const struct serve_work *work = &worker->work;
		static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
		sigset_t none;
		int in;

		/* handlers of the loop would write to a pipe of the server */
		for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]);
		     i++)
			(void)signal(signals[i], SIG_DFL);
		(void)sigemptyset(&none);
		(void)sigprocmask(SIG_SETMASK, &none, NULL);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_TERMINATED);
		in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (in < 0 || dup2(in, STDIN_FILENO) < 0 ||
		    dup2(out[1], STDOUT_FILENO) < 0 ||
		    dup2(err[1], STDERR_FILENO) < 0)
			_exit(EXIT_RESOURCES);
		/* a connection of a client ends when the server closes it */
		closefrom(STDERR_FILENO + 1);
		/* without memory the kernel ends this process, not the daemon
		 */
		if (!sandbox_end_first(worker->workers->options.memory_bytes))
			_exit(EXIT_RESOURCES);
		(void)setpriority(PRIO_PROCESS, 0, NICE);
		_exit(work->print(work->arg));
	}
	(void)close(out[1]);
	(void)close(err[1]);
	worker->out = out[0];
	worker->err = err[0];
	if (worker->pid < 0) {
		worker->pid = 0;
		errno = error;
		return false;
	}
	worker->watch = loop_watch_new(
	    workers->options.loop, worker->out, LOOP_READ, on_output, worker);
	worker->next = workers->running;
	workers->running = worker;
	workers->count++;
	loop_await(workers->options.loop, 1);
	return true;
}

/* Start what waits while there is room.  One that cannot be started is told so:
 * it would wait for nothing. */
static void
start_next(struct serve_workers *workers)
{
	while (workers->waiting != NULL &&
	    workers->count < workers->options.at_once) {
		struct worker *worker = workers->waiting;
		struct serve_result failed = {
		    .status = EXIT_RESOURCES, .why = slice_of("")};

		take_out(&workers->waiting, worker);
		if (worker_start(worker))
			continue;
		worker->work.done(worker->work.arg, &failed);
		free_worker(worker);
	}
}

static int
reap(struct worker *worker)
{
	int how = 0;

	while (waitpid(worker->pid, &how, 0) < 0 && errno == EINTR)
		continue;
	worker->has_ended = true;
	return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/* Take the worker out of its list; a process that still runs is killed. */
static void
leave(struct worker *worker)
{
	struct serve_workers *workers = worker->workers;

	if (worker->pid == 0) {
		take_out(&workers->waiting, worker);
		return;
	}
	if (!worker->has_ended) {
		(void)kill(worker->pid, SIGKILL);
		(void)reap(worker);
	}
	take_out(&workers->running, worker);
	workers->count--;
	loop_await(workers->options.loop, -1);
}

static void
worker_finish(struct worker *worker, struct serve_result *result)
{
	struct serve_workers *workers = worker->workers;
	char why[WHY_MAX];
	ssize_t n = 0;

	leave(worker);
	/* Its stderr does not block, and has what fits into a pipe. */
	if (worker->pid > 0)
		n = read(worker->err, why, sizeof(why));
	result->taken = worker->taken;
	result->why = slice_make(why, n > 0 ? (size_t)n : 0);
	result->body = buf_text(&worker->body);
	worker->work.done(worker->work.arg, result);
	free_worker(worker);
	start_next(workers);
}

static void
on_deadline(void *arg)
{
	struct serve_result late = {.is_late = true};

	worker_finish(arg, &late);
}

static void
on_output(void *arg, int fd, int ready)
{
	struct worker *worker = arg;
	const struct serve_work *work = &worker->work;
	struct serve_result result = {0};
	char part[PART];
	ssize_t n = read(fd, part, sizeof(part));
	struct slice line;
	bool goes_on;

	(void)ready;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		result.status = reap(worker);
		worker_finish(worker, &result);
		return;
	}
	if (work->is_lines) {
		goes_on = splitter_put(
		    &worker->lines, slice_make(part, (size_t)n));
		while (goes_on && splitter_next(&worker->lines, &line)) {
			const char *texts = work->only;
			bool is_wanted = texts == NULL;
			struct slice text;

			while (!is_wanted && slice_next(&texts, '|', &text))
				is_wanted = slice_starts(line, text);
			if (!is_wanted)
				continue;
			if (worker->seen++ < work->offset)
				continue;
			/* One line more than is wanted says that there are
			 * more; so does one for which, with the comma before
			 * it, there is no room. */
			goes_on = worker->taken < work->limit &&
			    buf_reserve(&worker->body,
				line.len + (worker->taken > 0 ? 2 : 0));
			if (!goes_on)
				break;
			if (worker->taken++ > 0)
				(void)buf_put(&worker->body, ",\n", 2);
			(void)buf_put_slice(&worker->body, line);
		}
	} else {
		goes_on = buf_put(&worker->body, part, (size_t)n);
	}
	if (goes_on)
		return;
	/* a page of lines is an answer; a part of a page is none */
	result.has_more = work->is_lines && worker->taken > 0;
	result.is_too_long = !result.has_more;
	worker_finish(worker, &result);
}

void
serve_workers_release(struct serve_workers *workers)
{
	while (workers->waiting != NULL || workers->running != NULL) {
		struct worker *worker = workers->waiting != NULL
		    ? workers->waiting
		    : workers->running;

		leave(worker);
		free_worker(worker);
	}
}

bool
serve_workers_submit(
    struct serve_workers *workers, const struct serve_work *work)
{
	struct worker *worker = mem_zero(sizeof(*worker));

	*worker = (struct worker){
	    .workers = workers, .work = *work, .out = -1, .err = -1};
	buf_init(&worker->body, workers->options.max_bytes);
	/* What is read at once may be more than the answer may have. */
	splitter_init(&worker->lines, workers->options.max_bytes + PART);
	worker->timer = loop_timer_new(
	    workers->options.loop, on_deadline, worker);
	if (workers->count >= workers->options.at_once) {
		struct worker **end = &workers->waiting;

		while (*end != NULL)
			end = &(*end)->next;
		*end = worker;
	} else if (!worker_start(worker)) {
		int error = errno;

		free_worker(worker);
		errno = error;
		return false;
	}
	loop_timer_set(worker->timer, workers->options.deadline_ms);
	return true;
}

/* The work is among those that run or among those that wait, or it has ended.
 */
void
serve_workers_cancel(struct serve_workers *workers, const void *arg)
{
	struct worker *worker = workers->running;

	while (worker != NULL && worker->work.arg != arg)
		worker = worker->next;
	if (worker == NULL)
		worker = workers->waiting;
	while (worker != NULL && worker->work.arg != arg)
		worker = worker->next;
	if (worker == NULL)
		return;
	leave(worker);
	free_worker(worker);
	start_next(workers);
}
