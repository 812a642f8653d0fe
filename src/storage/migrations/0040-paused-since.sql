-- When the webhook was last paused or switched off: what happened before is still to be delivered to it, however late it is fanned out.
-- Null where it never was, or a process of the version before has done so; there nothing is fanned out to it any more.
alter table webhooks add column paused_at timestamptz;
