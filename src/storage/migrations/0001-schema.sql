-- Accounts and keys ---------------------------------------------------------------------------------------------------

-- The customers. A null signing secret means that the deployment's own secret signs.
create table accounts (
  id uuid primary key,
  name text not null,
  plan text not null check (plan in ('free', 'pro', 'enterprise')),
  requests_per_minute integer not null check (requests_per_minute > 0),
  requests_per_day integer not null check (requests_per_day > 0),
  wallets jsonb not null default '{}',
  signing_secret_sealed bytea,
  -- Still valid until then, after a rotation.
  previous_signing_secret_sealed bytea,
  previous_signing_secret_until timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);
-- Every process polls for recent changes to refresh its key cache.
create index accounts_changed on accounts (changed_at);

-- The owner of what the keyless x402 endpoints create. Nobody has a key of this account.
insert into accounts (id, name, plan, requests_per_minute, requests_per_day)
values ('00000000-0000-7000-8000-000000000402', 'This service', 'enterprise', 6000, 1000000);

-- Who an account is, as its payers read it. The logo is a PNG that the service has drawn itself.
create table account_profiles (
  account_id uuid primary key references accounts,
  name text,
  address text,
  country text,
  vat text,
  email text,
  website text,
  logo bytea,
  logo_sha256 text generated always as (encode(sha256(logo), 'hex')) stored
);

-- Bearer keys of accounts, by hash.
create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts,
  name text not null,
  hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  changed_at timestamptz not null default now()
);
create index api_keys_account on api_keys (account_id);
create index api_keys_changed on api_keys (changed_at);

-- Which SECRETS_KEY the database belongs to. The mark is derived from the key and does not reveal it.
-- Sealed under that key: what was derived from earlier ones, so that their references are still read.
create table secrets_key (
  only_one boolean primary key default true check (only_one),
  mark bytea not null,
  retired_sealed bytea,
  noted_at timestamptz not null default now()
);

-- Invoices ------------------------------------------------------------------------------------------------------------

-- The state of each invoice. `terms` never change; `progress` is the rest of the state. Only
-- storage/invoices reads these JSON texts. The other columns are what SQL needs.
create table invoices (
  id uuid primary key,
  account_id uuid not null,
  year smallint not null,
  -- What the account buys through the proxy has numbers of its own.
  is_purchase boolean not null,
  -- Gapless in the year's sales, or its purchases.
  number integer not null,
  -- Gapless in the year's invoices of both kinds: lists go by it.
  place integer not null,
  version integer not null,
  state text not null check (state in ('draft', 'sent', 'paid', 'settled', 'completed', 'failed')),
  -- What identifies a payment that names no invoice. Null: nothing does.
  owed_base bigint,
  chain text not null,
  pay_to text not null,
  -- What is due now: credit notes lower it.
  due_base bigint not null check (due_base >= 0),
  agent_id text,
  -- The wallet from which the invoice expects payment, if it names one.
  payer text,
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the settlement that is in force was found. Null: it is not settled.
  settled_at timestamptz,
  terms text not null,
  progress text not null,
  unique (account_id, year, place)
) with (fillfactor = 80);
-- An account that only sells, or only buys, needs no entries in this.
create unique index invoices_number on invoices (account_id, number, year, is_purchase) where number <> place;
-- The invoices that a transfer may mean, cent by cent of what they are owed. Hashed, because every
-- new invoice pays for the width of its entries.
create index invoices_owed on invoices (hashtextextended(chain || pay_to, owed_base / 10000), owed_base, account_id, created_at)
  where owed_base is not null and state <> 'failed';
create index invoices_payer on invoices (hashtextextended(chain || pay_to || payer, owed_base), account_id, created_at)
  where owed_base is not null and payer is not null and state <> 'failed';
create index invoices_expired on invoices (hashtextextended(chain || pay_to, owed_base / 10000), owed_base, account_id, due_at)
  where owed_base is not null and state = 'failed';
-- Those that are partly paid: a payer may not know, and send all that was due.
create index invoices_partly_paid on invoices (hashtextextended(chain || pay_to, due_base / 10000), due_base, account_id, created_at)
  where owed_base <> due_base;
create index invoices_settled on invoices (account_id, settled_at, year, place) where settled_at is not null;
create index invoices_expiring on invoices (due_at) where due_at is not null and state in ('draft', 'sent');

-- The last numbers given out by each account in each year; their sum is the last place.
create table invoice_numbers (
  account_id uuid not null,
  year smallint not null,
  last_sale integer not null,
  last_purchase integer not null,
  primary key (account_id, year)
) with (fillfactor = 50);

