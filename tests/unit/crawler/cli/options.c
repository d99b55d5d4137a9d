/* The command line, the environment and the configuration. */
#include "tests/fixtures/options_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crawler/cli/options_parse.h"
#include "crawler/cli/targets.h"

struct complaint {
	const char *line, *said;
};

static const struct complaint complaints[] = {
    {"freshet crwal", "unknown command 'crwal'; did you mean 'crawl'?"},
    {"freshet zzzz", "unknown command 'zzzz'; see 'freshet help'"},
    {"freshet --json", "no command; see 'freshet help'"},
    {"freshet crawl --proflie google a",
	"unknown option '--proflie'; did you mean '--profile'?"},
    {"freshet crawl --chid-dir-waiver=none a",
	"unknown option '--chid-dir-waiver'; did you mean "
	"'--child_dir_waiver'?"},
    {"freshet crawl --no-profile a",
	"unknown option '--no-profile'; did you mean '--profile'?"},
    {"freshet crawl -Z a", "unknown option '-Z'; see 'freshet help'"},
    {"freshet crawl --json=yes a", "'--json' takes no value"},
    {"freshet crawl a --delay", "'--delay' needs a value: TIME"},
    {"freshet ls --readers 3",
	"'ls' takes no '--readers'; it is an option of 'check'"},
    {"freshet crawl --profile googel a",
	"'--profile' cannot be 'googel'; did you mean 'google'?"},
    {"freshet export -f xlsx",
	"'-f' is not 'xlsx' but one of csv|tsv|jsonl|urls|sitemap"},
    {"freshet crawl --delay soon a",
	"'--delay' takes a time such as 1.5, 300ms, 10m, 2h, 7d or 1w, at most "
	"1d, not 'soon'"},
    {"freshet crawl --max-bytes 1Q a",
	"'--max-bytes' takes a size such as 65536, 64K or 1GiB, not '1Q'"},
    {"freshet crawl --readers 65 a",
	"'--readers' takes a number from 0 to 64, not '65'"},
    {"freshet crawl --max-urls -1 a", "'--max-urls' takes a number, not '-1'"},
    {"freshet crawl --max-urls 0 a", "'--max-urls' must be more than 0"},
    {"freshet crawl --max-time 0 a", "'--max-time' must be more than 0"},
    {"freshet ls --no-config=x", "'--no-config' takes no value"},
    {"freshet ls --config /nowhere",
	"cannot read '/nowhere': No such file or directory"},
    {"freshet crawl --dir_rul=warn a",
	"unknown option '--dir_rul'; did you mean '--dir_rule'?"},
    {"freshet crawl --dir-rule wran a",
	"'dir_rule' cannot be 'wran'; did you mean 'warn'?"},
    {"freshet crawl --max-loc-chars many a",
	"'max_loc_chars' takes a number, not 'many'"},
    {"freshet crawl --own domain: a",
	"'--own' takes domain:example.com, no public suffix, or a URL prefix, "
	"not 'domain:'"},
    {"freshet crawl --connect-to a:80 a",
	"'--connect-to' takes HOST1:PORT1:HOST2:PORT2, not 'a:80'"},
    {"freshet crawl --resolve a:80:b a",
	"'--resolve' takes HOST:PORT:ADDR[,ADDR], not 'a:80:b'"},
    {"freshet crawl --allow-address 127.0.0.0/99 a",
	"'--allow-address' takes an address or a range such as 127.0.0.0/8, "
	"not '127.0.0.0/99'"},
    {"freshet crawl --cacert /nowhere a",
	"'--cacert': cannot read '/nowhere': No such file or directory"},
    {"freshet crawl -H Colonless a",
	"'-H' takes 'Name: value', or @FILE, not 'Colonless'"},
    /* a secret is neither taken from argv nor repeated */
    {"freshet crawl -u bob:secret a",
	"unknown option '-u'; see 'freshet help'"},
    {"freshet crawl --store sqlite://host/x a",
	"'--store' takes a path, sqlite:///path or "
	"postgresql://host/database, not 'sqlite://host/x'"},
    {"freshet crawl --store mysql://x a",
	"'--store' takes a path, sqlite:///path or "
	"postgresql://host/database, not 'mysql://x'"},
    {"freshet crawl --proxy foo://x a",
	"'--proxy' takes HOST:PORT, or http, https, socks4, socks4a, socks5 or "
	"socks5h://HOST[:PORT], not 'foo://x'"},
    {"freshet crawl --own domain:com a",
	"'--own' takes domain:example.com, no public suffix, or a URL prefix, "
	"not 'domain:com'"},
    {"freshet db prune --older 0s", "'--older' must be more than 0"},
    /* what does not go together */
    {"freshet export --json -f csv",
	"'--json' and '-f csv' do not go together"},
    {"freshet export --columns loc --format=urls",
	"'--columns loc' and '--format urls' do not go together"},
    {"freshet export --changes --all",
	"'--changes' and '--all' do not go together"},
    {"freshet stats --last 7d --since 7d a",
	"'--last 7d' and '--since 7d' do not go together"},
    {"freshet export --changes --since soon",
	"'--since' takes a date such as 2026-11-01, or a time back from now "
	"such as 7d, not 'soon'"},
    {"freshet export --changes -fsitemap",
	"'--changes' and '-f sitemap' do not go together"},
    {"freshet sql --json -f table x",
	"'--json' and '-f table' do not go together"},
    {"freshet ls --tree --urls", "'--tree' and '--urls' do not go together"},
    {"freshet db info --repair", "'--repair' is an option of 'db fsck'"},
    {"freshet db --older 3d fsck", "'--older' is an option of 'db prune'"},
    {"freshet crawl --store= a", "'--store' takes PATH, not ''"},
    {"freshet explain", "'explain' needs a URL; see 'freshet help explain'"},
    {"freshet export a b", "'export' takes one SITE"},
    {"freshet help a b", "'help' takes one TOPIC"},
    {"freshet db foolish", "unknown ACTION 'foolish'; see 'freshet help db'"},
    {"freshet crawl --user bob a",
	"unknown option '--user'; did you mean '--user-file'?"},
    {"freshet version x", "'version' takes no argument"},
    /* HOSTILE T23: what was typed may come from elsewhere */
    {"freshet crawl --delay \033[31m a",
	"'--delay' takes a time such as 1.5, 300ms, 10m, 2h, 7d or 1w, at most "
	"1d, not '\\x1b[31m'"},
};

