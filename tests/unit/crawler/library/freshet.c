/* libfreshet as its callers use it: the installed header, the shared library
 * and real helpers. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "crawler/library/freshet.h"
#include "crawler/library/library_protocol.h"
#include "tests/fixtures/sanitized.h"

#define URLSET "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
#define XHTML " xmlns:xhtml='http://www.w3.org/1999/xhtml'"
#define HERE "https://a.example/s.xml"
#define LINK "<xhtml:link rel='alternate' hreflang="

static const char sitemap[] = URLSET XHTML
    ">"
    "<url><loc>https://a.example/tea</loc><lastmod>2026-01-02T03:04:05Z"
    "</lastmod><changefreq>daily</changefreq><priority>0.8</priority>" LINK
    "'en' href='https://a.example/tea'/>" LINK
    "'de-CH' href='https://a.example/de/tea'/></url>"
    "<url><loc>https://b.example/foreign</loc></url>"
    "<url><loc>https://a.example/coffee</loc><lastmod>2026</lastmod></url>"
    "</urlset>";

static const char small[] = URLSET "><url><loc>https://a.example/</loc></url>"
				   "</urlset>";

static struct freshet *
open_handle(void)
{
	struct freshet_options options = FRESHET_OPTIONS_INIT;
	struct freshet *handle;

	options.helper = HELPER;
	if (freshet_open(&handle, &options) != FRESHET_OK)
		fail_msg("%s", freshet_error(handle));
	return handle;
}

static struct freshet_document
document_at(const char *url)
{
	struct freshet_document document = FRESHET_DOCUMENT_INIT;

	document.place.url = url;
	return document;
}

/* expect(handle, status, wanted): show what the library says of a surprise. */
static void
expect(const struct freshet *handle, enum freshet_status status,
    enum freshet_status wanted)
{
	if (status != wanted)
		fail_msg("status %d, not %d: %s", (int)status, (int)wanted,
		    freshet_error(handle));
}

static const struct freshet_finding *
find(const struct freshet_finding *findings, size_t count, const char *code)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(findings[i].code, code) == 0)
			return &findings[i];
	return NULL;
}

static const struct freshet_entry *
next(struct freshet *handle)
{
	const struct freshet_entry *entry;

	expect(handle, freshet_next(handle, &entry), FRESHET_OK);
	return entry;
}

/* read_text(handle, document, bytes, len): the reading, which must be made. */
static const struct freshet_reading *
read_text(struct freshet *handle, const struct freshet_document *document,
    const void *bytes, size_t len)
{
	const struct freshet_reading *reading;

	expect(handle, freshet_read(handle, document, bytes, len, &reading),
	    FRESHET_OK);
	return reading;
}

/* judge(handle, document, url, is_child): the verdict, which must be given. */
static const struct freshet_verdict *
judge(struct freshet *handle, const struct freshet_document *document,
    const char *url, bool is_child)
{
	const struct freshet_verdict *verdict;

	expect(handle, freshet_judge(handle, document, url, is_child, &verdict),
	    FRESHET_OK);
	return verdict;
}

/* works(handle): a document is read as it should be. */
static void
works(struct freshet *handle)
{
	struct freshet_document document = document_at(HERE);
	const struct freshet_reading *reading = read_text(
	    handle, &document, small, strlen(small));

	assert_null(reading->failure);
	assert_int_equal(reading->entries, 1);
	assert_string_equal(next(handle)->url, "https://a.example/");
	assert_null(next(handle));
	assert_null(next(handle));
}

/* child_of(pid): the newest child of a process. */
static pid_t
child_of(pid_t parent)
{
	DIR *dir = opendir("/proc");
	const struct dirent *name;
	pid_t found = 0;

	assert_non_null(dir);
	while ((name = readdir(dir)) != NULL) {
		char path[300];
		int pid = 0, up = 0;
		FILE *file;

		(void)snprintf(
		    path, sizeof(path), "/proc/%s/stat", name->d_name);
		file = fopen(path, "re");
		if (file == NULL)
			continue;
		if (fscanf(file, "%d (%*[^)]) %*c %d", &pid, &up) == 2 &&
		    up == parent && pid > found)
			found = pid;
		(void)fclose(file);
	}
	(void)closedir(dir);
	return found;
}

