/* All SQL but the schema, in one place. */
#include "store/store_priv.h"

/* The cells of one thing: the directions of a run's first group of jobs, or of its first printed
 * row. Figures of different jobs, each the greatest, would be those of none. */
#define FIRST_THING                                                                \
	"(coalesce(part_id, 0), \"group\", name) = (SELECT coalesce(part_id, 0), " \
	"\"group\", name FROM cells WHERE run_id = runs.id ORDER BY id LIMIT 1)"

const char *const statement_texts[NSTATEMENT] = {
	[SAVE_RUN] =
		"INSERT INTO runs (uid, kind, title, program, host, target, device, serial, "
		"started_unix_ns, span_ns, written_bytes, uncertain_percent, incomplete, "
		"job_text, simulated, state, id) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
		"nullif(?,0)) ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, title = "
		"excluded.title, program = excluded.program, host = excluded.host, target = "
		"excluded.target, device = excluded.device, serial = excluded.serial, "
		"started_unix_ns = excluded.started_unix_ns, span_ns = excluded.span_ns, "
		"written_bytes = excluded.written_bytes, uncertain_percent = "
		"excluded.uncertain_percent, incomplete = excluded.incomplete, job_text = "
		"excluded.job_text, simulated = excluded.simulated, state = excluded.state",
	[CLEAR_PARTS] = "DELETE FROM parts WHERE run_id = ?",
	[CLEAR_CELLS] = "DELETE FROM cells WHERE run_id = ?",
	[CLEAR_HEALTH] = "DELETE FROM health WHERE run_id = ?",
	[FIND_PART] = "SELECT id FROM parts WHERE run_id = ? AND number = ?",
	[REMOVE_PART] = "DELETE FROM parts WHERE id = ?",
	[SET_PART] = "UPDATE parts SET document = ?2 WHERE id = ?1",
	[CLEAR_PART_CELLS] = "DELETE FROM cells WHERE part_id = ?",
	[CLEAR_PART_NOTES] = "DELETE FROM notes WHERE part_id = ?",
	[CLEAR_PART_TOTALS] = "DELETE FROM histograms WHERE part_id = ? AND row = -1",
	[SET_PROGRESS] = "UPDATE runs SET span_ns = ?2 - started_unix_ns, written_bytes = ?3 "
			 "WHERE id = ?1",
	[ADD_JOB_TEXT] = "UPDATE runs SET job_text = coalesce(job_text || char(10), '') || ?2 "
			 "WHERE id = ?1",
	[SAVE_TAG] = "INSERT OR IGNORE INTO tags (tag, run_id) VALUES (?,?)",
	[SAVE_REMARK] =
		"INSERT INTO remarks (run_id, unix_ns, text) SELECT ?1, ?2, ?3 WHERE NOT "
		"EXISTS (SELECT 1 FROM remarks WHERE run_id = ?1 AND unix_ns = ?2 AND "
		"text = ?3)",
	[SAVE_PART] = "INSERT INTO parts (run_id, number, name, load, repeat, document) VALUES "
		      "(?,?,?,?,?,?)",
	[SAVE_ENVIRONMENT] =
		"INSERT INTO environments (part_id, phase, document) VALUES (?,'run',?)",
	[SAVE_CELL] =
		"INSERT INTO cells (run_id, part_id, \"group\", direction, name, load, "
		"bs_bytes, depth, jobs, read_percent, repeat, ios, bytes, errors, printed, "
		"ios_per_s, bytes_per_s, mean_ns, p50_ns, p99_ns, p999_ns, p9999_ns, max_ns) "
		"VALUES (?,nullif(?,0),?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[SAVE_HISTOGRAM] = "INSERT INTO histograms (part_id, \"group\", direction, kind, row, "
			   "counts) VALUES (?,?,?,?,?,?)",
	[SAVE_ROW] =
		"INSERT INTO rows (part_id, row, direction, begin_ns, end_ns, partial, ios, "
		"bytes, errors, mean_ns, p50_ns, p99_ns, p999_ns, max_ns) VALUES "
		"(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[SAVE_NOTE] = "INSERT INTO notes (part_id, number, note, severity, job, text) VALUES "
		      "(?,?,?,?,?,?)",
	[SAVE_VITAL_CHANNEL] = "INSERT INTO vital_channels (part_id, channel, kind, name, "
			       "unit, step_ns, rows) VALUES (?,?,?,?,?,?,?) ON CONFLICT DO "
			       "UPDATE SET rows = excluded.rows",
	[CLEAR_VITALS] = "DELETE FROM vital_channels WHERE part_id = ?",
	[SAVE_VITAL] = "INSERT INTO vital_rows (part_id, channel, row, value) VALUES (?,?,?,?)",
	[SAVE_HEALTH] =
		"INSERT OR REPLACE INTO health (run_id, plan_id, number, phase, device, "
		"field, value, unit) VALUES (nullif(?1, 0), nullif(?2, 0), CASE WHEN ?2 "
		"THEN ?3 END, ?4, ?5, ?6, ?7, ?8)",
	[ADD_NOTE] =
		"INSERT INTO notes (part_id, number, note, severity, job, text) SELECT id, "
		"(SELECT coalesce(max(number) + 1, 0) FROM notes WHERE part_id = parts.id), "
		"?2, ?3, ?4, ?5 FROM parts WHERE run_id = ?1 ORDER BY parts.number DESC "
		"LIMIT 1",
	[FIND_UID] = "SELECT id, state = 'done' FROM runs WHERE uid = ?",
	[FIND_RUN] = "SELECT id FROM runs WHERE id = ?",
	[FIND_TAG] = "SELECT run_id FROM tags WHERE tag = ? ORDER BY run_id",
	[FIND_LAST] = "SELECT id FROM runs WHERE plan_id IS NULL ORDER BY id DESC LIMIT 1 "
		      "OFFSET ?",
	[LOAD_RUN] =
		"SELECT uid, kind, title, program, started_unix_ns, span_ns, written_bytes, "
		"uncertain_percent, incomplete, job_text, state <> 'done' FROM runs WHERE id "
		"= ?",
	[LOAD_TAGS] = "SELECT tag FROM tags WHERE run_id = ? ORDER BY tag",
	[LOAD_REMARKS] = "SELECT unix_ns, text FROM remarks WHERE run_id = ? ORDER BY rowid",
	[LOAD_PARTS] =
		"SELECT id, name, load, repeat, parts.document, environments.document FROM "
		"parts LEFT JOIN environments ON part_id = id AND phase = 'run' WHERE "
		"run_id = ? ORDER BY number",
	[LOAD_HISTOGRAMS] = "SELECT \"group\", direction, kind, counts FROM histograms WHERE "
			    "part_id = ? AND row = -1",
	[COUNT_ROWS] = "SELECT coalesce(max(row) + 1, 0), count(*), (SELECT kind FROM "
		       "histograms WHERE part_id = ?1 AND \"group\" = -1 AND row >= 0 LIMIT 1) "
		       "FROM rows WHERE part_id = ?1",
	[LOAD_DIR_HISTOGRAMS] = "SELECT row, counts FROM histograms WHERE part_id = ? AND "
				"\"group\" = -1 AND direction = ? AND kind = ? AND row >= 0 "
				"ORDER BY row",
	[LOAD_ROWS] =
		"SELECT row, direction, begin_ns, end_ns, partial, ios, bytes, errors, "
		"mean_ns, p50_ns, p99_ns, p999_ns, max_ns FROM rows WHERE part_id = ? ORDER BY "
		"row, direction",
	[LOAD_NOTES] =
		"SELECT note, severity, job, text FROM notes WHERE part_id = ? ORDER BY number",
	[LOAD_VITAL_CHANNELS] = "SELECT channel, kind, name, step_ns, rows FROM vital_channels "
				"WHERE part_id = ? ORDER BY channel",
	[LOAD_VITALS] = "SELECT channel, row, value FROM vital_rows WHERE part_id = ?",
	[EACH_VITAL] = "SELECT kind, vital_channels.name, step_ns, row, value FROM parts JOIN "
		       "vital_channels ON part_id = parts.id JOIN vital_rows USING (part_id, "
		       "channel) WHERE run_id = ? AND NOT (kind = 'cpu' AND "
		       "vital_channels.name GLOB 'cpu*') ORDER BY part_id, channel, row",
	[LOAD_PRINTED] =
		"SELECT direction, name, load, bs_bytes, depth, jobs, read_percent, "
		"repeat, printed, ios_per_s, bytes_per_s, mean_ns, p50_ns, p99_ns, "
		"p999_ns, p9999_ns, max_ns FROM cells WHERE run_id = ? AND part_id IS NULL "
		"ORDER BY id",
	[LIST_RUNS] =
		"SELECT id, started_unix_ns, span_ns, kind, title, device, host, (SELECT "
		"group_concat(tag, ', ') FROM tags WHERE run_id = runs.id), (SELECT count(*) "
		"FROM cells WHERE run_id = runs.id), (SELECT sum(ios_per_s) FROM cells WHERE "
		"run_id = runs.id AND " FIRST_THING "), (SELECT sum(bytes_per_s) FROM cells "
		"WHERE run_id = runs.id AND " FIRST_THING "), (SELECT name FROM cells WHERE "
		"run_id = runs.id ORDER BY id LIMIT 1), (SELECT count(DISTINCT "
		"coalesce(part_id || ' ' || \"group\", name)) FROM cells WHERE run_id = "
		"runs.id), state <> 'done', incomplete FROM (SELECT * FROM runs WHERE (?1 "
		"IS NULL OR id IN (SELECT run_id FROM tags WHERE tag = ?1)) AND (plan_id IS "
		"NULL OR ?1 IS NOT NULL OR ?2 IS NOT NULL) AND (?2 IS NULL OR target = ?2 OR "
		"device = ?2 OR serial = ?2 OR id IN (SELECT run_id FROM tags WHERE tag = ?2)) "
		"ORDER BY id DESC LIMIT ?3) AS runs ORDER BY id",
	[REMOVE_TAG] = "DELETE FROM tags WHERE tag = ? AND run_id = ?",
	[REMOVE_RUN] = "DELETE FROM runs WHERE id = ?",
	[FORGET_RUN] = "DELETE FROM runs WHERE uid = ? AND state <> 'done'",
	[ALL_UIDS] = "SELECT id, uid FROM runs ORDER BY id",
	[GET_META] = "SELECT value FROM meta WHERE key = ?",
	[SAVE_PLAN] =
		"INSERT INTO plans (uid, name, title, text, settings, targets, scale, "
		"repetitions, spec, state, started_unix_ns) VALUES "
		"(coalesce(?11, lower(hex(randomblob(16)))),?1,?2,?3,?4,?5,?6,?7,?8,?9,?10) "
		"RETURNING id, uid",
	[SAVE_PLAN_CELL] =
		"INSERT INTO plan_cells (plan_id, number, target, repetition, step, pass, "
		"round, cell, load, state, step_name, cell_name, run_id, began_unix_ns, "
		"span_ns, written_bytes, errors, intervals, zero_intervals, moved_percent, "
		"note, health, base_ios_per_s, burst_ios_per_s, burst_s) VALUES (?,?,?,?,?,?,"
		"?,?,?,?,?,?,nullif(?,0),?,?,?,?,?,?,?,?,?,?,?,?)",
	[SAVE_PLAN_FIGURES] =
		"INSERT INTO plan_figures (plan_id, number, direction, ios, ios_per_s, "
		"bytes_per_s, mean_ns, p50_ns, p99_ns, p999_ns, p9999_ns, max_ns, counts) "
		"VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[SAVE_PLAN_JUDGED] =
		"INSERT INTO plan_judged (plan_id, number, place, rule, outcome, value, "
		"threshold, measured, allowed) VALUES (?,?,?,?,?,?,?,?,?)",
	[SAVE_PLAN_ROUND] =
		"INSERT INTO plan_rounds (plan_id, target, repetition, step, pass, variable, "
		"attained, first_round, rounds, mean, slope, range_percent, slope_percent) "
		"VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[SAVE_PLAN_VERDICT] =
		"INSERT INTO verdicts (plan_id, target, repetition, step, step_name, "
		"cell_name, rule, outcome, value, threshold, text) VALUES "
		"(?,?,?,?,?,?,?,?,?,?,?)",
	[SET_PLAN_RUN] = "UPDATE runs SET plan_id = ?2, step = ?3, cell = ?4, round = ?5, "
			 "repetition = ?6 WHERE id = ?1",
	[SET_PLAN_STATE] = "UPDATE plans SET state = ?2, ended_unix_ns = nullif(?3, 0) WHERE "
			   "id = ?1",
	[SET_PLAN_TARGETS] = "UPDATE plans SET targets = ?2 WHERE id = ?1",
	[CLEAR_PLAN_ROUNDS] = "DELETE FROM plan_rounds WHERE plan_id = ?",
	[CLEAR_PLAN_VERDICTS] = "DELETE FROM verdicts WHERE plan_id = ?",
	[FIND_PLAN] = "SELECT id FROM plans WHERE id = ?",
	[FIND_PLAN_UID] = "SELECT id, state FROM plans WHERE uid = ?",
	[FIND_PLAN_CELL] = "SELECT 1 FROM plan_cells WHERE plan_id = ? AND number = ?",
	[PLAN_RUNS] = "SELECT id FROM runs WHERE plan_id = ? ORDER BY id",
	[ALL_PLANS] = "SELECT id FROM plans ORDER BY id",
	[LAST_PLAN] = "SELECT id FROM plans ORDER BY id DESC LIMIT 1",
	[LOAD_PLAN] = "SELECT uid, name, title, text, settings, scale, repetitions, spec, "
		      "state, started_unix_ns, coalesce(ended_unix_ns, 0), "
		      "json_array_length(targets), (SELECT count(*) FROM plan_cells WHERE "
		      "plan_id = id), (SELECT count(*) FROM plan_rounds WHERE plan_id = id), "
		      "(SELECT count(*) FROM verdicts WHERE plan_id = plans.id) FROM plans "
		      "WHERE id = ?",
	[LOAD_PLAN_TARGETS] =
		"SELECT json_extract(value, '$.path'), json_extract(value, '$.model'), "
		"json_extract(value, '$.serial'), json_extract(value, '$.firmware'), "
		"json_extract(value, '$.size_bytes'), json_extract(value, '$.token'), "
		"coalesce(json_extract(value, '$.parallel'), 0), "
		"json_extract(value, '$.found'), "
		"coalesce(json_extract(value, '$.max_write_bytes'), 0) "
		"FROM plans, json_each(targets) "
		"WHERE plans.id = ? ORDER BY key",
	[LOAD_PLAN_CELLS] =
		"SELECT number, target, repetition, step, pass, round, cell, load, state, "
		"step_name, cell_name, coalesce(run_id, 0), began_unix_ns, span_ns, "
		"written_bytes, errors, intervals, zero_intervals, moved_percent, note, "
		"health, (SELECT uid FROM runs WHERE runs.id = run_id), base_ios_per_s, "
		"burst_ios_per_s, burst_s FROM plan_cells WHERE plan_id = ? ORDER BY number",
	[LOAD_PLAN_FIGURES] =
		"SELECT number, direction, ios, ios_per_s, bytes_per_s, mean_ns, p50_ns, "
		"p99_ns, p999_ns, p9999_ns, max_ns, counts FROM plan_figures WHERE plan_id = "
		"? ORDER BY number",
	[LOAD_PLAN_JUDGED] =
		"SELECT number, rule, outcome, value, threshold, measured, allowed, "
		"count(*) OVER (PARTITION BY number) FROM plan_judged WHERE plan_id = ? "
		"ORDER BY number, place",
	[LOAD_PLAN_ROUNDS] =
		"SELECT target, repetition, step, pass, variable, attained, first_round, "
		"rounds, mean, slope, range_percent, slope_percent FROM plan_rounds WHERE "
		"plan_id = ? ORDER BY repetition, target, step, pass, variable",
	[LOAD_PLAN_VERDICTS] =
		"SELECT target, repetition, step, step_name, cell_name, rule, outcome, value, "
		"threshold, text FROM verdicts WHERE plan_id = ? ORDER BY id",
	[LIST_PLANS] =
		"SELECT id, started_unix_ns, name, title, state, (SELECT group_concat("
		"json_extract(value, '$.path'), ', ') FROM json_each(targets)), (SELECT "
		"count(*) FROM plan_cells WHERE plan_id = plans.id), scale, (SELECT "
		"group_concat(tag, ', ') FROM plan_tags WHERE plan_id = plans.id), uid FROM plans "
		"WHERE (?1 = 0 OR state IN ('running', 'stopped')) AND (?2 IS NULL OR id IN "
		"(SELECT plan_id FROM plan_tags WHERE tag = ?2)) ORDER BY id",
	[SAVE_PLAN_TAG] = "INSERT OR IGNORE INTO plan_tags (tag, plan_id) VALUES (?,?)",
	[REMOVE_PLAN_TAG] = "DELETE FROM plan_tags WHERE tag = ? AND plan_id = ?",
	[FIND_PLAN_TAG] = "SELECT plan_id FROM plan_tags WHERE tag = ? ORDER BY plan_id",
	[LOAD_PLAN_TAGS] = "SELECT tag FROM plan_tags WHERE plan_id = ? ORDER BY tag",
	[SAVE_PLAN_REMARK] =
		"INSERT INTO plan_remarks (plan_id, unix_ns, text) SELECT ?1, ?2, ?3 WHERE NOT "
		"EXISTS (SELECT 1 FROM plan_remarks WHERE plan_id = ?1 AND unix_ns = ?2 AND "
		"text = ?3)",
	[LOAD_PLAN_REMARKS] =
		"SELECT unix_ns, text FROM plan_remarks WHERE plan_id = ? ORDER BY rowid",
	[REMOVE_PLAN_RUNS] = "DELETE FROM runs WHERE plan_id = ?",
	[REMOVE_PLAN] = "DELETE FROM plans WHERE id = ?",
};
