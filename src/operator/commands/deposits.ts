import { Command } from 'commander'
import { toAmount, usdcScale } from '../../domain/money/money.ts'
import { type FilledDeposit, filledDeposits } from '../../storage/invoices/payment-addresses.ts'
import { positive, wholeNumber } from '../arguments.ts'
import { print } from '../output.ts'
import { onDatabase } from '../session.ts'

export function depositsCommand(): Command {
  const deposits = new Command('deposits').description(
    'show payment addresses of invoices (PAYMENT_ADDRESS_MODE=per_invoice)',
  )
  deposits
    .command('list')
    .description('list addresses that have received money, by index in the wallet of DEPOSIT_XPUB')
    .option('--limit <n>', 'at most this many', positive, 50)
    .option('--from <index>', 'start at this index', wholeNumber, 0)
    .action(list)
  return deposits
}

async function list(options: { limit: number; from: number; json?: boolean }): Promise<void> {
  const { limit, from } = options
  const found = await onDatabase(({ sql }) => filledDeposits(sql, { from, limit }))
  const deposits = found.map(({ receivedUsdcBase, ...deposit }) => ({
    ...deposit,
    received: toAmount(receivedUsdcBase, usdcScale),
  }))
  print(options, deposits, found.map(lineOf))
}

function lineOf({ index, chain, address, invoiceId, receivedUsdcBase }: FilledDeposit): string {
  return `0/${index}  ${chain}  ${address}  ${toAmount(receivedUsdcBase, usdcScale)} USDC  invoice ${invoiceId}`
}
