import { Command } from 'commander'
import { ChainError } from '../../chain/chain.ts'
import { evmAddress, nodeUrl } from '../arguments.ts'
import { print } from '../output.ts'
import { readBundle, UnreadableBundle } from '../read-bundle.ts'
import { type Expected, verifyReceipt } from '../verify-receipt.ts'

export function verifyReceiptCommand(): Command {
  return new Command('verify-receipt')
    .description('check a receipt bundle against a chain, without trusting anybody else')
    .argument('<bundle>', 'a file, a URL, or - for standard input')
    .requiredOption('--rpc <url>', 'a node of the chain the receipt is anchored on', nodeUrl)
    .option('--contract <address>', 'the contract that must have emitted it', evmAddress)
    .option('--sender <address>', 'the sender that must have anchored it', evmAddress)
    .action(verify)
}

type Options = Expected & { readonly rpc: string; readonly json?: boolean }

/** A script that looks for forged receipts must not take an unread one for forged. */
const noVerdict = 3

async function verify(source: string, options: Options): Promise<void> {
  try {
    const verdict = await verifyReceipt(await readBundle(source), [options.rpc], options)
    print(options, verdict, [
      verdict.ok
        ? `valid: ${verdict.message}`
        : `NOT VALID (${verdict.problem}): ${verdict.message}`,
    ])
    if (!verdict.ok) process.exitCode = 1
  } catch (error) {
    const problem = unreadable(error)
    if (!problem) throw error
    if (options.json) print(options, { error: problem }, [])
    process.stderr.write(`${problem.message}\n`)
    process.exitCode = noVerdict
  }
}

function unreadable(error: unknown): { readonly code: string; readonly message: string } | null {
  if (error instanceof UnreadableBundle)
    return { code: 'bundle_unreadable', message: error.message, ...error.answered }
  if (error instanceof ChainError) return { code: 'chain_unreadable', message: error.message }
  return null
}
