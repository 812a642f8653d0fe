import { Command, CommanderError, Help } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { errorText } from './operator/error-text.ts'

/**
 * Operator commands: `bun run quittance <command>`. Exit code 0: done; 1: refused or failed; 2:
 * wrong usage; 3: `verify-receipt`, `books verify` or `trust verify` has no
 * verdict.
 */
const program = new Command('quittance')
  .description(
    'Operate a Quittance service. Works on DATABASE_URL, or on the embedded database under DATA_DIR.',
  )
  .version(manifest.version)
/** Only the wanted command is loaded, which halves its start. */
const loaders = {
  account: () => import('./operator/commands/account.ts').then((module) => module.accountCommand()),
  key: () => import('./operator/commands/key.ts').then((module) => module.keyCommand()),
  audit: () => import('./operator/commands/audit.ts').then((module) => module.auditCommand()),
  anchor: () => import('./operator/commands/anchor.ts').then((module) => module.anchorCommand()),
  backfill: () =>
    import('./operator/commands/backfill.ts').then((module) => module.backfillCommand()),
  deposits: () =>
    import('./operator/commands/deposits.ts').then((module) => module.depositsCommand()),
  secrets: () => import('./operator/commands/secrets.ts').then((module) => module.secretsCommand()),
  transfers: () =>
    import('./operator/commands/transfers.ts').then((module) => module.transfersCommand()),
  trust: () => import('./operator/commands/trust.ts').then((module) => module.trustCommand()),
  'verify-receipt': () =>
    import('./operator/commands/verify-receipt.ts').then((module) => module.verifyReceiptCommand()),
  receipt: () => import('./operator/commands/receipt.ts').then((module) => module.receiptCommand()),
  books: () => import('./operator/commands/books.ts').then((module) => module.booksCommand()),
  migrate: () => import('./operator/commands/migrate.ts').then((module) => module.migrateCommand()),
  doctor: () => import('./operator/commands/doctor.ts').then((module) => module.doctorCommand()),
}
const named = Object.entries(loaders).filter(([name]) => name === process.argv[2])
const wanted = named.length > 0 ? named : Object.entries(loaders)
const commands = await Promise.all(wanted.map(([, load]) => load()))
for (const command of commands) program.addCommand(command)
const leaves = commands.flatMap((command) =>
  command.commands.length > 0 ? command.commands : [command],
)
for (const leaf of leaves) leaf.option('--json', 'print one JSON document instead of text')
for (const command of new Set([program, ...commands, ...leaves]))
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
