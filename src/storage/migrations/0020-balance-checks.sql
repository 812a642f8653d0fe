-- When what an address holds was last compared with the transfers on record, and how that went. `agreed_*`: the last block at which
-- they explained it, and what was held there; null: none yet. `unexplained_base`: what is held beyond what they explain (negative: less).
alter table payment_addresses
  add column checked_at timestamptz not null default '-infinity',
  add column agreed_block bigint,
  add column agreed_hash text,
  add column agreed_base bigint,
  add column unexplained_base bigint not null default 0,
  add check ((agreed_block is null) = (agreed_hash is null) and (agreed_block is null) = (agreed_base is null));
create index payment_addresses_check on payment_addresses (chain, checked_at);
create index payment_addresses_unexplained on payment_addresses (chain) where unexplained_base <> 0;
