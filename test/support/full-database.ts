import type { Sql } from '../../src/storage/db.ts'

/**
 * Makes every new invoice and every new table fail as on a full disk, which reads do not notice.
 * The returned function makes room again.
 */
export async function fillDatabase(sql: Sql): Promise<() => Promise<void>> {
  const full = "raise 'could not extend file: No space left on device' using errcode = '53100'"
  await sql.unsafe(`
    create function full_row() returns trigger language plpgsql as $$ begin ${full}; end $$;
    create function full_table() returns event_trigger language plpgsql as $$ begin ${full}; end $$;
    create trigger full_disk before insert on invoices execute function full_row();
    create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE AS') execute function full_table()`)
  return async () => {
    await sql.unsafe(`
      drop event trigger full_disk;
      drop trigger full_disk on invoices;
      drop function full_row;
      drop function full_table`)
  }
}