-- Notes that take back a part of an invoice. `terms` never change; `progress` is the state of their
-- refunds. Where a period's sales are counted, a note counts against them on the day it was issued.
create table credit_notes (
  id uuid primary key,
  account_id uuid not null,
  invoice_id uuid not null references invoices,
  year smallint not null,
  -- Null for the note of a seller from whom the account has bought.
  number integer,
  version integer not null,
  state text not null check (state in ('issued', 'refunded')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  terms text not null,
  progress text not null,
  -- Its issue or, if that is later, its invoice's settlement. Null while the invoice is not settled:
  -- then neither counts. Triggers write it.
  counted_at timestamptz,
  unique (account_id, year, number)
) with (fillfactor = 80);
create index credit_notes_account on credit_notes (account_id, id);
create index credit_notes_invoice on credit_notes (invoice_id);
create index credit_notes_counted on credit_notes (account_id, counted_at, id) where counted_at is not null;

-- What credit notes give back, one row for each payer of a note: what SQL needs of the notes'
-- `progress`. No transfer proves two refunds.
create table refunds (
  note_id uuid not null references credit_notes,
  account_id uuid not null,
  payer bytea not null,
  chain text not null,
  -- Null until one is named for what nobody sent.
  refund_to bytea,
  usdc_base bigint not null check (usdc_base > 0),
  -- The transfer that has paid it.
  tx_hash bytea,
  position integer,
  block_number bigint,
  block_time timestamptz,
  -- The newest block that was known when the note was issued, up to which block the chain has been
  -- searched since, and when it is searched next.
  issued_in bigint not null,
  looked_to bigint not null,
  look_at timestamptz not null,
  primary key (note_id, payer),
  check ((tx_hash is null) = (position is null) and (tx_hash is null) = (block_number is null) and (tx_hash is null) = (block_time is null))
) with (fillfactor = 80);
create index refunds_booked on refunds (account_id, block_time, chain, tx_hash, position) where tx_hash is not null;
create index refunds_proven on refunds (chain, block_number) where tx_hash is not null;
create index refunds_due on refunds (chain, look_at) where tx_hash is null;
create index refunds_open on refunds (chain, refund_to, usdc_base) where tx_hash is null;

-- The last number of each account's credit notes in each year.
create table credit_note_numbers (
  account_id uuid not null,
  year smallint not null,
  last_number integer not null,
  primary key (account_id, year)
) with (fillfactor = 50);

-- What requests with an idempotency key have made. `made` is JSON text that a repeat is answered
-- with; null where the subject's own row tells it.
create table idempotency_keys (
  account_id uuid not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  subject_id uuid not null,
  made text,
  created_at timestamptz not null,
  primary key (account_id, route, key)
  -- Old rows are deleted all the time. With the default factor, a scan from the old end would first
  -- pass over the dead ones.
) with (autovacuum_vacuum_scale_factor = 0.02);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Invoices that are partly paid, or paid and not yet settled. A trigger keeps it, as an index on
-- invoices would slow down every creation.
create table credited_invoices (
  account_id uuid not null,
  invoice_id uuid not null,
  primary key (account_id, invoice_id)
);

create function note_credited() returns trigger language plpgsql as $$
begin
  insert into credited_invoices
  select account_id, id from after where owed_base is distinct from due_base and state in ('draft', 'sent', 'paid') and not is_purchase
  on conflict do nothing;
  delete from credited_invoices as credited using after
  where (credited.account_id, credited.invoice_id) = (after.account_id, after.id) and (owed_base = due_base or state not in ('draft', 'sent', 'paid'));
  return null;
end
$$;
create trigger note_credited after update on invoices
  referencing new table as after
  for each statement execute function note_credited();

-- Events and outbox ---------------------------------------------------------------------------------------------------

-- The trail: what happened to each subject. The row of an invoice stands for its creation. Events that
-- happen to an invoice in one commit share a row.
create table events (
  subject_id uuid not null,
  -- Of the first event.
  sequence integer not null,
  account_id uuid not null,
  -- With a space between them.
  types text not null,
  -- JSON that subscribers read or, with a schema, what each event adds to an invoice: `trail.ts`.
  data text,
  created_at timestamptz not null,
  -- The form of data, and of what is told of the events. Null: of what is no invoice.
  schema smallint,
  primary key (subject_id, sequence),
  check (schema is not null or data is not null)
);
-- A row for each event. Those of invoices have no data of their own.
create view trail_steps as
  select subject_id, (sequence + place - 1)::integer as sequence, account_id, type, case when schema is null then data end as data,
    created_at
  from events cross join lateral string_to_table(types, ' ') with ordinality as step (type, place);

-- Events that are not yet fanned out, one row a commit.
create table outbox (
  id bigint generated always as identity primary key,
  subject_ids uuid[] not null,
  sequences integer[] not null,
  account_ids uuid[] not null,
  types text[] not null,
  created_at timestamptz not null default now(),
  -- JSON: the `traceparent` of each subject whose request is traced.
  trace text default nullif(current_setting('quittance.trace', true), '')
);

-- Budgets -------------------------------------------------------------------------------------------------------------

-- What each agent may spend. `holds` is JSON text that only storage/budgets reads: the sums of open
-- reservations by the time they expire.
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
  -- What purchases hold until the chain shows their payments.
  held_minor bigint not null default 0 check (held_minor >= 0),
  -- The version at which another process last lost a commit to us.
  contended_version integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, agent_id)
) with (fillfactor = 50);

-- Reservations of budgets. Committed ones stay as the record of what was spent.
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
create index budget_reservations_held on budget_reservations (expires_at) where state = 'held';
create index budget_reservations_unspent on budget_reservations (expires_at) where state in ('released', 'expired');

-- Mandates ------------------------------------------------------------------------------------------------------------

-- The state of each mandate. Terms and context are the texts that were signed: `jsonb` would change
-- numbers, order and duplicates.
create table mandates (
  id text primary key,
  account_id uuid not null,
  version integer not null,
  state text not null check (state in ('proposed', 'signed_by_proposer', 'signed_by_both', 'in_progress', 'completed', 'disputed', 'expired')),
  -- No index refers to `state`, so a transition is a heap-only update.
  is_over boolean not null generated always as (state in ('completed', 'disputed', 'expired')) stored,
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
  -- Payments bound to it, in millionths of its currency. Changes without the version.
  bound_micro numeric not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 60);
