import { mostLogoBytes } from '../../domain/accounts/profile.ts'
import { invalidField } from '../../domain/error.ts'
import type { LogoJob } from './draw.ts'
import { whyRefused } from './svg.ts'

/** Twice what the payment page shows, for dense screens. */
const box = { width: 512, height: 256 }
const mostPixels = 2_048
const form = /^data:image\/(png|svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/
const accepted =
  'must be a PNG or SVG of at most 64 KiB as a base64 data URL: data:image/png;base64,… or data:image/svg+xml;base64,…'

/**
 * The logo of a data URL, drawn anew by `draw`: a PNG with nothing in it but pixels. Errors:
 * `invalid_request` that says what is wrong with it; those of `draw`.
 */
export async function logoFrom(
  dataUrl: string,
  draw: (job: LogoJob) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const [, type, data = ''] = form.exec(dataUrl) ?? []
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length === 0 || bytes.length > mostLogoBytes) throw invalidField('logo', accepted)
  const drawn = await draw(type === 'png' ? framed(bytes) : { svg: checked(bytes), box })
  if (drawn.length === 0) throw invalidField('logo', 'cannot be read, or shows nothing')
  return drawn
}

/** A PNG as the only image of an SVG, which scales it down to fit. */
function framed(png: Buffer): LogoJob {
  const isPng = png.length > 24 && png.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n'
  if (!isPng || png.toString('latin1', 12, 16) !== 'IHDR') throw invalidField('logo', accepted)
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  if (Math.min(width, height) < 1 || Math.max(width, height) > mostPixels)
    throw invalidField('logo', `must be at most ${mostPixels} pixels wide and high`)
  const scale = Math.min(1, box.width / width, box.height / height)
  const [shownWidth, shownHeight] = [width, height].map((side) => Math.ceil(side * scale))
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${shownWidth}" height="${shownHeight}" viewBox="0 0 ${width} ${height}"><image width="${width}" height="${height}" preserveAspectRatio="none" href="data:image/png;base64,${png.toString('base64')}"/></svg>`
  return { svg, box: null }
}

function checked(bytes: Buffer): string {
  const svg = new TextDecoder().decode(bytes)
  const why = whyRefused(svg)
  if (why) throw invalidField('logo', why)
  return svg
}

export function logoUrl(png: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`
}
