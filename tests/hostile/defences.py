"""What each defence is in the source, and how it is taken out (see off).

A defence is its edits: (file, exact text, what stands there instead).  The text
must be there just once.  Where one layer stands behind another, the edits take
out all that would stop the fault.
"""
import os

TOP = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")
DEFENCES = {
    # --- clients of `freshet serve`
    "serve-headers": [
        ("crawler/fetch/http_server.c", "\tevhttp_set_max_headers_size(server->http, MAX_HEADERS);\n", ""),
    ],
    "serve-deadline": [
        ("crawler/fetch/http_server.c", "now_ms - visitor->since_ms >= most_ms) {\n",
         "now_ms - visitor->since_ms < 0 && most_ms < 0) {\n"),
    ],
    "serve-crowd": [
        ("crawler/fetch/http_server.c", "\t\tmost_ms = server->is_deaf &&\n", "\t\tmost_ms = visitor->is_over &&\n"),
    ],
    "serve-methods": [
        ("crawler/fetch/http_server.c", "\tif (method != EVHTTP_REQ_GET && method != EVHTTP_REQ_HEAD &&\n",
         "\tif (method == EVHTTP_REQ_PATCH && method != EVHTTP_REQ_HEAD &&\n"),
    ],
    "serve-host": [
        ("crawler/fetch/http_server.c", "\t\tis_ours = strcasecmp(name, *ours) == 0;\n", "\t\tis_ours = true;\n"),
    ],
    "serve-paths": [
        ("crawler/serve/serve.c", "\t\tif (strcmp(path, routes[i].path) == 0)\n",
         "\t\tif (strncmp(path, routes[i].path, 1) == 0)\n"),
    ],
    "serve-framing": [
        ("crawler/fetch/http_server.c", "\tif (is_ambiguous(request))\n",
         "\tif (server->count == UINT32_MAX && is_ambiguous(request))\n"),
    ],
    "serve-origin": [
        ("crawler/fetch/http_server.c", "\t\t    strcasecmp(origin + 3, host) != 0)\n\t\t\treturn 403;\n",
         "\t\t    strcasecmp(origin + 3, host) != 0)\n\t\t\treturn 0;\n"),
        ("crawler/fetch/http_server.c", "\t    (dest == NULL || strcmp(dest, \"document\") != 0))\n\t\treturn 403;\n",
         "\t    (dest == NULL || strcmp(dest, \"document\") != 0))\n\t\treturn 0;\n"),
    ],
    "serve-part": [
        ("crawler/serve/serve_workers.c", "worker->taken < work->limit &&\n", "worker->taken < UINT64_MAX &&\n"),
    ],
    # of the text, and of what is cut in its middle
    "markup-escape": [
        ("crawler/chart/markup.c", "\txml_put(out, buf_text(&plain));\n", "\t(void)buf_put_slice(out, buf_text(&plain));\n"),
        ("crawler/chart/markup.c", "\txml_put(out, buf_text(&cut));\n", "\t(void)buf_put_slice(out, buf_text(&cut));\n"),
    ],
    "hint-key": [
        ("crawler/hints/hints.c", "\t    slice_is(slice_trim(buf_text(&text)), key->text))\n", "\t    text.len > 0)\n"),
    ],
    "serve-literal": [
        ("crawler/serve/serve_api.c", "\t\tif (*text == '\\'')\n", "\t\tif (*text == '\\0')\n"),
    ],

    # --- fetch
    "body-limit": [
        ("crawler/fetch/fetch_call.c", "\tis_too_big = bytes.len > left;\n", "\tis_too_big = false;\n"),
        ("crawler/fetch/fetch.c", "\treturn (uint64_t)now > most && call->stop == DIAG_OK &&\n",
         "\treturn (uint64_t)now > most + UINT64_MAX / 2 && call->stop == DIAG_OK &&\n"),
    ],
    "announced-length": [
        ("crawler/fetch/fetch.c", "(call->request.takes_any ? 0 : request->max_bytes));\n", "0);\n"),
    ],
    "two-lengths": [
        ("crawler/fetch/fetch_headers.c",
         "\tif (headers->has_length &&\n", "\tif (headers->length == UINT64_MAX &&\n"),
    ],

    "length-and-chunks": [
        ("crawler/fetch/fetch_headers.c", """\t\tif (headers->is_chunked)
\t\t\treturn headers_refuse(headers,
\t\t\t    "both Content-Length and Transfer-Encoding");
""", ""),
        ("crawler/fetch/fetch_headers.c", """\t\tif (headers->has_length)
\t\t\treturn headers_refuse(headers,
\t\t\t    "both Content-Length and Transfer-Encoding");
""", ""),
    ],
    "length-number": [
        ("crawler/fetch/fetch_headers.c",
         """\t\t\treturn headers_refuse(
\t\t\t    headers, "Content-Length is no number");\n""", "\t\t\treturn true;\n"),
    ],
    "cut-body": [
        ("crawler/fetch/fetch.c", "[CURLE_PARTIAL_FILE] = TROUBLE_CUT,",
         "[CURLE_PARTIAL_FILE] = TROUBLE_NONE,"),
    ],
    "header-limit": [
        ("crawler/fetch/fetch_headers.c", "\tif (headers->bytes > headers->max_bytes) {\n",
         "\tif (headers->bytes == UINT64_MAX) {\n"),
    ],
    "long-line": [
        ("crawler/fetch/fetch.c", "    [CURLE_OUT_OF_MEMORY] = TROUBLE_LONG_LINE,\n", ""),
    ],
    # libcurl looks for it first: with a memchr that finds no NUL
    "header-nul": [
        ("crawler/fetch/fetch.c", "static const uint8_t troubles[CURL_LAST] = {\n", """\
void *
memchr(const void *p, int c, size_t n)
{
	const unsigned char *byte = p;

	for (; n > 0 && (c == 0 || *byte != c); n--)
		byte++;
	return n > 0 ? (void *)(uintptr_t)byte : NULL;
}

static const uint8_t troubles[CURL_LAST] = {
"""),
    ],
    "header-cr": [
        ("crawler/fetch/fetch_headers.c",
         "\tif (line.len > 0 && memchr(line.p, '\\r', line.len) != NULL)\n",
         "\tif (line.len > SIZE_MAX / 2)\n"),
    ],
    "header-fold": [
        ("crawler/fetch/fetch_headers.c", "\tif (line.p[0] == ' ' || line.p[0] == '\\t')\n",
         "\tif (line.len > SIZE_MAX / 2)\n"),
    ],
    "low-speed": [
        ("crawler/fetch/fetch.c", "\tset_number(easy, CURLOPT_LOW_SPEED_LIMIT, "
         "options->low_speed_limit);\n", ""),
    ],
    "total-time": [
        ("crawler/fetch/fetch.c",
         "\tset_number(easy, CURLOPT_TIMEOUT_MS, options->max_time_ms);\n", ""),
    ],
    "connect-time": [
        ("crawler/fetch/fetch.c", """\tset_number(
\t    easy, CURLOPT_CONNECTTIMEOUT_MS, options->connect_timeout_ms);
""", ""),
    ],
    "retry-limit": [
        ("crawler/crawl/run_read.c", "\tbool may = attempt->tries < run_site_of(run, number)->rules->retry &&\n",
         "\tbool may = attempt->tries < 2 + run_rules(run, number)->retry &&\n"),
    ],
    "retry-at-once": [
        ("crawler/fetch/fetch.c", "\tif (call->was_sent) {\n", "\tif (false) {\n"),
    ],
    "idle-bytes": [
        ("crawler/fetch/fetch.c", "\tif (place->is_left) {\n",
         "\tif (place->is_left && place->dead_port == 0) {\n\t\tloop_watch_set(place->watch, 0);\n\t"
         "} else if (place->is_left) {\n"),
    ],
    "http-1": [
        ("crawler/fetch/fetch.c", "{CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},",
         "{CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS},"),
    ],
    "http-09": [
        ("crawler/fetch/fetch.c", "{CURLOPT_HTTP09_ALLOWED, 0},", "{CURLOPT_HTTP09_ALLOWED, 1},"),
        ("crawler/fetch/fetch_call.c", "\treturn status == 200 ||\n",
         "\treturn status == 0 || status == 200 ||\n"),
        ("crawler/fetch/fetch_call.c", "\tbool is_whole = head->part == HEADER_BODY ||\n",
         "\tbool is_whole = head->part == HEADER_BODY || head->status == 0 ||\n"),
        ("crawler/fetch/fetch_call.c", "\tresult->status = head->status;\n",
         "\tresult->status = head->status == 0 ? 200 : head->status;\n"),
    ],
    "switching": [
        ("crawler/fetch/fetch_headers.c", "\tif (status == 101)\n", "\tif (status == 1010)\n"),
    ],
    "odd-status": [
        ("crawler/crawl/run_read.c", "\t} else if (status == 200) {\n",
         "\t} else if (status == 200 || status == 206) {\n"),
        ("crawler/fetch/fetch_call.c", "\treturn status == 200 ||\n",
         "\treturn status == 200 || status == 206 ||\n"),
    ],
    "odd-redirect": [
        ("crawler/crawl/run_read.c", "\t    status == 307 || status == 308) {\n",
         "\t    (status >= 300 && status < 400)) {\n"),
    ],
    "field-bytes": [
        ("crawler/fetch/fetch_headers.c", "\t\tif (value.p[i] < 0x20 || value.p[i] > 0x7e)\n",
         "\t\tif (value.p[i] == '\\0')\n"),
        ("store/apply.c", "(unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)",
         "(unsigned char)*p == 0)"),
    ],
    "gzip-magic": [
        ("crawler/parse/gunzip.c", "\tif (slice_is(head, GUNZIP_MAGIC)) {\n",
         "\tif (slice_is(head, GUNZIP_MAGIC) && (gunzip->is_gzip_sent ||\n"
         "\t    slice_ends_nocase(gunzip->options.path, slice_of(\".gz\")))) {\n"),
    ],
    "no-magic": [
        ("crawler/parse/gunzip.c", "\tbool is_deflate = i == 0 && gunzip->is_deflate_sent &&\n"
         "\t    !gunzip->is_gzip_sent;\n",
         "\tbool is_deflate = i == 0 &&\n"
         "\t    (gunzip->is_deflate_sent || gunzip->is_gzip_sent);\n"),
    ],
    "second-layer": [
        ("crawler/parse/gunzip.c",
         "\tunsigned allowed = gunzip->is_gzip_sent || gunzip->is_deflate_sent ? 2\n",
         "\tunsigned allowed = gunzip->is_gzip_sent && gunzip->is_deflate_sent ? 2\n"),
    ],
    "unknown-coding": [
        ("crawler/parse/gunzip.c", "\t\t\tgunzip->unknown_coding = coding;\n",
         "\t\t\tgunzip->unknown_coding = slice_make(NULL, 0);\n"),
    ],
    "cookies": [
        ("crawler/fetch/fetch.c", "\tset_text(easy, CURLOPT_USERAGENT, options->user_agent);\n",
         "\tset_text(easy, CURLOPT_USERAGENT, options->user_agent);\n"
         "\tset_text(easy, CURLOPT_COOKIEFILE, \"\");\n"),
    ],
    "alt-svc": [
        ("crawler/fetch/fetch.c", "\tset_text(easy, CURLOPT_USERAGENT, options->user_agent);\n",
         "\tset_text(easy, CURLOPT_USERAGENT, options->user_agent);\n"
         "\tset_number(easy, CURLOPT_ALTSVC_CTRL, CURLALTSVC_H1);\n"),
    ],
    "certificate": [
        ("crawler/fetch/fetch.c", "{CURLOPT_SSL_VERIFYPEER, 1},", "{CURLOPT_SSL_VERIFYPEER, 0},"),
        ("crawler/fetch/fetch.c", "{CURLOPT_SSL_VERIFYHOST, 2},", "{CURLOPT_SSL_VERIFYHOST, 0},"),
    ],
    # the library's own floor is a second layer
    "tls-version": [
        ("crawler/fetch/fetch.c", "CURL_SSLVERSION_TLSv1_2}", "CURL_SSLVERSION_TLSv1_0}"),
        ("crawler/fetch/fetch.c", "\tset_text(easy, CURLOPT_USERAGENT, options->user_agent);\n",
         "\tset_text(easy, CURLOPT_USERAGENT, options->user_agent);\n"
         "\tset_text(easy, CURLOPT_SSL_CIPHER_LIST, \"ALL:@SECLEVEL=0\");\n"),
    ],
    "descriptors": [
        ("crawler/fetch/fetch.c", "\treturn (unsigned)((limit.rlim_cur - KEPT) / EACH);\n",
         "\treturn MAX_TRANSFERS;\n"),
    ],
    "final-base": [
        ("store/location.c",
         "\tif (scope->profile.redirect_base == REDIRECT_REQUESTED)\n",
         "\tif (scope->profile.redirect_base != REDIRECT_REQUESTED)\n"),
    ],
    "own-origin": [
        ("crawler/crawl/run_machine.c",
         "\tif (run->origins[origin].named_by == run->sites[task->site].id) {\n",
         "\tif (run->origins[origin].named_by != NONE - 1) {\n"),
    ],

    # --- redirects and addresses
    "redirect-loop": [
        ("crawler/crawl/run_read.c", "\t\treturn DIAG_FETCH_REDIRECT_LOOP;\n", "\t\treturn DIAG_OK;\n"),
    ],
    "redirect-limit": [
        ("crawler/crawl/run_read.c", "\tif (attempt->hops >= max)\n",
         "\tif (attempt->hops >= max + 30)\n"),
    ],
    "redirect-body": [
        ("crawler/fetch/fetch_call.c",
         "\t\treturn call->result.wire_bytes <= call->options->max_error_body;\n",
         "\t\treturn true;\n"),
        ("crawler/fetch/fetch.c", "\treturn (uint64_t)now > most && call->stop == DIAG_OK &&\n",
         "\treturn (uint64_t)now > most + UINT64_MAX / 2 && call->stop == DIAG_OK &&\n"),
    ],
    "address-policy": [
        ("crawler/fetch/policy.c", "\treturn addr_reach(addr) == ADDR_PUBLIC;\n", "\treturn policy != NULL;\n"),
    ],
    "global-unicast": [
        ("base/addr.c", "\t} else if (!addr_has_prefix(bytes, v6_global.bytes, v6_global.bits))\n",
         "\t} else if (v6_global.bits == 0)\n"),
    ],
    "own-anew": [
        ("crawler/fetch/policy.c", "\town_read(policy);\n\tpolicy->own_ms = now_ms;\n",
         "\tpolicy->own_ms = now_ms;\n"),
    ],
    "own-machine": [
        ("crawler/fetch/policy.c", "\tfor (size_t i = 0; i < policy->own_count; i++)\n",
         "\tfor (size_t i = 0; i < policy->own_count && addr == NULL; i++)\n"),
    ],
    "own-within": [
        ("crawler/fetch/policy.c", "\t(void)addr_v4(addr, &v4);\n", ""),
    ],
    "proxy-look": [
        ("crawler/fetch/fetch_call.c", "\t\tcall->is_looking = !may_start && !addr_name_is_local(host);\n",
         "\t\tmay_start = may_start || !addr_name_is_local(host);\n"),
    ],
    "proxy-local-names": [
        ("crawler/fetch/fetch_call.c", "\t\tcall->is_looking = !may_start && !addr_name_is_local(host);\n",
         "\t\tcall->is_looking = !may_start;\n"),
    ],
    "proxy-every-address": [
        ("crawler/fetch/fetch.c", "\tif (!call->has_place || call->is_refused || call->stop != DIAG_OK) {\n",
         "\tif (!call->has_place || call->stop != DIAG_OK) {\n"),
        ("crawler/fetch/fetch.c", "\t\tif (call->is_refused)\n\t\t\tcall->stop = DIAG_PRIVATE_ADDRESS;\n", ""),
    ],
    "proxy-literal": [
        ("crawler/fetch/fetch_call.c", "\t\tmay_start = policy_address_ok(\n\t\t    policy, &call->url, &addr, call->url.port);\n",
         "\t\tmay_start = true;\n"),
        ("crawler/crawl/run_read.c", "\tif (addr_host_reach(url_host(next)) != ADDR_PUBLIC &&\n", "\tif (false &&\n"),
        ("crawler/crawl/run_seed.c", "\treturn is_inward;\n", "\treturn is_inward && number == UINT32_MAX;\n"),
    ],
    "socks-place": [
        ("crawler/fetch/fetch.c", "\tif (slice_starts_nocase(slice_of(proxy), slice_of(\"socks\"))) {\n",
         "\tif (strlen(proxy) > 500) {\n"),
    ],
    "redirect-scheme": [
        ("base/url.c", "\tif (n > 0 && n < raw.len && raw.p[n] == ':' &&\n",
         "\tif (base == NULL && n > 0 && n < raw.len && raw.p[n] == ':' &&\n"),
        ("base/url.c", "\telse\n\t\treturn DIAG_UNSUPPORTED_SCHEME;\n",
         "\telse\n\t\turl->is_https = false;\n"),
    ],
    "foreign-redirect": [
        ("crawler/crawl/run_read.c", "\t\tmay = location_judge(&scope, next, SUBJECT_CHILD).is_accepted;\n",
         "\t\tmay = true || location_judge(&scope, next, SUBJECT_CHILD).is_accepted;\n"),
    ],
    "fresh-handle": [
        ("crawler/fetch/fetch.c", "\t\trenew(transfer);\n\t\t/* With the next request",
         "\t\tset_pointer(transfer->easy, CURLOPT_HTTPHEADER, NULL);\n"
         "\t\t/* With the next request"),
    ],
    "packed-robots": [
        ("base/robots.c", "\t\tif (slice_starts(body, magics[i]))\n",
         "\t\tif (slice_starts(body, magics[i]) && body.len == 0)\n"),
        ("base/robots.c", "\tfor (size_t i = 0; i < body.len && i < LOOK_BYTES; i++)\n",
         "\tfor (size_t i = 0; i < body.len && body.len == 0; i++)\n"),
    ],
    "two-locations": [
        ("crawler/fetch/fetch_headers.c", "\tif (headers->status / 100 == 3 && headers->location != NULL &&\n",
         "\tif (headers->status < 100 && headers->location != NULL &&\n"),
    ],
    "blank-colon": [
        ("crawler/fetch/fetch_headers.c", "\tif (trimmed.len < name.len &&\n",
         "\tif (trimmed.len > name.len &&\n"),
    ],
    "other-coding": [
        ("crawler/fetch/fetch_headers.c",
         "\t\tif (headers->is_chunked ||\n\t\t    !slice_equal_nocase(value, slice_of(\"chunked\")))\n",
         "\t\tif (value.len > SIZE_MAX / 2)\n"),
    ],
    "trailer-fields": [
        ("crawler/fetch/fetch_headers.c", "\tif (headers->part == HEADER_BODY)\n\t\treturn true;\n",
         "\tif (headers->part == HEADER_BODY && line.len == 0)\n\t\treturn true;\n"),
    ],
    "seeds-inward": [
        ("crawler/crawl/run_seed.c", "\tif (!is_inward)\n", "\tif (!is_inward || task < UINT32_MAX)\n"),
    ],
    "request-log": [
        ("crawler/crawl/run_host_state.c", "\tnote->requests++;\n",
         "\tnote->requests += note->delay_ms == INT64_MAX;\n"),
    ],
    "other-port": [
        ("store/location.c", "\t\treturn DIAG_PORT_MISMATCH;\n", "\t\treturn DIAG_OK;\n"),
        ("crawler/fetch/policy.c", "\tif ((policy->ports[url->port / 8] >> url->port % 8 & 1) != 0 ||\n",
         "\tif (policy->ports[url->port / 8] < 256 ||\n"),
    ],
    "environment-proxy": [
        ("crawler/fetch/fetch.c",
         "\tset_text(easy, CURLOPT_PROXY, proxy == NULL ? \"\" : proxy);\n"
         "\tset_text(easy, CURLOPT_NOPROXY, proxy == NULL ? \"*\" : \"\");\n", "\t(void)proxy;\n"),
    ],
    "netrc": [
        ("crawler/fetch/fetch.c", "{CURLOPT_NETRC, CURL_NETRC_IGNORED},",
         "{CURLOPT_NETRC, CURL_NETRC_OPTIONAL},"),
    ],
    "own-headers": [
        ("crawler/crawl/run_machine.c",
         "\tif (run->origins[origin].named_by == run->sites[task->site].id) {\n",
         "\tif (run->origins[origin].named_by == run->sites[task->site].id || attempt->hops > 0) {\n"),
    ],
    # as it would be for who asks the C library himself
    "lookups-beside": [
        ("crawler/fetch/fetch.c", "#include <curl/curl.h>\n", "#include <curl/curl.h>\n#include <netdb.h>\n"),
        ("crawler/fetch/fetch.c",
         "\ttransfer->answered_ms = 0;\n",
         "\ttransfer->answered_ms = 0;\n\tstruct addrinfo *list;\n\n"
         "\tknown_name(&transfer->call.url, name);\n"
         "\tif (transfer->call.url.host_kind == HOST_NAME &&\n"
         "\t    getaddrinfo(name, NULL, NULL, &list) == 0)\n\t\tfreeaddrinfo(list);\n"),
    ],
    "lookups-limit": [
        ("crawler/fetch/fetch_lookups.h", "#define LOOKUPS_MAX 16 ", "#define LOOKUPS_MAX 48 "),
    ],
    "names-gate": [
        ("crawler/crawl/run_machine.c", "\tif (owner == 0)\n", "\tif (owner != 1)\n"),
    ],
    "names-turns": [
        ("crawler/crawl/run_machine.c", "\tfifo_put(&dns_queue->rows[owner % DNS_QUEUE_ROWS], number);\n",
         "\tfifo_put(&dns_queue->rows[0], number);\n"),
    ],
    "begin-slices": [
        ("crawler/crawl/run_machine.c", "\twhile (fifo_count(beginning) > 0 && loop_now_ms(loop) < end_ms) {\n",
         "\twhile (fifo_count(beginning) > 0 && end_ms > 0) {\n"),
    ],
    "sections": [
        ("crawler/parse/xml.c", "\txml->cdata_bytes += (uint64_t)len;\n",
         "\tif (len > 0)\n\t\treturn;\n\txml->cdata_bytes += (uint64_t)len;\n"),
    ],
    "finding-samples": [
        ("store/segment/finding.c", "\tif (row->sample_count == FINDING_SAMPLES)\n",
         "\tif (row->sample_count == UINT32_MAX)\n"),
    ],
    "lost-reader": [
        ("crawler/sandbox/readers.c", "\tqueued->result = code;\n\tqueued->content.failure = code;\n", ""),
    ],
    "validation": [
        ("crawler/sandbox/readers.c", "\tif (wrong != NULL || !has_doubts)\n\t\treturn wrong;\n",
         "\tif (wrong != NULL || !has_doubts)\n\t\treturn NULL;\n"),
    ],

    # --- gzip
    "inflated-limit": [
        ("crawler/parse/gunzip.c", "\tbool is_over = bytes.len > room;\n",
         "\tbool is_over = bytes.len > UINT64_MAX - room;\n"),
        ("crawler/parse/gunzip.c", "\tif (stage->out_bytes > gunzip->options.max_bytes)\n",
         "\tif (stage->out_bytes > UINT64_MAX / 2)\n"),
    ],
    "layers": [
        ("crawler/parse/gunzip.c", "\tif (i >= allowed)\n", "\tif (i > allowed)\n"),
    ],
    "members": [
        ("crawler/parse/gunzip.c",
         "\tstage->state = STAGE_MEMBER;\n\treturn stage_feed(gunzip, i, slice_of(GUNZIP_MAGIC));\n",
         "\tstage->state = STAGE_IGNORE;\n\treturn true;\n"),
    ],
    "member-limit": [
        ("crawler/parse/gunzip.c", "\tif (++stage->members > gunzip->options.limits->max_members)\n",
         "\tif (++stage->members > UINT32_MAX / 2)\n"),
    ],
    "no-progress": [
        ("crawler/parse/gunzip.c",
         "\t\tif (stage->idle_bytes > gunzip->options.limits->max_idle_input)\n",
         "\t\tif (stage->idle_bytes > UINT64_MAX / 2)\n"),
    ],
    "padding": [
        ("crawler/parse/gunzip.c", "\t\telse if (c == 0)\n", "\t\telse if (c == 1)\n"),
    ],
    "garbage": [
        ("crawler/parse/gunzip.c", "\tif (!gunzip->has_garbage)\n",
         "\tif (gunzip->has_garbage)\n"),
    ],
    "gzip-end": [
        ("crawler/parse/gunzip.c", "\t\t(void)gunzip_fail(\n\t\t\t    gunzip, DIAG_GZIP_TRUNCATED, slice_of(NULL));\n",
         "\t\tgunzip->has_garbage = true;\n"),
    ],
    "checksum": [
        ("crawler/parse/gunzip.c", "\tif (rc != ISAL_DECOMP_OK)\n",
         "\tif (rc != ISAL_DECOMP_OK && rc != ISAL_INCORRECT_CHECKSUM)\n"),
        ("crawler/parse/gunzip.c", "\t\tstage->has_z = true;\n",
         "\t\tstage->has_z = true;\n\t\t(void)inflateValidate(&stage->z, 0);\n"),
    ],
    "plain-named-gz": [
        ("crawler/parse/gunzip.c", "\tgunzip->stages[i].state = STAGE_PLAIN;\n",
         "\tgunzip->stages[i].state = gunzip->options.outcome->layers == 0 &&\n"
         "\t\t    slice_ends_nocase(gunzip->options.path, slice_of(\".gz\")) ? STAGE_IGNORE :\n"
         "\t\t    STAGE_PLAIN;\n"),
    ],
    "gzip-header": [
        ("crawler/parse/gunzip.c", "\t\tif (unpacked == UNPACKED_FAULT)\n",
         "\t\tif (unpacked == UNPACKED_FAULT && stage->out_bytes == 0) {\n"
         "\t\t\tstage->state = STAGE_IGNORE;\n\t\t\treturn true;\n\t\t}\n"
         "\t\tif (unpacked == UNPACKED_FAULT)\n"),
    ],
    "gunzip-pieces": [
        ("crawler/parse/gunzip.c", "\tstage->head_len = 0;\n\treturn stage_feed(gunzip, i, head);\n",
         "\tstage->head_len = 0;\n\treturn stage_feed(gunzip, i, slice_from(head, 1));\n"),
    ],

    # --- XML
    "doctype": [
        ("crawler/parse/document.c", "\telse if (is_tag || prolog->has_doctype || !slice_starts(text, word))\n",
         "\telse if (is_tag || prolog->has_doctype || slice_starts(text, word))\n"),
        ("crawler/parse/xml.c", "\txml_fail(arg, DIAG_DOCTYPE_PRESENT, 0, slice_of((const char *)name));\n",
         "\t(void)arg;\n\t(void)name;\n"),
    ],
    "foreign-namespace": [
        ("crawler/parse/sitemap.c",
         "\tif (element->uri != sitemap->uri || element->is_undeclared) {\n\t\tif (",
         "\tif (element == NULL) {\n\t\tif ("),
        ("crawler/parse/sitemap.c",
         "\tif (element->uri != sitemap->uri || element->is_undeclared) {\n\t\tuint16_t",
         "\tif (element == NULL) {\n\t\tuint16_t"),
    ],
    "wide-tag": [
        ("crawler/parse/xml.c", "\t    xml->limits.max_attributes) {\n",
         "\t    xml->limits.max_attributes + UINT16_MAX * 16) {\n"),
        ("crawler/parse/xml.c", "\t\tif (held > xml->limits.max_pending) {\n",
         "\t\tif (held > SIZE_MAX / 2) {\n"),
    ],
    "long-token": [
        ("crawler/parse/xml.c", "\t\tif (held > xml->limits.max_pending) {\n",
         "\t\tif (held > SIZE_MAX / 2) {\n"),
        ("crawler/parse/xml.c", "\tif (xml->cdata_bytes > (uint64_t)xml->limits.max_text + CHUNK)\n",
         "\tif (xml->cdata_bytes > UINT64_MAX / 2)\n"),
    ],
    "depth": [
        ("crawler/parse/xml.c", "\tif (++xml->depth > xml->limits.max_depth) {\n",
         "\tif (++xml->depth > UINT32_MAX / 2) {\n"),
    ],
    "recover": [
        ("crawler/parse/xml.c", "XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);",
         "XML_PARSE_RECOVER | XML_PARSE_IGNORE_ENC);"),
        ("crawler/parse/xml.c", "\tif (error->level != XML_ERR_FATAL)\n",
         "\tif (error->level <= XML_ERR_FATAL)\n"),
        ("crawler/parse/xml.c", "\tif (!xml->parser->wellFormed)\n",
         "\tif (xml->parser == NULL)\n"),
    ],
    "unknown-encoding": [
        ("crawler/parse/charset.c", "\t\tcharset->failure = DIAG_ENCODING_NOT_UTF8;\n"
         "\t\treturn false;\n\t}\n\tcharset->encoding = declared;\n",
         "\t\treturn true;\n\t}\n\tcharset->encoding = declared;\n"),
    ],
    "encodings": [
        ("crawler/parse/charset.c", "\tcharset->encoding = declared;\n",
         "\tcharset->encoding = ENCODING_UTF8;\n"),
    ],
    "utf16-mark": [
        ("crawler/parse/charset.c", "{\"\\xFE\\xFF\", 2, ENCODING_UTF16BE}", "{\"\\xFE\\xFE\", 2, ENCODING_UTF16BE}"),
    ],
    "first-loc": [
        ("crawler/parse/sitemap.c", "\tif (field == FIELDS || sitemap->fields[field].is_seen) {\n",
         "\tif (field == FIELDS) {\n"),
    ],
    "content-decides": [
        ("crawler/parse/document.c", "\tif (slice_equal_nocase(name, slice_of(\"html\")))\n"
         "\t\tprolog->failure = DIAG_HTML_NOT_SITEMAP;\n\telse if (is_tag",
         "\tif (is_tag"),
    ],
    "limits": [
        ("crawler/parse/read_entry.c", "\tif (seen <= limits->max_entries)\n",
         "\tif (seen <= limits->max_entries + 1)\n"),
    ],
    "cut-characters": [
        ("crawler/parse/xml.c", "\t\txml->chunk_len = n;\n", "\t\txml->chunk_len = 0;\n"),
    ],
    "sandbox": [
        ("crawler/sandbox/sandbox.c", "LENGTH(denied), SECCOMP_RET_ERRNO | EACCES);\n\tfilter_add(&filter, RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);\n",
         "LENGTH(denied), SECCOMP_RET_ERRNO | EACCES);\n\tfilter_add(&filter, RETURN, SECCOMP_RET_ALLOW, 0, 0);\n"),
    ],

    # --- URLs and dates
    "dot-segments": [
        ("base/url.c", "\twhile (in < len) {\n\t\tsize_t end = in + 1;",
         "\tif (len > 0)\n\t\treturn len;\n\twhile (in < len) {\n\t\tsize_t end = in + 1;"),
    ],
    "userinfo": [
        ("base/url.c", "\t\treturn DIAG_URL_HAS_USERINFO;\n",
         "\t\tauthority = slice_from(authority, (size_t)(strrchr(authority.p, '@') - authority.p) + 1);\n"),
    ],
    "directory": [
        ("store/location.c", "\treturn verdict(false, DIAG_OUTSIDE_DIRECTORY);\n",
         "\treturn verdict(true, DIAG_OUTSIDE_DIRECTORY);\n"),
    ],
    "escaping": [
        ("base/url.c", "\t\t\tvalue = (unsigned char)text.p[n];\n",
         "\t\t\tvalue = (unsigned char)text.p[n];\n\t\t\tlen = 1;\n"),
    ],
    "date-syntax": [
        ("crawler/parse/read_entry.c", "\t\t\tread_entry_report(entries, code);\n\t\tdate = none;\n",
         "\t\t\tread_entry_report(entries, code);\n\t\tdate = (struct date){.precision = DATE_DAY};\n"),
    ],
    "hint-values": [
        ("crawler/parse/read_entry.c", "\t\tif (priority == 0)\n", "\t\tif (priority == 255)\n"),
    ],
    "site-quota": [
        ("crawler/crawl/run_limits.c",
         "\tif (!site->is_closed && site->claimed >= site->rules->max_urls)\n",
         "\tif (!site->is_closed && site->claimed >= UINT64_MAX)\n"),
    ],
    "date-gate": [
        ("crawler/crawl/run_commit.c",
         "\tif (reading->outcome == OUTCOME_READ && reading->content.is_complete &&\n",
         "\tif (reading->outcome == OUTCOME_FAILED && reading->content.is_complete &&\n"),
    ],

    # --- what is kept from one run to the next
    "retry-after": [
        ("crawler/crawl/run_host_state.c", "\tif (times.left_s > 0)\n\t\thost_hold(",
         "\tif (times.left_s == INT64_MAX)\n\t\thost_hold("),
    ],
    "validator-bytes": [
        ("crawler/fetch/fetch_headers.c", "\t\theaders_keep(&headers->etag, value, HEADER_MAX_VALUE);\n",
         "\t\theaders_keep(&headers->etag, value, 65536);\n"),
        ("store/apply.c", "strlen(text) > VALIDATOR_MAX_BYTES)", "strlen(text) > UINT32_MAX)"),
        ("store/apply.c", "(unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)",
         "(unsigned char)*p == 0)"),
    ],
    "tag-quotes": [
        ("store/apply.c", "\tif (etag != NULL && strcmp(etag, \"*\") != 0 &&\n"
         "\t    memchr(tag.p, '\"', tag.len) == NULL)\n", "\tif (etag != NULL)\n"),
    ],
    "full-get": [
        ("crawler/crawl/run_scope.c", "\treturn document->last_full_s + FULL_GET_S <= run_now_s(run);\n",
         "\treturn document->last_full_s > run_now_s(run);\n"),
    ],
    "mass-drop": [
        ("crawler/crawl/run_read.c", "\t    !merge_is_drop(\n\t\t&content->merge, run_site_of(run, number)->rules->max_drop) ||\n",
         "\t    content->merge.lacking < UINT64_MAX ||\n"),
    ],
    "absence": [
        ("store/segment/merge.c", "\t\tentry->missed = 1;\n\t}\n\treturn true;\n",
         "\t\treturn false;\n\t}\n\treturn true;\n"),
    ],

    # --- indexes and robots.txt
    "index-loop": [
        ("crawler/crawl/run_commit.c", "\t\treturn DIAG_INDEX_LOOP;\n", "\t\treturn DIAG_OK;\n"),
        ("store/location.c", "\t\treturn verdict(false, DIAG_INDEX_SELF_REFERENCE);\n",
         "\t\treturn verdict(true, DIAG_OK);\n"),
    ],
    "nested-index": [
        ("crawler/parse/read_entry.c",
         "\tif (scope->location.profile.nested_index == NESTED_REJECT)\n",
         "\tif (scope->location.profile.nested_index == NESTED_REJECT && entries == NULL)\n"),
    ],
    "index-depth": [
        ("crawler/parse/read_entry.c", "\tif (scope->depth >= INDEX_MAX_DEPTH)\n",
         "\tif (scope->depth >= INDEX_MAX_DEPTH + 40)\n"),
        ("crawler/parse/read_entry.c",
         "\tif (scope->location.profile.nested_index == NESTED_REJECT)\n",
         "\tif (scope->location.profile.nested_index == NESTED_REJECT && entries == NULL)\n"),
    ],
    "duplicate-child": [
        ("crawler/parse/read.c", "\tenum diag_code code = content->kind == KIND_INDEX ? DIAG_DUPLICATE_CHILD\n",
         "\tenum diag_code code = content->kind == KIND_RSS ? DIAG_DUPLICATE_CHILD\n"),
    ],
    "foreign-children": [
        ("store/location.c", "\treturn DIAG_HOST_MISMATCH;\n", "\treturn DIAG_OK;\n"),
    ],
    "children-quota": [
        ("crawler/crawl/run_commit.c", "\treturn site->children >= site->rules->max_children ||\n",
         "\treturn site->children == UINT32_MAX ||\n"),
    ],
    "child-bytes": [
        ("crawler/crawl/run_commit.c", "#define CHILD_BYTES 320 ", "#define CHILD_BYTES 320000 "),
    ],
    "parents-limit": [
        ("store/link.h", "#define ACCEPT_PARENTS_MAX 64\n", "#define ACCEPT_PARENTS_MAX 100000\n"),
    ],
    "sitemap-url-bytes": [
        ("base/url.h", "#define URL_MAX_SITEMAP_BYTES 8192\n", "#define URL_MAX_SITEMAP_BYTES 32768\n"),
    ],
    "wake-after-skip": [
        ("crawler/crawl/run_machine.c", "\trun_kick(run);\n\trun_crawl_of(run, number)->open--;\n",
         "\trun_crawl_of(run, number)->open--;\n"),
        ("crawler/crawl/run_tables.c", "\tfifo_put(&run->lists[LIST_BEGINNING], number);\n"
         "\trun_kick(run);\n",
         "\tfifo_put(&run->lists[LIST_BEGINNING], number);\n"),
    ],

    # --- budgets of owners of names
    "name-length": [
        ("base/host.c", "host.len == 0 || host.len > HOST_NAME_BYTES", "host.len == 0"),
    ],
    "self-listed-limit": [
        ("store/location.h", "#define SELF_LISTED_MAX 20000\n", "#define SELF_LISTED_MAX 20000000\n"),
        ("store/location.h", "#define SELF_LISTED_BYTES (2u << 20)\n",
         "#define SELF_LISTED_BYTES (2047u << 20)\n"),
        ("crawler/crawl/run_limits.h", "#define OWNER_SITEMAPS 20000 ", "#define OWNER_SITEMAPS 20000000 "),
    ],
    "star-work": [
        ("base/robots.h", "#define ROBOTS_MAX_WORK 10000000 ", "#define ROBOTS_MAX_WORK 4000000000 "),
        ("crawler/crawl/run_limits.h", "#define OWNER_WORK 1000000000 ",
         "#define OWNER_WORK UINT64_C(1000000000000000) "),
        ("crawler/frontier/frontier_tables.c", "#define ORIGIN_WORK UINT64_C(4000000000)\n",
         "#define ORIGIN_WORK UINT64_C(4000000000000000)\n"),
        ("crawler/frontier/promotion.c", "#define LOOK_WORK 2000000\n", "#define LOOK_WORK (UINT64_MAX / 2)\n"),
    ],
    "rules-memory": [
        ("store/proof.c", "#define RULES_BYTES (32u << 20) ", "#define RULES_BYTES (4095u << 20) "),
    ],
    "owner-hosts": [
        ("crawler/crawl/run_limits.h", "#define OWNER_HOSTS 1000 ", "#define OWNER_HOSTS 1000000 "),
    ],
    "owner-bytes": [
        ("crawler/crawl/run_limits.h", "#define OWNER_ROBOTS_BYTES (16u << 20) ",
         "#define OWNER_ROBOTS_BYTES (2047u << 20) "),
    ],
    "unpacked-bytes": [
        ("crawler/sandbox/reader_validation.c", "#define URL_GROWTH 6\n", "#define URL_GROWTH 6000000\n"),
    ],
    "root-decides": [
        ("crawler/parse/sitemap.c",
         "\tif (!slice_is(element->local, sitemap->is_index ? \"sitemap\" : \"url\")) {\n",
         "\tif (!slice_is(element->local, \"sitemap\") && !slice_is(element->local, \"url\")) {\n"),
    ],
    "robots-bytes": [
        ("base/robots.c", "\tbool is_cut = body.len > ROBOTS_MAX_BYTES;\n",
         "\tbool is_cut = body.len > SIZE_MAX / 2;\n"),
    ],
    # a matcher as many have it: it tries each place of each wildcard
    "glob": [
        ("base/robots.c",
         "static bool\nrobots_matches(struct slice pattern, bool is_anchored, struct slice target)\n{\n",
         "static bool\ntries(struct slice pattern, bool is_anchored, struct slice target)\n{\n"
         "\tif (pattern.len == 0)\n\t\treturn !is_anchored || target.len == 0;\n"
         "\tif (pattern.p[0] == ROBOTS_WILDCARD) {\n"
         "\t\tfor (size_t i = 0; i <= target.len; i++)\n"
         "\t\t\tif (tries(slice_from(pattern, 1), is_anchored, slice_from(target, i)))\n"
         "\t\t\t\treturn true;\n\t\treturn false;\n\t}\n"
         "\treturn target.len > 0 && target.p[0] == pattern.p[0] &&\n"
         "\t    tries(slice_from(pattern, 1), is_anchored, slice_from(target, 1));\n}\n\n"
         "static bool\nrobots_matches(struct slice pattern, bool is_anchored, struct slice target)\n{\n"
         "\tif (pattern.len < 1 << 30)\n\t\treturn tries(pattern, is_anchored, target);\n"),
    ],
    "robots-lines": [
        ("base/robots.c", "\tif (parser->sitemap_lines == ROBOTS_MAX_SITEMAPS) {\n",
         "\tif (parser->sitemap_lines == UINT32_MAX) {\n"),
    ],
    "crawl-delay": [
        ("base/robots.c", "strchr(\"0123456789.eE+-\", value.p[i])",
         "strchr(\"0123456789.eE+-infaNx\", value.p[i])"),
    ],
    "robots-5xx": [
        ("crawler/crawl/run_robots.c", "status == 429 || status >= 500) {\n",
         "(status == 429 && status >= 500)) {\n"),
    ],
    "robots-first": [
        ("crawler/crawl/run_machine.c", "\tif (verdict.is_allowed)\n",
         "\tif (verdict.is_allowed || number < UINT32_MAX)\n"),
    ],

    # --- the whole process
    "robots-wanted": [
        ("crawler/crawl/run_robots.c", "\t\tif (!limits_forbid(run, origin->waiting.items[i]))\n\t\t\treturn false;\n",
         "\t\tif (run_crawl_of(run, origin->waiting.items[i]) != &run->crawls[crawl])\n\t\t\treturn false;\n"),
    ],
    "frame-fits": [
        ("store/location.h", "#define SELF_LISTED_BYTES (2u << 20)\n",
         "#define SELF_LISTED_BYTES (64u << 20)\n"),
        ("crawler/sandbox/frames.c",
         "\tif (out->is_cut || len > FRAME_HEAD + FRAME_MAX_BYTES) {\n",
         "\tif (out->is_cut || len > FRAME_HEAD + FRAME_MAX_BYTES) {\n\t\tabort();\n"),
    ],

    "abort-mark": [
        ("crawler/commands/main.c", "\tat_work_mark(number);\n", "\t(void)number;\n"),
    ],
    "fault-mark": [
        ("base/at_work.c", "\tat_work_mark(number);\n\t(void)!write(",
         "\t(void)!write("),
    ],
    "set-aside": [
        ("crawler/crawl/run.c", "\t\tif (until_s != 0) {\n", "\t\tif (until_s == 1) {\n"),
    ],

    # --- output
    "log-backslash": [
        ("crawler/event/log.c", "\t\t\tif (text.p[i] == '\"' || text.p[i] == '\\\\')\n\t\t\t\t(void)",
         "\t\t\tif (text.p[i] == '\"')\n\t\t\t\t(void)"),
    ],
    "curl-template": [
        ("crawler/commands/cmd_due.c", '\\"rest\\":\\"last_modified\\"}"\n\t    " %%header{last-modified}\\\\n");\n',
         '\\"last_modified\\":"\n\t    "\\"%%header{last-modified}\\"}\\\\n");\n'),
    ],
    "done-validator": [
        ("crawler/frontier/frontier_lines.c", "\tbool is_fit = text.len <= most;\n", "\tbool is_fit = most > 0;\n"),
        ("crawler/frontier/frontier_lines.c", "is_fit = c >= ' ' && c <= last && c != 0x7f;\n", "is_fit = c <= last || c > 0;\n"),
    ],
    "hold-host": [
        ("crawler/control/frontier_service.c",
         "\tif (host_normalise(&host, ndjson_text(request, \"host\"), &kind,\n\t\t&was_idn) == DIAG_OK &&\n",
         "\t(void)kind, (void)was_idn;\n\tif (buf_put_slice(&host, ndjson_text(request, \"host\")) &&\n"),
    ],
    "watch-target": [
        ("crawler/control/watch_change.c", "\ttarget = target_text(&to);\n",
         "\ttarget = slice_of(to.kind < 9 ? \"As it was typed\" : \"\");\n"),
    ],
    "beneath": [
        ("crawler/crawl/local.c", "\tif (root_len >= 0 && len > root_len &&\n", "\tif (fd >= 0)\n\t\treturn fd;\n\tif (root_len >= 0 && len > root_len &&\n"),
    ],
    "fifo": [
        ("crawler/crawl/local.c", "\tstruct open_how how = {.flags = O_PATH | O_CLOEXEC,\n",
         "\tstruct open_how how = {.flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC,\n"),
    ],
    "lines-begin": [
        ("base/vis.c", "\tif ((point == ':' && !lines->is_inside) ||\n", "\tif (\n"),
    ],
    "lines-within": [
        ("base/vis.c", "!is_actor(point) &&\n\t\t    !is_second_hash(text, first))\n", "!is_actor(point))\n"),
        ("base/vis.c", "\t    (point == '#' && lines->has_hash))\n", "\t    false)\n"),
    ],
    "hidden-between": [
        ("base/vis.c", "\treturn point == 0xad || point == 0x34f || ", "\treturn point == 0xad || "),
        ("base/vis.c", "\t    (point >= 0xfe00 && point <= 0xfe0f) ||", "\t   "),
    ],
    "json-hash": [
        ("base/vis.c", "\treturn i > 0 && text.p[i] == '#' && text.p[i - 1] == '#';\n", "\treturn i > text.len;\n"),
    ],
    "csv-formula": [
        ("base/vis.c", "\t\truns |= point == begins[k];\n", "\t\truns |= point == begins[k] && *i > 1;\n"),
    ],
    "csv-semicolon": [
        ("base/vis.c", "\t*is_begin = point == ';' || ", "\t*is_begin = "),
    ],
    "csv-blank": [
        ("base/vis.c", "(*is_begin && vis_is_blank(point));", "(*is_begin && point == 0);"),
    ],
    "csv-wide": [
        ("base/vis.c", "0xff1d, ", ""),
    ],
    "json-printable": [
        ("base/vis.c", "\t\telse if (point < ' ' || point > '~' || point == '<' ||\n",
         "\t\telse if (point < ' ' || point == '<' ||\n"),
    ],
    "json-line": [
        ("base/vis.c", "\t\t\t(void)buf_put(out, \"\\\\n\", 2);\n\t\telse if (point >= 0x10000)",
         "\t\t\t(void)buf_put(out, \"\\n\", 1);\n\t\telse if (point >= 0x10000)"),
    ],

    # --- the disk, and who else gets at it
    "stored-url": [
        ("store/db.c", "\treturn is_one ? text\n", "\treturn is_one || !is_one ? text\n"),
    ],
    "stored-numbers": [
        ("store/db.c", "\tif ((value >= least && value <= most) || db_is_null(stmt, column))\n",
         "\tif (value != INT64_MIN || least > most)\n"),
    ],
    "forgetting": [
        ("store/fsck/fsck_pass.c", "\t\t\t(void)db_exec_ints(fsck->store, forgetting[k], 3, ids);\n",
         "\t\t\tif (count == SIZE_MAX)\n"
         "\t\t\t\t(void)db_exec_ints(fsck->store, forgetting[k], 3, ids);\n"),
    ],
    "looking-makes-nothing": [
        ("crawler/inspect/explain.c", "\tto->has_site = store_site_find(store, url_host(&to->url)) != 0;\n",
         "\tto->has_site = store_site(store, url_host(&to->url)) != 0;\n"),
    ],
    "lock-mode": [
        ("store/store.c", "O_NOFOLLOW | O_NONBLOCK, 0600);", "O_NOFOLLOW | O_NONBLOCK, 0644);"),
        ("store/store.c", "\t(void)fchmod(store->files->lock_fd, 0600);\n",
         "\t(void)fchmod(store->files->lock_fd, 0644);\n"),
    ],
    "copy-mode": [
        ("store/prune.c", "\t\t(void)fchmod(fd, from.st_mode & 0666);\n",
         "\t\t(void)fchmod(fd, 0644);\n"),
    ],
    "locked-by-others": [
        ("store/db.c", "\tassert(code != DIAG_OK);\n",
         "\tassert(code != DIAG_OK);\n"
         "\tassert(code != DIAG_STORE_LOCKED || store->is_read_only);\n"),
    ],
    "read-only": [
        ("store/store.c", "store->is_read_only ? read_vfs()",
         "store->is_read_only && flags == 0 ? read_vfs()"),
    ],
    "piped-text": [
        ("crawler/cli/out.c", "\tvis_put(&out->text, text, SIZE_MAX);\n",
         "\t(void)buf_put_slice(&out->text, text);\n"),
    ],

    # --- pages that are fetched
    "login-wall": [
        ("crawler/crawl/run_page.c", "\tattempt->ordered->wall = wall;\n\treturn wall != NULL;\n",
         "\tattempt->ordered->wall = NULL;\n\treturn attempt->ordered == NULL && wall != NULL;\n"),
    ],
    "page-304": [
        ("crawler/fetch/fetch_call.c", "\tif (is_whole && call->request.takes_all && head->status == 304 &&\n",
         "\tif (is_whole && call->request.takes_all && head->status == 1304 &&\n"),
        ("crawler/crawl/run_page.c", "\t} else if (status == 304 && attempt->is_conditional && is_whole) {\n",
         "\t} else if (status == 304 && is_whole) {\n"),
    ],
    "page-bytes": [
        ("crawler/parse/read.c", "\tstruct gunzip_options options = {.max_bytes = what.max_bytes + 1,\n",
         "\tstruct gunzip_options options = {.max_bytes = UINT64_MAX,\n"),
        ("crawler/parse/page.c", "\tif (bytes.len > left) {\n\t\tscan->facts.is_cut = true;\n",
         "\tif (bytes.len > left && scan->seen == UINT64_MAX) {\n\t\tscan->facts.is_cut = true;\n"),
    ],
    "page-utf8": [
        ("crawler/parse/page.c", "\tencoding = encoding_declared(scan->options.content_type);\n",
         "\tencoding = ENCODING_UNKNOWN;\n"),
    ],
    "page-title": [
        ("crawler/parse/page.c", "\t    place == &scan->facts.title ? PAGE_MAX_TITLE : PAGE_MAX_VALUE);\n", "\t    PAGE_MAX_VALUE);\n"),
        ("crawler/parse/page.c", "\t    facts->title.len <= PAGE_MAX_TITLE &&\n", ""),
    ],
    "page-hop-rules": [
        ("crawler/crawl/run_machine.c", "\tif (verdict.is_allowed)\n\t\treturn false;\n",
         "\tif (verdict.is_allowed || task->type == TASK_PAGE)\n\t\treturn false;\n"),
    ],
    "archive-full": [
        ("crawler/page_fetch/page_fetch.c", "\tif (page->is_lost || (fetch->command",
         "\tif ((page->is_lost && fetch->is_over) || (fetch->command"),
    ],
    "archive-folder": [
        ("crawler/archive/archive.c", "\tif ((mkdir(folder, 0777) != 0 && errno != EEXIST &&\n",
         "\tif ((mkdir(folder, 0777) != 0 && errno == EXDEV &&\n"),
        ("crawler/archive/archive.c", "\t    !folder_enter(archive)) {\n", "\t    (!folder_enter(archive) && errno == EXDEV)) {\n"),
    ],
    "archive-lock": [
        ("crawler/archive/archive.c", "\tif (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &file) == 0 &&\n",
         "\tif (fstat(fd, &file) == 0 &&\n"),
    ],
    "archive-repair": [
        ("crawler/archive/archive.c", "\t\tfolder_repair(archive, entry->d_name);\n",
         "\t\tif (archive->id == 0)\n\t\t\tfolder_repair(archive, entry->d_name);\n"),
    ],

    # --- disks, processes, memory and clocks (elsewhere.py)
    "disk-status": [
        ("store/schema.c", "\tcase SQLITE_PROTOCOL:\n\t\treturn DIAG_DISK_FULL;\n",
         "\tcase SQLITE_PROTOCOL:\n\t\treturn DIAG_STORE_DAMAGED;\n"),
    ],
    "sync-full": [
        ("store/store.c", "\t    {\"PRAGMA synchronous = FULL\", NULL, WRITER},\n",
         "\t    {\"PRAGMA synchronous = OFF\", NULL, WRITER},\n"),
    ],
    "file-size-signal": [
        ("crawler/commands/main.c", "\t(void)sigaction(SIGXFSZ, &ignore, NULL);\n", ""),
    ],
    "disk-floor": [
        ("store/store.c", "\tif (store_free_bytes(store) < store->min_free_bytes) {\n\t\tdb_fail",
         "\tif (store_free_bytes(store) < store->min_free_bytes / 16 / 16) {\n\t\tdb_fail"),
        ("store/store.c", "\t    store_free_bytes(store) < store->min_free_bytes) {\n",
         "\t    store_free_bytes(store) < store->min_free_bytes / 16 / 16) {\n"),
    ],
    "store-path": [
        ("store/store.c", "\t\tfault = file_fault(store->path, store->is_read_only);\n", "\t\tfault = NULL;\n"),
    ],
    "integrity-check": [
        ("store/fsck/fsck_file.c", "\t\tif (!slice_is(text, \"ok\"))\n", "\t\tif (text.len == SIZE_MAX)\n"),
    ],
    "old-log": [
        ("store/store.c", "\tif (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)\n\t\treturn schema_code(code);\n",
         "\tif (code != SQLITE_OK || !store->is_cache)\n\t\treturn DIAG_STORE_DAMAGED;\n"),
    ],
    "store-lock": [
        ("store/store.c", "\tif (fcntl(fd, F_OFD_SETLK, range) == 0)\n", "\tif (fd >= 0 && range->l_len == 0)\n"),
    ],
    "one-transaction": [
        ("store/db.c", "\t\tdb_run(store, db_use(store, SQL_BEGIN));\n", ""),
        ("store/store.c", "\t\treach_settle(store, latest_s, SETTLE_SOON);\n\t}\n\tdb_run(store, db_use(store, SQL_COMMIT));\n",
         "\t\treach_settle(store, latest_s, SETTLE_SOON);\n\t}\n"),
    ],
    "log-limit": [
        ("store/store.c", "\t    {\"PRAGMA journal_size_limit = 67108864\", NULL, WRITER},\n", ""),
    ],
    "bounded-cache": [
        ("store/store.c", "\t    {\"PRAGMA mmap_size = 0\", NULL, ALL},\n", "\t    {\"PRAGMA mmap_size = 1073741824\", NULL, ALL},\n"),
        ("store/store.c", "\t    {\"PRAGMA cache_size = -8192\", NULL, ALL},\n",
         "\t    {\"PRAGMA cache_size = -819200\", NULL, ALL},\n"),
    ],
    "migrate-whole": [
        ("store/schema.c", "\tcode = sqlite3_exec(db, \"BEGIN IMMEDIATE\", NULL, NULL, NULL);\n", "\tcode = SQLITE_OK;\n"),
        ("store/schema.c", "\t\tcode = sqlite3_exec(db, \"COMMIT\", NULL, NULL, NULL);\n", "\t\tcode = SQLITE_OK;\n"),
    ],
    "copy-done": [
        ("store/prune.c", "\t\tcode = sqlite3_backup_step(backup, PAGES_AT_ONCE);\n",
         "\t\tcode = sqlite3_backup_step(backup, 1);\n"),
        ("store/prune.c", "\t} while (code == SQLITE_OK && goes_on);\n", "\t} while (code == SQLITE_ROW && goes_on);\n"),
    ],
    # each third commit is told of, and not made
    "ack-after-commit": [
        ("store/store.c", "\t\treach_settle(store, latest_s, SETTLE_SOON);\n\t}\n\tdb_run(store, db_use(store, SQL_COMMIT));\n",
         "\t\treach_settle(store, latest_s, SETTLE_SOON);\n\t}\n"
         "\tdb_run(store, db_use(store, store->commits % 3 == 2 ? SQL_ROLLBACK : SQL_COMMIT));\n"),
    ],
    "reader-again": [
        ("crawler/sandbox/readers.c", "\t\t    WTERMSIG(status) == SIGKILL)) &&\n", "\t\t    WTERMSIG(status) == SIGBUS)) &&\n"),
    ],
    "end-with-main": [
        ("crawler/sandbox/forkserver.c", "\tif (n < 0 && errno == EINTR)\n\t\treturn;\n",
         "\tif (n == 0)\n\t\t(void)pause();\n\tif (n < 0 && errno == EINTR)\n\t\treturn;\n"),
        ("crawler/sandbox/forkserver.c", "\t\tif (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 ||\n"
         "\t\t    getppid() != self)\n\t\t\t_exit(1);\n", ""),
    ],
    "second-signal": [
        ("crawler/event/stop_signals.c", "\tif (signals->has_come)\n", "\tif (signals->has_come && number == 0)\n"),
    ],
    "closed-pipe": [
        ("crawler/commands/main.c", "\t(void)sigaction(SIGPIPE, &ignore, NULL);\n", ""),
    ],
    "reader-memory": [
        ("crawler/sandbox/sandbox.c", "\t\t!limit_to(RLIMIT_AS, options->memory_bytes)))\n", "\t\toptions->memory_bytes == 1))\n"),
        ("crawler/sandbox/sandbox.c", "\t    limit_to(RLIMIT_AS, memory_bytes);\n", "\t    memory_bytes > 1;\n"),
    ],
    "lines-freed": [
        ("crawler/fetch/fetch.c", "\tassert(list != NULL);\n\tbuf_release(&text);\n", "\tassert(list != NULL);\n"),
    ],
    "fork-again": [
        ("crawler/sandbox/readers.c", "\tif (++readers->failures < MAX_FAILURES)\n", "\tif (++readers->failures < 1)\n"),
    ],
    "standard-descriptors": [
        ("crawler/commands/main.c", "\t\t    open(\"/dev/null\", modes[fd]) != fd)\n", "\t\t    modes[fd] < 0)\n"),
    ],
    "store-mode": [
        ("store/store.c", "\t    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);\n",
         "\t    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);\n"),
        ("store/store.c", "\t(void)fchmod(store->files->lock_fd, 0600);\n", ""),
    ],
    "json-memory": [
        ("crawler/event/ndjson.c", "\tjson_set_alloc_funcs(mem_alloc, free);\n", ""),
    ],
    "curl-memory": [
        ("crawler/fetch/fetch.c", "CURL_GLOBAL_DEFAULT, mem_alloc, free,\n\t\tmem_resize, mem_copy, zero_items)",
         "CURL_GLOBAL_DEFAULT, malloc, free,\n\t\trealloc, strdup, calloc)"),
    ],
    "sqlite-memory": [
        ("store/schema.c", "\t\t(void)mem_alloc(SIZE_MAX / 2); /* ends the process */\n", ""),
    ],
    "clock-back": [
        ("base/civil.h", "\tif (wall_s < flown_s)\n", "\tif (wall_s < flown_s - INT32_MAX)\n"),
    ],
    "host-rate": [
        ("sched/limiter.c", "\tms = later_of(ms, add_ms(limit->sent_ms, limit->gap_ms));\n\treturn ms > limiter->now_ms",
         "\tms = later_of(hold_ms_of(limiter, node), INT64_MIN);\n\treturn ms > limiter->now_ms"),
    ],
    "hub-signature": [
        ("crawler/hints/hints.c", "\tis_right = serve_token_admits(&token, ask->signature) &&\n",
         "\tis_right = (serve_token_admits(&token, ask->signature) || query != NULL) &&\n"),
    ],

    # --- what a change brings
    "banned-call": [
        ("crawler/event/exit.c", "#include <unistd.h>\n", "#include <stdlib.h>\n#include <unistd.h>\n"),
        ("crawler/event/exit.c", "\t_exit(number == SIGINT ?", "\t_exit(number == atoi(\"2\") ?"),
    ],
    "untested-branch": [
        ("base/w3cdate.c", "\tif (!read_day(r))\n\t\treturn false;\n\tif (r->in.len == 0",
         "\tif (!read_day(r) || r->in.len == 999999999)\n\t\treturn false;\n\tif (r->in.len == 0"),
    ],

    # --- stores in PostgreSQL
    "keeper-again": [
        ("crawler/daemon/keeper.c", "\t\tkeeper_start(keeper, shard);\n\t} else {\n", "\t} else {\n"),
    ],
    "keeper-gone": [
        ("crawler/event/spawn.c", "\t(void)prctl(PR_SET_PDEATHSIG, SIGTERM);\n", ""),
    ],
    "keeper-alone": [
        ("crawler/daemon/keeper.c", "\tif (kept->deaths < DEATHS_MOST) {\n", "\tif (kept->deaths < 1000) {\n"),
    ],
    "depot-valid": [
        ("store/depot/depot.c", "depot->bytes >= MOST_BYTES ||\n\t    term_clock_ms() >= depot->valid_ms;\n",
         "depot->bytes >= MOST_BYTES;\n"),
    ],
    "depot-evict": [
        ("store/depot/term.c", "\t    \"SELECT pg_terminate_backend(pid) FROM pg_stat_activity\"\n",
         "\t    \"SELECT pid FROM pg_stat_activity\"\n"),
    ],
    "depot-refusals": [
        ("store/depot/depot.c", "\tif (i < count && depot->refusals < MOST_REFUSALS)\n",
         "\tif (i < count && depot->refusals < INT32_MAX)\n"),
    ],
    "depot-clock": [
        ("store/depot/term.c", "\tif (ahead <= CLOCK_MOST_MS && behind <= CLOCK_MOST_MS)\n", "\tif (ahead <= INT32_MAX)\n"),
    ],
    "depot-text": [
        ("store/depot/depot.c", "\t\tif (depot->commits[depot->count - 1].replaced > 0 &&\n",
         "\t\tif (depot->commits[depot->count - 1].replaced > INT32_MAX &&\n"),
    ],
    "depot-password": [
        ("store/depot/pg.c", "\tis_good = options != NULL && pg_option_of(options, \"password\") == NULL;\n",
         "\tis_good = options != NULL;\n"),
    ],
    "depot-schema": [
        ("store/depot/take.sql", "WHERE shard = $1::integer AND schema <= $4::integer\n", "WHERE shard = $1::integer\n"),
    ],
    # whoever died keeps its shards for ever
    "depot-lease": [
        ("store/depot/take.sql", "(owner IS NULL OR until < clock_timestamp() OR owner = $2)", "(owner IS NULL OR owner = $2)"),
    ],
    "depot-passing": [
        ("store/depot/depot.c", "\"08\", \"25\", \"53\", \"55\", \"57P\",", "\"08\", \"08\", \"08\", \"08\", \"57P\","),
    ],
    "depot-rows": [
        ("store/depot/depot.c", "\t    strtoull(pq.cmd_tuples(result), NULL, 10) !=\n\t\tcommit->items[depot->at - 2].rows) {\n",
         "\t    strtoull(pq.cmd_tuples(result), NULL, 10) == UINT64_MAX) {\n"),
    ],
    "depot-cache": [
        ("crawler/control/crawler.c", "\tif (code == DIAG_STORE_DAMAGED && options.is_cache) {\n",
         "\tif (code == DIAG_STORE_DAMAGED && options.is_cache && options.path == NULL) {\n"),
    ],
    "mail-unknown": [
        ("crawler/control/crawler_serve.c", "\t\tcontrol_end(peer, EXIT_USAGE,\n\t\t    slice_of(crawler->takes_mail ? CONTROL_UNKNOWN : why));\n",
         "\t\tif (!crawler->takes_mail)\n\t\t\tcontrol_end(peer, EXIT_USAGE, slice_of(why));\n"),
    ],
    "mail-posted": [
        ("store/depot/members.c", "\t    \" VALUES ($1::integer, $2) RETURNING shard)\"\n",
         "\t    \" SELECT $1::integer, $2 WHERE false RETURNING shard)\"\n"),
    ],
    "depot-ack": [
        ("store/depot/depot.c", "\tif (version < depot->acked || version > depot->acked + depot->count) {\n",
         "\tversion = depot->acked;\n\tif (version == UINT64_MAX) {\n"),
    ],
}

def misfits(faults):
    """Returns a list of the defences that these faults name and that are
    missing here, or whose text is not in the sources."""
    wrong = []
    for name in sorted({n for f in faults for n in f.off}):
        if name not in DEFENCES:
            wrong.append("no defence '%s'" % name)
        for path, old, _ in DEFENCES.get(name, ()):
            with open(os.path.join(TOP, path), encoding="utf-8") as f:
                count = f.read().count(old)
            if count != 1:
                wrong.append("%s: %s has %d times: %s" % (name, path, count, old.strip()))
    return wrong
