import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { packageFile } from '../../files.ts'
import { memoize } from '../../scheduling/cache.ts'

/** A picture to be drawn as a PNG: as large as fits into the box, or in its own size. */
export type LogoJob = {
  readonly svg: string
  readonly box: { readonly width: number; readonly height: number } | null
}

const ready = memoize(async () => {
  const file = packageFile('@resvg/resvg-wasm', 'index_bg.wasm')
  await initWasm(await Bun.file(file).arrayBuffer())
})

/** A PNG; empty if the picture cannot be read or shows nothing. Blocks the thread. */
export async function drawLogo({ svg, box }: LogoJob): Promise<Uint8Array<ArrayBuffer>> {
  await ready()
  try {
    const image = new Resvg(svg, box ? { fitTo: fitting(svg, box) } : {}).render()
    return image.pixels.some((byte) => byte > 0) ? new Uint8Array(image.asPng()) : nothing
  } catch {
    return nothing
  }
}

const nothing = new Uint8Array(0)

function fitting(svg: string, box: NonNullable<LogoJob['box']>) {
  const { width, height } = new Resvg(svg)
  return width * box.height > height * box.width
    ? ({ mode: 'width', value: box.width } as const)
    : ({ mode: 'height', value: box.height } as const)
}
