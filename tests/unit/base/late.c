/* base/late.c: a library is loaded, or the process ends. */
#include "tests/fixtures/fixture.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/late.h"

#define LIBRARY "libm.so.6" /* as old as the ABI of the C library */

static void
test_loads(void **state)
{
#define FUNCTIONS(F) F(pow) F(sqrt)
	struct {
		FUNCTIONS(LATE_POINTER)
	} math = {0};

	late_load(LIBRARY, LATE_NAMES(FUNCTIONS), &math);
	assert_true(math.pow(2, 10) == 1024);
	assert_true(math.sqrt(81) == 9);
	/* nothing is sought again */
	late_load("libfreshet-none.so.0", LATE_NAMES(FUNCTIONS), &math);
}

static void
assert_ends(const char *library, const char *name)
{
	int (*function)(void) = NULL;
	const char *const names[] = {name, NULL};
	int status = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		late_load(library, names, &function);
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
