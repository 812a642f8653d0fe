-- What agents may spend, and what is promised of it. A row of `budgets` is the whole state of its actor: `holds` is JSON text that only
-- storage/budgets.ts reads, the sums of the open reservations by the moment they run out.

create table budgets (
  account_id uuid not null,
  agent_id text not null,
  version integer not null,
  currency text not null,
  period text not null check (period in ('day', 'week', 'month', 'total')),
  limit_minor bigint not null check (limit_minor >= 0),
  per_transaction_minor bigint check (per_transaction_minor >= 0),
  active boolean not null,
  period_number integer not null,
  period_start timestamptz not null,
  period_end timestamptz,
  spent_minor bigint not null check (spent_minor >= 0),
  holds text not null,
  -- The version at which somebody else's commit came too late last.
  contended_version integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, agent_id)
) with (fillfactor = 50);

-- Committed ones stay, as the record of what an agent has spent.
create table budget_reservations (
  id uuid primary key,
  account_id uuid not null,
  agent_id text not null,
  period_number integer not null,
  amount_minor bigint not null check (amount_minor > 0),
  state text not null check (state in ('held', 'committed', 'released', 'expired')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  closed_at timestamptz
) with (fillfactor = 80);
-- For the sweep: those that have run out, and those that can be forgotten.
create index budget_reservations_held on budget_reservations (expires_at) where state = 'held';
create index budget_reservations_unspent on budget_reservations (expires_at) where state in ('released', 'expired');
