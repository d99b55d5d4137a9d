/* The unit tests of a folder as one program: linking costs more than most of
 * them.  UNITS is X(name) for each of its modules. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define X(name) int unit_##name(void);
UNITS
#undef X

struct unit {
	const char *name;
	int (*run)(void);
};

#define X(name) {#name, unit_##name},
static const struct unit units[] = {UNITS};
#undef X

#define COUNT (sizeof(units) / sizeof(units[0]))

static const struct unit *
unit_find(const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (strcmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

/* A process of its own: a module that crashes hides no other. */
static int
unit_fork(const struct unit *unit)
{
	int status;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		exit(unit->run());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	if (WIFSIGNALED(status)) {
		printf(
		    "%s: killed by signal %d\n", unit->name, WTERMSIG(status));
		return 1;
	}
	return WEXITSTATUS(status);
}

int
main(int argc, char **argv)
{
	unsigned failed = 0;

	if (argc == 2 && strcmp(argv[1], "-l") == 0) {
		for (size_t i = 0; i < COUNT; i++)
			(void)puts(units[i].name);
		return 0;
	}
	for (int i = 1; i < argc; i++) {
		if (unit_find(argv[i]) == NULL) {
			(void)fprintf(stderr,
			    "usage: %s [-l | MODULE...]\n"
			    "There is no module '%s'; -l lists them.\n",
			    argv[0], argv[i]);
			return 2;
		}
	}
	/* Alone it needs no other process, and a debugger finds it here. */
	if (argc == 2)
		return unit_find(argv[1])->run();
	for (size_t i = 0; i < COUNT; i++) {
		bool is_wanted = argc == 1;
		int status;

		for (int k = 1; k < argc; k++)
			is_wanted |= strcmp(argv[k], units[i].name) == 0;
		if (!is_wanted)
			continue;
		status = unit_fork(&units[i]);
		if (status != 0 && status != 77) {
			printf("%s: FAILED\n", units[i].name);
			failed++;
		}
	}
	printf("%u modules failed\n", failed);
	return failed > 0;
}
