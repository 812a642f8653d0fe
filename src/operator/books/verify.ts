import { daysOfPeriod } from '../../domain/books/period.ts'
import { chainForMany } from '../../verify/many.ts'
import type { Ask } from '../../verify/node.ts'
import type { Issuer } from '../../verify/verify-receipt.ts'
import { Unreadable } from '../read-json.ts'
import { attempt, type Counts, fileChecker } from './checker.ts'
import { type Fault, faultList } from './faults.ts'
import type { Line } from './lines.ts'
import { header } from './months.ts'

export type Verified = Counts & {
  readonly ok: boolean
  readonly accountId: string
  readonly period: string
  readonly exportedAt: string
  /** The batches of the receipts on chain. */
  readonly batches: number
  readonly faultCount: number
  /** The first thousand. */
  readonly faults: readonly Fault[]
}

/**
 * Checks an auditor's file: docs/audit.md. Rejects with `Unreadable` if it is none, and with
 * `NodeError` where nodes do not say enough.
 */
export async function verifyBooks(
  lines: AsyncGenerator<Line, void>,
  ask: Ask,
  issuer: Issuer,
  now: Date,
): Promise<Verified> {
  const { value: first } = await lines.next()
  const head = attempt(header, first?.json)
  const days = head?.version === 1 ? daysOfPeriod(head.period) : null
  if (!head || !days)
    throw new Unreadable('the file', 'it does not begin with the header of an export of books')
  const { note, found } = faultList()
  const chain = chainForMany(ask, issuer)
  const { accountId, period, exportedAt } = head
  if (!(Date.parse(exportedAt) <= now.getTime()))
    note('altered', 'header', 'it was exported in the future')
  const checker = fileChecker(head, days, { chain, issuer, note, now })
  for await (const line of lines) await checker.take(line)
  const counts = checker.finish()
  const { count: faultCount, faults } = found()
  const batches = chain.anchorCount()
  const ok = faultCount === 0
  return { ok, accountId, period, exportedAt, ...counts, batches, faultCount, faults }
}
