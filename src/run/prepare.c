/*
 * Before anything is written: which files and devices, how large, which region each worker
 * uses, and whether the guard lets the run write to them. Sizes and regions are exactly fio's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/rng.h"
#include "run/run_priv.h"
#include "sim/drive.h"

/* --- one file, looked at once --- */

static int look_at_device(struct run *run, struct run_file *file, struct err *err)
{
	struct device device;
	int rc = device_from_path(&device, file->path, &device_roots_real, err);

	if (rc)
		return rc;
	if (device_is_serial(file->path))
		file->path = arena_strdup(&run->arena, device.path);
	file->existed = true;
	file->kind = TARGET_BLOCK;
	file->size_bytes = device.size_bytes;
	return 0;
}

static int look_at(struct run *run, struct run_file *file, struct err *err)
{
	struct stat st;

	if (device_is_serial(file->path))
		return look_at_device(run, file, err);
	if (stat(file->path, &st) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0; /* to be made, or an error later: the job's options say */
		return err_env(err, -errno, "%s: %s", file->path, err_name(errno));
	}
	file->existed = true;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	if (S_ISDIR(st.st_mode))
		return err_input(
			err, "\"%s\" is a directory: name a file in it, or write directory=%s",
			file->path, file->path);
	if (S_ISBLK(st.st_mode))
		return look_at_device(run, file, err);
	file->kind = S_ISCHR(st.st_mode) ? TARGET_CHAR : TARGET_FILE;
	file->char_major = S_ISCHR(st.st_mode) ? major(st.st_rdev) : 0;
	file->size_bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return 0;
}

/* "sim:PROFILE,key=value...": the drive lives as long as the run. */
static int open_drive(struct run *run, struct run_file *file, struct err *err)
{
	const char *state = run->set->options.state;
	int rc = drive_open(file->path + strlen("sim:"), &file->drive, err);

	file->kind = TARGET_SIM;
	file->existed = true;
	for (const struct run_file *other = run->files; other && state && !rc;
	     other = other->next)
		rc = err_input(err, "state: one file holds one drive, and there is also \"%s\"",
			       other->path);
	if (!rc && state && access(state, F_OK) == 0)
		rc = drive_load(file->drive, state, err);
	if (!rc)
		file->size_bytes = drive_size_bytes(file->drive);
	return rc;
}

static struct run_file *file_get(struct run *run, const char *path, const struct job_spec *spec,
				 struct err *err)
{
	struct run_file *file, **end = &run->files;
	int rc = 0;

	for (; *end; end = &(*end)->next) {
		if (str_equal((*end)->path, path))
			return *end;
	}
	file = arena_new(&run->arena, struct run_file);
	file->path = path;
	file->spec = spec;
	file->kind = TARGET_FILE;
	file->direct = true;
	file->lock = DEVICE_LOCK_NONE;
	if (engine_find(spec->ioengine)->caps & ENGINE_FAKE)
		file->kind = TARGET_NONE;
	else if (engine_find(spec->ioengine)->caps & ENGINE_SIMULATED)
		rc = open_drive(run, file, err);
	else
		rc = look_at(run, file, err);
	*end = file;
	return rc ? NULL : file;
}

/* --- sizes --- */

static uint64_t amount_of(const struct amount *amount, uint64_t whole)
{
	if (!amount->percent_x100)
		return amount->bytes;
	return muldiv_u64(whole, amount->percent_x100, 10000);
}

static uint64_t smallest_block(const struct job_spec *spec)
{
	uint64_t least = UINT64_MAX;

	for (unsigned d = 0; d < NDATA; d++) {
		if (!spec->rw.does[d])
			continue;
		least = min_u64(least, spec->bs[d].min);
		for (unsigned i = 0; i < spec->bssplit[d].count; i++)
			least = min_u64(least, spec->bssplit[d].entry[i].min_bytes);
	}
	return least == UINT64_MAX ? 1 : least;
}

/* The length of a file by filesize: of a range each draws its own, in whole blocks; "size=50%" is a
 * share of that. */
static uint64_t length_by_filesize(const struct job_spec *spec, uint64_t seed)
{
	const struct range *range = &spec->filesize;
	uint64_t bytes = range->max;

	if (range->max > range->min) {
		bytes = range->min + rng_splitmix(&seed) % (range->max - range->min + 1);
		bytes -= bytes % smallest_block(spec);
	}
	return spec->size.percent_x100 ? amount_of(&spec->size, bytes) : bytes;
}

