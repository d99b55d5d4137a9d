/* freshet check: read the sitemaps of targets and report on them. The driver is
 * that of `crawl`, on a temporary store that is deleted at the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/target.h"
#include "crawler/cli/options_table.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/commands/scratch_crawl.h"
#include "crawler/commands/target_files.h"
#include "crawler/event/exit.h"
#include "crawler/report/report_accept.h"
#include "crawler/report/report_build.h"
#include "crawler/report/report_unlisted.h"
#include "crawler/stamp/manifest.h"
#include "store/reach.h"

/* A format of the report, and where it goes. */
struct check_output {
	enum report_format format;
	const char *file; /* borrowed; NULL: stdout */
};

struct check {
	struct crawler crawl;
	struct target_files files;
	struct report_builder *builder; /* owned */
	struct report_unlisted unlisted; /* of the folder, if one is read */
	/* files without a place on a server have no URLs, no robots.txt and no
	 * directory rule */
	bool has_no_base;
	struct manifest now; /* of --dates, as is what follows */
	struct manifest_file before;
	size_t changes[PAGE_CHANGES]; /* pages */
	size_t looked; /* at pages of it, for further ones */
	/* its first page that a sitemap lists is asked for what it says of its
	 * generator; NULL: not yet, or there is none */
	const char *probe;
	struct check_output *outputs; /* owned */
	size_t output_count;
	struct report_accept accept;
	bool has_accept; /* something is accepted */
	struct strings urls, hosts; /* owned; of the targets */
	/* borrowed: robots.txt is judged for them */
	const char *const *agents;
	size_t agent_count;
	char *agent_words; /* owned: several of them; else NULL */
	char *lost_rule; /* owned: of report_facts; or NULL */
	/* origins of which a default location is a web page */
	struct names guessed;
};

/* Events of the driver. */

/* A document was read, or could not be; it is named as the user named it, by
 * its file or by its URL. */
static void
check_on_document(void *arg, struct slice url, const struct reading *reading,
    const struct profile *profile)
{
	struct check *check = arg;
	enum reach_root_kind kind;
	struct buf path = {0}, file = BUF_UP_TO(SIZE_MAX);

	/* files without a base URL need no robots.txt */
	if (check->has_no_base && reading->content.kind == KIND_ROBOTS &&
	    reading->http.status != 200)
		return;
	/* A site may answer every unknown path with a page: a name that nobody
	 * wrote is not there, then. */
	if (reading->failure == DIAG_HTML_NOT_SITEMAP &&
	    reading->http.wall == NULL && !check->has_no_base &&
	    !report_names_wall(&reading->content) &&
	    reach_root_kind(check->crawl.store, reading->document_id, &kind) &&
	    kind == ROOT_OF_PLACE) {
		(void)names_put(&check->guessed, report_origin(url));
		return;
	}
	if (local_path(check->crawl.local, url, &path))
		url = buf_text(&path);
	if (reading->http.status == 200)
		(void)local_file(check->crawl.local, url, &file);
	report_builder_document(
	    check->builder, url, buf_text(&file), reading, profile);
	buf_release(&file);
	/* The target is a page: freshet looks for the sitemaps of its site. */
	if (reading->failure == DIAG_HTML_NOT_SITEMAP &&
	    !check->crawl.options->output.is_quiet &&
	    strings_has(&check->urls, url)) {
		struct slice site = report_origin(url);

		if (check->crawl.progress != NULL)
			progress_clear(check->crawl.progress);
		complain("%.*s is a web page, not a sitemap; to find its "
			 "site's: freshet check %.*s",
		    (int)url.len, url.p, (int)site.len, site.p);
	}
	buf_release(&path);
}

/* What has a code and a URL belongs into the report; other lines are for who
 * watches the command. */
static void
check_on_problem(
    void *arg, enum diag_code code, struct slice url, struct slice text)
{
	struct check *check = arg;

	if (code != DIAG_OK && url.len > 0) {
		report_builder_problem(check->builder, code, url, text,
		    &check->crawl.options->rules.profile);
		return;
	}
	/* it is in no report, so it is told now or never */
	if (check->crawl.options->output.is_quiet)
		return;
	scratch_crawl_say(&check->crawl, DIAG_OK, url, text);
}

