-- What accounts buy through the proxy: one row for each invoice made of an upstream's 402, and what has become of its payment.
-- `resource` names method and URL by their hash. Of the payment: `proof` names it, `authorizer` and `nonce` find it on chain.

create table purchases (
  invoice_id uuid primary key,
  account_id uuid not null,
  resource text not null,
  chain text not null,
  pay_to text not null,
  usdc_base bigint not null check (usdc_base > 0),
  agent_id text,
  -- quoted: nobody has paid. forwarding: on its way to the upstream. refused: it did not take it. unknown: nobody knows whether it did.
  -- paid: it says that it did. settled: so does the chain. lapsed: it can be taken no more, and was not.
  state text not null check (state in ('quoted', 'forwarding', 'refused', 'unknown', 'paid', 'settled', 'lapsed')),
  proof text,
  authorizer text,
  nonce text,
  valid_before timestamptz,
  tx_hash text,
  position integer,
  reservation_id uuid,
  reserved_minor bigint,
  reserved_currency text,
  forwarded_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 80);
-- A payment buys one thing, and a transfer is the payment of one.
create unique index purchases_proof on purchases (account_id, proof) where proof is not null;
create unique index purchases_transfer on purchases (account_id, chain, tx_hash, position) where position is not null;
create index purchases_payable on purchases (account_id, resource, invoice_id) where state in ('quoted', 'refused', 'lapsed');
create index purchases_open on purchases (chain, updated_at) where state in ('forwarding', 'unknown', 'paid');
