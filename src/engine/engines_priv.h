/* The engines, one file each; engine.c lists them. */
#pragma once

#include "engine/engine.h"

extern const struct engine_ops engine_uring;
extern const struct engine_ops engine_aio;
extern const struct engine_ops engine_sync; /* sync.c: these five */
extern const struct engine_ops engine_psync;
extern const struct engine_ops engine_vsync;
extern const struct engine_ops engine_pvsync;
extern const struct engine_ops engine_pvsync2;
extern const struct engine_ops engine_posixaio;
extern const struct engine_ops engine_mmap;
extern const struct engine_ops engine_null;
extern const struct engine_ops engine_sim;
