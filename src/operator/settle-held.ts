import { settlingChainOf } from '../chain/chains.ts'
import type { Config } from '../config/config.ts'
import { acceptsTransfer } from '../domain/invoices/invoice.ts'
import { type References, referencesUnder } from '../domain/invoices/reference.ts'
import { addressKey, type Network } from '../domain/network.ts'
import { namedIn } from '../queues/watching/attribution.ts'
import { load } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { heldSince } from '../storage/settlement/transfer-lists.ts'
import { findTransfer, type StoredTransfer } from '../storage/settlement/transfers.ts'
import { backfill } from './backfill.ts'
import type { KeySession } from './session.ts'

/**
 * `due`: it would be credited; `left`: the invoice takes nothing, or is not paid there; `missing`:
 * there is no such invoice; `several`: the payer named more than one. `unread`: no node is set for
 * the chain.
 */
export type Held = StoredTransfer & {
  readonly named: string | null
  readonly outcome: 'credited' | 'due' | 'left' | 'missing' | 'several' | 'unread'
}

/**
 * What the references of held transfers name. With `apply` the blocks of those that are due are
 * read again with the watcher's own step, which credits them. Transfers that name nothing are left
 * out.
 */
export async function* settleHeld(
  session: KeySession,
  { since, apply }: { readonly since: Date; readonly apply: boolean },
): AsyncGenerator<Held> {
  const { config, sql, keys } = session
  const references = referencesUnder(keys)
  for await (const transfer of heldSince(sql, since)) {
    const held = await judged(config, sql, references, transfer)
    if (held === null || held.outcome !== 'due' || !apply) {
      if (held) yield held
      continue
    }
    const { chain, blockNumber } = transfer
    await backfill(session, { chain, from: blockNumber, to: blockNumber }, () => {}, true)
    const after = await findTransfer(sql, transfer)
    yield { ...held, outcome: after?.credit?.invoiceId === held.named ? 'credited' : 'left' }
  }
}

async function judged(
  config: Config,
  sql: Sql,
  references: References,
  transfer: StoredTransfer,
): Promise<Held | null> {
  const named = await namesOf(config, references, transfer)
  if (named === null) return { ...transfer, named: null, outcome: 'unread' }
  const [id, ...others] = new Set(named)
  if (id === undefined) return null
  if (others.length > 0) return { ...transfer, named: null, outcome: 'several' }
  const invoice = await load(sql, id)
  if (!invoice) return { ...transfer, named: id, outcome: 'missing' }
  const { chain, payTo } = invoice.terms
  const isThere = chain === transfer.chain && addressKey(payTo) === transfer.to
  return { ...transfer, named: id, outcome: isThere && acceptsTransfer(invoice) ? 'due' : 'left' }
}

/** Null without a node. */
async function namesOf(
  config: Config,
  references: References,
  { chain: network, blockNumber, txHash, position, to }: StoredTransfer,
): Promise<readonly string[] | null> {
  const chain = chainIn(config, network)
  if (chain === null) return null
  const range = { from: blockNumber, to: blockNumber }
  const { transfers } = await chain.transfers(range, [to])
  const found = transfers.find((one) => one.txHash === txHash && one.position === position)
  return found ? namedIn(found, references) : []
}

function chainIn({ networks }: Config, network: Network) {
  const { rpcUrls, usdcAddress: usdc } = networks[network]
  return rpcUrls.length === 0 ? null : settlingChainOf({ network, rpcUrls, usdc })
}
