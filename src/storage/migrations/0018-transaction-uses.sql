-- What a transaction has paid for: invoices, or something sold by x402. The watcher and the seller may take the same transaction in the same
-- moment, when neither can see what the other is writing: here one of the two finds the other's row, and gives way.
create table transaction_uses (
  chain text not null,
  tx_hash text not null,
  kind text not null check (kind in ('invoice', 'x402')),
  primary key (chain, tx_hash)
);
insert into transaction_uses (chain, tx_hash, kind)
select distinct chain, tx_hash, 'invoice' from transfers where invoice_id is not null;
insert into transaction_uses (chain, tx_hash, kind)
select network, tx_hash, 'x402' from x402_payments where tx_hash is not null
on conflict do nothing;
