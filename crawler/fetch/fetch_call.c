/* One request, independent of libcurl. */
#include "crawler/fetch/fetch_call.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/wall.h"

/* Values of OpenSSL's x509_vfy.h, which never change.  libcurl leaves
 * UNSPECIFIED when the chain is trusted but does not name the host. */
enum {
	CERTIFICATE_UNSPECIFIED = 1,
	CERTIFICATE_NOT_YET = 9,
	CERTIFICATE_EXPIRED = 10
};

#define MAX_FIELD 65536 /* bytes of one header line to send */
#define MAX_SENT 1048576 /* bytes of the head of a request */

const struct fetcher_options fetcher_defaults = {.user_agent = "freshet",
    .connect_timeout_ms = 10000,
    .max_time_ms = 300000,
    .low_speed_limit = 1024,
    .low_speed_time_s = 30,
    .max_header_bytes = 65536,
    .max_error_body = 65536};

void
fetch_call_init(struct fetch_call *call, const struct fetcher_options *options)
{
	*call = (struct fetch_call){.options = options};
	buf_init(&call->field, MAX_FIELD);
	buf_init(&call->sent, MAX_SENT);
}

void
fetch_call_release(struct fetch_call *call)
{
	url_release(&call->url);
	fetch_headers_release(&call->head);
	buf_release(&call->field);
	buf_release(&call->sent);
	buf_release(&call->answer);
}

static void detail(struct fetch_call *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
detail(struct fetch_call *call, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(
	    call->result.detail, sizeof(call->result.detail), format, args);
	va_end(args);
}

void
fetch_call_begin(struct fetch_call *call, const struct fetch_request *request,
    int64_t now_s, int64_t now_ms)
{
	/* what the call owns stays */
	*call = (struct fetch_call){.options = call->options,
	    .url = call->url,
	    .head = call->head,
	    .field = call->field,
	    .sent = call->sent,
	    .answer = call->answer,
	    .request = *request,
	    .result = {
		.answered_ms = now_ms, .retry_after_s = -1, .max_age_s = -1}};
	call->request.takes_any |= request->takes_all;
	url_copy(&call->url, request->url);
	buf_clear(&call->sent);
	buf_clear(&call->answer);
	call->answer.max = (size_t)call->options->max_header_bytes;
	fetch_headers_begin(&call->head, call->options->max_header_bytes, now_s,
	    slice_of(request->agent));
}

bool
fetch_call_may_start(struct fetch_call *call, int64_t now_ms)
{
	const struct fetcher_options *options = call->options;
	const struct policy *policy = options->policy;
	struct slice host = url_host(&call->url);
	struct addr addr;
	bool may_start;

	policy_look(options->policy, now_ms);
	if (!policy_port_ok(policy, &call->url)) {
		call->stop = DIAG_PRIVATE_ADDRESS;
		detail(call, "port %u", call->url.port);
		return false;
	}
	if (options->proxy == NULL || policy_allows_all(policy))
		return true;
	/* The proxy looks names up itself, so it is asked for no name whose
	 * address is not known to be allowed. */
	if (addr_parse(&addr, host) ||
	    (addr_host_reach(host) != ADDR_PUBLIC &&
		addr_parse(&addr, slice_of("127.0.0.1")))) {
		may_start = policy_address_ok(
		    policy, &call->url, &addr, call->url.port);
	} else {
		may_start = policy_is_target(policy, &call->url);
		call->is_looking = !may_start && !addr_name_is_local(host);
	}
	if (may_start || call->is_looking)
		return true;
	call->stop = DIAG_PRIVATE_ADDRESS;
	detail(call, "%.*s port %u", (int)host.len, host.p, call->url.port);
	return false;
}

bool
fetch_call_may_connect(struct fetch_call *call, const struct addr *addr,
    uint16_t port, int64_t now_ms)
{
	char text[46];

	policy_look(call->options->policy, now_ms);
	if ((call->options->proxy != NULL && !call->is_looking) ||
	    policy_address_ok(call->options->policy, &call->url, addr, port)) {
		call->has_socket = !call->is_looking;
		if (call->is_looking &&
		    (!call->has_place ||
			(addr_is_v4(addr) && !addr_is_v4(&call->place)))) {
			call->has_place = true;
			call->place = *addr;
			call->place_port = port;
		}
		return true;
	}
	call->is_refused = true;
	addr_print(addr, text);
	detail(call, "%s port %u", text, port);
	return false;
}

const char *
fetch_call_field(
    struct fetch_call *call, const struct fetch_request *request, unsigned i)
{
	const struct {
		const char *name, *value;
	} fields[] = {
	    {"Accept-Encoding", request->is_identity ? "identity" : "gzip"},
	    {"If-None-Match", request->etag},
	    {"If-Modified-Since",
		request->etag == NULL ? request->last_modified : NULL},
	    {"Signature-Agent", request->signature.agent},
	    {"Signature-Input", request->signature.input},
	    {"Signature", request->signature.value},
	};
	const char *name = NULL, *value = NULL;

	for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
		if (fields[k].value == NULL || i-- > 0)
			continue;
		name = fields[k].name;
		value = fields[k].value;
		break;
	}
	if (name == NULL)
		return request->headers == NULL ? NULL : request->headers[i];
	/* A line that would be too long to send is empty. */
	buf_clear(&call->field);
	if (!buf_print(&call->field, "%s: %s", name, value))
		buf_clear(&call->field);
	return buf_str(&call->field);
}

