-- Which payable invoices a transfer could mean, and which of them name its sender: by chain and address as well as by amount, or every watcher
-- reads what is unpaid of one price anywhere. Hashes, as every new invoice pays for the width of its entries: these are as wide as those they
-- replace. Dropped first: who reads the table and then waits to write to it would make a deadlock of a stronger lock taken later. (Nobody uses
-- invoices until the indexes are made. Watchers of the version before find nothing in them and read the table: on a large one they time out,
-- and their blocks are read by those that come after them.)
drop index invoices_payable, invoices_payer;
create index invoices_payable on invoices (hashtextextended(chain || pay_to, due_base), account_id, (state = 'failed'), created_at)
  where payable;
create index invoices_payer on invoices (hashtextextended(chain || pay_to || payer, due_base), account_id, (state = 'failed'), created_at)
  where payable and payer is not null;

-- What was open at the time of a block and has expired since, and what had expired not long before it.
create index invoices_expired on invoices (hashtextextended(chain || pay_to, due_base), account_id, due_at) where payable and state = 'failed';

-- What is in the indexes is not known to the planner before.
analyze invoices;
