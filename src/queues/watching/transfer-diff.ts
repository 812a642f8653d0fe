import { keyOf } from '../../actors/payments.ts'
import { type Chain, ChainError, type Transfer } from '../../chain/chain.ts'
import type { Match } from '../../domain/settlement/candidate.ts'
import type { Step } from '../../storage/settlement/settlements.ts'
import type { StoredTransfer, TransferChange } from '../../storage/settlement/transfers.ts'

export type TransferDiff = {
  /** Never seen, or seen again after being reverted. */
  readonly fresh: readonly Transfer[]
  /** On record and still there, perhaps in another block or confirmed now. */
  readonly present: readonly TransferChange[]
  /** Those present and held that are matched again, as after a reorganisation. */
  readonly held: readonly HeldTransfer[]
  /** A fresh transfer may have the key of a missing one. */
  readonly missing: readonly StoredTransfer[]
  /** On record as reverted, of transactions that are there. */
  readonly reverted: readonly StoredTransfer[]
}

/** Whether two nodes have shown it. With one URL, one is enough. */
export function isProven({ state, credit }: StoredTransfer, urls: number): boolean {
  return urls === 1 || (state === 'confirmed' && credit !== null)
}

export function confirmed({ awaitsNode: _, ...transfer }: StoredTransfer): StoredTransfer {
  return { ...transfer, state: 'confirmed' }
}

/** Those that await proof although they are deep enough are credited and not confirmed. */
export function unproven(transfer: StoredTransfer): StoredTransfer {
  return { ...transfer, state: 'seen', awaitsNode: true }
}

export type HeldTransfer = {
  readonly transfer: Transfer
  readonly heldAs: NonNullable<StoredTransfer['heldAs']>
}

export function diffTransfers(
  stored: readonly StoredTransfer[],
  read: readonly Transfer[],
  confirmedTo: number,
  rematchesHeld = false,
): TransferDiff {
  const live = stored.filter(({ state }) => state !== 'reverted')
  const reverted = stored.filter(({ state }) => state === 'reverted')
  const replaced = replacedTransactions(live, read)
  const unmatched = new Map(
    live
      .filter(({ txHash }) => !replaced.has(txHash))
      .map((transfer) => [keyOf(transfer), transfer]),
  )
  const fresh: Transfer[] = []
  const present: TransferChange[] = []
  const found: (HeldTransfer & { readonly isMoved: boolean })[] = []
  for (const transfer of read) {
    const before = unmatched.get(keyOf(transfer))
    if (!before) fresh.push(transfer)
    else {
      const { blockNumber, blockHash, blockTimeMs } = transfer
      const { awaitsNode: _, ...known } = before
      const state = blockNumber <= confirmedTo ? 'confirmed' : before.state
      present.push({ before, after: { ...known, blockNumber, blockHash, blockTimeMs, state } })
      const { heldAs } = before
      if (heldAs) found.push({ transfer, heldAs, isMoved: blockHash !== before.blockHash })
      unmatched.delete(keyOf(transfer))
    }
  }
  const lost = live.filter(({ txHash }) => replaced.has(txHash))
  const missing = [...unmatched.values(), ...lost]
  const isReopening = rematchesHeld || missing.some(({ credit }) => credit !== null)
  const held = found.filter(({ isMoved }) => isMoved || isReopening)
  return { fresh, present, held, missing, reverted }
}

/**
 * Moved transactions whose transfers count as new. Either positions, and so keys, have changed in
 * the new block, or they were confirmed, and a receipt may name the old block.
 */
function replacedTransactions(
  live: readonly StoredTransfer[],
  read: readonly Transfer[],
): ReadonlySet<string> {
  const readIn = Map.groupBy(live.length === 0 ? [] : read, ({ txHash }) => txHash)
  const replaced = new Set<string>()
  for (const [txHash, before] of Map.groupBy(live, ({ txHash }) => txHash)) {
    const after = readIn.get(txHash) ?? []
    const isMoved = before.some(({ blockHash }) => blockHash !== after[0]?.blockHash)
    const isConfirmed = before.some(({ state }) => state === 'confirmed')
    if (isMoved && (isConfirmed || contentOf(after) !== contentOf(before))) replaced.add(txHash)
  }
  return replaced
}