bool
fetch_call_fail(struct fetch_call *call, enum diag_code code, const char *why)
{
	call->stop = code;
	detail(call, "%s", why);
	return false;
}

void
fetch_call_sent(struct fetch_call *call, struct slice bytes)
{
	(void)buf_put_slice(&call->sent, bytes);
}

/* Words in the names of fields whose values are secret. */
static const char *const secret_words[] = {"auth", "cookie", "credential",
    "key", "pass", "secret", "session", "signature", "token"};

static bool
is_secret(struct slice name)
{
	for (size_t i = 0; i < sizeof(secret_words) / sizeof(secret_words[0]);
	     i++) {
		for (size_t at = 0; at < name.len; at++)
			if (slice_starts_nocase(slice_from(name, at),
				slice_of(secret_words[i])))
				return true;
	}
	return false;
}

/* The head of the request, as an archive may keep it. */
static struct slice
call_request_head(struct fetch_call *call)
{
	struct buf *sent = &call->sent;
	const char *line = sent->p;
	const char *past = line == NULL ? NULL : line + sent->len;
	size_t kept = 0;

	/* The request line is no field. */
	for (const char *next; line != past; line = next) {
		const char *end = memchr(line, '\n', (size_t)(past - line));
		const char *colon;
		size_t len;

		next = end == NULL ? past : end + 1;
		len = (size_t)(next - line);
		colon = memchr(line, ':', len);
		if (kept > 0 && colon != NULL &&
		    is_secret(slice_make(line, (size_t)(colon - line))))
			continue;
		memmove(sent->p + kept, line, len);
		kept += len;
	}
	sent->len = kept;
	return buf_text(sent);
}

bool
fetch_call_line(struct fetch_call *call, struct slice line)
{
	enum header_part part = call->head.part;

	if (!fetch_headers_line(&call->head, line))
		return fetch_call_fail(call, call->head.code, call->head.why);
	if (part == HEADER_STATUS)
		buf_clear(&call->answer);
	/* Trailers come behind the body. */
	if (call->request.wants_heads && part != HEADER_BODY)
		(void)buf_put_slice(&call->answer, line);
	return true;
}

bool
fetch_call_too_big(struct fetch_call *call)
{
	call->stop = DIAG_BODY_TOO_BIG;
	detail(call, "more than %" PRIu64 " bytes", call->request.max_bytes);
	return false;
}

/* has_body(call): is the body the requested one, and no error page? */
static bool
has_body(const struct fetch_call *call)
{
	int status = call->head.status;

	return status == 200 ||
	    (call->request.takes_any && status > 200 && status < 300);
}

/* An error page is counted, and dropped unless takes_all; the spool gets only
 * bytes below max_bytes. */
