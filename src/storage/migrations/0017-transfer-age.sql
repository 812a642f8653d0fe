-- Operators list transfers newest first. The moment alone: what was recorded in one commit shares it, and is few enough to be sorted. It
-- only ever grows at its end, so a new transfer pays next to nothing for it.
create index transfers_age on transfers (created_at);
