import * as QrCode from 'qrcode'

/** An SVG path in a square of `side` modules, including the quiet zone. */
export type Qr = { readonly path: string; readonly side: number }

const quietModules = 4

export function qrOf(text: string): Qr {
  const { modules } = QrCode.create(text, { errorCorrectionLevel: 'M' })
  const rows = Array.from({ length: modules.size }, (_, row) => rowPath(modules, row))
  return { path: rows.join(''), side: modules.size + 2 * quietModules }
}

// Adjacent modules are one rectangle: viewers would show hairlines between several.
function rowPath(modules: QrCode.BitMatrix, row: number): string {
  let path = ''
  for (let column = 0; column < modules.size; column++) {
    const start = column
    while (column < modules.size && modules.get(row, column)) column++
    const width = column - start
    if (width > 0) path += `M${start + quietModules} ${row + quietModules}h${width}v1h-${width}z`
  }
  return path
}
