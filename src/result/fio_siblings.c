#include "result/fio_siblings.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/unit.h"

#define FILE_MAX (256 * MiB)

static const char *const directions[FIO_SIBLING_DIRS] = {"read", "write", "trim"};

static const char *option(const json_t *root, const json_t *job, const char *name)
{
	const json_t *own = json_object_get(json_object_get(job, "job options"), name);
	const json_t *global = json_object_get(json_object_get(root, "global options"), name);

	return json_string_value(own ? own : global);
}

/* A plain number, as fio prints it back; anything else tells nothing. */
static uint64_t option_number(const json_t *root, const json_t *job, const char *name)
{
	const char *text = option(root, job, name);
	uint64_t number = 0;

	return text && !unit_parse_count(text, &number, NULL) ? number : 0;
}

static void read_job(const json_t *root, const json_t *job, struct fio_sibling *ret)
{
	const char *name = json_string_value(json_object_get(job, "jobname"));

	(void)snprintf(ret->name, sizeof(ret->name), "%s", name ? name : "");
	for (unsigned d = 0; d < FIO_SIBLING_DIRS; d++) {
		const json_t *dir = json_object_get(job, directions[d]);

		ret->nanoseconds |= json_object_get(dir, "clat_ns") != NULL ||
				    json_object_get(dir, "lat_ns") != NULL;
		ret->total_ios[d] =
			(uint64_t)json_integer_value(json_object_get(dir, "total_ios"));
		ret->io_bytes[d] =
			(uint64_t)json_integer_value(json_object_get(dir, "io_bytes"));
		ret->runtime_ns =
			max_u64(ret->runtime_ns,
				(uint64_t)json_integer_value(json_object_get(dir, "runtime")) *
					NS_PER_MS);
	}
	/* in ms since 1970; newer than fio 3.33 */
	ret->start_ns =
		(uint64_t)json_integer_value(json_object_get(job, "job_start")) * NS_PER_MS;
	ret->depth = (double)max_u64(option_number(root, job, "iodepth"), 1);
	ret->window_ns = option_number(root, job, "log_avg_msec") * NS_PER_MS;
}

/* Starts count from the first one's, unless one of them is not said. */
static void settle_starts(struct fio_siblings *siblings)
{
	uint64_t first_ns = UINT64_MAX;

	for (unsigned i = 0; i < siblings->count; i++)
		first_ns = min_u64(first_ns, siblings->jobs[i].start_ns);
	for (unsigned i = 0; i < siblings->count; i++)
		siblings->jobs[i].start_ns =
			first_ns ? siblings->jobs[i].start_ns - first_ns : 0;
}

/* The last document of the text that has jobs; NULL without any. */
static json_t *last_document(const char *text, size_t bytes)
{
	json_t *last = NULL;
	size_t at = 0;

	while (at < bytes) {
		const char *brace = memchr(text + at, '{', bytes - at);
		json_error_t error;
		json_t *found;

		if (!brace)
			break;
		at = (size_t)(brace - text);
		json_set_alloc_funcs(memory_take, free); /* it takes a failure for bad text */
		found = json_loadb(brace, bytes - at, JSON_DISABLE_EOF_CHECK, &error);
		if (found && json_is_array(json_object_get(found, "jobs"))) {
			json_decref(last);
			last = found;
			at += (size_t)error.position;
		} else { /* text that holds a brace, or a document of something else */
			const char *line = memchr(brace, '\n', bytes - at);

			json_decref(found);
			at = line ? (size_t)(line - text) + 1 : bytes;
		}
	}
	return last;
}

int fio_siblings_read(const char *path, struct fio_siblings *ret_siblings, struct err *err)
{
	autostr text = {0};
	int rc = file_read(path, FILE_MAX, &text);
	json_t *root;
	const json_t *jobs;

	*ret_siblings = (struct fio_siblings){0};
	if (rc)
		return err_input(err, "%s: cannot be read: %s", path, err_name(rc));
	root = last_document(str_text(&text), text.length);
	if (!root)
		return err_input(err, "%s: this is no JSON of fio: it holds no jobs", path);
	jobs = json_object_get(root, "jobs");
	ret_siblings->count = (unsigned)min_u64(json_array_size(jobs), FIO_SIBLINGS_MAX);
	ret_siblings->jobs = calloc(ret_siblings->count ? ret_siblings->count : 1,
				    sizeof(struct fio_sibling));
	for (unsigned i = 0; ret_siblings->jobs && i < ret_siblings->count; i++)
		read_job(root, json_array_get(jobs, i), &ret_siblings->jobs[i]);
	json_decref(root);
	if (ret_siblings->jobs)
		settle_starts(ret_siblings);
	return ret_siblings->jobs ? 0 : err_env(err, -ENOMEM, "no memory to read %s", path);
}

void fio_siblings_done(struct fio_siblings *siblings)
{
	free(siblings->jobs);
	*siblings = (struct fio_siblings){0};
}