/* holds_socket(pid, socket): has the process the helper's socket still? */
static bool
holds_socket(pid_t pid, const char *socket)
{
	char path[64], what[64] = "";
	ssize_t n;

	(void)snprintf(
	    path, sizeof(path), "/proc/%d/fd/%d", (int)pid, LIBRARY_FD);
	n = readlink(path, what, sizeof(what) - 1);
	return n > 0 && strcmp(what, socket) == 0;
}

/* kill_helper(): end the newest child, and wait for its end without taking it
 * from the library.  Its fork server closes its copy of the socket soon after
 * it began; until then nobody could see that the helper died. */
static void
kill_helper(void)
{
	pid_t pid = child_of(getpid());
	pid_t server = child_of(pid);
	char path[64], socket[64] = "";
	siginfo_t info;

	assert_true(pid > 0);
	(void)snprintf(
	    path, sizeof(path), "/proc/%d/fd/%d", (int)pid, LIBRARY_FD);
	assert_true(readlink(path, socket, sizeof(socket) - 1) > 0);
	while (server > 0 && holds_socket(server, socket))
		(void)poll(NULL, 0, 1);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static void
a_sitemap_is_read(void **state)
{
	struct freshet *handle = open_handle();
	struct freshet_document document = document_at(HERE);
	const struct freshet_reading *reading;
	const struct freshet_finding *finding;
	const struct freshet_entry *entry;

	assert_true(freshet_has_sandbox(handle));
	document.checks = FRESHET_CHECK_EXTENSIONS;
	reading = read_text(handle, &document, sitemap, strlen(sitemap));
	assert_int_equal(reading->kind, FRESHET_URLSET);
	assert_string_equal(freshet_kind_name(reading->kind), "urlset");
	assert_null(reading->failure);
	assert_null(reading->refusal);
	assert_true(reading->is_complete);
	assert_int_equal(reading->seen, 3);
	assert_int_equal(reading->accepted, 2);
	assert_int_equal(reading->entries, 3);
	assert_int_equal(reading->decoded_bytes, strlen(sitemap));
	assert_false(reading->are_alternates_cut);
	finding = find(
	    reading->findings, reading->finding_count, "host-mismatch");
	assert_non_null(finding);
	assert_string_equal(finding->severity, "error");
	assert_int_equal(finding->count, 1);
	assert_int_equal(finding->sample_count, 1);
	assert_string_equal(
	    finding->samples[0].text, "https://b.example/foreign");
	assert_int_equal(finding->samples[0].line, 1);
	assert_true(strlen(finding->remedy) > 0 && strlen(finding->rule) > 0);

	entry = next(handle);
	assert_string_equal(entry->url, "https://a.example/coffee");
	assert_null(entry->refusal);
	assert_int_equal(entry->ordinal, 2);
	assert_int_equal(entry->lastmod_precision, FRESHET_YEAR);
	assert_int_equal(entry->lastmod_s, 1767225600);
	assert_int_equal(entry->priority, -1);
	assert_int_equal(entry->alternate_count, 0);

	entry = next(handle);
	assert_string_equal(entry->url, "https://a.example/tea");
	assert_int_equal(entry->lastmod_s, 1767323045);
	assert_int_equal(entry->lastmod_precision, FRESHET_SECOND);
	assert_true(entry->has_zone);
	assert_int_equal(entry->changefreq, 3);
	assert_int_equal(entry->priority, 8);
	assert_int_equal(entry->extensions, FRESHET_HREFLANG);
	assert_int_equal(entry->alternate_count, 2);
	assert_string_equal(entry->alternates[1].language, "de-CH");
	assert_string_equal(
	    entry->alternates[1].url, "https://a.example/de/tea");

	entry = next(handle);
	assert_string_equal(entry->url, "https://b.example/foreign");
	assert_string_equal(entry->refusal, "host-mismatch");
	assert_null(next(handle));
	freshet_close(handle);
}

static void
the_index_and_proofs_count(void **state)
{
	static const char *const proofs[] = {"https://b.example/robots.txt"};
	struct freshet *handle = open_handle();
	struct freshet_document document = document_at(HERE);
	const struct freshet_reading *reading;
	const struct freshet_verdict *verdict;

	/* An index in /x/ may not list a document above it. */
	document.index.url = "https://a.example/x/index.xml";
	reading = read_text(handle, &document, sitemap, strlen(sitemap));
	assert_string_equal(reading->refusal, "outside-directory");
	/* But it may if the robots.txt of that origin names the document. */
	document.index.url = "https://a.example/index.xml";
	document.place.final_url = "https://c.example/s.xml";
	reading = read_text(handle, &document, sitemap, strlen(sitemap));
	assert_string_equal(reading->refusal, "fetch-redirect-unsafe");
	document.place.final_url = NULL;
	document.place.proofs = proofs;
	document.place.proof_count = 1;
	reading = read_text(handle, &document, sitemap, strlen(sitemap));
	assert_null(reading->refusal);
	assert_int_equal(reading->accepted, 3);

	verdict = judge(handle, &document, "HTTPS://B.example/p", false);
	assert_string_equal(verdict->url, "https://b.example/p");
	assert_null(verdict->refusal);
	assert_string_equal(verdict->exception, "accepted-by-robots-proof");
	verdict = judge(handle, &document, "https://a.example/s.xml", true);
	assert_string_equal(verdict->refusal, "index-self-reference");
	verdict = judge(handle, &document, "mailto:x@a.example", false);
	assert_null(verdict->url);
	assert_string_equal(verdict->refusal, "unsupported-scheme");
	freshet_close(handle);
}

static void
own_listed_and_switches_count(void **state)
{
	static const char *const own[] = {"domain:a.example"};
	static const char *const listed[] = {"https://b.example/s.xml"};
	static const char *const switches[] = {"dir-rule=warn"};
	struct freshet_document document = document_at(
	    "https://www.a.example/d/index.xml");
	struct freshet *handle = open_handle();
	const struct freshet_verdict *verdict;

	verdict = judge(handle, &document, "https://b.example/s.xml", true);
	assert_string_equal(verdict->refusal, "host-mismatch");
	document.listed = listed;
	document.listed_count = 1;
	verdict = judge(handle, &document, "https://b.example/s.xml", true);
	assert_null(verdict->refusal);
	document.profile = "strict";
	verdict = judge(handle, &document, "https://shop.a.example/", false);
	assert_string_equal(verdict->refusal, "host-mismatch");
	document.profile = NULL;
	document.own = own;
	document.own_count = 1;
	verdict = judge(handle, &document, "https://shop.a.example/", false);
	assert_string_equal(verdict->exception, "accepted-by-ownership");
	document.own_count = 0;
	document.switches = switches;
	document.switch_count = 1;
	document.profile = "strict";
	verdict = judge(
	    handle, &document, "https://www.a.example/above", false);
	assert_null(verdict->refusal);
	assert_string_equal(verdict->exception, "outside-directory");
	freshet_close(handle);
}

static void
robots_are_read_and_asked(void **state)
{
	static const char text[] =
	    "User-agent: *\nDisallow: /x\nCrawl-delay: 2\n"
	    "\nSitemap: https://a.example/s.xml\nUsr: x";
	const struct freshet_robots_verdict *verdict;
	const struct freshet_robots_facts *facts;
	struct freshet *handle = open_handle();
	struct freshet_robots *robots, *second;

	expect(handle,
	    freshet_robots_new(
		handle, text, strlen(text), "examplebot", NULL, &robots),
	    FRESHET_OK);
	facts = freshet_robots_facts(robots);
	assert_int_equal(facts->rules, 1);
	assert_int_equal(facts->delay_ms, 2000);
	assert_int_equal(facts->sitemap_count, 1);
	assert_int_equal(facts->sitemaps[0].line, 5);
	assert_string_equal(facts->sitemaps[0].url, "https://a.example/s.xml");
	assert_non_null(
	    find(facts->findings, facts->finding_count, "robots-crawl-delay"));
	expect(handle,
	    freshet_robots_new(handle, "", 0, "examplebot", NULL, &second),
	    FRESHET_OK);
	freshet_robots_free(second);
	expect(handle,
	    freshet_robots_ask(robots, "https://a.example/x/y", &verdict),
	    FRESHET_OK);
	assert_false(verdict->is_allowed);
	assert_int_equal(verdict->line, 2);
	assert_string_equal(verdict->rule, "/x");

	/* The next helper gets the file again, and the facts stay. */
	kill_helper();
	expect(handle,
	    freshet_robots_ask(robots, "https://a.example/y", &verdict),
	    FRESHET_OK);
	assert_true(verdict->is_allowed);
	assert_string_equal(verdict->rule, "");
	assert_string_equal(facts->sitemaps[0].url, "https://a.example/s.xml");
	assert_int_equal(
	    freshet_robots_ask(robots, "none", &verdict), FRESHET_BAD_ARGUMENT);
	freshet_robots_free(robots);
	freshet_close(handle);
}

static void
bytes_come_from_descriptors(void **state)
{
	struct freshet_document document = document_at(HERE);
	struct freshet *handle = open_handle();
	const struct freshet_reading *reading;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(
	    write(fds[1], small, strlen(small)), (ssize_t)strlen(small));
	(void)close(fds[1]);
	expect(handle, freshet_read_fd(handle, &document, fds[0], &reading),
	    FRESHET_OK);
	assert_int_equal(reading->entries, 1);
	(void)close(fds[0]);
	/* A folder cannot be read. */
	fds[0] = open("/", O_RDONLY | O_CLOEXEC);
	expect(handle, freshet_read_fd(handle, &document, fds[0], &reading),
	    FRESHET_NO_BODY);
	assert_null(reading);
	(void)close(fds[0]);
	works(handle);
	freshet_close(handle);
}

/* gzip(in, len, out_len): one layer; the caller frees it. */
static unsigned char *
gzip(const unsigned char *in, size_t len, size_t *out_len)
{
	size_t room = len / 500 + 4096;
	unsigned char *out = malloc(room);
	z_stream stream = {0};

	assert_non_null(out);
	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9,
			     Z_DEFAULT_STRATEGY),
	    Z_OK);
	stream.next_in = (unsigned char *)(uintptr_t)in;
	stream.avail_in = (uInt)len;
	stream.next_out = out;
	stream.avail_out = (uInt)room;
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	*out_len = stream.total_out;
	(void)deflateEnd(&stream);
	return out;
}

