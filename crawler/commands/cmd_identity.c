/*
 * freshet identity: the keys with which requests are signed.
 *
 *	new, show, directory: FOLDER -> its keys
 *	verify: a directory of keys, from a file or a host -> does it verify,
 *	and does a request that was captured?
 */
#include <string.h>

#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/cli/out.h"
#include "crawler/cli/textfile.h"
#include "crawler/commands/commands.h"
#include "crawler/control/network.h"
#include "crawler/event/exit.h"
#include "crawler/identity/verify.h"

#define REQUEST_MAX 65536 /* bytes of a captured request */
#define ANSWER_MS 30000

/* The keys in a folder. */
static int
identity_print(const struct options *options, const char *folder, bool is_set)
{
	struct buf why = BUF_UP_TO(SIZE_MAX);
	const struct identity_key *key;
	struct identity *identity;
	enum diag_code code = identity_open(
	    &identity, folder, options->now_s, &why);
	struct out out;

	if (code != DIAG_OK) {
		complain("%s: %s", diag_name(code), buf_str(&why));
		buf_release(&why);
		return EXIT_USAGE;
	}
	out_init(&out, &options->output);
	out.is_raw = is_set || options->output.is_json;
	if (is_set) {
		identity_directory(identity, &out.text);
		(void)out_line(&out);
	}
	for (size_t i = 0; !is_set && (key = identity_key(identity, i)) != NULL;
	     i++) {
		bool has_end = key->until_s != INT64_MAX;

		if (options->output.is_json) {
			out_json_line(&out.text, "identity-key");
			out_json_word(&out.text, "keyid", slice_of(key->keyid));
			out_json_time(&out.text, "made", key->made_s);
			out_json_time(
			    &out.text, "until", has_end ? key->until_s : 0);
			out_json_flag(&out.text, "signs", i == 0);
			(void)out_end_json(&out);
			continue;
		}
		(void)buf_print(&out.text, "%s  made ", key->keyid);
		zone_print(&out.text, key->made_s, ZONE_MOMENT);
		(void)buf_print(&out.text, "  %s",
		    has_end ? "in the directory until " : "signs");
		if (has_end)
			zone_print(&out.text, key->until_s, ZONE_MOMENT);
		out_end_line(&out);
	}
	identity_free(identity);
	return out_end(&out, EXIT_DONE);
}

static int
identity_make(const struct options *options, const char *folder)
{
	struct buf why = BUF_UP_TO(SIZE_MAX);
	enum diag_code code = identity_new(folder, options->now_s, &why);

	if (code != DIAG_OK)
		complain("%s: %s", diag_name(code), buf_str(&why));
	buf_release(&why);
	return code == DIAG_OK ? identity_print(options, folder, false)
			       : EXIT_USAGE;
}

/* A directory that a host publishes. */
struct identity_check {
	struct loop *loop;
	struct spool_file *spool;
	struct url url;
	struct key_directory directory;
	enum diag_code code;
	struct buf why;
};

/* What the host has answered has to be a directory, of its type, that its own
 * keys have signed for this host. */
static void
identity_on_answer(void *arg, const struct fetch_result *result)
{
	struct identity_check *check = arg;
	struct buf text = BUF_UP_TO(KEY_DIRECTORY_MAX),
		   authority = BUF_UP_TO(SIZE_MAX);
	struct signed_message answer = {
	    .head = result->answer_head, .is_answer = true};

	identity_authority(&check->url, &authority);
	answer.authority = buf_text(&authority);
	check->code = DIAG_KEY_DIRECTORY_INVALID;
	if (result->code != DIAG_OK)
		(void)buf_print(&check->why, "%s: %s", diag_name(result->code),
		    result->detail);
	else if (result->status != 200)
		(void)buf_print(&check->why, "the host answers with status %d",
		    result->status);
	else if (result->content_type == NULL ||
	    !slice_starts_nocase(slice_of(result->content_type),
		slice_of(IDENTITY_DIRECTORY_TYPE)))
		(void)buf_print(&check->why,
		    "its Content-Type is not " IDENTITY_DIRECTORY_TYPE);
	else if (!spool_read(check->spool, &text))
		(void)buf_print(&check->why, "it cannot be read here");
	else
		check->code = key_directory_read(
		    &check->directory, buf_text(&text), &check->why);
	if (check->code == DIAG_OK)
		check->code = signature_verify(&answer, &check->directory,
		    loop_now_s(check->loop), &check->why);
	buf_release(&authority);
	buf_release(&text);
	loop_stop(check->loop);
}

/* Ask the host for its directory, once and without a retry: the operator named
 * it. */
