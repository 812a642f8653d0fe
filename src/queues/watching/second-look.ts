import type { Transfer } from '../../chain/chain.ts'
import type { SecondNode } from '../../chain/rpc/second-node.ts'
import type { References } from '../../domain/invoices/reference.ts'
import type { Credit } from '../../domain/settlement/candidate.ts'
import type { StoredTransfer, TransferChange } from '../../storage/settlement/transfers.ts'
import { incomingOf, mayHavePaid } from './attribution.ts'
import { confirmed, type MatchedTransfer, type TransferDiff, unproven } from './transfer-diff.ts'

/** Confirms what is credited and deep enough only where a second node shows it too. */
export function createSecondLook({
  secondNode,
  references,
}: {
  readonly secondNode: Pick<SecondNode, 'look'>
  readonly references: References
}) {
  /** Of payments on record. `awaiting`: those in earlier blocks. What no node shows is missing. */
  async function atRecorded(
    diff: TransferDiff,
    awaiting: readonly StoredTransfer[],
  ): Promise<TransferDiff> {
    const isPaying = ({ before, after }: TransferChange) =>
      before.credit !== null && before.state === 'seen' && after.state === 'confirmed'
    const payments = [...diff.present.filter(isPaying).map(({ after }) => after), ...awaiting]
    const verdicts = await secondNode.look(payments, (payment, shown) =>
      isAsCredited(shown, payment.credit),
    )
    const present = diff.present.map(({ before, after }) => {
      const counts = (verdicts.get(after) ?? 'shown') === 'shown'
      return { before, after: counts ? after : unproven(after) }
    })
    const shown = awaiting.filter((transfer) => verdicts.get(transfer) === 'shown')
    const gone = awaiting.filter((transfer) => verdicts.get(transfer) === 'gone')
    return {
      ...diff,
      present: [...present, ...shown.map((before) => ({ before, after: confirmed(before) }))],
      missing: [...diff.missing, ...gone],
    }
  }

  /** Of new credits: whether a second node shows the transfer. */
  async function atMatched(matched: readonly MatchedTransfer[], confirmedTo: number) {
    const credits = new Map(
      matched.flatMap(({ transfer, match }) =>
        'invoiceId' in match && transfer.blockNumber <= confirmedTo
          ? [[transfer, match] as const]
          : [],
      ),
    )
    const verdicts = await secondNode.look([...credits.keys()], (transfer, shown) =>
      isAsCredited(shown, credits.get(transfer) ?? null),
    )
    return (transfer: Transfer) => verdicts.get(transfer) === 'shown'
  }

  function isAsCredited(shown: Transfer, credit: Credit | null): boolean {
    return credit === null || mayHavePaid(incomingOf(shown, references), credit)
  }

  return { atRecorded, atMatched }
}