static void
bombs_are_answers(void **state)
{
	static const char laughs[] =
	    "<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY a 'ha'>"
	    "<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]>" URLSET
	    "><url><loc>https://a.example/&b;</loc></url></urlset>";
	static const char html[] =
	    "<!DOCTYPE html><html><body>no</body></html>";
	struct freshet_document document = document_at(HERE);
	struct freshet *handle = open_handle();
	const struct freshet_reading *reading;
	size_t len = 60u << 20, one_len, two_len;
	unsigned char *zeros = calloc(1, len);
	unsigned char *one = gzip(zeros, len, &one_len);
	unsigned char *two = gzip(one, one_len, &two_len);
	char *deep = calloc(200000, 5);
	struct {
		const void *bytes;
		size_t len;
	} bombs[] = {
	    {one, one_len}, {two, two_len}, {zeros, len}, {deep, 600000}};

	for (size_t i = 0; i < 200000; i++)
		memcpy(deep + 3 * i, "<a>", 3);
	for (size_t i = 0; i < sizeof(bombs) / sizeof(bombs[0]); i++) {
		reading = read_text(
		    handle, &document, bombs[i].bytes, bombs[i].len);
		if (reading->failure == NULL)
			fail_msg("bomb %zu was read", i);
	}
	reading = read_text(handle, &document, laughs, strlen(laughs));
	assert_true(reading->accepted == 0);
	reading = read_text(handle, &document, html, strlen(html));
	assert_string_equal(reading->failure, "html-not-sitemap");
	assert_null(next(handle));
	(void)read_text(handle, &document, NULL, 0);
	works(handle);
	free(deep);
	free(two);
	free(one);
	free(zeros);
	freshet_close(handle);
}

