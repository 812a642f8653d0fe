-- When an attempt at a webhook has last failed: what failed long before says nothing of what fails now. Null where a process of the version
-- before has recorded the failures; there the five days begin anew.
alter table webhooks add column last_failed_at timestamptz;
