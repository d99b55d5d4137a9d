/* What the unit tests of options share: a run of options_parse. */
#ifndef FRESHET_OPTIONS_FIXTURE_H
#define FRESHET_OPTIONS_FIXTURE_H

#include "tests/unit/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawler/cli/options.h"

#define MAX_WORDS 24

/* A run of options_parse on words separated by spaces. */
struct run {
	struct options options;
	char line[512];
	char *argv[MAX_WORDS];
	int status;
	char said[1024]; /* on stderr */
};

static inline void
run_parse(struct run *run, const char *line)
{
	char *p = run->line;
	int argc = 0;
	int saved = dup(STDERR_FILENO);
	FILE *said = tmpfile();
	size_t len;

	(void)snprintf(run->line, sizeof(run->line), "%s", line);
	run->argv[argc++] = p;
	while ((p = strchr(p, ' ')) != NULL) {
		*p++ = '\0';
		assert_true(argc + 1 < MAX_WORDS);
		run->argv[argc++] = p;
	}
	run->argv[argc] = NULL;
	assert_non_null(said);
	assert_true(dup2(fileno(said), STDERR_FILENO) >= 0);
	run->status = options_parse(&run->options, argc, run->argv);
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	(void)close(saved);
	rewind(said);
	len = fread(run->said, 1, sizeof(run->said) - 1, said);
	run->said[len] = '\0';
	(void)fclose(said);
}

/* must_parse(run, line): it is good, and nothing was said. */
static inline void
must_parse(struct run *run, const char *line)
{
	run_parse(run, line);
	if (run->status != 0 || run->said[0] != '\0')
		fail_msg("%s: %s", line, run->said);
}

static inline void
clean_environment(void)
{
	static const char *const names[] = {"FRESHET_STORE", "FRESHET_DELAY",
	    "FRESHET_JSON", "FRESHET_PROFILE", "FRESHET_DIR_RULE",
	    "FRESHET_SET", "FRESHET_HEADER", "FRESHET_ALLOW_ADDRESS",
	    "FRESHET_PASSWORD", "FRESHET_TREE", "FRESHET_USER", "FRESHET_HELP",
	    "XDG_DATA_HOME", "XDG_CONFIG_HOME", "FRESHET_CONFIG",
	    "FRESHET_DEALY"};

	for (size_t i = 0; i < COUNT(names); i++)
		(void)unsetenv(names[i]);
	(void)setenv("HOME", "/home/x", 1);
}

/* write_file(path, text): path is a template for mkstemp. */
static inline void
write_file(char *path, const char *text)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
}

#endif
