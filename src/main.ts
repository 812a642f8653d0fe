import { startApp } from './app.ts'
import { readConfig } from './config.ts'
import { createLog, type Log } from './log.ts'
import { complaintAbout } from './operator/complaint.ts'

const drainLimitMs = 15_000

try {
  const config = readConfig()
  const log = createLog(config.logLevel)
  // Before the start: whoever reads `ready` may stop the process at that very moment.
  const ending = nextSignal().then((signal) => {
    log.info({ signal }, 'draining')
    setTimeout(() => giveUp(log), drainLimitMs - 500)
  })
  const app = await startApp(config, log, (lastWords) => endWithoutDatabase(log, lastWords))
  app.warmUp()
  await ending
  await app.drain()
  log.info({}, 'stopped')
  process.exit(0)
} catch (error) {
  process.stderr.write(`${complaintAbout(error)}\n`)
  process.exit(1)
}

/**
 * The first signal to stop. Further ones, such as Ctrl-C which npm passes on as well, change
 * nothing: the drain has its own limit, and cut short it would leave the embedded PostgreSQL.
 */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(name, () => resolve(name))
  })
}

function giveUp(log: Log): void {
  log.error({}, 'not everything could be finished in time')
  process.exit(1)
}

/** Exits, since without the database every request would fail; the next start recovers the data. */
function endWithoutDatabase(log: Log, lastWords: string): void {
  log.fatal({ lastWords }, 'the embedded PostgreSQL has ended by itself')
  process.exit(1)
}
