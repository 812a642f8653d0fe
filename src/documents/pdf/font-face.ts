import { Font } from '@react-pdf/renderer'

/** The parts of fontkit that are used here; it has no types. Widths are in font units. */
export type Face = {
  readonly unitsPerEm: number
  hasGlyphForCodePoint(codePoint: number): boolean
  glyphForCodePoint(codePoint: number): { readonly advanceWidth: number }
  getGlyph(id: number, codePoints?: readonly number[]): object
}
type GlyphClass = new (id: number, codePoints: readonly number[], font: Face) => object

export function faceOf(fontFamily: string, fontWeight: 400 | 700): Face {
  return Font.getFont({ fontFamily, fontWeight })?.data as unknown as Face
}

/**
 * fontkit caches a glyph with the code points of its first text, so later texts would lose letters.
 * Makes a font return a new glyph each time.
 */
export function unshareGlyphs(font: Face): void {
  const keptGlyph = font.getGlyph.bind(font)
  font.getGlyph = (id, codePoints = []) => {
    const Glyph = keptGlyph(id).constructor as GlyphClass
    return new Glyph(id, codePoints, font)
  }
}
