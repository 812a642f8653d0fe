import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isBuilt, ownFile } from '../../files.ts'
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

/** Made once for each process, when a page is first requested. A package has the files ready. */
export const pageBundle = memoize(async () => bundleOf(isBuilt ? await kept() : await made()))

type Files = readonly (readonly [name: string, Blob])[]

async function kept(): Promise<Files> {
  const folder = ownFile('dashboard')
  return (await readdir(folder)).map((name) => [name, Bun.file(join(folder, name))] as const)
}

async function made(): Promise<Files> {
  const { outputs } = await Bun.build({
    entrypoints: ['main.tsx', 'receipt-checks.ts'].map((name) => join(ownFile('dashboard'), name)),
    target: 'browser',
    minify: true,
    splitting: true,
    naming: '[name]-[hash].[ext]',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputs.map((file) => [basename(file.path), file] as const)
}

async function bundleOf(read: Files): Promise<Bundle> {
  const files = await Promise.all(
    read.map(async ([name, file]) => {
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
