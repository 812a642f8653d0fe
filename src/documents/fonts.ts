import { Font } from '@react-pdf/renderer'
import { mono, sans } from './invoice-styles.ts'

/** The only fonts on a page: the fourteen that PDF readers bring along know no Greek, Cyrillic or Polish, and lose such letters silently. */
export function registerFonts(): void {
  Font.register({
    family: sans,
    fonts: [
      { src: file('DejaVuSansCondensed') },
      { src: file('DejaVuSansCondensed-Bold'), fontWeight: 700 },
    ],
  })
  Font.register({ family: mono, src: file('DejaVuSansMono') })
  Font.registerHyphenationCallback(breakLongWords)
}

function file(name: string): string {
  return Bun.fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))
}

const longestWord = 20

/** Words stay whole; what is longer than any word (an address, a hash) may break anywhere, with no hyphen that a reader would copy. */
function breakLongWords(word: string): string[] {
  if (word.length <= longestWord) return [word]
  // An empty part is a place to break that takes no room.
  return [...word].flatMap((character) => [character, '']).slice(0, -1)
}