create index mandates_account on mandates (account_id, id);
create index mandates_expiring on mandates (expires_at) where not is_over;

-- The trail of each mandate. No foreign key: the statement that writes a transition writes its
-- mandate, and mandates are never deleted.
create table mandate_transitions (
  mandate_id text not null,
  sequence integer not null,
  id uuid not null default gen_random_uuid(),
  from_state text,
  to_state text not null,
  triggered_by text not null,
  metadata text not null,
  created_at timestamptz not null,
  primary key (mandate_id, sequence)
);

-- Settlement ----------------------------------------------------------------------------------------------------------

-- The wallets of the service, and every address at which an invoice was ever payable: what the watchers ask each chain about.
create table payment_addresses (
  chain text not null,
  address bytea not null,
  -- Set where the address was derived for one invoice (PAYMENT_ADDRESS_MODE=per_invoice).
  invoice_id uuid,
  derivation_index integer unique,
  -- The first account with an invoice there, and whether others have any. Those created without a
  -- key do not count.
  account_id uuid,
  is_shared boolean not null default false,
  -- When the balance was last compared with the recorded transfers, the last block at which both
  -- agreed, the balance there, and the part of the balance that transfers do not explain.
  checked_at timestamptz not null default '-infinity',
  agreed_block bigint,
  agreed_hash bytea,
  agreed_base bigint,
  unexplained_base bigint not null default 0,
  primary key (chain, address),
  check ((invoice_id is null) = (derivation_index is null)),
  check ((agreed_block is null) = (agreed_hash is null) and (agreed_block is null) = (agreed_base is null))
);
create index payment_addresses_check on payment_addresses (chain, checked_at);
create index payment_addresses_unexplained on payment_addresses (chain) where unexplained_base <> 0;

-- The amounts that payers were asked for, each of one invoice at its address. `for_base` is what was
-- left when it was asked; `usdc_base` is at most 999 more. It is free again once its invoice is
-- settled or void: for the same account at once, for others after 30 days.
create table asked_amounts (
  chain text not null,
  pay_to bytea not null,
  usdc_base bigint not null,
  invoice_id uuid not null references invoices,
  for_base bigint not null,
  asked_at timestamptz not null,
  primary key (chain, pay_to, usdc_base),
  unique (invoice_id, for_base)
);

-- The next free child of the operator's key. BIP-32 can derive 2^31 from a public key.
create sequence deposit_indexes as integer minvalue 0;

-- When the first address of each chain was recorded. No block before it can pay an invoice, so a
-- new watcher starts there.
create table chain_beginnings (
  chain text primary key,
  first_address_at timestamptz not null
);

create function note_beginnings() returns trigger language plpgsql as $$
begin
  insert into chain_beginnings select distinct chain, now() from inserted order by chain on conflict do nothing;
  return null;
end
$$;
create trigger note_beginnings after insert on payment_addresses
  referencing new table as inserted for each statement execute function note_beginnings();

-- How far each chain has been read. Blocks before `next_block` are confirmed and done;
-- `checkpoints`, [{number, hash}], reveal a reorganisation.
create table cursors (
  chain text primary key,
  next_block bigint not null,
  checkpoints text not null,
  version integer not null,
  updated_at timestamptz not null
);

-- How well each chain is being watched, for /readyz and /metrics. Unlogged: after a crash the next
-- step writes it again.
create unlogged table chain_watches (
  chain text primary key,
  -- The last step that succeeded, and the chain's head at that time.
  polled_at timestamptz,
  head_number bigint,
  head_at timestamptz,
  -- When the watcher last reached the head. An invoice fails only if that was after its due date.
  caught_up_at timestamptz,
  -- How the last step failed, if it did.
  fault text,
  -- What operators should know of its nodes, a line each.
  notes text,
  updated_at timestamptz not null
) with (fillfactor = 50);

-- Every USDC transfer to one of our addresses. It either pays an invoice or is held.
create table transfers (
  chain text not null,
  tx_hash bytea not null,
  position integer not null,
  block_number bigint not null,
  block_hash bytea not null,
  block_time timestamptz not null,
  from_address bytea not null,
  to_address bytea not null,
  usdc_base bigint not null check (usdc_base > 0),
  state text not null check (state in ('seen', 'confirmed', 'reverted')),
  invoice_id uuid,
  matched_by text,
  held_as text check (held_as in ('ambiguous', 'unmatched')),
  created_at timestamptz not null,
  -- It has a use, though no invoice is credited with it. The sweep marks it some minutes later.
  is_used boolean not null default false,
  -- Of the invoice, for the journal.
  account_id uuid,
  -- Its payment counts once a second node shows it.
  awaits_node boolean not null default false,
  primary key (chain, tx_hash, position),
  check ((invoice_id is null) = (matched_by is null)),
  check ((invoice_id is null) = (held_as is not null))
);
create index transfers_address on transfers (chain, to_address, block_number);
create index transfers_awaiting on transfers (chain) where awaits_node;
create index transfers_age on transfers (created_at);
create index transfers_block on transfers (chain, block_number);
create index transfers_account on transfers (account_id, block_time, chain, tx_hash, position) where account_id is not null;
create index transfers_held_from on transfers (chain, from_address, created_at) where held_as is not null and not is_used;
create index transfers_held on transfers (created_at) where held_as is not null;
create index transfers_held_to on transfers (chain, to_address, usdc_base) where held_as is not null and not is_used;
-- Without `state`, as each confirmation would then be written to the index too.
create index transfers_unexplained on transfers (created_at) where held_as is not null and not is_used;

