/* Dies and channels. */
#include "sim/flash.h"

#include "base/bits.h"
#include "sim/draw.h"
#include "sim/drive_priv.h"

void flash_init(struct flash *flash, struct arena *arena, const struct profile *profile)
{
	*flash = (struct flash){
		.ndies = (uint32_t)(profile->channels * profile->dies),
		.nchannels = (uint32_t)profile->channels,
		.unit_bytes = profile->planes * profile->page_bytes,
		.read_ns = profile->flash_read_ns,
		.program_ns = profile->flash_program_ns,
		.erase_ns = profile->flash_erase_ns,
		.slc_program_ns = profile->slc_program_ns,
		.suspend_ns = profile->suspend_ns,
		.variation_ppm = profile->variation_ppm,
		.channel_bytes_s = profile->channel_bytes_s,
	};
	flash->dies = arena_array(arena, struct flash_die, flash->ndies);
	flash->channels_ns = arena_array(arena, uint64_t, flash->nchannels);
	rng_seed(&flash->rng, profile->seed, 3);
}

static uint64_t varied(struct flash *flash, uint64_t ns)
{
	if (!flash->variation_ppm)
		return ns;
	return draw_normal(&flash->rng, ns, muldiv_u64(ns, flash->variation_ppm, PROFILE_PPM));
}

/* What waits is begun, one program after the other, while there is time before `now_ns`. */
static void work_off(struct flash_die *die, uint64_t program_ns, uint64_t now_ns)
{
	uint64_t room, begun;

	if (die->busy_ns >= now_ns)
		return;
	if (!die->queued_ns)
		return;
	room = now_ns - die->busy_ns;
	begun = (room + program_ns - 1) / program_ns * program_ns;
	begun = min_u64(begun, die->queued_ns);
	die->busy_ns += begun;
	die->queued_ns -= begun;
}

uint64_t flash_read(struct flash *flash, uint32_t die, uint64_t bytes, uint64_t now_ns)
{
	struct flash_die *d = &flash->dies[die];
	uint64_t start, transfer_ns, end;

	work_off(d, flash->program_ns, now_ns);
	start = max_u64(d->read_ns, now_ns);
	if (d->busy_ns > start) {
		uint64_t rest_ns = d->busy_ns - start; /* of the program at work */

		if (flash->suspend_ns && rest_ns > flash->suspend_ns) {
			d->queued_ns += rest_ns - flash->suspend_ns; /* it goes on later */
			rest_ns = flash->suspend_ns;
		}
		start += rest_ns;
	}
	end = start + varied(flash, flash->read_ns);
	d->busy_ns = d->read_ns = end;
	transfer_ns = drive_transfer_ns(bytes, flash->channel_bytes_s);
	return drive_queue(&flash->channels_ns[die % flash->nchannels], end, transfer_ns);
}

uint64_t flash_program(struct flash *flash, uint32_t die, uint64_t program_ns,
		       uint64_t extra_ns, uint64_t now_ns)
{
	struct flash_die *d = &flash->dies[die];
	uint64_t transfer_ns = drive_transfer_ns(flash->unit_bytes, flash->channel_bytes_s);
	uint64_t ready_ns = drive_pipe(&flash->channels_ns[die % flash->nchannels], now_ns,
				       now_ns, transfer_ns);

	work_off(d, flash->program_ns, now_ns);
	if (d->busy_ns < ready_ns && !d->queued_ns)
		d->busy_ns = ready_ns;
	d->queued_ns += varied(flash, program_ns) + extra_ns;
	return d->busy_ns + d->queued_ns;
}

void flash_load_all(struct flash *flash, uint64_t ns, uint64_t now_ns)
{
	for (uint32_t i = 0; i < flash->ndies; i++) {
		work_off(&flash->dies[i], flash->program_ns, now_ns);
		flash->dies[i].busy_ns = max_u64(flash->dies[i].busy_ns, now_ns);
		flash->dies[i].queued_ns += ns;
	}
}

uint64_t flash_end_ns(const struct flash *flash)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < flash->ndies; i++)
		end = max_u64(end, flash->dies[i].busy_ns + flash->dies[i].queued_ns);
	return end;
}
