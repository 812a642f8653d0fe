import { beforeAll, describe, expect, test } from 'bun:test'
import { documentOf } from '../../../src/documents/pdf/invoice-document.ts'
import { createRenderer, startThread } from '../../../src/documents/pdf/render.ts'
import { english } from '../../../src/documents/words/english.ts'
import { drawnGlyphs } from '../../support/drawn-text.ts'
import { variants } from '../variants.ts'

/**
 * Texts that share shapes: Ż contains the shape of Z, Α and А look like A, and f followed by i is
 * drawn as ﬁ.
 */
const texts = {
  Latin: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789',
  'accented Latin': 'Ż ż Ą ą Ő ő Ê ê Ç ç Š š Ů ů Ř ř Ğ ğ İ ı Å å Ø Ħ Ł Ñ',
  Greek: 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ Ά Έ Ή ΐ ΰ',
  Cyrillic: 'Съешь ещё этих мягких французских булок да выпей чаю Ї Й Ѐ Ў АВЕКМНОРСТУХ',
  ligatures: 'final flow office ffl afflict',
  'letters that look like ligatures': 'ﬁnal ﬂow oﬃce aﬄict ﬀ',
  'both of these': 'ﬁnal final ﬁnal Ż Z fi',
  'combined marks': 'Z\u0307z\u0307 A\u0328 O\u030b E\u0302 и\u0306',
}
type Name = keyof typeof texts
const names = Object.keys(texts) as Name[]

const jobOf = (text: string) => {
  const document = documentOf(variants.due, english)
  const seller = { ...document.seller, name: text }
  return {
    document: {
      ...document,
      seller,
      items: document.items.map((item) => ({ ...item, description: [text] })),
    },
    xml: '<a/>',
  }
}

/** PDFs of these texts, drawn one after the other by a new thread. */
async function drawn(order: readonly Name[]): Promise<ReadonlyMap<Name, Buffer>> {
  const patient = { maxWaitMs: 60_000, deadlineMs: 60_000, startThread }
  const renderer = createRenderer({ maxWaiting: 64, maxWaitingPerAccount: 64, ...patient })
  try {
    const pdfs = await Promise.all(
      order.map((name) => renderer.render(jobOf(texts[name]), { accountId: 'acc' })),
    )
    return new Map(order.map((name, at) => [name, Buffer.from(pdfs[at] ?? [])]))
  } finally {
    renderer.close()
  }
}

// Of any two texts, each thread draws another one first.
let forwards: ReadonlyMap<Name, Buffer>
let backwards: ReadonlyMap<Name, Buffer>
beforeAll(async () => {
  forwards = await drawn(names)
  backwards = await drawn(names.toReversed())
})

describe.each(names)('%s', (name) => {
  const glyphs = () => drawnGlyphs(forwards.get(name) ?? new Uint8Array())

  test('gives the same bytes whatever the thread drew before', () => {
    expect(forwards.get(name)?.equals(backwards.get(name) ?? Buffer.of())).toBe(true)
  })

  test('has every letter on the page, in the regular and the bold face', () => {
    const inFace = (wanted: string) =>
      glyphs()
        .filter(({ font }) => font === wanted)
        .map(({ letters }) => letters)
        .join('')
    expect(spelled(inFace('DejaVuSansCondensed'))).toContain(spelled(texts[name]))
    expect(spelled(inFace('DejaVuSansCondensed-Bold'))).toContain(spelled(texts[name]))
  })
})

// A space at a line break is not drawn. Each shape has one meaning in a PDF, so ﬁ is copied as the
// letters it stood for first.
const spelled = (text: string) => text.replace(/\s/g, '').normalize('NFKC')
