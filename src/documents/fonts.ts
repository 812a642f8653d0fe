import { Font } from '@react-pdf/renderer'
import { sans } from './invoice-styles.ts'

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
}

const faces = [400, 700].map((fontWeight) => ({ fontFamily: sans, fontWeight }))

/** A text as these fonts can write it: a letter they lack becomes �, and not a letter of a font that the file does not carry. */
export function spell(text: string): string {
  return Array.from(text, (letter) => (isKnown(letter) ? letter : '�')).join('')
}

function isKnown(letter: string): boolean {
  const codePoint = letter.codePointAt(0) ?? 0
  return faces.every((face) => Font.getFont(face)?.data?.hasGlyphForCodePoint(codePoint))
}

const folder = new URL('ttf/', import.meta.resolve('dejavu-fonts-ttf/package.json'))

function file(name: string): string {
  return Bun.fileURLToPath(new URL(`${name}.ttf`, folder))
}

const longestWord = 20

/** Words stay whole; what is longer than any word (an address, a hash) may break anywhere, with no hyphen that a reader would copy. */
function breakLongWords(word: string): string[] {
  if (word.length <= longestWord) return [word]
  // An empty part is a place to break that takes no room.
  return [...word].flatMap((character) => [character, '']).slice(0, -1)
}
