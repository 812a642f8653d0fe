/**
 * `npm run build [-- folder]`: the package `quittance` in `dist`, for `npm pack ./dist`. The
 * programs are bundled with everything they import (some of it patched), which also makes them
 * start faster; the files they read lie beside them. Left to npm are only bun and PostgreSQL.
 */
import { existsSync } from 'node:fs'
import { cp, mkdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { $, type BuildConfig, Glob } from 'bun'
import manifest from '../package.json' with { type: 'json' }
import { pageBundle } from '../src/http/pages/bundle.ts'
import { type Bundled, bundledPackages, noticesOf } from './licences.ts'

const root = join(import.meta.dir, '..')

const production = { 'process.env.NODE_ENV': '"production"' }
/** Run by bun. */
const programs = [
  ...['src/main.ts', 'src/cli.ts', 'demo.ts'],
  ...['src/documents/pdf/pdf-worker.ts', 'src/documents/logo/draw-logo.ts'],
]
/** Read by people. A link of a page to anything else, which only a checkout has, is left out. */
const papers = [
  ...['LICENSE', 'README.md', 'CHANGELOG.md', 'client/README.md', 'examples/agent.ts', 'docs'],
  ...['quittance.env.example', 'quittance-http@.service', 'quittance-worker@.service', 'ha'].map(
    (file) => `deploy/${file}`,
  ),
]
const pages = ['src/dashboard/main.tsx', 'src/dashboard/receipt-checks.ts']
/** The demo's own, for one machine each: the launcher installs them when they are needed. */
const fetched = ['litesvm-*', './litesvm.*']
/** Commands that need no bun: people verify receipts on machines without anything of ours. */
const onNode = /\/commands\/(?:verify-receipt|receipt)\.ts$/
const profile = 'sRGB_IEC61966_2_1.icc'
const bunPlatforms = [
  ...['darwin-aarch64', 'darwin-x64', 'linux-aarch64', 'linux-x64'],
  ...['linux-aarch64-musl', 'linux-x64-musl'],
]

/** Answers the packages that are part of it. */
export async function build(out = join(root, 'dist')): Promise<readonly Bundled[]> {
  await rm(out, { recursive: true, force: true })
  const bundles = [
    await bundle({
      entrypoints: programs,
      files: { [join(root, 'demo.ts')]: "import './demo/main.ts'" },
      target: 'bun',
      outdir: out,
      external: fetched,
      plugins: [
        { name: 'no websockets', setup: stubWebsockets },
        { name: 'data of pdfkit', setup: findData },
      ],
    }),
    await bundle({
      entrypoints: ['src/cli.ts'],
      target: 'node',
      outdir: join(out, 'node'),
      plugins: [{ name: 'commands that need bun', setup: leaveOut }],
    }),
    await bundle({ entrypoints: ['bin/quittance.ts'], target: 'node', outdir: out }),
    await bundle({ entrypoints: ['src/verify/verify-receipt.ts'], target: 'browser', outdir: out }),
    // Written below; here only for what is part of it.
    await bundle({ entrypoints: pages, target: 'browser', naming: '[name]-[hash].[ext]' }),
  ]
  await forgetPlace(out)
  const copied = await copyFiles(join(out, 'files'))
  await $`node_modules/.bin/tsc --ignoreConfig --allowImportingTsExtensions --module esnext --moduleResolution bundler --noCheck --declaration --emitDeclarationOnly --target esnext --rootDir src/verify --outDir ${out} src/verify/verify-receipt.ts`.cwd(
    root,
  )
  const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
  const packages = await bundledPackages(root, [...inputs, ...copied])
  await Bun.write(join(out, 'NOTICES.txt'), await noticesOf(packages))
  await Bun.write(join(out, 'package.json'), `${JSON.stringify(await packed(), null, 2)}\n`)
  await $`chmod +x ${join(out, 'quittance.js')}`
  for (const file of papers) await cp(join(root, file), join(out, file), { recursive: true })
  await dropDeadLinks(out)
  return packages
}

async function dropDeadLinks(out: string): Promise<void> {
  for await (const page of new Glob('**/*.md').scan(out)) {
    const text = await Bun.file(join(out, page)).text()
    const isThere = (to: string) => existsSync(join(out, dirname(page), to))
    const kept = text.replace(/\[([^\]]+)\]\((?!https?:|#)([^)#]+)[^)]*\)/g, (link, words, to) =>
      isThere(to) ? link : words,
    )
    if (kept !== text) await Bun.write(join(out, page), kept)
  }
}

function bundle({ entrypoints = [], ...options }: Partial<BuildConfig>) {
  return Bun.build({
    entrypoints: entrypoints.map((path) => join(root, path)),
    naming: { entry: '[name].js', chunk: 'chunks-[hash].js' },
    splitting: true,
    define: production,
    jsx: { runtime: 'automatic', development: false },
    metafile: true,
    ...options,
  } as BuildConfig)
}

/** Under the LGPL, so it is left out. web3.js imports it for subscriptions, unused here. */
function stubWebsockets(build: Bun.PluginBuilder): void {
  build.onResolve({ filter: /^rpc-websockets$/ }, ({ path }) => ({ path, namespace: 'stub' }))
  build.onLoad({ filter: /./, namespace: 'stub' }, () => ({
    contents: 'export class CommonClient { on() {} }; export function WebSocket() {}',
    loader: 'js',
  }))
}

/** pdfkit names the metrics of its fonts, and a profile, in ways that bundlers do not see. */
function findData(build: Bun.PluginBuilder): void {
  build.onLoad({ filter: /\/pdfkit\/js\/pdfkit\.node\.mjs$/ }, async ({ path }) => ({
    contents: (await Bun.file(path).text())
      .replaceAll("require$1('#", "require('#")
      .replace(`'./data/${profile}'`, `'./files/${profile}'`),
    loader: 'js',
  }))
}

function leaveOut(build: Bun.PluginBuilder): void {
  build.onResolve({ filter: /\/operator\/commands\// }, ({ path }) =>
    onNode.test(path) ? undefined : { path, external: true },
  )
}

/** CommonJS modules are given the folder that they had here. */
async function forgetPlace(out: string): Promise<void> {
  for await (const file of new Glob('**/*.js').scan(out)) {
    const path = join(out, file)
    const text = await Bun.file(path).text()
    if (text.includes(root)) await Bun.write(path, text.replaceAll(root, ''))
  }
}

/** What `packageFile` and `ownFile` name, and the dashboard, made ready. Answers their paths. */
async function copyFiles(files: string): Promise<readonly string[]> {
  const copied: string[] = []
  for await (const file of new Glob('src/**/*.{ts,tsx}').scan(root)) {
    const text = await Bun.file(join(root, file)).text()
    for (const [, name = '', path = ''] of text.matchAll(
      /\bpackageFile\(\s*'([^']+)',\s*'([^']+)',?\s*\)/g,
    )) {
      const to = join(files, name, path)
      await mkdir(dirname(to), { recursive: true })
      await cp(join(root, 'node_modules', name, path), to, { recursive: true })
      copied.push(join('node_modules', name, path))
    }
  }
  await cp(join(root, 'src/storage/migrations'), join(files, 'migrations'), { recursive: true })
  await cp(join(root, 'node_modules/pdfkit/js/data', profile), join(files, profile))
  for (const [name, { bytes }] of (await pageBundle()).files)
    await Bun.write(join(files, 'dashboard', name), bytes)
  return copied
}

async function packed(): Promise<object> {
  const { name, version, description, license, optionalDependencies, devDependencies } = manifest
  const [, bun = ''] = /^version=(.*)$/m.exec(await Bun.file(join(root, 'bin/bun')).text()) ?? []
  return {
    ...{ name, version, description, license, type: 'module' },
    bin: { quittance: 'quittance.js' },
    exports: {
      './verify-receipt': { types: './verify-receipt.d.ts', default: './verify-receipt.js' },
    },
    engines: { node: '>=20' },
    optionalDependencies: {
      ...Object.fromEntries(bunPlatforms.map((platform) => [`@oven/bun-${platform}`, bun])),
      ...optionalDependencies,
    },
    demo: { anvil: devDependencies['@foundry-rs/anvil'], litesvm: devDependencies.litesvm },
  }
}

if (import.meta.main) await build(process.argv[2] && resolve(process.argv[2]))
