import { DomainError, invalidField } from '../error.ts'
import { priceScale, type TaxShare, taxKindOf } from '../invoices/lines.ts'
import {
  divideHalfUp,
  fromDecimal,
  invalidAmount,
  share,
  sumOf,
  toDecimal,
} from '../money/money.ts'
import type { CreditedLine, Terms } from './credit-note.ts'
import { grossOf, type Left, type LeftLine, quantityScale } from './left.ts'

/** What a note is to take back. Quantities have six places, amounts are in units of the invoice. */
export type Wanted =
  | { readonly kind: 'all' }
  /** With tax. */
  | { readonly kind: 'gross'; readonly units: bigint }
  /** Of the price of a purchase; its tax is only recorded. */
  | { readonly kind: 'net'; readonly units: bigint }
  | { readonly kind: 'lines'; readonly lines: readonly WantedLine[] }

export type WantedLine = { readonly line: number; readonly quantityMicro: bigint }

export type Figures = Pick<
  Terms,
  'breakdown' | 'lines' | 'subtotalUnits' | 'taxUnits' | 'totalUnits'
>

/**
 * The figures of a note. All notes of an invoice add up to it to the last unit. Errors:
 * `credit_exceeded` for more than is left; `invalid_request` for a line that does not exist or is
 * named twice; `invalid_amount` where nothing would be credited.
 */
export function figuresOf(left: Left, wanted: Wanted, scale: number): Figures {
  const { shares, lines } = taken(left, wanted, scale)
  const breakdown = shares.filter((share) => grossOf(share) > 0n)
  const subtotalUnits = sumOf(breakdown, ({ baseUnits }) => baseUnits)
  const taxUnits = sumOf(breakdown, ({ taxUnits }) => taxUnits)
  const totalUnits = subtotalUnits + taxUnits
  if (totalUnits === 0n) throw nothing(left)
  return { breakdown, subtotalUnits, taxUnits, totalUnits, ...(lines && { lines }) }
}

type Taken = { readonly shares: readonly TaxShare[]; readonly lines?: readonly CreditedLine[] }

function taken(left: Left, wanted: Wanted, scale: number): Taken {
  switch (wanted.kind) {
    case 'all':
      return { shares: left.shares, ...linesOf(left) }
    case 'gross':
      return { shares: byGross(left.shares, wanted.units) }
    case 'net':
      return { shares: byNet(left.shares, wanted.units) }
    case 'lines':
      return byLines(left, wanted.lines, scale)
  }
}

/** The lines that are left, unless an amount was credited apart from them. */
function linesOf({ shares, lines, isLined }: Left): Partial<Taken> {
  const left = lines.filter(({ netUnits }) => netUnits > 0n)
  const net = sumOf(shares, ({ baseUnits }) => baseUnits)
  if (!isLined || sumOf(left, ({ netUnits }) => netUnits) !== net) return {}
  return {
    lines: lines.flatMap(({ quantityMicro, netUnits }, at) => {
      const quantity = toDecimal(quantityMicro, quantityScale)
      return quantityMicro > 0n ? { line: at + 1, quantity, netUnits } : []
    }),
  }
}

/** In proportion to what is left of each, with tax: the largest remainders get the last units. */
function byGross(shares: readonly TaxShare[], units: bigint): readonly TaxShare[] {
  const total = sumOf(shares, grossOf)
  if (units > total) throw exceeded()
  const parts = shares.map((share, at) => {
    const exact = units * grossOf(share)
    return { at, units: exact / total, remainder: exact % total }
  })
  const missing = units - sumOf(parts, (part) => part.units)
  const byRemainder = parts.toSorted((a, b) =>
    a.remainder < b.remainder ? 1 : a.remainder > b.remainder ? -1 : 0,
  )
  const raised = new Set(
    byRemainder.flatMap(({ at }, place) => (BigInt(place) < missing ? at : [])),
  )
  return parts.map((part, at) =>
    split(shares[at] as TaxShare, part.units + (raised.has(at) ? 1n : 0n)),
  )
}

/** Net and tax in proportion to what is left of them; neither becomes more than that. */
function split(share: TaxShare, grossUnits: bigint): TaxShare {
  const gross = grossOf(share)
  const exact = gross === 0n ? 0n : divideHalfUp(grossUnits * share.baseUnits, gross)
  const baseUnits = between(exact, grossUnits - share.taxUnits, share.baseUnits)
  return { ...share, baseUnits, taxUnits: grossUnits - baseUnits }
}

function between(units: bigint, least: bigint, most: bigint): bigint {
  if (units < least) return least
  return units > most ? most : units
}

function byNet([share, ...others]: readonly TaxShare[], units: bigint): readonly TaxShare[] {
  if (!share || others.length > 0) throw new Error('a purchase is taxed in one way')
  return [taxed(share, units)]
}

function byLines(left: Left, wanted: readonly WantedLine[], scale: number): Taken {
  const lines = wanted.map((one, at) => {
    const path = `lines/${at}/line`
    const found = left.lines[one.line - 1]
    if (!found) throw invalidField(path, `must be from 1 to ${left.lines.length}`)
    if (wanted.findIndex(({ line }) => line === one.line) < at)
      throw invalidField(path, 'is named twice')
    return { ...one, netUnits: netOf(found, one.quantityMicro, scale), kind: taxKindOf(found.line) }
  })
  const byKind = Map.groupBy(lines, ({ kind }) => kind)
  return {
    shares: left.shares.map((share) => {
      const alike = byKind.get(taxKindOf(share)) ?? []
      return taxed(
        share,
        sumOf(alike, ({ netUnits }) => netUnits),
      )
    }),
    lines: lines.map(({ line, quantityMicro, netUnits }) => {
      return { line, quantity: toDecimal(quantityMicro, quantityScale), netUnits }
    }),
  }
}

/** All that is left of the line for all of its quantity. */
function netOf({ line, ...left }: LeftLine, quantityMicro: bigint, scale: number): bigint {
  if (quantityMicro > left.quantityMicro) throw exceeded()
  if (quantityMicro === left.quantityMicro) return left.netUnits
  const price = fromDecimal(line.unitPrice, priceScale)
  const places = BigInt(quantityScale + priceScale - scale)
  return between(divideHalfUp(quantityMicro * price, 10n ** places), 0n, left.netUnits)
}

/** The part of a share with this net and its tax; with the whole net, all the tax that is left. */
function taxed(left: TaxShare, baseUnits: bigint): TaxShare {
  if (baseUnits > left.baseUnits) throw exceeded()
  if (baseUnits === 0n) return { ...left, baseUnits, taxUnits: 0n }
  if (baseUnits === left.baseUnits) return left
  const taxUnits = between(share(baseUnits, left.rateBasisPoints), 0n, left.taxUnits)
  return { ...left, baseUnits, taxUnits }
}

function nothing({ shares }: Left): DomainError {
  return sumOf(shares, grossOf) === 0n ? exceeded() : invalidAmount('comes to nothing')
}

function exceeded(): DomainError {
  return new DomainError('credit_exceeded', 'This is more than is left of the invoice to credit')
}
