/*
 * Signed requests.  What a host wants is remembered in the store:
 *
 *	nothing known --challenge--> asked --an answer--> accepted
 *	                               |                      |
 *	                               +--refused though signed, and not
 *	                               |  accepted for a day--+
 *	                               v
 *	                            refused: unsigned for a day, then asked
 */
#include "crawler/crawl/run_sign.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/wall.h"
#include "crawler/crawl/run_tables.h"
#include "store/hold.h"

static bool
sign_is_recent(int64_t at_s, int64_t now_s)
{
	return at_s != 0 && now_s >= at_s && now_s - at_s < DAY_S;
}

/* By how many seconds the clock of the server is ahead of the one here, if the
 * difference is so large that a signature may be invalid; else 0. */
static int64_t
sign_clock(const struct fetch_result *result, int64_t now_s)
{
	int64_t ahead_s = result->date_s == 0 ? 0 : result->date_s - now_s;

	return ahead_s > IDENTITY_CLOCK_S || ahead_s < -IDENTITY_CLOCK_S
	    ? ahead_s
	    : 0;
}

bool
signer_sign(const struct signer *signer, enum sign_mode mode,
    const struct url *url, const struct challenge *challenge, int64_t now_s,
    int64_t expires_s, struct signature *signature)
{
	struct challenge before = {0};
	uint8_t nonce[IDENTITY_NONCE_BYTES];
	struct host_signing is;

	*signature = (struct signature){0};
	if (signer->identity == NULL || mode == SIGN_NEVER)
		return false;
	if (challenge == NULL) {
		is = store_signing_get(signer->store, url_host(url));
		if (mode == SIGN_CHALLENGE &&
		    (is.form == AGENT_UNASKED ||
			sign_is_recent(-is.at_s, now_s)))
			return false;
		before.form = is.form;
		challenge = &before;
	}
	identity_nonce(nonce);
	identity_sign(signer->identity,
	    &(struct signing){.authority = identity_authority(url),
		.agent = slice_of(signer->agent),
		.challenge = challenge,
		.created_s = now_s,
		.expires_s = expires_s,
		.nonce = nonce},
	    signature);
	return true;
}

bool
run_sign_answered(
    struct run *run, uint32_t number, const struct fetch_result *result)
{
	const struct signer *signer = &run->options.signer;
	struct attempt *attempt = run_task(run, number)->attempt;
	const char *field = result->accept_signature;
	bool is_challenge = attempt->challenge != NULL || field != NULL;
	bool is_refused = result->status == 401 || result->status == 403;
	int64_t now_s = loop_wall_s(run->options.loop);
	struct slice host = url_host(&attempt->current);
	struct challenge asked = {0};
	struct host_signing is;
	struct buf why = BUF_UP_TO(SIZE_MAX);
	bool may;

	free(attempt->challenge);
	attempt->challenge = NULL;
	if (signer->identity == NULL || result->status == 0 ||
	    (!attempt->is_signed && field == NULL) ||
	    run_site_of(run, number)->rules->sign == SIGN_NEVER)
		return false;
	is = store_signing_get(signer->store, host);
	may = field != NULL &&
	    accept_signature_parse(slice_of(field), signer->identity,
		signer->agent != NULL, &asked, &why) == DIAG_OK;
	if (field != NULL && !may)
		findings_add(&attempt->findings, DIAG_CHALLENGE_UNANSWERABLE, 0,
		    buf_text(&why));
	buf_release(&why);
	if (!attempt->is_signed) {
		if (!may || sign_is_recent(-is.at_s, now_s))
			return false;
		is = (struct host_signing){asked.form, 0};
		attempt->challenge = mem_alloc(sizeof(asked));
		*attempt->challenge = asked;
	} else if (sign_is_recent(is.at_s, now_s)) {
		/* What a host refuses while it takes other signatures, it
		 * refuses for another reason. */
		return false;
	} else if (is_refused) {
		/* a clock that is wrong may be right a moment later */
		if (!is_challenge || sign_clock(result, now_s) != 0)
			return false;
		if (may || is.form == AGENT_UNASKED)
			is.form = may ? asked.form : AGENT_DICTIONARY;
		is.at_s = -now_s;
	} else {
		if (result->status == 429 || result->status >= 500 ||
		    is.form == AGENT_UNASKED)
			return false;
		is.at_s = now_s;
	}
	store_signing(signer->store, host, is);
	if (attempt->is_signed || !is_refused)
		return false;
	task_drop_spool(attempt);
	task_post(run, number, TASK_QUEUED);
	return true;
}

enum diag_code
run_sign_failure(struct run *run, uint32_t number,
    const struct fetch_result *result, struct buf *text)
{
	const struct signer *signer = &run->options.signer;
	const struct attempt *attempt = run_task(run, number)->attempt;
	bool is_challenge = result->accept_signature != NULL;
	int64_t now_s = loop_wall_s(run->options.loop);
	int64_t ahead_s = sign_clock(result, now_s);
	struct host_signing is;
	const char *reason = "they cannot be signed as it asks for";
	/* What else a 429 says, its code does: the host is held.  And
	 * the next request may be a signed one. */
	bool is_limited = result->status == 429;

	if ((!is_limited && result->status != 401 && result->status != 403) ||
	    (!is_challenge && (is_limited || !attempt->is_signed)) ||
	    attempt->challenge != NULL)
		return DIAG_OK;
	is = store_signing_get(run->options.store, url_host(&attempt->current));
	if (attempt->is_signed && (!is_challenge || is_limited) &&
	    sign_is_recent(is.at_s, now_s))
		return DIAG_OK;
	if (attempt->is_signed && (is_limited || ahead_s == 0)) {
		(void)buf_print(text, WALL_OF_SIGNED "%s",
		    identity_key(signer->identity, 0)->keyid);
		return is_limited ? DIAG_OK : DIAG_SIGNATURE_REFUSED;
	}
	if (attempt->is_signed) {
		(void)buf_print(text,
		    " although signed: the clock here is %" PRId64
		    " s %s that of the server",
		    ahead_s < 0 ? -ahead_s : ahead_s,
		    ahead_s < 0 ? "ahead of" : "behind");
		return DIAG_SIGNATURE_CLOCK;
	}
	is.at_s = signer->identity == NULL ? 0 : is.at_s;
	if (signer->identity == NULL)
		reason = "there is no identity";
	else if (run_site_of(run, number)->rules->sign == SIGN_NEVER)
		reason = "sign is never";
	else if (sign_is_recent(-is.at_s, now_s))
		reason = "it refused one within a day, and gets none meanwhile";
	(void)buf_print(text, WALL_OF_SIGNATURES "%s", reason);
	if (is_limited)
		return DIAG_OK;
	return sign_is_recent(-is.at_s, now_s) ? DIAG_SIGNATURE_REFUSED
					       : DIAG_SIGNATURE_WANTED;
}
