-- What operators look at: how each chain is being watched, and who changed what about accounts, keys, webhooks and budgets.

-- Written by the watchers, read by every process's /readyz and /metrics. Unlogged: after a crash the next step writes it anew.
create unlogged table chain_watches (
  chain text primary key,
  -- The last step that went well, and the chain's head as it was then; null until there was one.
  polled_at timestamptz,
  head_number bigint,
  head_at timestamptz,
  -- In which way the last step failed; null when it did not.
  fault text,
  updated_at timestamptz not null
) with (fillfactor = 50);

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  account_id uuid not null,
  kind text not null check (kind in ('account', 'key', 'webhook', 'budget')),
  subject_id text not null,
  action text not null check (action in ('created', 'changed', 'revoked', 'deleted', 'secret_rotated')),
  -- The key that asked for it, or the name of the program that did it by itself.
  actor text not null,
  request_id text,
  before jsonb,
  after jsonb not null
);
create index audit_log_account on audit_log (account_id, id);

create function refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only ever added to';
end
$$;
create trigger audit_log_is_kept before update or delete or truncate on audit_log
  for each statement execute function refuse_rewriting();

-- Triggers, not the statements that change things: whoever changes one of these rows, the entry is in the same commit. What may be
-- shown of a row is listed with its trigger; secrets are not. Who it was, the statement says in `quittance.by`, as JSON by
-- '<account> <subject>'.
create function audit() returns trigger language plpgsql as $$
declare
  now_row jsonb := to_jsonb(new);
  was_row jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) end;
  shown text[] := tg_argv[3:];
  account text := now_row ->> tg_argv[1];
  subject text := now_row ->> tg_argv[2];
  said_by jsonb := nullif(current_setting('quittance.by', true), '')::jsonb -> (account || ' ' || subject);
begin
  insert into audit_log (account_id, kind, subject_id, action, actor, request_id, before, after) values (
    account::uuid, tg_argv[0], subject,
    case
      when was_row is null then 'created'
      when (was_row -> 'revoked_at') is distinct from (now_row -> 'revoked_at') then 'revoked'
      when (was_row -> 'deleted_at') is distinct from (now_row -> 'deleted_at') then 'deleted'
      when (was_row -> 'secret_sealed') is distinct from (now_row -> 'secret_sealed')
        or (was_row -> 'signing_secret_sealed') is distinct from (now_row -> 'signing_secret_sealed') then 'secret_rotated'
      else 'changed'
    end,
    coalesce(said_by ->> 'actor', current_setting('application_name')), said_by ->> 'requestId',
    (select jsonb_object_agg(key, value) from jsonb_each(was_row) where key = any(shown)),
    (select jsonb_object_agg(key, value) from jsonb_each(now_row) where key = any(shown))
  );
  return null;
end
$$;

create trigger accounts_made after insert on accounts
  for each row execute function audit('account', 'id', 'id', 'name', 'plan', 'requests_per_minute', 'requests_per_day', 'wallets');
create trigger accounts_changed after update on accounts for each row
  when ((old.name, old.plan, old.requests_per_minute, old.requests_per_day, old.wallets, old.signing_secret_sealed)
    is distinct from (new.name, new.plan, new.requests_per_minute, new.requests_per_day, new.wallets, new.signing_secret_sealed))
  execute function audit('account', 'id', 'id', 'name', 'plan', 'requests_per_minute', 'requests_per_day', 'wallets');

create trigger keys_made after insert on api_keys
  for each row execute function audit('key', 'account_id', 'id', 'name', 'hint', 'scopes', 'expires_at', 'revoked_at');
create trigger keys_changed after update on api_keys for each row
  when ((old.name, old.hash, old.scopes, old.expires_at, old.revoked_at)
    is distinct from (new.name, new.hash, new.scopes, new.expires_at, new.revoked_at))
  execute function audit('key', 'account_id', 'id', 'name', 'hint', 'scopes', 'expires_at', 'revoked_at');

create trigger webhooks_made after insert on webhooks
  for each row execute function audit('webhook', 'account_id', 'id', 'url', 'events', 'active', 'disabled_reason');
create trigger webhooks_changed after update on webhooks for each row
  when ((old.url, old.events, old.active, old.secret_sealed, old.deleted_at)
    is distinct from (new.url, new.events, new.active, new.secret_sealed, new.deleted_at))
  execute function audit('webhook', 'account_id', 'id', 'url', 'events', 'active', 'disabled_reason');

-- Not what agents spend: that is in the reservations.
create trigger budgets_made after insert on budgets
  for each row execute function audit('budget', 'account_id', 'agent_id', 'currency', 'period', 'limit_minor', 'per_transaction_minor', 'active');
create trigger budgets_changed after update on budgets for each row
  when ((old.currency, old.period, old.limit_minor, old.per_transaction_minor, old.active)
    is distinct from (new.currency, new.period, new.limit_minor, new.per_transaction_minor, new.active))
  execute function audit('budget', 'account_id', 'agent_id', 'currency', 'period', 'limit_minor', 'per_transaction_minor', 'active');