/* many(count, len): a sitemap with that many entries; the caller frees it. */
static char *
many(unsigned count, size_t *len)
{
	size_t room = 200 + 100 * (size_t)count;
	char *text = malloc(room);
	size_t at;

	assert_non_null(text);
	at = (size_t)snprintf(text, room, "%s>", URLSET);
	for (unsigned i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, room - at,
		    "<url><loc>https://a.example/page/%u</loc></url>", i);
	at += (size_t)snprintf(text + at, room - at, "</urlset>");
	*len = at;
	return text;
}

static bool
count_to_ten(void *arg, const struct freshet_entry *entry)
{
	unsigned *count = arg;

	assert_non_null(entry->url);
	return ++*count < 10;
}

static void
a_helper_that_dies_is_replaced(void **state)
{
	struct freshet_document document = document_at(HERE);
	struct freshet *handle = open_handle();
	const struct freshet_reading *reading;
	const struct freshet_entry *entry;
	enum freshet_status status = FRESHET_OK;
	pid_t helper = child_of(getpid());
	unsigned count = 0;
	size_t len;
	char *text = many(50000, &len);

	/* between two calls: nobody notices */
	kill_helper();
	works(handle);
	assert_int_not_equal(child_of(getpid()), helper);
	/* among the entries: these are lost */
	reading = read_text(handle, &document, text, len);
	assert_int_equal(reading->entries, 50000);
	kill_helper();
	while (status == FRESHET_OK && count < 50000) {
		status = freshet_next(handle, &entry);
		count++;
	}
	expect(handle, status, FRESHET_HELPER_LOST);
	assert_null(entry);
	assert_true(strlen(freshet_error(handle)) > 0);
	expect(handle, freshet_next(handle, &entry), FRESHET_OK);
	assert_null(entry);
	/* the reading is still what it was, and the next one works */
	assert_int_equal(reading->entries, 50000);
	works(handle);
	/* a reading that is left half-way is dropped by the next call */
	count = 0;
	reading = read_text(handle, &document, text, len);
	expect(handle, freshet_each(handle, count_to_ten, &count), FRESHET_OK);
	assert_int_equal(count, 10);
	works(handle);
	/* a helper that is stopped is killed in the end */
	(void)kill(child_of(getpid()), SIGSTOP);
	freshet_close(handle);
	assert_int_equal(child_of(getpid()), 0);
	free(text);
}

