/**
 * `npm run release [-- --dry-run] [--to folder]`: builds both packages, leaves their archives in
 * `release` or another folder, and checks everything that must be true of a release; in a dry run,
 * that may still lack its day. What publishes the archives is printed, not done.
 */
import { cp, mkdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import client from '../client/package.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import { build } from './build.ts'
import { bundledPackages, refused } from './licences.ts'

type Archive = {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const root = join(import.meta.dir, '..')
const { version } = manifest
const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, to: { type: 'string' } },
})
const isDry = values['dry-run']
const folder = resolve(values.to ?? join(root, 'release'))
const problems: string[] = []

const service = join(folder, 'quittance')
const bundled = await build(service)
checkVersions()
checkChangelog(await Bun.file(join(root, 'CHANGELOG.md')).text())
checkLicences([...bundled, ...(await bundledPackages(root, installed()))])
await check(
  service,
  /^[\w-]+\.(js|d\.ts)$|^(node|files|deploy|docs)\/|^client\/README\.md$|^examples\/agent\.ts$|^NOTICES\.txt$/,
  [
    ...['quittance.js', 'main.js', 'cli.js', 'demo.js', 'pdf-worker.js', 'draw-logo.js'],
    ...['node/cli.js', 'verify-receipt.js', 'verify-receipt.d.ts', 'NOTICES.txt', 'CHANGELOG.md'],
    ...['files/migrations/0001-schema.sql', 'deploy/quittance.env.example'],
    ...['deploy/ha/patroni.yml', 'docs/README.md', 'docs/alerts.yaml', 'docs/grafana.json'],
  ],
)
await check(await builtClient(join(folder, 'client')), /^dist\/[\w-]+\.(js|d\.ts)$/, [
  ...Object.values(client.exports).flatMap((file) => [file, file.replace(/\.js$/, '.d.ts')]),
])

for (const problem of problems) console.error(`✗ ${problem}`)
if (problems.length > 0) process.exit(1)
console.log(isDry ? `✓ ${version} can be released` : nextCommands())

function checkVersions(): void {
  if (client.version !== version)
    problems.push(`client/package.json is of version ${client.version}, package.json of ${version}`)
}

/** The newest version's section comes first, and has a day unless this is a dry run. */
function checkChangelog(text: string): void {
  const [, newest, when = ''] = /^## (\S+) – (.*)$/m.exec(text) ?? []
  if (newest !== version) problems.push(`CHANGELOG.md begins with ${newest}, not with ${version}`)
  const isDay = /^\d{4}-\d\d-\d\d$/.test(when)
  if (!isDay && !(isDry && when === 'unreleased'))
    problems.push(`CHANGELOG.md says "${when}" of ${version}: write the day, such as 2026-12-01`)
}

function installed(): readonly string[] {
  return Object.keys(manifest.optionalDependencies)
    .map((name) => `node_modules/${name}/package.json`)
    .filter((file) => Bun.file(join(root, file)).size > 0)
}

function checkLicences(packages: Parameters<typeof refused>[0]): void {
  for (const { name, licence } of refused(packages))
    problems.push(`${name} has the licence "${licence}", which scripts/licences.ts does not accept`)
  console.log(`${packages.length} packages, all licences read`)
}

/** Apart from `client/dist`, which others may be building. */
async function builtClient(to: string): Promise<string> {
  await mkdir(to, { recursive: true })
  await $`node_modules/.bin/tsc -p client --outDir ${join(to, 'dist')}`.cwd(root)
  for (const file of ['LICENSE', 'client/README.md', 'client/package.json'])
    await cp(join(root, file), join(to, basename(file)))
  return to
}

/** Packs `path`, and compares its files with what may and what must be there. */
async function check(path: string, allowed: RegExp, required: readonly string[]): Promise<void> {
  const pack = await $`npm pack --ignore-scripts --json --pack-destination ${folder}`
    .cwd(path)
    .quiet()
  const [archive] = JSON.parse(pack.stdout.toString()) as [Archive]
  const { filename, size, unpackedSize } = archive
  const found = archive.files.map((file) => file.path)
  const always = ['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md']
  for (const file of found)
    if (!allowed.test(file) && !always.includes(file)) problems.push(`${filename} has ${file}`)
  for (const file of [...required, 'LICENSE', 'README.md'].map((name) => name.replace('./', '')))
    if (!found.includes(file)) problems.push(`${filename} lacks ${file}`)
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
  console.log(
    `${filename}: ${found.length} files, ${megabytes(size)}, ${megabytes(unpackedSize)} unpacked`,
  )
}

function nextCommands(): string {
  return `✓ ${version} is packed. Then:
  git tag v${version}
  npm publish ${join(folder, `quittance-${version}.tgz`)}
  npm publish --access public ${join(folder, `quittance-client-${version}.tgz`)}`
}
