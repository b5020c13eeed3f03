#include "device/same.h"

#include <errno.h>
#include <inttypes.h>

#include "base/bits.h"
#include "base/lang.h"
#include "base/str.h"
#include "device/attached.h"
#include "device/sysfs_priv.h"

static void compare_text(struct str *found, const char *what, const char *before,
			 const char *after)
{
	if (!*before || !*after || str_equal(before, after))
		return;
	str_printf(found, "%s%s was \"%.60s\" and is \"%.60s\"", found->length ? ", " : "",
		   what, before, after);
}

int device_compare(const struct device *before, const struct device *after, struct err *err)
{
	autostr found = {0};

	compare_text(&found, N_("its model"), before->model, after->model);
	if (!attached_same(before->serial, after->serial))
		compare_text(&found, N_("its serial number"), before->serial, after->serial);
	compare_text(&found, N_("its firmware"), before->firmware, after->firmware);
	if (before->size_bytes && after->size_bytes && before->size_bytes != after->size_bytes)
		str_printf(&found, "%sits size was %" PRIu64 " bytes and is %" PRIu64 " bytes",
			   found.length ? ", " : "", before->size_bytes, after->size_bytes);
	if (!found.length)
		return 0;
	return err_env(err, -ESTALE,
		       "%s is not the drive that it was: %s; what is measured on it now cannot "
		       "stand beside what was measured before",
		       before->path, str_text(&found));
}

int device_check_same(const struct device *before, const struct device_roots *roots,
		      struct device *ret_now, struct err *err)
{
	struct device now;

	if (device_from_name(&now, before->name, roots, NULL) < 0 || !now.size_bytes)
		return err_env(err, -ENODEV,
			       "%s is gone; see `dmesg`, and check its power and cable",
			       before->path);
	*ret_now = now;
	return device_compare(before, &now, err);
}
