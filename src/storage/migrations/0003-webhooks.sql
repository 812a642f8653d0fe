-- The log of deliveries that a webhook's owner reads, newest first, and deliveries made to try a webhook out.

alter table deliveries add column is_test boolean not null default false;
create index deliveries_log on deliveries (webhook_id, created_at, id);
