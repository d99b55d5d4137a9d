/*
 * The reader: a process that turns bodies into readings and can do nothing
 * else.  It is forked by the fork server, enters the sandbox, and then serves
 * jobs from its socket until the socket is closed.
 */
#ifndef FRESHET_READER_H
#define FRESHET_READER_H

#include <stdbool.h>

#include "crawler/sandbox/forkserver.h"

struct scope;

/* How a reader ends, if not by a signal; READER_EXIT_MEMORY is mem_alloc's. */
enum reader_exit {
	READER_EXIT_OK,
	READER_EXIT_PROTOCOL = 3,
	READER_EXIT_NO_SANDBOX,
	READER_EXIT_MEMORY = 8,
	READER_EXIT_PLANT_BAD = 40,
	READER_EXIT_PLANT_GOOD
};

/* reader_main(fd, options): never returns; exits 0 at the end of the socket.
 */
_Noreturn void reader_main(int fd, const struct forkserver_options *);

/* What there is to misbehave with. */
struct reader_plant_scene {
	const char *name;
	int socket_fd;
	int body_fd;
	int scratch_fd; /* -1: none */
	const struct scope *scope; /* of the job */
	bool is_after_end; /* the job is read and answered */
};

/*
 * reader_plant(scene): the planted misbehaviours by which the tests prove the
 * sandbox, in the real reader: "open", "socket", "exec", "fork", "fds", "map",
 * "crash", "loop", "sleep", "garbage", "oversize", "flood", "pack", "exit",
 * "memory", "after-end", "ends", and those of reader_lie.  Returns when the
 * scene is not the name's.  Compiled with FRESHET_TEST_HOOKS only.
 *
 * It exits READER_EXIT_PLANT_GOOD when the sandbox held ("open": all answers
 * were EACCES; "fds": nothing is open but 0, 1, 2, socket, body, scratch),
 * READER_EXIT_PLANT_BAD when it did not.
 */
void reader_plant(const struct reader_plant_scene *);

/* reader_plant_is_known(name): is there such a misbehaviour? */
bool reader_plant_is_known(const char *name);

/*
 * reader_lie(scene): answers that keep the protocol and are not true, by the
 * names "lie-…" of reader_lies.c, of which "lie-none" is true.  Exits after
 * the answer; returns as reader_plant.
 */
void reader_lie(const struct reader_plant_scene *);
bool reader_lie_is_known(const char *name);

#endif
