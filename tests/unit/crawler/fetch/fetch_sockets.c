/* crawler/fetch/fetch.c: how many transfers the limit allows. */
#include "crawler/fetch/fetch.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fixtures/fixture.h"

/* HOSTILE T31: raised to min(hard, 4,096); (limit - 64) / 3, at most 1,024,
 * and one at least. */
static const struct {
	rlim_t soft, hard;
	unsigned transfers;
	rlim_t then;
} rows[] = {
    {16, 16, 1, 16},
    {64, 64, 1, 64},
    {67, 67, 1, 67},
    {70, 70, 2, 70},
    {64, 256, 64, 256},
    {256, 1024, 320, 1024},
    {1024, 4096, 1024, 4096},
    {1024, 8192, 1024, 4096},
    {5000, 8192, 1024, 5000},
};

static void
test_rows(void **state)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rlimit limit = {rows[i].soft, rows[i].hard};
		int status;
		pid_t pid;

		/* In a child, because a hard limit cannot be raised again. */
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
				_exit(1);
			if (fetch_transfers() != rows[i].transfers)
				_exit(2);
			(void)getrlimit(RLIMIT_NOFILE, &limit);
			_exit(limit.rlim_cur == rows[i].then ? 0 : 3);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

UNIT_TESTS(fetch_sockets, cmocka_unit_test(test_rows));