-- What each transfer has paid, and for which account. This is the one place that says whether a
-- transfer is free: whatever lets one count inserts its row in the same statement, and a
-- reorganisation removes it in the statement that reverts. The subject is an invoice, a purchase's
-- invoice, a credit note, or a sale, by the hash of its payment's key.
create table transfer_uses (
  chain text not null,
  tx_hash bytea not null,
  position integer not null,
  kind text not null check (kind in ('invoice', 'sale', 'purchase', 'refund')),
  account_id uuid not null,
  subject_id uuid not null,
  primary key (chain, tx_hash, position)
);
create index transfer_uses_other on transfer_uses (tx_hash, chain, position) where kind <> 'invoice';

-- What a sender, or an operator, says that a transaction pays. A claim stays after it was applied:
-- a reorganisation may take the transaction back, and the watcher then applies it again.
create table claims (
  chain text not null,
  tx_hash bytea not null,
  payer bytea not null,
  invoice_id uuid not null,
  made_by text not null check (made_by in ('claim', 'operator')),
  signature text,
  key_id uuid references api_keys,
  -- An operator names one transfer. A reorganisation may move it; the amount then identifies it.
  position integer,
  usdc_base bigint,
  created_at timestamptz not null,
  unique nulls not distinct (chain, tx_hash, payer, invoice_id, position),
  check ((made_by = 'claim') = (signature is not null)),
  check ((made_by = 'operator') = (key_id is not null)),
  check ((made_by = 'operator') = (position is not null)),
  check ((made_by = 'operator') = (usdc_base is not null))
);
create index claims_age on claims (created_at);
create index claims_invoice on claims (invoice_id);

-- Totals --------------------------------------------------------------------------------------------------------------
-- A trigger keeps the totals, so that every statement that moves an invoice moves them in the same
-- commit, and a report never reads the invoices.

-- Sums of documents by the UTC day on which they count (invoices by settlement, credit notes by
-- issue) and by how they are taxed, in the smallest unit of the currency. Each document is rounded
-- before it is added, so months add up to the quarter. What is credited is positive, too.
create table tax_totals (
  account_id uuid not null,
  day date not null,
  kind text not null check (kind in ('sale', 'purchase', 'credit', 'purchase_credit')),
  currency text not null,
  country_code text,
  category text not null,
  rate_basis_points integer not null,
  -- Documents with such a share, and those of which it is the first: an invoice at two rates counts
  -- for both, and is one invoice.
  share_count bigint not null,
  document_count bigint not null,
  net_minor numeric not null,
  tax_minor numeric not null,
  -- What was due for these documents, with their first share.
  usdc_base numeric not null,
  unique nulls not distinct (account_id, day, kind, currency, country_code, category, rate_basis_points)
) with (fillfactor = 50);

-- Adds to the totals; negative figures take back. The triggers of all kinds of documents end in
-- this, each with an array of the shares that its statement has added or taken back:
--   perform count_totals(array_agg(row(account_id, day, 'credit', currency, …)::tax_totals)) from …
create function count_totals(shares tax_totals[]) returns void language plpgsql strict as $$
begin
  insert into tax_totals as total
  select account_id, day, kind, currency, country_code, category, rate_basis_points,
    sum(share_count), sum(document_count), sum(net_minor), sum(tax_minor), sum(usdc_base)
  from unnest(shares)
  group by account_id, day, kind, currency, country_code, category, rate_basis_points
  -- The same order everywhere, or the watchers of two chains could deadlock.
  order by account_id, day, kind, currency, country_code, category, rate_basis_points
  on conflict (account_id, day, kind, currency, country_code, category, rate_basis_points) do update set
    share_count = total.share_count + excluded.share_count,
    document_count = total.document_count + excluded.document_count,
    net_minor = total.net_minor + excluded.net_minor,
    tax_minor = total.tax_minor + excluded.tax_minor,
    usdc_base = total.usdc_base + excluded.usdc_base;
end
$$;

-- The part of terms that says how an invoice is taxed, as JSON. Its members precede `totalUnits` as
-- terms are written, and parsing only these is much cheaper. Otherwise it is the whole text.
create function taxed_part(terms text) returns text language sql immutable as $$
  select case when split_part(terms, ',"totalUnits":', 1) like '%,"currency":"%,"scale":%,"subtotalUnits":"%,"tax":{%'
    then split_part(terms, ',"totalUnits":', 1) || '}' else terms end
$$;

-- How an invoice is taxed: a row for each share, in the smallest unit of the currency, half up.
create function tax_shares(terms text) returns table (currency text, country_code text, category text, rate_basis_points integer,
  is_first boolean, net_minor numeric, tax_minor numeric)
language sql stable as $$
  select counted ->> 'currency', tax ->> 'countryCode', share.category, share.rate_basis_points, is_first,
    round(net_units / units_per_minor), round(tax_units / units_per_minor)
  from (select taxed_part(terms)::jsonb as counted offset 0) as part
  cross join lateral (
    select counted -> 'tax' as tax,
      10::numeric ^ ((counted ->> 'scale')::integer - coalesce(counted ->> 'minorScale', counted ->> 'scale')::integer) as units_per_minor
  ) as parts
  cross join lateral (
    select case when tax ->> 'countryCode' is null then 'outside_scope' else 'standard' end,
      (tax ->> 'rateBasisPoints')::integer, true, (counted ->> 'subtotalUnits')::numeric, (tax ->> 'taxUnits')::numeric
    where tax -> 'breakdown' is null
    union all
    select one ->> 'category', (one ->> 'rateBasisPoints')::integer, n = 1, (one ->> 'baseUnits')::numeric, (one ->> 'taxUnits')::numeric
    from jsonb_array_elements(tax -> 'breakdown') with ordinality as breakdown (one, n)
  ) as share (category, rate_basis_points, is_first, net_units, tax_units)
