-- The invoices that have been paid in part, or in full and are not settled: an account's overview had read all its invoices for these few. What
-- nothing has been paid of is in `invoices_payable`. Kept by a trigger like the totals: an index on invoices would cost each batch of new ones
-- something, whether or not it takes them in.

-- Nobody changes invoices while they are read, some seconds where there are a million. Before any other table, as those who settle have it.
lock table invoices in share row exclusive mode;

create table credited_invoices (
  account_id uuid not null,
  invoice_id uuid not null,
  primary key (account_id, invoice_id)
);

-- Who changes an invoice has its row, so two never write of the same one here.
create function note_credited() returns trigger language plpgsql as $$
begin
  insert into credited_invoices
  select account_id, id from after where not payable and state in ('draft', 'sent', 'paid') and not is_purchase(terms)
  on conflict do nothing;
  delete from credited_invoices as credited using after
  where (credited.account_id, credited.invoice_id) = (after.account_id, after.id) and (payable or state not in ('draft', 'sent', 'paid'));
  return null;
end
$$;

create trigger note_credited after update on invoices
  referencing new table as after
  for each statement execute function note_credited();

insert into credited_invoices
select account_id, id from invoices where not payable and state in ('draft', 'sent', 'paid') and not is_purchase(terms);
