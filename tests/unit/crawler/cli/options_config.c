/* The configuration file (freshet.conf). */
#include "tests/fixtures/options_fixture.h"

#include <limits.h>
#include <sys/stat.h>

#include "crawler/cli/options_config.h"
#include "crawler/cli/options_sites.h"

static void
write_bytes(struct run *run, const char *text, size_t len)
{
	int fd;

	(void)snprintf(run->path, sizeof(run->path), "/tmp/freshet-XXXXXX");
	fd = mkstemp(run->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	(void)close(fd);
}

/* parse(run, text, line): with that text as its configuration. */
static void
parse(struct run *run, const char *text, const char *line)
{
	char named[256];

	write_bytes(run, text, strlen(text));
	(void)snprintf(named, sizeof(named), "%s --config %s", line, run->path);
	run_parse(run, named);
	(void)unlink(run->path);
}

static void
parse_good(struct run *run, const char *text, const char *line)
{
	parse(run, text, line);
	if (run->status != 0 || run->said[0] != '\0')
		fail_msg("%s: %s", text, run->said);
}

#define D "[defaults]\n"

static const struct {
	const char *text, *said; /* said begins after "freshet: FILE:" */
} mistakes[] = {
    {D "dealy = 1", "2: unknown key 'dealy'; did you mean 'delay'?"},
    {D "zzzzzzzz = 1", "2: unknown key 'zzzzzzzz'; see 'freshet help config'"},
    {D "Delay = 1", "2: unknown key 'Delay'; did you mean 'delay'?"},
    {D "dir-rul = warn", "2: unknown key 'dir-rul'; did you mean 'dir_rule'?"},
    {D "\n# x\ndelay = soon",
	"4: 'delay' takes a time such as 1.5, 300ms, 10m, 2h, 7d or 1w, at "
	"most "
	"1d, not 'soon'"},
    {D "profile = googel",
	"2: 'profile' cannot be 'googel'; did you mean 'google'?"},
    {D "dir-rule = wran",
	"2: 'dir_rule' cannot be 'wran'; did you mean "
	"'warn'?"},
    {D "dir_rul = warn", "2: unknown key 'dir_rul'; did you mean 'dir_rule'?"},
    {D "retry = 101", "2: 'retry' takes a number from 0 to 100, not '101'"},
    {D "retry =", "2: 'retry' takes a number from 0 to 100, not ''"},
    {D "max-urls = 0", "2: 'max-urls' must be more than 0"},
    {D "force = maybe", "2: 'force' is 1 or 0, not 'maybe'"},
    {D "own = a.example domain:b.example",
	"2: 'own' takes domain:example.com, no public suffix, or a URL prefix, "
	"not 'a.example'"},
    /* secrets are not repeated */
    {D "user = bob:secret", "2: unknown key 'user'; did you mean 'user-file'?"},
    {D "header = Secret", "2: 'header' takes 'Name: value', or @FILE"},
    {D "cacert = /nowhere",
	"2: 'cacert': cannot read '/nowhere': No such file or directory"},
    /* where a key may stand */
    {D "tree = 1",
	"2: 'tree' stands in no configuration: it is an option of "
	"the command line"},
    {D "help = 1",
	"2: 'help' stands in no configuration: it is an option of "
	"the command line"},
    {D "config = x",
	"2: 'config' stands in no configuration: it is an option "
	"of the command line"},
    {"[site a.example]\ncontact = x",
	"2: 'contact' concerns all sites: it stands in [defaults]"},
    {"delay = 1", "1: a key before the first section: begin with [defaults]"},
    {D "delay = 1\nprofile = strict\ndelay = 2",
	"4: 'delay' stands in line 2 already"},
    {"[site a.example]\ndelay = 1\n[site b.example]\n[site HTTP://A.example/]\n"
     "delay = 2",
	"5: 'delay' stands in line 2 already"},
    {D "dir-rule = warn\ndir_rule = warn",
	"3: 'dir_rule' stands in line 2 already"},
    /* sections */
    {"[default]\n",
	"1: a section is [defaults], [site HOST] or [alert NAME], with "
	"nothing behind it"},
    {"[defaults] # x\n",
	"1: a section is [defaults], [site HOST] or [alert NAME], with "
	"nothing behind it"},
    {"[defaults\n",
	"1: a section is [defaults], [site HOST] or [alert NAME], with "
	"nothing behind it"},
    {"[]\n",
	"1: a section is [defaults], [site HOST] or [alert NAME], with "
	"nothing behind it"},
    {"[site]\n", "1: a site needs its host: [site HOST]"},
    {"[sitea.example]\n",
	"1: a section is [defaults], [site HOST] or [alert NAME], with "
	"nothing behind it"},
    {"[site a b]\nretry = 1",
	"1: 'a b' is neither a host nor the URL of a site"},
    {"[site a.example/blog/]\nretry = 1",
	"1: 'a.example/blog/' is neither a host nor the URL of a site"},
    {"[site ftp://a.example]\nretry = 1",
	"1: 'ftp://a.example' is neither a host nor the URL of a site"},
    /* lines */
    {D "delay", "2: this is neither KEY = VALUE nor a section"},
    {D "delay: 1", "2: this is neither KEY = VALUE nor a section"},
    {D "= 1", "2: this is neither KEY = VALUE nor a section"},
    {D "contact = a\033[31m", "2: a control character: is it text?"},
    {D "contact = a\rb", "2: a control character: is it text?"},
    {"\x7f"
     "ELF\x02\x01",
	"1: a control character: is it text?"},
    /* mistakes in what another command takes are seen by all */
    {"[site a.example]\ndelay = soon",
	"2: 'delay' takes a time such as 1.5, 300ms, 10m, 2h, 7d or 1w, at "
	"most "
	"1d, not 'soon'"},
};

static void
mistakes_name_file_and_line(void **state)
{
	static const char *const lines[] = {"freshet crawl a", "freshet ls"};
	struct run *run = *state;
	char wanted[512];

	for (size_t i = 0; i < COUNT(mistakes); i++)
		for (size_t k = 0; k < COUNT(lines); k++) {
			/* files that a command does not read may be absent */
			if (k > 0 && strstr(mistakes[i].text, "cacert"))
				continue;
			parse(run, mistakes[i].text, lines[k]);
			(void)snprintf(wanted, sizeof(wanted),
			    "freshet: %s:%s\n", run->path, mistakes[i].said);
			if (run->status != 2 || strcmp(run->said, wanted) != 0)
				fail_msg("%s: %d %swanted %s", mistakes[i].text,
				    run->status, run->said, wanted);
		}
}

static void
values_stand_in(void **state)
{
	struct run *run = *state;
	const struct options *options = &run->options;

	/* no line end at the end, CRLF, a byte order mark, odd rate limiter */
	parse_good(run,
	    "\xef\xbb\xbf; x\r\n [ defaults ] \r\n\tdelay=2s\r\n"
	    "  user-agent = a ; b # c\r\n\r\nallow-address = 10.0.0.1  ::1\r\n"
	    "allow-address = 10.0.0.2\nheader = A: b=c\nheader=D:e\n"
	    "dir_rule = warn\nmax-loc-chars=99\nwww_rule=fold\nquiet = on",
	    "freshet crawl a");
	assert_int_equal(options->network.delay_ms, 2000);
	assert_true(options->network.has_delay && options->output.is_quiet);
	assert_string_equal(options->network.user_agent, "a ; b # c");
	assert_int_equal(options->network.allow_address.count, 3);
	assert_string_equal(
	    options->network.allow_address.items[2], "10.0.0.2");
	assert_int_equal(options->login.headers.count, 2);
	assert_string_equal(options->login.headers.items[0], "A: b=c");
	assert_int_equal(options->rules.profile.dir_rule, DIR_WARN);
	assert_int_equal(options->rules.profile.max_loc_chars, 99);
	assert_int_equal(options->rules.profile.www_rule, WWW_FOLD);
	assert_string_equal(options->config.path, run->path);

	parse_good(run, "", "freshet crawl a");
	parse_good(run, "[defaults]\nstore = x.db", "freshet ls");
	assert_string_equal(options->store.path, "x.db");
}

static const char two_sections[] =
    "[defaults]\ndelay = 1s\nretry = 1\nprofile = lenient\n"
    "own = domain:d.example\nmax-bytes = 1K\nheader = D: 1\n"
    "dir-rule = warn\nurl_dir_waiver = none\n"
    "[site s.example]\ndelay = 2s\nretry = 3\nprofile = strict\n"
    "own = domain:s.example domain:t.example\nheader =\n"
    "dir_rule = enforce\nrobots_proof = off\n";

/* Precedence: option, [site ...], [defaults], built in. */
static void
stronger_sources_win(void **state)
{
	struct run *run = *state;
	const struct options *options = &run->options;
	const struct site_rules *rules;

	parse_good(
	    run, two_sections, "freshet crawl a --retry 7 --robots-proof=on");
	rules = options_site_rules(options, slice_of("other.example"));
	assert_int_equal(rules->delay_ms, 1000);
	assert_int_equal(rules->retry, 7);
	assert_int_equal(rules->max_bytes, 1024);
	assert_int_equal(rules->profile.name, PROFILE_LENIENT);
	assert_int_equal(rules->profile.dir_rule, DIR_WARN);
	assert_int_equal(rules->own->count, 1);
	assert_string_equal(rules->headers[0], "D: 1");
	rules = options_site_rules(options, slice_of("s.example"));
	assert_true(rules->has_delay);
	assert_int_equal(rules->delay_ms, 2000);
	assert_int_equal(rules->retry, 7);
	assert_int_equal(rules->max_bytes, 1024);
	assert_int_equal(rules->profile.name, PROFILE_STRICT);
	assert_int_equal(rules->profile.dir_rule, DIR_ENFORCE);
	assert_int_equal(rules->profile.url_dir_waiver, URL_NONE);
	assert_int_equal(rules->profile.robots_proof, SWITCH_ON);
	assert_int_equal(rules->own->count, 2);
	assert_true(rules->headers == NULL || rules->headers[0] == NULL);
}

static void
what_is_typed_is_strongest(void **state)
{
	struct run *run = *state;
	const struct options *options = &run->options;
	const struct site_rules *rules;

	parse_good(run, two_sections,
	    "freshet crawl a --profile google --delay 5 --dir-rule warn "
	    "--own domain:o.example");
	rules = options_site_rules(options, slice_of("s.example"));
	assert_int_equal(rules->delay_ms, 5000);
	assert_int_equal(rules->retry, 3);
	assert_int_equal(rules->profile.name, PROFILE_GOOGLE);
	assert_int_equal(rules->profile.dir_rule, DIR_WARN);
	assert_int_equal(rules->own->count, 1);
	assert_true(string_set_has(rules->own, slice_of("domain:o.example")));
}

static unsigned
retry_of(const struct options *options, const char *host)
{
	return options_site_rules(options, slice_of(host))->retry;
}

static void
sites_are_found_by_host(void **state)
{
	char text[4096] = "";
	struct run *run = *state;
	const struct options *options = &run->options;
	size_t len = 0;

	/* longer than inih's names of sections are */
	len += (size_t)snprintf(text + len, sizeof(text) - len,
	    "[site %050d.%050d.example]\nretry = 50\n", 1, 2);
	len += (size_t)snprintf(text + len, sizeof(text) - len,
	    "[site %050d.%050d.example]\nretry = 51\n", 1, 3);
	len += (size_t)snprintf(text + len, sizeof(text) - len,
	    "[site https://B\xc3\xbc"
	    "cher.example:8443/]\nretry = 52\n"
	    "[site [::1]]\nretry = 53\n");
	for (unsigned i = 0; i < 20; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "[site h%u.example]\nretry = %u\n", i * 7 % 20, i * 7 % 20);
	parse_good(run, text, "freshet crawl a");
	for (unsigned i = 0; i < 20; i++) {
		char host[128];

		(void)snprintf(host, sizeof(host), "h%u.example", i);
		assert_int_equal(retry_of(options, host), i);
		(void)snprintf(
		    host, sizeof(host), "%050d.%050d.example", 1, 2 + (i & 1));
		assert_int_equal(retry_of(options, host), 50 + (i & 1));
	}
	assert_int_equal(retry_of(options, "xn--bcher-kva.example"), 52);
	assert_int_equal(retry_of(options, "[::1]"), 53);
	assert_int_equal(retry_of(options, "h1.example.org"), 2);
}

/* refuses(run, text, len): is a file of these bytes no configuration? */
static bool
refuses(struct run *run, const char *text, size_t len)
{
	char line[PATH_MAX + 64];

	write_bytes(run, text, len);
	(void)snprintf(
	    line, sizeof(line), "freshet crawl a --config %s", run->path);
	run_parse(run, line);
	(void)unlink(run->path);
	return run->status != 0;
}

static void
odd_files_are_refused(void **state)
{
	static char text[CONFIG_MAX_BYTES + 2];
	struct run *run = *state;
	size_t begin = sizeof(D "user-agent = x\n# ") - 1;

	/* as long as may be, and one more */
	memset(text, 'x', sizeof(text));
	memcpy(text, D "user-agent = x\n# ", begin);
	assert_false(refuses(run, text, begin - 2 + CONFIG_MAX_LINE));
	assert_string_equal(run->options.network.user_agent, "x");
	assert_true(refuses(run, text, begin - 2 + CONFIG_MAX_LINE + 1));
	/* larger than any configuration is */
	for (size_t i = begin; i < sizeof(text) - 3; i += 100)
		memcpy(text + i, "\n# ", 3);
	assert_false(refuses(run, text, CONFIG_MAX_BYTES));
	assert_true(refuses(run, text, CONFIG_MAX_BYTES + 1));
	/* a NUL */
	assert_true(refuses(run, "[defaults]\0\n", 12));
	run_parse(run, "freshet crawl a --config /tmp");
	assert_int_equal(run->status, 2);
}

/* make_config(folder, text, path): as $HOME/.config/freshet/freshet.conf. */
static void
make_config(const char *folder, const char *text, char path[PATH_MAX])
{
	static const char *const parts[] = {"/.config", "/freshet"};
	FILE *file;

	(void)snprintf(path, PATH_MAX, "%s", folder);
	for (size_t i = 0; i < COUNT(parts); i++) {
		(void)strncat(path, parts[i], PATH_MAX - strlen(path) - 1);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	(void)strncat(path, "/freshet.conf", PATH_MAX - strlen(path) - 1);
	file = fopen(path, "w");
	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

static void
remove_config(char path[PATH_MAX])
{
	(void)unlink(path);
	for (unsigned i = 0; i < 3; i++) {
		*strrchr(path, '/') = '\0';
		(void)rmdir(path);
	}
}

/* check_config(run, line, path): is that what was read?  It asks for JSON. */
static void
check_config(struct run *run, const char *line, const char *path)
{
	must_parse(run, line);
	assert_int_equal(run->options.output.is_json, path != NULL);
	if (path == NULL)
		assert_null(run->options.config.path);
	else
		assert_string_equal(run->options.config.path, path);
}

static void
the_first_that_exists_is_read(void **state)
{
	char folder[] = "/tmp/freshet-XXXXXX";
	char path[PATH_MAX];
	struct run *run = *state;

	assert_non_null(mkdtemp(folder));
	(void)setenv("HOME", folder, 1);
	make_config(folder, D "json = yes\n", path);
	check_config(run, "freshet ls", path);
	check_config(run, "freshet ls --no-config", NULL);
	check_config(run, "freshet ls --config=", NULL);
	(void)setenv("XDG_CONFIG_HOME", "/nowhere", 1);
	check_config(run, "freshet ls", NULL);
	/* what is named must be there; what is typed wins */
	(void)setenv("FRESHET_CONFIG", "/nowhere", 1);
	run_parse(run, "freshet ls");
	assert_int_equal(run->status, 2);
	check_config(run, "freshet ls --no-config", NULL);
	/* a broken one does not keep help from helping */
	must_parse(run, "freshet help config");
	must_parse(run, "freshet ls --help");
	clean_environment();
	remove_config(path);
}

UNIT(options_config)
{
	const struct CMUnitTest tests[] = {
	    line_test(mistakes_name_file_and_line),
	    line_test(values_stand_in),
	    line_test(stronger_sources_win),
	    line_test(what_is_typed_is_strongest),
	    line_test(sites_are_found_by_host),
	    line_test(odd_files_are_refused),
	    line_test(the_first_that_exists_is_read),
	};

	/* stdin of a test is whatever the runner has: never a pipe here */
	if (freopen("/dev/null", "r", stdin) == NULL)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
