-- The block of a settled purchase's payment: after a reorganisation, what was settled in it or in a later one is looked at again. Null
-- where a process of the version before has settled it: its invoice knows the block, and for how long that matters is told by `updated_at`.
alter table purchases add column settled_in bigint;
create index purchases_settled on purchases (chain, settled_in) where state = 'settled' and settled_in is not null;
create index purchases_settled_before on purchases (chain, updated_at) where state = 'settled' and settled_in is null;