$$;

-- The same of a credit note.
create function credited_shares(terms text) returns table (currency text, country_code text, category text, rate_basis_points integer,
  is_first boolean, net_minor numeric, tax_minor numeric)
language sql stable as $$
  select note ->> 'currency', note ->> 'countryCode', one ->> 'category', (one ->> 'rateBasisPoints')::integer, n = 1,
    round((one ->> 'baseUnits')::numeric / units_per_minor), round((one ->> 'taxUnits')::numeric / units_per_minor)
  from (select terms::jsonb as note offset 0) as whole
  cross join lateral (
    select 10::numeric ^ ((note ->> 'scale')::integer - coalesce(note ->> 'minorScale', note ->> 'scale')::integer) as units_per_minor
  ) as parts
  cross join jsonb_array_elements(note -> 'breakdown') with ordinality as breakdown (one, n)
$$;

-- Counts the notes of these invoices on the days on which they now count. Of USDC, only what is to
-- be refunded: all else was never due when the invoice settled.
create function count_credits(invoice_ids uuid[]) returns void language plpgsql strict as $$
declare
  shares tax_totals[];
begin
  with due as (
    select note.id, counted_at as before_at, case when settled_at is not null then greatest(note.created_at, settled_at) end as after_at
    from credit_notes as note join invoices on invoices.id = invoice_id where invoice_id = any(invoice_ids)
  ),
  moved as (
    update credit_notes as note set counted_at = after_at from due
    where note.id = due.id and before_at is distinct from after_at
    returning account_id, number, terms, progress, before_at, after_at
  )
  select array_agg(row(account_id, day, kind, currency, country_code, category, rate_basis_points,
    change, case when is_first then change else 0 end, change * net_minor, change * tax_minor,
    case when is_first then change * refund_base else 0 end)::tax_totals) into shares
  from (
    select account_id, terms, (at at time zone 'UTC')::date as day, change, case when number is null then 'purchase_credit' else 'credit' end as kind,
      (select coalesce(sum((refund ->> 'usdcBase')::numeric), 0) from json_array_elements(progress::json -> 'refunds') as refund) as refund_base
    from moved cross join lateral (values (before_at, -1), (after_at, 1)) as times (at, change)
    where at is not null
  ) as counted, credited_shares(terms);
  perform count_totals(shares);
end
$$;

create function count_issued() returns trigger language plpgsql as $$
begin
  perform count_credits(array_agg(invoice_id)) from created;
  return null;
end
$$;
create trigger count_issued after insert on credit_notes
  referencing new table as created
  for each statement execute function count_issued();

create function count_settlements() returns trigger language plpgsql as $$
begin
  perform count_totals(array_agg(row(account_id, day, kind, currency, country_code, category, rate_basis_points,
    change, case when is_first then change else 0 end, change * net_minor, change * tax_minor,
    case when is_first then change * due_base else 0 end)::tax_totals))
  from (
    select after.account_id, after.terms, after.due_base, day, change,
      case when after.is_purchase then 'purchase' else 'sale' end as kind
    from after join before using (id)
    cross join lateral (values ((after.settled_at at time zone 'UTC')::date, 1), ((before.settled_at at time zone 'UTC')::date, -1))
      as moved (day, change)
    -- A settlement taken back is gone from the day on which it was counted.
    where after.settled_at is distinct from before.settled_at and day is not null
  ) as moved, tax_shares(terms);
  perform count_credits(array_agg(id)) from after join before using (id)
  where after.settled_at is distinct from before.settled_at;
  return null;
end
$$;
create trigger count_settlements after update on invoices
  referencing old table as before new table as after
  for each statement execute function count_settlements();

-- Public figures over all accounts, counted every night.
create table trust_signals (
  only_one boolean primary key default true check (only_one),
  generated_at timestamptz not null,
  receipts_issued bigint not null,
  mandates_anchored bigint not null,
  invoices_settled bigint not null,
  -- What can be counted on chain, as JSON: a list of contracts and senders.
  anchors text not null
);

-- Exchange rates ------------------------------------------------------------------------------------------------------

create table exchange_rates (
  source text primary key,
  -- The last good day, and USD for one unit of each currency on it; null before the first.
  as_of timestamptz,
  rates text,
  read_at timestamptz,
  attempted_at timestamptz not null
);

-- Purchases -----------------------------------------------------------------------------------------------------------

