import { Command } from 'commander'
import { jsonOption, print } from '../output.ts'
import { onDatabase } from '../session.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database schema up to date')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const migrated = await onDatabase(async ({ migrated }) => migrated)
      const done = migrated.length > 0 ? `ran ${migrated.join(', ')}` : 'nothing to do'
      print(options, { migrated }, [done])
    })
}
