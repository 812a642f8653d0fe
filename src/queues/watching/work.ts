import { afterSettling } from '../../actors/jobs.ts'
import { type Chain, ChainError } from '../../chain/chain.ts'
import { chainOf, settlingChainOf } from '../../chain/chains.ts'
import { evmBalances } from '../../chain/evm/balances.ts'
import { type Network, networks } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import { salesUsdcBase } from '../../domain/x402/pricing.ts'
import type { Step } from '../../storage/settlement/settlements.ts'
import type { Work, WorkParts } from '../work.ts'
import { createBalanceCheck } from './balances.ts'
import { createCatchUp, notingProgress } from './catch-up.ts'
import { chainLogs } from './logs.ts'
import { createPurchaseWatch } from './purchases.ts'
import { createRefundWatch } from './refunds.ts'
import { createWatcher } from './watch.ts'

const checkBalancesEveryMs = 3_600_000

export function watchWork(network: Network, parts: WorkParts): Work<`watch-${Network}`> {
  const { config, log, sql, patientSql, queues, metrics, steadyMs } = parts
  const { rpcUrls, usdcAddress: usdc, startBlock, pollMs } = config.networks[network]
  const settling = settlingOptions(parts, network)
  const purchases = purchaseWatch(parts, network)
  const chain = settlingChainOf({ network, rpcUrls, usdc, ...chainLogs(log, network) })
  const refunds = refundWatch(parts, chain)
  const secondNode = parts.secondNodes.get(network)
  const notes = () => secondNode?.notes() ?? []
  const watcher = createWatcher({
    ...settling,
    ...(secondNode && { secondNode }),
    chain,
    sql,
    patientSql,
    startBlock,
    async onReread(fromBlock) {
      await Promise.all([purchases?.reverse(fromBlock), refunds?.reverse(fromBlock)])
    },
    onCommitted(step) {
      for (const { blockTimeMs } of step.inserted)
        metrics.detected(network, Date.now() - blockTimeMs)
      settling.onCommitted(step)
    },
  })
  return {
    process: createCatchUp(notingProgress(watcher, { sql, network, steadyMs, notes }), {
      network,
      log,
      steadyMs,
      async onCaughtUp() {
        await Promise.all([purchases?.follow(), refunds?.follow()])
      },
    }),
    schedule: () => queues.every(`watch-${network}`, {}, pollMs),
  }
}

/** Null: nothing is bought there. */
function purchaseWatch(parts: WorkParts, network: Network) {
  const { sql, purchases, purchaseReaders } = parts
  const reader = purchaseReaders.get(network)
  if (!reader) return null
  const { steadyMs, log, config } = parts
  const { confirmations } = config.networks[network]
  const { outcomes } = purchases
  return createPurchaseWatch({
    sql,
    chain: network,
    reader,
    outcomes,
    confirmations,
    steadyMs,
    log,
  })
}

function refundWatch({ config, sql, creditNotes, purchaseReaders, log }: WorkParts, chain: Chain) {
  const reader = purchaseReaders.get(chain.network)
  const { maxRangeBlocks } = config.networks[chain.network]
  const { proving } = creditNotes
  return reader ? createRefundWatch({ sql, chain, reader, proving, maxRangeBlocks, log }) : null
}

/** Solana is left out: it has no balance as of a block. */
export function balancesWork(parts: WorkParts): Work<'balances'> {
  const { config, log, queues } = parts
  const checks = networks.flatMap((network) => {
    const { chainId, keepsStates } = registry[network]
    if (chainId === null || config.networks[network].rpcUrls.length === 0) return []
    return [{ network, check: balanceCheck(parts, { network, chainId, keepsStates }) }]
  })
  return {
    process: () => checkEach(checks, log),
    schedule: () => queues.every('balances', {}, checkBalancesEveryMs),
  }
}

/** One that fails is tried again an hour later. */
export async function checkEach(
  checks: readonly { readonly network: Network; readonly check: () => Promise<void> }[],
  log: Record<'warn' | 'error', (line: object, message: string) => void>,
): Promise<void> {
  for (const { network, check } of checks) {
    await check().catch((error) => {
      if (error instanceof ChainError) {
        const { fault, message: reason } = error
        log.warn({ network, fault, reason }, 'balances could not be read')
      } else {
        log.error({ err: error, network }, 'balances could not be checked')
      }
    })
  }
}

function balanceCheck(
  parts: WorkParts,
  row: { readonly network: Network; readonly chainId: number; readonly keepsStates: boolean },
): () => Promise<void> {
  const { config, log, sql, metrics } = parts
  const { network } = row
  const { rpcUrls, usdcAddress: usdc } = config.networks[network]
  return createBalanceCheck({
    chain: chainOf({ network, rpcUrls, usdc }),
    balances: evmBalances({ ...row, rpcUrls, usdc }),
    sql,
    watching: {
      ...settlingOptions(parts, network),
      chain: settlingChainOf({ network, rpcUrls, usdc }),
    },
    log,
    onFound: (transfers) => metrics.missed(network, transfers),
  })
}

function settlingOptions(parts: WorkParts, network: Network) {
  const { config, references, now, steadyMs, newId, log, queues, invoices } = parts
  const { confirmations, maxRangeBlocks } = config.networks[network]
  const onSettled = afterSettling({ invoices, jobs: queues })
  return {
    confirmations,
    maxRangeBlocks,
    feeBasisPoints: config.feeBasisPoints,
    references,
    salesUsdcBase,
    now,
    steadyMs,
    newId,
    log,
    onCommitted({ changes }: Step) {
      if (changes.length > 0) onSettled(changes.map(({ after }) => after.id))
    },
  }
}
