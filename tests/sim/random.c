/* splitmix64, and the distributions that worlds are made of. */
#include "tests/sim/random.h"

#include <math.h>

uint64_t
random_next(struct random *random)
{
	uint64_t z;

	random->state += UINT64_C(0x9e3779b97f4a7c15);
	z = random->state;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void
random_init(struct random *random, uint64_t seed, uint64_t stream)
{
	/* The state is mixed twice, so that streams with neighbouring numbers
	 * start far from each other. */
	random->state = seed;
	random->state = random_next(random) ^ stream;
	random->state = random_next(random);
}

double
random_unit(struct random *random)
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

double
random_between(struct random *random, double low, double high)
{
	return low + (high - low) * random_unit(random);
}

uint32_t
random_below(struct random *random, uint32_t n)
{
	return (uint32_t)(((random_next(random) >> 32) * n) >> 32);
}

double
random_exponential(struct random *random)
{
	return -log(1 - random_unit(random));
}

/* The method of Box and Muller, which makes two numbers; the second one is not
 * used. */
double
random_normal(struct random *random)
{
	double radius = sqrt(2 * random_exponential(random));

	return radius * cos(2 * 3.14159265358979323846 * random_unit(random));
}
