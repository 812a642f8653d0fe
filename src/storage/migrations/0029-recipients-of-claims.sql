-- Who was to be paid, and in which token: what became of a payment is judged by that, even if the wallet has been changed since. Null for claims
-- of the version before, which are judged by what is accepted now.
alter table x402_payments add column recipient text, add column token text;
