import type { Transfer as ChainTransfer } from '../chain.ts'

type Words = Pick<ChainTransfer, 'references' | 'isUnsure'>
type Moved = { readonly to: string; readonly usdcBase: bigint }

/**
 * By transfer of one transaction, the words that follow its own (to, amount) in the transaction's
 * input, wherever a wallet has put the call: any of them may be a reference. `transfers` are all
 * that the transaction made to their recipients, in order. The nth call names the nth transfer. If
 * fewer were made than called for, each has all words, and is unsure where they differ: some may
 * have failed, or whoever sent the call has appended them. In a bundle of several senders, (to,
 * amount) must stand as often as it was paid: a stranger could name an invoice for somebody else's
 * transfer.
 */
export function wordsAfter<Transfer extends Moved>(
  input: string,
  transfers: readonly Transfer[],
  isBundle: boolean,
): ReadonlyMap<Transfer, Words> {
  if (input.length <= longestPlainCall) return new Map()
  const calls = callsIn(input, [...new Set(transfers.map(({ to }) => to.slice(2)))])
  const words = new Map<Transfer, Words>()
  for (const [pair, alike] of Map.groupBy(transfers, pairOf)) {
    const named = calls.get(pair) ?? []
    if (named.length === 0 || (isBundle && named.length !== alike.length)) continue
    for (const [at, transfer] of alike.entries()) {
      const own = named.length > alike.length ? named : [named[at] ?? (named.at(-1) as string)]
      const different = [...new Set(own)]
      const references = different.filter(mayBeReference)
      words.set(transfer, { references, ...(different.length > 1 && { isUnsure: true }) })
    }
  }
  return words
}

/** By (to, amount), the words that follow it, in order. One pass: a call may be 128 KiB long. */
function callsIn(input: string, recipients: readonly string[]): Map<string, string[]> {
  const bytes = Buffer.from(input.slice(2), 'hex')
  const calls = new Map<string, string[]>()
  const beginnings = new Set(recipients.map((to) => Number.parseInt(to.slice(0, 8), 16)))
  const all = new Set(recipients)
  let zeros = 0
  for (let at = 0; at + addressBytes + wordBytes <= bytes.length; at++) {
    const amountAt = at + addressBytes
    const mayBegin = zeros >= paddingBytes && beginnings.has(bytes.readUInt32BE(at))
    if (mayBegin && all.has(bytes.toString('hex', at, amountAt))) {
      const wordAt = amountAt + wordBytes
      const pair = bytes.toString('hex', at, wordAt)
      const word = `0x${bytes.toString('hex', wordAt, wordAt + wordBytes)}`
      const known = calls.get(pair)
      if (known) known.push(word)
      else calls.set(pair, [word])
    }
    zeros = bytes[at] === 0 ? zeros + 1 : 0
  }
  return calls
}

function pairOf({ to, usdcBase }: Moved): string {
  return `${to.slice(2)}${usdcBase.toString(16).padStart(2 * wordBytes, '0')}`
}

/** Not what is cut off, nor padding, numbers and addresses: references are encrypted. */
function mayBeReference(word: string): boolean {
  return word.length === 2 + 2 * wordBytes && !word.startsWith('0x0000000000000000')
}

/** Of `transfer`, with nothing after its arguments. */
const longestPlainCall = 2 + 8 + 2 * 64
const addressBytes = 20
const paddingBytes = 12
const wordBytes = 32
