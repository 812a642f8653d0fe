-- Whatever the keyless x402 endpoints create belongs to the service itself. Nobody has a key of this account.
insert into accounts (id, name, plan, requests_per_minute, requests_per_day, signing_secret_sealed)
values ('00000000-0000-7000-8000-000000000402', 'This service', 'enterprise', 6000, 1000000, null);

-- A proof of payment buys one thing once. `key` names the payment for ever: an EIP-3009 authorization by its payer and nonce, or a transfer
-- by its transaction. The row is there before anything is settled or delivered; only a proof that is known to have paid nothing loses it.
create table x402_payments (
  key text primary key,
  network text not null,
  payer text not null,
  -- Who sends the same proof gets the first answer; who knows no more than its key does not.
  proof_hash text not null,
  -- What is bought: the same proof buys nothing else.
  request_hash text not null,
  state text not null check (state in ('claimed', 'pending', 'settled')),
  -- Known before the transaction is sent, where this service sends it.
  tx_hash text,
  valid_before timestamptz,
  status smallint,
  body text,
  created_at timestamptz not null,
  check (state <> 'settled' or tx_hash is not null)
);
-- A transfer that was settled for a signed payment is no second payment.
create unique index x402_payments_transfer on x402_payments (network, tx_hash) where tx_hash is not null;
create index x402_payments_open on x402_payments (created_at) where state <> 'settled';
