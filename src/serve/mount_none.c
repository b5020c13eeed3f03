/* Without libfuse3. */
#include "serve/serve.h"

int serve_run(const struct serve_setup *setup, struct err *err)
{
	return err_env(
		err, -ENOSYS,
		"%s: this assay was built without libfuse3, which serves drives: install "
		"libfuse3-dev and build again",
		setup->mountpoint);
}
