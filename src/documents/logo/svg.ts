import { type Attributes, createEstimate, mostWork } from './estimate.ts'

/**
 * Why an SVG is not accepted as a logo; null if it is. Shapes, gradients and clipping only: nothing
 * that runs, is loaded from elsewhere, or multiplies the work of drawing it.
 */
export function whyRefused(svg: string): string | null {
  const text = withoutComments(svg.replace(/^\ufeff?\s*<\?xml\s[^>]*\?>/, ''))
  if (/<[!?]/.test(text)) return 'must not have a DOCTYPE, entities, CDATA or instructions'
  if (text.replace(tag, '').includes('<')) return 'must be well-formed XML'
  const styles = [...text.matchAll(/<style\b[^>]*>([^<]*)/g)].map(([, style = '']) => style)
  const badStyle = styles.map(whyStyle).find((why) => why !== null)
  if (badStyle) return badStyle
  const work = createEstimate(styles.join(' '))
  let depth = 0
  let count = 0
  let clipDepth = 0
  let clipping = 0
  for (const [, close, name = '', attributes = '', selfClose] of text.matchAll(tag)) {
    if (close) {
      depth--
      if (depth < clipDepth) clipDepth = 0
      continue
    }
    count++
    if (!elements.has(name)) return `must not contain <${name}>`
    if (depth === 0 && name !== 'svg') return 'must be an SVG'
    const isClip = clipDepth > 0 || name === 'clipPath'
    clipping = clipDepth > 0 ? clipping + 1 : 0
    if (clipping > mostClipping)
      return `must not have more than ${mostClipping} shapes in a clip path`
    const pairs = attributesIn(attributes)
    const attribute = pairs
      .map(([key, value]) => whyAttribute(key, value, isClip))
      .find((why) => why !== null)
    if (attribute) return attribute
    work.add({ name: depth > 0 ? name : 'picture', attributes: pairs, isClipping: clipDepth > 0 })
    if (!selfClose) {
      depth++
      if (name === 'clipPath' && clipDepth === 0) clipDepth = depth
    }
    if (depth > mostDepth) return `must not be nested deeper than ${mostDepth} levels`
    if (count > mostElements) return `must not have more than ${mostElements} elements`
  }
  if (count === 0) return 'must be an SVG'
  return work.total() > mostWork
    ? 'takes too long to draw: it needs fewer shapes, opacities, gradients or clip paths'
    : null
}

// Without `<` in names and values, a wrong text costs no more time than a right one.
const tag = /<(\/?)([^\s/<>]+)((?:\s+[^\s=<>]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/g
const mostDepth = 32
const mostElements = 2_000
/** All of them are drawn again for each element that is clipped. */
const mostClipping = 16

const elements = new Set([
  ...['svg', 'g', 'defs', 'title', 'desc', 'style', 'clipPath'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'],
  ...['linearGradient', 'radialGradient', 'stop'],
])

function attributesIn(text: string): Attributes {
  return [...text.matchAll(/([^\s=]+)\s*=\s*("[^"]*"|'[^']*')/g)].map(
    ([, key = '', value = '']) => [key, value.slice(1, -1)] as const,
  )
}

function withoutComments(text: string): string {
  const [before = '', ...opened] = text.split('<!--')
  const after = opened.map((part) => {
    const end = part.indexOf('-->')
    return end < 0 ? '<' : part.slice(end + 3)
  })
  return [before, ...after].join('')
}

function whyAttribute(name: string, value: string, isClip: boolean): string | null {
  const lower = name.toLowerCase()
  if (lower.startsWith('on')) return `must not have the event handler ${name}`
  if (refused.has(lower) || (isClip && lower === 'clip-path')) return `must not use ${name}`
  if (/(?:^|:)href$/.test(lower) && !value.trim().startsWith('#')) return elsewhere
  return lower === 'style' ? whyStyle(value) : refersElsewhere(value) ? elsewhere : null
}

// Each would let a small file cost much to draw.
const refused = new Set(['filter', 'mask', 'stroke-dasharray'])
const elsewhere = 'must not refer to anything outside itself'

function whyStyle(style: string): string | null {
  if (/[@\\&]|\/\*/.test(style)) return 'must have plain styles: no @-rules, escapes or comments'
  const property = /(?:^|[;{\s])(filter|mask|clip-path|stroke-dasharray)\s*:/i.exec(style)?.[1]
  if (property) return `must not use ${property} in a style`
  return refersElsewhere(style) ? elsewhere : null
}

function refersElsewhere(value: string): boolean {
  // Without blanks first: between blanks that may be skipped, the pattern would try every split.
  return /url\((?!['"]?#)/i.test(value.replace(/\s+/g, ''))
}
