/*
 * freshet demo: this process serves a small site on loopback and runs the real
 * commands on it, one after the other, each as a process of its own.
 *
 *	start --> step: text, command line, process --SIGCHLD--> next step
 *	                         ^   its requests are answered    |
 *	                         +--------------------------------+ --> end
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "crawler/cli/options.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/demo_site.h"
#include "crawler/event/exit.h"
#include "crawler/event/loop.h"
#include "crawler/fetch/http_server.h"

/* What the environment of a command gets in place of the operator's. */
struct demo_surroundings {
	const char *host; /* this host's port 80 is at: */
	uint16_t port; /* port of 127.0.0.1 */
	const char *store;
	/* the colours and JSON of these options apply to the command */
	const struct options *options;
};

/* A command of this program as a child process. */

#define PREFIX "FRESHET_"

struct demo_strings {
	char **items; /* owned, and so is each; ended by NULL */
	size_t count;
	size_t cap;
};

static void
demo_add(struct demo_strings *strings, char *text)
{
	strings->items = mem_grow(strings->items, &strings->cap,
	    strings->count + 2, sizeof(*strings->items));
	strings->items[strings->count++] = text;
	strings->items[strings->count] = NULL;
}

static void
demo_release(struct demo_strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
}

static void
add_variable(struct demo_strings *strings, const char *name, const char *value)
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	(void)buf_print(&text, PREFIX "%s=%s", name, value);
	demo_add(strings, buf_take(&text));
}

/* Write the configuration of the command, beside the store.  Returns false with
 * errno. */
static bool
write_configuration(
    const char *path, const char *command, const struct demo_surroundings *of)
{
	static const char *const colors[] = {"auto", "always", "never"};
	/* A reader need not wait between the requests to a site that is served
	 * here; what is said of delays is what holds for others. */
	bool asks = strcmp(command, "crawl") == 0 ||
	    strcmp(command, "robots") == 0 || strcmp(command, "check") == 0;
	FILE *file = fopen(path, "w");

	if (file == NULL)
		return false;
	(void)fprintf(file,
	    "[defaults]\nconnect-to = %s:80:127.0.0.1:%u\ncolor = %s\n"
	    "json = %d\n%s",
	    of->host, of->port, colors[of->options->output.color],
	    of->options->output.is_json, asks ? "delay = 0\n" : "");
	return fclose(file) == 0;
}

/* Neither variables of the operator nor a configuration may change the demo. */
static void
make_environment(
    struct demo_strings *strings, const char *path, const char *store)
{
	for (char **p = environ; *p != NULL; p++)
		if (strncmp(*p, PREFIX, strlen(PREFIX)) != 0)
			demo_add(strings, mem_copy(*p));
	add_variable(strings, "STORE", store);
	add_variable(strings, "CONFIG", path);
}

/* Replace --tree by another view for JSON, which has no trees. */
static const char *
word_for(const char *word, const struct demo_surroundings *surroundings)
{
	if (surroundings->options->output.is_json &&
	    strcmp(word, "--tree") == 0)
		return "--sitemaps";
	return word;
}

/* Run `freshet WORD...` with this process's stdout and stderr, without stdin;
 * the child ends when this process does. `words` ends with NULL. Returns the
 * process id, or -1 with errno. */
