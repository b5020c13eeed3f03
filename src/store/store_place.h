/* Where the store's file lies, and making it there for whom it belongs to. */
#pragma once

#include "base/err.h"

/* Makes the file and its missing folders. As root under sudo, what is made inside the invoking
 * user's home is that user's. An existing file is left as it is. */
int store_place_make(const char *path, struct err *err);
/* The same for a file that was written anew beside it (file_replace). */
int store_place_give(const char *path);
