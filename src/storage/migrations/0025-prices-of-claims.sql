-- What is to be paid at least, so that whoever finds out what became of a payment knows whether it was enough. Null for claims of the version
-- before: found to be settled, they were checked for the lowest price of all.
alter table x402_payments add column price_usdc_base bigint;
