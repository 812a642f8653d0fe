-- When an attempt at a webhook has last failed: what failed long before says nothing of what fails now. Null where a process of the version
-- before has recorded the failures; there the five days begin anew.
alter table webhooks add column last_failed_at timestamptz;

-- The mandate that a purchase's invoice is bound to, and when that was given back because nobody paid. A process of the version
-- before knows of none: what it makes is bound to none, and it may pay what is under a mandate as if it were not.
alter table purchases add column mandate_id text, add column released_at timestamptz;
create index purchases_bound on purchases (updated_at)
  where mandate_id is not null and released_at is null and state in ('quoted', 'refused', 'lapsed');
