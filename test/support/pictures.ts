import { deflateSync } from 'node:zlib'

/** A PNG of one colour, with a text in it, that says it is `width` × `height`. */
export function png(width: number, height: number, { text = '', rows = height } = {}): Buffer {
  const row = Buffer.alloc(1 + width * 4, 0xc0)
  row[0] = 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const chunks: readonly [string, Buffer][] = [
    ['IHDR', header],
    ...(text ? [['tEXt', Buffer.from(`Comment\0${text}`)] as [string, Buffer]] : []),
    ['IDAT', deflateSync(Buffer.concat(Array(rows).fill(row)))],
    ['IEND', Buffer.alloc(0)],
  ]
  const start = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([start, ...chunks.map(([type, data]) => chunk(type, data))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(Bun.hash.crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

export function pngUrl(bytes: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
}

/** An SVG with this inside. */
export function svgUrl(inside: string, before = ''): string {
  const svg = `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20">${inside}</svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}

export const square = '<path d="M0 0h40v20H0z" fill="#0a7"/>'
