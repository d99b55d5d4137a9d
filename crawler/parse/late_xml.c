/*
 * The functions of libxml2 that xml.c calls, under their own names: each one
 * loads libxml2, which needs ICU. The scanner reads most sitemaps without it.
 */
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "base/late.h"

static void (*init)(void);
static void (*set_loader)(xmlExternalEntityLoader);
static void (*set_error)(void *, xmlGenericErrorFunc);
static xmlParserCtxtPtr (*create)(
    xmlSAXHandlerPtr, void *, const char *, int, const char *);
static int (*use_options)(xmlParserCtxtPtr, int);
static int (*switch_encoding)(xmlParserCtxtPtr, xmlCharEncoding);
static int (*parse)(xmlParserCtxtPtr, const char *, int, int);
static void (*stop)(xmlParserCtxtPtr);
static int (*line_of)(void *);
static void (*free_parser)(xmlParserCtxtPtr);
static const char **(*version)(void);

static void
late_xml_load(void)
{
	static const struct late_function functions[] = {
	    {"xmlInitParser", &init},
	    {"xmlSetExternalEntityLoader", &set_loader},
	    {"xmlSetGenericErrorFunc", &set_error},
	    {"xmlCreatePushParserCtxt", &create},
	    {"xmlCtxtUseOptions", &use_options},
	    {"xmlSwitchEncoding", &switch_encoding},
	    {"xmlParseChunk", &parse},
	    {"xmlStopParser", &stop},
	    {"xmlSAX2GetLineNumber", &line_of},
	    {"xmlFreeParserCtxt", &free_parser},
	    {"__xmlParserVersion", &version},
	};

	if (version == NULL)
		late_load("libxml2.so.2", functions,
		    sizeof(functions) / sizeof(functions[0]));
}

void
xmlInitParser(void)
{
	late_xml_load();
	init();
}

void
xmlSetExternalEntityLoader(xmlExternalEntityLoader loader)
{
	late_xml_load();
	set_loader(loader);
}

void
xmlSetGenericErrorFunc(void *arg, xmlGenericErrorFunc report)
{
	late_xml_load();
	set_error(arg, report);
}

const char **
__xmlParserVersion(void)
{
	late_xml_load();
	return version();
}

/* The functions from here on need a parser, or make one after
 * xmlInitParser() has loaded the library. */

xmlParserCtxtPtr
xmlCreatePushParserCtxt(xmlSAXHandlerPtr sax, void *arg, const char *chunk,
    int len, const char *name)
{
	return create(sax, arg, chunk, len, name);
}

int
xmlCtxtUseOptions(xmlParserCtxtPtr parser, int options)
{
	return use_options(parser, options);
}

int
xmlSwitchEncoding(xmlParserCtxtPtr parser, xmlCharEncoding encoding)
{
	return switch_encoding(parser, encoding);
}

int
xmlParseChunk(xmlParserCtxtPtr parser, const char *chunk, int len, int is_last)
{
	return parse(parser, chunk, len, is_last);
}

void
xmlStopParser(xmlParserCtxtPtr parser)
{
	stop(parser);
}

int
xmlSAX2GetLineNumber(void *parser)
{
	return line_of(parser);
}

void
xmlFreeParserCtxt(xmlParserCtxtPtr parser)
{
	free_parser(parser);
}
