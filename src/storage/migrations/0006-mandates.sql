-- Mandates, the trail of their transitions, and signing secrets that can be rotated. The terms and the context are the texts that were
-- sent: `jsonb` would change numbers, order and duplicates, and so what was signed.

create table mandates (
  id text primary key,
  account_id uuid not null,
  version integer not null,
  state text not null check (state in ('proposed', 'signed_by_proposer', 'signed_by_both', 'in_progress', 'completed', 'disputed', 'expired')),
  proposer text not null,
  counterparty text not null,
  scope text not null,
  terms text not null,
  context text,
  expires_at timestamptz not null,
  canonical text not null,
  hash text not null,
  proposer_signature text,
  counterparty_signature text,
  signed_by_proposer_at timestamptz,
  signed_by_counterparty_at timestamptz,
  completed_at timestamptz,
  disputed_at timestamptz,
  dispute_reason text,
  receipt_id text,
  -- What payments have been bound to it, in millionths of its currency; moves without a transition, so without the version.
  bound_micro numeric not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 80);
create index mandates_account on mandates (account_id, id);
create index mandates_expiring on mandates (expires_at) where state in ('proposed', 'signed_by_proposer', 'signed_by_both', 'in_progress');

create table mandate_transitions (
  mandate_id text not null references mandates,
  sequence integer not null,
  id uuid not null default gen_random_uuid(),
  from_state text,
  to_state text not null,
  triggered_by text not null,
  metadata text not null,
  created_at timestamptz not null,
  primary key (mandate_id, sequence)
);

-- Null: the deployment's own secret counts. While an overlap lasts, so does what counted before the rotation.
alter table accounts
  alter column signing_secret_sealed drop not null,
  add column previous_signing_secret_sealed bytea,
  add column previous_signing_secret_until timestamptz;
