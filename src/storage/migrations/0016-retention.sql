-- Rows go from the old end of these tables all the time. By default they are vacuumed when a fifth is gone: until then who begins at that end
-- walks over it.
alter table delivery_batches set (autovacuum_vacuum_scale_factor = 0.02);
alter table deliveries set (autovacuum_vacuum_scale_factor = 0.02);
alter table idempotency_keys set (autovacuum_vacuum_scale_factor = 0.02);
