import { type Funds, facilitatorFunds } from '../../chain/facilitator/funds.ts'
import type { Config } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { toDecimal } from '../../domain/money/money.ts'
import type { Network } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** A key that can pay for fewer transactions is mentioned, while there is time to fund it. */
const comfortable = 100n

/**
 * Whether the facilitator's key can pay for settling on a chain. No finding where it would not
 * send: without a wallet nothing is sold there, and a remote facilitator pays by itself.
 */
export async function facilitatorFindings(
  config: Config,
  network: Network,
): Promise<readonly Finding[]> {
  const { evmPrivateKey, svmPrivateKey, url } = config.facilitator
  const privateKey = registry[network].kind === 'evm' ? evmPrivateKey : svmPrivateKey
  const { wallets } = await loadSecrets(config)
  if (privateKey === null || url !== null || wallets[network] === null) return []
  const { rpcUrls } = config.networks[network]
  const funds = await facilitatorFunds({ network, rpcUrls, privateKey })
  return [fundsFinding(`${network} facilitator`, funds, network)]
}

/** Whether a key has enough of the coin of `chain` to pay for transactions. */
export function fundsFinding(
  what: string,
  { address, has, takes, scale }: Funds,
  chain: string,
): Finding {
  const holding = `${address} has ${toDecimal(has, scale)} to pay with`
  if (has < takes) {
    const detail = `${holding}, and a transaction takes up to ${toDecimal(takes, scale)}`
    return problem(what, detail, `send it some of the coin of ${chain}`)
  }
  if (has < comfortable * takes)
    return note(what, `${holding}, at present enough for ${has / takes} transactions`)
  return ok(what, address)
}
