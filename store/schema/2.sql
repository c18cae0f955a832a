-- What each upstream declared when it was last met: a JSON object as sent, and
-- the JSON string of its instructions. '' = nothing, or too long to keep.
ALTER TABLE upstreams ADD COLUMN capabilities TEXT NOT NULL DEFAULT '';
ALTER TABLE upstreams ADD COLUMN instructions TEXT NOT NULL DEFAULT '';
