/* A program of the user's that takes pages. */
#include "crawler/archive/program.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fifo.h"
#include "base/mem.h"
#include "crawler/event/spawn.h"
#include "crawler/event/standard.h"

#define MAX_ANSWER 4096 /* bytes of a line that are looked at */
#define LOOK_MS 50 /* between two looks whether it has ended */
#define LOOKS 10 /* so often is a program waited for that answers no more */

struct program {
	struct program_callbacks callbacks;
	pid_t pid; /* 0: it has ended */
	int status; /* of the program that has ended */
	int in, out; /* owned: its stdin, and its stdout; -1: closed */
	struct outlet outlet;
	struct inlet inlet;
	struct loop_timer *look; /* owned */
	bool is_finishing; /* no page follows */
	bool is_deaf; /* no answer follows */
	unsigned looks; /* since it has ended, or answers no more */
	struct fifo ids; /* of pages without an answer */
};

static void
program_answer(struct program *program, enum program_answer answer)
{
	/* A line that answers for no page says nothing. */
	if (fifo_count(&program->ids) > 0)
		program->callbacks.answered(
		    program->callbacks.arg, fifo_take(&program->ids), answer);
}

static void
program_take_line(void *arg, struct slice line)
{
	program_answer(arg,
	    slice_is(slice_trim(line), "ok") ? PROGRAM_TAKES : PROGRAM_REFUSES);
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
}

static void
program_written(void *arg)
{
	struct program *program = arg;

	program->is_deaf |= program->outlet.error != 0;
	if (program->is_finishing && program->outlet.out.len == 0)
		program_close_in(program);
}

/* Has the program ended, and is all read that it answered?  Its stdout may stay
 * open in a process that it started, which is not waited for. */
static void
program_look(void *arg)
{
	struct program *program = arg;

	(void)spawn_ended(&program->pid, WNOHANG, &program->status);
	if (program->pid == 0 &&
	    (program->inlet.is_over || program->looks > LOOKS)) {
		while (fifo_count(&program->ids) > 0)
			program_answer(program, PROGRAM_ENDED);
		program->callbacks.ended(
		    program->callbacks.arg, program->status);
		return;
	}
	if (program->is_deaf)
		program_close_in(program);
	if (program->pid == 0 || program->is_deaf)
		program->looks++;
	if (program->pid != 0 && program->looks == LOOKS)
		(void)kill(-program->pid, SIGTERM);
	loop_timer_set(program->look, LOOK_MS);
}

struct program *
program_new(struct loop *loop, const char *command,
    const struct program_callbacks *callbacks)
{
	struct program *program;
	int in[2], out[2];
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) != 0)
		return NULL;
	if (pipe2(out, O_CLOEXEC) != 0) {
		(void)close(in[0]);
		(void)close(in[1]);
		return NULL;
	}
	pid = spawn_shell(command, in[0], out[1]);
	(void)close(in[0]);
	(void)close(out[1]);
	program = mem_zero(sizeof(*program));
	*program = (struct program){.callbacks = *callbacks,
	    .pid = pid < 0 ? 0 : pid,
	    .in = in[1],
	    .out = out[0]};
	outlet_init(
	    &program->outlet, loop, program->in, program_written, program);
	inlet_init(&program->inlet, loop, program->out,
	    &(struct inlet_options){.max_line = MAX_ANSWER,
		.line = program_take_line,
		.end = program_is_deaf,
		.arg = program});
	program->look = loop_timer_new(loop, program_look, program);
	loop_timer_keep(program->look);
	loop_timer_set(program->look, LOOK_MS);
	if (pid >= 0)
		return program;
	program_free(program);
	return NULL;
}

void
program_put(struct program *program, uint32_t id, struct slice line)
{
	fifo_put(&program->ids, id);
	/* One that answers no more refuses the page when it has ended. */
	if (program->in < 0)
		return;
	outlet_put(&program->outlet, line);
	outlet_put(&program->outlet, slice_of("\n"));
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
	if (program_bytes(program) == 0)
		program_close_in(program);
}

void
program_free(struct program *program)
{
	if (program == NULL)
		return;
	if (program->pid != 0)
		(void)kill(-program->pid, SIGTERM);
	program_close_in(program);
	inlet_release(&program->inlet);
	(void)close(program->out);
	loop_timer_free(program->look);
	free(program->ids.items);
	free(program);
}
