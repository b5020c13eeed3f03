/*
 * Rules between options. The fio face's outcomes are Debian's fio 3.33's with the null engine
 * (fio.md, section 6, line 22); natively each silent change is an error that names the way
 * out, or a note where the run is the same.
 */
#include "unit.h"

#include <errno.h>

#include "jobs.h"

#define NULL64K "--ioengine=null --size=64k --name=a "

/* Refused natively; in the fio face changed, with a note. */
static const struct {
	const char *line, *option;
} settled[] = {
	{NULL64K "--iodepth=4 --iodepth_batch=9", "iodepth_batch"},
	{NULL64K "--iodepth=4 --iodepth_batch_complete_min=9", "iodepth_batch_complete_min"},
	{NULL64K "--iodepth=4 --iodepth_batch_complete_max=9", "iodepth_batch_complete_max"},
	{NULL64K "--iodepth=4 --iodepth_batch_complete_min=3 --iodepth_batch_complete_max=2",
	 "iodepth_batch_complete_max"},
	{NULL64K "--iodepth=4 --iodepth_low=9", "iodepth_low"},
	{NULL64K "--rw=rw --rwmixread=30 --rwmixwrite=30", "rwmixread"},
	{NULL64K "--rw=rw --rwmixwrite=30 --rwmixread=30", "rwmixwrite"},
	{NULL64K "--direct=1 --buffered=1", "direct"},
	{NULL64K "--buffered=0 --direct=0", "buffered"},
	{NULL64K "--nrfiles=2 --openfiles=5", "openfiles"},
	{NULL64K "--filename=x --nrfiles=4", "nrfiles"},
	{NULL64K "--zonemode=strided --zonesize=4k --zonerange=8k --nrfiles=2", "zonemode"},
	{NULL64K "--zonemode=strided --zonesize=8k --zonerange=4k", "zonerange"},
	{NULL64K "--time_based=1", "time_based"},
	{NULL64K "--nrfiles=4 --bs=32k", "size"},
	{NULL64K "--filesize=1k", "filesize"},
	{NULL64K "--bsrange=4k-128k", "bs"},
	{NULL64K "--thinktime=1ms --thinktime_spin=2ms", "thinktime_spin"},
	{NULL64K "--rw=write --zero_buffers --refill_buffers", "refill_buffers"},
	{NULL64K "--rw=write --zero_buffers --dedupe_percentage=50", "zero_buffers"},
	{"--name=a --ioengine=libaio --size=64k --direct=1 --bs=777", "bs"},
	{"--name=a --ioengine=libaio --size=64k --direct=1 --offset=100", "offset"},
	{"--name=a --ioengine=libaio --size=64k --direct=1 --rw=randread --ba=100", "ba"},
	{"--name=a --ioengine=io_uring --size=64k --direct=0 --hipri=1", "hipri"},
};

static void silent_change_is_noted_in_fio_and_refused_natively(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(settled) / sizeof(settled[0]); i++) {
		struct job_set set;
		struct err err = {0};

		if (parse_line(&set, FACE_FIO, settled[i].line, &err))
			fail_msg("%s: %s", settled[i].line, err.text);
		if (!find_note(&set, NOTE_CHANGED, settled[i].option))
			fail_msg("%s: no note on %s", settled[i].line, settled[i].option);
		job_set_done(&set);
		if (parse_line(&set, FACE_NATIVE, settled[i].line, &err) != -EINVAL)
			fail_msg("%s: accepted natively", settled[i].line);
		if (!strstr(err.text, settled[i].option))
			fail_msg("%s does not name %s", err.text, settled[i].option);
		job_set_done(&set);
	}
}

