-- The outbox becomes a table of batches: one row a commit, however many events it holds, instead of a flag on every event and the
-- update that clears it. And an invoice's creation needs no row in its trail: the invoice is that row.

create table outbox (
  id bigint generated always as identity primary key,
  subject_ids uuid[] not null,
  sequences integer[] not null,
  account_ids uuid[] not null,
  types text[] not null,
  created_at timestamptz not null default now()
);

insert into outbox (subject_ids, sequences, account_ids, types)
select array_agg(subject_id), array_agg(sequence), array_agg(account_id), array_agg(type)
from (select *, row_number() over (order by created_at) as place from events where pending) as waiting
group by (place - 1) / 500;

drop index events_pending;
alter table events drop column pending;
delete from events where data is null;
alter table events alter column data set not null;
