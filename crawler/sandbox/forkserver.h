/*
 * The fork server: a small process that main forks before anything else. All
 * readers are forked from it, so that no reader inherits a connection, a key or
 * a database (DESIGN section 3). If it is killed, there are no more readers
 * (HOSTILE P4): main itself cannot fork another one, because main holds
 * descriptors by then.
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
	uint32_t job_cpu_s; /* CPU seconds for one job: 10; 0: no limit */
	/* a descriptor of this process that the server closes; 0: none */
	int private_fd;
	/* With -Dtest_hooks the first reader calls inject before it reads its
	 * first job and after it has answered that job; `fault` is passed on.
	 * NULL: no fault is injected. */
	reader_inject_fn *inject;
	const char *fault;
};

/* FORKSERVER_EXTEND grants this many seconds beyond job_cpu_s, so that one call
 * is enough for all jobs that begin within them. */
#define FORKSERVER_SLACK_S 2

/* Main's side of the server. */
struct forkserver {
	/* owned; readable when forkserver_take has a message, and always after
	 * FORKSERVER_GONE */
	int fd;
	pid_t pid;
	bool is_gone;
};

/* forkserver_start(options): fork the server. Call it before any library is
 * initialised, any file opened or any thread started. The server ends when this
 * process ends. NULL with errno when fork or socketpair fails. */
struct forkserver *forkserver_start(const struct forkserver_options *);

/* forkserver_free(forkserver): end the server, and its readers with it. */
void forkserver_free(struct forkserver *);

enum forkserver_request {
	FORKSERVER_SPAWN, /* a reader */
	FORKSERVER_KILL,
	/* Before a new job: the reader may use job_cpu_s more CPU seconds from
	 * now on. */
	FORKSERVER_EXTEND
};

/* forkserver_ask(forkserver, request, pid): the answers come through
 * forkserver_take, in the order of the requests. False: the server is gone. A
 * pid that is not one of the server's readers is ignored. */
bool forkserver_ask(struct forkserver *, enum forkserver_request, pid_t pid);

enum forkserver_event {
	FORKSERVER_SPAWNED,
	FORKSERVER_FAILED,
	FORKSERVER_EXITED,
	FORKSERVER_GONE
};

struct forkserver_message {
	enum forkserver_event event;
	pid_t pid;
	/* SPAWNED: main's end of the reader's socket, now owned by the
	 * caller */
	int fd;
	int status; /* EXITED: as from waitpid; FAILED: errno */
};

/* forkserver_take(forkserver, message): false: there is no message now. GONE
 * comes once, when the server and its readers are gone. */
bool forkserver_take(struct forkserver *, struct forkserver_message *);

#endif