static const struct {
	const char *line, *option;
} refused[] = {
	{NULL64K "--zonemode=strided --zonerange=8k", "zonemode"},
	{NULL64K "--zonesize=4k", "zonesize"},
	{NULL64K "--rate=1m --rate_iops=100", "rate"},
	{NULL64K "--rate=1m --rate_min=2m", "rate_min"},
	{NULL64K "--rate_iops=10 --rate_iops_min=20", "rate_iops_min"},
	{NULL64K "--bs=128k", "bs"},
	{"--name=a --ioengine=null", "size"},
	{"--name=a --ioengine=null --filename=x", "size"},
	{"--name=a --ioengine=null --io_size=64k", "size"},
	{NULL64K "--hipri", "hipri"},
	{NULL64K "--rw=write --readonly", "rw"},
	{"--readonly " NULL64K "--rw=randtrim", "rw"},
	{"--readonly " NULL64K "--rw=rw", "rw"},
	{"--readonly " NULL64K "--create_only=1", "create_only"},
	{"--readonly " NULL64K "--unlink=1", "unlink"},
	{NULL64K "--wait_for=a", "wait_for"},
	{NULL64K "--sprandom=1 --rw=write", "rw"},
	{NULL64K "--sprandom=1 --rw=randrw", "rw"},
	{NULL64K "--sprandom=1 --rw=randwrite --bsrange=4k-8k", "bs"},
	{NULL64K "--sprandom=1 --rw=randwrite --ba=8k", "ba"},
	{NULL64K "--sprandom=1 --rw=randwrite --random_distribution=zipf",
	 "random_distribution"},
	{NULL64K "--sprandom=1 --rw=randwrite --percentage_random=50", "percentage_random"},
	{NULL64K "--sprandom=1 --rw=randwrite --norandommap=1", "norandommap"},
	{NULL64K "--sprandom=1 --rw=randwrite --time_based=1 --runtime=1", "time_based"},
	{NULL64K "--sprandom=1 --rw=randwrite --loops=2", "loops"},
	{NULL64K "--sprandom=1 --rw=randwrite --io_size=8k", "io_size"},
	{NULL64K "--sprandom=1 --rw=randwrite --numjobs=2", "numjobs"},
	{NULL64K "--sprandom=1 --rw=randwrite --spr_op=0", "spr_op"},
	{NULL64K "--sprandom=1 --rw=randwrite --spr_op=9", "spr_op"},
	{NULL64K "--name=a --size=4k --name=b --wait_for=a", "wait_for"},
};

static void contradiction_is_refused_by_both_faces(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
			struct job_set set;
			struct err err = {0};

			if (parse_line(&set, face, refused[i].line, &err) != -EINVAL)
				fail_msg("%s: accepted", refused[i].line);
			assert_int_equal(err.kind, ERR_INPUT);
			if (!strstr(err.text, refused[i].option))
				fail_msg("%s does not name %s", err.text, refused[i].option);
			job_set_done(&set);
		}
}

/* Accepted by both, with a note. */
static const struct {
	const char *line, *option;
	enum note_kind kind;
} noted[] = {
	{"--name=a --size=64k --ioengine=psync --iodepth=8", "iodepth", NOTE_CHANGED},
	{NULL64K "--rw=randread --ba=8k", "norandommap", NOTE_CHANGED},
	{NULL64K "--rw=randread --random_distribution=zipf:1.2", "norandommap", NOTE_CHANGED},
	{NULL64K "--rw=write --dedupe_percentage=50", "refill_buffers", NOTE_CHANGED},
	{NULL64K "--rw=write --buffer_compress_percentage=50", "refill_buffers", NOTE_CHANGED},
	{NULL64K "--gtod_reduce=1", "disable_lat", NOTE_CHANGED},
	{NULL64K "--iodepth=4 --thinktime=1ms", "iodepth", NOTE_CHANGED},
	{"--name=a --filename=x --offset=50% --size=60%", "size", NOTE_CHANGED},
	{"--name=a --size=64k --ioengine=libaio --iodepth=4 --direct=0", "iodepth",
	 NOTE_WARNING},
	{NULL64K "--random_distribution=zipf:1.2", "random_distribution", NOTE_WARNING},
	{NULL64K "--percentage_random=50", "percentage_random", NOTE_WARNING},
	{NULL64K "--rwmixread=30", "rwmixread", NOTE_WARNING},
	{NULL64K "--rw_sequencer=identical", "rw_sequencer", NOTE_WARNING},
	{NULL64K "--nrfiles=4 --openfiles=2", "openfiles", NOTE_WARNING},
	{NULL64K "--fsync=4", "fsync", NOTE_WARNING},
	{NULL64K "--rw=randwrite --spr_op=0.2", "spr_op", NOTE_WARNING},
	{NULL64K "--io_size=1k", "io_size", NOTE_WARNING},
	{NULL64K "--rate_process=poisson", "rate_process", NOTE_WARNING},
	{NULL64K "--rate=1m --rate_cycle=500ms", "rate_cycle", NOTE_WARNING},
	{NULL64K "--thinktime_spin=5us", "thinktime_spin", NOTE_WARNING},
	{NULL64K "--thinktime_blocks=4", "thinktime_blocks", NOTE_WARNING},
	{NULL64K "--log_avg_msec=500ms", "log_avg_msec", NOTE_WARNING},
	{NULL64K "--write_lat_log=x --log_hist_coarseness=2", "log_hist_coarseness",
	 NOTE_WARNING},
	{NULL64K "--fill_device=1", "fill_device", NOTE_WARNING},
	{NULL64K "--filename=x --numjobs=2", "numjobs", NOTE_WARNING},
	{NULL64K "--steadystate=iops:1% --steadystate_duration=5s --runtime=2s", "steadystate",
	 NOTE_WARNING},
	{"--hipri --size=64k --name=a --ioengine=null", "hipri", NOTE_WARNING},
};

