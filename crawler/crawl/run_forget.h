/* The driver: origins and hosts that were not asked for long are forgotten. */
#ifndef FRESHET_RUN_FORGET_H
#define FRESHET_RUN_FORGET_H

struct run;

/*
 * forget_some(run): when there are twice as many origins as after the last
 * look, forget those that nobody has used for a while, and their hosts.  What
 * the store knows of them is read again when they come back.  Hosts that
 * fail, or asked for a pause, are kept until that is over.
 */
void forget_some(struct run *);

#endif