function contentOf(transfers: readonly (Transfer | StoredTransfer)[]): string {
  return transfers
    .map(({ position, from, to, usdcBase }) => `${position} ${from} ${to} ${usdcBase}`)
    .sort()
    .join()
}

/**
 * Believes that a transfer is gone only if its block is. A node that answers with another block
 * number lacks the block. Answers those that only one node has ever shown, and this one leaves out:
 * either may be wrong.
 */
export async function leftOut(
  chain: Chain,
  missing: readonly StoredTransfer[],
  found: readonly Transfer[],
): Promise<ReadonlySet<StoredTransfer>> {
  const kept = new Set<StoredTransfer>()
  const shown = new Set(found.map(positionOf))
  for (const lost of missing.filter((transfer) => !shown.has(positionOf(transfer)))) {
    const { blockNumber, blockHash, txHash } = lost
    const block = await chain.block(blockNumber, blockHash)
    if (block?.number !== blockNumber) {
      throw new ChainError('lagging', `the node does not have block ${blockNumber} of ${txHash}`)
    }
    if (block.hash !== blockHash) continue
    if (isProven(lost, chain.urls))
      throw new ChainError('invalid_answer', `the node left out ${txHash} of block ${blockNumber}`)
    kept.add(lost)
  }
  return kept
}

/** They stay on record as if they had been read again. */
export function withKept(
  { missing, present, ...diff }: TransferDiff,
  kept: ReadonlySet<StoredTransfer>,
  confirmedTo: number,
): TransferDiff {
  const stay = [...kept].map((before) => ({
    before,
    after: before.blockNumber <= confirmedTo ? confirmed(before) : before,
  }))
  return {
    ...diff,
    present: [...present, ...stay],
    missing: missing.filter((one) => !kept.has(one)),
  }
}

function positionOf(transfer: Transfer | StoredTransfer): string {
  return `${keyOf(transfer)} ${transfer.blockHash}`
}

/** A fresh transfer, or a held one that is credited now. */
export type MatchedTransfer = { readonly transfer: Transfer; readonly match: Match }

export function recordsToWrite(
  { missing, present }: TransferDiff,
  matched: readonly MatchedTransfer[],
  confirmedTo: number,
  isShown: (transfer: Transfer) => boolean,
): Pick<Step, 'inserted' | 'updated'> {
  const records = matched.map((one) => {
    const record = recordOf(one, confirmedTo)
    return record.state === 'confirmed' && record.credit && !isShown(one.transfer)
      ? unproven(record)
      : record
  })
  const written = new Map(records.map((record) => [keyOf(record), record]))
  const gone = missing.map((before) => {
    const { awaitsNode: _, ...known } = before
    const reverted = { ...known, state: 'reverted' as const }
    return { before, after: written.get(keyOf(before)) ?? reverted }
  })
  const kept = present.map(({ before, after }) => ({
    before,
    after: written.get(keyOf(before)) ?? after,
  }))
  for (const { before } of [...gone, ...kept]) written.delete(keyOf(before))
  return { inserted: [...written.values()], updated: [...gone, ...kept.filter(isChange)] }
}

function isChange({ before, after }: TransferChange): boolean {
  return (
    before.state !== after.state ||
    before.blockHash !== after.blockHash ||
    before.credit !== after.credit ||
    before.awaitsNode !== after.awaitsNode
  )
}

function recordOf({ transfer, match }: MatchedTransfer, confirmedTo: number): StoredTransfer {
  const { chain, txHash, position, blockNumber, blockHash, blockTimeMs, from, to, usdcBase } =
    transfer
  return {
    ...{ chain, txHash, position, blockNumber, blockHash, blockTimeMs, from, to, usdcBase },
    state: transfer.blockNumber <= confirmedTo ? 'confirmed' : 'seen',
    credit:
      'invoiceId' in match ? { invoiceId: match.invoiceId, matchedBy: match.matchedBy } : null,
    heldAs: 'heldAs' in match ? match.heldAs : null,
  }
}
