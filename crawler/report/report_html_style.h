/* The style of a report's page. */
#ifndef FRESHET_REPORT_HTML_STYLE_H
#define FRESHET_REPORT_HTML_STYLE_H

/*
 * report_html_style: what stands between <style> and </style>; constant.
 * REPORT_HTML_STYLE_HASH: its SHA-256 in base64, as a Content-Security-Policy
 * names it: no other style can act, nor any style attribute.
 */
extern const char report_html_style[];

#define REPORT_HTML_STYLE_HASH "aBJnbhNO0heHI8zWTH54w/YnOn7v6EhWqdBroDV68aI="

#endif
