-- An address derived for one invoice alone (PAYMENT_ADDRESS_MODE=per_invoice), and which child of the operator's key it is.
alter table payment_addresses
  add column invoice_id uuid,
  add column derivation_index integer unique,
  add check ((invoice_id is null) = (derivation_index is null));

-- The next child that no invoice has been given. BIP-32 has 2^31 that a public key can derive.
create sequence deposit_indexes as integer minvalue 0;
