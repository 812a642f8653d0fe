-- What an account's settled and completed invoices add up to, by currency, country and rate. A trigger, not the statements that settle:
-- whichever of them moves an invoice in or out, its totals move in the same commit, and a summary never reads the invoices themselves.

create table tax_totals (
  account_id uuid not null,
  currency text not null,
  -- Decimals of the two sums: one currency is kept in different units by the families.
  scale smallint not null,
  country_code text,
  rate_basis_points integer not null,
  invoice_count bigint not null,
  subtotal_units numeric not null,
  tax_units numeric not null,
  unique nulls not distinct (account_id, currency, scale, country_code, rate_basis_points)
) with (fillfactor = 50);

create function tax_of(terms text) returns table (currency text, scale smallint, country_code text, rate_basis_points integer,
  subtotal_units numeric, tax_units numeric)
language sql stable as $$
  select currency, scale, tax ->> 'countryCode', (tax ->> 'rateBasisPoints')::integer, "subtotalUnits", (tax ->> 'taxUnits')::numeric
  from json_to_record(terms::json) as terms (currency text, scale smallint, "subtotalUnits" numeric, tax json)
$$;

create function count_taxes() returns trigger language plpgsql as $$
begin
  insert into tax_totals as total
  select account_id, currency, scale, country_code, rate_basis_points,
    sum(change), sum(change * subtotal_units), sum(change * tax_units)
  from (
    select after.account_id, after.terms, case when after.state in ('settled', 'completed') then 1 else -1 end as change
    from after join before using (id)
    where after.state in ('settled', 'completed') <> before.state in ('settled', 'completed')
  ) as moved, tax_of(terms)
  group by account_id, currency, scale, country_code, rate_basis_points
  -- In one order everywhere, or the watchers of two chains could wait for each other.
  order by account_id, currency, scale, country_code, rate_basis_points
  on conflict (account_id, currency, scale, country_code, rate_basis_points) do update set
    invoice_count = total.invoice_count + excluded.invoice_count,
    subtotal_units = total.subtotal_units + excluded.subtotal_units,
    tax_units = total.tax_units + excluded.tax_units;
  return null;
end
$$;

create trigger count_taxes after update on invoices
  referencing old table as before new table as after
  for each statement execute function count_taxes();

insert into tax_totals
select account_id, currency, scale, country_code, rate_basis_points, count(*), sum(subtotal_units), sum(tax_units)
from invoices, tax_of(terms)
where state in ('settled', 'completed')
group by account_id, currency, scale, country_code, rate_basis_points;