-- What accounts buy through the proxy: one row for each invoice made of an upstream's 402.
create table purchases (
  invoice_id uuid primary key,
  account_id uuid not null,
  version integer not null,
  -- A hash of method, URL and the request's body.
  resource bytea not null,
  -- What the upstream accepts, as JSON: [network, payTo, millionths of USDC] of each option.
  options text not null,
  -- The option that is paid; until then the first.
  chain text not null,
  pay_to bytea not null,
  usdc_base bigint not null check (usdc_base > 0),
  agent_id text,
  mandate_id text,
  demand_sha256 bytea,
  -- quoted: answers asks. replaced: payable, but a newer one answers. held: a payment is counted.
  -- paid: the upstream or the chain has it. settled: final on chain. over: nobody paid.
  state text not null check (state in ('quoted', 'replaced', 'held', 'paid', 'settled', 'over')),
  -- The payment that was claimed for it: how the chain knows it, and whether its payer signed it.
  payment_key text,
  payment_kind text check (payment_kind in ('eip3009', 'permit2', 'message', 'made', 'opaque')),
  payer text,
  nonce bytea,
  message text,
  valid_before timestamptz,
  is_proven boolean not null default false,
  -- The buyer's names for the purchase (x402's `payment-identifier`, `Idempotency-Key`), and the
  -- header that is sent again under them.
  payment_id text,
  idempotency_key text,
  payment_header text,
  first_forwarded_at timestamptz,
  forwarded_at timestamptz,
  tx_hash bytea,
  -- The transfer in that transaction that has paid it, and its block.
  position integer,
  settled_in bigint,
  -- What the agent's budget counts for it, in the period in which the payment was claimed.
  hold_minor bigint,
  hold_period integer,
  -- Whether an attempt is under way, and the one whose answer may still be handed over.
  is_forwarding boolean not null default false,
  attempt integer,
  created_at timestamptz not null,
  -- When the chain is asked about its payment or, of an unpaid one, when it is over.
  due_at timestamptz not null,
  check ((payment_key is null) = (state in ('quoted', 'replaced', 'over'))),
  check ((payment_key is null) = (payment_kind is null) and (payment_key is null) = (forwarded_at is null)),
  check ((hold_minor is null) = (hold_period is null)),
  check ((state = 'settled') = (settled_in is not null) and (state = 'settled') = (position is not null))
) with (fillfactor = 80);
create unique index purchases_quoted on purchases (account_id, resource, coalesce(agent_id, ''), coalesce(mandate_id, ''))
  where state = 'quoted';
create index purchases_payable on purchases (account_id, resource, invoice_id) where state in ('quoted', 'replaced');
create unique index purchases_payment on purchases (payment_key, account_id) where payment_key is not null;
create unique index purchases_identified on purchases (account_id, resource, payment_id) where payment_id is not null;
create unique index purchases_keyed on purchases (account_id, idempotency_key) where idempotency_key is not null;
create index purchases_open on purchases (chain, due_at) where state in ('held', 'paid');
create index purchases_unpaid on purchases (due_at) where state in ('quoted', 'replaced');
create index purchases_settled on purchases (chain, settled_in) where state = 'settled';
create index purchases_transaction on purchases (account_id, tx_hash) where tx_hash is not null;

-- What was handed over of the upstream's answer to the payment of a purchase.
create table purchase_deliveries (
  invoice_id uuid primary key,
  payment_key text not null,
  -- The last attempt whose answer is over.
  attempt integer not null,
  -- The best that was handed over, as JSON, and its rank.
  delivery text not null,
  worth smallint not null,
  -- For repeats under the same `Idempotency-Key`: the answer, with its headers as JSON.
  status smallint,
  headers text,
  body bytea,
  created_at timestamptz not null
);
create index purchase_deliveries_kept on purchase_deliveries (created_at) where body is not null;

-- Sales by x402 -------------------------------------------------------------------------------------------------------

-- Payments for what we sell. The row exists before anything is settled or delivered, and is deleted
-- only if the payment is known to have failed, so one payment buys one thing.
create table x402_payments (
  -- Identifies the payment: an EIP-3009 authorization by payer and nonce, a transfer by transaction.
  key text primary key,
  network text not null,
  payer bytea not null,
  -- Only the same payment for the same request gets the first answer again.
  payment_hash bytea not null,
  request_hash bytea not null,
  -- The payer's own name for the purchase: another payment of the payer with it buys nothing more.
  identifier text,
  state text not null check (state in ('claimed', 'pending', 'settled')),
  -- Known before the transaction is sent, if this service sends it.
  tx_hash bytea,
  -- Of the transfer that paid.
  position integer,
  valid_before timestamptz,
  -- What was to be paid: at least this much, to whom and in which token.
  usdc_base bigint not null,
  pay_to bytea not null,
  asset bytea not null,
  status smallint,
  body text,
  created_at timestamptz not null,
  check ((state = 'settled') = (position is not null) and (position is null or tx_hash is not null))
);
create unique index x402_payments_identifier on x402_payments (payer, identifier) where identifier is not null;
create index x402_payments_open on x402_payments (created_at) where state <> 'settled';
create index x402_payments_transaction on x402_payments (network, tx_hash) where tx_hash is not null;

-- Webhooks and deliveries ---------------------------------------------------------------------------------------------

