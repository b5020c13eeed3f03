-- Schema 2: a run on a model says so. Never edited: what stands here has been written to files.
ALTER TABLE runs ADD COLUMN simulated INTEGER NOT NULL DEFAULT 0; -- 1: never a measurement
DROP VIEW run_list;
CREATE VIEW run_list AS
	SELECT 'r' || id AS run, datetime(started_unix_ns / 1000000000, 'unixepoch') AS started_utc,
		kind, title, simulated, target, device, host, span_ns / 1e9 AS seconds,
		(SELECT group_concat(tag, ',') FROM tags WHERE run_id = runs.id) AS tags
	FROM runs;
