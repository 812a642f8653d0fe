-- What an address has received since a block: to a shared wallet come nearly all transfers there ever were. A new transfer pays for an entry of
-- its own instead of sharing the wallet's. Dropped first: who reads the table and then waits to write to it would make a deadlock of a stronger
-- lock taken later. (Nobody uses transfers while the index is made, a second or two for each million of them. Who gives up meanwhile comes back
-- to it, as after 0028.)
drop index transfers_address;
create index transfers_address on transfers (chain, to_address, block_number);
