-- One transaction may bring payments of several senders, who have nothing to do with each other: what one of them paid for says nothing of the
-- others'. On Solana the sender is '': there whoever signs a transaction has agreed to all of it. A process of the version before finds no key
-- to write by any more: it credits and sells nothing, and what it was asked to is done when it is asked again, or by one of this version.
alter table transaction_uses rename to former_uses;
alter index transaction_uses_pkey rename to former_uses_pkey;
create table transaction_uses (
  chain text not null,
  tx_hash text not null,
  from_address text not null,
  kind text not null check (kind in ('invoice', 'x402')),
  is_transfer boolean not null default false,
  primary key (chain, tx_hash, from_address)
);
insert into transaction_uses (chain, tx_hash, from_address, kind)
select distinct used.chain, used.tx_hash, case used.chain when 'solana' then '' else transfers.from_address end, used.kind
from former_uses as used join transfers using (chain, tx_hash)
where used.kind = 'invoice' and transfers.invoice_id is not null;
insert into transaction_uses (chain, tx_hash, from_address, kind, is_transfer)
select used.chain, used.tx_hash, case used.chain when 'solana' then '' else payment.payer end, 'x402',
  bool_or(payment.key like payment.network || ':transfer:%')
from former_uses as used join x402_payments as payment on payment.network = used.chain and payment.tx_hash = used.tx_hash
where used.kind = 'x402'
group by 1, 2, 3;
drop table former_uses;
