import { startApp } from './app.ts'
import { readConfig } from './config/config.ts'
import { isBuilt } from './files.ts'
import { errorText } from './operator/error-text.ts'
import { stopSignals } from './operator/session.ts'
import { createLog, type Log } from './telemetry/log.ts'

const drainLimitMs = 15_000

const word = process.argv[2]
if (word !== undefined) explain(word)

try {
  const config = readConfig()
  const { isTTY } = process.stdout
  const log = createLog(config.logLevel, isTTY ? await terminalLines() : undefined)
  const stop = new AbortController()
  // Before the start, which may take long.
  const ending = nextSignal().then((name) => {
    log.info({ signal: name }, 'draining')
    setTimeout(() => abandon(log), drainLimitMs - 500)
    stop.abort(name)
  })
  const { signal } = stop
  const onDatabaseDeath = (lastWords: string) => endWithoutDatabase(log, lastWords)
  const onForeignKey = () => endWithoutKey(log)
  const onReady = isTTY ? (text: string) => void process.stdout.write(`\n${text}\n`) : undefined
  const circumstances = { onDatabaseDeath, onForeignKey, signal, onReady }
  const app = await startApp(config, log, circumstances).catch((error) => {
    if (error !== signal.reason) throw error
  })
  app?.warmUp()
  await ending
  await app?.drain()
  log.info({}, 'stopped')
  process.exit(0)
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`)
  process.exit(1)
}

/** Takes no words: who writes `--port 4000` must not get a service on another port. */
function explain(word: string): never {
  const isAsked = word === '--help' || word === '-h'
  const usage = `Usage: ${isBuilt ? 'npx quittance start' : 'npm start'}

Runs the service until Ctrl-C or SIGTERM. Environment variables configure it, such as PORT=4000;
docs/configuration.md lists them.
`
  if (isAsked) process.stdout.write(usage)
  else process.stderr.write(`The service takes no arguments: ${word}\n\n${usage}`)
  process.exit(isAsked ? 0 : 2)
}

/** Loaded only where somebody reads it. */
async function terminalLines() {
  const { terminalOutput } = await import('./telemetry/terminal.ts')
  return terminalOutput()
}

/**
 * The first signal to stop. Further ones (npm passes Ctrl-C on as well) are ignored: a drain cut
 * short would leave the embedded PostgreSQL running.
 */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const name of stopSignals()) process.on(name, () => resolve(name))
  })
}

function abandon(log: Log): void {
  log.error({}, 'not everything could be finished in time')
  process.exit(1)
}

/** Exits at once: payments would not be recognised. The next start says which key is missing. */
function endWithoutKey(log: Log): void {
  log.fatal({}, 'the database has another SECRETS_KEY now')
  process.exit(1)
}

/** Exits, since without the database every request would fail; the next start recovers the data. */
function endWithoutDatabase(log: Log, lastWords: string): void {
  log.fatal({ lastWords }, 'the embedded PostgreSQL has ended by itself')
  process.exit(1)
}
