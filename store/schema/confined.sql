-- What was in force for the last process of each upstream, as a line for
-- operators. '' = it is no process, or was met before this was noted.
ALTER TABLE upstreams ADD COLUMN confined TEXT NOT NULL DEFAULT '';
