-- Operators list which deposit addresses have received money. What is paid to a wallet shares the wallet's entry, at its end, and no update of
-- a transfer changes its address, so a new transfer pays little for this. (None is recorded while the index is made: it has the table locked.
-- Watchers come back to what they have found meanwhile.)
create index transfers_address on transfers (chain, to_address);
