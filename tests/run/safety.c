/* No data destroyed by surprise: what a run must refuse, and what it must leave alone. */
#include "run/run_priv.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "bed.h"

static const char precious[] = "somebody's only copy of a long novel";

static void assert_untouched(const char *path)
{
	char bytes[200] = "";
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(precious));
	assert_memory_equal(bytes, precious, sizeof(precious));
	(void)fclose(file);
}

/* The parts of a run up to its layout, so that something can happen in between. */
struct half {
	struct bed bed;
	struct run run;
};

static void half_prepare(struct half *half, enum face face, const char *text)
{
	static const struct run_hooks nobody;
	struct bed *bed = &half->bed;

	bed_init(bed);
	job_set_init(&bed->set, face);
	assert_int_equal(job_parse_text(&bed->set, "t", text, strlen(text), &bed->err), 0);
	result_init(&bed->result, &bed->set);
	half->run = (struct run){
		.set = &bed->set, .hooks = &nobody, .result = &bed->result, .event_fd = -1};
	arena_init(&half->run.arena);
	arena_init_shared(&half->run.shared);
	clock_calibrate(&half->run.clock);
	assert_int_equal(run_prepare(&half->run, &bed->err), 0);
	run_prepare_results(&half->run);
	run_facts_look(&half->run);
}

static void half_done(struct half *half)
{
	for (unsigned j = 0; j < half->run.njobs; j++)
		arena_done(&half->run.jobs[j].arena);
	arena_done(&half->run.shared);
	arena_done(&half->run.arena);
	bed_end_run(&half->bed);
	bed_done(&half->bed);
}

static void a_file_that_appears_before_the_layout_is_left_alone(void **state)
{
	static const enum face faces[] = {FACE_NATIVE, FACE_FIO};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(faces); i++) {
		struct half half;

		half_prepare(&half, faces[i],
			     "[j]\nfilename=f\nrw=write\nbs=4k\nsize=64k\nioengine=psync\n");
		bed_write_file("f", precious, sizeof(precious));
		assert_int_not_equal(run_layout(&half.run, &half.bed.err), 0);
		assert_int_equal(half.bed.err.kind, ERR_REFUSED);
		assert_untouched("f");
		half_done(&half);
	}
}

static void a_file_that_is_swapped_before_the_start_is_left_alone(void **state)
{
	struct half half;
	struct run_job *jobs[1];

	(void)state;
	half_prepare(&half, FACE_FIO,
		     "[j]\nfilename=g\nrw=write\nbs=4k\nsize=64k\nioengine=psync\n");
	bed_write_file("other", precious, sizeof(precious));
	assert_int_equal(run_layout(&half.run, &half.bed.err), 0);
	assert_int_equal(rename("other", "g"), 0);
	jobs[0] = &half.run.jobs[0];
	half.run.worker_shared = arena_alloc(&half.run.shared, sizeof(*half.run.worker_shared),
					     CACHE_LINE_BYTES);
	half.run.worker_shared->interval_ns = NS_PER_S;
	assert_int_not_equal(run_launch(&half.run, jobs, 1, &half.bed.err), 0);
	assert_int_equal(half.bed.err.kind, ERR_REFUSED);
	assert_untouched("g");
	run_remove_files(&half.run, true); /* not ours any more */
	assert_untouched("g");
	half_done(&half);
}

static void one_new_file_by_two_names_is_ours_both_times(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run(&bed, FACE_NATIVE,
				 "[global]\nrw=write\nbs=4k\nsize=64k\nioengine=psync\n"
				 "[a]\nfilename=f\n[b]\nfilename=./f\n"),
			 0);
	bed_end_run(&bed);
	bed_done(&bed);
}

/* Without the mark only the manifest knows that a file is ours. */
static void the_manifest_carries_what_attributes_cannot(void **state)
{
	struct half half;
	int fd;

	(void)state;
	half_prepare(&half, FACE_NATIVE,
		     "[j]\nfilename=f\nrw=randread\nbs=4k\nsize=64k\nioengine=psync\n");
	assert_int_equal(run_layout(&half.run, &half.bed.err), 0);
	(void)removexattr("f", "user.assay");
	fd = open("f", O_RDWR | O_CLOEXEC);
	assert_int_equal(run_recheck(&half.run, half.run.files, fd, &half.bed.err), 0);
	(void)close(fd);
	half_done(&half);
}