static pid_t
demo_child_start(
    const char *const *words, const struct demo_surroundings *surroundings)
{
	struct demo_strings arguments = {0};
	struct demo_strings environment = {0};
	pid_t parent = getpid();
	struct buf path;
	pid_t pid;
	int error;

	demo_add(&arguments, mem_copy("freshet"));
	for (size_t i = 0; words[i] != NULL; i++)
		demo_add(
		    &arguments, mem_copy(word_for(words[i], surroundings)));
	buf_init(&path, SIZE_MAX);
	(void)buf_print(&path, "%s.conf", surroundings->store);
	make_environment(&environment, buf_str(&path), surroundings->store);
	pid = write_configuration(buf_str(&path), words[0], surroundings)
	    ? fork()
	    : -1;
	if (pid == 0) {
		/* The child: run the command. Never returns. */
		sigset_t none;
		int fd = open("/dev/null", O_RDONLY);

		if (fd > STDIN_FILENO && dup2(fd, STDIN_FILENO) == STDIN_FILENO)
			(void)close(fd);
		(void)sigemptyset(&none);
		(void)sigprocmask(SIG_SETMASK, &none, NULL);
		/* the parent may have ended before prctl() */
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() == parent)
			(void)execve("/proc/self/exe", arguments.items,
			    environment.items);
		_exit(127);
	}
	error = errno;
	demo_release(&arguments);
	demo_release(&environment);
	buf_release(&path);
	errno = error;
	return pid;
}

#define STORE_NAME "freshet.db"
#define TIME_LIMIT_MS 60000
#define MAX_WORDS 9

struct demo_step {
	const char *text; /* printed before; each \n ends a paragraph */
	const char *words[MAX_WORDS]; /* arguments of freshet; ended by NULL */
	unsigned generation; /* generation of the site from this step on */
};

#define SITE "http://" DEMO_HOST "/"

static const char introduction[] =
    "A web site that wants its pages found lists them in sitemaps: XML files "
    "that say \"this URL exists\" and often \"it last changed on this day\" "
    "(lastmod). A large site has many sitemaps, gzipped, and one sitemap index "
    "that lists them.\n"
    "This is " DEMO_HOST ", a tea shop that exists only inside this program, "
    "which serves it to itself. The commands are the real ones. Nobody outside "
    "this machine is asked for anything.\n";

#define AS_TEXT \
	"-f" /* -f is a format for people: with JSON the words end here */

static const struct demo_step all_steps[] = {
    {"robots.txt comes first: it says what crawlers may read, and where the "
     "sitemaps are.",
	{"robots", SITE "tea/assam", SITE "basket/"}, 1},
    {"A crawl reads robots.txt, the index that it names, and the sitemaps that "
     "the index lists. Every page they list is stored, and what breaks the "
     "rules of the protocol is refused.",
	{"crawl", SITE}, 1},
    {"Refused were: a file that robots.txt forbids, URLs of other hosts, a "
     "sitemap outside the index's own directory, a URL that is too long, and "
     "\"/contact\", which is no URL without a scheme and a host. A day that "
     "does not exist costs the date, not the page. The crawl ended with status "
     "1, because something was refused; 0 means that all is well. Why was that "
     "sitemap refused? This is the way from robots.txt down to its line, and "
     "the rule:",
	{"explain", SITE "archive/2019.xml.gz"}, 1},
    {"And why was a page taken, though it is not in that directory either?",
	{"explain", SITE "tea/assam"}, 1},
    {"So the store now knows (a \"urlset\" is a sitemap that lists pages):",
	{"ls", "--tree"}, 1},
    {"Crawl again, and nothing is downloaded: the shop is asked for each file "
     "if it has changed since, and answers that it has not (with HTTP status "
     "304, and no file).",
	{"crawl", SITE}, 1},
    {"A week later the shop has two new teas and some news, and one tea is "
     "sold out. Only the files that changed are downloaded and read.",
	{"crawl", SITE}, 2},
    {"What happened there lately, for whoever watches the shop? What a site "
     "lists when it is read for the first time is nothing new, and the tea is "
     "gone when the next reading lacks it, too.",
	{"diff"}, 2},
    {"And these are the changes one by one, for whoever keeps a search index "
     "fresh. A page that was re-dated has a new lastmod.",
	{"export", "--changes", "--columns", "kind,loc,before,after"}, 2},
    {"The store answers SQL, too. What has the shop touched since 20 March?",
	{"sql", "SELECT loc, lastmod FROM url WHERE lastmod > '2025-03-20'"},
	2},
    {"The owner of the shop has no store and needs none: a report of how its "
     "sitemaps are read, what is wrong with them, and what to do about it. "
     "(-f html makes it a page, and files can be checked before they are "
     "published.)",
	{"check", SITE "sitemaps/index.xml"}, 2},
    {"Back to who keeps a search index fresh. Which page is best fetched now? "
     "Any fetcher asks so, one page or a thousand, and says with \"freshet "
     "done\" what came of it.",
	{"due", "-n", "1", AS_TEXT, "urls"}, 2},
    {"Why that one? With each result freshet learns how often pages change, "
     "and how far the dates of each sitemap can be trusted.",
	{"explain", SITE "news/2025/spring-sale"}, 2},
};

