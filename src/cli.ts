import { Command, CommanderError, Help } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { accountCommand } from './operator/commands/account.ts'
import { anchorCommand } from './operator/commands/anchor.ts'
import { auditCommand } from './operator/commands/audit.ts'
import { backfillCommand } from './operator/commands/backfill.ts'
import { depositsCommand } from './operator/commands/deposits.ts'
import { doctorCommand } from './operator/commands/doctor.ts'
import { keyCommand } from './operator/commands/key.ts'
import { migrateCommand } from './operator/commands/migrate.ts'
import { secretsCommand } from './operator/commands/secrets.ts'
import { verifyReceiptCommand } from './operator/commands/verify-receipt.ts'
import { complaintAbout } from './operator/complaint.ts'

/**
 * Operator commands: `bun run quittance <command>`. Exit code 0: done; 1: refused or failed; 2:
 * wrong usage; 3, of `verify-receipt`: no verdict.
 */
const program = new Command('quittance')
  .description(
    'Operate a Quittance service. Works on DATABASE_URL, or on the embedded database under DATA_DIR.',
  )
  .version(manifest.version)
const commands = [
  accountCommand(),
  keyCommand(),
  auditCommand(),
  anchorCommand(),
  backfillCommand(),
  depositsCommand(),
  secretsCommand(),
  verifyReceiptCommand(),
  migrateCommand(),
  doctorCommand(),
]
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
  process.stderr.write(`${complaintAbout(error)}\n`)
  process.exitCode = 1
}
