import { Font } from '@react-pdf/renderer'
import { narrowestColumn, sans, textSize } from './invoice-styles.ts'

/** Registers the fonts: those built into PDF readers lack Greek, Cyrillic and Polish letters. */
export async function registerFonts(): Promise<void> {
  Font.register({
    family: sans,
    fonts: [
      { src: file('DejaVuSansCondensed') },
      { src: file('DejaVuSansCondensed-Bold'), fontWeight: 700 },
    ],
  })
  Font.registerHyphenationCallback(breakLongWords)
  await Promise.all(faces.map((face) => Font.load(face)))
  for (const face of faces) unshareGlyphs(fontOf(face))
}

const regularFace = { fontFamily: sans, fontWeight: 400 }
const boldFace = { fontFamily: sans, fontWeight: 700 }
const faces = [regularFace, boldFace]

/** The parts of fontkit that are used here; it has no types. Widths are in font units. */
type FontkitFont = {
  readonly unitsPerEm: number
  hasGlyphForCodePoint(codePoint: number): boolean
  glyphForCodePoint(codePoint: number): { readonly advanceWidth: number }
  getGlyph(id: number, codePoints?: readonly number[]): object
}
type GlyphClass = new (id: number, codePoints: readonly number[], font: FontkitFont) => object

function fontOf(face: typeof regularFace): FontkitFont {
  return Font.getFont(face)?.data as unknown as FontkitFont
}

/**
 * Replaces letters that the fonts lack by �. NFC: react-pdf draws separate accents inside capitals.
 */
export function spell(text: string): string {
  return Array.from(text.normalize('NFC'), (letter) => (isKnown(letter) ? letter : '�')).join('')
}

function isKnown(letter: string): boolean {
  const codePoint = letter.codePointAt(0) ?? 0
  return faces.every((face) => fontOf(face).hasGlyphForCodePoint(codePoint))
}

/**
 * fontkit caches a glyph with the code points of its first text, so later texts would lose letters.
 * Makes a font return a new glyph each time.
 */
function unshareGlyphs(font: FontkitFont): void {
  const keptGlyph = font.getGlyph.bind(font)
  font.getGlyph = (id, codePoints = []) => {
    const Glyph = keptGlyph(id).constructor as GlyphClass
    return new Glyph(id, codePoints, font)
  }
}

const folder = new URL('ttf/', import.meta.resolve('dejavu-fonts-ttf/package.json'))

function file(name: string): string {
  return Bun.fileURLToPath(new URL(`${name}.ttf`, folder))
}

/** Only a word that fits in no column breaks, without a hyphen, which a reader would copy. */
function breakLongWords(word: string): string[] {
  if (fits(word)) return [word]
  // An empty part allows a break.
  return [...word].flatMap((character) => [character, '']).slice(0, -1)
}

function fits(word: string): boolean {
  // Need not be measured: hardly any letter is wider than the font size.
  if (word.length * textSize <= narrowestColumn) return true
  const bold = fontOf(boldFace)
  const advances = Array.from(
    word,
    (letter) => bold.glyphForCodePoint(letter.codePointAt(0) ?? 0).advanceWidth,
  )
  const width = advances.reduce((sum, advance) => sum + advance, 0)
  return (width / bold.unitsPerEm) * textSize <= narrowestColumn
}
