-- When a watcher of the chain last had read on to its head: an invoice is not taken to be unpaid before that is after its due date. (A process
-- of the version before does not write it. What is due meanwhile fails some minutes later.)
alter table chain_watches add column caught_up_at timestamptz;
