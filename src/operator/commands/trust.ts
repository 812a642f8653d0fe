import { Command } from 'commander'
import { readConfig } from '../../config/config.ts'
import { blockNumber, evmAddress, nodeUrl } from '../arguments.ts'
import { endWithoutVerdict } from '../no-verdict.ts'
import { print } from '../output.ts'
import { readJson, Unreadable } from '../read-json.ts'
import { asSignals, type Compared, verifyTrust } from '../verify-trust.ts'

export function trustCommand(): Command {
  const trust = new Command('trust').description('check what a service says that it has done')
  trust
    .command('verify')
    .description('count receipts and mandates on chain, and compare them with the trust signals')
    .requiredOption('--rpc <url>', 'a node of the chain they are anchored on', nodeUrl)
    .requiredOption('--contract <address>', 'the anchor contract', evmAddress)
    .requiredOption('--sender <address>', 'the sender that anchors', evmAddress)
    .option('--url <url>', 'the service; otherwise PUBLIC_URL, or localhost', nodeUrl)
    .option('--from <block>', 'the first block to read; otherwise the contract’s', blockNumber)
    .action(verify)
  return trust
}

type Options = {
  readonly rpc: string
  readonly contract: string
  readonly sender: string
  readonly url?: string
  readonly from?: number
  readonly json?: boolean
}

const section = '/agent-tools/sections/trust_signals.json'

async function verify(options: Options): Promise<void> {
  try {
    const source = new URL(section, options.url ?? ownUrl()).href
    const signals = asSignals(await readJson(source))
    if (!signals) throw new Unreadable(source, 'these are no trust signals')
    const { contract, sender, from = null } = options
    const compared = await verifyTrust(signals, options.rpc, { contract, sender, from })
    print(options, compared, linesOn(compared))
    if (!compared.ok) process.exitCode = 1
  } catch (error) {
    endWithoutVerdict(options, error)
  }
}

function ownUrl(): string {
  const { publicUrl, port } = readConfig()
  return publicUrl ?? `http://localhost:${port}`
}

function linesOn({ ok, problem, blockNumber, served, onChain }: Compared): readonly string[] {
  const counts = (['receipts', 'mandates'] as const).map(
    (what) => `${what}: ${served?.[what]} served, ${onChain?.[what]} on chain`,
  )
  return [
    ...(served ? [`up to block ${blockNumber}`, ...counts] : []),
    ok ? 'the same' : `NOT THE SAME${problem ? `: ${problem}` : ''}`,
  ]
}