/* A page of the sample: the builder judges it when all documents are known. */
static void
check_on_page(void *arg, const struct listed_page *page)
{
	struct check *check = arg;
	struct listed_page copy = *page;

	copy.is_probe = check->probe != NULL &&
	    slice_is(page->url, check->probe);
	report_builder_page(check->builder, &copy);
}

/* What a run that stopped early did not read may list anything. */
static bool
check_is_cut(const struct check *check)
{
	return check->crawl.stopped_by != 0 ||
	    scratch_crawl_status(&check->crawl) == EXIT_BUDGET;
}

/* Files that no sitemap lists are asked for after all others, if the reading
 * was whole. */
static bool
on_further(void *arg, struct buf *url)
{
	struct check *check = arg;
	const struct unlisted_files *pages = &check->unlisted.pages;

	while (!check_is_cut(check) && check->looked < pages->count) {
		const struct unlisted_file
		    *page = &pages->items[check->looked++];
		bool is_probe = page->is_listed && check->probe == NULL &&
		    check->crawl.options->check.sample == 0 &&
		    report_builder_asks(check->builder);

		if (is_probe)
			check->probe = page->url;
		if (is_probe || !page->is_listed)
			return buf_print(url, "%s", page->url);
	}
	return false;
}

/* Documents that lie in the folder, though nothing names one. */
static bool
check_on_found(void *arg, struct buf *url)
{
	struct check *check = arg;
	struct unlisted_file *file = report_unlisted_next(&check->unlisted);

	return file != NULL && buf_print(url, "%s", file->url);
}

/* Several reports may be asked for, but stdout holds one of them. */
static int
take_outputs(struct check *check)
{
	const struct options *options = check->crawl.options;
	const struct strings *given = &options->check.formats;
	const char *on_stdout = options->output.is_json ? "json" : NULL;
	size_t count = 0;

	check->outputs = mem_zero((given->count + 1) * sizeof(*check->outputs));
	if (options->output.is_json)
		check->outputs[count++].format = REPORT_JSON;
	for (size_t i = 0; i < given->count; i++) {
		struct check_output *output = &check->outputs[count];
		const char *word = given->items[i];
		size_t len = strcspn(word, ":");
		char *folder;
		bool can_write;

		*output = (struct check_output){
		    .format = (enum report_format)choice_find(
			REPORT_FORMATS, slice_make(word, len)),
		    .file = word[len] == ':' ? word + len + 1 : NULL};
		/* A run of an hour must not end with a report that cannot be
		 * written. The file itself is opened then, so that a run that
		 * ends early leaves the old one. */
		folder = output->file == NULL ? NULL
					      : textfile_folder(output->file);
		can_write = folder == NULL ||
		    access(
			access(output->file, F_OK) == 0 ? output->file : folder,
			W_OK) == 0;
		free(folder);
		if (!can_write)
			return complain_with(EXIT_USAGE,
			    "cannot write to '%s': %s", output->file,
			    strerrordesc_np(errno));
		if (output->file == NULL && on_stdout != NULL &&
		    strcmp(word, on_stdout) != 0)
			return complain_with(EXIT_USAGE,
			    "'%s' and '%s' cannot both be on stdout: write '-f "
			    "%s:FILE'",
			    on_stdout, word, word);
		if (output->file == NULL && on_stdout != NULL)
			continue;
		if (output->file == NULL)
			on_stdout = word;
		count++;
	}
	/* without a format, people read it */
	if (count == 0)
		check->outputs[count++].format = REPORT_TEXT;
	check->output_count = count;
	return EXIT_DONE;
}

/* What the owner accepts. */

#define BASELINE_MAX_BYTES (512u << 20)

/* A baseline is a report of an earlier run, so that nothing has to be learned
 * to make one. */
static bool
take_baseline(struct report_accept *accept, const char *path)
{
	struct buf file = BUF_UP_TO(BASELINE_MAX_BYTES);
	struct slice text;
	size_t line = 0;
	bool is_good;

	is_good = textfile_read(path, &file);
	for (text = buf_text(&file); is_good && text.len > 0;) {
		line++;
		is_good = report_accept_baseline(accept, textfile_line(&text));
		if (!is_good)
			complain("'%s' line %zu is no line of a report: make "
				 "the baseline with 'freshet check --json'",
			    path, line);
	}
	if (is_good && !accept->has_summary)
		is_good = refuse(
		    "'%s' is no whole report: its summary is missing", path);
	buf_release(&file);
	return is_good;
}

