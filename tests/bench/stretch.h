/* What a stretch of a measurement took. */
#ifndef FRESHET_STRETCH_H
#define FRESHET_STRETCH_H

/* From its beginning on, by the one clock and the other. */
struct stretch {
	double wall_s;
	double cpu_s;
};

/* stretch_begin(): it begins now.  stretch_say(name, from, count): print how
 * many of these a second took, and the CPU of each, NAME_per_s and NAME_us. */
struct stretch stretch_begin(void);
void stretch_say(const char *name, const struct stretch *from, double count);

#endif
