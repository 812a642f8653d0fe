import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { ConfigError } from '../../config.ts'
import { evmAddress, nodeUrl } from '../arguments.ts'
import { jsonOption, print } from '../output.ts'
import { type Expected, verifyReceipt } from '../verify-receipt.ts'

export function verifyReceiptCommand(): Command {
  return new Command('verify-receipt')
    .description('check a receipt bundle against a chain, trusting nobody else')
    .argument('<bundle>', 'a file, a URL, or - for standard input')
    .requiredOption('--rpc <url>', 'a node of the chain the receipt is anchored on', nodeUrl)
    .option('--contract <address>', 'the contract that must have emitted it', evmAddress)
    .option('--sender <address>', 'who must have anchored it', evmAddress)
    .addOption(jsonOption())
    .action(verify)
}

async function verify(
  source: string,
  options: Expected & { rpc: string; json?: boolean },
): Promise<void> {
  const verdict = await verifyReceipt(await readBundle(source), [options.rpc], options)
  print(options, verdict, [
    verdict.ok ? `valid: ${verdict.message}` : `NOT VALID (${verdict.problem}): ${verdict.message}`,
  ])
  if (!verdict.ok) process.exitCode = 1
}

async function readBundle(source: string): Promise<unknown> {
  try {
    if (source === '-') return await Bun.stdin.json()
    if (/^https?:/.test(source)) return await (await fetch(source)).json()
    return JSON.parse(await readFile(source, 'utf8'))
  } catch (error) {
    throw new ConfigError(`The bundle cannot be read from ${source}: ${(error as Error).message}`)
  }
}
