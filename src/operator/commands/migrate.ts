import { Command } from 'commander'
import { migrate } from '../../storage/migrate.ts'
import { jsonOption, print } from '../output.ts'
import { onAnyDatabase, sayWaiting } from '../session.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database schema up to date')
    .addOption(jsonOption())
    .action(async (options: { json?: boolean }) => {
      const migrated = await onAnyDatabase(({ sql }) => migrate(sql, { onWait: sayWaiting }))
      const done = migrated.length > 0 ? `ran ${migrated.join(', ')}` : 'nothing to do'
      print(options, { migrated }, [done])
    })
}
