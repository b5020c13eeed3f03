#include "trace/fz_write.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/bits.h"
#include "trace/fzsample.h"
#include "trace/write_priv.h"

struct fz_writer {
	int fd;
	size_t chunk_bytes, packed_bytes, used;
	uint8_t *chunk, *packed;
};

struct fz_writer *fz_writer_new(int fd, uint64_t chunk_bytes, struct err *err)
{
	struct fz_writer *writer = calloc(1, sizeof(*writer));

	chunk_bytes = chunk_bytes ? chunk_bytes : FZ_CHUNK_BYTES;
	chunk_bytes = min_u64(max_u64(chunk_bytes, FZ_CHUNK_BYTES_MIN), FZ_CHUNK_BYTES_MAX);
	if (writer) {
		writer->fd = fd;
		writer->chunk_bytes = chunk_bytes;
		writer->packed_bytes = compressBound(chunk_bytes + FZSAMPLE_BYTES_MAX);
		writer->chunk = malloc(chunk_bytes + FZSAMPLE_BYTES_MAX);
		writer->packed = malloc(writer->packed_bytes);
		if (writer->chunk && writer->packed)
			return writer;
	}
	fz_writer_free(writer);
	return (void)err_env(err, -ENOMEM, "no memory to write a packed log"), NULL;
}

int fz_writer_end(struct fz_writer *writer, struct err *err)
{
	uLongf bytes = writer->packed_bytes;
	size_t used = writer->used;

	writer->used = 0;
	if (!used)
		return 0;
	/* The bound leaves room for whatever comes: memory is all that can be short. */
	if (compress2(writer->packed, &bytes, writer->chunk, used, Z_BEST_SPEED) != Z_OK)
		return err_env(err, -ENOMEM, "no memory to pack a log");
	return trace_write(writer->fd, writer->packed, bytes, err);
}

int fz_writer_add(struct fz_writer *writer, const struct sample *sample, struct err *err)
{
	writer->used += fzsample_from(sample, writer->chunk + writer->used);
	return writer->used >= writer->chunk_bytes ? fz_writer_end(writer, err) : 0;
}

void fz_writer_free(struct fz_writer *writer)
{
	if (!writer)
		return;
	free(writer->chunk);
	free(writer->packed);
	free(writer);
}
