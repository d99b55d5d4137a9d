/* crawler/fetch/fetch_headers.c and crawler/parse/page.c: which bot wall
 * answered, by a header or by its page; and pages that are no challenge. */
#include "tests/fixtures/fixture.h"

#include <stdio.h>
#include <strings.h>

#include "crawler/fetch/fetch_headers.h"
#include "crawler/parse/page.h"
#include "tests/fixtures/read_fixture.h"

static const struct {
	const char *name, *value;
	enum wall_sign sign;
	const char *whose;
} headers[] = {
    {"cf-mitigated", "challenge", WALL_CHALLENGE, "Cloudflare"},
    {"CF-Mitigated", "Challenge", WALL_CHALLENGE, "Cloudflare"},
    {"cf-mitigated", "chall", WALL_NONE, NULL},
    {"cf-ray", "8fcb3f8a0cc56750-ATL", WALL_NONE, NULL},
    {"x-amzn-waf-action", "captcha", WALL_CHALLENGE, "AWS WAF"},
    {"x-vercel-mitigated", "challenge", WALL_CHALLENGE, "Vercel"},
    {"x-vercel-id", "fra1", WALL_NONE, NULL},
    {"x-datadome", "protected", WALL_IN_FRONT, "DataDome"},
    {"x-datadome", "", WALL_NONE, NULL},
    {"x-dd-b", "1", WALL_CHALLENGE, "DataDome"},
    {"x-sucuri-block", "1", WALL_CHALLENGE, "Sucuri"},
    {"x-sucuri-id", "1", WALL_NONE, NULL},
    {"server", "cloudflare", WALL_IN_FRONT, "Cloudflare"},
    {"Server", "cloudflare-nginx", WALL_IN_FRONT, "Cloudflare"},
    {"server", "AkamaiGHost", WALL_IN_FRONT, "Akamai"},
    {"server", "DataDome", WALL_CHALLENGE, "DataDome"},
    {"server", "Sucuri/Cloudproxy", WALL_IN_FRONT, "Sucuri"},
    {"server", "ddos-guard", WALL_IN_FRONT, "DDoS-Guard"},
    {"server", "nginx", WALL_NONE, NULL},
    {"server", "nginx behind cloudflare", WALL_NONE, NULL},
    {"x-iinfo", "1-2", WALL_IN_FRONT, "Imperva"},
    {"x-powered-by", "cloudflare", WALL_NONE, NULL},
    {"", "", WALL_NONE, NULL},
};

static void
test_headers(void **state)
{
	for (size_t i = 0; i < COUNT(headers); i++) {
		const char *whose = NULL;
		enum wall_sign sign = wall_sign(slice_of(headers[i].name),
		    slice_of(headers[i].value), &whose);

		if (sign != headers[i].sign)
			fail_msg("%s: %s", headers[i].name, headers[i].value);
		if (headers[i].whose == NULL)
			assert_null(whose);
		else
			assert_string_equal(whose, headers[i].whose);
	}
}

#define HTML "<!DOCTYPE html>\n<html><head>"
#define MOMENT "<title>Just a moment...</title>"
#define LINK "<a href='/a'>a</a>"

