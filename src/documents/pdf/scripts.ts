import { packageFile } from '../../files.ts'

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
    regular: packageFile(
      '@expo-google-fonts/noto-sans-devanagari',
      '400Regular/NotoSansDevanagari_400Regular.ttf',
    ),
    bold: packageFile(
      '@expo-google-fonts/noto-sans-devanagari',
      '700Bold/NotoSansDevanagari_700Bold.ttf',
    ),
  },
  {
    family: 'thai',
    letters: /\p{Script=Thai}/u,
    regular: packageFile(
      '@expo-google-fonts/noto-sans-thai',
      '400Regular/NotoSansThai_400Regular.ttf',
    ),
    bold: packageFile('@expo-google-fonts/noto-sans-thai', '700Bold/NotoSansThai_700Bold.ttf'),
  },
  {
    family: 'japanese',
    letters: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
    regular: packageFile('@embedpdf/fonts-jp', 'fonts/NotoSansJP-Regular.otf'),
    bold: packageFile('@embedpdf/fonts-jp', 'fonts/NotoSansJP-Bold.otf'),
  },
  {
    family: 'korean',
    letters: /\p{Script=Hangul}/u,
    regular: packageFile('@embedpdf/fonts-kr', 'fonts/NotoSansKR-Regular.otf'),
    bold: packageFile('@embedpdf/fonts-kr', 'fonts/NotoSansKR-Bold.otf'),
  },
  {
    family: 'chinese',
    letters: /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u,
    regular: packageFile('@embedpdf/fonts-sc', 'fonts/NotoSansHans-Regular.otf'),
    bold: packageFile('@embedpdf/fonts-sc', 'fonts/NotoSansHans-Bold.otf'),
  },
  {
    family: 'emoji',
    letters: /\p{Extended_Pictographic}|\p{Regional_Indicator}/u,
    regular: packageFile('@expo-google-fonts/noto-emoji', '400Regular/NotoEmoji_400Regular.ttf'),
    bold: packageFile('@expo-google-fonts/noto-emoji', '700Bold/NotoEmoji_700Bold.ttf'),
  },
]