bool
fetch_call_body(struct fetch_call *call, struct slice bytes)
{
	uint64_t most = call->request.max_bytes, left;
	bool is_too_big;

	if (!has_body(call) && most > call->options->max_error_body)
		most = call->options->max_error_body;
	if (!has_body(call) && !call->request.takes_all) {
		call->result.wire_bytes += bytes.len;
		return call->result.wire_bytes <= call->options->max_error_body;
	}
	left = most - call->result.wire_bytes;
	is_too_big = bytes.len > left;
	if (is_too_big) {
		bytes.len = (size_t)left;
		call->result.truncated = "length";
	}
	call->result.wire_bytes += bytes.len;
	if (spool_write(call->request.spool, bytes) != DIAG_OK) {
		call->stop = DIAG_DISK_FULL;
		detail(call, "cannot keep the body");
		return false;
	}
	if (is_too_big && !has_body(call))
		return false; /* as a dropped one, no fault of the answer */
	return !is_too_big || fetch_call_too_big(call);
}

/* The detail of a result, in words. */

static const struct {
	int os_error;
	const char *text;
} connect_words[] = {{ECONNREFUSED, WALL_OF_REFUSAL},
    {ECONNRESET, WALL_OF_RESET}, {ENETUNREACH, "network unreachable"},
    {EHOSTUNREACH, "host unreachable"}, {ETIMEDOUT, "timed out connecting"},
    {EMFILE, "no descriptors left"}, {ENFILE, "no descriptors left"}};

/* Troubles that need no number to say what they are. */
static const char *const trouble_words[] = {
    [TROUBLE_TLS] = WALL_OF_TLS,
    [TROUBLE_CA_FILE] = "cannot read the certificates of authorities",
    [TROUBLE_NONE] = "empty answer",
    [TROUBLE_NOTHING] = "empty answer",
    [TROUBLE_UNREADABLE] = "unreadable answer",
    [TROUBLE_LONG_LINE] = "a header line without end",
    [TROUBLE_CUT] = "the body ends too early",
    [TROUBLE_SEND] = WALL_OF_RESET,
};

static void
words(struct fetch_call *call, const struct fetch_end *end)
{
	const struct fetcher_options *options = call->options;
	int os_error = call->os_error != 0 ? call->os_error : end->os_error;
	const char *text;

	switch (end->trouble) {
	case TROUBLE_NAME:
		detail(call, "could not resolve host%s",
		    call->is_looking
			? " here, so that the proxy is not asked for it"
			: "");
		return;
	case TROUBLE_CONNECT:
		text = "could not connect";
		for (size_t i = 0;
		     i < sizeof(connect_words) / sizeof(connect_words[0]); i++)
			if (connect_words[i].os_error == os_error)
				text = connect_words[i].text;
		break;
	case TROUBLE_CERTIFICATE:
		text = "certificate not trusted";
		if (end->certificate == 0 ||
		    end->certificate == CERTIFICATE_UNSPECIFIED)
			text = "certificate is for another host";
		else if (end->certificate == CERTIFICATE_EXPIRED)
			text = "certificate expired";
		else if (end->certificate == CERTIFICATE_NOT_YET)
			text = "certificate not yet valid";
		break;
	case TROUBLE_TIME:
		/* Which of the time-outs ended the request? */
		if (!call->was_sent)
			detail(call, "timed out after %g s %s",
			    (double)((end->duration_ms + 50) / 100) / 10,
			    call->has_socket ? "connecting"
					     : "resolving the host");
		else if (end->duration_ms >= options->max_time_ms)
			detail(call, "took longer than %g s",
			    (double)options->max_time_ms / 1000);
		else
			detail(call,
			    "too slow: less than %" PRId64
			    " bytes a second for %" PRId64 " s",
			    options->low_speed_limit,
			    options->low_speed_time_s);
		return;
	case TROUBLE_TOO_BIG:
		detail(call, "more than %" PRIu64 " bytes",
		    call->request.max_bytes);
		return;
	case TROUBLE_RECEIVE:
		/* libcurl has one code for resets and for broken chunks. */
		text = end->os_error != 0 || !call->head.is_chunked
		    ? WALL_OF_RESET
		    : "the chunks of the body are broken";
		break;
	case TROUBLE_OTHER:
		detail(call, "libcurl error %d", end->number);
		return;
	default:
		text = trouble_words[end->trouble];
		break;
	}
	detail(call, "%s", text);
}

