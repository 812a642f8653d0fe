/**
 * As much of a TrueType font as it takes to compare the outlines of its glyphs. It deliberately
 * does not use the library that embeds our fonts.
 */
export type TrueType = {
  /** The glyph id of a letter in the font's own character map; 0 if it has none. */
  glyphOf(codePoint: number): number
  /** A text that is equal for glyphs with equal outlines; empty for a glyph without ink. */
  look(glyph: number): string
}

export function openTrueType(file: Uint8Array): TrueType {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const tables = tablesOf(view)
  const table = (name: string) => tables.get(name) ?? Number.NaN
  const isLong = view.getInt16(table('head') + 50) === 1

  function place(glyph: number): number {
    const loca = table('loca')
    return isLong ? view.getUint32(loca + 4 * glyph) : 2 * view.getUint16(loca + 2 * glyph)
  }

  function look(glyph: number): string {
    const from = table('glyf') + place(glyph)
    const to = table('glyf') + place(glyph + 1)
    if (from === to) return ''
    const bytes = file.subarray(from, to)
    return view.getInt16(from) >= 0 ? Buffer.from(bytes).toString('base64') : lookOfParts(from)
  }

  // A composite glyph: other glyphs with offsets. Their ids differ between fonts, their offsets do
  // not.
  function lookOfParts(from: number): string {
    let at = from + 10
    let looks = ''
    for (let more = true; more; ) {
      const flags = view.getUint16(at)
      const part = look(view.getUint16(at + 2))
      if (part === '') return ''
      const scaled = flags & 0x8 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0
      const end = at + 4 + (flags & 0x1 ? 4 : 2) + scaled
      looks += `(${Buffer.from(file.subarray(at + 4, end)).toString('hex')} ${part})`
      more = (flags & 0x20) !== 0
      at = end
    }
    return looks
  }

  return { glyphOf: (codePoint) => lookUp(view, table('cmap'), codePoint), look }
}

function tablesOf(view: DataView): Map<string, number> {
  const tables = new Map<string, number>()
  for (let n = 0; n < view.getUint16(4); n++) {
    const at = 12 + 16 * n
    const name = String.fromCharCode(...[0, 1, 2, 3].map((byte) => view.getUint8(at + byte)))
    tables.set(name, view.getUint32(at + 8))
  }
  return tables
}

/**
 * Looks a letter up in the character map of format 12, which DejaVu has: ranges of letters, each
 * with the glyph of its first letter.
 */
function lookUp(view: DataView, cmap: number, codePoint: number): number {
  for (let n = 0; n < view.getUint16(cmap + 2); n++) {
    const map = cmap + view.getUint32(cmap + 8 + 8 * n)
    if (view.getUint16(map) !== 12) continue
    for (let range = 0; range < view.getUint32(map + 12); range++) {
      const at = map + 16 + 12 * range
      const first = view.getUint32(at)
      if (codePoint >= first && codePoint <= view.getUint32(at + 4))
        return view.getUint32(at + 8) + codePoint - first
    }
  }
  return 0
}