static const struct {
	const char *why, *page;
	const char *whose; /* NULL: no challenge */
} pages[] = {
    {"the options of a challenge",
	HTML MOMENT "</head><body><script>(function(){window._cf_chl_opt = "
		    "{cvId: '3',cZone: 'a.example'};</script>",
	"Cloudflare"},
    {"older", HTML "<script>\n  window._cf_chl_opt={};</script>", "Cloudflare"},
    {"its script",
	HTML "<script src='/cdn-cgi/challenge-platform/h/b/orchestrate/"
	     "chl_page/v1?ray=1'></script>",
	"Cloudflare"},
    {"a title and its script",
	HTML MOMENT "<script src='/cdn-cgi/challenge-platform/a.js'></script>",
	"Cloudflare"},
    {"a title and a form",
	HTML MOMENT "<form id='challenge-form' action='/?x'></form>",
	"Cloudflare"},
    {"refused",
	HTML "<title>Attention Required! | Cloudflare</title>"
	     "<div id='cf-wrapper'>" LINK "</div>",
	"Cloudflare"},
    {"what only comes with it",
	HTML "<title>Shop</title><script src='/cdn-cgi/challenge-platform/"
	     "scripts/jsd/main.js'></script>",
	NULL},
    {"a widget",
	HTML "<title>Contact</title><form><div class='cf-turnstile'></div>"
	     "<script src='https://challenges.cloudflare.com/turnstile/v0/"
	     "api.js'></script></form>",
	NULL},
    {"the title alone", HTML MOMENT "<p>We are loading.</p>", NULL},
    {"like the title",
	HTML "<title>Just a moment... of peace</title>"
	     "<div id='challenge-form'></div>",
	NULL},
    {"the title, and somewhere to go",
	HTML MOMENT "<div id='cf-wrapper'>" LINK LINK LINK LINK LINK LINK
		    "</div>",
	NULL},
    {"AWS",
	HTML "<script type='text/javascript'>\nwindow.awsWafCookieDomainList "
	     "= [];\nwindow.gokuProps = {\"key\":\"A\"};</script>",
	"AWS WAF"},
    {"its widget",
	HTML "<script>window.awsWafCookieDomainList = ['a.example'];</script>"
	     "<script src='https://1.token.awswaf.com/1/challenge.js'>"
	     "</script>",
	NULL},
    {"DataDome",
	HTML "<script>var dd={'rt':'c'}</script><script data-cfasync='false' "
	     "src='https://ct.captcha-delivery.com/c.js'></script>",
	"DataDome"},
    {"DataDome in a frame",
	HTML "<body><iframe src='https://geo.captcha-delivery.com/captcha/"
	     "?a=b'></iframe>",
	"DataDome"},
    {"DataDome at work",
	HTML "<script src='https://js.datadome.co/tags.js'></script>", NULL},
    {"Imperva",
	HTML "<body><iframe id='main-iframe' src='/_Incapsula_Resource?"
	     "SWUDNSAI=31&xinfo=1'></iframe>",
	"Imperva"},
    {"Imperva at work",
	HTML "<script src='/_Incapsula_Resource?SWJIYLWA=7'></script>", NULL},
    {"Akamai",
	HTML "<meta http-equiv='refresh' content=\"5; URL='/?bm-verify=A'\">",
	"Akamai"},
    {"Akamai in a frame", HTML "<div id='sec-if-cpt-container'></div>",
	"Akamai"},
    {"HUMAN",
	HTML "<title>Access to this page has been denied</title>"
	     "<div id='px-captcha'></div>",
	"HUMAN"},
    {"Sucuri",
	"<html><title>You are being redirected...</title><noscript>x"
	"</noscript><script>var s={},u,c,U,r,i,l=0,a,e=eval,"
	"w=String.fromCharCode,sucuri_cloudproxy_js='',S='';</script></html>",
	"Sucuri"},
    {"Vercel",
	HTML "<title>Vercel Security Checkpoint</title><script "
	     "src='/.well-known/vercel/security/static/challenge.v2.min.js'>"
	     "</script>",
	"Vercel"},
    {"DDoS-Guard",
	HTML "<title>DDOS-GUARD</title><script src='/.well-known/ddos-guard/"
	     "js-challenge/index.js'></script>",
	"DDoS-Guard"},
    {"SiteGround",
	"<html><head><meta http-equiv=\"refresh\" content=\"0;"
	"/.well-known/sgcaptcha/?r=%2F&y=pow\"></meta></head></html>",
	"SiteGround"},
    {"Anubis",
	HTML "<title>Making sure you're not a bot!</title><script "
	     "id='anubis_challenge' type='application/json'>{}</script>",
	"Anubis"},
    {"reCAPTCHA before all",
	HTML "<title>Bot Verification</title><script "
	     "src='https://www.google.com/recaptcha/api.js'></script>",
	"reCAPTCHA"},
    {"reCAPTCHA of a form",
	HTML "<title>Log in</title><script src='https://www.google.com/"
	     "recaptcha/api.js'></script><form class='g-recaptcha'></form>",
	NULL},
    {"hCaptcha of a form",
	HTML "<title>Are you human?</title><script src='https://js.hcaptcha"
	     ".com/1/api.js'></script>",
	NULL},
    {"an article",
	HTML "<title>How to solve a captcha</title></head><body><h1>Captcha, "
	     "challenge, are you human?</h1><p>Just a moment... "
	     "window._cf_chl_opt</p><code>&lt;script src=\"https://ct.captcha-"
	     "delivery.com/c.js\"&gt;</code><textarea><iframe "
	     "src='/_Incapsula_Resource?a'></iframe></textarea>"
	     "<!-- <div id='sec-if-cpt-container'> -->",
	NULL},
    {"an article as data",
	HTML "<script type='application/json'>window._cf_chl_opt</script>"
	     "<script>self.__next_f.push(['window._cf_chl_opt = '])</script>",
	NULL},
    {"a search for it",
	HTML "<meta name=refresh content='bm-verify='><a href='"
	     "/.well-known/sgcaptcha/'>a</a>",
	NULL},
    {"nothing", HTML, NULL},
};