/* The process that parses dies of its document: that is an answer, too. */
static void
limits_of_a_process_hold(void **state)
{
	struct freshet_options options = FRESHET_OPTIONS_INIT;
	struct freshet_document document = document_at(HERE);
	const struct freshet_reading *reading;
	struct freshet *handle;
	size_t len;
	char *text;

	if (IS_SANITIZED)
		skip();
	text = many(50000, &len);
	options.helper = HELPER;
	options.memory_bytes = 80u << 20;
	options.documents_each = 1;
	options.scratch_dir = "/tmp";
	assert_int_equal(freshet_open(&handle, &options), FRESHET_OK);
	works(handle);
	options.memory_bytes = 1;
	freshet_close(handle);
	assert_int_equal(freshet_open(&handle, &options), FRESHET_OK);
	reading = read_text(handle, &document, text, len);
	assert_string_equal(reading->failure, "reader-crashed");
	assert_int_equal(reading->entries, 0);
	freshet_close(handle);
	free(text);
}

static void
bad_arguments_are_named(void **state)
{
	static const char *const none[] = {"no URL"};
	static const char *const bad_switch[] = {"dir-rule"};
	static const char *const bad_own[] = {"domain:com"};
	struct freshet_document rows[8];
	struct freshet_options options = FRESHET_OPTIONS_INIT;
	struct freshet *handle = open_handle();
	const struct freshet_reading *reading;
	struct freshet_robots *robots;
	struct freshet *other;

	for (size_t i = 0; i < 8; i++)
		rows[i] = document_at(HERE);
	rows[0].place.url = "ftp://a.example/";
	rows[1].place.final_url = "";
	rows[2].index.url = "a.example/";
	rows[3].place.proofs = none;
	rows[3].place.proof_count = 1;
	rows[4].listed = none;
	rows[4].listed_count = 1;
	rows[5].own = bad_own;
	rows[5].own_count = 1;
	rows[6].profile = "relaxed";
	rows[7].switches = bad_switch;
	rows[7].switch_count = 1;
	for (size_t i = 0; i < 8; i++) {
		if (freshet_read(handle, &rows[i], small, strlen(small),
			&reading) != FRESHET_BAD_ARGUMENT)
			fail_msg("row %zu", i);
		assert_true(strlen(freshet_error(handle)) > 0);
	}
	rows[0] = document_at(NULL);
	rows[0].size = 3;
	expect(handle, freshet_read(handle, &rows[0], small, 1, &reading),
	    FRESHET_BAD_ARGUMENT);
	rows[0].size = sizeof(rows[0]) + 1;
	expect(handle, freshet_read(handle, &rows[0], small, 1, &reading),
	    FRESHET_BAD_ARGUMENT);
	/* An older caller's struct ends earlier. */
	rows[0].size = sizeof(rows[0].size);
	expect(handle,
	    freshet_read(handle, &rows[0], small, strlen(small), &reading),
	    FRESHET_OK);
	expect(handle, freshet_robots_new(handle, "", 0, NULL, NULL, &robots),
	    FRESHET_BAD_ARGUMENT);
	expect(handle, freshet_robots_new(handle, "", 0, "a", "x", &robots),
	    FRESHET_BAD_ARGUMENT);
	assert_null(robots);
	works(handle);
	freshet_close(handle);

	options.helper = "/nonexistent/freshet-helper";
	assert_int_equal(freshet_open(&other, &options), FRESHET_NO_HELPER);
	assert_non_null(strstr(freshet_error(other), "/nonexistent"));
	freshet_close(other);
	options.helper = "/bin/true";
	assert_int_equal(freshet_open(&other, &options), FRESHET_HELPER_LOST);
	freshet_close(other);
	options.size = 1;
	assert_int_equal(freshet_open(&other, &options), FRESHET_BAD_ARGUMENT);
	freshet_close(other);
	freshet_close(NULL);
	freshet_robots_free(NULL);
}

