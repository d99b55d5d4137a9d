/* freshet-helper: libfreshet starts it; nobody else has a use for it. */
#include <sys/stat.h>
#include <unistd.h>

#include "crawler/library/helper.h"
#include "crawler/library/library_protocol.h"

#define USAGE_STATUS 2

int
main(void)
{
	static const char text[] =
	    "freshet-helper: programs that use libfreshet start it\n";
	struct stat st;

	if (fstat(LIBRARY_FD, &st) != 0 || !S_ISSOCK(st.st_mode)) {
		(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
		return USAGE_STATUS;
	}
	return helper_main(LIBRARY_FD);
}