/* Who owns a site, checks it before others do. */
static const struct demo_step owner_steps[] = {
    {"The owner of the shop checks what robots.txt says: which pages crawlers "
     "may read, and where the sitemaps are.",
	{"robots", SITE "tea/assam", SITE "basket/"}, 1},
    {"A report of one sitemap: how it is read, what is wrong with it, and what "
     "to do about it. (-f html makes it a page; files can be checked before "
     "they are published.)",
	{"check", SITE "sitemaps/news.xml.gz"}, 1},
    {"Each finding has a rule, and each rule a source. (Read through the "
     "index, "
     "the sitemap is in order: robots.txt names that.)",
	{"help", "R-58"}, 1},
};

/* Who monitors a site of others, wants to know what changed. */
static const struct demo_step monitor_steps[] = {
    {"A crawl reads robots.txt, the index that it names, and the sitemaps that "
     "the index lists, and stores every page they list. (-q: without its "
     "report. The watch list of 'freshet add' and 'freshet run' do this by "
     "themselves.)",
	{"crawl", "-q", SITE}, 1},
    {"So the store now knows (a \"urlset\" is a sitemap that lists pages):",
	{"ls", "--tree"}, 1},
    {"A week later the shop has two new teas and some news, and one tea is "
     "sold out. Only the files that changed are downloaded.",
	{"crawl", "-q", SITE}, 2},
    {"What happened there lately? What a site lists when it is read for the "
     "first time is nothing new, and the tea is gone when the next reading "
     "lacks it, too. ('freshet report --html FILE' draws it.)",
	{"diff"}, 2},
    {"And these are the changes one by one. A page that was re-dated has a new "
     "lastmod.",
	{"export", "--changes", "--columns", "kind,loc,before,after"}, 2},
    {"The store answers SQL, too. What has the shop touched since 20 March?",
	{"sql", "SELECT loc, lastmod FROM url WHERE lastmod > '2025-03-20'"},
	2},
};

/* Who runs a crawler, asks which page to fetch next. */
static const struct demo_step crawler_steps[] = {
    {"The sitemaps say which pages there are. (-q: without the crawl's "
     "report.)",
	{"crawl", "-q", SITE}, 1},
    {"Which pages are best fetched now? Any fetcher asks so, one page or a "
     "thousand, and says with 'freshet done' what came of it. This only "
     "looks, and leases none:",
	{"due", "--peek", "-n", "3", "--per-host", "0", AS_TEXT, "urls"}, 1},
    {"A week later some pages are new, and others have a new date. These come "
     "first.",
	{"crawl", "-q", SITE}, 2},
    {"Why would a page be fetched, and when? With each result freshet learns "
     "how often pages change, and how far the dates of each sitemap can be "
     "trusted.",
	{"explain", SITE "news/2025/spring-sale"}, 2},
};

struct demo_story {
	const char *name; /* NULL: without a name all is shown */
	const struct demo_step *steps;
	size_t count;
};

#define STORY(name, steps)                                      \
	{                                                       \
		name, steps, sizeof(steps) / sizeof((steps)[0]) \
	}

static const struct demo_story stories[] = {
    STORY(NULL, all_steps),
    STORY("owner", owner_steps),
    STORY("monitor", monitor_steps),
    STORY("crawler", crawler_steps),
};

#define STORIES (sizeof(stories) / sizeof(stories[0]))

