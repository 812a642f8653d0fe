import type { Sql } from '../../src/storage/postgres/db.ts'

/**
 * New invoices, and the write that finds it out, fail as on a full disk, until the returned
 * function is called.
 */
export async function fillDatabase(sql: Sql): Promise<() => Promise<void>> {
  const full = "raise 'could not extend file: No space left on device' using errcode = '53100'"
  await sql.unsafe(`
    create function full_disk() returns trigger language plpgsql as $$ begin ${full}; end $$;
    create trigger full_disk before insert on invoices execute function full_disk();
    create trigger full_disk before insert on cursors execute function full_disk()`)
  return async () => {
    await sql.unsafe('drop function full_disk cascade')
  }
}
