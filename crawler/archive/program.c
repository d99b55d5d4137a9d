/* A program of the user's that takes pages. */
#include "crawler/archive/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "crawler/event/spawn.h"
#include "crawler/event/standard.h"

#define MAX_ANSWER 4096 /* bytes of a line that are looked at */
#define LOOK_MS 500 /* between two looks whether it has ended */
#define SOON_MS 20 /* the same, when its end is near */
#define LOOKS 25 /* so often is a program waited for that answers no more */

struct program {
	struct program_callbacks callbacks;
	pid_t pid; /* 0: it has ended */
	int in, out; /* owned: its stdin, and its stdout; -1: closed */
	struct outlet outlet;
	struct inlet inlet;
	struct loop_timer *look; /* owned */
	bool is_finishing; /* no page follows */
	bool is_deaf; /* no answer follows */
	unsigned looks; /* since then, or since it has ended */
	int status; /* of the program that has ended */
	/* owned: pages without an answer, the oldest first, from `first` on */
	uint64_t *ids;
	size_t first, count, cap;
};

static void
program_answer(struct program *program, bool is_ok)
{
	/* A line that answers for no page says nothing. */
	if (program->first < program->count)
		program->callbacks.answered(program->callbacks.arg,
		    program->ids[program->first++], is_ok);
}

static void
program_take_line(void *arg, struct slice line)
{
	program_answer(arg, slice_is(slice_trim(line), "ok"));
}

static void
program_close_in(struct program *program)
{
	if (program->in < 0)
		return;
	outlet_release(&program->outlet);
	(void)close(program->in);
	program->in = -1;
}

static void
program_is_deaf(void *arg, int error)
{
	struct program *program = arg;

	(void)error;
	program->is_deaf = true;
	loop_timer_set(program->look, 0);
}

static void
program_written(void *arg)
{
	struct program *program = arg;

	if (program->outlet.error != 0)
		program_is_deaf(program, 0);
	else if (program->is_finishing && program->outlet.out.len == 0)
		program_close_in(program);
}

/* Has the program ended, and is all read that it answered?  Its stdout may stay
 * open in a process that it started, which is not waited for. */
static void
program_look(void *arg)
{
	struct program *program = arg;

	if (program->is_deaf)
		program_close_in(program);
	if (program->pid != 0 &&
	    spawn_ended(&program->pid, WNOHANG, &program->status))
		program->looks = 0;
	if (program->pid == 0 &&
	    (program->inlet.is_over || program->looks >= LOOKS)) {
		program_close_in(program);
		while (program->first < program->count)
			program_answer(program, false);
		program->callbacks.ended(
		    program->callbacks.arg, program->status);
		return;
	}
	if (program->pid == 0 || program->is_deaf)
		program->looks++;
	if (program->pid != 0 && program->looks == LOOKS)
		(void)kill(-program->pid, SIGTERM);
	loop_timer_set(program->look, program->looks > 0 ? SOON_MS : LOOK_MS);
}

struct program *
program_new(struct loop *loop, const char *command,
    const struct program_callbacks *callbacks)
{
	struct inlet_options options = {.max_line = MAX_ANSWER,
	    .line = program_take_line,
	    .end = program_is_deaf};
	struct program *program;
	int in[2], out[2];
	pid_t pid = -1;

	if (pipe2(in, O_CLOEXEC) != 0)
		return NULL;
	if (pipe2(out, O_CLOEXEC) == 0) {
		pid = spawn_shell(command, in[0], out[1]);
		(void)close(out[1]);
		if (pid < 0)
			(void)close(out[0]);
	}
	(void)close(in[0]);
	if (pid < 0) {
		(void)close(in[1]);
		return NULL;
	}
	program = mem_zero(sizeof(*program));
	program->callbacks = *callbacks;
	program->pid = pid;
	program->in = in[1];
	program->out = out[0];
	options.arg = program;
	outlet_init(
	    &program->outlet, loop, program->in, program_written, program);
	inlet_init(&program->inlet, loop, program->out, &options);
	program->look = loop_timer_new(loop, program_look, program);
	loop_timer_keep(program->look);
	loop_timer_set(program->look, LOOK_MS);
	return program;
}

void
program_put(struct program *program, uint64_t id, struct slice line)
{
	if (program->first > 0 && program->count == program->cap) {
		program->count -= program->first;
		memmove(program->ids, program->ids + program->first,
		    program->count * sizeof(*program->ids));
		program->first = 0;
	}
	*MEM_PUSH(program->ids, program->count, program->cap) = id;
	if (program->in < 0)
		return; /* it has ended, and refuses the page */
	outlet_put(&program->outlet, line);
	outlet_put(&program->outlet, slice_of("\n"));
}

unsigned
program_waiting(const struct program *program)
{
	return (unsigned)(program->count - program->first);
}

uint64_t
program_bytes(const struct program *program)
{
	return program->in < 0 ? 0 : program->outlet.out.len;
}

void
program_finish(struct program *program)
{
	program->is_finishing = true;
	if (program->in >= 0 && program->outlet.out.len == 0)
		program_close_in(program);
}

void
program_free(struct program *program)
{
	if (program == NULL)
		return;
	if (program->pid != 0)
		(void)kill(-program->pid, SIGTERM);
	for (int i = 0; i < LOOKS && program->pid != 0; i++)
		if (!spawn_ended(&program->pid, WNOHANG, &program->status))
			(void)poll(NULL, 0, SOON_MS);
	if (program->pid != 0)
		(void)kill(-program->pid, SIGKILL);
	(void)spawn_ended(&program->pid, 0, &program->status);
	program_close_in(program);
	inlet_release(&program->inlet);
	(void)close(program->out);
	loop_timer_free(program->look);
	free(program->ids);
	free(program);
}
