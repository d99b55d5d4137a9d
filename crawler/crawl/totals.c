/* What a crawl counts. */
#include "crawler/crawl/totals.h"

uint64_t
totals_refused(const struct run_totals *totals, enum verdict *most)
{
	uint64_t sum = 0;

	*most = VERDICT_ACCEPTED;
	for (int i = VERDICT_ACCEPTED + 1; i < VERDICTS; i++) {
		sum += totals->refused_by[i];
		if (totals->refused_by[i] > totals->refused_by[*most])
			*most = (enum verdict)i;
	}
	return sum;
}
