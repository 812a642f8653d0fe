import { Command } from 'commander'
import { toAmount, usdcScale } from '../../domain/money/money.ts'
import { date } from '../arguments.ts'
import { print } from '../output.ts'
import { onDatabaseWithKey } from '../session.ts'
import type { Held } from '../settle-held.ts'

export function transfersCommand(): Command {
  const transfers = new Command('transfers').description('work on received transfers')
  transfers
    .command('settle-held')
    .description(
      'list held transfers whose references name an invoice; with --apply, credit them. Safe beside a running service, and repeatable',
    )
    .requiredOption('--since <date>', 'recorded since then, ISO 8601', date)
    .option('--dry-run', 'change nothing (the default)')
    .option('--apply', 'credit what the list shows as due')
    .action(settle)
  return transfers
}

async function settle(
  options: { since: Date; dryRun?: boolean; apply?: boolean; json?: boolean },
  command: Command,
): Promise<void> {
  const { since, dryRun = false, apply = false } = options
  if (dryRun && apply) command.error('error: --dry-run and --apply exclude each other')
  const { settleHeld } = await import('../settle-held.ts')
  const found = await onDatabaseWithKey((session) =>
    Array.fromAsync(settleHeld(session, { since, apply })),
  )
  const shown = found.map(({ chain, txHash, position, usdcBase, named, outcome }) => {
    const amount = toAmount(usdcBase, usdcScale)
    return { chain, txHash, position, amount, invoiceId: named, outcome }
  })
  const note = found.length === 0 ? ['No held transfer names an invoice.'] : []
  print(options, shown, [...found.map(lineOf), ...note])
}

function lineOf({ chain, txHash, position, usdcBase, named, outcome }: Held): string {
  const amount = toAmount(usdcBase, usdcScale)
  return `${outcome}  ${chain}  ${txHash}/${position}  ${amount} USDC  ${named ?? ''}`.trimEnd()
}
