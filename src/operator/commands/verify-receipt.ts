import { Command } from 'commander'
import { type Issuer, type Verdict, verifyReceipt } from '../../verify/verify-receipt.ts'
import { eachAddress, evmAddress, nodeUrl } from '../arguments.ts'
import { endWithoutVerdict } from '../no-verdict.ts'
import { print } from '../output.ts'
import { readJson, Unreadable } from '../read-json.ts'

export function verifyReceiptCommand(): Command {
  return new Command('verify-receipt')
    .description('check a receipt bundle against a chain, without trusting anybody else')
    .argument('<bundle>', 'a file, a URL, or - for standard input')
    .requiredOption('--rpc <url>', 'a node of the chain the receipt is anchored on', nodeUrl)
    .option('--contract <address>', 'the contract that the issuer anchors with', evmAddress)
    .option('--sender <address...>', 'the senders by which the issuer anchors', eachAddress)
    .option('--issuer <url>', 'the service that says which they are, instead', nodeUrl)
    .action(verify)
}

type Options = {
  readonly rpc: string
  readonly contract?: string
  readonly sender?: readonly string[]
  readonly issuer?: string
  readonly json?: boolean
}

async function verify(source: string, options: Options, command: Command): Promise<void> {
  const { contract, sender: senders, issuer: url } = options
  const isNamed = contract !== undefined && senders !== undefined
  if (isNamed === (url !== undefined))
    command.error('error: give either --contract and --sender, or --issuer')
  try {
    const issuer = isNamed ? { contract, senders } : await issuerAt(url ?? '')
    const verdict = await verifyReceipt(await readJson(source), options.rpc, issuer)
    print(options, verdict, linesOn(verdict))
    if (!verdict.ok) process.exitCode = 1
  } catch (error) {
    endWithoutVerdict(options, error, error instanceof Unreadable ? error.answered : null)
  }
}

/** The verdict and, if it is valid, the claims that the bundle shows. */
function linesOn(verdict: Verdict): readonly string[] {
  if (!verdict.ok) return [`NOT VALID (${verdict.problem}): ${verdict.message}`]
  const claims = Object.entries(verdict.claims)
  const shown = claims.map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return [`valid: ${verdict.message}`, ...shown]
}

async function issuerAt(url: string): Promise<Issuer> {
  const source = new URL('/.well-known/quittance', url).href
  const { anchor } = ((await readJson(source)) ?? {}) as { readonly anchor?: Issuer | null }
  if (!anchor) throw new Unreadable(source, 'it names no issuer')
  return anchor
}
