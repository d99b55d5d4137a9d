/*
 * freshet demo: this process serves a small site on loopback and runs the real
 * commands on it, one after the other, each as a process of its own.
 *
 *	start --> step: text, command line, process --SIGCHLD--> next step
 *	                         ^   its requests are answered    |
 *	                         +--------------------------------+ --> end
 *
 * For `freshet demo machines` this process is six sites, which note when they
 * are asked.  A script does the rest, as one would type it: a PostgreSQL server
 * below a temporary folder, three `freshet run`, each with the cache of a
 * machine of its own, and the death of one (demo/machines.sh).
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/demo_site.h"
#include "crawler/event/exit.h"
#include "crawler/event/spawn.h"
#include "crawler/fetch/http_server.h"

#define STORE_NAME "freshet.db"
#define TIME_LIMIT_MS 60000
#define AS_TEXT \
	"-f" /* -f is a format for people: with JSON the words end here */

#define SITES 6 /* of machines */
#define SITEMAPS 20 /* of a site */
#define URLS 50 /* of a sitemap */
#define DELAY_MS 500
#define EARLY_MS 100 /* this process, too, may be late to note a request */

/* A site of machines. */
struct shop {
	struct demo *demo;
	struct http_server *server; /* owned */
	int64_t asked_ms; /* the last request; 0: none */
};

struct demo {
	struct options *options;
	const struct demo_story *story; /* NULL: machines */
	struct out out;
	struct loop *loop;
	struct http_server *server;
	uint16_t port; /* of the server */
	struct loop_watch *stops[3]; /* signals that end it */
	struct loop_watch *ended;
	struct loop_timer *timer;
	char *folder; /* owned */
	bool is_kept;
	struct buf store; /* its path */
	unsigned generation;
	size_t next; /* number of the next step */
	pid_t child; /* 0: none */
	int status;
	/* of machines: */
	struct shop shops[SITES];
	struct buf body; /* of the last answer */
	unsigned requests, early;
};

/* The site. */

/* Answer with the file and its validators, or with 304 if the request names the
 * file's present ETag. */
static void
demo_on_question(
    void *arg, const struct http_question *question, struct http_answer *answer)
{
	const struct demo *demo = arg;
	const struct demo_file *file = NULL;
	const struct demo_file *row;

	/* the latest that the site has by now */
	for (size_t i = 0; (row = demo_site_file(i)) != NULL; i++)
		if (row->generation <= demo->generation &&
		    strcmp(row->target, question->target) == 0)
			file = row;
	if (file == NULL) {
		answer->status = 404;
		answer->type = "text/plain; charset=utf-8";
		answer->body = slice_of("there is no such page\n");
		return;
	}
	answer->etag = file->etag;
	answer->last_modified = file->last_modified;
	/* so that the second crawl downloads nothing */
	if (question->if_none_match != NULL &&
	    strcmp(question->if_none_match, file->etag) == 0) {
		answer->status = 304;
		return;
	}
	answer->type = file->type;
	answer->body = slice_make(file->bytes, file->len);
}

/* The folder of the store. */

/* A store that is there already would tell another story, so it is not used. */
static bool
make_folder(struct demo *demo)
{
	const char *keep = demo->options->keep;
	const char *tmp = getenv("TMPDIR");
	struct buf text = {0};
	bool is_made;

	demo->is_kept = keep != NULL;
	/* a folder that is kept is where the user wants it */
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
		    strerrordesc_np(errno));
		free(demo->folder);
		demo->folder = NULL;
		return false;
	}
	(void)buf_print(&demo->store, "%s/" STORE_NAME, demo->folder);
	if (access(buf_str(&demo->store), F_OK) == 0)
		return refuse(
		    "'%s' is there already; the demo begins with a new store",
		    buf_str(&demo->store));
	/* No configuration may change the demo: the commands get the
	 * environment of this process. */
	(void)buf_print(&text, "%s.conf", buf_str(&demo->store));
	(void)setenv("FRESHET_STORE", buf_str(&demo->store), 1);
	(void)setenv("FRESHET_CONFIG", buf_str(&text), 1);
	buf_release(&text);
	return true;
}

/* The steps of the demo. */

