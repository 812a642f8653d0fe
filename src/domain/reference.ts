import { createCipheriv, createDecipheriv } from 'node:crypto'

/** Invoice ids as payers see them: 32 bytes that only the service can read, lower-case hex with `0x`. */
export type References = {
  of(invoiceId: string): string
  /** The invoice id behind a reference, or null when the 32 bytes are not one of ours. */
  read(reference: string): string | null
}

const blockBytes = 16

/**
 * The 32 bytes a payer attaches to a transfer to say which invoice it pays. Ids stay unguessable although references are public on
 * chain, and no index is needed to look one up. Layout: AES-256(id) ‖ AES-256(id, its first byte plus one). Each block is a
 * permutation under the service's key (32 bytes), so no id comes twice, and the second tells ours from other bytes.
 */
export function references(key: Uint8Array): References {
  // One block needs no mode and no padding, so the same object serves for ever.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return {
    of(invoiceId) {
      const id = Buffer.from(invoiceId.replaceAll('-', ''), 'hex')
      return `0x${cipher.update(Buffer.concat([id, echo(id)]), undefined, 'hex')}`
    },
    read(reference) {
      if (!/^0x[0-9a-f]{64}$/.test(reference)) return null
      const plain = decipher.update(Buffer.from(reference.slice(2), 'hex'))
      const id = plain.subarray(0, blockBytes)
      if (!echo(id).equals(plain.subarray(blockBytes))) return null
      return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    },
  }
}

/** Not the id itself, nor its mirror: a reference with its halves swapped is not one of ours. */
function echo(id: Uint8Array): Buffer {
  const echoed = Buffer.from(id)
  echoed[0] = (echoed[0] ?? 0) + 1
  return echoed
}
