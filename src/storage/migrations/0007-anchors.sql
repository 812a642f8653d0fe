-- Where a transaction was mined, looked at until it is as deep as its chain asks for. `mined`: in a block that a reorganisation may
-- still take back; `deep`: for good; `failed`: its nonce is used for good and its events are owed anew, so its bytes are never sent again.
alter table anchor_transactions
  add column block_number bigint,
  add column block_hash text,
  drop constraint anchor_transactions_state_check;
-- Until now a transaction that failed was told from a mined one only by having lost its events.
update anchor_transactions set state = 'failed'
  where state = 'mined' and not exists (select from anchors where transaction_id = anchor_transactions.id);
alter table anchor_transactions
  add constraint anchor_transactions_state_check check (state in ('signed', 'broadcast', 'mined', 'deep', 'failed'));
drop index anchor_transactions_open;
create index anchor_transactions_open on anchor_transactions (chain_id, sender, nonce)
  where state in ('signed', 'broadcast', 'mined');

drop index anchors_sent;
create index anchors_sent on anchors (created_at) where state = 'sent';
create index anchors_transaction on anchors (transaction_id) where transaction_id is not null;
