#include "plan/budget.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/file.h"

#define MAGIC 0x3154454744554231 /* "1BUDGET1" */

struct plan_budget_page {
	uint64_t magic, limit_bytes;
	_Atomic int64_t left_bytes;
};

static int map(struct plan_budget *budget, int fd, const char *path, struct err *err)
{
	struct plan_budget_page *page =
		mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		return err_env(err, -errno, "cannot use \"%s\": %s", path, err_name(errno));
	budget->page = page;
	return 0;
}

int plan_budget_make(struct plan_budget *ret_budget, const char *path, uint64_t limit_bytes,
		     uint64_t written_bytes, struct err *err)
{
	struct plan_budget_page page = {.magic = MAGIC,
					.limit_bytes = min_u64(limit_bytes, INT64_MAX)};
	autofd fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc;

	*ret_budget = (struct plan_budget){0};
	if (fd < 0)
		return err_env(err, -errno, "cannot make \"%s\": %s", path, err_name(errno));
	atomic_init(&page.left_bytes,
		    (int64_t)page.limit_bytes - (int64_t)min_u64(written_bytes, INT64_MAX));
	rc = file_write_all(fd, &page, sizeof(page)); /* its room, too: a page has no error */
	if (!rc && fsync(fd) < 0)
		rc = -errno;
	if (rc)
		return err_env(err, rc, "cannot write \"%s\": %s", path, err_name(rc));
	return map(ret_budget, fd, path, err);
}

int plan_budget_open(struct plan_budget *ret_budget, const char *path, struct err *err)
{
	autofd fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	int rc;

	*ret_budget = (struct plan_budget){0};
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_env(err, -errno, "cannot open \"%s\": %s", path, err_name(errno));
	if (st.st_size != sizeof(struct plan_budget_page))
		return err_env(err, -EILSEQ, "\"%s\" is no count of what a plan wrote", path);
	rc = map(ret_budget, fd, path, err);
	if (rc || ret_budget->page->magic == MAGIC)
		return rc;
	plan_budget_close(ret_budget);
	return err_env(err, -EILSEQ, "\"%s\" is no count of what a plan wrote", path);
}

void plan_budget_close(struct plan_budget *budget)
{
	if (budget->page)
		(void)munmap(budget->page, sizeof(*budget->page)); /* it was mapped */
	budget->page = NULL;
}

bool plan_budget_take(struct plan_budget *budget, uint64_t bytes)
{
	int64_t wanted = (int64_t)min_u64(bytes, INT64_MAX);

	if (!budget->page)
		return true;
	if (atomic_fetch_sub(&budget->page->left_bytes, wanted) >= wanted)
		return true;
	(void)atomic_fetch_add(&budget->page->left_bytes, wanted);
	return false;
}

void plan_budget_count(struct plan_budget *budget, uint64_t bytes)
{
	if (budget->page)
		(void)atomic_fetch_sub(&budget->page->left_bytes, (int64_t)bytes);
}

void plan_budget_change(struct plan_budget *budget, uint64_t limit_bytes)
{
	uint64_t limit = min_u64(limit_bytes, INT64_MAX);
	int64_t more = (int64_t)limit - (int64_t)budget->page->limit_bytes;

	(void)atomic_fetch_add(&budget->page->left_bytes, more);
	budget->page->limit_bytes = limit;
	plan_budget_sync(budget);
}

void plan_budget_sync(const struct plan_budget *budget)
{
	if (budget->page) /* the count is in memory whatever the disk says */
		(void)msync(budget->page, sizeof(*budget->page), MS_SYNC);
}

uint64_t plan_budget_left(const struct plan_budget *budget)
{
	int64_t left;

	if (!budget->page)
		return UINT64_MAX;
	left = atomic_load(&budget->page->left_bytes);
	return left > 0 ? (uint64_t)left : 0;
}

uint64_t plan_budget_written(const struct plan_budget *budget)
{
	if (!budget->page)
		return 0;
	return budget->page->limit_bytes - (uint64_t)atomic_load(&budget->page->left_bytes);
}

uint64_t plan_budget_limit(const struct plan_budget *budget)
{
	return budget->page ? budget->page->limit_bytes : 0;
}

_Atomic int64_t *plan_budget_counter(const struct plan_budget *budget)
{
	return budget->page ? &budget->page->left_bytes : NULL;
}
