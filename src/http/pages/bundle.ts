import { memoize } from '../../scheduling/cache.ts'

/** The files for browsers; their names change with their content. */
export type Bundle = {
  readonly script: string
  /** Of the receipt page. */
  readonly receiptScript: string
  readonly style: string
  readonly files: ReadonlyMap<
    string,
    { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string }
  >
}

const entries = ['main.tsx', 'receipt-checks.ts'].map((name) =>
  Bun.fileURLToPath(new URL(`../../dashboard/${name}`, import.meta.url)),
)

/** Built once for each process, when a page is first requested. */
export const pageBundle = memoize(build)

async function build(): Promise<Bundle> {
  const { outputs } = await Bun.build({
    entrypoints: entries,
    target: 'browser',
    minify: true,
    splitting: true,
    naming: '[name]-[hash].[ext]',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files = await Promise.all(
    outputs.map(async (file) => {
      const name = file.path.replace(/^.*\//, '')
      return [name, { bytes: new Uint8Array(await file.arrayBuffer()), type: file.type }] as const
    }),
  )
  const named = (look: RegExp) => files.find(([name]) => look.test(name))?.[0] ?? ''
  return {
    script: named(/^main-.*\.js$/),
    receiptScript: named(/^receipt-checks-.*\.js$/),
    style: named(/\.css$/),
    files: new Map(files),
  }
}
