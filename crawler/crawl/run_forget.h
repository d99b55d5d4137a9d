/*
 * The driver: forget origins and hosts that have had no request for a long
 * time.
 */
#ifndef FRESHET_RUN_FORGET_H
#define FRESHET_RUN_FORGET_H

struct run;

/* forget_some(run): when there are twice as many origins as after the last
 * look, forget those that nobody has used for a while, and their hosts. If such
 * an origin is needed later, what the store knows of it is read again. Hosts
 * that fail, or asked for a pause, are kept until that is over. */
void forget_some(struct run *);

#endif
