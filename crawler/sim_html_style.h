/* The style of the page that `sim` makes. */
#ifndef FRESHET_SIM_HTML_STYLE_H
#define FRESHET_SIM_HTML_STYLE_H

/* As report_html_style.h: the text, and its hash for the page's policy. */
extern const char sim_html_style[];

#define SIM_HTML_STYLE_HASH "wBU8vwMYc5ZkkyD0F6iSura412ynQi/I4NI/i38xRYM="

#endif