struct demo {
	struct options *options;
	const struct demo_story *story;
	struct out out;
	struct loop *loop;
	struct http_server *server;
	struct loop_signal *interrupt;
	struct loop_signal *terminate;
	struct loop_signal *hang_up;
	struct loop_signal *ended;
	struct loop_timer *timer;
	char *folder; /* owned */
	bool is_kept;
	struct buf store;
	unsigned generation;
	size_t next; /* number of the next step */
	pid_t child; /* 0: none */
	int status;
};

/* The site. */

static const struct demo_file *
find_file(const struct demo *demo, const char *target)
{
	const struct demo_file *found = NULL;
	const struct demo_file *file;

	for (size_t i = 0; (file = demo_site_file(i)) != NULL; i++)
		if (file->generation <= demo->generation &&
		    strcmp(file->target, target) == 0)
			found = file;
	return found;
}

/* Answer with the file and its validators, or with 304 if the request names the
 * file's present ETag. */
static void
demo_on_question(
    void *arg, const struct http_question *question, struct http_answer *answer)
{
	const struct demo_file *file = find_file(arg, question->target);

	if (file == NULL) {
		answer->status = 404;
		answer->type = "text/plain; charset=utf-8";
		answer->body = slice_of("there is no such page\n");
		return;
	}
	answer->etag = file->etag;
	answer->last_modified = file->last_modified;
	if (question->if_none_match != NULL &&
	    strcmp(question->if_none_match, file->etag) == 0) {
		answer->status = 304;
		return;
	}
	answer->type = file->type;
	answer->body = slice_make(file->bytes, file->len);
}

/* The folder of the store. */

static bool
make_folder(struct demo *demo)
{
	const char *keep = demo->options->keep;
	const char *tmp = getenv("TMPDIR");
	char room[128];
	struct buf text;
	bool is_made;

	demo->is_kept = keep != NULL;
	buf_init(&text, SIZE_MAX);
	if (keep != NULL)
		(void)buf_print(&text, "%s", keep);
	else
		(void)buf_print(&text, "%s/freshet-demo-XXXXXX",
		    tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	demo->folder = buf_take(&text);
	if (keep != NULL)
		is_made = mkdir(keep, 0777) == 0 || errno == EEXIST;
	else
		is_made = mkdtemp(demo->folder) != NULL;
	if (!is_made) {
		complain("cannot make the folder '%s': %s", demo->folder,
		    strerror_r(errno, room, sizeof(room)));
		free(demo->folder);
		demo->folder = NULL;
		return false;
	}
	(void)buf_print(&demo->store, "%s/" STORE_NAME, demo->folder);
	if (access(buf_str(&demo->store), F_OK) == 0) {
		complain("'%s' is there already; the demo begins with a new "
			 "store",
		    buf_str(&demo->store));
		return false;
	}
	return true;
}

/* The steps of the demo. */

/* Print paragraphs, unless only data is wanted. */
static void
demo_say(struct demo *demo, const char *text)
{
	struct buf paragraph;

	if (demo->options->output.is_json || demo->options->output.is_quiet)
		return;
	buf_init(&paragraph, SIZE_MAX);
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		buf_clear(&paragraph);
		(void)buf_put(&paragraph, text, len);
		out_wrapped(&demo->out.text, "", buf_str(&paragraph));
		(void)buf_put_char(&demo->out.text, '\n');
		text += len + (text[len] == '\n');
	}
	buf_release(&paragraph);
}

/* Append a word, quoted for a shell. */
static void
show_word(struct buf *text, const char *word)
{
	bool is_plain = strpbrk(word, " '*()<>") == NULL;

	(void)buf_print(text, is_plain ? " %s" : " \"%s\"", word);
}

static void
demo_end(struct demo *demo, int status)
{
	demo->status = status;
	loop_stop(demo->loop);
}

