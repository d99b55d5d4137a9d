/*
 * The driver: the machine that moves tasks from state to state.
 *
 * Modules post the next state of a task, see run_tables.h; the one switch that
 * acts on a state is here.  Whoever gets an event from the loop (a timer, an
 * answer, a reading, a commit) ends it with machine_run().
 */
#ifndef FRESHET_RUN_MACHINE_H
#define FRESHET_RUN_MACHINE_H

struct run;

/* machine_run(run): move all tasks with a posted state, and continue the tasks
 * and crawls that waited for a robots.txt that is known now, until nothing is
 * posted. */
void machine_run(struct run *);

/* machine_go_on(run): children of committed indexes begin, documents whose
 * proofs came later are looked at, and tasks of LIST_BEGINNING begin, each for
 * a few milliseconds; ask for another round of the loop if there is more to do.
 */
void machine_go_on(struct run *);

/* machine_take(run): send requests from the host queue and from the DNS queue,
 * as many as there is room for, and set the timer run.pump for the next one. */
void machine_take(struct run *);

/* machine_hold(run): hosts were held: what waits for them for longer than a
 * crawl waits gets no answer; ordered pages are judged anew, and come back. */
void machine_hold(struct run *);

/* machine_end_all(run): the run ends: all tasks become DONE, whatever their
 * state is. */
void machine_end_all(struct run *);

/* dns_queue_open(run): all tasks go back into the host queue. */
void dns_queue_open(struct run *);

#endif
