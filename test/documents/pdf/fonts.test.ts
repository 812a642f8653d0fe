import { beforeAll, expect, test } from 'bun:test'
import { familiesFor, registerFonts } from '../../../src/documents/pdf/fonts.ts'

beforeAll(registerFonts)

test.each<[text: string, ...families: string[]]>([
  ['Żółć GmbH, Ελλάς, Привет, محمد, שלום, 1 €', 'sans'],
  ['株式会社テスト', 'sans', 'japanese', 'chinese'],
  ['大韓民國 주식회사', 'sans', 'korean', 'chinese'],
  ['北京（中国）', 'sans', 'chinese'],
  ['नमस्ते สวัสดี 🙂', 'sans', 'devanagari', 'thai', 'emoji'],
])(
  '%s is drawn with the fonts that it needs, and no others are loaded',
  async (text, ...families) => {
    expect(await familiesFor(text)).toEqual(families)
  },
)