/* in_child(fn): run it in a process of its own, which must end well. */
static void
in_child(void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static struct freshet *shared;

static void
use_shared(void)
{
	struct freshet_document document = document_at(NULL);
	const struct freshet_reading *reading;

	if (freshet_read(shared, &document, small, strlen(small), &reading) !=
	    FRESHET_BAD_ARGUMENT)
		_exit(1);
	freshet_close(shared);
}

static void
a_forked_process_keeps_off(void **state)
{
	shared = open_handle();
	in_child(use_shared);
	works(shared);
	freshet_close(shared);
}

/* bare_caller(): without descriptors 0 to 2, SIGCHLD ignored. */
static void
bare_caller(void)
{
	struct freshet_options options = FRESHET_OPTIONS_INIT;
	struct freshet_document document = document_at(NULL);
	const struct freshet_reading *reading;
	struct freshet *handle;

	for (int fd = 0; fd < 20; fd++)
		(void)close(fd);
	(void)signal(SIGCHLD, SIG_IGN);
	options.helper = HELPER;
	if (freshet_open(&handle, &options) != FRESHET_OK ||
	    freshet_read(handle, &document, small, strlen(small), &reading) !=
		FRESHET_OK ||
	    reading->entries != 1)
		_exit(1);
	freshet_close(handle);
	if (fcntl(0, F_GETFD) >= 0)
		_exit(2);
}

static void
the_caller_may_be_odd(void **state)
{
	in_child(bare_caller);
}

static bool
is_status_of_memory(enum freshet_status status)
{
	return status == FRESHET_NO_MEMORY || status == FRESHET_NO_HELPER ||
	    status == FRESHET_HELPER_LOST;
}

static void
limit_memory(rlim_t bytes)
{
	struct rlimit limit;

	(void)getrlimit(RLIMIT_AS, &limit);
	limit.rlim_cur = bytes;
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		_exit(3);
}

/* The address space in use. */
static size_t
used_bytes(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file == NULL || fscanf(file, "%lu", &pages) != 1)
		_exit(4);
	(void)fclose(file);
	return pages * 4096;
}

