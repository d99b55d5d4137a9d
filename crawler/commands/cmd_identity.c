/*
 * freshet identity: the keys with which requests are signed.
 *
 *	new, show, directory: FOLDER -> its keys
 *	verify: FOLDER, what a host answers -> is it their directory?
 */
#include <string.h>

#include "base/out_json.h"
#include "base/zone.h"
#include "crawler/cli/network.h"
#include "crawler/cli/out.h"
#include "crawler/commands/commands.h"
#include "crawler/event/exit.h"
#include "crawler/identity/identity.h"

#define DIRECTORY_MAX 65536 /* bytes */

static void
identity_print(struct out *out, const struct identity *identity, bool is_json)
{
	const struct identity_key *key;

	for (size_t i = 0; (key = identity_key(identity, i)) != NULL; i++) {
		if (is_json) {
			out_json_line(&out->text, "identity-key");
			out_json_word(
			    &out->text, "keyid", slice_of(key->keyid));
			out_json_time(&out->text, "made", key->made_s);
			out_json_time(&out->text, "until", key->until_s);
			out_json_flag(&out->text, "signs", i == 0);
			(void)out_end_json(out);
			continue;
		}
		(void)buf_print(&out->text, "%s  made %s  %s%s", key->keyid,
		    zone_text(key->made_s, ZONE_MOMENT).text,
		    i > 0 ? "in the directory until " : "signs",
		    i > 0 ? zone_text(key->until_s, ZONE_MOMENT).text : "");
		out_end_line(out);
	}
}

/* What a host publishes. */
struct identity_check {
	const struct identity *identity;
	struct fetch_request request;
	struct url url;
	int64_t now_s;
	enum diag_code code;
	struct buf why;
};

static void
identity_on_answer(void *arg, const struct fetch_result *result)
{
	struct identity_check *check = arg;
	struct slice type = slice_of(result->content_type);
	struct buf text = BUF_UP_TO(DIRECTORY_MAX);

	check->code = DIAG_KEY_DIRECTORY_INVALID;
	if (result->code != DIAG_OK)
		(void)buf_print(&check->why, "status %d, %s: %s",
		    result->status, diag_name(result->code), result->detail);
	else if (result->status != 200)
		(void)buf_print(&check->why, "status %d", result->status);
	else if (!slice_starts_nocase(type, slice_of(IDENTITY_DIRECTORY_TYPE)))
		(void)buf_print(&check->why,
		    "its Content-Type is '%.*s', not " IDENTITY_DIRECTORY_TYPE,
		    (int)type.len, type.p);
	else if (spool_read(check->request.spool, &text))
		check->code = identity_judge(check->identity, buf_text(&text),
		    identity_authority(&check->url), result->answer_head,
		    check->now_s, &check->why);
	buf_release(&text);
}

static int
identity_verify(const struct options *options, struct out *out,
    const struct identity *identity, const char *place)
{
	struct identity_check check = {.identity = identity,
	    .request = {.wants_heads = true},
	    .now_s = options->now_s,
	    .why = BUF_UP_TO(SIZE_MAX)};
	struct buf text = BUF_UP_TO(DIRECTORY_MAX);
	struct network network = {0};
	int status;

	if (url_parse_raw(&check.url, slice_of(place), NULL) != DIAG_OK)
		return complain_with(
		    EXIT_USAGE, "'%s' is no URL of http or https", place);
	/* a host alone means where a directory has to be */
	(void)buf_put_slice(&text, url_origin(&check.url));
	(void)buf_print(&text, IDENTITY_DIRECTORY_PATH);
	if (slice_is(url_target(&check.url), "/"))
		(void)url_parse_raw(&check.url, buf_text(&text), NULL);
	check.request.url = &check.url;
	status = network_open_own(&network, &options->network);
	if (status == EXIT_DONE) {
		policy_allow_target(network.policy, &check.url);
		if (!network_ask(
			&network, &check.request, identity_on_answer, &check))
			status = complain_with(
			    EXIT_RESOURCES, "there are no descriptors");
	}
	network_release(&network);
	if (status == EXIT_DONE && options->output.is_json) {
		out_json_line(&out->text, "identity-verify");
		out_json_word(&out->text, "subject", slice_of(place));
		out_json_code(&out->text, "code", check.code);
		out_json_text(&out->text, "why", buf_text(&check.why));
		(void)out_end_json(out);
	} else if (status == EXIT_DONE) {
		(void)buf_print(&out->text, "%s  %s",
		    check.code == DIAG_OK ? "good" : "bad ", place);
		if (check.code != DIAG_OK)
			(void)buf_print(&out->text, ": %s: %s",
			    diag_name(check.code), buf_str(&check.why));
		out_end_line(out);
	}
	url_release(&check.url);
	buf_release(&check.why);
	buf_release(&text);
	return status == EXIT_DONE && check.code != DIAG_OK ? EXIT_FINDINGS
							    : status;
}

int
command_identity(struct options *options)
{
	const struct strings *args = &options->targets.args;
	const char *action = args->items[0], *folder = args->items[1];
	bool is_new = strcmp(action, "new") == 0,
	     is_shown = is_new || strcmp(action, "show") == 0,
	     is_set = strcmp(action, "directory") == 0,
	     is_check = strcmp(action, "verify") == 0;
	struct identity *identity = NULL;
	struct buf why = BUF_UP_TO(SIZE_MAX);
	enum diag_code code = DIAG_OK;
	struct out out;
	int status = EXIT_DONE;

	if (args->count != (is_check ? 3 : 2))
		return complain_with(EXIT_USAGE, "'identity %s' takes FOLDER%s",
		    action, is_check ? " and URL" : "");
	if (is_new)
		code = identity_new(folder, options->now_s, &why);
	if (code == DIAG_OK)
		code = identity_open(&identity, folder, options->now_s, &why);
	if (code != DIAG_OK) {
		complain("%s: %s", diag_name(code), buf_str(&why));
		buf_release(&why);
		return EXIT_USAGE;
	}
	out_init(&out, &options->output);
	out.is_raw = is_set || options->output.is_json;
	if (is_set)
		identity_directory(identity, &out.text);
	else if (is_shown)
		identity_print(&out, identity, options->output.is_json);
	else
		status = identity_verify(
		    options, &out, identity, args->items[2]);
	identity_free(identity);
	return out_end(&out, status);
}