-- The subscribers. The slot limits an account to 50 webhooks, however many requests come at once.
create table webhooks (
  id uuid primary key,
  account_id uuid not null references accounts,
  slot smallint not null check (slot between 1 and 50),
  url text not null,
  events text[] not null,
  secret_sealed bytea not null,
  -- Still signs until then, after a rotation.
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  active boolean not null default true,
  -- When it was last paused or disabled. Events from before that are still delivered.
  paused_at timestamptz,
  disabled_reason text,
  failing_since timestamptz,
  -- A failure long after the last one begins a new series.
  last_failed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index webhooks_account on webhooks (account_id, slot) where deleted_at is null;

-- Events that one webhook is to receive at one time, as one row: a row for each delivery and each
-- attempt costs more than delivering.
create table delivery_batches (
  id bigint generated always as identity primary key,
  webhook_id uuid not null,
  -- For retries: the batch that announced the events, and their places in it.
  origin bigint,
  places smallint[] not null,
  subject_ids uuid[] not null,
  sequences integer[] not null,
  is_test boolean not null default false,
  created_at timestamptz not null,
  -- Any worker may take it from then on, and puts it off while at work. Null: done.
  due_at timestamptz,
  -- A JSON array of the first attempts; null where `deliveries` has the delivery.
  log text
) with (autovacuum_vacuum_scale_factor = 0.02);
create index delivery_batches_due on delivery_batches (webhook_id, due_at) where due_at is not null;
create index delivery_batches_log on delivery_batches (webhook_id, id) where origin is null;

-- Deliveries whose first attempt failed.
create table deliveries (
  webhook_id uuid not null,
  batch_id bigint not null,
  place smallint not null,
  subject_id uuid not null,
  sequence integer not null,
  state text not null check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  attempts smallint not null default 0,
  next_attempt_at timestamptz not null,
  -- JSON objects of all attempts, oldest first, separated by commas.
  log text not null default '',
  is_test boolean not null default false,
  created_at timestamptz not null,
  primary key (batch_id, place)
) with (autovacuum_vacuum_scale_factor = 0.02);
create index deliveries_log on deliveries (webhook_id, batch_id, place);

-- Receipts and anchors ------------------------------------------------------------------------------------------------

-- Receipts that are anchored together: `root` of the tree over their hashes, in the order of their
-- `batch_index`.
create table receipt_batches (
  id uuid primary key,
  root bytea not null,
  size integer not null,
  created_at timestamptz not null
);

-- Receipts of settled sales and purchases, of agreements, of refunds and of the books of an account. At
-- most one is in force for each invoice or mandate; a credit note may have several refunds, and an
-- account has one for each month. One that was revoked before it had a place in a batch never gets one.
create table receipts (
  id text primary key,
  account_id uuid not null,
  kind text not null check (kind in ('settlement', 'purchase', 'agreement', 'refund', 'books')),
  subject_id uuid not null,
  -- The secret of which the salts of the claims are made.
  seed bytea not null,
  -- Canonical JSON: [name, value] of each claim, in order. Null: of a sale, where they follow from the
  -- invoice as it was at this version, and from the fee that was kept.
  claims text,
  invoice_version integer,
  fee_base bigint,
  hash bytea not null,
  issued_at timestamptz not null,
  revoked_at timestamptz,
  batch_id uuid,
  batch_index integer,
  check ((claims is null) = (invoice_version is not null) and (claims is null) = (fee_base is not null))
);
create unique index receipts_in_force on receipts (subject_id) where revoked_at is null and kind not in ('refund', 'books');
create index receipts_unbatched on receipts (issued_at, id) where batch_id is null and revoked_at is null;
create unique index receipts_batch on receipts (batch_id, batch_index) where batch_id is not null;

-- The receipts of the documents that accounts issued in months, each given by its first day. After
-- the month of its first document an account has one for every month that is over.
create table document_months (
  account_id uuid not null,
  month date not null,
  receipt_id text not null,
  primary key (account_id, month)
);

-- Transactions to the anchor contract, one for each nonce of a sender. The signed bytes are stored
-- before they are broadcast, so that after a crash the same bytes are sent again. `tx_hashes` are
-- all that were signed for the nonce, newest last; one of them will be mined.
create table anchor_transactions (
  id uuid primary key,
  chain_id bigint not null,
  sender bytea not null,
  contract bytea not null,
  nonce bigint not null,
  -- mined: a reorganisation may still undo it. deep: final. failed: the nonce is used up, so these
  -- bytes are never sent again, and the events are owed again.
  state text not null check (state in ('signed', 'broadcast', 'mined', 'deep', 'failed')),
  tx_hashes bytea[] not null,
  signed_bytes bytea not null,
  max_fee_per_gas numeric not null,
  max_priority_fee_per_gas numeric not null,
  block_number bigint,
  block_hash bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (chain_id, sender, nonce)
);
create index anchor_transactions_open on anchor_transactions (chain_id, sender, nonce)
  where state in ('signed', 'broadcast', 'mined');

-- The events owed to the anchor contract: roots of batches (the label is the number of receipts),
-- states of mandates (the label), and hashes of receipts that were revoked after they had a place in a
-- batch (no label). The subject is the batch or the mandate.
create table anchors (
  id uuid primary key,
  kind text not null check (kind in ('batch', 'mandate', 'revocation')),
  subject_id text not null,
  -- The order within a subject. Revocations of a batch have none among themselves.
  sequence integer not null,
  hash bytea not null,
  label text not null,
  state text not null check (state in ('pending', 'sent', 'anchored')),
  -- The invoices of a batch know. Nobody is told of the others.
  announced boolean not null default false,
  transaction_id uuid references anchor_transactions,
  chain_id bigint,
  contract bytea,
  tx_hash bytea,
  block_number bigint,
  log_index integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (kind, subject_id, sequence)
);
create index anchors_pending on anchors (created_at, sequence) where state = 'pending';
create index anchors_sent on anchors (created_at) where state = 'sent';
create index anchors_transaction on anchors (transaction_id) where transaction_id is not null;
create index anchors_unannounced on anchors (updated_at) where kind = 'batch' and state = 'anchored' and not announced;

-- Limits --------------------------------------------------------------------------------------------------------------

-- Requests admitted in the current minute and UTC day. Unlogged: a crash refills a window, and no
-- request waits for the disk.
create unlogged table request_windows (
  bucket text primary key,
  minute bigint not null,
  minute_used integer not null,
  day bigint not null,
  day_used integer not null,
  granted integer not null
) with (fillfactor = 50);

-- Audit log -----------------------------------------------------------------------------------------------------------

-- Who changed which account, profile, key, webhook or budget, or named an address for a refund. Rows are only added.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  account_id uuid not null,
  kind text not null check (kind in ('account', 'profile', 'key', 'webhook', 'budget', 'refund_address')),
  subject_id text not null,
  action text not null check (action in ('created', 'changed', 'revoked', 'deleted', 'secret_rotated')),
  -- The key that asked for the change, or the program that made it by itself.
  actor text not null,
  request_id text,
  before jsonb,
  after jsonb not null
);
create index audit_log_account on audit_log (account_id, id);

