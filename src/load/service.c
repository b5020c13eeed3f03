#include "load/service.h"

#include "base/assert.h"

void service_reset(struct service *service)
{
	service->opened = service->nalive = service->window;
	for (unsigned i = 0; i < service->nalive; i++)
		service->alive[i] = i;
	service->current = 0;
	service->every_left = service->every;
}

static bool is_uneven(const struct service *service)
{
	return service->spread != NULL;
}

void service_init(struct service *service, const struct job_spec *spec, unsigned count,
		  uint64_t seed, struct arena *arena)
{
	const struct file_service_rule *rule = &spec->file_service_type;
	static const enum dist_kind dist_of[] = {
		[FILE_SERVICE_ZIPF] = DIST_ZIPF,
		[FILE_SERVICE_PARETO] = DIST_PARETO,
		[FILE_SERVICE_NORMAL] = DIST_NORMAL,
	};

	assert(count > 0);
	service->kind = rule->kind;
	service->count = service->window = count;
	service->every = rule->every ? rule->every : 1;
	rng_seed(&service->rng, seed, 2);
	service->alive = arena_array(arena, uint32_t, count);
	if (rule->kind >= FILE_SERVICE_ZIPF) {
		struct dist dist = {
			.kind = dist_of[rule->kind], .value = rule->value, .center = -1};

		service->spread = arena_new(arena, struct spread);
		spread_init(service->spread, &dist, count, 1, seed);
	} else if (spec->openfiles && spec->openfiles < count) {
		service->window = spec->openfiles;
	}
	service_reset(service);
}

static uint32_t choose(struct service *service)
{
	uint32_t next = service->current + 1;

	switch (service->kind) {
	case FILE_SERVICE_SEQUENTIAL:
		return service->current;
	case FILE_SERVICE_RANDOM:
		return (uint32_t)rng_below(&service->rng, service->nalive);
	case FILE_SERVICE_ZIPF:
	case FILE_SERVICE_PARETO:
	case FILE_SERVICE_NORMAL:
		return (uint32_t)spread_next(service->spread, &service->rng, OP_READ);
	case FILE_SERVICE_ROUNDROBIN:
	default:
		return next < service->nalive ? next : 0;
	}
}

/* `every_left` is full at the start: then the ring begins with its first lane, and the random
 * services draw. */
uint32_t service_next(struct service *service)
{
	debug_assert(service->nalive > 0);
	if (service->every_left == 0) {
		service->current = choose(service);
		service->every_left = service->every;
	} else if (service->every_left == service->every &&
		   service->kind >= FILE_SERVICE_RANDOM) {
		service->current = choose(service);
	}
	service->every_left--;
	return service->alive[service->current];
}

bool service_lane_done(struct service *service)
{
	if (is_uneven(service))
		return true;
	service->every_left = service->every;
	if (service->opened < service->count) {
		service->alive[service->current] = service->opened++;
		return false;
	}
	service->nalive--;
	for (unsigned i = service->current; i < service->nalive; i++)
		service->alive[i] = service->alive[i + 1];
	if (service->current >= service->nalive)
		service->current = 0;
	return false;
}