/* What one file of the job shall hold beyond its start; 0 where the file itself decides. */
static uint64_t wanted_bytes(const struct job_spec *spec, const struct run_file *file,
			     unsigned nfiles)
{
	if (spec->fill_device && !spec->size.given)
		return file->kind == TARGET_FILE ? (uint64_t)INT64_MAX / 2 : 0;
	if (spec->size.percent_x100)
		return amount_of(&spec->size, file->size_bytes);
	return spec->size.bytes / nfiles;
}

/* A percentage is rounded up to a whole block. */
static uint64_t place_of(const struct amount *amount, const struct run_file *file,
			 uint64_t block)
{
	uint64_t place = amount_of(amount, file->size_bytes);

	return amount->percent_x100 ? round_up_u64(place, block) : place;
}

static uint64_t start_of(const struct job_spec *spec, const struct run_file *file,
			 unsigned clone)
{
	uint64_t block = smallest_block(spec);

	return place_of(&spec->offset, file, block) +
	       clone * place_of(&spec->offset_increment, file, block);
}

/* Limits what is wanted to what a device holds; a native size beyond it is an error. */
static int limit_to_device(const struct run *run, const struct job_spec *spec,
			   const struct run_file *file, uint64_t start, uint64_t *wanted,
			   struct err *err)
{
	if (start >= file->size_bytes)
		return err_input(err,
				 "%s: offset %llu lies beyond the end of \"%s\" (%llu bytes)",
				 spec->name, (unsigned long long)start, file->path,
				 (unsigned long long)file->size_bytes);
	if (*wanted <= file->size_bytes - start)
		return 0;
	if (run->set->face == FACE_NATIVE && !spec->size.percent_x100 &&
	    *wanted > file->size_bytes)
		return err_input(err, "%s: size %llu is more than \"%s\" holds (%llu bytes)",
				 spec->name, (unsigned long long)*wanted, file->path,
				 (unsigned long long)file->size_bytes);
	*wanted = file->size_bytes - start;
	return 0;
}

static int settle_region(const struct run *run, const struct job_spec *spec,
			 const struct run_file *file, struct target *target, struct err *err)
{
	uint64_t wanted = target->region_bytes, block = smallest_block(spec);
	int rc;

	if (!wanted && file->size_bytes > target->start_bytes)
		wanted = file->size_bytes - target->start_bytes;
	if (spec->size.percent_x100 && file->size_bytes > target->start_bytes)
		wanted = min_u64(wanted, file->size_bytes - target->start_bytes);
	if (!wanted && file->size_bytes)
		return err_input(err,
				 "%s: offset %llu lies at or past the end of \"%s\" (%llu "
				 "bytes): take a smaller offset, or write size=",
				 spec->name, (unsigned long long)target->start_bytes,
				 file->path, (unsigned long long)file->size_bytes);
	if (!wanted)
		return err_input(err,
				 "%s: \"%s\" has no size to go by: write size=, as size=1g",
				 spec->name, file->path);
	if (file->kind == TARGET_BLOCK || file->kind == TARGET_SIM) {
		rc = limit_to_device(run, spec, file, target->start_bytes, &wanted, err);
		if (rc)
			return rc;
	}
	if (wanted < block)
		return err_input(err,
				 "%s: bs of %llu bytes is above the %llu bytes to be used of "
				 "\"%s\"; take a smaller bs or a larger size",
				 spec->name, (unsigned long long)block,
				 (unsigned long long)wanted, file->path);
	target->region_bytes = wanted;
	return 0;
}

static int settle_filesize(const struct run_worker *worker, const struct job_spec *spec,
			   struct target *target, struct err *err)
{
	uint64_t of_its_own = (uint64_t)(target - worker->targets);
	uint64_t length = length_by_filesize(spec, worker->seed + of_its_own);

	if (target->start_bytes >= length)
		return err_input(err, "%s: offset %llu lies beyond filesize, %llu bytes",
				 spec->name, (unsigned long long)target->start_bytes,
				 (unsigned long long)length);
	target->region_bytes = length - target->start_bytes;
	return 0;
}

static int settle_target(struct run_worker *worker, const struct job_spec *spec,
			 const struct run_file *file, struct target *target, struct err *err)
{
	unsigned nfiles = worker->ntargets;
	int rc;

	*target = (struct target){.path = file->path,
				  .fd = -1,
				  .kind = file->kind,
				  .drive = file->drive,
				  .size_bytes = file->size_bytes};
	target->start_bytes = start_of(spec, file, worker->clone);
	target->region_bytes = wanted_bytes(spec, file, nfiles);
	if (spec->filesize.max) {
		rc = settle_filesize(worker, spec, target, err);
		if (rc)
			return rc;
	}
	rc = settle_region(worker->run, spec, file, target, err);
	if (rc)
		return rc;
	target->io_bytes = target->region_bytes;
	if (spec->io_size.given)
		target->io_bytes = spec->io_size.percent_x100
					   ? amount_of(&spec->io_size, target->region_bytes)
					   : spec->io_size.bytes / nfiles;
	return 0;
}

