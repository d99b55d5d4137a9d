/* A command of this program, run as another process beside the loop. */
#include "crawler/commands/demo_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define PREFIX "FRESHET_"

struct strings {
	char **items; /* owned, and each string too; NULL-terminated */
	size_t count;
	size_t cap;
};

static void
add(struct strings *strings, char *text)
{
	strings->items = mem_grow(strings->items, &strings->cap,
	    strings->count + 2, sizeof(*strings->items));
	strings->items[strings->count++] = text;
	strings->items[strings->count] = NULL;
}

static void
release(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
}

static void
add_variable(struct strings *strings, const char *name, const char *value)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, PREFIX "%s=%s", name, value);
	add(strings, buf_take(&text));
}

/* Neither the operator's variables nor a configuration may change the story.
 */
static void
make_environment(
    struct strings *strings, const struct demo_surroundings *surroundings)
{
	static const char *const colors[] = {"auto", "always", "never"};
	const struct options *options = surroundings->options;
	struct buf connect_to;

	for (char **p = environ; *p != NULL; p++)
		if (strncmp(*p, PREFIX, strlen(PREFIX)) != 0)
			add(strings, mem_copy(*p));
	buf_init(&connect_to, SIZE_MAX);
	(void)buf_print(&connect_to, "%s:80:127.0.0.1:%u", surroundings->host,
	    surroundings->port);
	add_variable(strings, "CONNECT_TO", buf_str(&connect_to));
	buf_release(&connect_to);
	add_variable(strings, "STORE", surroundings->store);
	add_variable(strings, "COLOR", colors[options->color]);
	add_variable(strings, "CONFIG", "/dev/null");
	if (options->is_json)
		add_variable(strings, "JSON", "1");
}

/* become(arguments, environment, parent): in the child; never returns. */
static void
become(char *const *arguments, char *const *environment, pid_t parent)
{
	sigset_t none;
	int fd = open("/dev/null", O_RDONLY);

	if (fd > STDIN_FILENO && dup2(fd, STDIN_FILENO) == STDIN_FILENO)
		(void)close(fd);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* the parent may have gone before this was asked for */
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent)
		(void)execve("/proc/self/exe", arguments, environment);
	_exit(127);
}

/* word_for(word, surroundings): a tree is for people: as JSON it is a list. */
static const char *
word_for(const char *word, const struct demo_surroundings *surroundings)
{
	if (surroundings->options->is_json && strcmp(word, "--tree") == 0)
		return "--sitemaps";
	return word;
}

pid_t
demo_child_start(
    const char *const *words, const struct demo_surroundings *surroundings)
{
	struct strings arguments = {0};
	struct strings environment = {0};
	pid_t parent = getpid();
	pid_t pid;
	int error;

	add(&arguments, mem_copy("freshet"));
	for (size_t i = 0; words[i] != NULL; i++)
		add(&arguments, mem_copy(word_for(words[i], surroundings)));
	make_environment(&environment, surroundings);
	pid = fork();
	if (pid == 0)
		become(arguments.items, environment.items, parent);
	error = errno;
	release(&arguments);
	release(&environment);
	errno = error;
	return pid;
}
