-- What an address has received since a block: to a shared wallet come nearly all transfers there ever were. A new transfer pays for an entry of
-- its own instead of sharing the wallet's. Dropped first: who reads the table and then waits to write to it would make a deadlock of a stronger
-- lock taken later. (Nobody uses transfers while the index is made, a second or two for each million of them. Who gives up meanwhile comes back
-- to it, as after 0028.)
drop index transfers_address;
create index transfers_address on transfers (chain, to_address, block_number);

-- What was sold by x402, for the list of what is held otherwise: each held transfer is looked up in here, which had been a search among everything
-- ever paid. Crediting an invoice makes no entry. (After transfers, as who settles takes them.)
create index transaction_uses_x402 on transaction_uses (tx_hash, chain, from_address) where kind = 'x402';