static void note_use(struct run_file *file, const struct job_spec *spec,
		     const struct target *target)
{
	file->reads |= spec->rw.does[OP_READ];
	file->writes |= spec->rw.does[OP_WRITE];
	file->trims |= spec->rw.does[OP_TRIM];
	file->needs_content |= spec->rw.does[OP_READ] || spec->overwrite || spec->create_only;
	file->may_create |= spec->allow_file_create;
	file->create_on_open |= spec->create_on_open;
	file->unlink |= spec->unlink;
	file->direct &= spec->direct;
	if (!spec->fill_device)
		file->needed_bytes =
			max_u64(file->needed_bytes, target->start_bytes + target->region_bytes);
}

/* --- the guard --- */

static int missing_file(const struct run *run, const struct run_file *file, struct err *err)
{
	const char *slash = strrchr(file->path, '/');
	autostr folder = {0};
	struct stat link;

	if (!file->may_create)
		return err_env(err, -ENOENT,
			       "%s: no such file, and allow_file_create=0 forbids to make it",
			       file->path);
	if (run->set->face == FACE_FIO)
		return 0; /* fio makes missing folders too */
	if (lstat(file->path, &link) == 0 && S_ISLNK(link.st_mode))
		return err_input(err,
				 "%s: a symbolic link to a file that does not exist: name "
				 "that file itself",
				 file->path);
	if (!slash || slash == file->path)
		return 0;
	str_add_bytes(&folder, file->path, (size_t)(slash - file->path));
	if (access(folder.text, F_OK) == 0)
		return 0;
	return err_env(err, -ENOENT, "%s: the folder \"%s\" does not exist: make it first",
		       file->path, folder.text);
}

static enum guard_face guard_face_of(const struct run *run)
{
	const char *off = getenv("ASSAY_GUARD");

	if (run->set->face == FACE_NATIVE)
		return GUARD_NATIVE;
	return off && str_equal(off, "fio") ? GUARD_FIO_OFF : GUARD_FIO;
}

static bool will_be_changed(const struct run_file *file)
{
	if (file->kind == TARGET_NONE || file->kind == TARGET_SIM)
		return false;
	if (file->writes || file->trims || !file->existed)
		return true;
	if (file->unlink && file->kind == TARGET_FILE)
		return true;
	return file->kind == TARGET_FILE && file->size_bytes < file->needed_bytes;
}

/* The user types the token, where there is one at a terminal; else the refusal stands. */
static int ask_user(struct run *run, struct guard_rules *rules, const struct guard_facts *facts,
		    struct guard_verdict *verdict, struct err *err)
{
	const char **tokens;
	char typed[sizeof(verdict->token)] = "";
	int rc;

	if (verdict->decision != GUARD_NEEDS_CONSENT || !run->hooks->ask)
		return err->code;
	rc = run->hooks->ask(run->hooks->context, verdict, typed, sizeof(typed));
	if (rc && rc != -EINTR && !run_signal_seen())
		return err->code;
	*err = (struct err){0};
	if (rc)
		return err_env(err, -EINTR, "interrupted while consent was asked for");
	tokens = arena_array(&run->arena, const char *, run->ntokens + 1);
	for (unsigned i = 0; i < run->ntokens; i++)
		tokens[i] = run->tokens[i];
	tokens[run->ntokens] = arena_strdup(&run->arena, typed);
	rules->tokens = tokens;
	rules->ntokens = run->ntokens + 1;
	guard_decide(facts, rules, verdict);
	if (verdict->decision != GUARD_ALLOW)
		return err_refused(err, "\"%s\" is not the token: %s", typed, verdict->message);
	run->tokens = tokens; /* its other targets need not be asked for again */
	run->ntokens = rules->ntokens;
	return 0;
}

/* Of a file that is not ours to lengthen: the size is what is wrong, no consent is wanted. */
static bool reads_beyond_end(const struct run_file *file)
{
	return file->existed && !file->writes && !file->trims && !file->unlink;
}

