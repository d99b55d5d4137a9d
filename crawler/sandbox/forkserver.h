/*
 * The fork server: a small process forked first of all, from which readers
 * are forked, so that no reader inherits a connection, a key or a database
 * (DESIGN 3.2).  A second one waits to take its place (HOSTILE P4), and then
 * forks another to wait: main itself cannot fork one any more that holds
 * nothing.
 */
#ifndef FRESHET_FORKSERVER_H
#define FRESHET_FORKSERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum sandbox_mode { SANDBOX_REQUIRED, SANDBOX_AUTO, SANDBOX_OFF };

struct reader_scene;

typedef void reader_inject_fn(const struct reader_scene *);

struct forkserver_options {
	enum sandbox_mode sandbox;
	uint64_t reader_memory; /* RLIMIT_AS, bytes; 0: none */
	uint32_t job_cpu_s; /* CPU seconds of one job: 10; 0: no limit */
	/* With -Dtest_hooks the first reader calls inject before it reads its
	 * first job and after it has answered that job; fault is passed on.
	 * NULL: no fault is injected. */
	reader_inject_fn *inject;
	const char *fault;
};

/* What forkserver_extend grants beyond job_cpu_s, so that one call is good
 * for all jobs that begin within this many seconds. */
#define FORKSERVER_SLACK_S 2

struct forkserver;

/*
 * forkserver_start(options): fork the server and its spare.  Call before any
 * library is initialised, any file opened or any thread started: the servers
 * end when this process does.  NULL with errno when fork or socketpair fail.
 */
struct forkserver *forkserver_start(const struct forkserver_options *);

/* forkserver_free(forkserver): the servers end, the readers with them. */
void forkserver_free(struct forkserver *);

/* forkserver_fd(forkserver): readable when forkserver_take has something;
 * for ever after FORKSERVER_GONE. */
int forkserver_fd(const struct forkserver *);
pid_t forkserver_pid(const struct forkserver *);

/* Requests; answers come through forkserver_take in order of the requests.
 * All return false when the server is gone.  A pid that is none of its
 * readers is ignored. */
bool forkserver_spawn(struct forkserver *);
bool forkserver_kill(struct forkserver *, pid_t pid);
/* let the reader use job_cpu_s more from now on, before a new job */
bool forkserver_extend(struct forkserver *, pid_t pid);

enum forkserver_event {
	FORKSERVER_SPAWNED,
	FORKSERVER_FAILED,
	FORKSERVER_EXITED,
	FORKSERVER_GONE
};

struct forkserver_message {
	enum forkserver_event event;
	pid_t pid;
	int fd; /* SPAWNED: main's end of the reader's socket, yours */
	int status; /* EXITED: as from waitpid; FAILED: errno */
};

/* forkserver_take(forkserver, message): false when nothing is there now.
 * GONE comes once, when the server is, and its readers with it. */
bool forkserver_take(struct forkserver *, struct forkserver_message *);

/* forkserver_replace(forkserver): after GONE, let the spare take its place;
 * forkserver_fd is another one then.  False: there is none. */
bool forkserver_replace(struct forkserver *);

#endif
