-- An operator says of one transfer what it pays, and of no other of its transaction. `position` is where it was when he said so: a
-- reorganisation may put it elsewhere, and `usdc_base` is what it is known by then. Null for a payer, who claims all that he sent.
alter table claims
  drop constraint claims_pkey,
  add column position integer,
  add column usdc_base bigint,
  add unique nulls not distinct (chain, tx_hash, payer, invoice_id, position);
insert into claims (chain, tx_hash, payer, invoice_id, made_by, key_id, created_at, position, usdc_base)
select chain, tx_hash, payer, invoice_id, made_by, key_id, claims.created_at, transfers.position, transfers.usdc_base
from claims join transfers using (chain, tx_hash, invoice_id)
where made_by = 'operator' and matched_by = 'operator' and from_address = payer and transfers.state <> 'reverted';
delete from claims where made_by = 'operator' and position is null;
alter table claims
  add check ((made_by = 'operator') = (position is not null)),
  add check ((made_by = 'operator') = (usdc_base is not null));

-- Which payable invoices a transfer of this amount could mean: of each account the oldest open ones, and the oldest that have expired.
-- As narrow as the index it replaces.
drop index invoices_payable;
create index invoices_payable on invoices (due_base, account_id, (state = 'failed'), created_at) where payable;