static void
mistakes_name_the_suggestion(void **state)
{
	struct run *run = *state;
	char wanted[1024];

	for (size_t i = 0; i < COUNT(complaints); i++) {
		run_parse(run, complaints[i].line);
		(void)snprintf(wanted, sizeof(wanted), "freshet: %s\n",
		    complaints[i].said);
		if (run->status != 2 || strcmp(run->said, wanted) != 0)
			fail_msg("%s: %d %s", complaints[i].line, run->status,
			    run->said);
	}
}

static void
words_and_options_in_any_order(void **state)
{
	struct run *run = *state;

	must_parse(
	    run, "freshet --json crawl -Abot a --delay=1.5 -q -- -b --c");
	assert_string_equal(run->options.command, "crawl");
	assert_true(
	    run->options.output.is_json && run->options.output.is_quiet);
	assert_string_equal(run->options.network.user_agent, "bot");
	assert_true(run->options.network.has_delay);
	assert_int_equal(run->options.network.delay_ms, 1500);
	assert_int_equal(run->options.targets.args.count, 3);
	assert_string_equal(run->options.targets.args.items[1], "-b");
	assert_string_equal(run->options.targets.args.items[2], "--c");
	assert_null(run->options.targets.args.items[3]);

	must_parse(run, "freshet ls -lq --sitemaps --no-long h -");
	assert_true(
	    run->options.output.is_quiet && !run->options.listing.is_long);
	assert_int_equal(run->options.listing.view, LS_SITEMAPS);
	assert_true(
	    run->options.targets.has_stdin && !run->options.targets.is_piped);
	assert_int_equal(run->options.targets.args.count, 1);

	must_parse(run,
	    "freshet export -ftsv --columns loc --all --no-changes x.example");
	assert_int_equal(run->options.export.format, EXPORT_TSV);
	assert_string_equal(run->options.export.columns, "loc");
	assert_true(run->options.listing.wants_all &&
	    !run->options.export.wants_changes);
}

