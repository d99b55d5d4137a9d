/* Values of options: durations, sizes, numbers, and shapes of texts. */
#ifndef FRESHET_OPTIONS_VALUE_H
#define FRESHET_OPTIONS_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * value_duration(text, max_ms, *ms): "1.5" is seconds; "300ms", "90s", "10m",
 * "2h", "7d"; a fraction of a millisecond is dropped.
 * value_size(text, *bytes): "4096", "64K", "64M", "1GiB" (powers of 1,024),
 * "5MB" (powers of 1,000).
 * value_number(text, max, *n): decimal digits.
 * All answer false, and write nothing, for anything else or too large.
 */
bool value_duration(const char *text, int64_t max_ms, int64_t *ms);
bool value_size(const char *text, uint64_t *bytes);
bool value_number(const char *text, uint64_t max, uint64_t *n);

/* Shapes, for option.shape; what they mean is the policy's. */
bool shape_connect_to(const char *value); /* H1:P1:H2:P2, curl's */
bool shape_resolve(const char *value); /* HOST:PORT:ADDR[,ADDR]..., too */
bool shape_cidr(const char *value); /* 127.0.0.0/8, ::1 */
bool shape_own(const char *value); /* domain:example.com, URL prefix */
bool shape_header(const char *value); /* Name: value, or @FILE */
bool shape_proxy(const char *value); /* a proxy that libcurl knows */
bool shape_text(const char *value); /* one printable line, not empty */
bool shape_agent(const char *value); /* a product token (SPEC R-91) */
bool shape_user(const char *value); /* a user name without password */

#endif
