/* base/late.c: a library is loaded, or the process ends. */
#include "tests/fixtures/fixture.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/late.h"

#define LIBRARY "libm.so.6" /* as old as the ABI of the C library */

static void
test_loads(void **state)
{
	double (*power)(double, double) = NULL;
	double (*root)(double) = NULL;
	const struct late_function functions[] = {
	    {"pow", &power}, {"sqrt", &root}};

	late_load(LIBRARY, functions, 2);
	assert_true(power(2, 10) == 1024);
	assert_true(root(81) == 9);
}

static void
assert_ends(const char *library, const char *name)
{
	int (*function)(void) = NULL;
	const struct late_function functions[] = {{name, &function}};
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		late_load(library, functions, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 8);
}

static void
test_missing(void **state)
{
	assert_ends("libfreshet-none.so.0", "pow");
	assert_ends(LIBRARY, "freshet_none");
}

UNIT(late)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_loads),
	    cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
