import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Keys } from '../accounts/secret.ts'

/** Payment references: 32 bytes that only the service can decode, as lower-case hex with `0x`. */
export type References = ReturnType<typeof references>

const blockBytes = 16

/**
 * AES-256(id) ‖ AES-256(id with its first byte plus one). References are public on chain and do not
 * reveal the id; the second block proves they are ours.
 */
export function references(key: Uint8Array) {
  // A single block needs neither mode nor padding, so one object serves all calls.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return {
    of(invoiceId: string): string {
      const id = Buffer.from(invoiceId.replaceAll('-', ''), 'hex')
      return `0x${cipher.update(Buffer.concat([id, echo(id)]), undefined, 'hex')}`
    },
    /** Null: the reference is not ours. */
    read(reference: string): string | null {
      if (!/^0x[0-9a-f]{64}$/.test(reference)) return null
      const plain = decipher.update(Buffer.from(reference.slice(2), 'hex'))
      const id = plain.subarray(0, blockBytes)
      if (!echo(id).equals(plain.subarray(blockBytes))) return null
      return written(id)
    },
    /** The invoices whose references stand anywhere in these bytes (hex with `0x`), each once. */
    findIn(data: string): readonly string[] {
      const bytes = Buffer.from(data.slice(2), 'hex')
      const found = new Set<string>()
      for (let from = 0; from < blockBytes; from++) {
        const whole = Math.max(0, bytes.length - from) & -blockBytes
        const plain = decipher.update(bytes.subarray(from, from + whole))
        for (let at = 0; at + 2 * blockBytes <= plain.length; at += blockBytes) {
          if (plain[at + 1] !== plain[at + blockBytes + 1]) continue
          const [id, second] = [at, at + blockBytes].map((start) =>
            plain.subarray(start, start + blockBytes),
          ) as [Buffer, Buffer]
          if (echo(id).equals(second)) found.add(written(id))
        }
      }
      return [...found]
    },
  }
}

function written(id: Buffer): string {
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Made with the database's key; those of all keys are read. */
export function referencesUnder({ derived: [newest, ...others] }: Keys): References {
  const { of, read, findIn } = references(newest.references)
  const former = others.map((one) => references(one.references))
  const readFormer = (reference: string) => {
    for (const one of former) {
      const id = one.read(reference)
      if (id !== null) return id
    }
    return null
  }
  return {
    of,
    read: (reference) => read(reference) ?? readFormer(reference),
    findIn: (data) => [findIn(data), ...former.map((one) => one.findIn(data))].flat(),
  }
}

/** It differs from the id, so swapped halves are not a reference. */
function echo(id: Uint8Array): Buffer {
  const echoed = Buffer.from(id)
  echoed[0] = (echoed[0] ?? 0) + 1
  return echoed
}
