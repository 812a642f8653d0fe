-- What x402 sales were paid with is on record among the transfers that no invoice accounts for, for ever: whoever looks for the others read all
-- of it. Marked here after some minutes, by the sweep, also what is on record already; a process of the version before marks nothing.
-- `state` is not among the conditions: each transfer's confirmation would be written to the index, too.
alter table transfers add column is_sale boolean not null default false;
create index transfers_unexplained on transfers (created_at) where held_as is not null and not is_sale;
