-- A facilitator may settle several signed payments by one transaction: each buys what it was signed for. A transfer that was made before it
-- was presented is its whole transaction, which then buys nothing else.
alter table transaction_uses add column is_transfer boolean not null default false;
update transaction_uses as used set is_transfer = true
from x402_payments as payment
where used.kind = 'x402' and payment.network = used.chain and payment.tx_hash = used.tx_hash and payment.key like payment.network || ':transfer:%';
drop index x402_payments_transfer;
create index x402_payments_transaction on x402_payments (network, tx_hash) where tx_hash is not null;
