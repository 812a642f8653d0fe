/** A script that DejaVu lacks, and the Noto fonts that have it. */
export type Script = {
  readonly family: string
  readonly letters: RegExp
  readonly regular: string
  readonly bold: string
}

/**
 * In the order in which they are tried: Chinese characters look Japanese beside kana, Korean
 * beside hangul, and Chinese elsewhere.
 */
export const scripts: readonly Script[] = [
  {
    family: 'devanagari',
    letters: /\p{Script=Devanagari}/u,
    regular: import.meta.resolve(
      '@expo-google-fonts/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf',
    ),
    bold: import.meta.resolve(
      '@expo-google-fonts/noto-sans-devanagari/700Bold/NotoSansDevanagari_700Bold.ttf',
    ),
  },
  {
    family: 'thai',
    letters: /\p{Script=Thai}/u,
    regular: import.meta.resolve(
      '@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf',
    ),
    bold: import.meta.resolve('@expo-google-fonts/noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf'),
  },
  {
    family: 'japanese',
    letters: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
    regular: besides(import.meta.resolve('@embedpdf/fonts-jp'), 'NotoSansJP-Regular.otf'),
    bold: besides(import.meta.resolve('@embedpdf/fonts-jp'), 'NotoSansJP-Bold.otf'),
  },
  {
    family: 'korean',
    letters: /\p{Script=Hangul}/u,
    regular: besides(import.meta.resolve('@embedpdf/fonts-kr'), 'NotoSansKR-Regular.otf'),
    bold: besides(import.meta.resolve('@embedpdf/fonts-kr'), 'NotoSansKR-Bold.otf'),
  },
  {
    family: 'chinese',
    letters: /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u,
    regular: besides(import.meta.resolve('@embedpdf/fonts-sc'), 'NotoSansHans-Regular.otf'),
    bold: besides(import.meta.resolve('@embedpdf/fonts-sc'), 'NotoSansHans-Bold.otf'),
  },
  {
    family: 'emoji',
    letters: /\p{Extended_Pictographic}|\p{Regional_Indicator}/u,
    regular: import.meta.resolve(
      '@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
    ),
    bold: import.meta.resolve('@expo-google-fonts/noto-emoji/700Bold/NotoEmoji_700Bold.ttf'),
  },
]

/** These packages do not name their fonts among their exports. */
function besides(main: string, file: string): string {
  return new URL(`../fonts/${file}`, main).href
}
