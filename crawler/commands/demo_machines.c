/*
 * freshet demo machines: this process is six sites on loopback, which note when
 * they are asked.  A script does the rest, as one would type it: a PostgreSQL
 * server below a temporary folder, three `freshet run`, each with the cache of
 * a machine of its own, and the death of one (demo/machines.sh).
 */
#include "crawler/commands/demo_machines.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crawler/cli/out.h"
#include "crawler/commands/demo_site.h"
#include "crawler/event/exit.h"
#include "crawler/event/spawn.h"
#include "crawler/fetch/http_server.h"

#define SITES 6
#define SITEMAPS 20 /* of a site */
#define URLS 50 /* of a sitemap */
#define DELAY_MS 500
#define EARLY_MS 100 /* this process, too, may be late to note a request */

struct shop {
	struct machines *demo;
	struct http_server *server; /* owned */
	int64_t asked_ms; /* the last request; 0: none */
};

struct machines {
	struct loop *loop;
	struct loop_watch *signals[3];
	struct shop shops[SITES];
	struct buf body; /* of the last answer */
	pid_t script;
	unsigned requests, early;
	int status;
};

/* Each site has an index, and sitemaps that it lists. */
static void
machines_on_question(
    void *arg, const struct http_question *question, struct http_answer *answer)
{
	struct shop *shop = arg;
	struct machines *demo = shop->demo;
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

/* The script has ended, or shall end. */
static void
machines_on_signal(void *arg, int number, int ready)
{
	struct machines *demo = arg;
	int how;

	(void)ready;
	if (number != SIGCHLD) {
		(void)kill(demo->script, SIGTERM);
	} else if (waitpid(demo->script, &how, WNOHANG) == demo->script) {
		demo->status = WIFEXITED(how) ? WEXITSTATUS(how)
					      : 128 + WTERMSIG(how);
		loop_stop(demo->loop);
	}
}

/* The sites begin to listen, and the script to run; false with errno. */
static bool
machines_start(struct machines *demo, const char *folder)
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
	demo->script = spawn_shell(demo_machines_script, -1, STDOUT_FILENO);
	return demo->script > 0;
}

int
demo_machines(const struct options *options)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGCHLD};
	struct machines demo = {.loop = loop_new(), .status = EXIT_RESOURCES};
	char folder[] = "/tmp/freshet-machines-XXXXXX";

	if (demo.loop == NULL)
		return EXIT_RESOURCES;
	buf_init(&demo.body, SIZE_MAX);
	for (int i = 0; i < 3; i++)
		demo.signals[i] = loop_watch_new(demo.loop, numbers[i],
		    LOOP_SIGNAL, machines_on_signal, &demo);
	/* the server runs as another user */
	if (mkdtemp(folder) == NULL || chmod(folder, 0711) != 0 ||
	    !machines_start(&demo, folder))
		complain("cannot set up the demo in '%s': %s", folder,
		    strerrordesc_np(errno));
	else
		loop_run(demo.loop);
	if (demo.status == EXIT_DONE && demo.early == 0) {
		struct out out;

		out_init(&out, &options->output);
		(void)buf_print(&out.text,
		    "all is well: 3 machines, one of them killed: nothing is "
		    "lost (all %d URLs are in the store), and no site was "
		    "asked too early (%u requests)\n",
		    SITES * SITEMAPS * URLS, demo.requests);
		demo.status = out_finish(&out);
	} else if (demo.status == EXIT_DONE) {
		demo.status = EXIT_BUG;
		complain("%u of %u requests came too early", demo.early,
		    demo.requests);
	} else if (demo.status == EXIT_BUDGET) {
		complain("after two minutes some URLs are missing");
	}
	for (int i = 0; i < SITES; i++)
		http_server_free(demo.shops[i].server);
	for (int i = 0; i < 3; i++)
		loop_watch_free(demo.signals[i]);
	buf_release(&demo.body);
	loop_free(demo.loop);
	return demo.status;
}
