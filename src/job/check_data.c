/* Rules on what is read and written: files, sizes, offsets, order, buffers. */
#include <errno.h>
#include <inttypes.h>

#include "base/bits.h"
#include "base/lang.h"
#include "job/check_priv.h"

#define SECTOR_BYTES 512 /* no device and no file system takes direct I/O in smaller units */

static bool is_null(const struct job_spec *spec)
{
	return str_equal(spec->ioengine, "null");
}

static const char *const dir_names[NDATA] = {"read", "write", "trim"};

/* --- files --- */

static int check_zones(const struct check *check)
{
	struct job_spec *spec = check->spec;
	int rc = 0;

	if (spec->zonemode == ZONEMODE_NONE && spec->zonesize)
		return check_refuse(
			check, "zonesize",
			"has no meaning without zones: add zonemode=strided, or take "
			"it away");
	if (spec->zonemode == ZONEMODE_NONE)
		return 0;
	if (!spec->zonesize)
		return check_refuse(
			check, "zonemode",
			"strided needs the bytes used of each zone: add zonesize=1m");
	if (!spec->zonerange) {
		spec->zonerange = spec->zonesize;
	} else if (spec->zonerange < spec->zonesize) {
		rc = check_settle(check, "zonerange",
				  "%" PRIu64 " is less than zonesize=%" PRIu64
				  ", which lies inside it: zonesize is taken",
				  spec->zonerange, spec->zonesize);
		spec->zonerange = spec->zonesize;
	}
	if (!rc && spec->nrfiles > 1) {
		rc = check_settle(check, "zonemode",
				  "strided works on one file, and this job has %" PRIu32
				  ": none is taken",
				  spec->nrfiles);
		spec->zonemode = ZONEMODE_NONE;
	}
	return rc;
}

/* A simulated drive brings its engine, and an engine for simulated drives needs one. */
static int check_simulated(const struct check *check)
{
	struct job_spec *spec = check->spec;
	unsigned simulated = 0;

	for (unsigned i = 0; i < spec->filename.count; i++)
		simulated += str_starts(spec->filename.items[i], "sim:");
	if (simulated && simulated < spec->filename.count)
		return check_refuse(check, "filename",
				    "mixes simulated drives and real files: one or the other");
	if (simulated && !check_given(check, "ioengine"))
		spec->ioengine = "sim";
	if (simulated && !str_equal(spec->ioengine, "sim"))
		return check_refuse(check, "ioengine",
				    "cannot load a simulated drive: take sim");
	if (!simulated && str_equal(spec->ioengine, "sim"))
		return check_refuse(
			check, "ioengine",
			"needs a simulated drive: filename=sim:PROFILE (assay sim list)");
	return 0;
}

int check_target(const struct check *check)
{
	struct job_spec *spec = check->spec;
	int rc = check_simulated(check);

	if (rc)
		return rc;
	if (spec->filename.count) {
		/* fio: the names given are the files, whatever their number was said to be. */
		if (check_given(check, "nrfiles") && spec->nrfiles != spec->filename.count) {
			rc = check_settle(check, "nrfiles",
					  "%" PRIu32 " does not fit the %u names of filename: "
					  "these are the files",
					  spec->nrfiles, spec->filename.count);
			if (rc)
				return rc;
		}
		spec->nrfiles = spec->filename.count;
	}
	if (!spec->openfiles)
		spec->openfiles = spec->nrfiles;
	if (spec->openfiles > spec->nrfiles) {
		rc = check_settle(check, "openfiles",
				  "%" PRIu32 " is more than the %" PRIu32 " there are: all are "
				  "kept open",
				  spec->openfiles, spec->nrfiles);
		if (rc)
			return rc;
		spec->openfiles = spec->nrfiles;
	}
	if (spec->openfiles < spec->nrfiles)
		check_warn(check, "openfiles",
			   "%" PRIu32 " of %" PRIu32 " files are in turn at once; all are held "
			   "open, for none is opened while the clock runs",
			   spec->openfiles, spec->nrfiles);
	if (spec->fill_device && !spec->rw.does[DIR_WRITE])
		check_warn(check, "fill_device", "without effect: rw=%s writes nothing",
			   spec->rw.text);
	return check_zones(check);
}

/* --- sizes --- */

/* A split stands for its direction's sizes. */
static void derive_block_sizes(struct job_spec *spec)
{
	for (int d = 0; d < NDATA; d++) {
		const struct split *split = &spec->bssplit[d];

		for (unsigned i = 0; i < split->count; i++) {
			const struct split_entry *entry = &split->entry[i];
			struct range *bs = &spec->bs[d];

			bs->min = i ? min_u64(bs->min, entry->min_bytes) : entry->min_bytes;
			bs->max = i ? max_u64(bs->max, entry->max_bytes) : entry->max_bytes;
		}
		spec->bs_is_range |= spec->bs[d].min != spec->bs[d].max;
	}
}

