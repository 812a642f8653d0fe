import { Font } from '@react-pdf/renderer'
import { packageFile } from '../../files.ts'
import { type Face, faceOf, unshareGlyphs } from './font-face.ts'
import { narrowestColumn, sans, textSize } from './invoice-styles.ts'
import { type Script, scripts } from './scripts.ts'

/** Registers the fonts: those built into PDF readers lack Greek, Cyrillic and Polish letters. */
export async function registerFonts(): Promise<void> {
  Font.registerHyphenationCallback(breakLongWords)
  await load({
    family: sans,
    regular: packageFile('dejavu-fonts-ttf', 'ttf/DejaVuSansCondensed.ttf'),
    bold: packageFile('dejavu-fonts-ttf', 'ttf/DejaVuSansCondensed-Bold.ttf'),
  })
}

/**
 * The families to draw a text with, of which the first that has a letter draws it. Fonts of other
 * scripts are large, so each is loaded when a text first needs it.
 */
export async function familiesFor(text: string): Promise<readonly string[]> {
  const missing = Array.from(text.matchAll(/\P{ASCII}/gu), ([letter]) => letter)
    .filter((letter) => !isIn(sans, letter))
    .join('')
  const needed = scripts.filter(({ letters }) => letters.test(missing))
  for (const script of needed) await load(script)
  return [sans, ...needed.map(({ family }) => family)]
}

type Family = Pick<Script, 'family' | 'regular' | 'bold'>

const loaded = new Set<string>()

async function load({ family, regular, bold }: Family): Promise<void> {
  if (loaded.has(family)) return
  const fonts = [
    { src: regular, fontWeight: 400 },
    { src: bold, fontWeight: 700 },
  ] as const
  Font.register({ family, fonts: [...fonts] })
  for (const { fontWeight } of fonts) {
    await Font.load({ fontFamily: family, fontWeight })
    unshareGlyphs(faceOf(family, fontWeight))
  }
  loaded.add(family)
}

/**
 * Replaces letters that the families lack by �. NFC: react-pdf draws separate accents inside
 * capitals.
 */
export function spell(text: string, families: readonly string[]): string {
  const isKnown = (letter: string) =>
    isUndrawn(letter) || families.some((family) => isIn(family, letter))
  return Array.from(text.normalize('NFC').replace(/[\ufe0e\ufe0f]/g, ''), (letter) =>
    isKnown(letter) ? letter : '�',
  ).join('')
}

function isUndrawn(letter: string): boolean {
  return letter === '\n' || letter === '\u200c' || letter === '\u200d'
}

function isIn(family: string, letter: string): boolean {
  const codePoint = letter.codePointAt(0) ?? 0
  return weights.every((weight) => faceOf(family, weight).hasGlyphForCodePoint(codePoint))
}

const weights = [400, 700] as const

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Only a word that fits in no column breaks, without a hyphen, which a reader would copy. */
function breakLongWords(word: string): string[] {
  // An empty part allows a break. A letter and its marks stay together.
  const parts = fits(word)
    ? [word]
    : [...graphemes.segment(word)].flatMap(({ segment }) => [segment, '']).slice(0, -1)
  // What react-pdf takes for a word begins with its script: it may be the middle of a sentence.
  return unspaced.test(word) ? ['', ...parts] : parts
}

/** Begins in a script that has no spaces between words. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]/u

function fits(word: string): boolean {
  // Need not be measured: hardly any letter is wider than the font size.
  if (word.length * textSize <= narrowestColumn) return true
  const bold = faceOf(sans, 700)
  const advances = Array.from(word, (letter) => widthIn(bold, letter.codePointAt(0) ?? 0))
  const width = advances.reduce((sum, advance) => sum + advance, 0)
  return (width / bold.unitsPerEm) * textSize <= narrowestColumn
}

// In a font of another script a letter is at most about as wide as it is high.
function widthIn(face: Face, codePoint: number): number {
  return face.hasGlyphForCodePoint(codePoint)
    ? face.glyphForCodePoint(codePoint).advanceWidth
    : face.unitsPerEm
}
