/* Random numbers that are the same everywhere; not for secrets. */
#ifndef FRESHET_RANDOM_H
#define FRESHET_RANDOM_H

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", 2014): all seeds are equally good. */
struct random {
	uint64_t state;
};

/* random_init(random, seed, stream): streams of one seed are independent. */
void random_init(struct random *, uint64_t seed, uint64_t stream);

uint64_t random_next(struct random *);

/* random_unit: in [0, 1), in steps of 2^-53. */
double random_unit(struct random *);

/* random_between(random, low, high): in [low, high). */
double random_between(struct random *, double low, double high);

/* random_below(random, n): 0 .. n - 1; n > 0. */
uint32_t random_below(struct random *, uint32_t n);

/* random_exponential(random): exponentially distributed with mean 1, >= 0.
 * random_normal(random): normally distributed with mean 0 and variance 1. */
double random_exponential(struct random *);
double random_normal(struct random *);

#endif
