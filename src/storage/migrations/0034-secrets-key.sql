-- Which SECRETS_KEY this database belongs to: under another one the references of payments are not recognised, and what is sealed cannot be
-- opened. The mark is derived from the key and does not reveal it. It is noted by the first process or command that uses the key.
create table secrets_key (
  only_one boolean primary key default true check (only_one),
  mark bytea not null,
  noted_at timestamptz not null default now()
);
