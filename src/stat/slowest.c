#include "stat/slowest.h"

#include <string.h>

void slowest_insert(struct slowest *slowest, const struct slow_request *request)
{
	unsigned at = slowest->count;

	while (at > 0 && slowest->request[at - 1].latency_ns < request->latency_ns)
		at--;
	if (at == SLOWEST_MAX)
		return;
	slowest->count += slowest->count < SLOWEST_MAX;
	memmove(&slowest->request[at + 1], &slowest->request[at],
		(slowest->count - 1 - at) * sizeof(*request));
	slowest->request[at] = *request;
}
