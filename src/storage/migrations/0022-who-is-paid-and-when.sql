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

-- A step that takes a settlement back may settle the invoice anew, on another day: it leaves the one day for the other.
create or replace function count_days() returns trigger language plpgsql as $$
begin
  insert into settled_days as total
  select account_id, day, sum(change), sum(change * due_base)
  from (
    select after.account_id, after.due_base, 1 as change,
      case when before.state in ('settled', 'completed') then settled_on(after.progress, after.updated_at)
        -- The commit that settles an invoice is the last to have changed it.
        else (after.updated_at at time zone 'UTC')::date
      end as day
    from after join before using (id)
    where after.state = 'settled'
    union all
    -- As it was before, when it still knew its day. What completes stays where it is counted.
    select before.account_id, before.due_base, -1, settled_on(before.progress, before.updated_at)
    from after join before using (id)
    where before.state in ('settled', 'completed') and after.state <> 'completed'
  ) as moved
  group by account_id, day
  -- In one order everywhere, or the watchers of two chains could wait for each other.
  order by account_id, day
  on conflict (account_id, day) do update set
    invoice_count = total.invoice_count + excluded.invoice_count, usdc_base = total.usdc_base + excluded.usdc_base;
  return null;
end
$$;

-- The days on which such an invoice has ever settled are counted again, by the receipts in force. (Nobody settles anything meanwhile: the
-- new index has the table locked.)
with again as (
  select distinct receipts.account_id, (receipts.issued_at at time zone 'UTC')::date as day
  from receipts join receipts as revoked using (subject_id)
  where receipts.kind = 'settlement' and revoked.revoked_at is not null
)
insert into settled_days
select again.account_id, again.day, count(invoices.id), coalesce(sum(due_base), 0)
from again
left join receipts on receipts.account_id = again.account_id and (issued_at at time zone 'UTC')::date = day
  and kind = 'settlement' and revoked_at is null
left join invoices on invoices.id = subject_id
group by again.account_id, again.day
on conflict (account_id, day) do update set invoice_count = excluded.invoice_count, usdc_base = excluded.usdc_base;