static void
some_lines_ask_for_words_only(void **state)
{
	struct run *run = *state;

	must_parse(run, "freshet");
	assert_null(run->options.command);
	must_parse(run, "freshet --version --json");
	assert_string_equal(run->options.command, "version");
	assert_true(run->options.output.is_json);
	/* help is given whatever else is wrong with the line */
	must_parse(run, "freshet crawl --help --delay soon");
	assert_true(run->options.wants_help);
	assert_string_equal(run->options.command, "crawl");
}

static void
profile_comes_before_its_switches(void **state)
{
	struct run *run = *state;

	must_parse(run,
	    "freshet crawl a --dir-rule warn --max_loc_chars=99 --profile "
	    "strict --site_match=registrable");
	assert_int_equal(run->options.rules.profile.name, PROFILE_STRICT);
	assert_int_equal(run->options.rules.profile.dir_rule, DIR_WARN);
	assert_int_equal(run->options.rules.profile.max_loc_chars, 99);
	assert_int_equal(
	    run->options.rules.profile.site_match, SITE_REGISTRABLE);
	assert_int_equal(run->options.rules.profile.on_partial, PARTIAL_DROP);

	must_parse(run,
	    "freshet crawl a --own domain:example.com --own "
	    "https://example.org/x/");
	assert_int_equal(run->options.rules.profile.name, PROFILE_GOOGLE);
	assert_int_equal(run->options.rules.own.count, 2);
	assert_true(string_set_has(
	    &run->options.rules.own, slice_of("domain:example.com")));

	/* SPEC section 1: every switch is an option */
	for (size_t i = 0; i < PROFILE_SWITCHES; i++) {
		const char *values = profile_switches[i].values;
		char line[128];

		if (values == NULL)
			values = "77";
		(void)snprintf(line, sizeof(line), "freshet crawl a --%s %.*s",
		    profile_switches[i].key, (int)strcspn(values, "|"), values);
		must_parse(run, line);
	}
}

/* Of the environment only the store and the configuration count. */
static void
environment_names_no_option(void **state)
{
	struct run *run = *state;

	(void)setenv("FRESHET_DELAY", "2s", 1);
	must_parse(run, "freshet crawl a");
	assert_false(run->options.network.has_delay);
	clean_environment();
	(void)setenv("FRESHET_STORE", "x.db", 1);
	must_parse(run, "freshet ls a --store y.db");
	assert_string_equal(run->options.store.path, "y.db");
}

static void
stores_are_found(void **state)
{
	static const struct {
		const char *xdg, *home, *given, *store;
	} rows[] = {
	    {NULL, "/h", NULL, "/h/.local/share/freshet/freshet.db"},
	    {"/d", "/h", NULL, "/d/freshet/freshet.db"},
	    /* XDG Base Directory: a relative path is to be ignored */
	    {"d", "/h", NULL, "/h/.local/share/freshet/freshet.db"},
	    {"/d", "/h", "x.db", "x.db"},
	    {NULL, NULL, "sqlite:///var/x.db", "/var/x.db"},
	};
	struct run *run = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		clean_environment();
		(void)unsetenv("HOME");
		if (rows[i].home != NULL)
			(void)setenv("HOME", rows[i].home, 1);
		if (rows[i].xdg != NULL)
			(void)setenv("XDG_DATA_HOME", rows[i].xdg, 1);
		if (rows[i].given != NULL)
			(void)setenv("FRESHET_STORE", rows[i].given, 1);
		must_parse(run, "freshet ls a");
		assert_string_equal(run->options.store.path, rows[i].store);
		assert_int_equal(
		    run->options.store.is_default, rows[i].given == NULL);
	}
	clean_environment();
	(void)unsetenv("HOME");
	run_parse(run, "freshet ls a");
	assert_string_equal(run->said,
	    "freshet: there is no home folder for the store: name it with "
	    "--store\n");
	/* HOSTILE P12: only who needs a store needs a home */
	must_parse(run, "freshet help");
}

