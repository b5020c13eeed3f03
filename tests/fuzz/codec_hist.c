/* Any bytes: refused without a trace, or a histogram that encodes to the very same bytes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "result/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct hist empty;
	static struct hist hist;
	autostr again = {0};

	hist = empty;
	if (codec_hist_merge(data, bytes, &hist)) {
		if (memcmp(&hist, &empty, sizeof(hist)) != 0)
			abort();
		return 0;
	}
	codec_hist_encode(&hist, &again);
	if (again.length != bytes || memcmp(again.text, data, bytes) != 0)
		abort();
	return 0;
}