/* Returns EXIT_DONE or EXIT_USAGE. */
static int
take_accepted(struct check *check)
{
	const struct options_check *options = &check->crawl.options->check;
	struct report_accept *accept = &check->accept;
	const char *pattern;
	enum severity severity;
	enum diag_code code;

	if (options->ignores.count + options->severities.count == 0 &&
	    options->baseline == NULL)
		return EXIT_DONE;
	check->has_accept = true;
	accept->hash_key = network_key();
	accept->ignores = mem_zero(
	    (options->ignores.count + 1) * sizeof(*accept->ignores));
	/* their forms were judged when they were read */
	for (size_t i = 0; i < options->ignores.count; i++)
		if (value_ignore(options->ignores.items[i], &code, &pattern))
			accept->ignores[accept->ignore_count++] =
			    (struct report_ignore){code, pattern};
	for (size_t i = 0; i < options->severities.count; i++)
		if (value_severity(
			options->severities.items[i], &code, &severity))
			accept->severities[code] = severity;
	if (options->baseline != NULL &&
	    !take_baseline(accept, options->baseline))
		return EXIT_USAGE;
	return EXIT_DONE;
}

/* From the targets to the report. */

/* Documents are read under the rules for the first agent. */
static int
take_agents(struct check *check)
{
	static const char *const own[] = {"freshet"};
	const struct strings *asked = &check->crawl.options->robots.agents;
	struct buf words = BUF_UP_TO(SIZE_MAX);

	check->agents = asked->count > 0 ? (const char *const *)asked->items
					 : own;
	check->agent_count = asked->count > 0 ? asked->count : 1;
	if (asked->count > REPORT_AGENTS_MAX)
		return complain_with(EXIT_USAGE,
		    "'--agent' may be given %d times", REPORT_AGENTS_MAX);
	if (strcasecmp(check->agents[0], own[0]) != 0)
		check->crawl.agent = check->agents[0];
	if (check->agent_count == 1)
		return EXIT_DONE;
	for (size_t i = 0; i < check->agent_count; i++)
		(void)buf_print(
		    &words, "%s%s", i > 0 ? ", " : "", check->agents[i]);
	check->agent_words = buf_take(&words);
	return EXIT_DONE;
}

/* What is refused here is refused before a request is sent. */
static int
open_check(struct check *check, struct forkserver *forkserver)
{
	int status = target_files_init(&check->files, &check->crawl);

	if (status == EXIT_DONE && check->files.root != NULL &&
	    check->files.options.base == NULL &&
	    check->crawl.options->check.sample > 0)
		return complain_with(EXIT_USAGE,
		    "'--sample' looks at listed pages; for those of a folder, "
		    "--base must say where it will be");
	const struct options_check *asked = &check->crawl.options->check;

	if (status == EXIT_DONE &&
	    (asked->judges_dates || asked->manifest != NULL ||
		asked->is_first)) {
		if (!asked->judges_dates || asked->manifest == NULL ||
		    !check->files.is_folder)
			return complain_with(EXIT_USAGE,
			    "'--dates' needs '--manifest FILE', '--base URL' "
			    "and a folder, and these options need '--dates'");
		check->now.site = slice_dup(url_directory(&check->files.base));
		check->now.at_s = check->crawl.options->now_s;
		status = manifest_open(&check->before, asked->manifest,
		    check->now.site, asked->is_first);
	}
	if (status != EXIT_DONE)
		return status;
	if (take_agents(check) != EXIT_DONE)
		return EXIT_USAGE;
	/* judgements that cost time, and that a crawl does not make */
	check->crawl.checks = (struct read_checks){.has_extensions = true,
	    .has_schema = check->crawl.options->check.checks_schema,
	    .has_legacy = check->crawl.options->check.checks_legacy,
	    .has_lines = true,
	    .hash_key = network_key()};
	return scratch_crawl_open(&check->crawl, forkserver);
}

#define ROBOTS_LOOKED (32u << 10) /* bytes; each line is looked for in all */

/* find_lost_rule(root): a line of the robots.txt in public/ or static/ beside
 * the folder, which generators copy into it, that the folder's robots.txt
 * lacks, because a plugin wrote its own there; owned, or NULL. */
