-- When the payment of a purchase was forwarded first, which `forwarded_at` no longer tells once it has been forwarded again. Since then it may be on chain.
-- Null where a process of the version before has forwarded it; where such a process has, after another payment of this purchase, the time of that, which is earlier.
alter table purchases add column first_forwarded_at timestamptz;

-- What gave way to another payment without a mandate: its invoice must be void a minute later.
create index purchases_gave_way on purchases (updated_at) where mandate_id is null and proof like 'way for %';