static int ask_guard(struct run *run, struct run_file *file, struct err *err)
{
	struct guard_rules rules = {.face = guard_face_of(run),
				    .readonly = run->set->options.readonly,
				    .allow_mounted_write = file->spec->allow_mounted_write,
				    .tokens = run->tokens,
				    .ntokens = run->ntokens};
	struct guard_verdict verdict;
	int rc = 0;

	if (!will_be_changed(file))
		return 0;
	if (!file->existed)
		rc = missing_file(run, file, err);
	if (rc)
		return rc;
	file->guard = arena_new(&run->arena, struct guard_facts);
	verdict = (struct guard_verdict){.decision = GUARD_REFUSE};
	rc = guard_check(file->path, &rules, &device_roots_real, file->guard, &verdict, err);
	if (rc && reads_beyond_end(file)) {
		*err = (struct err){0};
		return err_input(
			err,
			"%s ends at byte %llu, and the job reads up to byte %llu: give a "
			"smaller size or offset, or leave size out to read all there is",
			file->path, (unsigned long long)file->size_bytes,
			(unsigned long long)file->needed_bytes);
	}
	if (rc)
		rc = ask_user(run, &rules, file->guard, &verdict, err);
	return rc;
}

/* --- all of it --- */

static uint64_t fresh_seed(void)
{
	uint64_t seed = 0;

	if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		seed = clock_wall_ns(); /* early boot only; still another one each run */
	return seed;
}

/* fio: randrepeat gives each clone the same sequence in every run; randseed chooses it. */
static uint64_t seed_of(const struct job_spec *spec, unsigned thread_number)
{
	bool simulated =
		engine_find(spec->ioengine)->caps & ENGINE_SIMULATED; /* the same each time */
	bool repeats = spec->randseed_given || spec->randrepeat || simulated;
	uint64_t state = repeats ? spec->randseed : fresh_seed();

	state += 0x9e3779b97f4a7c15ULL * thread_number;
	return rng_splitmix(&state);
}

/* The files may be longer together (filesize) than what shall be moved of them (size). */
static void limit_to_size(struct run_worker *worker, const struct job_spec *spec)
{
	uint64_t left = spec->size.bytes;

	if (!spec->filesize.max || !left || spec->size.percent_x100 || spec->io_size.given)
		return;
	for (unsigned i = 0; i < worker->ntargets; i++) {
		worker->targets[i].io_bytes = min_u64(worker->targets[i].io_bytes, left);
		left -= worker->targets[i].io_bytes;
	}
}

static int prepare_clone(struct run *run, struct run_worker *worker, struct err *err)
{
	const struct job_spec *spec = worker->job->spec;
	const char **paths;
	int rc = run_names(run, spec, worker->clone, &paths, &worker->ntargets, err);

	if (rc)
		return rc;
	worker->targets = arena_array(&run->shared, struct target, worker->ntargets);
	for (unsigned i = 0; i < worker->ntargets; i++) {
		struct run_file *file = file_get(run, paths[i], spec, err);

		if (!file)
			return err->code;
		rc = settle_target(worker, spec, file, &worker->targets[i], err);
		if (rc)
			return rc;
		note_use(file, spec, &worker->targets[i]);
	}
	limit_to_size(worker, spec);
	return 0;
}

static void name_worker(struct run *run, struct run_job *job, unsigned clone)
{
	struct run_worker *worker = &job->workers[clone];
	const struct range *delay = &job->spec->startdelay;
	uint64_t state;

	worker->run = run;
	worker->job = job;
	worker->clone = clone;
	worker->thread_number = ++run->nworkers;
	worker->seed = seed_of(job->spec, worker->thread_number);
	state = worker->seed;
	worker->delay_ns = delay->min;
	if (delay->max > delay->min)
		worker->delay_ns += rng_splitmix(&state) % (delay->max - delay->min + 1);
}

int run_prepare(struct run *run, struct err *err)
{
	int rc;

	run->jobs = arena_array(&run->arena, struct run_job, run->set->njobs);
	for (unsigned j = 0; j < run->set->njobs; j++) {
		struct run_job *job = &run->jobs[run->njobs++];

		job->spec = run->set->jobs[j];
		job->nworkers = job->spec->numjobs;
		job->workers = arena_array(&run->arena, struct run_worker, job->nworkers);
		arena_init_shared(&job->arena);
		for (unsigned clone = 0; clone < job->nworkers; clone++) {
			name_worker(run, job, clone);
			rc = prepare_clone(run, &job->workers[clone], err);
			if (rc)
				return rc;
		}
	}
	rc = run_locks_take(run, err);
	for (struct run_file *file = run->files; file && !rc; file = file->next)
		rc = ask_guard(run, file, err);
	return rc ? rc : run_check_memory(run, err);
}
