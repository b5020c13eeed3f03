#include "engine/engine.h"

#include "base/assert.h"
#include "base/bits.h"
#include "base/str.h"
#include "engine/engines_priv.h"

const struct engine_ops *const engine_all[] = {
	&engine_uring,	 &engine_aio,  &engine_psync, &engine_pvsync,
	&engine_pvsync2, &engine_sync, &engine_vsync, &engine_posixaio,
	&engine_mmap,	 &engine_null, &engine_sim,   NULL,
};

const struct engine_ops *engine_find(const char *name)
{
	for (unsigned i = 0; engine_all[i]; i++)
		if (str_equal(engine_all[i]->name, name))
			return engine_all[i];
	return NULL;
}

/* Operations that the job asks for and the engine does not know. */
static const char *engine_lacks(const struct engine_ops *ops, const struct job_spec *spec)
{
	if (spec->rw.does[OP_READ] && !(ops->caps & ENGINE_READ))
		return "read";
	if (spec->rw.does[OP_WRITE] && !(ops->caps & ENGINE_WRITE))
		return "write";
	if (spec->rw.does[OP_TRIM] && !(ops->caps & ENGINE_TRIM))
		return "trim";
	if ((spec->fsync || spec->fdatasync) && !(ops->caps & ENGINE_SYNC))
		return "sync";
	return NULL;
}

int engine_check(const struct engine_ops *ops, const struct job_spec *spec, struct err *err)
{
	const char *lacks = engine_lacks(ops, spec);

	if (lacks)
		return err_input(err, "ioengine: \"%s\" cannot %s: choose another engine",
				 ops->name, lacks);
	return ops->check ? ops->check(spec, err) : 0;
}

int engine_open(const struct engine_ops *ops, const struct engine_setup *setup,
		struct engine **ret_engine, struct err *err)
{
	struct engine *engine;
	int rc = engine_check(ops, setup->spec, err);

	if (rc)
		return rc;
	assert(setup->depth >= 1);
	assert(ops->size_bytes >= sizeof(*engine));
	engine = arena_alloc(setup->arena, ops->size_bytes, CACHE_LINE_BYTES);
	engine->ops = ops;
	engine->targets = setup->targets;
	engine->ntargets = setup->ntargets;
	rc = ops->open ? ops->open(engine, setup, err) : 0;
	if (rc)
		return rc;
	*ret_engine = engine;
	return 0;
}

int engine_start(struct engine *engine, struct err *err)
{
	return engine->ops->start ? engine->ops->start(engine, err) : 0;
}

void engine_close(struct engine *engine)
{
	if (engine && engine->ops->close)
		engine->ops->close(engine);
}