/* tiny_caller(): with less and less memory, every call returns; with enough
 * again, it works again. */
static void
tiny_caller(void)
{
	struct freshet_options options = FRESHET_OPTIONS_INIT;
	struct freshet_document document = document_at(HERE);
	const struct freshet_reading *reading;
	const struct freshet_entry *entry;
	enum freshet_status status;
	struct freshet *handle = NULL;
	unsigned good = 0, bad = 0;
	size_t len;
	char *text = many(2000, &len);
	size_t used = used_bytes();

	options.helper = HELPER;
	for (size_t more = 0; more < 256u << 10; more += 4096) {
		limit_memory(used + more);
		status = freshet_open(&handle, &options);
		while (status == FRESHET_OK) {
			status = freshet_read(
			    handle, &document, text, len, &reading);
			if (status != FRESHET_OK)
				break;
			do
				status = freshet_next(handle, &entry);
			while (status == FRESHET_OK && entry != NULL);
			break;
		}
		if (status != FRESHET_OK && !is_status_of_memory(status))
			_exit(5);
		limit_memory(RLIM_INFINITY);
		*(status == FRESHET_OK ? &good : &bad) += 1;
		if (handle != NULL &&
		    freshet_read(handle, &document, text, len, &reading) !=
			FRESHET_OK)
			_exit(6);
		freshet_close(handle);
		/* What free() keeps would be room enough the next time. */
		used = used_bytes();
	}
	free(text);
	if (bad == 0)
		_exit(7);
}

static void
a_caller_without_memory_survives(void **state)
{
	if (IS_SANITIZED)
		skip();
	in_child(tiny_caller);
}

static void *
read_much(void *arg)
{
	struct freshet *handle = open_handle();

	(void)arg;
	for (int i = 0; i < 20; i++)
		works(handle);
	freshet_close(handle);
	return NULL;
}

static void
each_thread_has_its_handle(void **state)
{
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, read_much, NULL), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* What a helper that was subverted may answer to a document. */
static const struct {
	const char *why;
	/* of a reading of zeros: the byte at `at` becomes `byte`, and `more`
	 * bytes follow, all of them `added` */
	size_t at;
	unsigned char byte, added;
	int more;
	enum freshet_status read;
	/* what follows: the type of a frame, and its bytes; NULL: zeros */
	unsigned char type;
	const char *then;
	size_t len;
	enum freshet_status next;
} lies[] = {
#define AT(member) offsetof(struct freshet_reading, member)
#define FINE 0, 0, 0, 0, FRESHET_OK
#define LOST FRESHET_HELPER_LOST
#define NOTHING 0, NULL, 0, FRESHET_OK
    {"nothing is wrong", FINE, LIBRARY_END, "", 0, FRESHET_OK},
    {"a bool of 2", AT(is_complete), 2, 0, 0, LOST, NOTHING},
    {"a byte too few", 0, 0, 0, -1, LOST, NOTHING},
    {"a byte too many", 0, 0, 0, 1, LOST, NOTHING},
    {"a text that is not there", AT(failure), 1, 0, 0, LOST, NOTHING},
    {"a text without a NUL", AT(failure), 1, 'a', 9, LOST, NOTHING},
    {"a text and more", AT(failure), 1, 0, 2, LOST, NOTHING},
    {"findings that are nowhere", AT(finding_count), 1, 0, 0, LOST, NOTHING},
    {"findings that are not there", AT(findings), 1, 'a', 8, LOST, NOTHING},
    {"another reply", FINE, LIBRARY_VERDICT, "", 0, LOST},
    {"no type", FINE, 0, "", 0, LOST},
    {"an entry without a URL", FINE, LIBRARY_ENTRY, NULL,
	sizeof(struct freshet_entry), LOST},
    {"half an entry", FINE, LIBRARY_ENTRY, NULL, 1, LOST},
    {"a failure after the reading", FINE, LIBRARY_FAILED, "\1\3\0\0\0no", 8,
	LOST},
#undef AT
#undef FINE
#undef LOST
#undef NOTHING
};

