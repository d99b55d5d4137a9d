/* Classes of ASCII characters, whatever the locale is. */
#ifndef FRESHET_ASCII_H
#define FRESHET_ASCII_H

#include <stdbool.h>

static inline bool
ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ascii_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* ascii_is_space(c): is c white space of XML: space, tab, CR or LF? */
static inline bool
ascii_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ascii_lower(c): the small letter for a capital one; c for all others. */
static inline char
ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#endif
