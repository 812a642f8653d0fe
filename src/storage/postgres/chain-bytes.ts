import { base58 } from '@scure/base'
import { toHex } from '../../domain/hash.ts'
import type { Network } from '../../domain/network.ts'

/** 64 bytes are at most 88 digits in base58. */
const base58Form = /^[1-9A-HJ-NP-Za-km-z]{0,88}$/

/**
 * The bytes of a hash or address, which are what is stored. A text in neither form becomes its
 * UTF-8, so that it is looked for and not found.
 */
export function toBytes<Text extends string | null>(text: Text) {
  return (text === null ? null : bytesOf(text)) as Buffer | Extract<Text, null>
}

function bytesOf(text: string): Buffer {
  if (text.startsWith('0x')) {
    const bytes = Buffer.from(text.slice(2), 'hex')
    // It ends at what is no hex.
    if (text.length === 2 + 2 * bytes.length) return bytes
  }
  return Buffer.from(base58Form.test(text) ? base58.decode(text) : text)
}

/** The hash or address of bytes, or of their hex: base58 on Solana, else 0x and lower-case hex. */
export function toText(network: Network, stored: Uint8Array | string): string {
  const bytes = typeof stored === 'string' ? Buffer.from(stored, 'hex') : stored
  return network === 'solana' ? base58.encode(bytes) : toHex(bytes)
}

/** An item as its row has it: these members are bytes. */
export type InBytes<Item, Name extends keyof Item> = Omit<Item, Name> & {
  readonly [Key in Name]: Buffer | Extract<Item[Key], null>
}

/** A row with these members in text. */
export function inText<
  Name extends string,
  Row extends { readonly [Key in Name]: Uint8Array | string | null },
>(network: Network, row: Row, ...names: Name[]) {
  const texts = names.map((name) => {
    const stored: Uint8Array | string | null = row[name]
    return [name, stored === null ? null : toText(network, stored)]
  })
  return { ...row, ...Object.fromEntries(texts) } as Omit<Row, Name> & {
    readonly [Key in Name]: string | Extract<Row[Key], null>
  }
}
