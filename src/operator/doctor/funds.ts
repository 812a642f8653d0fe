import { type Funds, facilitatorFunds, facilitatorKey } from '../../chain/facilitator/funds.ts'
import type { Config } from '../../config/config.ts'
import { loadSecrets } from '../../config/secrets.ts'
import { toDecimal } from '../../domain/money/money.ts'
import type { Network } from '../../domain/network.ts'
import { type Finding, note, ok, problem } from './finding.ts'

/** Fewer transactions get a note, while there is time to fund the key. */
const fewTransactions = 100n

/**
 * No finding if the key would not send: without a wallet nothing is sold, and a remote facilitator
 * pays by itself.
 */
export async function facilitatorFindings(
  config: Config,
  network: Network,
): Promise<readonly Finding[]> {
  const privateKey = facilitatorKey(config, network)
  const { wallets } = await loadSecrets(config)
  if (privateKey === null || wallets[network] === null) return []
  const { rpcUrls } = config.networks[network]
  const funds = await facilitatorFunds({ network, rpcUrls, privateKey })
  return [fundsFinding(`${network} facilitator`, funds, network)]
}

export function fundsFinding(
  what: string,
  { address, has, takes, scale }: Funds,
  chain: string,
): Finding {
  const holding = `${address} has ${toDecimal(has, scale)} for fees`
  if (has < takes) {
    const detail = `${holding}, but a transaction costs up to ${toDecimal(takes, scale)}`
    return problem(what, detail, `send it some of the native coin of ${chain}`)
  }
  if (has < fewTransactions * takes)
    return note(what, `${holding}, enough for ${has / takes} transactions at present`)
  return ok(what, address)
}