static char *
find_lost_rule(const char *root)
{
	/* "." is the folder even if its name is a link */
	static const char *const folders[] = {".", "../public", "../static"};
	struct buf texts[3], path = BUF_UP_TO(SIZE_MAX);
	char *lost = NULL;

	for (size_t i = 0; i < 3; i++) {
		struct slice rest, line;
		int fd;

		buf_init(&texts[i], ROBOTS_LOOKED);
		buf_clear(&path);
		(void)buf_print(&path, "%s/%s", root, folders[i]);
		fd = local_open_below(buf_str(&path), "robots.txt");
		/* what is longer is not looked at */
		if (fd >= 0 && !textfile_read_fd(fd, &texts[i]))
			buf_clear(&texts[i]);
		if (fd >= 0)
			(void)close(fd);
		rest = texts[0].len > 0 ? buf_text(&texts[i]) : slice_of("");
		while (i > 0 && lost == NULL && rest.len > 0) {
			struct slice built = buf_text(&texts[0]);
			bool is_there = false;

			line = slice_trim(textfile_line(&rest));
			while (!is_there && built.len > 0)
				is_there = slice_equal_nocase(
				    line, slice_trim(textfile_line(&built)));
			if (is_there || line.len == 0 || line.p[0] == '#')
				continue;
			(void)buf_print(&path, "/robots.txt has '%.*s'",
			    (int)line.len, line.p);
			lost = slice_dup(buf_text(&path));
		}
	}
	for (size_t i = 0; i < 3; i++)
		buf_release(&texts[i]);
	buf_release(&path);
	return lost;
}

/* Read all targets. Nothing is printed yet: what is listed twice is known only
 * at the end. */
static int
run_check(struct check *check)
{
	struct crawler *crawl = &check->crawl;
	struct crawl_options request = crawler_request(crawl);

	check->has_no_base = crawl->local != NULL &&
	    !local_has_base(crawl->local);
	request.document = check_on_document;
	request.problem = check_on_problem;
	request.page = check_on_page;
	request.pages = crawl->options->check.sample;
	request.further = check->files.is_folder ? on_further : NULL;
	request.found = check->files.is_folder ? check_on_found : NULL;
	request.arg = check;
	bool has_files = crawl->local != NULL && !check->has_no_base;

	if (has_files) {
		struct report_unlisted *unlisted = &check->unlisted;

		report_unlisted_init(unlisted, &check->files.base, crawl->local,
		    check->crawl.checks.hash_key);
		/* 150 MB; with --dates the listed pages are in memory, too */
		unlisted->most = crawl->options->check.judges_dates ? 20000
								    : 500000;
		if (check->files.is_folder)
			check->lost_rule = find_lost_rule(check->files.root);
		struct buf denied = BUF_UP_TO(SIZE_MAX);

		if (check->files.is_folder)
			local_walk(crawl->local, report_unlisted_file, unlisted,
			    &denied);
		if (denied.len > 0)
			complain("'%s' may not be read: what is in it is not "
				 "judged",
			    buf_str(&denied));
		buf_release(&denied);
	}
	check->guessed.key = check->crawl.checks.hash_key;
	/* the builder takes what is read as it comes; texts are hashed with a
	 * key, so that nobody can make them collide */
	check->builder = report_builder_new(check->crawl.checks.hash_key,
	    LOCAL_NOWHERE, has_files ? &check->unlisted : NULL);
	/* files without a base URL have no robots.txt */
	if (!check->has_no_base)
		report_builder_judge(check->builder, check->crawl.store,
		    check->agents, check->agent_count, REPORT_BLOCKED_STEPS);

	scratch_crawl_begin(crawl, &request);
	const struct strings *args = &check->crawl.options->targets.args;
	struct target kept;
	struct buf target = BUF_UP_TO(SIZE_MAX), path = BUF_UP_TO(SIZE_MAX);
	bool is_good = true;

	for (size_t i = 0; is_good && i < args->count; i++) {
		is_good = target_files_ask(
		    &check->files, crawl, args->items[i], &target);
		if (!is_good)
			break;
		/* keep its URL in the form that reports have, and its host */
		(void)target_parse(&kept, buf_text(&target));
		buf_clear(&path);
		if (!local_path(check->crawl.local, url_text(&kept.url), &path))
			(void)buf_put_slice(&path, url_text(&kept.url));
		strings_add(&check->urls, buf_text(&path));
		strings_add(&check->hosts, url_host(&kept.url));
		url_release(&kept.url);
	}
	buf_release(&path);
	buf_release(&target);
	if (!is_good)
		return EXIT_USAGE;
	scratch_crawl_run(crawl);
	return EXIT_DONE;
}

