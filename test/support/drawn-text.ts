import { inflateSync } from 'node:zlib'
import { openTrueType, type TrueType } from './truetype.ts'

/** A glyph on a page of a PDF: the letters that readers copy for it, and what it looks like in the font that the PDF carries. */
export type DrawnGlyph = { readonly letters: string; readonly font: string; readonly look: string }

type Part = { readonly said: string; readonly stream: Buffer }
type Face = {
  readonly name: string
  readonly letters: readonly string[]
  readonly shapes: TrueType
}

/** Every glyph that a PDF of pdfkit's draws, in order of drawing. */
export function drawnGlyphs(bytes: Uint8Array): readonly DrawnGlyph[] {
  const parts = partsOf(bytes)
  const faces = facesOf(parts)
  const drawn: DrawnGlyph[] = []
  let face: Face | undefined
  for (const content of contentsOf(parts)) {
    for (const [, font, glyphs] of content.matchAll(/\/(F\d+) [\d.]+ Tf|<([\da-f]+)>/g)) {
      if (font !== undefined) face = faces.get(font)
      for (const [id] of (glyphs ?? '').matchAll(/.{4}/g)) {
        const glyph = Number.parseInt(id, 16)
        if (face === undefined) throw new Error('a text before its font')
        drawn.push({
          letters: face.letters[glyph] ?? '',
          font: face.name,
          look: face.shapes.look(glyph),
        })
      }
    }
  }
  return drawn
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
  const descriptor = refer(parts, refer(parts, font, 'DescendantFonts'), 'FontDescriptor')
  const letters = refer(parts, font, 'ToUnicode').stream.toString('latin1')
  return {
    name: /\/BaseFont \/\w+\+(\S+)/.exec(font.said)?.[1] ?? '',
    letters: lettersOf(letters),
    shapes: openTrueType(refer(parts, descriptor, 'FontFile2').stream),
  }
}

/** By glyph: ranges of at most 256 glyphs, each with a list of what its glyphs stand for. */
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
