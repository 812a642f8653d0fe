import { Command, CommanderError, Help } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { isBuilt } from './files.ts'
import { errorText } from './operator/error-text.ts'

/**
 * Operator commands: `quittance <command>`. Exit code 0: done; 1: refused or failed; 2:
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
/** Programs of their own: bin/quittance.ts runs them, and `npm` in a checkout. */
const programs = {
  start: 'run the service; the environment configures it',
  demo: 'from an invoice to a verified receipt, on real parts',
}
/** By heading, each with its line in the list of commands; one that is not here still appears. */
const groups: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Run it:': programs,
  'First steps:': {
    doctor: 'check everything, with a remedy for each problem',
    account: 'create, list and show accounts; change their wallets',
    key: 'create, list and revoke API keys of an account',
    anchor: 'deploy the contract that anchors receipts',
  },
  'Day to day:': {
    audit: 'who changed what in accounts, keys and webhooks',
    backfill: 'read blocks again to find missed payments',
    deposits: 'payment addresses that have received money',
    migrate: 'bring the database schema up to date',
    secrets: 'replace the key that encrypts secrets',
    transfers: 'after a restore, credit held transfers by what they name',
    books: 'write an auditor’s file of an account, and check one',
  },
  'Receipts, for anybody:': {
    'verify-receipt': 'check a receipt against a chain alone',
    receipt: 'show only some claims of a receipt',
    trust: 'compare what a service says with the chain',
  },
}
const examples = `
Examples:
  quittance account create --name Example --plan pro --wallet base=0x…
  quittance account list
  quittance key create --account 0190… --name operator --scopes full,admin
  quittance doctor
  quittance account create --help

In a checkout, quittance is \`npm run quittance --\`, with \`npm start\` and \`npm run demo\`.
Every command takes --json.`
const named = Object.entries(loaders).filter(([name]) => name === process.argv[2])
const wanted = named.length > 0 ? named : Object.entries(loaders)
const commands = await Promise.all(wanted.map(([, load]) => load()))
if (isBuilt)
  for (const name of Object.keys(programs)) program.addCommand(inGroup(new Command(name)))
for (const command of commands) program.addCommand(inGroup(command))
program.helpCommand('help [command]', 'show how a command is used').addHelpText('after', examples)
const leaves = commands.flatMap((command) =>
  command.commands.length > 0 ? command.commands : [command],
)
for (const leaf of leaves) leaf.option('--json', 'print one JSON document instead of text')
for (const command of new Set([program, ...commands, ...leaves]))
  command.exitOverride().configureHelp({
    optionDescription: (option) =>
      Help.prototype.optionDescription(option) + (option.mandatory ? ' (required)' : ''),
  })

// Its own list is of names alone; their arguments are on their pages.
program.configureHelp({ ...program.configureHelp(), subcommandTerm: (command) => command.name() })

await program.parseAsync().catch(fail)

function inGroup(command: Command): Command {
  const [heading, lines] = Object.entries(groups).find(([, lines]) => command.name() in lines) ?? []
  const summary = lines?.[command.name()] ?? command.description()
  return command.summary(summary).helpGroup(heading ?? 'Commands:')
}

function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has already printed the requested help, or the usage error.
    process.exitCode = error.exitCode === 0 ? 0 : 2
    return
  }
  process.stderr.write(`${errorText(error)}\n`)
  process.exitCode = 1
}
