import { Command } from 'commander'
import { migrateQueues } from '../../queues/backends/postgres.ts'
import { migrate } from '../../storage/postgres/migrate.ts'
import { print } from '../output.ts'
import { onAnyDatabase, type Session, sayWaiting } from '../session.ts'

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the database schema up to date')
    .action(async (options: { json?: boolean }) => {
      const migrated = await onAnyDatabase(migrateAll)
      const done = migrated.length > 0 ? `ran ${migrated.join(', ')}` : 'nothing to do'
      print(options, { migrated }, [done])
    })
}

async function migrateAll({ config, databaseUrl, sql }: Session): Promise<readonly string[]> {
  const ours = await migrate(sql, { onWait: sayWaiting })
  const hasQueues = config.redisUrl === null
  return hasQueues && (await migrateQueues(databaseUrl)) ? [...ours, 'bullmq'] : ours
}