static void
take_step(struct demo *demo)
{
	const struct demo_story *story = demo->story;
	struct demo_step now =
	    story->steps[demo->next < story->count ? demo->next : 0];
	const struct demo_step *step = &now;
	struct demo_surroundings surroundings = {.host = DEMO_HOST,
	    .port = http_server_port(demo->server),
	    .store = buf_str(&demo->store),
	    .options = demo->options};
	char room[128];

	if (demo->next == story->count) {
		demo_end(demo, EXIT_DONE);
		return;
	}
	demo->next++;
	demo->generation = step->generation;
	for (size_t i = 0;
	     demo->options->output.is_json && now.words[i] != NULL; i++)
		if (strcmp(now.words[i], AS_TEXT) == 0)
			now.words[i] = NULL;
	demo_say(demo, step->text);
	/* Print the command as one would type it. */
	struct buf *text = &demo->out.text;

	if (!demo->options->output.is_json) {
		if (demo->out.has_color)
			(void)buf_print(text, "\033[1m");
		(void)buf_print(text, "$ freshet");
		for (size_t i = 0; step->words[i] != NULL; i++)
			show_word(text, step->words[i]);
		(void)buf_print(
		    text, "%s\n", demo->out.has_color ? "\033[0m" : "");
	}

	/* the child writes to the same place */
	if (!out_flush(&demo->out)) {
		demo_end(demo, EXIT_DONE);
		return;
	}
	demo->child = demo_child_start(step->words, &surroundings);
	if (demo->child > 0)
		return;
	complain("cannot start another process: %s",
	    strerror_r(errno, room, sizeof(room)));
	demo->child = 0;
	demo_end(demo, EXIT_RESOURCES);
}

/* SIGCHLD: the command has ended. */
static void
demo_on_ended(void *arg)
{
	struct demo *demo = arg;
	int how;
	int status;

	if (demo->child == 0 ||
	    waitpid(demo->child, &how, WNOHANG) != demo->child)
		return;
	demo->child = 0;
	status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	if (demo->status != EXIT_DONE) {
		loop_stop(demo->loop);
	} else if (out_is_unheard()) {
		demo_end(demo, EXIT_DONE);
	} else if (status > EXIT_FINDINGS) {
		complain("the demo ends: 'freshet %s' ended with status %d",
		    demo->story->steps[demo->next - 1].words[0], status);
		demo_end(demo, status);
	} else {
		if (!demo->options->output.is_json)
			(void)buf_put_char(&demo->out.text, '\n');
		take_step(demo);
	}
}

/* Stop: send the running command a signal and wait for its end. */
static void
demo_stop(struct demo *demo, int status, int number)
{
	demo->status = status;
	if (demo->child == 0)
		loop_stop(demo->loop);
	else
		(void)kill(demo->child, number);
}

/* Ctrl-C reaches the command as well, because both processes have the same
 * terminal. A second signal would keep it from stopping cleanly. */
static void
demo_on_interrupt(void *arg)
{
	struct demo *demo = arg;

	demo_stop(
	    demo, EXIT_INTERRUPTED, isatty(STDIN_FILENO) == 1 ? 0 : SIGINT);
}

static void
demo_on_terminate(void *arg)
{
	demo_stop(arg, EXIT_TERMINATED, SIGTERM);
}

static void
demo_on_time(void *arg)
{
	struct demo *demo = arg;

	complain("the demo ends: it took longer than a minute");
	demo_stop(demo, EXIT_BUDGET, SIGKILL);
}

/* Beginning and end. */

