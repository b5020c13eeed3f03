-- Schema 8: what a policy says of the run behind each thing that a plan did (judged_by=). Never edited
-- once it has shipped.
CREATE TABLE plan_judged (
	plan_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	place INTEGER NOT NULL,           -- in the order of the policies' checks
	rule TEXT NOT NULL,
	outcome TEXT NOT NULL,            -- pass, fail, cannot tell, not applicable
	value REAL, threshold REAL,       -- NULL: unknown, or of more than one comparison
	measured TEXT NOT NULL,           -- with where in the run
	allowed TEXT NOT NULL,
	PRIMARY KEY (plan_id, number, place),
	FOREIGN KEY (plan_id, number) REFERENCES plan_cells ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
