-- What an account's invoices settled for, by UTC day, in USDC as the chains count it. Like the tax totals kept by a trigger: the day of an
-- invoice moves in the commit that settles it, or takes its settlement back, and a chart never reads the invoices themselves.

create table settled_days (
  account_id uuid not null,
  day date not null,
  invoice_count bigint not null,
  usdc_base numeric not null,
  primary key (account_id, day)
) with (fillfactor = 50);

create function settled_on(progress text, otherwise timestamptz) returns date language sql stable as $$
  select (coalesce((progress::json -> 'settlement' ->> 'settledAt')::timestamptz, otherwise) at time zone 'UTC')::date
$$;

create function count_days() returns trigger language plpgsql as $$
begin
  insert into settled_days as total
  select account_id, day, sum(change), sum(change * due_base)
  from (
    select after.account_id, after.due_base, 1 as change, settled_on(after.progress, after.updated_at) as day
    from after join before using (id)
    where after.state in ('settled', 'completed') and before.state not in ('settled', 'completed')
    union all
    -- As it was before, when it still knew its day.
    select before.account_id, before.due_base, -1, settled_on(before.progress, before.updated_at)
    from after join before using (id)
    where before.state in ('settled', 'completed') and after.state not in ('settled', 'completed')
  ) as moved
  group by account_id, day
  -- In one order everywhere, or the watchers of two chains could wait for each other.
  order by account_id, day
  on conflict (account_id, day) do update set
    invoice_count = total.invoice_count + excluded.invoice_count, usdc_base = total.usdc_base + excluded.usdc_base;
  return null;
end
$$;

create trigger count_days after update on invoices
  referencing old table as before new table as after
  for each statement execute function count_days();

insert into settled_days
select account_id, settled_on(progress, updated_at) as day, count(*), sum(due_base)
from invoices
where state in ('settled', 'completed')
group by account_id, day;
