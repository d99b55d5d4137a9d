/* What libevent has to say. */
#ifndef FRESHET_LOOP_LOG_H
#define FRESHET_LOOP_LOG_H

/* loop_log(): from now on an error of libevent, which is that no descriptor is
 * left, ends the process with EXIT_RESOURCES and one line; else it is silent.
 */
void loop_log(void);

#endif
