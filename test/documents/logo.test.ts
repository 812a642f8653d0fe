import { beforeAll, describe, expect, test } from 'bun:test'
import { drawLogo } from '../../src/documents/logo/draw.ts'
import { createLogoDrawing } from '../../src/documents/logo/drawing.ts'
import { whyRefused } from '../../src/documents/logo/svg.ts'
import type { DomainError } from '../../src/domain/error.ts'

const box = { width: 512, height: 256 }
const svg = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 256">${inside}</svg>`
const whole = 'd="M0 0h512v256H0z"'
const circles = (count: number) => '<circle cx="256" cy="128" r="250"/>'.repeat(count)
const clipPath = (inside: string) => `<clipPath id="c">${inside}</clipPath>`
const zigzag = (count: number) =>
  `d="M0 0${Array.from({ length: count }, (_, at) => `L${(at * 37) % 512} ${at % 2 ? 256 : 0}`).join('')}"`
const gradient =
  '<radialGradient id="g" fx=".2"><stop/><stop offset="1" stop-color="red"/></radialGradient>'

describe('a text of 64 KiB is judged in milliseconds, whatever it repeats', () => {
  // Where one of the patterns skips or repeats something, there is as much of it as fits.
  const frames: readonly (readonly [before: string, after: string])[] = [
    ['', ''],
    ['<?xml ', '?>'],
    ['<svg', '/>'],
    ['<svg ', '="a"/>'],
    ['<svg a', '="a"/>'],
    ['<svg a=', '"a"/>'],
    ['<svg a="', '"/>'],
    ['<svg fill="url(', '#a)"/>'],
    ['<svg fill="url', '(#a)"/>'],
    ['<svg fill="url(', 'a)"/>'],
    ['<svg fill="url(\'', '#a\')"/>'],
    ['<svg d="', '"/>'],
    ['<svg style="', '"/>'],
    ['<svg style="filter', ':a"/>'],
    ['<svg style="opacity', 'a"/>'],
    ['<svg xlink:href="', '#a"/>'],
    ['<svg><style ', '>a</style></svg>'],
    ['<svg><style>', '</style></svg>'],
    ['<svg><style>a{fill:url(', '#a)}</style></svg>'],
    ['<svg><style>a{filter', ':a}</style></svg>'],
    ['<!--', '-->'],
  ]
  const units = [
    ' ',
    '\n',
    ' \t',
    'a',
    'a ',
    '=',
    '"',
    "'",
    ' a=""',
    ' a="b"',
    '<',
    '<a',
    '<a ',
    '<!--',
  ]
  const more = [
    'url(',
    'url( ',
    ';opacity',
    ';filter ',
    '<style',
    '<style ',
    '1 ',
    '/',
    '>',
    '#',
    "'#",
  ]
  test.each(frames)('between %j and %j', (before, after) => {
    for (const unit of [...units, ...more]) {
      const text = before + unit.repeat(Math.floor(65_536 / unit.length)) + after
      const startMs = process.cpuUsage().user / 1_000
      whyRefused(text)
      const tookMs = process.cpuUsage().user / 1_000 - startMs
      expect(`${unit}: ${tookMs < 500 ? 'soon' : `${tookMs} ms`}`).toBe(`${unit}: soon`)
    }
  })

  test('a paint is still found to be from elsewhere, whatever blanks are in it', () => {
    for (const paint of ['url( a)', "url ( ' a')", 'url(#a) url(b)', 'url(\n)'])
      expect(whyRefused(svg(`<path ${whole} fill="${paint}"/>`))).toContain('outside itself')
    for (const paint of ['url( #a )', "url ( ' #a')", 'none'])
      expect(whyRefused(svg(`<path ${whole} fill="${paint}"/>`))).toBeNull()
  })
})

/** What costs most to draw, by how much there is of it. */
const costly: readonly (readonly [string, (count: number) => string])[] = [
  ['shapes', (count) => `<path ${whole}/>`.repeat(count)],
  ['translucent shapes', (count) => `<path ${whole} opacity=".5"/>`.repeat(count)],
  [
    'groups in groups',
    (count) => `${'<g opacity=".5">'.repeat(9)}<path ${whole}/>${'</g>'.repeat(9)}`.repeat(count),
  ],
  [
    'shapes by a class',
    (count) => `<style>.a{opacity:.5}</style>${`<path class="a" ${whole}/>`.repeat(count)}`,
  ],
  ['gradients', (count) => gradient + `<path ${whole} fill="url(#g)"/>`.repeat(count)],
  [
    'clipped shapes',
    (count) => clipPath(circles(16)) + `<path ${whole} clip-path="url(#c)"/>`.repeat(count),
  ],
  [
    'shapes clipped by many coordinates',
    (count) =>
      clipPath(`<path ${zigzag(1_500)}/>`) + `<path ${whole} clip-path="url(#c)"/>`.repeat(count),
  ],
  [
    'pictures in the picture',
    (count) => `<svg width="500" height="250"><path ${whole}/></svg>`.repeat(count),
  ],
  [
    'coordinates',
    (count) =>
      `<path ${zigzag(3 * count)} stroke="red" stroke-width="30" stroke-linejoin="round"/>`,
  ],
]

describe('the work of drawing is estimated before', () => {
  beforeAll(async () => {
    await drawLogo({ svg: svg(''), box })
  })

  test.each(costly)(
    'as many %s as are taken are drawn in three seconds of computing',
    async (_, inside) => {
      const counts = Array.from({ length: 60 }, (_, at) => Math.floor(1.14 ** at)).reverse()
      const most = counts.find((count) => {
        const text = svg(inside(count))
        return text.length <= 65_536 && whyRefused(text) === null
      })
      const before = process.cpuUsage().user
      await drawLogo({ svg: svg(inside(most ?? 0)), box })
      expect(most).toBeGreaterThan(9)
      expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(3_000)
    },
  )

  test('a logo as design tools write it is far below the limit', () => {
    const drawn = `<g clip-path="url(#c)" opacity=".9">${`<path d="${'M1 2c3 4 5 6 7 8z'.repeat(20)}" fill="#123"/>`.repeat(100)}</g>`
    expect(whyRefused(svg(clipPath('<rect width="512" height="256"/>') + drawn))).toBeNull()
  })
})

describe('a logo is drawn in a process of its own', () => {
  const endless = svg(
    `${'<g opacity=".5">'.repeat(30)}<path ${whole}/>${'</g>'.repeat(30)}`.repeat(900),
  )
  const refusal = (drawn: Promise<unknown>) =>
    drawn.then(
      () => 'drawn',
      ({ reason }: DomainError) => reason,
    )

  test('that is killed when it takes too long; meanwhile the account draws no other, and then it does', async () => {
    const draw = createLogoDrawing()
    const late = refusal(draw({ svg: endless, box }, 'a'))
    const startMs = performance.now()
    expect(await refusal(draw({ svg: svg(circles(1)), box }, 'a'))).toBe('invalid_state')
    expect(performance.now() - startMs).toBeLessThan(1_000)
    expect(await late).toBe('invalid_state')
    const png = await draw({ svg: svg(circles(1)), box }, 'a')
    expect(Buffer.from(png).toString('latin1', 1, 4)).toBe('PNG')
    const children = Bun.spawnSync(['pgrep', '-P', `${process.pid}`, '-f', 'draw-logo'])
    expect(children.stdout.toString()).toBe('')
  })
})
