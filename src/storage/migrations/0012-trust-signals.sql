-- One row: figures over all accounts, counted anew each night so that reading them costs nothing.
create table trust_signals (
  only_one boolean primary key default true check (only_one),
  generated_at timestamptz not null,
  receipts_issued bigint not null,
  mandates_anchored bigint not null,
  invoices_settled bigint not null
);
