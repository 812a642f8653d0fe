-- What an account buys through the proxy is its expense: it had counted as settled income, with a tax that nobody had charged. Now it is
-- apart in the tax totals, and in no day's settlements. (A process of the version before adds the two kinds of totals up, as it always did.)

-- Nobody settles anything meanwhile. Before any other table, as those who settle have it.
lock table invoices in share row exclusive mode;

-- Terms are JSON as JavaScript writes it, and what callers send is inside its strings, where quotes are escaped: this can only be the member.
create function is_purchase(terms text) returns boolean language sql immutable as $$
  select strpos(terms, ',"isPurchase":true') > 0
$$;

alter table tax_totals
  drop constraint tax_totals_account_id_currency_scale_country_code_rate_basi_key,
  add column is_purchase boolean not null default false,
  add unique nulls not distinct (account_id, currency, scale, country_code, rate_basis_points, is_purchase);

create or replace function count_taxes() returns trigger language plpgsql as $$
begin
  insert into tax_totals as total (account_id, currency, scale, country_code, rate_basis_points, is_purchase,
    invoice_count, subtotal_units, tax_units)
  select account_id, currency, scale, country_code, rate_basis_points, is_purchase,
    sum(change), sum(change * subtotal_units), sum(change * tax_units)
  from (
    select after.account_id, after.terms, is_purchase(after.terms) as is_purchase,
      case when after.state in ('settled', 'completed') then 1 else -1 end as change
    from after join before using (id)
    where after.state in ('settled', 'completed') <> before.state in ('settled', 'completed')
  ) as moved, tax_of(terms)
  group by account_id, currency, scale, country_code, rate_basis_points, is_purchase
  -- In one order everywhere, or the watchers of two chains could wait for each other.
  order by account_id, currency, scale, country_code, rate_basis_points, is_purchase
  on conflict (account_id, currency, scale, country_code, rate_basis_points, is_purchase) do update set
    invoice_count = total.invoice_count + excluded.invoice_count,
    subtotal_units = total.subtotal_units + excluded.subtotal_units,
    tax_units = total.tax_units + excluded.tax_units;
  return null;
end
$$;

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
    where after.state = 'settled' and not is_purchase(after.terms)
    union all
    -- As it was before, when it still knew its day. What completes stays where it is counted.
    select before.account_id, before.due_base, -1, settled_on(before.progress, before.updated_at)
    from after join before using (id)
    where before.state in ('settled', 'completed') and after.state <> 'completed' and not is_purchase(before.terms)
  ) as moved
  group by account_id, day
  -- In one order everywhere, or the watchers of two chains could wait for each other.
  order by account_id, day
  on conflict (account_id, day) do update set
    invoice_count = total.invoice_count + excluded.invoice_count, usdc_base = total.usdc_base + excluded.usdc_base;
  return null;
end
$$;

-- What was counted so far. Purchases are kept for ever, so they name the invoices.
insert into tax_totals (account_id, currency, scale, country_code, rate_basis_points, is_purchase, invoice_count, subtotal_units, tax_units)
select invoices.account_id, currency, scale, country_code, rate_basis_points, true, count(*), sum(subtotal_units), sum(tax_units)
from purchases join invoices on invoices.id = invoice_id, tax_of(terms)
where invoices.state in ('settled', 'completed')
group by invoices.account_id, currency, scale, country_code, rate_basis_points;

update tax_totals as total set
  invoice_count = total.invoice_count - bought.invoice_count,
  subtotal_units = total.subtotal_units - bought.subtotal_units,
  tax_units = total.tax_units - bought.tax_units
from tax_totals as bought
where bought.is_purchase and not total.is_purchase
  and (total.account_id, total.currency, total.scale, total.rate_basis_points)
    = (bought.account_id, bought.currency, bought.scale, bought.rate_basis_points)
  and total.country_code is not distinct from bought.country_code;

update settled_days as total set
  invoice_count = total.invoice_count - bought.invoice_count, usdc_base = total.usdc_base - bought.usdc_base
from (
  select invoices.account_id, settled_on(progress, invoices.updated_at) as day, count(*) as invoice_count, sum(due_base) as usdc_base
  from purchases join invoices on invoices.id = invoice_id
  where invoices.state in ('settled', 'completed')
  group by invoices.account_id, day
) as bought
where (total.account_id, total.day) = (bought.account_id, bought.day);
