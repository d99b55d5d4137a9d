/* What follows from several options: store, headers, credentials. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "crawler/cli/options_internal.h"
#include "crawler/cli/options_value.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"

#define FILE_MAX_BYTES (64 << 10) /* of --user-file and -H @FILE */
#define PATH_MAX_BYTES 4096

/* add_header_file(options, headers, path): one header a line. */
static bool
add_header_file(
    struct options *options, struct words *headers, const char *path)
{
	struct buf file;
	struct slice text;
	bool is_good = false;

	buf_init(&file, FILE_MAX_BYTES);
	if (!textfile_read(path, &file))
		goto fail;
	for (text = buf_text(&file); text.len > 0;) {
		struct slice line = textfile_line(&text);
		const char *word;

		if (slice_trim(line).len == 0 || line.p[0] == '#')
			continue;
		word = options_keep(options, line);
		if (strlen(word) != line.len || word[0] == '@' ||
		    !shape_header(word)) {
			/* the line may be a secret: it is not shown */
			complain(
			    "'%s' has a line that is no 'Name: value'", path);
			goto fail;
		}
		words_add(headers, word);
	}
	is_good = true;

fail:
	buf_release(&file);
	return is_good;
}

static bool
finish_headers(struct options *options)
{
	struct words given = options->headers;
	bool is_good = true;

	options->headers = (struct words){0};
	for (size_t i = 0; is_good && i < given.count; i++)
		if (given.items[i][0] == '@')
			is_good = add_header_file(
			    options, &options->headers, given.items[i] + 1);
		else
			words_add(&options->headers, given.items[i]);
	free(given.items);
	return is_good;
}

/* join(options, user, password): "user:password" */
static void
join(struct options *options, struct slice user, struct slice password)
{
	struct buf both;

	buf_init(&both, FILE_MAX_BYTES * 2);
	(void)buf_put_slice(&both, user);
	(void)buf_put_char(&both, ':');
	(void)buf_put_slice(&both, password);
	options->credentials = options_keep(options, buf_text(&both));
	buf_release(&both);
}

static bool
finish_user_file(struct options *options)
{
	struct buf file;
	struct slice text;
	struct slice line;
	bool is_good;

	buf_init(&file, FILE_MAX_BYTES);
	is_good = textfile_read(options->user_file, &file);
	if (is_good) {
		text = buf_text(&file);
		line = text.len == 0 ? text : textfile_line(&text);
		is_good = line.len > 0 &&
		    memchr(line.p, '\0', line.len) == NULL &&
		    (options->user != NULL ||
			memchr(line.p, ':', line.len) != NULL);
		if (!is_good)
			complain("'%s' must hold %s on its first line",
			    options->user_file,
			    options->user != NULL ? "the password"
						  : "USER:PASSWORD");
		else if (options->user != NULL)
			join(options, slice_of(options->user), line);
		else
			options->credentials = options_keep(options, line);
	}
	buf_release(&file);
	return is_good;
}

static bool
finish_credentials(struct options *options)
{
	const char *password = getenv("FRESHET_PASSWORD");

	if (options->user_file != NULL)
		return finish_user_file(options);
	if (options->user == NULL)
		return true;
	if (password == NULL) {
		complain("'--user' needs a password: set FRESHET_PASSWORD, or "
			 "name a --user-file");
		return false;
	}
	join(options, slice_of(options->user), slice_of(password));
	return true;
}

/* default_store(options): where data lies (XDG Base Directory: a relative
 * path counts as none). */
static bool
default_store(struct options *options)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	struct buf path;
	bool is_good = true;

	buf_init(&path, PATH_MAX_BYTES);
	if (data != NULL && data[0] == '/')
		is_good = buf_print(&path, "%s", data);
	else if (home != NULL && home[0] == '/')
		is_good = buf_print(&path, "%s/.local/share", home);
	else
		is_good = false;
	is_good = is_good && buf_print(&path, "/freshet/freshet.db");
	if (is_good)
		options->store = buf_take(&path);
	else
		complain("there is no home folder for the store: name it with "
			 "--store");
	options->is_default_store = true;
	buf_release(&path);
	return is_good;
}

static bool
finish_store(struct options *options)
{
	static const char scheme[] = "sqlite://";
	const char *given = options->store_given;
	const char *path = given;

	if (given == NULL)
		return default_store(options);
	if (strncmp(given, scheme, sizeof(scheme) - 1) == 0)
		path += sizeof(scheme) - 1;
	if (path == given ? strstr(given, "://") != NULL
			  : path[0] != '/' || path[1] == '\0') {
		complain("'--store' takes a path or sqlite:///path, not '%s'",
		    given);
		return false;
	}
	options->store = mem_copy(path);
	return true;
}

bool
options_finish_site(struct options *options)
{
	options_finish_profile(options);
	return finish_headers(options) && finish_credentials(options);
}

bool
options_finish(struct options *options)
{
	return options_finish_site(options) &&
	    (!options->needs_store || finish_store(options));
}

bool
options_make_folder(const struct options *options)
{
	char *path = mem_copy(options->store);
	char room[128];
	bool is_good = true;

	for (char *p = strchr(path + 1, '/'); is_good && p != NULL;
	     p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST) {
			complain("cannot make the folder '%s': %s", path,
			    strerror_r(errno, room, sizeof(room)));
			is_good = false;
		}
		*p = '/';
	}
	free(path);
	return is_good;
}
