/*
 * Writes samples as fio's log_store_compressed does: NAME.log.fz, which `fio --inflate-log`
 * reads, and trace_open(). One zlib stream for each chunk, so that a torn end costs a chunk.
 * Memory is two chunks. One owner.
 */
#pragma once

#include "base/err.h"
#include "trace/sample.h"

#define FZ_CHUNK_BYTES	   (1u << 20) /* of samples, before they are packed */
#define FZ_CHUNK_BYTES_MIN (1u << 12)
#define FZ_CHUNK_BYTES_MAX (1u << 24)

struct fz_writer;

/* `fd` stays the caller's. `chunk_bytes` is brought within the bounds; 0: FZ_CHUNK_BYTES. */
struct fz_writer *fz_writer_new(int fd, uint64_t chunk_bytes, struct err *err);
int fz_writer_add(struct fz_writer *writer, const struct sample *sample, struct err *err);
/* What has gathered goes out as a stream of its own; samples may follow. */
int fz_writer_end(struct fz_writer *writer, struct err *err);
void fz_writer_free(struct fz_writer *writer);
