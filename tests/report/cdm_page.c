/* Lines that look like CrystalDiskMark's, to the character. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "report/cdm_page.h"

#define LINE "------------------------------------------------------------------------------\n"
#define MIB  1048576.0

static struct cdm_cell cells[] = {
	{false, 1 << 20, 8, 1, 2048 * MIB, 3906250},
	{false, 128 << 10, 32, 1, 1e9, 4194304},
	{true, 4096, 32, 16, 409.6e6, 5120000},
	{true, 4096, 1, 1, 40.96e6, 98760},
};

static struct cdm new_page(void)
{
	return (struct cdm){
		.program = "assay 0.1.0",
		.profile = "nvme",
		.cells = {cells, cells, cells + 3},
		.ncells = {4, 1, 1},
		.mix_read_percent = 70,
		.score = "best",
		.runs = 5,
		.discarded = 1,
		.size_bytes = UINT64_C(1) << 30,
		.time_ns = 5 * NS_PER_S,
		.pause_ns = 5 * NS_PER_S,
		.target = "/dev/nvme0n1",
		.date = "2026/11/30 15:04:05",
		.system = "Linux 6.1.0",
	};
}

static void the_layout_is_that_of_version_9(void **state)
{
	struct cdm cdm = new_page();
	autostr out = {0};

	(void)state;
	cdm_page(&cdm, &out);
	assert_string_equal(
		str_text(&out),
		"assay 0.1.0: CrystalDiskMark's tests, not measured by CrystalDiskMark\n" LINE
		"* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n"
		"* KB = 1000 bytes, KiB = 1024 bytes\n"
		"\n[Read]\n"
		"  SEQ    1MiB (Q=  8, T= 1):  2147.484 MB/s [   2048.0 IOPS] <  3906.25 us>\n"
		"  SEQ  128KiB (Q= 32, T= 1):  1000.000 MB/s [   7629.4 IOPS] <  4194.30 us>\n"
		"  RND    4KiB (Q= 32, T=16):   409.600 MB/s [ 100000.0 IOPS] <  5120.00 us>\n"
		"  RND    4KiB (Q=  1, T= 1):    40.960 MB/s [  10000.0 IOPS] <    98.76 us>\n"
		"\n[Write]\n"
		"  SEQ    1MiB (Q=  8, T= 1):  2147.484 MB/s [   2048.0 IOPS] <  3906.25 us>\n"
		"\n[Mix] Read 70%/Write 30%\n"
		"  RND    4KiB (Q=  1, T= 1):    40.960 MB/s [  10000.0 IOPS] <    98.76 us>\n"
		"\nProfile: nvme\n"
		"   Test: 1 GiB (x5) [/dev/nvme0n1]\n"
		"  Score: best of 5 runs (1 before it was not counted)\n"
		"   Time: Measure 5 sec / Interval 5 sec\n"
		"   Date: 2026/11/30 15:04:05\n"
		"     OS: Linux 6.1.0\n");
}

/* Another program divided KiB/s by 1000, and was 2.4 % low. */
static void a_mebibyte_is_1048576_bytes_and_a_megabyte_is_10_to_the_6(void **state)
{
	struct cdm_cell cell = {false, 1 << 20, 1, 1, 100 * MIB, 1e7};
	struct cdm cdm = new_page();
	autostr out = {0};

	(void)state;
	cdm.cells[CDM_READ] = &cell;
	cdm.ncells[CDM_READ] = 1;
	cdm_page(&cdm, &out);
	assert_non_null(strstr(str_text(&out), "  104.858 MB/s [    100.0 IOPS]"));
}

/* Another program showed the mean in one profile and the best in others, unnamed. */
static void what_became_of_several_runs_is_named(void **state)
{
	static const char *const scores[] = {"best", "median", "mean"};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned old = 0; old < 2; old++) {
			struct cdm cdm = new_page();
			autostr out = {0};
			char wanted[40];

			cdm.score = scores[i];
			if (old)
				cdm.profile = "v3";
			cdm.discarded = 0;
			cdm_page(&cdm, &out);
			(void)snprintf(wanted, sizeof(wanted), "%s of 5 runs\n", scores[i]);
			assert_non_null(strstr(str_text(&out), wanted));
		}
}

static void the_layout_of_version_3_is_another(void **state)
{
	struct cdm_cell old[] = {{false, 1 << 20, 1, 1, 1147e6, 0},
				 {true, 512 << 10, 1, 1, 952.9e6, 0},
				 {true, 4096, 1, 1, 25.67e6, 0},
				 {true, 4096, 32, 1, (double)NAN, 0}};
	struct cdm cdm = new_page();
	autostr out = {0};

	(void)state;
	cdm.profile = "v3";
	cdm.score = "mean";
	cdm.cells[CDM_READ] = cdm.cells[CDM_WRITE] = old;
	cdm.ncells[CDM_READ] = cdm.ncells[CDM_WRITE] = 4;
	cdm.ncells[CDM_MIX] = 0;
	cdm.size_bytes = 1000 << 20;
	cdm.simulated = cdm.zeros = true;
	cdm_page(&cdm, &out);
	assert_string_equal(
		str_text(&out),
		"assay 0.1.0: simulated drive: CrystalDiskMark's tests of version 3, not "
		"measured by CrystalDiskMark\n" LINE
		"* MB/s = 1,000,000 byte/s [SATA/300 = 300,000,000 byte/s]\n\n"
		"            Sequential Read :  1147.000 MB/s\n"
		"           Sequential Write :  1147.000 MB/s\n"
		"          Random Read 512KB :   952.900 MB/s\n"
		"         Random Write 512KB :   952.900 MB/s\n"
		"     Random Read 4KB (QD=1) :    25.670 MB/s [  6267.1 IOPS]\n"
		"    Random Write 4KB (QD=1) :    25.670 MB/s [  6267.1 IOPS]\n"
		"    Random Read 4KB (QD=32) :         - not measured\n"
		"   Random Write 4KB (QD=32) :         - not measured\n"
		"\n  Test : 1000 MB [/dev/nvme0n1] (x5) <0Fill>\n"
		" Score : mean of 5 runs (1 before it was not counted)\n"
		"  Date : 2026/11/30 15:04:05\n"
		"    OS : Linux 6.1.0\n");
}

static void what_was_not_measured_is_no_number(void **state)
{
	struct cdm_cell cell = {true, 4096, 1, 1, (double)NAN, (double)NAN};
	struct cdm cdm = new_page();
	autostr out = {0};

	(void)state;
	cdm.cells[CDM_READ] = &cell;
	cdm.ncells[CDM_READ] = 1;
	cdm.size_bytes = 512;
	cdm.runs = 1;
	cdm.discarded = 2;
	cdm_page(&cdm, &out);
	assert_null(strstr(str_text(&out), "nan"));
	assert_non_null(strstr(str_text(&out), "T= 1):         - not measured\n"));
	assert_non_null(strstr(str_text(&out), "Test: 512 B (x1)"));
	assert_non_null(
		strstr(str_text(&out), "best of 1 run (2 before them were not counted)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_layout_is_that_of_version_9),
		cmocka_unit_test(a_mebibyte_is_1048576_bytes_and_a_megabyte_is_10_to_the_6),
		cmocka_unit_test(what_became_of_several_runs_is_named),
		cmocka_unit_test(the_layout_of_version_3_is_another),
		cmocka_unit_test(what_was_not_measured_is_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