static int
demo_open_all(struct demo *demo)
{
	static const char *const hosts[] = {DEMO_HOST, NULL};
	struct http_server_options how = {
	    .hosts = hosts, .answer = demo_on_question, .arg = demo};
	char room[128];

	demo->loop = loop_new();
	if (demo->loop == NULL)
		return EXIT_RESOURCES;
	demo->server = http_server_new(demo->loop, &how);
	if (demo->server == NULL) {
		complain("cannot listen on 127.0.0.1: %s",
		    strerror_r(errno, room, sizeof(room)));
		return EXIT_RESOURCES;
	}
	demo->interrupt = loop_signal_new(
	    demo->loop, SIGINT, demo_on_interrupt, demo);
	demo->terminate = loop_signal_new(
	    demo->loop, SIGTERM, demo_on_terminate, demo);
	demo->hang_up = loop_signal_new(
	    demo->loop, SIGHUP, demo_on_terminate, demo);
	demo->ended = loop_signal_new(demo->loop, SIGCHLD, demo_on_ended, demo);
	demo->timer = loop_timer_new(demo->loop, demo_on_time, demo);
	loop_timer_set(demo->timer, TIME_LIMIT_MS);
	return make_folder(demo) ? EXIT_DONE : EXIT_USAGE;
}

/* Print a command on a line of its own, to be copied. */
static void
show_last(struct demo *demo, const char *const *words)
{
	struct buf *text = &demo->out.text;

	(void)buf_print(text, "    freshet");
	for (; *words != NULL; words++)
		show_word(text, *words);
	(void)buf_put_char(text, '\n');
}

/* NULL: no story has that name. */
static const struct demo_story *
find_story(const struct options_targets *targets)
{
	if (targets->args.count == 0)
		return &stories[0];
	for (size_t i = 1; i < STORIES; i++)
		if (strcmp(stories[i].name, targets->args.items[0]) == 0)
			return &stories[i];
	return NULL;
}

int
command_demo(struct options *options)
{
	struct demo demo = {
	    .options = options, .story = find_story(&options->targets)};
	int written;

	if (demo.story == NULL) {
		complain("the demo has no story '%s'; it has: owner, monitor, "
			 "crawler",
		    options->targets.args.items[0]);
		return EXIT_USAGE;
	}
	out_init(&demo.out, &options->output);
	buf_init(&demo.store, SIZE_MAX);
	demo.status = demo_open_all(&demo);
	if (demo.status == EXIT_DONE) {
		demo_say(&demo, introduction);
		take_step(&demo);
		/* a child is left if writing or starting failed */
		if (demo.child > 0)
			loop_run(demo.loop);
	}
	if (demo.status == EXIT_DONE && demo.next == demo.story->count) {
		const char *const look[] = {
		    "ls", "--tree", "--store", buf_str(&demo.store), NULL};
		static const char *const crawl[] = {
		    "crawl", "www.example.org", NULL};
		static const char *const check[] = {
		    "check", "www.example.org", NULL};

		if (!demo.options->output.is_json &&
		    !demo.options->output.is_quiet) {
			if (demo.is_kept) {
				demo_say(
				    &demo, "The store is kept. To look at it:");
				show_last(&demo, look);
				(void)buf_put_char(&demo.out.text, '\n');
				demo_say(&demo, "To read a site of your own:");
			} else {
				demo_say(&demo,
				    "The demonstration's store is removed "
				    "again ('freshet demo --keep DIR' keeps "
				    "it). To read a site of your own:");
			}
			show_last(&demo, check);
			show_last(&demo, crawl);
		}
	}
	written = out_finish(&demo.out);
	if (demo.folder != NULL && !demo.is_kept) {
		/* Delete the files in a folder that has no folders. */
		DIR *dir = opendir(demo.folder);
		const struct dirent *entry;

		if (dir != NULL) {
			while ((entry = readdir(dir)) != NULL)
				if (entry->d_name[0] != '.')
					(void)unlinkat(
					    dirfd(dir), entry->d_name, 0);
			(void)closedir(dir);
		}

		(void)rmdir(demo.folder);
	}
	free(demo.folder);
	buf_release(&demo.store);
	loop_signal_free(demo.interrupt);
	loop_signal_free(demo.terminate);
	loop_signal_free(demo.hang_up);
	loop_signal_free(demo.ended);
	loop_timer_free(demo.timer);
	http_server_free(demo.server);
	if (demo.loop != NULL)
		loop_free(demo.loop);

	return demo.status != EXIT_DONE ? demo.status : written;
}
