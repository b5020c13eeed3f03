/* The logs that a run wrote, in the native JSON. */
#include "base/bits.h"
#include "result/native_json_priv.h"
#include "result/native_json_read_priv.h"

const char *const log_state_names[NLOG_STATES] = {"open", "unchecked", "agrees", "differs"};

void native_json_logs(struct json *json, const struct result *result)
{
	json_open_array(json, "logs");
	for (unsigned i = 0; i < result->nlogs; i++) {
		const struct log_result *log = &result->logs[i];

		json_open_object(json, NULL);
		json_add_string(json, "path", log->path);
		json_add_string(json, "kind", log->kind);
		json_add_string(json, "totals", log_state_names[log->state]);
		json_add_u64(json, "ios", log->rows);
		json_add_u64(json, "bytes", log->rows_bytes);
		json_add_u64(json, "run_ios", log->ios);
		json_add_u64(json, "run_bytes", log->ios_bytes);
		json_close_object(json);
	}
	json_close_array(json);
}

void native_json_read_logs(struct json_reader *reader, const json_t *root,
			   struct result *result)
{
	const json_t *logs = json_read_array(reader, root, "logs");
	unsigned count = (unsigned)json_array_size(logs);

	result->logs = arena_array(reader->arena, struct log_result, count + 1UL);
	for (unsigned i = 0; i < count && !reader->rc; i++) {
		const json_t *one = json_array_get(logs, i);
		const char *path = json_read_text(reader, one, "path");
		const char *kind = json_read_text(reader, one, "kind");

		result->logs[i] = (struct log_result){
			.path = path ? path : "",
			.kind = kind ? kind : "",
			.state = (enum log_state)json_read_word(reader, one, "totals",
								log_state_names, NLOG_STATES),
			.rows = json_read_u64(reader, one, "ios"),
			.rows_bytes = json_read_u64(reader, one, "bytes"),
			.ios = json_read_u64(reader, one, "run_ios"),
			.ios_bytes = json_read_u64(reader, one, "run_bytes"),
		};
	}
	result->nlogs = count;
}
