-- When the first address of a chain was recorded that an invoice asks to be paid at: no invoice that can be paid there is older. Who
-- watches a chain for the first time reads it from then on, and must not look through the invoices of all the others for that.
create table chain_beginnings (
  chain text primary key,
  first_address_at timestamptz not null
);

-- Before anything is locked, as this reads every invoice once.
insert into chain_beginnings select chain, min(created_at) from invoices group by chain;

-- A trigger, as processes of the version before record addresses as well.
create function note_beginnings() returns trigger language plpgsql as $$
begin
  insert into chain_beginnings select distinct chain, now() from inserted order by chain on conflict do nothing;
  return null;
end
$$;
create trigger note_beginnings after insert on payment_addresses
  referencing new table as inserted for each statement execute function note_beginnings();

-- What they recorded while the invoices were read.
insert into chain_beginnings
select chain, now() from unnest(array['base', 'polygon', 'arbitrum', 'skale', 'solana', 'ethereum']) as chain
where exists (select from payment_addresses where payment_addresses.chain = chain.chain)
on conflict do nothing;
