/* Challenge pages of bot walls. */
#include "crawler/parse/page_wall.h"

#include <string.h>

#include "crawler/parse/html.h"

#define MAX_LINKS 5 /* the most links that a challenge page has */

enum wall_owner {
	OWNER_NONE,
	OWNER_CLOUDFLARE,
	OWNER_AWS,
	OWNER_DATADOME,
	OWNER_IMPERVA,
	OWNER_AKAMAI,
	OWNER_HUMAN,
	OWNER_SUCURI,
	OWNER_VERCEL,
	OWNER_DDOS_GUARD,
	OWNER_SITEGROUND,
	OWNER_ANUBIS,
	OWNER_KASADA,
	OWNER_QRATOR,
	OWNER_RECAPTCHA,
	OWNER_HCAPTCHA,
	OWNERS
};

enum place {
	/* the beginning of an inline script, without white space */
	PLACE_SCRIPT,
	PLACE_SCRIPT_SRC,
	PLACE_FRAME_SRC,
	PLACE_ID, /* the whole id of any element */
	PLACE_REFRESH /* anywhere in <meta http-equiv=refresh content> */
};

/* begin: the text that the value begins with; has: a text that the value
 * contains as well, or NULL. */
static const struct sign {
	enum wall_owner owner;
	enum place place;
	bool is_hint;
	const char *begin;
	const char *has;
} signs[] = {
    {OWNER_CLOUDFLARE, PLACE_SCRIPT, false, "window._cf_chl_opt", NULL},
    {OWNER_CLOUDFLARE, PLACE_SCRIPT, false, "(function(){window._cf_chl_opt",
	NULL},
    {OWNER_CLOUDFLARE, PLACE_SCRIPT_SRC, false,
	"/cdn-cgi/challenge-platform/h/", "/orchestrate/"},
    {OWNER_CLOUDFLARE, PLACE_SCRIPT_SRC, true, "/cdn-cgi/challenge-platform/",
	NULL},
    {OWNER_CLOUDFLARE, PLACE_SCRIPT_SRC, true,
	"https://challenges.cloudflare.com/", NULL},
    {OWNER_CLOUDFLARE, PLACE_ID, true, "challenge-form", NULL},
    {OWNER_CLOUDFLARE, PLACE_ID, true, "challenge-running", NULL},
    {OWNER_CLOUDFLARE, PLACE_ID, true, "challenge-error-text", NULL},
    {OWNER_CLOUDFLARE, PLACE_ID, true, "cf-wrapper", NULL},
    {OWNER_AWS, PLACE_SCRIPT, false, "window.gokuProps=", NULL},
    {OWNER_AWS, PLACE_SCRIPT, false,
	"window.awsWafCookieDomainList=", "window.gokuProps="},
    {OWNER_DATADOME, PLACE_SCRIPT_SRC, false,
	"https://ct.captcha-delivery.com/", NULL},
    {OWNER_DATADOME, PLACE_FRAME_SRC, false,
	"https://geo.captcha-delivery.com/", NULL},
    {OWNER_IMPERVA, PLACE_FRAME_SRC, false, "/_Incapsula_Resource?", NULL},
    {OWNER_AKAMAI, PLACE_REFRESH, false, "bm-verify=", NULL},
    {OWNER_AKAMAI, PLACE_SCRIPT_SRC, false, "/_sec/cp_challenge/", NULL},
    {OWNER_AKAMAI, PLACE_ID, false, "sec-if-cpt-container", NULL},
    {OWNER_HUMAN, PLACE_SCRIPT, false, "window._pxAppId=", "_pxBlockedUrl"},
    {OWNER_HUMAN, PLACE_ID, true, "px-captcha", NULL},
    {OWNER_SUCURI, PLACE_SCRIPT, false, "vars={},u,c,U,r,i,l=0",
	"sucuri_cloudproxy_js="},
    {OWNER_VERCEL, PLACE_SCRIPT_SRC, false,
	"/.well-known/vercel/security/static/challenge", NULL},
    {OWNER_DDOS_GUARD, PLACE_SCRIPT_SRC, false,
	"/.well-known/ddos-guard/js-challenge/", NULL},
    {OWNER_DDOS_GUARD, PLACE_SCRIPT_SRC, false, "https://check.ddos-guard.net/",
	NULL},
    {OWNER_SITEGROUND, PLACE_REFRESH, false, "/.well-known/sgcaptcha/", NULL},
    {OWNER_ANUBIS, PLACE_ID, false, "anubis_challenge", NULL},
    {OWNER_KASADA, PLACE_SCRIPT, false, "window.KPSDK={};KPSDK.now=", NULL},
    {OWNER_QRATOR, PLACE_SCRIPT_SRC, false, "/__qrator/qauth", NULL},
    {OWNER_RECAPTCHA, PLACE_SCRIPT_SRC, true,
	"https://www.google.com/recaptcha/", NULL},
    {OWNER_RECAPTCHA, PLACE_SCRIPT_SRC, true,
	"https://www.recaptcha.net/recaptcha/", NULL},
    {OWNER_HCAPTCHA, PLACE_SCRIPT_SRC, true, "https://js.hcaptcha.com/", NULL},
    {OWNER_HCAPTCHA, PLACE_SCRIPT_SRC, true, "https://hcaptcha.com/", NULL},
};

