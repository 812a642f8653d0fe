import { Font } from '@react-pdf/renderer'
import { narrowestColumn, sans, textSize } from './invoice-styles.ts'

/** The only fonts on a page: the fourteen that PDF readers bring along know no Greek, Cyrillic or Polish, and lose such letters silently. */
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

/** What of fontkit's fonts matters here; it has no types of its own. Widths are in units of the font. */
type FontkitFont = {
  readonly unitsPerEm: number
  hasGlyphForCodePoint(codePoint: number): boolean
  glyphForCodePoint(codePoint: number): { readonly advanceWidth: number }
  getGlyph(id: number, codePoints?: readonly number[]): object
}
type GlyphClass = new (id: number, codePoints: readonly number[], font: FontkitFont) => object

/** The font of a face; there once `registerFonts` is through. */
function fontOf(face: typeof regularFace): FontkitFont {
  return Font.getFont(face)?.data as unknown as FontkitFont
}

/**
 * A text as these fonts can write it: a letter they lack becomes �, and not a letter of a font that the file does not carry. A letter and its
 * accent become one: react-pdf puts every accent of its own at one height, which is inside a capital.
 */
export function spell(text: string): string {
  return Array.from(text.normalize('NFC'), (letter) => (isKnown(letter) ? letter : '�')).join('')
}

function isKnown(letter: string): boolean {
  const codePoint = letter.codePointAt(0) ?? 0
  return faces.every((face) => fontOf(face).hasGlyphForCodePoint(codePoint))
}

/**
 * Lets a font give each text glyphs of its own. It keeps one of each shape, with the letters that whoever asked first wanted it for: of a Z that
 * has been drawn as a part of Ż, none; of an ﬁ, the letters f and i. The next text counts its letters by them, and loses some.
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

/** Words stay whole; what fits in no column (an address, a hash) may break anywhere, with no hyphen that a reader would copy. */
function breakLongWords(word: string): string[] {
  if (fits(word)) return [word]
  // An empty part is a place to break that takes no room.
  return [...word].flatMap((character) => [character, '']).slice(0, -1)
}

function fits(word: string): boolean {
  // Not worth measuring: hardly a letter is wider than it is high.
  if (word.length * textSize <= narrowestColumn) return true
  const bold = fontOf(boldFace)
  const advances = Array.from(
    word,
    (letter) => bold.glyphForCodePoint(letter.codePointAt(0) ?? 0).advanceWidth,
  )
  const width = advances.reduce((sum, advance) => sum + advance, 0)
  return (width / bold.unitsPerEm) * textSize <= narrowestColumn
}