/* Print paragraphs, unless only data is wanted. */
static void
demo_say(struct demo *demo, const char *text)
{
	struct buf paragraph = BUF_UP_TO(SIZE_MAX);
	struct slice line;

	if (demo->options->output.is_json || demo->options->output.is_quiet)
		return;
	while (slice_next(&text, '\n', &line)) {
		buf_clear(&paragraph);
		(void)buf_put_slice(&paragraph, line);
		out_wrapped(&demo->out.text, "", buf_str(&paragraph));
		(void)buf_put_char(&demo->out.text, '\n');
	}
	buf_release(&paragraph);
}

/* Append a command as one would type it, on a line of its own: its words are
 * quoted for a shell. */
static void
show_command(struct buf *text, const char *before, const char *const *words,
    const char *after)
{
	(void)buf_print(text, "%sfreshet", before);
	for (; *words != NULL; words++)
		(void)buf_print(text,
		    strpbrk(*words, " '*()<>") == NULL ? " %s" : " \"%s\"",
		    *words);
	(void)buf_print(text, "%s\n", after);
}

/* The loop ends after the callback that called this. */
static void
demo_end(struct demo *demo, int status)
{
	demo->status = status;
	loop_stop(demo->loop);
}

/* Run `freshet WORD...` with this process's stdout and stderr, without stdin;
 * the child ends when this process does.  Returns the process id, or -1 with
 * errno. */
static pid_t
demo_start(const struct demo *demo, const char *const *words)
{
	static const char *const colors[] = {"auto", "always", "never"};
	const struct options_output *output = &demo->options->output;
	/* A reader need not wait between the requests to a site that is served
	 * here; what is said of delays is what holds for others. */
	bool asks = strcmp(words[0], "crawl") == 0 ||
	    strcmp(words[0], "robots") == 0 || strcmp(words[0], "check") == 0;
	const char *arguments[DEMO_WORDS + 1] = {"freshet"};
	FILE *file = fopen(getenv("FRESHET_CONFIG"), "w");

	if (file == NULL)
		return -1;
	(void)fprintf(file,
	    "[defaults]\nconnect-to = " DEMO_HOST ":80:127.0.0.1:%u\n"
	    "color = %s\njson = %d\n%s",
	    demo->port, colors[output->color], output->is_json,
	    asks ? "delay = 0\n" : "");
	if (fclose(file) != 0)
		return -1;
	/* JSON has no trees */
	for (size_t i = 0; words[i] != NULL; i++)
		arguments[i + 1] = output->is_json &&
			strcmp(words[i], "--tree") == 0
		    ? "--sitemaps"
		    : words[i];
	return spawn_program("/proc/self/exe", arguments, -1, STDOUT_FILENO);
}

/* The next command starts when the one before has ended: their outputs must not
 * mix. */
static void
take_step(struct demo *demo)
{
	const struct demo_story *story = demo->story;
	struct demo_step step;

	if (demo->next == story->count) {
		demo_end(demo, EXIT_DONE);
		return;
	}
	step = story->steps[demo->next++];
	demo->generation = step.generation;
	for (size_t i = 0;
	     demo->options->output.is_json && step.words[i] != NULL; i++)
		if (strcmp(step.words[i], AS_TEXT) == 0)
			step.words[i] = NULL;
	demo_say(demo, step.text);
	if (!demo->options->output.is_json)
		show_command(&demo->out.text,
		    demo->out.has_color ? "\033[1m$ " : "$ ", step.words,
		    demo->out.has_color ? "\033[0m" : "");
	/* the child writes to the same place */
	if (!out_flush(&demo->out)) {
		demo_end(demo, EXIT_DONE);
		return;
	}
	demo->child = demo_start(demo, step.words);
	if (demo->child > 0)
		return;
	complain("cannot start another process: %s", strerrordesc_np(errno));
	demo->child = 0;
	demo_end(demo, EXIT_RESOURCES);
}

