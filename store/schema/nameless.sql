-- Actions of which the journal alone knows that they ran: their status tools are asked
-- what they are called.
CREATE INDEX actions_nameless ON actions (began)
    WHERE told_by = 'journal' AND external_id = '' AND state IN ('committed', 'accepted', 'partial');
