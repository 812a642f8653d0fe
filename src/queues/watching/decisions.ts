import {
  confirm,
  credit,
  type Decided,
  decidePayments,
  keyOf,
  revert,
  settleAnew,
} from '../../actors/payments.ts'
import type { Transfer } from '../../chain/chain.ts'
import { hasReason } from '../../domain/error.ts'
import type { Command } from '../../domain/invoices/decide.ts'
import type * as Invoice from '../../domain/invoices/invoice.ts'
import type { Network } from '../../domain/network.ts'
import type { Step } from '../../storage/settlement/settlements.ts'
import type { StoredTransfer } from '../../storage/settlement/transfers.ts'
import { type MatchedTransfer, recordsToWrite, type TransferDiff } from './transfer-diff.ts'

export type DecisionOptions = {
  readonly network: Network
  readonly feeBasisPoints: number
  readonly now: () => Date
  readonly newId: () => string
  readonly log: { error(line: object, message: string): void }
}

type Findings = {
  readonly diff: TransferDiff
  readonly matched: readonly MatchedTransfer[]
  readonly confirmedTo: number
  /** Confirmations are counted from it. */
  readonly head: number
  /** Whether a second node shows it too. */
  readonly isShown: (transfer: Transfer) => boolean
}

/** By invoice id, in order. */
type Commands = ReadonlyMap<string, readonly InvoiceCommand[]>

export type Written = Pick<Step, 'inserted' | 'updated'> & {
  readonly decided: readonly Decided[]
}

export function createDecisions(options: DecisionOptions) {
  const { network, feeBasisPoints, now, newId, log } = options

  /** Commands for payments that are matched now, confirmed or lost. */
  function commandsOf({ diff, matched, confirmedTo, head, isShown }: Findings): Commands {
    const confirmation = (transfer: StoredTransfer | Transfer) =>
      confirm(keyOf(transfer), transfer, head, newId)
    const reverts = commandsFor(diff.missing, revert)
    const credits = matched.flatMap(({ transfer, match }): readonly InvoiceCommand[] => {
      if (!('invoiceId' in match)) return []
      const { invoiceId, matchedBy, asked } = match
      const credited = { invoiceId, command: credit(transfer, matchedBy, asked) }
      if (transfer.blockNumber > confirmedTo || !isShown(transfer)) return [credited]
      return [credited, { invoiceId, command: confirmation(transfer) }]
    })
    const nowConfirmed = diff.present.filter(
      ({ before, after }) => before.state === 'seen' && after.state === 'confirmed',
    )
    const confirms = commandsFor(
      nowConfirmed.map(({ after }) => after),
      confirmation,
    )
    return Map.groupBy([...reverts, ...credits, ...confirms], ({ invoiceId }) => invoiceId)
  }

  /**
   * Decides on the invoices named by `commandsOf`. One that refuses a credit of the matching rules
   * is a bug of ours: its credits in this step are held for an operator, as otherwise the whole
   * chain would stop.
   */
  function decide(
    findings: Findings,
    invoices: readonly Invoice.Invoice[],
    commandsById: Commands,
  ): Written {
    const { diff, matched, confirmedTo, head, isShown } = findings
    const refused = new Set<string>()
    const decided = invoices.flatMap((before) => {
      const commands = (commandsById.get(before.id) ?? []).map(({ command }) => command)
      try {
        return decideOn(before, commands, head) ?? []
      } catch (error) {
        if (!hasReason(error, 'invalid_state')) throw error
        for (const command of commands)
          if (command.kind === 'credit') refused.add(command.payment.key)
        const taken = commands.filter(({ kind }) => kind !== 'credit')
        return decideOn(before, taken, head) ?? []
      }
    })
    const left = refused.size === 0 ? matched : withoutRefused(matched, refused, diff)
    return { ...recordsToWrite(diff, left, confirmedTo, isShown), decided }
  }

  function decideOn(
    before: Invoice.Invoice,
    commands: readonly Command[],
    head: number,
  ): Decided | null {
    // Only after losing a payment can a settlement have failed.
    const hasLost = commands.some(({ kind }) => kind === 'revert')
    const all = hasLost ? [...commands, settleAnew(head, newId)] : commands
    return decidePayments(before, all, { at: now(), feeBasisPoints })
  }

  function withoutRefused(
    matched: readonly MatchedTransfer[],
    refused: ReadonlySet<string>,
    { held }: TransferDiff,
  ): readonly MatchedTransfer[] {
    const onRecord = new Set(held.map(({ transfer }) => transfer))
    return matched.flatMap((one): readonly MatchedTransfer[] => {
      const { transfer, match } = one
      const { key } = match
      if (!refused.has(key)) return [one]
      const { txHash } = transfer
      log.error({ network, txHash, ...match }, 'a payment is held that its invoice refuses')
      return onRecord.has(transfer) ? [] : [{ transfer, match: { key, heldAs: 'unmatched' } }]
    })
  }

  return { commandsOf, decide }
}

type InvoiceCommand = { readonly invoiceId: string; readonly command: Command }

function commandsFor(
  transfers: readonly StoredTransfer[],
  commandOf: (transfer: StoredTransfer) => Command,
): readonly InvoiceCommand[] {
  return transfers.flatMap((transfer) =>
    transfer.credit ? { invoiceId: transfer.credit.invoiceId, command: commandOf(transfer) } : [],
  )
}
