/*
 * Functions of the C library for what is computed millions of times: inline,
 * for a smaller range of numbers, and right to 1e-11 of their value instead of
 * 1e-16 (scheduling-formulas.md, "Fast functions").  Results are the same on
 * every machine.
 */
#ifndef FRESHET_FAST_MATH_H
#define FRESHET_FAST_MATH_H

#include <stdint.h>
#include <string.h>

/* within(x, least, most): x limited to this range; NaN becomes `least`. */
static inline double
within(double x, double least, double most)
{
	x = x > least ? x : least;
	return x < most ? x : most;
}

/* fast_log1p(x): ln(1 + x), for x from 0 to 1e300. */
static inline double
fast_log1p(double x)
{
	double whole = 1 + x;
	uint64_t bits, above;
	double part;

	memcpy(&bits, &whole, sizeof(bits));
	/* 1 + x is part * 2^power; part is between 0.707 and 1.414 */
	above = bits - UINT64_C(0x3fe6a09e667f3bcd);
	int64_t power = (int64_t)above >> 52;
	bits = (above & UINT64_C(0xfffffffffffff)) +
	    UINT64_C(0x3fe6a09e667f3bcd);
	memcpy(&part, &bits, sizeof(part));
	/* for a small x the rounding error of 1 + x matters */
	part = power == 0 ? x : part - 1;
	double t = part / (2 + part);
	double u = t * t;
	double sum = 0.33333332822601636 +
	    u *
		(0.20000167627058807 +
		    u * (0.1426865208362348 + u * 0.11791120317437512));
	return 0.69314718055994531 * (double)power + 2 * t * (1 + u * sum);
}

/* fast_expm1(x): e^x - 1, for x from -700 to 700. */
static inline double
fast_expm1(double x)
{
	/* The nearest whole number is in the last bits of the sum. */
	double shifted = x * 1.4426950408889634 + 0x1.8p52;
	double power = shifted - 0x1.8p52;
	double r = x - power * 0.69314718055994531;
	uint64_t bits;
	double scale;

	memcpy(&bits, &shifted, sizeof(bits));
	bits = (bits + 1023) << 52;
	memcpy(&scale, &bits, sizeof(scale));
	double sum = 0.0013888809870577 +
	    r * (0.00019904998086410025 + r * 2.488223094594699e-05);
	sum = 0.04166666695184534 + r * (0.008333288903170496 + r * sum);
	sum = 0.49999999999740635 + r * (0.16666666754700324 + r * sum);
	return scale * (r + r * r * sum) + (scale - 1);
}

/* fast_power(x, power): (1 + x)^-power, for power >= 0: its relative error is
 * at most 1e-11 times its logarithm, plus 1e-15. */
static inline double
fast_power(double x, double power)
{
	double exponent = -power * fast_log1p(x);

	return 1 + fast_expm1(exponent > -700 ? exponent : -700);
}

#endif