/* put_octal(file, p, n): for the shell's printf; p NULL: zeros. */
static void
put_octal(FILE *file, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		(void)fprintf(file, "\\%03o",
		    p == NULL ? 0 : ((const unsigned char *)p)[i]);
}

static void
put_frame(FILE *file, uint32_t len, unsigned char type)
{
	put_octal(file, &len, sizeof(len)); /* little-endian, as this machine */
	put_octal(file, &type, 1);
}

/* The helper is a script, which answers when it has the whole request. */
static void
no_lie_is_believed(void **state)
{
	char path[] = "/tmp/freshet-XXXXXX";
	unsigned char bytes[sizeof(struct freshet_reading) + 16];
	const uint32_t protocol = LIBRARY_PROTOCOL;

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct freshet_options options = FRESHET_OPTIONS_INIT;
		size_t len = sizeof(struct freshet_reading) +
		    (size_t)lies[i].more;
		const struct freshet_reading *reading;
		const struct freshet_entry *entry;
		struct freshet *handle;
		enum freshet_status status;
		int fd;
		FILE *file;

		memset(bytes, 0, sizeof(struct freshet_reading));
		memset(
		    bytes + sizeof(struct freshet_reading), lies[i].added, 16);
		bytes[lies[i].at] = lies[i].byte;
		memcpy(path + strlen(path) - 6, "XXXXXX", 6);
		fd = mkostemp(path, O_CLOEXEC);
		assert_true(fd >= 0 && fchmod(fd, 0700) == 0);
		file = fdopen(fd, "w");
		assert_non_null(file);
		(void)fprintf(file,
		    "#!/bin/sh\nhead -c %zu <&%d >/dev/null\nprintf '",
		    5 + 4 + sizeof(options) + strlen(path) + 1, LIBRARY_FD);
		put_frame(file, 5, LIBRARY_READY);
		put_octal(file, &protocol, 4);
		put_octal(file, NULL, 1);
		(void)fprintf(file,
		    "' >&%d\nhead -c %zu <&%d >/dev/null\nprintf '", LIBRARY_FD,
		    5 + sizeof(struct library_question) + 5, LIBRARY_FD);
		put_frame(file, (uint32_t)len, LIBRARY_READING);
		put_octal(file, bytes, len);
		if (lies[i].then != NULL || lies[i].len > 0) {
			/* a frame that ends too early says that it is longer */
			put_frame(file,
			    (uint32_t)(lies[i].len == 1 ? 999 : lies[i].len),
			    lies[i].type);
			put_octal(file, lies[i].then, lies[i].len);
		}
		(void)fprintf(file, "' >&%d\n", LIBRARY_FD);
		assert_int_equal(fclose(file), 0);

		options.helper = path;
		status = freshet_open(&handle, &options);
		expect(handle, status, FRESHET_OK);
		status = freshet_read(handle, NULL, "", 0, &reading);
		if (status != lies[i].read)
			fail_msg("%s: status %d: %s", lies[i].why, (int)status,
			    freshet_error(handle));
		assert_int_equal(reading != NULL, status == FRESHET_OK);
		if (status == FRESHET_OK) {
			status = freshet_next(handle, &entry);
			if (status != lies[i].next)
				fail_msg("%s: status %d: %s", lies[i].why,
				    (int)status, freshet_error(handle));
			assert_null(entry);
		}
		freshet_close(handle);
		assert_int_equal(unlink(path), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_sitemap_is_read),
	    cmocka_unit_test(the_index_and_proofs_count),
	    cmocka_unit_test(own_listed_and_switches_count),
	    cmocka_unit_test(robots_are_read_and_asked),
	    cmocka_unit_test(bytes_come_from_descriptors),
	    cmocka_unit_test(bombs_are_answers),
	    cmocka_unit_test(a_helper_that_dies_is_replaced),
	    cmocka_unit_test(no_lie_is_believed),
	    cmocka_unit_test(limits_of_a_process_hold),
	    cmocka_unit_test(bad_arguments_are_named),
	    cmocka_unit_test(a_forked_process_keeps_off),
	    cmocka_unit_test(the_caller_may_be_odd),
	    cmocka_unit_test(a_caller_without_memory_survives),
	    cmocka_unit_test(each_thread_has_its_handle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
