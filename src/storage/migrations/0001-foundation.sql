-- Accounts, keys, invoices, their trail and outbox, webhooks and deliveries,
-- chain cursors and transfers, receipts and anchors, request limits.

create table accounts (
  id uuid primary key,
  name text not null,
  plan text not null check (plan in ('free', 'pro', 'enterprise')),
  requests_per_minute integer not null check (requests_per_minute > 0),
  requests_per_day integer not null check (requests_per_day > 0),
  wallets jsonb not null default '{}',
  signing_secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);

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
-- Every process reads what changed since its last look to keep its key cache honest.
create index api_keys_changed on api_keys (changed_at);
create index accounts_changed on accounts (changed_at);

create table invoice_numbers (
  account_id uuid not null,
  year smallint not null,
  last_number integer not null,
  primary key (account_id, year)
) with (fillfactor = 50);

-- `terms` never changes after creation, `progress` is the rest of the actor's state; both are
-- JSON text that only domain/invoice.ts reads. The columns beside them are what SQL must know.
create table invoices (
  id uuid primary key,
  account_id uuid not null,
  year smallint not null,
  number integer not null,
  version integer not null,
  state text not null check (state in ('draft', 'sent', 'paid', 'settled', 'completed', 'failed')),
  payable boolean not null,
  chain text not null,
  pay_to text not null,
  due_base bigint not null check (due_base > 0),
  agent_id text,
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  terms text not null,
  progress text not null,
  unique (account_id, year, number)
) with (fillfactor = 80);
-- Which payable invoices a transfer of this amount could mean. Narrow, as every new invoice pays for it; the few rows of one amount
-- are told apart by chain and address in the table itself.
create index invoices_payable on invoices (due_base, account_id, id) where payable;
create index invoices_expiring on invoices (due_at) where due_at is not null and state in ('draft', 'sent');

-- One row is the trail, the audit record and (while pending) the outbox entry of one event.
create table events (
  subject_id uuid not null,
  sequence integer not null,
  account_id uuid not null,
  type text not null,
  -- What subscribers read. Null for invoice.created: the invoice's terms say it all, and never change.
  data text,
  created_at timestamptz not null,
  pending boolean not null,
  primary key (subject_id, sequence)
);
create index events_pending on events (created_at) where pending;

create table idempotency_keys (
  account_id uuid not null,
  route text not null,
  key text not null,
  request_hash bytea not null,
  status smallint not null,
  body text not null,
  subject_id uuid,
  created_at timestamptz not null,
  primary key (account_id, route, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- The slot keeps an account at 50 webhooks, however many requests come at once.
create table webhooks (
  id uuid primary key,
  account_id uuid not null references accounts,
  slot smallint not null check (slot between 1 and 50),
  url text not null,
  events text[] not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  active boolean not null default true,
  disabled_reason text,
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz
);
create unique index webhooks_account on webhooks (account_id, slot) where deleted_at is null;

create table deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks,
  account_id uuid not null,
  subject_id uuid not null,
  sequence integer not null,
  state text not null check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  attempts smallint not null default 0,
  next_attempt_at timestamptz not null,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (webhook_id, subject_id, sequence)
) with (fillfactor = 70);
create index deliveries_due on deliveries (next_attempt_at) where state = 'pending';

create table delivery_attempts (
  delivery_id uuid not null references deliveries on delete cascade,
  attempt smallint not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status_code smallint,
  error text,
  response_excerpt text,
  primary key (delivery_id, attempt)
);

-- Every address an invoice has ever asked to be paid at: what the watcher asks each chain about.
create table payment_addresses (
  chain text not null,
  address text not null,
  primary key (chain, address)
);

-- Blocks before `next_block` are confirmed and done; `checkpoints` is [{number, hash}] of block hashes seen, by which a
-- reorganisation is noticed.
create table cursors (
  chain text primary key,
  next_block bigint not null,
  checkpoints text not null,
  version integer not null,
  updated_at timestamptz not null
);

-- Every USDC transfer to one of our addresses, credited or not. The key is what makes a credit unique.
create table transfers (
  chain text not null,
  tx_hash text not null,
  position integer not null,
  block_number bigint not null,
  block_hash text not null,
  block_time timestamptz not null,
  from_address text not null,
  to_address text not null,
  usdc_base bigint not null check (usdc_base > 0),
  state text not null check (state in ('seen', 'confirmed', 'reverted')),
  invoice_id uuid,
  matched_by text,
  held_as text check (held_as in ('ambiguous', 'unmatched')),
  created_at timestamptz not null,
  primary key (chain, tx_hash, position),
  check ((invoice_id is null) = (matched_by is null)),
  check ((invoice_id is null) = (held_as is not null))
);
create index transfers_block on transfers (chain, block_number);
create index transfers_held on transfers (created_at) where held_as is not null;

create table receipts (
  id text primary key,
  account_id uuid not null,
  kind text not null check (kind in ('settlement', 'agreement')),
  subject_id uuid not null,
  preimage text not null,
  hash text not null,
  issued_at timestamptz not null,
  revoked_at timestamptz
);
-- One receipt in force per settled invoice.
create unique index receipts_in_force on receipts (subject_id) where revoked_at is null;

-- One row per nonce of a sender. Signed bytes are stored before they are broadcast, so a crash sends the same bytes again and no
-- event is emitted twice; `tx_hashes` are all that were ever signed for the nonce, newest last: one of them will be mined.
create table anchor_transactions (
  id uuid primary key,
  chain_id bigint not null,
  sender text not null,
  contract text not null,
  nonce bigint not null,
  state text not null check (state in ('signed', 'broadcast', 'mined')),
  tx_hashes text[] not null,
  signed_bytes text not null,
  max_fee_per_gas numeric not null,
  max_priority_fee_per_gas numeric not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (chain_id, sender, nonce)
);
create index anchor_transactions_open on anchor_transactions (chain_id, sender, nonce) where state <> 'mined';

-- One row per on-chain event owed. `label` is the receipt id or the mandate state; within a subject, `sequence` is the order.
-- `announced`: the receipt's invoice, or the mandate, has been told.
create table anchors (
  id uuid primary key,
  kind text not null check (kind in ('receipt', 'mandate')),
  subject_id text not null,
  sequence integer not null,
  hash text not null,
  label text not null,
  state text not null check (state in ('pending', 'sent', 'anchored', 'cancelled')),
  announced boolean not null default false,
  transaction_id uuid references anchor_transactions,
  chain_id bigint,
  contract text,
  tx_hash text,
  block_number bigint,
  log_index integer,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (kind, subject_id, sequence)
);
create index anchors_pending on anchors (created_at, sequence) where state = 'pending';
create index anchors_sent on anchors (transaction_id) where state = 'sent';
create index anchors_unannounced on anchors (updated_at) where state = 'anchored' and not announced;

-- Counters of requests admitted in the running minute and UTC day. Unlogged: losing them in a crash
-- refills a window, and no request waits for the disk.
create unlogged table request_windows (
  bucket text primary key,
  minute bigint not null,
  minute_used integer not null,
  day bigint not null,
  day_used integer not null,
  granted integer not null
) with (fillfactor = 50);
