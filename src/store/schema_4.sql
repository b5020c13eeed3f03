-- Schema 4: the health of drives before and after each run, and each step of a plan. The table of
-- schema 1 was never filled. Never edited once it has shipped.
DROP TABLE health;
CREATE TABLE health (
	run_id INTEGER REFERENCES runs ON DELETE CASCADE,
	plan_id INTEGER, number INTEGER,  -- of a plan's journal, which stands without its runs
	phase TEXT NOT NULL,              -- before, after
	device TEXT NOT NULL,             -- nvme0n1, sim:nvme-enterprise
	field TEXT NOT NULL,              -- host_written_bytes (device/health.h)
	value INTEGER NOT NULL,           -- what is unknown has no line
	unit TEXT NOT NULL,
	FOREIGN KEY (plan_id, number) REFERENCES plan_cells ON DELETE CASCADE,
	CHECK ((run_id IS NULL) = (plan_id IS NOT NULL AND number IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX health_of_run ON health (run_id, phase, device, field)
	WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX health_of_cell ON health (plan_id, number, phase, device, field)
	WHERE plan_id IS NOT NULL;

-- The same with what is no number (who was asked, why it did not tell), as the journal is read
-- back: JSON, an array of {device, before, after}.
ALTER TABLE plan_cells ADD COLUMN health TEXT;

CREATE VIEW drive_health AS
	SELECT 'r' || run_id AS run, device, field, unit,
		max(CASE phase WHEN 'before' THEN value END) AS before,
		max(CASE phase WHEN 'after' THEN value END) AS after,
		max(CASE phase WHEN 'after' THEN value END)
			- max(CASE phase WHEN 'before' THEN value END) AS change
	FROM health WHERE run_id IS NOT NULL GROUP BY run_id, device, field;
CREATE VIEW plan_health AS
	SELECT 'p' || plan_id AS plan, number, target, repetition, step_name, cell_name, round,
		device, field, unit,
		max(CASE phase WHEN 'before' THEN value END) AS before,
		max(CASE phase WHEN 'after' THEN value END) AS after,
		max(CASE phase WHEN 'after' THEN value END)
			- max(CASE phase WHEN 'before' THEN value END) AS change
	FROM health JOIN plan_cells USING (plan_id, number)
	GROUP BY plan_id, number, device, field;