/* Report a page whose date says something else than its text. */
static void
check_on_date(void *arg, enum manifest_change change,
    struct manifest_page *page, const struct date *before)
{
	struct check *check = arg;
	bool is_moved = change == PAGE_MOVED_ONLY;
	struct buf text = BUF_UP_TO(SIZE_MAX);

	check->changes[change]++;
	if (!is_moved && change != PAGE_CHANGED_ONLY)
		return;
	date_print(&text, before);
	if (is_moved) {
		(void)buf_print(&text, " became ");
		date_print(&text, &page->lastmod);
		(void)buf_print(&text, ", and its text is the same");
	} else {
		(void)buf_print(&text, " stayed, and its text is another");
	}
	report_builder_date(check->builder, page->document,
	    is_moved ? DIAG_LASTMOD_MOVED_UNCHANGED
		     : DIAG_LASTMOD_UNMOVED_CHANGED,
	    page->ordinal, manifest_url(&check->now, page), buf_text(&text));
	buf_release(&text);
}

/* Compare the folder with its last published state, and say how many pages were
 * compared. Returns EXIT_DONE, or the exit status after one line on stderr. */
static int
check_judge_dates(struct check *check)
{
	struct crawler *crawl = &check->crawl;
	const size_t *changes = check->changes;
	bool is_whole;
	int status;

	if (!crawl->options->check.judges_dates || check_is_cut(check))
		return EXIT_DONE;
	status = scratch_crawl_digest(crawl, &check->now, &is_whole);
	/* the report says that it was interrupted */
	if (status != EXIT_DONE || !is_whole)
		return status;
	if (check->before.file == NULL)
		return manifest_write(
		    &check->now, crawl->options->check.manifest);
	status = manifest_compare(
	    &check->before, &check->now, check_on_date, check);
	if (status != EXIT_DONE || crawl->options->output.is_quiet)
		return status;
	complain("compared %zu pages with '%s': %zu changed, of these %zu "
		 "without a new date; %zu did not change, of these %zu with a "
		 "new date; %zu are new",
	    check->now.count - changes[PAGE_UNKNOWN] - changes[PAGE_NEW] -
		changes[PAGE_RENAMED],
	    check->before.path,
	    changes[PAGE_CHANGED] + changes[PAGE_CHANGED_ONLY],
	    changes[PAGE_CHANGED_ONLY],
	    changes[PAGE_SAME] + changes[PAGE_MOVED_ONLY],
	    changes[PAGE_MOVED_ONLY],
	    changes[PAGE_NEW] + changes[PAGE_RENAMED]);
	if (changes[PAGE_UNKNOWN] > 0)
		complain("%zu listed pages have no file with text",
		    changes[PAGE_UNKNOWN]);
	return EXIT_DONE;
}

/* What each value of --fail-on means. */
static const enum severity severities[] = {[FAIL_ON_ERROR] = SEVERITY_ERROR,
    [FAIL_ON_WARNING] = SEVERITY_WARNING,
    [FAIL_ON_INFO] = SEVERITY_INFO};

/* The exit status, in the order of precedence of exit.h. */
static int
check_status_of(const struct check *check, const struct report *report)
{
	enum severity from = severities[check->crawl.options->check.fail_on];
	int status = scratch_crawl_status(&check->crawl);
	bool has_findings;

	switch (status) {
	case EXIT_DONE:
	case EXIT_FINDINGS:
	case EXIT_BUDGET:
	case EXIT_NO_TARGET:
		break;
	default:
		return status;
	}
	/* without a document nothing was checked, whatever the findings are */
	if (report->success + report->has_errors == 0)
		return EXIT_NO_TARGET;
	if (status == EXIT_BUDGET)
		return EXIT_BUDGET;
	/* Is there a finding of that severity or above that the owner does not
	 * accept?  A finding that costs a document is an error. */
	has_findings = check->files.bad > 0 ||
	    report->errors > report->known_of[SEVERITY_ERROR] ||
	    (from <= SEVERITY_WARNING &&
		report->warnings > report->known_of[SEVERITY_WARNING]) ||
	    (from <= SEVERITY_INFO &&
		report->infos > report->known_of[SEVERITY_INFO]);
	for (size_t i = 0; !report->has_rules && i < report->document_count;
	     i++)
		has_findings |= report->documents[i].status != REPORT_SUCCESS;
	return has_findings ? EXIT_FINDINGS : EXIT_DONE;
}

