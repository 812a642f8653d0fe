import { Command, CommanderError, Help } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { errorText } from './operator/error-text.ts'

/**
 * Operator commands: `bun run quittance <command>`. Exit code 0: done; 1: refused or failed; 2:
 * wrong usage; 3, of `verify-receipt`: no verdict.
 */
const program = new Command('quittance')
  .description(
    'Operate a Quittance service. Works on DATABASE_URL, or on the embedded database under DATA_DIR.',
  )
  .version(manifest.version)
/** In the order of the help. Only what is asked for is loaded, which halves a command's start. */
const rooms = {
  account: () => import('./operator/commands/account.ts').then((room) => room.accountCommand()),
  key: () => import('./operator/commands/key.ts').then((room) => room.keyCommand()),
  audit: () => import('./operator/commands/audit.ts').then((room) => room.auditCommand()),
  anchor: () => import('./operator/commands/anchor.ts').then((room) => room.anchorCommand()),
  backfill: () => import('./operator/commands/backfill.ts').then((room) => room.backfillCommand()),
  deposits: () => import('./operator/commands/deposits.ts').then((room) => room.depositsCommand()),
  secrets: () => import('./operator/commands/secrets.ts').then((room) => room.secretsCommand()),
  'verify-receipt': () =>
    import('./operator/commands/verify-receipt.ts').then((room) => room.verifyReceiptCommand()),
  migrate: () => import('./operator/commands/migrate.ts').then((room) => room.migrateCommand()),
  doctor: () => import('./operator/commands/doctor.ts').then((room) => room.doctorCommand()),
}
const asked = Object.entries(rooms).filter(([name]) => name === process.argv[2])
const wanted = asked.length > 0 ? asked : Object.entries(rooms)
const commands = await Promise.all(wanted.map(([, load]) => load()))
for (const command of commands) program.addCommand(command)
for (const command of [program, ...commands, ...commands.flatMap(({ commands }) => commands)])
  command.exitOverride().configureHelp({
    optionDescription: (option) =>
      Help.prototype.optionDescription(option) + (option.mandatory ? ' (required)' : ''),
  })

await program.parseAsync().catch(fail)

function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has already printed the requested help, or the usage error.
    process.exitCode = error.exitCode === 0 ? 0 : 2
    return
  }
  process.stderr.write(`${errorText(error)}\n`)
  process.exitCode = 1
}
