export type Attributes = readonly (readonly [key: string, value: string])[]

type Element = {
  readonly name: string
  readonly attributes: Attributes
  /** Part of a clip path. */
  readonly isClipping: boolean
}

/** About a second. What things cost was measured with shapes as large as the picture. */
export const mostWork = 1_500
const gradientWork = 8
const layerWork = 10
const numbersPerWork = 300

/**
 * Estimates what drawing an SVG takes, in the time of one plain shape (under a millisecond). An
 * element with a class is taken to have all that the style sheet says.
 */
export function createEstimate(sheet: string) {
  const [isSheetLayered, isSheetPainted] = [layers(sheet), paints(sheet)]
  let drawn = 0
  let clips = 0
  let clipPath = 0
  let costliestClipPath = 0

  function add({ name, attributes, isClipping }: Element): void {
    const valuesOf = (key: RegExp) =>
      attributes.filter(([one]) => key.test(one)).map(([, value]) => value)
    const hasClass = valuesOf(/^class$/).length > 0
    const styles = valuesOf(/^style$/i)
    const isPainted =
      (hasClass && isSheetPainted) || [...valuesOf(/^(?:fill|stroke)$/), ...styles].some(paints)
    const isLayer =
      (hasClass && isSheetLayered) ||
      styles.some(layers) ||
      valuesOf(/^(?:opacity|isolation|mix-blend-mode)$/i).some((value) => value.trim() !== '1')
    const numbers =
      valuesOf(/^(?:d|points)$/)
        .join(' ')
        .match(/\d+/g)?.length ?? 0
    const own = 1 + numbers / numbersPerWork + (isPainted ? gradientWork : 0)
    clipPath = name === 'clipPath' ? 0 : clipPath + own
    if (isClipping) costliestClipPath = Math.max(costliestClipPath, clipPath)
    else drawn += own
    // A picture in the picture is clipped, too.
    if (isLayer || name === 'svg') drawn += layerWork
    if (valuesOf(/^clip-path$/i).length > 0) clips++
  }

  /** Each clipped element draws its clip path anew. */
  const total = () => drawn + clips * (layerWork + costliestClipPath)
  return { add, total }
}

function layers(style: string): boolean {
  return /(?:^|[;{\s])(?:opacity|isolation|mix-blend-mode)\s*:/i.test(style)
}

function paints(style: string): boolean {
  return /url/i.test(style)
}