create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only ever added to';
end
$$;
create trigger audit_log_is_kept before update or delete or truncate on audit_log
  for each statement execute function refuse_rewriting();

-- Arguments of a trigger: the kind, the columns of account and subject, then the columns to show,
-- which never include secrets. `quittance.by` says who: JSON by '<account> <subject>'.
create function audit() returns trigger language plpgsql as $$
declare
  now_row jsonb := to_jsonb(new);
  was_row jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) end;
  shown text[] := tg_argv[3:];
  account text := now_row ->> tg_argv[1];
  subject text := now_row ->> tg_argv[2];
  said_by jsonb := nullif(current_setting('quittance.by', true), '')::jsonb -> (account || ' ' || subject);
begin
  -- The same secret under another SECRETS_KEY is no change of the account or webhook.
  if current_setting('quittance.resealing', true) = 'on' then return null; end if;
  insert into audit_log (account_id, kind, subject_id, action, actor, request_id, before, after) values (
    account::uuid, tg_argv[0], subject,
    case
      when was_row is null then 'created'
      when (was_row -> 'revoked_at') is distinct from (now_row -> 'revoked_at') then 'revoked'
      when (was_row -> 'deleted_at') is distinct from (now_row -> 'deleted_at') then 'deleted'
      when (was_row -> 'secret_sealed') is distinct from (now_row -> 'secret_sealed')
        or (was_row -> 'signing_secret_sealed') is distinct from (now_row -> 'signing_secret_sealed') then 'secret_rotated'
      else 'changed'
    end,
    -- The connections of the service are named after what they are for.
    coalesce(said_by ->> 'actor', regexp_replace(current_setting('application_name'), '^quittance (?!cli$).*', 'the service')),
    said_by ->> 'requestId',
    (select jsonb_object_agg(key, value) from jsonb_each(was_row) where key = any(shown)),
    (select jsonb_object_agg(key, value) from jsonb_each(now_row) where key = any(shown))
  );
  return null;
end
$$;

create trigger accounts_made after insert on accounts
  for each row execute function audit('account', 'id', 'id', 'name', 'plan', 'requests_per_minute', 'requests_per_day', 'wallets');
create trigger accounts_changed after update on accounts for each row
  when ((old.name, old.plan, old.requests_per_minute, old.requests_per_day, old.wallets, old.signing_secret_sealed)
    is distinct from (new.name, new.plan, new.requests_per_minute, new.requests_per_day, new.wallets, new.signing_secret_sealed))
  execute function audit('account', 'id', 'id', 'name', 'plan', 'requests_per_minute', 'requests_per_day', 'wallets');

create trigger profiles_made after insert on account_profiles
  for each row execute function audit('profile', 'account_id', 'account_id', 'name', 'address', 'country', 'vat', 'email', 'website', 'logo_sha256');
create trigger profiles_changed after update on account_profiles for each row
  when (old.* is distinct from new.*)
  execute function audit('profile', 'account_id', 'account_id', 'name', 'address', 'country', 'vat', 'email', 'website', 'logo_sha256');

create trigger keys_made after insert on api_keys
  for each row execute function audit('key', 'account_id', 'id', 'name', 'hint', 'scopes', 'expires_at', 'revoked_at');
create trigger keys_changed after update on api_keys for each row
  when ((old.name, old.hash, old.scopes, old.expires_at, old.revoked_at)
    is distinct from (new.name, new.hash, new.scopes, new.expires_at, new.revoked_at))
  execute function audit('key', 'account_id', 'id', 'name', 'hint', 'scopes', 'expires_at', 'revoked_at');

create trigger webhooks_made after insert on webhooks
  for each row execute function audit('webhook', 'account_id', 'id', 'url', 'events', 'active', 'disabled_reason');
create trigger webhooks_changed after update on webhooks for each row
  when ((old.url, old.events, old.active, old.secret_sealed, old.deleted_at)
    is distinct from (new.url, new.events, new.active, new.secret_sealed, new.deleted_at))
  execute function audit('webhook', 'account_id', 'id', 'url', 'events', 'active', 'disabled_reason');

-- What agents spend is in the reservations.
create trigger budgets_made after insert on budgets
  for each row execute function audit('budget', 'account_id', 'agent_id', 'currency', 'period', 'limit_minor', 'per_transaction_minor', 'active');
create trigger budgets_changed after update on budgets for each row
  when ((old.currency, old.period, old.limit_minor, old.per_transaction_minor, old.active)
    is distinct from (new.currency, new.period, new.limit_minor, new.per_transaction_minor, new.active))
  execute function audit('budget', 'account_id', 'agent_id', 'currency', 'period', 'limit_minor', 'per_transaction_minor', 'active');
