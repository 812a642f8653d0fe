-- What is due to one webhook at one time is announced, claimed and recorded as one row. A row for every delivery, a version of it for every step
-- and a row for every attempt had cost more than delivering. Only what does not get through at once has a row of its own in `deliveries`.

create table delivery_batches (
  id bigint generated always as identity primary key,
  webhook_id uuid not null,
  -- The batch in which they were announced, for deliveries that are tried again. Null: this is it.
  origin bigint,
  -- Which deliveries of that batch these are.
  places smallint[] not null,
  subject_ids uuid[] not null,
  sequences integer[] not null,
  is_test boolean not null default false,
  created_at timestamptz not null,
  -- From when on anybody may take it; who does puts it off until he cannot be at it any more. Null: done with.
  due_at timestamptz,
  -- A JSON array of what the first attempts came to, null where `deliveries` has it. Null as a whole before them.
  log text
);
create index delivery_batches_due on delivery_batches (webhook_id, due_at) where due_at is not null;
create index delivery_batches_log on delivery_batches (webhook_id, id) where origin is null;

insert into delivery_batches (webhook_id, places, subject_ids, sequences, is_test, created_at, log)
select webhook_id, '{0}', array[subject_id], array[sequence], is_test, created_at, '[null]' from deliveries order by created_at, id;

-- The log: what every attempt came to, JSON objects, oldest first, with commas between them.
alter table deliveries add column batch_id bigint, add column place smallint, add column log text not null default '';
update deliveries set batch_id = batch.id, place = 0, log = (
  select coalesce(string_agg(json_build_object('attempt', attempt, 'startedAt', to_char(started_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'durationMs', duration_ms, 'statusCode', status_code, 'error', error, 'responseExcerpt', response_excerpt)::text, ',' order by attempt), '')
  from delivery_attempts where delivery_id = deliveries.id
)
from delivery_batches as batch
where batch.webhook_id = deliveries.webhook_id and subject_ids[1] = subject_id and sequences[1] = sequence;

insert into delivery_batches (webhook_id, origin, places, subject_ids, sequences, is_test, created_at, due_at)
select webhook_id, batch_id, '{0}', array[subject_id], array[sequence], is_test, now(), next_attempt_at from deliveries where state = 'pending';

drop table delivery_attempts;
drop index deliveries_due, deliveries_log;
alter table deliveries
  drop constraint deliveries_webhook_id_fkey,
  drop constraint deliveries_webhook_id_subject_id_sequence_key,
  drop column id,
  drop column account_id,
  drop column leased_until,
  drop column updated_at,
  add primary key (batch_id, place),
  reset (fillfactor);
create index deliveries_log on deliveries (webhook_id, batch_id, place);
