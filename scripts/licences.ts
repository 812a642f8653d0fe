import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A package of which a part is in ours. */
export type Bundled = {
  readonly name: string
  readonly version: string
  readonly licence: string
  readonly folder: string
}

/** Licences that let the package be part of ours, with its text in NOTICES.txt. */
const accepted: ReadonlySet<string> = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC'],
  ...['MIT', 'MIT-0', 'PostgreSQL', 'Unicode-3.0', 'Unlicense', 'Zlib'],
  // Of fonts: they may be bundled, not sold by themselves.
  ...['OFL-1.1', 'Bitstream-Vera'],
  // Of single files, which are unchanged.
  ...['MPL-2.0'],
])

/** Packages whose manifest does not name the licence that their files have. */
const stated: Readonly<Record<string, string>> = {
  'dejavu-fonts-ttf': 'Bitstream-Vera',
  'png-js': 'MIT',
  'text-encoding-utf-8': 'Unlicense',
}

/** The packages that have one of these files, by name. */
export async function bundledPackages(
  root: string,
  files: readonly string[],
): Promise<readonly Bundled[]> {
  const folders = new Set(
    files.flatMap((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  )
  const packages = await Promise.all([...folders].map((folder) => packageIn(join(root, folder))))
  return packages.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

async function packageIn(folder: string): Promise<Bundled> {
  const { name, version, license, licenses } = await Bun.file(join(folder, 'package.json')).json()
  const named = license?.type ?? license ?? licenses?.[0]?.type ?? ''
  return { name, version, licence: stated[name] ?? named, folder }
}

/** Those whose licence is none of the accepted ones. `A OR B` needs one of them, `A AND B` both. */
export function refused(packages: readonly Bundled[]): readonly Bundled[] {
  const isAccepted = (licence: string) =>
    licence
      .replace(/[()]/g, '')
      .split(' OR ')
      .some((one) => one.split(' AND ').every((name) => accepted.has(name)))
  return packages.filter(({ licence }) => !isAccepted(licence))
}

/** The text that the licences ask for. */
export async function noticesOf(packages: readonly Bundled[]): Promise<string> {
  const parts = await Promise.all(
    packages.map(async ({ name, version, licence, folder }) => {
      const names = (await readdir(folder)).filter((file) =>
        /^(licen[cs]e|notice|copying)/i.test(file),
      )
      const texts = await Promise.all(names.map((file) => Bun.file(join(folder, file)).text()))
      return [`${name} ${version} (${licence})`, ...texts].join('\n\n')
    }),
  )
  return `Parts of these packages are in this one.\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
