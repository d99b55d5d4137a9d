/* The settings of every handle of libcurl, and the meaning of its codes. */
#include "crawler/fetch/fetch_curl.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
	CURLoption option;
	long value;
} hard_numbers[] = {
    {CURLOPT_MAXREDIRS, 0},
    {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
    {CURLOPT_HTTP09_ALLOWED, 0},
    {CURLOPT_HTTP_CONTENT_DECODING, 0},
    {CURLOPT_PATH_AS_IS, 1},
    {CURLOPT_QUICK_EXIT, 1},
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_NOPROGRESS, 0},
    {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
    {CURLOPT_HTTPAUTH, CURLAUTH_BASIC},
    {CURLOPT_UNRESTRICTED_AUTH, 0},
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
    {CURLOPT_SSL_VERIFYPEER, 1},
    {CURLOPT_SSL_VERIFYHOST, 2},
    {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
    {CURLOPT_DNS_CACHE_TIMEOUT, -1}, /* never, see fetch_lookups.h */
    /* With a thousand transfers, each kilobyte of a handle is a megabyte.
     * Requests are small, so a small buffer is enough. A handle would keep TLS
     * sessions of eight hosts, which are rarely of use, because connections are
     * kept. */
    {CURLOPT_UPLOAD_BUFFERSIZE, 16384},
    {CURLOPT_SSL_SESSIONID_CACHE, 0},
    {CURLOPT_MAXLIFETIME_CONN, 60},
    {CURLOPT_MAXAGE_CONN, 30},
};

static void
set_number(CURL *easy, CURLoption option, int64_t value)
{
	CURLcode code = curl_easy_setopt(easy, option, (long)value);

	assert(code == CURLE_OK);
}

static void
set_text(CURL *easy, CURLoption option, const char *value)
{
	CURLcode code = curl_easy_setopt(easy, option, value);

	assert(code == CURLE_OK);
}

void
fetch_set_proxy(void *easy, const char *proxy)
{
	/* An empty text also disables the proxies of the environment. */
	set_text(easy, CURLOPT_PROXY, proxy == NULL ? "" : proxy);
	set_text(easy, CURLOPT_NOPROXY, proxy == NULL ? "*" : "");
}

void
fetch_harden(
    void *handle, const struct fetcher_options *options, bool has_ca_file)
{
	CURL *easy = handle;

	for (size_t i = 0; i < sizeof(hard_numbers) / sizeof(*hard_numbers);
	     i++)
		set_number(easy, hard_numbers[i].option, hard_numbers[i].value);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	set_number(
	    easy, CURLOPT_CONNECTTIMEOUT_MS, options->connect_timeout_ms);
	set_number(easy, CURLOPT_TIMEOUT_MS, options->max_time_ms);
	set_number(easy, CURLOPT_LOW_SPEED_LIMIT, options->low_speed_limit);
	set_number(easy, CURLOPT_LOW_SPEED_TIME, options->low_speed_time_s);
	set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	set_text(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
	set_text(easy, CURLOPT_USERAGENT, options->user_agent);
	fetch_set_proxy(easy, options->proxy);
	if (options->ca_file != NULL)
		set_text(easy, CURLOPT_CAINFO, options->ca_file);
	/* A folder would be trusted in addition to the file; and with a folder
	 * libcurl caches no certificates, but reads all of them for each
	 * connection, which takes 40 ms. */
	if (has_ca_file)
		set_text(easy, CURLOPT_CAPATH, NULL);
}

bool
fetch_place(void *easy, void *place, struct url *url)
{
	char *host = NULL;
	bool is_same;

	if (curl_url_set(place, CURLUPART_URL, buf_str(&url->text),
		CURLU_DISALLOW_USER | CURLU_PATH_AS_IS) != CURLUE_OK ||
	    curl_url_get(place, CURLUPART_HOST, &host, 0) != CURLUE_OK)
		return false;
	is_same = slice_is(url_host(url), host);
	curl_free(host);
	curl_easy_setopt(easy, CURLOPT_CURLU, place);
	return is_same;
}

void *
fetch_list(void *list, const char *format, ...)
{
	struct curl_slist *longer;
	va_list args;
	char *text;
	int n;

	va_start(args, format);
	n = vasprintf(&text, format, args);
	va_end(args);
	assert(n >= 0);
	longer = curl_slist_append(list, text);
	assert(longer != NULL);
	free(text);
	return longer;
}

static const uint8_t troubles[CURL_LAST] = {
    [CURLE_OK] = TROUBLE_NONE,
    [CURLE_COULDNT_RESOLVE_HOST] = TROUBLE_NAME,
    [CURLE_COULDNT_RESOLVE_PROXY] = TROUBLE_NAME,
    [CURLE_COULDNT_CONNECT] = TROUBLE_CONNECT,
    [CURLE_SSL_CONNECT_ERROR] = TROUBLE_TLS,
    [CURLE_SSL_CIPHER] = TROUBLE_TLS,
    [CURLE_PEER_FAILED_VERIFICATION] = TROUBLE_CERTIFICATE,
    [CURLE_SSL_CACERT_BADFILE] = TROUBLE_CA_FILE,
    [CURLE_OPERATION_TIMEDOUT] = TROUBLE_TIME,
    [CURLE_GOT_NOTHING] = TROUBLE_NOTHING,
    [CURLE_UNSUPPORTED_PROTOCOL] = TROUBLE_UNREADABLE,
    [CURLE_WEIRD_SERVER_REPLY] = TROUBLE_UNREADABLE,
    /* The answer begins with a folded header line. */
    [CURLE_BAD_FUNCTION_ARGUMENT] = TROUBLE_UNREADABLE,
    /* libcurl returns this code for a line of more than 100 KiB; a real
     * lack of memory ends the process. */
    [CURLE_OUT_OF_MEMORY] = TROUBLE_LONG_LINE,
    [CURLE_FILESIZE_EXCEEDED] = TROUBLE_TOO_BIG,
    [CURLE_PARTIAL_FILE] = TROUBLE_CUT,
    [CURLE_RECV_ERROR] = TROUBLE_RECEIVE,
    [CURLE_SEND_ERROR] = TROUBLE_SEND,
};

enum fetch_trouble
fetch_trouble(int code)
{
	return code >= 0 && code < CURL_LAST
	    ? (enum fetch_trouble)troubles[code]
	    : TROUBLE_OTHER;
}

void
fetch_facts(struct fetch_facts *facts)
{
	const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
	struct library *library = &facts->library;

	*facts = (struct fetch_facts){.library = {.name = "libcurl"},
	    .has_async_names = (info->features & CURL_VERSION_ASYNCHDNS) != 0,
	    .has_c_ares = info->ares != NULL,
	    .tls = (info->features & CURL_VERSION_SSL) != 0 ? info->ssl_version
							    : NULL,
	    .ca_file = info->cainfo,
	    .ca_folder = info->capath};
	(void)snprintf(
	    library->built, sizeof(library->built), "%s", LIBCURL_VERSION);
	(void)snprintf(
	    library->running, sizeof(library->running), "%s", info->version);
}
