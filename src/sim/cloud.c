/*
 * The simulated cloud disk: what its provider sells. Token buckets for operations and for bytes,
 * each with a base rate, and a burst rate as long as credits last; the buckets decide when a
 * request begins, a fixed and an exponential part of latency when it ends.
 */
#include "base/bits.h"
#include "sim/draw.h"
#include "sim/drive_priv.h"

#define NANO 1000000000u

struct bucket {
	uint64_t base, burst;		 /* a second; base 0: no limit */
	unsigned __int128 credits, most; /* billionths of an operation or byte */
	uint64_t next_ns, rest; /* free from; the fraction of a nanosecond, of the rate */
	uint64_t rate;		/* that `rest` is a fraction of */
	uint64_t refilled_ns;	/* credits are counted up to here */
};

struct cloud {
	struct drive drive;
	struct bucket iops, bytes;
};

static struct cloud *cloud_of(struct drive *drive)
{
	return (struct cloud *)(void *)drive;
}

static uint64_t sold(uint64_t base, uint64_t per_gib, uint64_t most, uint64_t size_bytes)
{
	uint64_t rate = base + muldiv_u64(per_gib, size_bytes, GiB);

	return most ? min_u64(rate, most) : rate;
}

static void bucket_init(struct bucket *bucket, uint64_t base, uint64_t burst, uint64_t credits)
{
	bucket->base = base;
	bucket->burst = burst > base ? burst : 0;
	bucket->most = bucket->credits = (unsigned __int128)credits * NANO;
}

static int cloud_open(struct drive *drive, struct err *err)
{
	struct cloud *cloud = cloud_of(drive);
	const struct profile *p = &drive->profile;

	(void)err; /* profile_parse has checked all there is */
	bucket_init(&cloud->iops,
		    sold(p->iops_base, p->iops_per_gib, p->iops_max, p->size_bytes),
		    p->iops_burst, p->iops_credits);
	bucket_init(&cloud->bytes,
		    sold(p->bytes_base, p->bytes_per_gib, p->bytes_max, p->size_bytes),
		    p->bytes_burst, p->bytes_credits);
	return 0;
}

static void refill(struct bucket *bucket, uint64_t ns)
{
	if (ns <= bucket->refilled_ns)
		return;
	bucket->credits += (unsigned __int128)bucket->base * (ns - bucket->refilled_ns);
	if (bucket->credits > bucket->most)
		bucket->credits = bucket->most;
	bucket->refilled_ns = ns;
}

/* When a request of `amount` that comes now may begin. */
static uint64_t take(struct bucket *bucket, uint64_t now_ns, uint64_t amount)
{
	unsigned __int128 cost = (unsigned __int128)amount * NANO, work;
	uint64_t start_ns = max_u64(bucket->next_ns, now_ns), rate = bucket->base;
	bool bursts;

	if (!bucket->base)
		return now_ns;
	refill(bucket, start_ns);
	bursts = bucket->burst && bucket->credits >= cost;
	if (bursts) {
		rate = bucket->burst;
		bucket->credits -= cost;
	}
	if (start_ns > bucket->next_ns || rate != bucket->rate)
		bucket->rest = 0;
	bucket->rate = rate;
	work = cost + bucket->rest;
	bucket->next_ns = start_ns + (uint64_t)(work / rate);
	bucket->rest = (uint64_t)(work % rate);
	/* At the base rate the refill is what is being spent. */
	if (!bursts)
		bucket->refilled_ns = bucket->next_ns;
	return start_ns;
}

static void cloud_submit(struct drive *drive, const struct drive_request *request,
			 uint64_t now_ns)
{
	struct cloud *cloud = cloud_of(drive);
	const struct profile *profile = &drive->profile;
	bool reads = request->op == DRIVE_READ;
	uint64_t base_ns = reads ? profile->read_ns : profile->write_ns, start_ns;

	start_ns = drive_pipe(&drive->command_free_ns, now_ns, now_ns, profile->command_ns);
	if (request->op == DRIVE_FLUSH || request->op == DRIVE_TRIM) {
		drive_complete(drive, request, drive->requests,
			       start_ns + (request->op == DRIVE_TRIM ? profile->trim_ns
								     : profile->flush_ns));
		return;
	}
	start_ns = max_u64(take(&cloud->iops, start_ns, 1),
			   take(&cloud->bytes, start_ns, request->bytes));
	if (profile->variation_ppm)
		base_ns = draw_normal(&drive->rng, base_ns,
				      muldiv_u64(base_ns, profile->variation_ppm, PROFILE_PPM));
	if (profile->jitter_ns)
		base_ns += draw_exponential(&drive->rng, profile->jitter_ns);
	base_ns += drive_transfer_ns(request->bytes, profile->link_bytes_s);
	drive_complete(drive, request, drive->requests, start_ns + base_ns);
}

/* An acknowledged write has been copied to other servers: nothing is lost. */
static void cloud_power_cut(struct drive *drive, uint64_t now_ns, const struct drive_lost *lost)
{
	(void)drive, (void)now_ns, (void)lost;
}

static void cloud_state(struct drive *drive, struct state_file *state)
{
	struct cloud *cloud = cloud_of(drive);

	state_field(state, cloud->iops.credits);
	state_field(state, cloud->bytes.credits);
}

const struct drive_ops drive_cloud = {
	.bytes = sizeof(struct cloud),
	.open = cloud_open,
	.submit = cloud_submit,
	.power_cut = cloud_power_cut,
	.state = cloud_state,
};