/* The smallest and the largest request of the directions that occur. */
static struct range block_sizes(const struct job_spec *spec)
{
	struct range all = {UINT64_MAX, 0};

	for (int d = 0; d < NDATA; d++) {
		if (!spec->rw.does[d])
			continue;
		all.min = min_u64(all.min, spec->bs[d].min);
		all.max = max_u64(all.max, spec->bs[d].max);
	}
	return all;
}

static int check_block_size(const struct check *check, struct range bs)
{
	const struct job_spec *spec = check->spec;
	uint64_t size = spec->size.percent_x100 ? 0 : spec->size.bytes;

	if (size && bs.min > size)
		return check_refuse(check, "bs",
				    "%" PRIu64 " bytes are more than size=%" PRIu64
				    ": not one request fits",
				    bs.min, size);
	if (size && !spec->filesize.max && bs.min > size / spec->nrfiles)
		return check_settle(check, "size",
				    "%" PRIu64 " bytes over %" PRIu32
				    " files leave less than one request of %" PRIu64
				    " for each: nothing is done",
				    size, spec->nrfiles, bs.min);
	if (spec->filesize.max && bs.min > spec->filesize.max)
		return check_settle(check, "filesize",
				    "%" PRIu64 " is less than one request of %" PRIu64
				    ": nothing is done",
				    spec->filesize.max, bs.min);
	if (size && bs.max > size)
		return check_settle(check, "bs",
				    "sizes up to %" PRIu64 " do not fit size=%" PRIu64
				    ": larger ones are cut",
				    bs.max, size);
	return 0;
}

/* Direct I/O in units that no device takes. What the device really wants is known later. */
static int check_direct(const struct check *check)
{
	const struct job_spec *spec = check->spec;
	int rc = 0;

	if (!spec->direct || is_null(spec))
		return 0;
	for (int d = 0; d < NDATA && !rc; d++) {
		const struct range *bs = &spec->bs[d];

		if (!spec->rw.does[d])
			continue;
		if (bs->min % SECTOR_BYTES || (bs->min == bs->max && bs->max % SECTOR_BYTES))
			rc = check_settle(
				check, "bs",
				"%s requests of %" PRIu64
				" bytes: direct I/O takes multiples of %d only and will "
				"fail; take another size, or direct=0",
				dir_names[d], bs->min, SECTOR_BYTES);
		else if (spec->ba[d] % SECTOR_BYTES)
			rc = check_settle(check, "ba",
					  "%" PRIu64 ": direct I/O needs multiples of %d",
					  spec->ba[d], SECTOR_BYTES);
	}
	if (!rc && !spec->offset.percent_x100 && spec->offset.bytes % SECTOR_BYTES)
		rc = check_settle(check, "offset",
				  "%" PRIu64 ": direct I/O needs multiples of %d",
				  spec->offset.bytes, SECTOR_BYTES);
	if (!rc && spec->bs_unaligned && spec->bs_is_range)
		rc = check_settle(check, "bs_unaligned",
				  "direct I/O takes multiples of %d only and will fail",
				  SECTOR_BYTES);
	return rc;
}

static int check_amounts(const struct check *check, struct range bs)
{
	const struct job_spec *spec = check->spec;
	bool text_only = check->set->options.showcmd || check->set->options.parse_only;
	bool has_size = spec->size.percent_x100 || spec->size.bytes || spec->filesize.max;

	/* Only an existing file or device can stand in for a size. */
	if (!has_size && !spec->fill_device && !text_only &&
	    (!spec->filename.count || is_null(spec)))
		return check_refuse(check, "size", "is missing: add size=1g%s",
				    is_null(spec) ? ""
						  : N_(", or filename=PATH of what exists"));
	if (spec->io_size.given && !spec->io_size.percent_x100 && spec->io_size.bytes &&
	    spec->io_size.bytes < bs.min)
		check_warn(check, "io_size",
			   "%" PRIu64 " is less than one request: one of %" PRIu64 " is made",
			   spec->io_size.bytes, bs.min);
	if (spec->offset.percent_x100 + spec->size.percent_x100 > 10000 &&
	    spec->offset.percent_x100 && check_given(check, "size"))
		check_changed(check, "size",
			      "%" PRIu32 "%% from an offset of %" PRIu32
			      "%% runs over the end: it stops at the end",
			      spec->size.percent_x100 / 100, spec->offset.percent_x100 / 100);
	if (spec->numjobs > 1 && !spec->rw.random && spec->filename.count &&
	    !spec->offset_increment.given)
		check_warn(check, "numjobs",
			   "%" PRIu32 " sequential clones touch the same blocks of the same "
			   "file, and caches serve all but one: add offset_increment",
			   spec->numjobs);
	return 0;
}

int check_sizes(const struct check *check)
{
	struct range bs;
	int rc;

	derive_block_sizes(check->spec);
	bs = block_sizes(check->spec);
	rc = check_block_size(check, bs);
	if (!rc)
		rc = check_direct(check);
	return rc ? rc : check_amounts(check, bs);
}

