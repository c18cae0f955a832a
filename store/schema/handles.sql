CREATE TABLE handles (
	key    TEXT NOT NULL,
	holder TEXT NOT NULL,
	until  INTEGER NOT NULL,
	PRIMARY KEY (key, holder)
) STRICT, WITHOUT ROWID;
CREATE INDEX handles_until ON handles (until);