/* Print the report in each format that was asked for. Without a format for
 * stdout, and with files, stdout stays empty. Returns EXIT_DONE or
 * EXIT_DISK. */
static int
check_print_all(const struct check *check, const struct report *report)
{
	static void (*const writers[])(const struct report *, struct out *) = {
	    [REPORT_TEXT] = report_text,
	    [REPORT_JSON] = report_json,
	    [REPORT_JUNIT] = report_junit,
	    [REPORT_GITHUB] = report_github,
	    [REPORT_SARIF] = report_sarif,
	    [REPORT_HTML] = report_html,
	    [REPORT_MARKDOWN] = report_markdown};
	const struct options *options = check->crawl.options;
	int status = EXIT_DONE;
	struct out out;

	for (size_t i = 0; i < check->output_count; i++) {
		const struct check_output *output = &check->outputs[i];
		int written = EXIT_DISK;

		/* a report in a file has no colours unless they were asked for
		 */
		if (output->file == NULL)
			out_init(&out, &options->output);
		if (output->file == NULL ||
		    out_init_file(&out, &options->output, output->file)) {
			writers[output->format](report, &out);
			written = out_finish(&out);
		}
		if (written != EXIT_DONE)
			status = written;
	}
	return status;
}

/* Print the report, also if the reading stopped early. */
static int
check_report(struct check *check)
{
	struct crawler *crawl = &check->crawl;
	const struct options *options = crawl->options;
	struct report_facts facts = {
	    .targets = (const char *const *)options->targets.args.items,
	    .target_count = options->targets.args.count,
	    .urls = (const char *const *)check->urls.items,
	    .hosts = (const char *const *)check->hosts.items,
	    .accept = check->has_accept ? &check->accept : NULL,
	    .is_cut = check_is_cut(check),
	    .guessed = &check->guessed,
	    .lost_rule = check->lost_rule};
	struct report *report;
	int written;

	if (crawler_complain(crawl))
		return scratch_crawl_status(&check->crawl);
	/* what was not read is known now, so that nothing is blamed on it */
	report = report_builder_finish(check->builder, crawl->store, &facts);
	report->profile = profile_names[options->rules.profile.name];
	report->sandbox = crawler_sandbox(&options->readers);
	report->agent = check->agent_words != NULL ? check->agent_words
						   : crawl->agent;
	report->began_s = options->now_s;
	report->spent_ms = loop_now_ms(crawl->loop) - crawl->began_ms;
	report->exit_status = check_status_of(check, report);
	report->fail_on = severities[options->check.fail_on];
	written = check_print_all(check, report);
	if (crawl->stopped_by != 0)
		complain("interrupted: the report is of what was read");
	return written != EXIT_DONE ? written : report->exit_status;
}

int
command_check(struct options *options, struct forkserver *forkserver)
{
	struct check check = {.crawl = {.options = options}};
	int status;

	manifest_init(&check.now);
	/* all that can be wrong with the options, before a request is sent */
	status = take_outputs(&check);
	if (status == EXIT_DONE)
		status = take_accepted(&check);
	if (status == EXIT_DONE)
		status = open_check(&check, forkserver);
	if (status == EXIT_DONE)
		status = run_check(&check);
	if (status == EXIT_DONE)
		status = check_judge_dates(&check);
	if (status == EXIT_DONE)
		status = check_report(&check);
	strings_release(&check.urls);
	strings_release(&check.hosts);
	crawler_close(&check.crawl);
	manifest_close(&check.before);
	manifest_release(&check.now);
	report_builder_free(check.builder);
	report_unlisted_release(&check.unlisted);
	names_release(&check.guessed);
	target_files_release(&check.files);
	free(check.outputs);
	free(check.agent_words);
	free(check.lost_rule);
	for (size_t i = 0; i < check.accept.known_count; i++)
		free(check.accept.known[i].path);
	free(check.accept.known);
	free(check.accept.ignores);
	return status;
}
