/* The style of the page that `sim` makes. */
#ifndef FRESHET_SIM_HTML_STYLE_H
#define FRESHET_SIM_HTML_STYLE_H

/* As report_html_style.h: the text, and its hash for the page's policy. */
extern const char sim_html_style[];

#define SIM_HTML_STYLE_HASH "GF63YOmAls9CDhDmr9avE9D8FB7obqjbS3yv2IS6tH0="

#endif
