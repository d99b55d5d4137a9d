/* The tests of one module, as the program of its folder finds them. */
#ifndef FRESHET_UNIT_H
#define FRESHET_UNIT_H

/* UNIT(name): begins the function that runs the tests of module name.  It
 * returns what a program of cmocka exits with: the number of tests that failed,
 * or 77 when none could be run.  tests/unit/meson.build lists the modules. */
#define UNIT(name)             \
	int unit_##name(void); \
	int unit_##name(void)

/* UNIT_TESTS(name, tests...): the same with a body that runs these tests, each
 * as cmocka_unit_test(function) or what a fixture has in its place. */
#define UNIT_TESTS(name, ...)                                         \
	int unit_##name(void);                                        \
	int unit_##name(void)                                         \
	{                                                             \
		const struct CMUnitTest unit_tests[] = {__VA_ARGS__}; \
                                                                      \
		return cmocka_run_group_tests_name(                   \
		    #name, unit_tests, NULL, NULL);                   \
	}                                                             \
	int unit_##name(void)

#endif
