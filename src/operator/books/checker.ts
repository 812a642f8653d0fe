import {
  booking,
  document,
  leafOf,
  numberOf,
  placeOf,
  type StoredDocument,
} from '../../domain/books/documents.ts'
import type { Period } from '../../domain/books/period.ts'
import { type Codec, type Decoded, list, number, object, text } from '../../domain/codec.ts'
import { toHex } from '../../domain/hash.ts'
import type { BooksMonth } from '../../domain/receipts/receipt.ts'
import { bundleIn, rootFrom } from '../../verify/bundle.ts'
import { type Chain, type Issuer, verifyOn } from '../../verify/verify-receipt.ts'
import type { Note } from './faults.ts'
import { type Claims, checkGroup, type Group } from './group.ts'
import type { Line } from './lines.ts'
import { type Header, monthBook } from './months.ts'

export type Counts = {
  readonly documents: number
  readonly receipts: number
  readonly entries: number
  /** Documents of months that were not over: nothing on chain proves them, or that they are all. */
  readonly open: number
  /** Receipts of the last hour that were not on chain yet. */
  readonly pending: number
}

type Parts = {
  readonly chain: Chain
  readonly issuer: Issuer
  readonly note: Note
  readonly now: Date
}

const onChainWithinMs = 3_600_000

/** Takes the lines of a file that follow its header. */
export function fileChecker(head: Header, days: Period, { chain, issuer, note, now }: Parts) {
  const months = monthBook(head, { days, now, note })
  const counts = { documents: 0, receipts: 0, entries: 0, open: 0, pending: 0 }
  const state = { group: null as Group | null, lastPlace: '', isEnded: false }

  async function take({ at, json, hashBefore }: Line): Promise<void> {
    const line = (typeof json === 'object' && json !== null ? json : {}) as Claims
    if (state.isEnded) return note('altered', 'end', 'there are lines after it')
    switch (line.type) {
      case 'receipt':
        counts.receipts++
        return takeReceipt(at, line.bundle)
      case 'document':
        counts.documents++
        return takeDocument(at, line)
      case 'entry':
        counts.entries++
        return takeEntry(at, line)
      case 'end':
        return takeEnd(line, hashBefore())
      default:
        note('altered', `line ${at}`, 'it is no line of such a file')
    }
  }

  async function takeReceipt(at: number, input: unknown): Promise<void> {
    const { group } = state
    const verdict = await verifyOn(input, chain, issuer)
    const claims = claimsIn(input)
    const isNew =
      !verdict.ok && verdict.problem === 'not_anchored' && group !== null && isLate(claims.issuedAt)
    if (isNew) counts.pending++
    const isValid = verdict.ok || isNew
    const of = group ? numberOf(group.document) : `${claims.month ?? `line ${at}`}`
    if (!verdict.ok && !isNew) {
      const isGone = verdict.problem === 'not_anchored' || verdict.problem === 'revoked'
      note(isGone ? 'missing receipt' : 'altered', of, verdict.message)
    }
    if (group && isValid) group.claims.push(claims)
    else if (group) group.isReceiptBad = true
    else if (isValid && claims.kind !== 'books') note('altered', of, 'it belongs to no document')
    else months.addReceipt(of, isValid ? (claims as unknown as BooksMonth) : null)
  }

  function isLate(issuedAt: unknown): boolean {
    return Date.parse(`${issuedAt}`) > now.getTime() - onChainWithinMs
  }

  function takeDocument(at: number, line: Claims): void {
    closeGroup()
    const proof = line.place === null ? null : attempt(place, line.place)
    const leaf = proof && attempt({ decode: (json) => leafIn(json, proof.salt) }, line.document)
    const [of, booked] = [attempt(document, line.document), attempt(booking, line.booking)]
    if (!of || !booked || proof === undefined || !isCount(of.number ?? 1)) {
      note('altered', `line ${at}`, 'it is no document')
      return
    }
    state.group = { document: of, booking: booked, claims: [], rows: [], isReceiptBad: false }
    const name = numberOf(of)
    const here = placeOf(of)
    if (here === state.lastPlace) note('number', name, 'it comes twice')
    else if (here < state.lastPlace) note('number', name, 'it is out of order')
    state.lastPlace = here
    if (of.createdAt > head.exportedAt) note('altered', name, 'it was issued after the export')
    const month = months.add(of, of.kind === 'invoice' ? booked.bookedAt : null)
    if (month === 'open') counts.open++
    const isWrong = month === 'open' ? proof !== null : month && !isProven(leaf, proof, month)
    if (isWrong) note('altered', name, 'the receipt of its month does not prove it')
  }

  function takeEntry(at: number, { type: _, ...row }: Claims): void {
    if (!state.group) note('balance', `line ${at}`, 'it belongs to no document')
    state.group?.rows.push(row)
  }

  function takeEnd({ type: _, sha256, ...said }: Claims, hash: string): void {
    closeGroup()
    state.isEnded = true
    if (sha256 !== hash) note('altered', 'end', 'the lines before it have another hash')
    for (const name of ['documents', 'receipts', 'entries'] as const)
      if (said[name] !== counts[name])
        note('altered', 'end', `it says ${said[name]} ${name}, and there are ${counts[name]}`)
  }

  function closeGroup(): void {
    const { group } = state
    state.group = null
    if (!group) return
    try {
      checkGroup(group, days, note)
    } catch (error) {
      const message = `it cannot be compared: ${(error as Error).message}`
      note('altered', numberOf(group.document), message)
    }
  }

  function finish(): Counts {
    closeGroup()
    if (!state.isEnded) note('altered', 'end', 'the file ends without it')
    months.finish()
    return counts
  }

  return { take, finish }
}

/** Undefined where `json` is no such value. Reads it in place. */
export function attempt<T>({ decode }: Pick<Codec<T>, 'decode'>, json: unknown): T | undefined {
  try {
    return decode(json)
  } catch {
    return undefined
  }
}

/** Where a document stands in the tree of its month. */
const place = object({ salt: text, index: number, size: number, path: list(text) })

function leafIn(json: unknown, salt: string): string {
  return toHex(leafOf(Buffer.from(salt.slice(2), 'hex'), json as StoredDocument))
}

function isProven(
  leaf: string | null | undefined,
  proof: Decoded<typeof place> | null,
  { documents, documentsRoot }: BooksMonth,
): boolean {
  return (
    !!leaf &&
    proof !== null &&
    proof.size === documents &&
    isCount(proof.index + 1) &&
    rootFrom(leaf, proof) === documentsRoot
  )
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}

/** What a bundle shows, valid or not. */
function claimsIn(input: unknown): Claims {
  const shown = bundleIn(input)?.claims.flatMap((claim) => ('name' in claim ? [claim] : [])) ?? []
  return Object.fromEntries(shown.map(({ name, value }) => [name, value]))
}