static int
identity_fetch(const struct options *options, struct identity_check *check)
{
	struct options_network asked = options->network;
	struct network network = {0};
	struct spool *spool = spool_new(NULL);
	struct fetch_request request = {.url = &check->url,
	    .spool = spool_get(spool),
	    .max_bytes = KEY_DIRECTORY_MAX,
	    .is_single = true,
	    .is_identity = true,
	    .wants_heads = true};
	int status;

	asked.max_time_ms = ANSWER_MS;
	status = network_policy(&network, &asked);
	check->loop = loop_new();
	check->spool = request.spool;
	if (check->loop == NULL || check->spool == NULL)
		status = complain_with(
		    EXIT_RESOURCES, "there are no descriptors");
	if (status == EXIT_DONE)
		status = network_open(&network, check->loop, &asked);
	if (status == EXIT_DONE) {
		policy_allow_target(network.policy, &check->url);
		fetch_start(
		    network.fetcher, &request, identity_on_answer, check);
		loop_run(check->loop);
	}
	network_release(&network);
	spool_put(request.spool);
	spool_free(spool);
	loop_free(check->loop);
	return status;
}

/* Read the directory from a file or a host. */
static int
identity_read(const struct options *options, const char *place,
    struct identity_check *check)
{
	struct buf text = BUF_UP_TO(KEY_DIRECTORY_MAX);
	struct slice scheme = slice_make("://", 3);
	int status = EXIT_USAGE;

	if (memmem(place, strlen(place), scheme.p, scheme.len) == NULL) {
		if (textfile_read(place, &text)) {
			check->code = key_directory_read(
			    &check->directory, buf_text(&text), &check->why);
			status = EXIT_DONE;
		}
	} else if (url_parse_raw(&check->url, slice_of(place), NULL) !=
	    DIAG_OK) {
		complain("'%s' is no URL of http or https", place);
	} else {
		/* a host alone means where a directory has to be */
		(void)buf_put_slice(&text, url_origin(&check->url));
		(void)buf_print(&text, IDENTITY_DIRECTORY_PATH);
		if (slice_is(url_target(&check->url), "/"))
			(void)url_parse_raw(&check->url, buf_text(&text), NULL);
		status = identity_fetch(options, check);
	}
	buf_release(&text);
	return status;
}

/* The request in a file: lines of its header, as curl -v or a log has them. */
static int
identity_check_request(const struct options *options, const char *path,
    struct identity_check *check)
{
	struct buf text = BUF_UP_TO(REQUEST_MAX);
	struct signed_message request = {0};
	struct slice rest, line, name;
	int status = textfile_read(path, &text) ? EXIT_DONE : EXIT_USAGE;

	rest = request.head = buf_text(&text);
	while (slice_cut(&rest, '\n', &line))
		if (slice_cut(&line, ':', &name) &&
		    slice_equal_nocase(name, slice_of("host")))
			request.authority = slice_trim(line);
	if (status == EXIT_DONE)
		check->code = signature_verify(
		    &request, &check->directory, options->now_s, &check->why);
	buf_release(&text);
	return status;
}

static int
identity_verify(const struct options *options, const char *place)
{
	const struct string_list *args = &options->targets.args;
	struct identity_check check = {.why = BUF_UP_TO(SIZE_MAX)};
	const char *subject = place;
	struct out out;
	int status;

	url_init(&check.url);
	status = identity_read(options, place, &check);
	if (status == EXIT_DONE && check.code == DIAG_OK && args->count > 2) {
		subject = args->items[2];
		status = identity_check_request(options, subject, &check);
	}
	if (status == EXIT_DONE) {
		out_init(&out, &options->output);
		out.is_raw = options->output.is_json;
		if (options->output.is_json) {
			out_json_line(&out.text, "identity-verify");
			out_json_word(&out.text, "subject", slice_of(subject));
			out_json_code(&out.text, "code", check.code);
			out_json_text(&out.text, "why", buf_text(&check.why));
			out_json_begin(&out.text, "keys", '[');
		} else if (check.code == DIAG_OK)
			(void)buf_print(&out.text, "good  %s\n", subject);
		else
			(void)buf_print(&out.text, "bad   %s: %s: %s\n",
			    subject, diag_name(check.code),
			    buf_str(&check.why));
		for (size_t i = 0; i < check.directory.count; i++)
			if (options->output.is_json)
				out_json_word(&out.text, NULL,
				    slice_of(check.directory.keys[i].keyid));
			else
				(void)buf_print(&out.text, "key   %s\n",
				    check.directory.keys[i].keyid);
		if (options->output.is_json) {
			out_json_end(&out.text, ']');
			(void)out_end_json(&out);
		}
		status = out_end(
		    &out, check.code == DIAG_OK ? EXIT_DONE : EXIT_FINDINGS);
	}
	url_release(&check.url);
	buf_release(&check.why);
	return status;
}

int
command_identity(struct options *options)
{
	const struct string_list *args = &options->targets.args;
	const char *action = args->items[0], *place = args->items[1];
	bool is_check = strcmp(action, "verify") == 0;

	if (args->count > 2 && !is_check)
		return complain_with(EXIT_USAGE, "'identity %s' takes no '%s'",
		    action, args->items[2]);
	if (is_check)
		return identity_verify(options, place);
	if (strcmp(action, "new") == 0)
		return identity_make(options, place);
	if (strcmp(action, "show") == 0 || strcmp(action, "directory") == 0)
		return identity_print(options, place, action[0] == 'd');
	return complain_with(EXIT_USAGE,
	    "'identity' has no action '%s': it has new, show, directory and "
	    "verify",
	    action);
}
