-- By what a signed payment other than by EIP-3009 is found on chain: who signed it (`signer`) and, on Solana, the message that he signed.
-- Null where the payment is of another kind, or was forwarded by a process of the version before.
alter table purchases add column signer text, add column message text;