/* --- order --- */

static int check_mix(const struct check *check)
{
	const struct job_spec *spec = check->spec;
	bool reads = check_given(check, "rwmixread"), writes = check_given(check, "rwmixwrite");
	bool mixed = spec->rw.does[DIR_READ] && spec->rw.does[DIR_WRITE];

	if ((reads || writes) && !mixed)
		check_warn(check, reads ? "rwmixread" : "rwmixwrite",
			   "without effect: rw=%s is no mix", spec->rw.text);
	if (check_given(check, "rw_sequencer") && !spec->rw.every && !spec->rw.skip_bytes)
		check_warn(check, "rw_sequencer", "without effect: rw=%s has no \":N\"",
			   spec->rw.text);
	return 0;
}

static void drop_map(const struct check *check, const char *reason)
{
	struct job_spec *spec = check->spec;

	if (!spec->norandommap)
		check_changed(check, "norandommap",
			      "%s: blocks may come twice or not at all in one pass", reason);
	spec->norandommap = true;
}

/* The one pass of sprandom places every request: nothing else may. */
static int check_sprandom(const struct check *check)
{
	const struct job_spec *spec = check->spec;
	const struct range *bs = &spec->bs[DIR_WRITE];
	const struct {
		const char *option;
		bool contradicts;
	} rules[] = {
		{"rw", !spec->rw.random || !spec->rw.does[DIR_WRITE] ||
			       spec->rw.does[DIR_READ] || spec->rw.does[DIR_TRIM] ||
			       spec->rw.every > 1},
		{"bs", bs->min != bs->max || spec->bssplit[DIR_WRITE].count},
		{"ba", spec->ba[DIR_WRITE] && spec->ba[DIR_WRITE] != bs->min},
		{"random_distribution", spec->random_distribution.kind != DIST_RANDOM},
		{"percentage_random", spec->percentage_random[DIR_WRITE] != 100},
		{"norandommap", spec->norandommap},
		{"zonemode", spec->zonemode != ZONEMODE_NONE},
		{"time_based", spec->time_based},
		{"loops", spec->loops > 1},
		{"io_size", spec->io_size.given},
		{"numjobs", spec->numjobs > 1 && !spec->offset_increment.given},
	};

	if (spec->spr_op < SPR_OP_MIN || spec->spr_op > SPR_OP_MAX)
		return check_refuse(check, "spr_op",
				    "%g is no part of spare flash between %g and %g",
				    spec->spr_op, SPR_OP_MIN, SPR_OP_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].contradicts)
			return check_refuse(
				check, rules[i].option,
				"contradicts sprandom=1, which is one pass of rw=randwrite "
				"with one size, by one worker for each place: take one out");
	return 0;
}

int check_random(const struct check *check)
{
	const struct job_spec *spec = check->spec;
	bool shaped = spec->random_distribution.kind != DIST_RANDOM;

	if (spec->sprandom)
		return check_sprandom(check);
	if (check_given(check, "spr_op"))
		check_warn(check, "spr_op", "without effect: %s is not set", "sprandom");
	if (!spec->rw.random) {
		if (shaped)
			check_warn(check, "random_distribution",
				   "without effect: rw=%s is sequential", spec->rw.text);
		if (check_given(check, "percentage_random"))
			check_warn(check, "percentage_random",
				   "without effect: rw=%s is sequential", spec->rw.text);
		return check_mix(check);
	}
	for (int d = 0; d < NDATA; d++)
		if (spec->rw.does[d] && spec->ba[d] && spec->ba[d] != spec->bs[d].min)
			drop_map(check, "ba is not the block size");
	if (shaped)
		drop_map(check, N_("random_distribution is set"));
	return check_mix(check);
}

/* --- buffers --- */

int check_buffers(const struct check *check)
{
	struct job_spec *spec = check->spec;
	const char *needs_refill = spec->buffer_compress_percentage
					   ? "buffer_compress_percentage"
				   : spec->dedupe_percentage ? "dedupe_percentage"
							     : NULL;
	int rc;

	if (!spec->rw.does[DIR_WRITE])
		return 0;
	if (spec->zero_buffers && (needs_refill || spec->buffer_pattern.count)) {
		rc = check_settle(check, "zero_buffers", "contradicts %s: all data are zeros",
				  needs_refill ? needs_refill : "buffer_pattern");
		if (rc)
			return rc;
		spec->buffer_compress_percentage = 0;
		spec->dedupe_percentage = 0;
		spec->buffer_pattern.count = 0;
		return 0;
	}
	if (spec->zero_buffers && spec->refill_buffers) {
		rc = check_settle(check, "refill_buffers",
				  "contradicts zero_buffers: all data are zeros");
		spec->refill_buffers = false;
		return rc;
	}
	if (needs_refill && !spec->refill_buffers) {
		check_changed(check, "refill_buffers", "%s makes each request's data anew",
			      needs_refill);
		spec->refill_buffers = true;
	}
	return 0;
}