/* refused(fixture, page, chunk): what is said of the page, read as a sitemap in
 * pieces; the caller releases the fixture. */
static const struct finding *
refused(struct fixture *fixture, struct slice page, size_t chunk)
{
	fixture_open(
	    fixture, PROFILE_GOOGLE, "https://a.example/sitemap.xml", page);
	fixture->chunk = chunk;
	fixture_run(fixture);
	assert_int_equal(fixture->code, DIAG_HTML_NOT_SITEMAP);
	return findings_get(&fixture->content.findings, DIAG_HTML_NOT_SITEMAP);
}

/* The finding names the bot wall whose page came instead of a document. */
static void
test_pages(void **state)
{
	for (size_t i = 0; i < COUNT(pages); i++) {
		for (size_t chunk = 0; chunk < 4; chunk++) {
			struct fixture fixture;
			const struct finding *finding;
			char text[80] = "html";

			finding = refused(
			    &fixture, slice_of(pages[i].page), chunk);
			assert_int_equal(finding->count, 1);
			if (pages[i].whose != NULL)
				(void)snprintf(text, sizeof(text),
				    "a page of the bot wall of %s",
				    pages[i].whose);
			if (strcasecmp(finding->samples[0].text, text) != 0)
				fail_msg("%s: '%s'", pages[i].why,
				    finding->samples[0].text);
			fixture_release(&fixture);
		}
	}
}

/* The same for a page that a document lists. */
static void
test_listed(void **state)
{
	for (size_t i = 0; i < COUNT(pages); i++) {
		struct page_scan *scan = page_scan_new(NULL);
		const char *whose;

		(void)page_scan_feed(scan, slice_of(pages[i].page));
		whose = page_wall_name(page_scan_facts(scan).wall);
		if (pages[i].whose == NULL)
			assert_null(whose);
		else
			assert_string_equal(whose, pages[i].whose);
		page_scan_free(scan);
	}
	assert_null(page_wall_name(1000));
}

/*
 * Only the beginning of a document that begins as HTML is searched for signs.
 */
static void
test_far(void **state)
{
	static const struct {
		size_t before, within; /* bytes of white space */
		bool is_found;
	} rows[] = {{4000, 0, true}, {4097, 0, false}, {0, 60000, true},
	    {0, 70000, false}};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t chunk = 0; chunk < 2; chunk++) {
			struct fixture fixture;
			struct buf page;
			const struct finding *finding;

			buf_init(&page, 1 << 20);
			while (page.len < rows[i].before)
				(void)buf_put_char(&page, '\n');
			(void)buf_print(&page, "%s", HTML);
			for (size_t k = 0; k < rows[i].within; k++)
				(void)buf_put_char(&page, ' ');
			(void)buf_print(&page, "<div id=sec-if-cpt-container>");
			finding = refused(&fixture, buf_text(&page), chunk);
			assert_int_equal(
			    strstr(finding->samples[0].text, "Akamai") != NULL,
			    rows[i].is_found);
			fixture_release(&fixture);
			buf_release(&page);
		}
}

UNIT(page_wall)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_headers),
	    cmocka_unit_test(test_pages), cmocka_unit_test(test_listed),
	    cmocka_unit_test(test_far)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
