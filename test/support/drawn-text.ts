import { inflateSync } from 'node:zlib'

/** A glyph on a page of a PDF: the letters a reader copies for it, and its font. */
type DrawnGlyph = { readonly letters: string; readonly font: string }

/** `x` and `y` are where the baseline starts, from the top left; all lengths are in points. */
export type DrawnText = {
  readonly page: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly size: number
  readonly isTilted: boolean
  readonly glyphs: readonly DrawnGlyph[]
}

type Part = { readonly said: string; readonly stream: Buffer }
type Face = {
  readonly name: string
  readonly letters: readonly string[]
  readonly widths: readonly number[]
}

/** In drawing order. */
export function drawnTexts(bytes: Uint8Array): readonly DrawnText[] {
  const parts = partsOf(bytes)
  const faces = facesOf(parts)
  return contentsOf(parts).flatMap((content, at) => textsOf(content, at + 1, faces))
}

export function drawnGlyphs(bytes: Uint8Array): readonly DrawnGlyph[] {
  return drawnTexts(bytes).flatMap(({ glyphs }) => glyphs)
}

const number = String.raw`(-?[\d.]+)`
const six = `${number} ${number} ${number} ${number} ${number} ${number}`
const operators = new RegExp(
  String.raw`^(?:(q)|(Q)|${six} (cm|Tm)|/(F\d+) ${number} Tf|\[(.*)\] TJ)$`,
  'gm',
)
type Matrix = readonly [number, number, number, number, number, number]

function textsOf(content: string, page: number, faces: ReadonlyMap<string, Face>): DrawnText[] {
  const drawn: DrawnText[] = []
  const kept: Matrix[] = []
  let place: Matrix = [1, 0, 0, 1, 0, 0]
  // A text matrix replaces the one before it.
  let at = place
  let font = ''
  let size = 0
  for (const [, save, restore, ...found] of content.matchAll(operators)) {
    const [within, family, points, row] = found.slice(6)
    if (save) kept.push(place)
    else if (restore) place = at = kept.pop() ?? place
    else if (family) [font, size] = [family, Number(points)]
    else if (within === 'cm') place = at = moved(place, found.slice(0, 6).map(Number))
    else if (within === 'Tm') at = moved(place, found.slice(0, 6).map(Number))
    else if (row !== undefined) {
      const face = faces.get(font)
      if (face === undefined) throw new Error('a text before its font')
      const [, tilt, , , x, y] = at
      const width = (size / 1_000) * widthOf(row, face)
      const glyphs = glyphsOf(row, face)
      drawn.push({ page, x, y: pageHeight - y, width, size, isTilted: tilt !== 0, glyphs })
    }
  }
  return drawn
}

const pageHeight = 841.89

/** Applies the transformation `within` inside the first. */
function moved([a, b, c, d, e, f]: Matrix, within: readonly number[]): Matrix {
  const [a2 = 1, b2 = 0, c2 = 0, d2 = 1, e2 = 0, f2 = 0] = within
  return [
    a * a2 + c * b2,
    b * a2 + d * b2,
    a * c2 + c * d2,
    b * c2 + d * d2,
    a * e2 + c * f2 + e,
    b * e2 + d * f2 + f,
  ]
}

function glyphsOf(row: string, { name, letters }: Face): readonly DrawnGlyph[] {
  return idsOf(row).map((id) => ({ letters: letters[id] ?? '', font: name }))
}

/** Up to the last visible glyph, in thousandths of the font size; kerning is subtracted. */
function widthOf(row: string, { widths, letters }: Face): number {
  const ids = idsOf(row)
  const inked = ids.slice(0, ids.findLastIndex((id) => letters[id] !== ' ') + 1)
  const drawn = inked.reduce((sum, id) => sum + (widths[id] ?? 0), 0)
  const back = row.replace(/<[^>]*>/g, ' ').match(/-?[\d.]+/g) ?? []
  return drawn - back.reduce((sum, figure) => sum + Number(figure), 0)
}

function idsOf(row: string): readonly number[] {
  const glyphs = row.match(/<[^>]*>/g) ?? []
  return glyphs.flatMap((some) => some.match(/\w{4}/g) ?? []).map((id) => Number.parseInt(id, 16))
}

function partsOf(bytes: Uint8Array): ReadonlyMap<string, Part> {
  const text = Buffer.from(bytes).toString('latin1')
  const parts = new Map<string, Part>()
  const opening = /(\d+) 0 obj\n/g
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const start = opening.lastIndex
    const end = text.slice(start).search(/\n(stream|endobj)\n/) + start
    const said = text.slice(start, end)
    const from = end + '\nstream\n'.length
    const length = text.startsWith('\nstream', end) ? Number(/\/Length (\d+)/.exec(said)?.[1]) : 0
    const raw = Buffer.from(bytes.subarray(from, from + length))
    const stream = said.includes('/FlateDecode') ? inflateSync(raw) : raw
    parts.set(found[1] ?? '', { said, stream })
    opening.lastIndex = from + length
  }
  return parts
}

function contentsOf(parts: ReadonlyMap<string, Part>): readonly string[] {
  const pages = [...parts.values()].filter(({ said }) => /\/Type \/Page\b/.test(said))
  return pages.map((page) => refer(parts, page, 'Contents').stream.toString('latin1'))
}

function facesOf(parts: ReadonlyMap<string, Part>): ReadonlyMap<string, Face> {
  const faces = new Map<string, Face>()
  for (const { said } of parts.values()) {
    for (const [, name = '', id = ''] of said.matchAll(/\/(F\d+) (\d+) 0 R/g))
      faces.set(name, faceOf(parts, id))
  }
  return faces
}

function faceOf(parts: ReadonlyMap<string, Part>, id: string): Face {
  const font = parts.get(id)
  if (font === undefined) throw new Error(`no font ${id}`)
  const descendant = refer(parts, font, 'DescendantFonts')
  const widths = /\/W \[0 \[([^\]]*)/.exec(descendant.said)?.[1] ?? ''
  const letters = refer(parts, font, 'ToUnicode').stream.toString('latin1')
  return {
    name: /\/BaseFont \/\w+\+(\S+)/.exec(font.said)?.[1] ?? '',
    letters: lettersOf(letters),
    widths: widths.trim().split(/\s+/).map(Number),
  }
}

/** By glyph id, from a ToUnicode map: ranges of at most 256 glyphs. */
function lettersOf(map: string): readonly string[] {
  const letters: string[] = []
  for (const [, first = '', list = ''] of map.matchAll(/<(\w{4})> <\w{4}> \[(.*)\]/g)) {
    Array.from(list.matchAll(/<([^>]*)>/g)).forEach(([, units = ''], at) => {
      const codes = units.match(/\w{4}/g) ?? []
      letters[Number.parseInt(first, 16) + at] = String.fromCharCode(
        ...codes.map((code) => Number.parseInt(code, 16)),
      )
    })
  }
  return letters
}

function refer(parts: ReadonlyMap<string, Part>, { said }: Part, key: string): Part {
  const id = new RegExp(`/${key} \\[?(\\d+) 0 R`).exec(said)?.[1]
  const part = parts.get(id ?? '')
  if (part === undefined) throw new Error(`no ${key} in ${said}`)
  return part
}
