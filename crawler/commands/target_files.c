/* Files among the targets of `check` and `compare`. */
#include "crawler/commands/target_files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/target.h"
#include "crawler/cli/out.h"
#include "crawler/cli/targets.h"
#include "crawler/cli/textfile.h"
#include "crawler/event/exit.h"

enum target_type {
	IS_URL,
	IS_FILE,
	IS_FOLDER,
	IS_OTHER,
	IS_MISSING,
	IS_NOTHING
};

/* If a file and a host have the same name, the file is meant. The same holds
 * for a dangling link, a FIFO or a device. */
static enum target_type
type_of(const char *text)
{
	const char *slash = strchr(text, '/');
	struct target target;
	enum diag_code code;
	struct stat st;
	char *folder;
	bool is_there;

	if (strstr(text, "://") == NULL && text[0] != '\0') {
		if (stat(text, &st) == 0 && S_ISREG(st.st_mode))
			return IS_FILE;
		if (stat(text, &st) == 0 && S_ISDIR(st.st_mode))
			return IS_FOLDER;
		if (lstat(text, &st) == 0)
			return IS_OTHER;
		/* Does the text name a missing file? Its form says so, or its
		 * folder exists, or the text is one word, which is a folder
		 * more often than a host. */
		if (target_is_path(slice_of(text)))
			return IS_MISSING;
		if (slash == NULL && strpbrk(text, ".:[") == NULL &&
		    strcasecmp(text, "localhost") != 0)
			return IS_MISSING;
		folder = slash == NULL
		    ? NULL
		    : slice_dup(slice_make(text, (size_t)(slash - text)));
		is_there = folder != NULL && stat(folder, &st) == 0 &&
		    S_ISDIR(st.st_mode);
		free(folder);
		if (is_there)
			return IS_MISSING;
	}
	code = target_parse(&target, slice_of(text));
	url_release(&target.url);
	return code == DIAG_OK ? IS_URL : IS_NOTHING;
}

/* Take the URL of a folder, and end it with a slash. */
static bool
take_base(struct target_files *files, const char *text)
{
	struct profile profile = profile_default(PROFILE_GOOGLE);
	struct buf whole = BUF_UP_TO(URL_MAX_BYTES);
	enum diag_code code;

	(void)buf_print(&whole, "%s%s", text,
	    text[0] != '\0' && text[strlen(text) - 1] == '/' ? "" : "/");
	code = strpbrk(text, "?#") != NULL
	    ? DIAG_INVALID_URL
	    : url_parse(&files->base, buf_text(&whole), NULL, &profile,
		  (struct diag_sink){0});
	buf_release(&whole);
	if (code == DIAG_RELATIVE_URL)
		complain(
		    "'--base %s' needs https:// or http:// in front", text);
	else if (code != DIAG_OK)
		complain("'--base %s' is not the URL of a folder: %s", text,
		    diag_name(code));
	return code == DIAG_OK;
}

/* How many targets there are of each type. */
struct kinds {
	size_t urls, files, folders;
	const char *file, *folder, *url; /* the first target of each type */
	bool has_robots;
};

/* Keep the good targets in args. Returns false if a typed one is bad. */
static bool
sort_targets(struct options *options, struct kinds *kinds, size_t *bad)
{
	struct strings *args = &options->targets.args;
	size_t kept = 0;

	*kinds = (struct kinds){0};
	for (size_t i = 0; i < args->count; i++) {
		char *text = args->items[i];
		const char *slash = strrchr(text, '/');
		const char *refusal = NULL;

		if (i >= options->targets.typed && text[0] == '<') {
			targets_refuse(&options->targets, i,
			    "is XML: a list has targets, one a line; to check "
			    "a sitemap, name its file");
			return false;
		}
		switch (type_of(text)) {
		case IS_URL:
			if (kinds->urls++ == 0)
				kinds->url = text;
			break;
		case IS_FILE:
			if (kinds->files++ == 0)
				kinds->file = text;
			kinds->has_robots |= strcmp(slash == NULL ? text
								  : slash + 1,
						 "robots.txt") == 0;
			break;
		case IS_FOLDER:
			if (kinds->folders++ == 0)
				kinds->folder = text;
			break;
		case IS_OTHER:
			refusal = "is neither a regular file nor a folder";
			break;
		case IS_MISSING:
			refusal = "is not there: no such file; if it is a host "
				  "or a URL, write https:// in front of it";
			break;
		case IS_NOTHING:
			refusal = "is neither a file nor a host nor a URL";
			break;
		}
		if (refusal == NULL) {
			args->items[i] = NULL;
			args->items[kept++] = text;
			continue;
		}
		/* a bad line of a list does not keep the others from being read
		 */
		targets_refuse(&options->targets, i, refusal);
		if (i < options->targets.typed)
			return false;
		free(text);
		args->items[i] = NULL;
		++*bad;
	}
	args->count = kept;
	return true;
}

