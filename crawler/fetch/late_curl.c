/*
 * The functions of libcurl that freshet calls, under their own names. Those
 * that may be called first load libcurl: with OpenSSL, GnuTLS and two dozen
 * more, it takes four times as long to load as all else that a command needs.
 */
#include <stdarg.h>

/* Its first argument is const in some versions of the header. */
#define curl_url_get curl_url_get_of_header
#include <curl/curl.h>
#undef curl_url_get
CURLUcode curl_url_get(const CURLU *, CURLUPart, char **, unsigned);

#include "base/late.h"

/* The header has macros of these names, which check the types of arguments. */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

/* The number of an option tells the type of its argument: a long, a curl_off_t,
 * or else a pointer. */
#define KIND(option) ((option) / CURLOPTTYPE_OBJECTPOINT)
#define IS_LONG(option) (KIND(option) == 0)
#define IS_OFF_T(option) \
	(KIND(option) == CURLOPTTYPE_OFF_T / CURLOPTTYPE_OBJECTPOINT)

static CURLcode (*global_init)(long);
static void (*global_cleanup)(void);
static curl_version_info_data *(*version_info)(CURLversion);
static void (*free_text)(void *);
static struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
static void (*slist_free_all)(struct curl_slist *);
static CURLU *(*url_new)(void);
static void (*url_cleanup)(CURLU *);
static CURLUcode (*url_get)(const CURLU *, CURLUPart, char **, unsigned);
static CURLUcode (*url_set)(CURLU *, CURLUPart, const char *, unsigned);
static CURL *(*easy_init)(void);
static void (*easy_cleanup)(CURL *);
static CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
static CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
static CURLM *(*multi_init)(void);
static CURLMcode (*multi_cleanup)(CURLM *);
static CURLMcode (*multi_setopt)(CURLM *, CURLMoption, ...);
static CURLMcode (*multi_add_handle)(CURLM *, CURL *);
static CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
static CURLMcode (*multi_socket_action)(CURLM *, curl_socket_t, int, int *);
static CURLMsg *(*multi_info_read)(CURLM *, int *);

static void
late_curl_load(void)
{
	static const struct late_function functions[] = {
	    {"curl_global_init", &global_init},
	    {"curl_global_cleanup", &global_cleanup},
	    {"curl_version_info", &version_info},
	    {"curl_free", &free_text},
	    {"curl_slist_append", &slist_append},
	    {"curl_slist_free_all", &slist_free_all},
	    {"curl_url", &url_new},
	    {"curl_url_cleanup", &url_cleanup},
	    {"curl_url_get", &url_get},
	    {"curl_url_set", &url_set},
	    {"curl_easy_init", &easy_init},
	    {"curl_easy_cleanup", &easy_cleanup},
	    {"curl_easy_setopt", &easy_setopt},
	    {"curl_easy_getinfo", &easy_getinfo},
	    {"curl_multi_init", &multi_init},
	    {"curl_multi_cleanup", &multi_cleanup},
	    {"curl_multi_setopt", &multi_setopt},
	    {"curl_multi_add_handle", &multi_add_handle},
	    {"curl_multi_remove_handle", &multi_remove_handle},
	    {"curl_multi_socket_action", &multi_socket_action},
	    {"curl_multi_info_read", &multi_info_read},
	};

	if (multi_info_read == NULL)
		late_load("libcurl.so.4", functions,
		    sizeof(functions) / sizeof(functions[0]));
}

CURLcode
curl_global_init(long flags)
{
	late_curl_load();
	return global_init(flags);
}

curl_version_info_data *
curl_version_info(CURLversion version)
{
	late_curl_load();
	return version_info(version);
}

struct curl_slist *
curl_slist_append(struct curl_slist *list, const char *text)
{
	late_curl_load();
	return slist_append(list, text);
}

CURL *
curl_easy_init(void)
{
	late_curl_load();
	return easy_init();
}

/* The functions from here on need what one of those above gave. */

void
curl_global_cleanup(void)
{
	global_cleanup();
}

void
curl_free(void *text)
{
	free_text(text);
}

void
curl_slist_free_all(struct curl_slist *list)
{
	slist_free_all(list);
}

CURLU *
curl_url(void)
{
	return url_new();
}

void
curl_url_cleanup(CURLU *url)
{
	url_cleanup(url);
}

CURLUcode
curl_url_get(const CURLU *url, CURLUPart part, char **text, unsigned flags)
{
	return url_get(url, part, text, flags);
}

CURLUcode
curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags)
{
	return url_set(url, part, text, flags);
}

void
curl_easy_cleanup(CURL *easy)
{
	easy_cleanup(easy);
}

CURLcode
curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
	CURLcode code;
	va_list args;

	va_start(args, option);
	if (IS_LONG(option))
		code = easy_setopt(easy, option, va_arg(args, long));
	else if (IS_OFF_T(option))
		code = easy_setopt(easy, option, va_arg(args, curl_off_t));
	else
		code = easy_setopt(easy, option, va_arg(args, void *));
	va_end(args);
	return code;
}

CURLcode
curl_easy_getinfo(CURL *easy, CURLINFO info, ...)
{
	CURLcode code;
	va_list args;

	va_start(args, info);
	code = easy_getinfo(easy, info, va_arg(args, void *));
	va_end(args);
	return code;
}

CURLM *
curl_multi_init(void)
{
	return multi_init();
}

CURLMcode
curl_multi_cleanup(CURLM *multi)
{
	return multi_cleanup(multi);
}

CURLMcode
curl_multi_setopt(CURLM *multi, CURLMoption option, ...)
{
	CURLMcode code;
	va_list args;

	va_start(args, option);
	if (IS_LONG(option))
		code = multi_setopt(multi, option, va_arg(args, long));
	else
		code = multi_setopt(multi, option, va_arg(args, void *));
	va_end(args);
	return code;
}

CURLMcode
curl_multi_add_handle(CURLM *multi, CURL *easy)
{
	return multi_add_handle(multi, easy);
}

CURLMcode
curl_multi_remove_handle(CURLM *multi, CURL *easy)
{
	return multi_remove_handle(multi, easy);
}

CURLMcode
curl_multi_socket_action(
    CURLM *multi, curl_socket_t fd, int ready, int *running)
{
	return multi_socket_action(multi, fd, ready, running);
}

CURLMsg *
curl_multi_info_read(CURLM *multi, int *left)
{
	return multi_info_read(multi, left);
}