/* SIGCHLD: the command has ended. */
static void
demo_on_ended(void *arg, int number, int ready)
{
	struct demo *demo = arg;
	int how;
	int status;

	(void)number;
	(void)ready;
	if (demo->child == 0 ||
	    waitpid(demo->child, &how, WNOHANG) != demo->child)
		return;
	demo->child = 0;
	status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	/* the demo was told to end while the command ran */
	if (demo->status != EXIT_DONE) {
		loop_stop(demo->loop);
	} else if (demo->story == NULL) {
		demo_end(demo, status);
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

/* SIGINT, SIGTERM or SIGHUP: the terminal is gone, and nobody reads the story.
 * The command is in a process group of its own, which Ctrl-C does not reach. */
static void
demo_on_signal(void *arg, int number, int ready)
{
	(void)ready;
	if (number == SIGINT)
		demo_stop(arg, EXIT_INTERRUPTED, SIGINT);
	else
		demo_stop(arg, EXIT_TERMINATED, SIGTERM);
}

/* A command that hangs must not leave a server behind for ever. */
static void
demo_on_time(void *arg)
{
	struct demo *demo = arg;

	complain("the demo ends: it took longer than a minute");
	demo_stop(demo, EXIT_BUDGET, SIGKILL);
}

/* Machines. */

/* Each site has an index, and sitemaps that it lists. */
static void
machines_on_question(
    void *arg, const struct http_question *question, struct http_answer *answer)
{
	struct shop *shop = arg;
	struct demo *demo = shop->demo;
	int number = (int)(shop - demo->shops);
	int64_t now_ms = loop_now_ms(demo->loop);
	struct buf *body = &demo->body;
	unsigned sitemap;

	demo->requests++;
	demo->early += shop->asked_ms > 0 &&
	    now_ms - shop->asked_ms < DELAY_MS - EARLY_MS;
	shop->asked_ms = now_ms;
	buf_clear(body);
	if (strcmp(question->target, "/sitemap.xml") == 0) {
		(void)buf_print(body, "<sitemapindex>");
		for (unsigned i = 0; i < SITEMAPS; i++)
			(void)buf_print(body,
			    "<sitemap><loc>http://shop%d.example/%u.xml</loc>"
			    "</sitemap>",
			    number, i);
		(void)buf_print(body, "</sitemapindex>");
	} else if (sscanf(question->target, "/%u.xml", &sitemap) == 1) {
		(void)buf_print(body, "<urlset>");
		for (int i = 0; i < URLS; i++)
			(void)buf_print(body,
			    "<url><loc>http://shop%d.example/%u-%d</loc>"
			    "</url>",
			    number, sitemap, i);
		(void)buf_print(body, "</urlset>");
	}
	answer->status = body->len > 0 ? 200 : 404;
	answer->type = "application/xml";
	answer->body = buf_text(body);
}

/* The sites begin to listen, and the script to run; false with errno. */
static bool
machines_start(struct demo *demo, const char *folder)
{
	char program[4096] = "", number[16];
	struct buf ports = BUF_UP_TO(SIZE_MAX);

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		return false;
	for (int i = 0; i < SITES; i++) {
		struct shop *shop = &demo->shops[i];
		struct http_server_options how = {
		    .answer = machines_on_question, .arg = shop};
		uint16_t port;

		shop->demo = demo;
		shop->server = http_server_new(demo->loop, &how, &port);
		if (shop->server == NULL)
			return false;
		(void)buf_print(&ports, " %u", port);
	}
	(void)snprintf(number, sizeof(number), "%d", SITES * SITEMAPS * URLS);
	(void)setenv("FRESHET", program, 1);
	(void)setenv("DEMO_FOLDER", folder, 1);
	(void)setenv("DEMO_PORTS", buf_str(&ports), 1);
	(void)setenv("DEMO_URLS", number, 1);
	buf_release(&ports);
	demo->child = spawn_shell(demo_machines_script, -1, STDOUT_FILENO);
	return demo->child > 0;
}

/* The script has all that it makes removed when it ends. */
static void
machines_run(struct demo *demo)
{
	char folder[] = "/tmp/freshet-machines-XXXXXX";
	struct buf *text = &demo->out.text;

	/* the server runs as another user */
	if (mkdtemp(folder) != NULL && chmod(folder, 0711) == 0 &&
	    machines_start(demo, folder))
		loop_run(demo->loop);
	else
		demo->status = complain_with(EXIT_RESOURCES,
		    "cannot set up the demo in '%s': %s", folder,
		    strerrordesc_np(errno));
	if (demo->status == EXIT_DONE && demo->early == 0)
		(void)buf_print(text,
		    "all is well: 3 machines, one of them killed: nothing is "
		    "lost (all %d URLs are in the store), and no site was "
		    "asked too early (%u requests)\n",
		    SITES * SITEMAPS * URLS, demo->requests);
	else if (demo->status == EXIT_DONE)
		demo->status = complain_with(EXIT_BUG,
		    "%u of %u requests came too early", demo->early,
		    demo->requests);
	else if (demo->status == EXIT_BUDGET)
		complain("after two minutes some URLs are missing");
	for (int i = 0; i < SITES; i++)
		http_server_free(demo->shops[i].server);
	buf_release(&demo->body);
}

/* Beginning and end. */

/* The port is free while the site is served, and its number goes into the
 * configuration of the commands. */
static int
demo_open_all(struct demo *demo)
{
	static const char *const hosts[] = {DEMO_HOST, NULL};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct http_server_options how = {
	    .hosts = hosts, .answer = demo_on_question, .arg = demo};

	demo->loop = loop_new();
	if (demo->loop == NULL)
		return EXIT_RESOURCES;
	/* a signal ends the command that runs, and then the demo */
	for (size_t i = 0; i < 3; i++)
		demo->stops[i] = loop_watch_new(
		    demo->loop, signals[i], LOOP_SIGNAL, demo_on_signal, demo);
	demo->ended = loop_watch_new(
	    demo->loop, SIGCHLD, LOOP_SIGNAL, demo_on_ended, demo);
	if (demo->story == NULL)
		return EXIT_DONE;
	demo->server = http_server_new(demo->loop, &how, &demo->port);
	if (demo->server == NULL)
		return complain_with(EXIT_RESOURCES,
		    "cannot listen on 127.0.0.1: %s", strerrordesc_np(errno));
	demo->timer = loop_timer_new(demo->loop, demo_on_time, demo);
	loop_timer_set(demo->timer, TIME_LIMIT_MS);
	return make_folder(demo) ? EXIT_DONE : EXIT_USAGE;
}

int
command_demo(struct options *options)
{
	struct strings *args = &options->targets.args;
	struct demo demo = {.options = options};
	struct buf *text = &demo.out.text;
	const struct demo_story *story;
	bool are_machines = args->count > 0 &&
	    strcmp(args->items[0], "machines") == 0;
	int written;

	for (size_t i = 0; (story = demo_story(i)) != NULL; i++)
		if (args->count == 0 ? story->name[0] == '\0'
				     : strcmp(story->name, args->items[0]) == 0)
			demo.story = story;
	/* all that it makes goes with its server */
	if (are_machines && (options->keep != NULL || options->output.is_json))
		return complain_with(EXIT_USAGE,
		    "'demo machines' takes neither --keep nor --json");
	out_init(&demo.out, &options->output);
	demo.status = demo_open_all(&demo);
	if (demo.status == EXIT_DONE && are_machines) {
		machines_run(&demo);
	} else if (demo.status == EXIT_DONE) {
		demo_say(&demo, demo_introduction);
		take_step(&demo);
		/* a child is left if writing or starting failed */
		if (demo.child > 0)
			loop_run(demo.loop);
	}
	if (demo.status == EXIT_DONE && !are_machines &&
	    demo.next == demo.story->count) {
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
				show_command(text, "    ", look, "");
				(void)buf_put_char(text, '\n');
				demo_say(&demo, "To read a site of your own:");
			} else {
				demo_say(&demo,
				    "The demonstration's store is removed "
				    "again ('freshet demo --keep DIR' keeps "
				    "it). To read a site of your own:");
			}
			show_command(text, "    ", check, "");
			show_command(text, "    ", crawl, "");
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
	for (size_t i = 0; i < 3; i++)
		loop_watch_free(demo.stops[i]);
	loop_watch_free(demo.ended);
	loop_timer_free(demo.timer);
	http_server_free(demo.server);
	if (demo.loop != NULL)
		loop_free(demo.loop);

	return demo.status != EXIT_DONE ? demo.status : written;
}