static void effective_difference_is_noted_by_both_faces(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(noted) / sizeof(noted[0]); i++)
		for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
			struct job_set set;
			struct err err = {0};

			if (parse_line(&set, face, noted[i].line, &err))
				fail_msg("%s: %s", noted[i].line, err.text);
			if (!find_note(&set, noted[i].kind, noted[i].option))
				fail_msg("%s: no note on %s", noted[i].line, noted[i].option);
			job_set_done(&set);
		}
}

static void plain_job_has_no_notes(void **state)
{
	static const char *const lines[] = {
		NULL64K,
		NULL64K "--rw=randrw --rwmixread=70 --iodepth=32 --bs=4k",
		NULL64K "--rw=write --bs=1k --numjobs=4 --group_reporting=1",
		"--name=a --filename=x --ioengine=io_uring --direct=1 --iodepth=32 --runtime=5s "
		"--time_based=1",
		"--name=a --filename=x --offset=50% --numjobs=2 --offset_increment=1m",
		NULL64K "--rw=rw --rwmixread=30 --rwmixwrite=70 --buffered=0 --direct=1",
		NULL64K "--offset=200k",
		NULL64K "--rate_iops=100 --rate_process=poisson --rate_iops_min=50",
		NULL64K "--thinktime=10us --thinktime_spin=5us --thinktime_blocks=4",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (enum face face = FACE_NATIVE; face <= FACE_FIO; face++) {
			struct job_set set;
			struct err err = {0};

			if (parse_line(&set, face, lines[i], &err))
				fail_msg("%s: %s", lines[i], err.text);
			if (set.notes)
				fail_msg("%s: %s: %s", lines[i],
					 set.notes->option ? set.notes->option : "-",
					 set.notes->text);
			job_set_done(&set);
		}
}

static const struct job_spec *parse_one(struct job_set *set, const char *line)
{
	struct err err = {0};

	if (parse_line(set, FACE_FIO, line, &err))
		fail_msg("%s: %s", line, err.text);
	return set->jobs[0];
}

static void settled_values_are_the_effective_ones(void **state)
{
	const struct job_spec *spec;
	struct job_set set;

	(void)state;
	spec = parse_one(&set, NULL64K "--iodepth=4 --iodepth_batch=9 --iodepth_low=8");
	assert_int_equal(spec->iodepth_batch, 4);
	assert_int_equal(spec->iodepth_low, 4);
	job_set_done(&set);
	spec = parse_one(&set, "--name=a --size=64k --ioengine=sync --iodepth=4");
	assert_int_equal(spec->iodepth, 1);
	job_set_done(&set);
	spec = parse_one(&set, NULL64K "--time_based=1 --nrfiles=2 --openfiles=3");
	assert_false(spec->time_based);
	assert_int_equal(spec->openfiles, 2);
	job_set_done(&set);
	spec = parse_one(&set, NULL64K "--zonemode=strided --zonesize=8k");
	assert_int_equal(spec->zonerange, 8192);
	job_set_done(&set);
	spec = parse_one(&set, NULL64K "--rw=randread --ba=8k --gtod_reduce=1");
	assert_true(spec->norandommap);
	assert_true(spec->disable_lat);
	assert_true(spec->disable_bw);
	job_set_done(&set);
	spec = parse_one(&set, NULL64K "--rw=randread --bssplit=4k/50:16k/50");
	assert_int_equal(spec->bs[DIR_READ].min, 4096);
	assert_int_equal(spec->bs[DIR_READ].max, 16384);
	assert_true(spec->bs_is_range);
	job_set_done(&set);
}

/* A remark on a global option is made once, not for every job. */
static void note_on_globals_stands_once(void **state)
{
	struct job_set set;
	struct err err = {0};
	unsigned count = 0;

	(void)state;
	assert_int_equal(
		parse_line(&set, FACE_FIO,
			   "--ioengine=null --size=4k --verifysort=1 --name=a --name=b "
			   "--name=c",
			   &err),
		0);
	for (const struct job_note *n = set.notes; n; n = n->next)
		count += n->option && str_equal(n->option, "verifysort");
	assert_int_equal(count, 1);
	job_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silent_change_is_noted_in_fio_and_refused_natively),
		cmocka_unit_test(contradiction_is_refused_by_both_faces),
		cmocka_unit_test(effective_difference_is_noted_by_both_faces),
		cmocka_unit_test(plain_job_has_no_notes),
		cmocka_unit_test(settled_values_are_the_effective_ones),
		cmocka_unit_test(note_on_globals_stands_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