/* A node of the same numbers as `path`'s, or none: only root may. */
static bool make_node(const char *name, unsigned minor_number)
{
	return mknod(name, S_IFCHR | 0600, makedev(1, minor_number)) == 0;
}

static void character_devices_that_could_lose_something_are_refused(void **state)
{
	static const enum face faces[] = {FACE_NATIVE, FACE_FIO};
	const unsigned kmsg = 11; /* writing there would only log, if the guard failed */

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(faces); i++) {
		struct bed bed;

		bed_init(&bed);
		if (!make_node("node", kmsg)) {
			bed_done(&bed);
			skip();
		}
		(void)bed_run(&bed, faces[i],
			      "[j]\nfilename=node\nrw=write\nbs=16\nsize=16\n"
			      "ioengine=psync\n");
		assert_int_equal(bed.err.kind, ERR_REFUSED);
		bed_end_run(&bed);
		bed_done(&bed);
	}
}

static void null_is_written_without_a_word(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	assert_int_equal(bed_run(&bed, FACE_NATIVE,
				 "[j]\nfilename=/dev/null\nrw=write\nbs=4k\nsize=64k\n"
				 "ioengine=psync\n"),
			 0);
	bed_end_run(&bed);
	bed_done(&bed);
}

static void unlink_of_a_file_that_is_not_ours_needs_consent(void **state)
{
	struct bed bed;

	(void)state;
	bed_init(&bed);
	bed_write_file("f", precious, sizeof(precious));
	(void)bed_run(&bed, FACE_NATIVE,
		      "[j]\nfilename=f\nrw=read\nbs=4\nsize=16\nunlink=1\nioengine=psync\n");
	assert_int_equal(bed.err.kind, ERR_REFUSED);
	assert_untouched("f");
	bed_end_run(&bed);
	bed_done(&bed);
}

/* --- consent that is typed --- */

struct typist {
	const char *types;
	int rc;
	unsigned asked;
};

static int on_ask(void *context, const struct guard_verdict *verdict, char *ret_token,
		  size_t size_bytes)
{
	struct typist *typist = context;

	typist->asked++;
	assert_int_equal(verdict->decision, GUARD_NEEDS_CONSENT);
	(void)snprintf(ret_token, size_bytes, "%s", typist->types);
	return typist->rc;
}

static void write_precious(const struct typist *typist, struct typist *ret_typist, int *ret_rc)
{
	struct bed bed;

	*ret_typist = *typist;
	bed_init(&bed);
	bed_write_file("f", precious, sizeof(precious));
	bed.hooks = (struct run_hooks){.context = ret_typist, .ask = on_ask};
	*ret_rc = bed_run(&bed, FACE_NATIVE,
			  "[j]\nfilename=f\nrw=write\nbs=4\nsize=16\nioengine=psync\n"
			  "[k]\nfilename=f\nrw=write\nbs=4\nsize=16\nioengine=psync\n");
	if (*ret_rc) {
		assert_int_equal(bed.err.kind,
				 typist->rc == -EINTR ? ERR_ENVIRONMENT : ERR_REFUSED);
		assert_untouched("f");
	}
	bed_end_run(&bed);
	bed_done(&bed);
}

static void consent_is_the_token_and_nothing_else(void **state)
{
	static const struct {
		struct typist typist;
		bool runs;
	} cases[] = {
		{{.types = "f"}, true},
		{{.types = "yes"}, false},
		{{.types = ""}, false},
		{{.types = "f", .rc = -ENODATA}, false},
		{{.types = "f", .rc = -EINTR}, false},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		struct typist after;
		int rc;

		write_precious(&cases[i].typist, &after, &rc);
		assert_int_equal(after.asked, 1);
		assert_int_equal(rc == 0, cases[i].runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_appears_before_the_layout_is_left_alone),
		cmocka_unit_test(a_file_that_is_swapped_before_the_start_is_left_alone),
		cmocka_unit_test(one_new_file_by_two_names_is_ours_both_times),
		cmocka_unit_test(the_manifest_carries_what_attributes_cannot),
		cmocka_unit_test(character_devices_that_could_lose_something_are_refused),
		cmocka_unit_test(null_is_written_without_a_word),
		cmocka_unit_test(unlink_of_a_file_that_is_not_ours_needs_consent),
		cmocka_unit_test(consent_is_the_token_and_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