/* Whole titles of challenge pages, which no page of a site has. */
static const char *const titles[] = {"Just a moment...",
    "Attention Required! | Cloudflare", "Please Wait... | Cloudflare",
    "Access to this page has been denied", "Pardon Our Interruption",
    "Human Verification", "Robot Check", "Bot Verification",
    "One moment, please...", "Vercel Security Checkpoint", "DDOS-GUARD",
    "DDoS-Guard"};

const char *
page_wall_name(unsigned number)
{
	static const char *const names[OWNERS] = {NULL, "Cloudflare", "AWS WAF",
	    "DataDome", "Imperva", "Akamai", "HUMAN", "Sucuri", "Vercel",
	    "DDoS-Guard", "SiteGround", "Anubis", "Kasada", "Qrator",
	    "reCAPTCHA", "hCaptcha"};

	return number < OWNERS ? names[number] : NULL;
}

/* page_wall_look(wall, place, value): which wall's sign is this value? */
static void
page_wall_look(struct page_wall *wall, enum place place, struct slice value)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const struct sign *sign = &signs[i];
		struct slice begin = slice_of(sign->begin);
		bool fits = false;

		if (sign->place != place)
			continue;
		switch (place) {
		case PLACE_ID:
			fits = slice_equal(value, begin);
			break;
		case PLACE_REFRESH:
			fits = memmem(value.p, value.len, begin.p, begin.len) !=
			    NULL;
			break;
		case PLACE_SCRIPT:
		case PLACE_SCRIPT_SRC:
		case PLACE_FRAME_SRC:
			fits = slice_starts(value, begin) &&
			    (sign->has == NULL ||
				memmem(value.p, value.len, sign->has,
				    strlen(sign->has)) != NULL);
			break;
		}
		/* The first sign counts, and a hint never replaces one. */
		if (!fits)
			continue;
		if (!sign->is_hint && wall->owner == 0)
			wall->owner = sign->owner;
		if (sign->is_hint && wall->hinted == 0)
			wall->hinted = sign->owner;
	}
}

void
page_wall_tag(struct page_wall *wall, const struct html_tag *tag)
{
	struct slice value;

	if (tag->is_end)
		return;
	if (html_attribute(tag, "id", &value))
		page_wall_look(wall, PLACE_ID, value);
	if (slice_is(tag->name, "a") && html_attribute(tag, "href", &value)) {
		wall->links++;
	} else if (slice_is(tag->name, "script")) {
		/* Is this a script that runs, and not data? */
		struct slice type;
		wall->is_script = !html_attribute(tag, "type", &type) ||
		    type.len == 0 ||
		    slice_equal_nocase(type, slice_of("module")) ||
		    slice_equal_nocase(type, slice_of("text/javascript")) ||
		    slice_equal_nocase(
			type, slice_of("application/javascript"));
		if (html_attribute(tag, "src", &value))
			page_wall_look(
			    wall, PLACE_SCRIPT_SRC, slice_trim(value));
	} else if (slice_is(tag->name, "iframe")) {
		if (html_attribute(tag, "src", &value))
			page_wall_look(
			    wall, PLACE_FRAME_SRC, slice_trim(value));
	} else if (slice_is(tag->name, "meta")) {
		if (html_attribute(tag, "http-equiv", &value) &&
		    slice_equal_nocase(value, slice_of("refresh")) &&
		    html_attribute(tag, "content", &value))
			page_wall_look(wall, PLACE_REFRESH, value);
	}
}

void
page_wall_raw(struct page_wall *wall, struct slice element, struct slice text)
{
	char room[HTML_MAX_RAW];
	size_t len = 0;

	if (slice_is(element, "script") && wall->is_script &&
	    text.len <= sizeof(room)) {
		/* White space differs from page to page. */
		for (size_t i = 0; i < text.len; i++)
			if (strchr(" \t\r\n\f", text.p[i]) == NULL ||
			    text.p[i] == '\0')
				room[len++] = text.p[i];
		page_wall_look(wall, PLACE_SCRIPT, slice_make(room, len));
	}
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (slice_is(element, "title") &&
		    slice_is(slice_trim(text), titles[i]))
			wall->has_title = true;
}

unsigned
page_wall_whose(const struct page_wall *wall)
{
	/* A hint needs the title of a challenge, and a page without links. */
	if (wall->owner == 0 && wall->has_title && wall->links <= MAX_LINKS)
		return wall->hinted;
	return wall->owner;
}
