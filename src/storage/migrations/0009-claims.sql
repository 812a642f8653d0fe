-- The wallet an invoice expects to be paid from, for the few invoices that name one.
alter table invoices add column payer text;
update invoices set payer = terms::json ->> 'payer' where payable and terms::json ->> 'payer' is not null;
create index invoices_payer on invoices (payer, due_base) where payable and payer is not null;

-- What a transaction's sender, or an operator, has said it pays. A claim outlives the credit it led to: if the transaction is mined
-- again after a reorganisation, or was not there yet, the watcher applies it. `signature` is the payer's, `key_id` the operator's.
create table claims (
  chain text not null,
  tx_hash text not null,
  payer text not null,
  invoice_id uuid not null,
  made_by text not null check (made_by in ('claim', 'operator')),
  signature text,
  key_id uuid references api_keys,
  created_at timestamptz not null,
  primary key (chain, tx_hash, payer, invoice_id),
  check ((made_by = 'claim') = (signature is not null)),
  check ((made_by = 'operator') = (key_id is not null))
);
create index claims_invoice on claims (invoice_id);
create index claims_age on claims (created_at);