/* code_of(call, trouble, is_whole): the code of the result. An answer other
 * than 200 counts as whole when its header is whole, whatever happens to its
 * body. */
static enum diag_code
code_of(
    const struct fetch_call *call, enum fetch_trouble trouble, bool is_whole)
{
	if (call->stop != DIAG_OK)
		return call->stop;
	if (is_whole && (trouble == TROUBLE_NONE || !has_body(call)))
		return DIAG_OK;
	if (call->is_refused && !call->has_socket &&
	    call->result.deferral == DEFERRED_NOT)
		return DIAG_PRIVATE_ADDRESS;
	if (trouble == TROUBLE_TOO_BIG)
		return DIAG_BODY_TOO_BIG;
	if (trouble == TROUBLE_LONG_LINE)
		return DIAG_HEADERS_TOO_BIG;
	return DIAG_FETCH_NETWORK_ERROR;
}

/* The parts of the result that need a whole header are filled in last. */
void
fetch_call_end(struct fetch_call *call, const struct fetch_end *end)
{
	struct fetch_result *result = &call->result;
	const struct fetch_headers *head = &call->head;

	/* Did all fields come?  libcurl ends a transfer whose Content-Length is
	 * too large before it passes on the empty line. */
	bool is_whole = head->part == HEADER_BODY ||
	    (head->part == HEADER_FIELDS && end->trouble == TROUBLE_TOO_BIG);

	if (is_whole && call->request.takes_all && head->status == 304 &&
	    call->request.etag == NULL && call->request.last_modified == NULL)
		(void)fetch_call_fail(call, DIAG_FETCH_NETWORK_ERROR,
		    "status 304, though nothing was asked for on a condition");
	result->code = code_of(call, end->trouble, is_whole);
	if (result->code == DIAG_OK)
		result->detail[0] = '\0';
	else if (call->stop == DIAG_OK && result->code != DIAG_PRIVATE_ADDRESS)
		words(call, end);
	if (call->was_sent || result->code != DIAG_FETCH_NETWORK_ERROR)
		result->deferral = DEFERRED_NOT;
	if (result->code == DIAG_FETCH_NETWORK_ERROR && call->stop == DIAG_OK) {
		result->is_truncated = head->part == HEADER_BODY &&
		    has_body(call) && result->wire_bytes > 0;
		result->is_connect_failure = !call->was_sent;
		/* Was no address found?  The next requests for the name end in
		 * the same way at once (LOOKUP_LOST). */
		result->is_nameless = end->trouble == TROUBLE_NAME ||
		    (end->trouble == TROUBLE_TIME && !call->was_sent &&
			!call->has_socket && !call->is_refused);
		result->is_untrusted = end->trouble == TROUBLE_CERTIFICATE;
	}
	result->duration_ms = end->duration_ms < UINT32_MAX
	    ? (uint32_t)end->duration_ms
	    : UINT32_MAX;
	if (!is_whole)
		return;
	result->status = head->status;
	if (call->request.wants_heads) {
		result->request_head = call_request_head(call);
		result->answer_head = buf_text(&call->answer);
	}
	if (call->request.takes_all && end->trouble != TROUBLE_NONE &&
	    result->truncated == NULL)
		result->truncated = end->trouble == TROUBLE_TIME ? "time"
								 : "disconnect";
	result->is_challenge = head->wall_sign == WALL_CHALLENGE;
	/* Do bot walls answer with this status? */
	if (result->is_challenge ||
	    (head->wall_sign == WALL_IN_FRONT &&
		(head->status == 401 || head->status == 403 ||
		    head->status == 406 || head->status == 429 ||
		    head->status == 503)))
		result->wall = head->wall;
#define LEND(name) result->name = head->name;
	FETCH_TEXTS(LEND)
#undef LEND
	result->date_s = head->date_s;
	result->retry_after_s = head->retry_after_s;
	result->max_age_s = head->max_age_s;
}
