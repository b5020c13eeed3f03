/*
 * The profiles against the documents that they are made from, in a closed loop on virtual time:
 * document 000 within 15 % a cell, 002 within 2 %, 004 within 5 %. Seed 1.
 */
#include "sim/loop.h"

static const uint64_t block_bytes[] = {4096, 8192, 32768, 131072};
static const unsigned jobs[] = {1, 4, 8, 16, 32};

/* Thousands of operations a second; of the disks, operations. */
static const double ssd_reads[5][4] = {{14.5, 12.2, 6.3, 5.7},
				       {52.6, 42.9, 21.8, 12.8},
				       {97, 78, 37.3, 15.3},
				       {177, 138.9, 53.3, 16},
				       {293.6, 205.9, 61.3, 16}};
static const double ssd_writes[4][4] = {{46.3, 32.2, 10, 2.6},
					{84.3, 43.2, 12, 3.1},
					{89.9, 47.6, 12.5, 3.2},
					{96.3, 50, 13, 3.3}};
static const double hdd_reads[5][4] = {{89, 89, 87, 83},
				       {184, 182, 180, 171},
				       {235, 233, 229, 212},
				       {284, 284, 276, 251},
				       {338, 337, 327, 292}};
static const double hdd_writes[4][4] = {
	{419, 415, 395, 342}, {416, 404, 389, 340}, {413, 406, 392, 348}, {411, 412, 394, 346}};

static unsigned cell(struct loop *loop, unsigned row, unsigned column, double wanted)
{
	struct loop_figures figures;

	loop->bytes = block_bytes[column];
	loop->depth = jobs[row];
	figures = loop_run(loop);
	if (fabs(figures.iops / wanted - 1) <= .15)
		return 0;
	print_error("%s, %u jobs of %u bytes: %.1f a second, the document has %.1f\n",
		    loop->reads_percent ? "read" : "write", jobs[row],
		    (unsigned)block_bytes[column], figures.iops, wanted);
	return 1;
}

static void document_000_ssd(void **state)
{
	struct loop loop = {.random = true, .reads_percent = 100};
	unsigned off = 0;

	(void)state;
	rng_seed(&loop.rng, 1, 1);
	loop.drive = open_drive("pcie-mlc-1.2t,scale=400");
	loop_fill(&loop);
	loop.warm = 1000;
	loop.requests = 10000;
	for (unsigned row = 0; row < 5; row++)
		for (unsigned column = 0; column < 4; column++)
			off += cell(&loop, row, column, 1000 * ssd_reads[row][column]);
	/* The plan's precondition: two jobs, each overwrites the drive once at random. */
	loop.reads_percent = 0;
	loop.bytes = 131072;
	loop.depth = 64;
	loop.requests = 2 * drive_size_bytes(loop.drive) / loop.bytes;
	(void)loop_run(&loop);
	for (unsigned row = 0; row < 4; row++) {
		for (unsigned column = 0; column < 4; column++) {
			loop.warm = drive_size_bytes(loop.drive) / 8 / block_bytes[column];
			loop.requests = loop.warm;
			off += cell(&loop, row, column, 1000 * ssd_writes[row][column]);
		}
	}
	drive_close(loop.drive);
	assert_int_equal(off, 0);
}

static void document_000_disks(void **state)
{
	struct loop loop = {
		.random = true, .reads_percent = 100, .warm = 200, .requests = 3000};
	unsigned off = 0;

	(void)state;
	rng_seed(&loop.rng, 1, 1);
	loop.drive = open_drive("hdd-7200-raid0");
	for (unsigned row = 0; row < 5; row++)
		for (unsigned column = 0; column < 4; column++)
			off += cell(&loop, row, column, hdd_reads[row][column]);
	loop.reads_percent = 0;
	for (unsigned row = 0; row < 4; row++)
		for (unsigned column = 0; column < 4; column++)
			off += cell(&loop, row, column, hdd_writes[row][column]);
	drive_close(loop.drive);
	assert_int_equal(off, 0);
}

static double cloud(const char *name, uint64_t bytes, unsigned depth, unsigned reads, bool mean)
{
	struct loop loop = {.bytes = bytes,
			    .depth = depth,
			    .random = bytes == 4096,
			    .reads_percent = reads,
			    .requests = (depth == 1 ? 256 : 1024) * MiB / bytes};
	struct loop_figures figures;

	rng_seed(&loop.rng, 1, 1);
	loop.drive = open_drive(name);
	figures = loop_run(&loop);
	drive_close(loop.drive);
	return mean ? figures.mean_us : figures.iops;
}

static void assert_within(double value, double wanted, double percent)
{
	if (fabs(value / wanted - 1) * 100 > percent)
		fail_msg("%.2f, the document has %.2f", value, wanted);
}

/* One cell cannot be had: the efficient disk's read latency of 0.3 ms at depth 1 is 3,333 reads a
 * second, more than its own limit of 2,600, which the document measured at depth 128. The model
 * gives 0.385 ms, the limit's own; the document shows one digit. */
static void document_002(void **state)
{
	static const char efficient[] = "cloud-efficient-100g", ssd[] = "cloud-ssd-100g";

	(void)state;
	assert_within(cloud(efficient, 1 << 20, 64, 100, false), 114, 2);
	assert_within(cloud(efficient, 1 << 20, 64, 0, false), 113, 2);
	assert_within(cloud(efficient, 4096, 128, 100, false), 2620, 2);
	assert_within(cloud(efficient, 4096, 128, 0, false), 2566, 2);
	assert_within(cloud(efficient, 4096, 1, 0, true), 1200, 2);
	assert_within(cloud(efficient, 4096, 1, 100, true), 1e6 / 2600, 2);
	assert_within(cloud(ssd, 1 << 20, 64, 100, false), 166, 2);
	assert_within(cloud(ssd, 1 << 20, 64, 0, false), 168, 2);
	assert_within(cloud(ssd, 4096, 128, 100, false), 4844, 2);
	assert_within(cloud(ssd, 4096, 128, 0, false), 4844, 2);
	assert_within(cloud(ssd, 4096, 1, 100, true), 600, 2);
	assert_within(cloud(ssd, 4096, 1, 0, true), 700, 2);
}

/* Large files, 1 MiB at a time, on a drive that is being filled to 80 %. */
static void document_004(void **state)
{
	struct loop loop = {.bytes = MiB, .depth = 1};
	uint64_t requests;

	(void)state;
	rng_seed(&loop.rng, 1, 1);
	loop.drive = open_drive("sata-tlc-128g,scale=20");
	loop.area = drive_size_bytes(loop.drive) / 100 * 80;
	requests = loop.area / MiB;
	loop.requests = requests / 50;
	assert_within(loop_run(&loop).mb_s, 414, 5);
	loop.warm = requests * 15 / 100;
	loop.requests = requests - loop.next - loop.warm;
	assert_within(loop_run(&loop).mb_s, 90, 5);
	loop.warm = 0;
	loop.reads_percent = 100;
	loop.requests = requests / 4;
	assert_within(loop_run(&loop).mb_s, 285, 5);
	loop.reads_percent = 40;
	loop.warm = 200;
	loop.requests = requests * 7 / 10;
	assert_within(loop_run(&loop).mb_s, 62.6, 5);
	drive_close(loop.drive);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(document_000_ssd),
		cmocka_unit_test(document_000_disks),
		cmocka_unit_test(document_002),
		cmocka_unit_test(document_004),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
