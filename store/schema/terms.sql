-- Under which terms a ticket was asked: who may answer, and where the call goes. A ticket
-- from before has none, and counts under any.
ALTER TABLE tickets ADD COLUMN terms TEXT NOT NULL DEFAULT '';
