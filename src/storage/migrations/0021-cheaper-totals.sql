-- Counting what settles had cost a fifth of settling it: both triggers parsed an invoice's texts as a whole.

-- What is counted stands before `totalUnits`, as terms are written. Where it does not, the whole text is read.
create or replace function tax_of(terms text) returns table (currency text, scale smallint, country_code text, rate_basis_points integer,
  subtotal_units numeric, tax_units numeric)
language sql stable as $$
  select counted ->> 'currency', (counted ->> 'scale')::smallint, counted #>> '{tax,countryCode}', (counted #>> '{tax,rateBasisPoints}')::integer,
    (counted ->> 'subtotalUnits')::numeric, (counted #>> '{tax,taxUnits}')::numeric
  from (select (left(terms, strpos(terms, ',"totalUnits":') - 1) || '}')::jsonb as head offset 0) as cut
  cross join lateral (
    select case when head ?& '{currency,scale,subtotalUnits,tax}' then head else terms::jsonb end as counted offset 0
  ) as whole
$$;

create or replace function count_days() returns trigger language plpgsql as $$
begin
  insert into settled_days as total
  select account_id, day, sum(change), sum(change * due_base)
  from (
    -- The commit that settles an invoice is the last to have changed it.
    select after.account_id, after.due_base, 1 as change, (after.updated_at at time zone 'UTC')::date as day
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
