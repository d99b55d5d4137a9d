/*
 * The functions of ICU that host.c calls, under their own names: each one loads
 * ICU, whose library of C++ is a third of the symbols that a start would seek.
 */
#include <unicode/uidna.h>
#include <unicode/uversion.h>

#include "base/late.h"

#define TEXT(name) #name
#define NAME(name) TEXT(name) /* the name with the version that ICU adds */

static UIDNA *(*open_uts46)(uint32_t, UErrorCode *);
static int32_t (*name_to_ascii)(const UIDNA *, const char *, int32_t, char *,
    int32_t, UIDNAInfo *, UErrorCode *);
static void (*get_version)(UVersionInfo);
static void (*version_to_string)(const UVersionInfo, char *);

static void
late_icu_load(void)
{
	static const struct late_function functions[] = {
	    {NAME(uidna_openUTS46), &open_uts46},
	    {NAME(uidna_nameToASCII_UTF8), &name_to_ascii},
	    {NAME(u_getVersion), &get_version},
	    {NAME(u_versionToString), &version_to_string},
	};

	if (version_to_string == NULL)
		late_load("libicuuc.so." U_ICU_VERSION_SHORT, functions,
		    sizeof(functions) / sizeof(functions[0]));
}

UIDNA *
uidna_openUTS46(uint32_t options, UErrorCode *error)
{
	late_icu_load();
	return open_uts46(options, error);
}

int32_t
uidna_nameToASCII_UTF8(const UIDNA *idna, const char *name, int32_t len,
    char *out, int32_t room, UIDNAInfo *info, UErrorCode *error)
{
	late_icu_load();
	return name_to_ascii(idna, name, len, out, room, info, error);
}

void
u_getVersion(UVersionInfo version)
{
	late_icu_load();
	get_version(version);
}

void
u_versionToString(const UVersionInfo version, char *text)
{
	late_icu_load();
	version_to_string(version, text);
}
