#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/assert.h"

int library_open(const struct library *library, void *ret_calls, size_t calls_bytes,
		 struct err *err)
{
	void *handle;

	errno = 0; /* dlopen(3) sets none of its own, but a lack of memory does */
	handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	assert(calls_bytes == library->names_count * sizeof(void *));
	if (!handle && errno == ENOMEM)
		return err_env(err, -ENOMEM, "no memory to open the library %s", library->file);
	if (!handle)
		return err_env(err, -ENOENT, "the library %s cannot be opened: install %s",
			       library->file, library->package);
	for (size_t i = 0; i < library->names_count; i++) {
		void *symbol = dlsym(handle, library->names[i]);

		if (!symbol)
			return err_env(err, -ENOSYS,
				       "this %s has no %s: take a newer version of %s",
				       library->file, library->names[i], library->package);
		/* POSIX's way from an object pointer to a function's: through memory. */
		memcpy((char *)ret_calls + i * sizeof(symbol), &symbol, sizeof(symbol));
	}
	return 0;
}
