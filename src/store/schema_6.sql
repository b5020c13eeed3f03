-- Schema 6: a run is kept from its start, with what it has done so far; plans have tags and remarks
-- as runs have. Never edited once it has shipped.
ALTER TABLE runs ADD COLUMN state TEXT NOT NULL DEFAULT 'done'; -- 'cut off': it has not ended
CREATE TABLE plan_tags (
	tag TEXT NOT NULL,
	plan_id INTEGER NOT NULL REFERENCES plans ON DELETE CASCADE,
	PRIMARY KEY (tag, plan_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX plan_tags_by_plan ON plan_tags (plan_id);
CREATE TABLE plan_remarks (
	plan_id INTEGER NOT NULL REFERENCES plans ON DELETE CASCADE,
	unix_ns INTEGER NOT NULL,
	text TEXT NOT NULL
) STRICT;
CREATE INDEX plan_remarks_by_plan ON plan_remarks (plan_id);

DROP VIEW run_list;
CREATE VIEW run_list AS
	SELECT 'r' || id AS run, datetime(started_unix_ns / 1000000000, 'unixepoch') AS started_utc,
		state, kind, title, simulated, target, device, host, span_ns / 1e9 AS seconds,
		(SELECT group_concat(tag, ',') FROM tags WHERE run_id = runs.id) AS tags
	FROM runs;
DROP VIEW plan_list;
CREATE VIEW plan_list AS
	SELECT 'p' || id AS plan, name, title,
		datetime(started_unix_ns / 1000000000, 'unixepoch') AS started_utc, state, scale,
		repetitions, (SELECT count(*) FROM plan_cells WHERE plan_id = plans.id) AS cells,
		(SELECT group_concat(tag, ',') FROM plan_tags WHERE plan_id = plans.id) AS tags
	FROM plans;
DROP VIEW remarks_and_notes;
CREATE VIEW remarks_and_notes AS
	SELECT 'r' || parts.run_id AS run, note,
		CASE severity WHEN 1 THEN 'warning' ELSE 'info' END AS severity, job, text
	FROM notes JOIN parts ON parts.id = notes.part_id
	UNION ALL
	SELECT 'r' || run_id, 'remark', 'person', NULL, text FROM remarks
	UNION ALL
	SELECT 'p' || plan_id, 'remark', 'person', NULL, text FROM plan_remarks;