static void
secrets_come_from_files(void **state)
{
	char users[] = "/tmp/freshet-options-XXXXXX";
	char headers[] = "/tmp/freshet-options-XXXXXX";
	char line[256];
	struct run *run = *state;

	write_file(users, "bob:se:cret\r\nother\n");
	write_file(headers, "# staging\nCookie: a=b\r\n\nX-Y:z");
	(void)snprintf(
	    line, sizeof(line), "freshet crawl --user-file %s a", users);
	must_parse(run, line);
	assert_string_equal(run->options.login.credentials, "bob:se:cret");
	(void)snprintf(
	    line, sizeof(line), "freshet crawl --user-file %s a", headers);
	run_parse(run, line);
	assert_int_equal(run->status, 2);
	assert_null(run->options.login.credentials);
	(void)unlink(users);
	(void)unlink(headers);
}

static void
headers_come_from_files(void **state)
{
	char users[] = "/tmp/freshet-options-XXXXXX";
	char headers[] = "/tmp/freshet-options-XXXXXX";
	char line[256];
	struct run *run = *state;

	write_file(users, "bob:se:cret\r\nother\n");
	write_file(headers, "# staging\nCookie: a=b\r\n\nX-Y:z");
	(void)snprintf(
	    line, sizeof(line), "freshet crawl -HA:b -H @%s a", headers);
	must_parse(run, line);
	assert_int_equal(run->options.login.headers.count, 3);
	assert_string_equal(run->options.login.headers.items[1], "Cookie: a=b");
	assert_string_equal(run->options.login.headers.items[2], "X-Y:z");
	assert_null(run->options.login.headers.items[3]);
	(void)snprintf(line, sizeof(line), "freshet crawl -H @%s a", users);
	run_parse(run, line);
	assert_int_equal(run->status, 2);
	assert_null(strstr(run->said, "cret"));
	(void)unlink(users);
	(void)unlink(headers);
}

static void
targets_come_from_a_pipe(void **state)
{
	static const char text[] = "# hosts\n\n  a.example \r\nb.example";
	struct run *run = *state;
	int saved = dup(STDIN_FILENO);
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_true(dup2(ends[0], STDIN_FILENO) >= 0);
	(void)close(ends[0]);
	assert_int_equal(
	    write(ends[1], text, sizeof(text) - 1), sizeof(text) - 1);
	(void)close(ends[1]);
	must_parse(run, "freshet crawl named");
	assert_false(run->options.targets.has_stdin);
	must_parse(run, "freshet crawl");
	assert_true(
	    run->options.targets.has_stdin && run->options.targets.is_piped);
	assert_true(options_read_targets(&run->options));
	assert_int_equal(run->options.targets.args.count, 2);
	assert_string_equal(run->options.targets.args.items[0], "a.example");
	assert_string_equal(run->options.targets.args.items[1], "b.example");
	assert_true(dup2(saved, STDIN_FILENO) >= 0);
	(void)close(saved);
}

UNIT(options)
{
	const struct CMUnitTest tests[] = {
	    line_test(mistakes_name_the_suggestion),
	    line_test(words_and_options_in_any_order),
	    line_test(some_lines_ask_for_words_only),
	    line_test(profile_comes_before_its_switches),
	    line_test(environment_names_no_option),
	    line_test(stores_are_found),
	    line_test(secrets_come_from_files),
	    line_test(headers_come_from_files),
	    line_test(targets_come_from_a_pipe),
	};

	/* stdin of a test is whatever the runner has: never a pipe here */
	if (freopen("/dev/null", "r", stdin) == NULL)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