/* Can targets of these types be read together? */
static bool
go_together(const struct options_check *check, const struct kinds *kinds)
{
	/* each of these would be judged by rules that cannot hold for it */
	if (kinds->folder != NULL && check->base == NULL)
		complain("'%s' is a folder: name a file in it, or --base, "
			 "where it will be",
		    kinds->folder);
	else if (kinds->folders > 1 ||
	    (kinds->folders == 1 && check->root != NULL))
		complain("'%s' and another folder cannot both be at --base",
		    kinds->folder);
	else if (kinds->files > 0 && kinds->urls > 0 && check->base == NULL)
		complain("'%s' is a file and '%s' is none: without --base they "
			 "do not go together",
		    kinds->file, kinds->url);
	else if (check->base != NULL && check->root == NULL &&
	    kinds->files + kinds->folders == 0)
		complain("'%s' is neither a file nor a folder: '--base' needs "
			 "one, or --root",
		    kinds->url);
	else if (check->base == NULL && check->root != NULL &&
	    kinds->files == 0)
		complain("'--root' needs a file among the targets, or --base");
	else
		return true;
	return false;
}

int
target_files_init(struct target_files *files, struct crawler *crawl)
{
	struct options *options = crawl->options;
	struct kinds kinds;
	struct stat st;

	*files = (struct target_files){0};
	if (!options_read_targets(options))
		return EXIT_USAGE;
	if (options->targets.args.count == 0)
		return complain_with(EXIT_USAGE,
		    "a target is needed: a host, the URL of a site, an index "
		    "or a sitemap, or a file");
	if (!sort_targets(options, &kinds, &files->bad))
		return EXIT_USAGE;
	if (options->targets.args.count == 0 && files->bad > 0)
		return EXIT_NO_TARGET;
	if (!go_together(&options->check, &kinds) ||
	    (options->check.base != NULL &&
		!take_base(files, options->check.base)))
		return EXIT_USAGE;
	/* no file among the targets: they are all asked for */
	if (options->check.base == NULL && kinds.files == 0)
		return EXIT_DONE;
	if (options->check.root != NULL)
		files->root = mem_copy(options->check.root);
	else if (kinds.folder != NULL)
		files->root = mem_copy(kinds.folder);
	else
		files->root = textfile_folder(kinds.file);
	files->is_folder = kinds.folder != NULL;
	if (options->check.base != NULL && options->check.root == NULL &&
	    kinds.folder == NULL) {
		/* Print where a file will be published, as --root says: with a
		 * wrong place the location rules would accept wrong URLs, or
		 * refuse right ones. */
		const char *slash = strrchr(kinds.file, '/');
		struct slice base = url_text(&files->base);

		if (slash != NULL && !options->output.is_quiet)
			complain("'%s' is judged as %.*s%s; --root names "
				 "another folder, if that is not its place",
			    kinds.file, (int)base.len, base.p, slash + 1);
	}
	if (stat(files->root, &st) != 0 || !S_ISDIR(st.st_mode))
		return complain_with(
		    EXIT_USAGE, "'--root %s' is no folder", files->root);
	files->options = (struct local_options){
	    .base = options->check.base != NULL ? &files->base : NULL,
	    .root = files->root,
	    .has_robots = kinds.has_robots};
	crawl->files = &files->options;
	if (files->options.base == NULL && !options->output.is_quiet)
		complain("files without --base have no URL: no location rule "
			 "is applied to them");
	return EXIT_DONE;
}

void
target_files_release(struct target_files *files)
{
	url_release(&files->base);
	free(files->root);
}

bool
target_files_ask(const struct target_files *files, const struct crawler *crawl,
    const char *text, struct buf *target)
{
	enum target_type type = type_of(text);

	buf_clear(target);
	if (type == IS_FILE && !local_url(crawl->local, text, target))
		return refuse(
		    "'%s' is not below the folder '%s'", text, files->root);
	if (type == IS_FOLDER)
		(void)buf_put_slice(target, url_text(&files->base));
	else if (type != IS_FILE)
		(void)buf_print(target, "%s", text);
	return run_target(crawl->run, crawl->request, buf_text(target)) ==
	    DIAG_OK;
}
