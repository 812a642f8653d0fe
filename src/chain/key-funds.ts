import type { Config } from '../config/config.ts'
import { isAnchoring, isWatched } from '../config/notes.ts'
import type { Secrets } from '../config/secrets.ts'
import { networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { KeyCoin } from '../telemetry/metrics.ts'
import { anchorClient } from './anchor/anchor.ts'
import { anchorFunds } from './anchor/funds.ts'
import { type Funds, facilitatorFunds, facilitatorKey } from './facilitator/funds.ts'

const freshMs = 60_000
const waitMs = 1_000

/**
 * Reads what the keys hold that this process signs with, once a minute. Waits a second at most;
 * what no node answers is left out.
 */
export function createKeyFunds(
  config: Config,
  secrets: Secrets,
  steadyMs: () => number,
): () => Promise<readonly KeyCoin[]> {
  const readers = [...anchorReaders(config, secrets), ...facilitatorReaders(config, secrets)]
  let known: readonly KeyCoin[] = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<unknown> = Promise.resolve()

  async function readAll(): Promise<void> {
    const found = await Promise.all(readers.map((read) => read().catch(() => null)))
    known = found.filter((one) => one !== null)
  }

  return async () => {
    if (readers.length > 0 && steadyMs() - readAtMs >= freshMs) {
      readAtMs = steadyMs()
      reading = readAll()
    }
    await Promise.race([reading, Bun.sleep(waitMs)])
    return known
  }
}

type Reader = () => Promise<KeyCoin>

function anchorReaders(config: Config, { anchorPrivateKey }: Secrets): readonly Reader[] {
  const { rpcUrls, contract } = config.anchor
  const anchors = config.role !== 'http' && config.queues.includes('anchor') && isAnchoring(config)
  if (!anchors || anchorPrivateKey === null || contract === null) return []
  const client = anchorClient({ rpcUrls, privateKey: anchorPrivateKey, contract })
  return [
    async () => {
      const [chainId, funds] = await Promise.all([client.chainId(), anchorFunds(client)])
      const network = networks.find((name) => registry[name].chainId === chainId)
      return coinOf('anchor', network ?? `eip155:${chainId}`, funds)
    },
  ]
}

function facilitatorReaders(config: Config, { wallets }: Secrets): readonly Reader[] {
  if (config.role === 'worker') return []
  return networks.flatMap((network): readonly Reader[] => {
    const privateKey = facilitatorKey(config, network)
    const isSold = isWatched(config, network) && wallets[network] !== null
    const settles = isSold && !registry[network].gasless
    if (!settles || privateKey === null) return []
    const { rpcUrls } = config.networks[network]
    return [
      async () =>
        coinOf('facilitator', network, await facilitatorFunds({ network, rpcUrls, privateKey })),
    ]
  })
}

function coinOf(
  key: KeyCoin['key'],
  chain: string,
  { address, has, takes, scale }: Funds,
): KeyCoin {
  return {
    key,
    chain,
    address,
    coin: Number(has) / 10 ** scale,
    transactions: takes === 0n ? null : Number(has / takes),
  }
}
