/* Libraries that are loaded when they are first used. */
#include "base/late.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool
late_is_there(const char *library)
{
	return dlopen(library, RTLD_LAZY | RTLD_LOCAL) != NULL;
}

void
late_load(const char *library, const char *const names[], void *pointers)
{
	void *handle, *function = NULL;
	char text[512];
	int n;

	memcpy(&function, pointers, sizeof(function));
	if (function != NULL)
		return;
	/* Libraries have thousands of symbols that nobody calls, so each is
	 * sought when it is needed, as those named when linking are. */
	function = handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
	for (size_t i = 0; names[i] != NULL && function != NULL; i++) {
		function = dlsym(handle, names[i]);
		/* ISO C has no cast from an object to a function. */
		memcpy((char *)pointers + i * sizeof(function), &function,
		    sizeof(function));
	}
	if (function != NULL)
		return;
	n = snprintf(text, sizeof(text), "freshet: cannot load a library: %s\n",
	    dlerror());
	if (n > 0)
		(void)!write(STDERR_FILENO, text, strlen(text));
	_exit(8);
}

struct library
library_make(const char *name, const char *built, const char *running)
{
	struct library library = {.name = name};

	(void)snprintf(library.built, sizeof(library.built), "%s", built);
	(void)snprintf(library.running, sizeof(library.running), "%s", running);
	return library;
}
