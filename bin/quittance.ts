#!/usr/bin/env node
/**
 * `quittance <command>` of the package, on Node 20 or later. Finds the bun that has come with it,
 * and runs the program there; what needs no bun runs here.
 */
import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'))
const require = createRequire(import.meta.url)
const { platform, arch } = process

const [command = '', ...rest] = process.argv.slice(2)
if (command === 'verify-receipt' || command === 'receipt')
  await import(new URL('node/cli.js', import.meta.url).href)
else if (command === 'start') await run('main.js', rest)
else if (command === 'demo') await run('demo.js', rest, demoEnvironment(rest))
else await run('cli.js', process.argv.slice(2))

/** The configuration is the environment: a file named .env is not read. */
async function run(program: string, words: readonly string[], env = process.env): Promise<void> {
  // In the image, which has no Node.
  if (process.versions.bun) {
    process.argv.splice(2, Number.POSITIVE_INFINITY, ...words)
    await import(new URL(program, import.meta.url).href)
    return
  }
  // Bun would look for packages to install at each start. All that is needed is in the bundle.
  const flags = ['--no-env-file', '--no-install']
  // The demo's servers must not outlive it, however it ends.
  if (program === 'demo.js') flags.push('--no-orphans')
  const args = [...flags, join(here, program), ...words]
  const bun = findBun()
  // Node 22 can become the program: one process, which gets every signal itself.
  const { execve } = process as { execve?: (file: string, args: string[], env: object) => never }
  if (execve) execve.call(process, bun, [bun, ...args], env)
  const child = spawn(bun, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.kill(signal))
  child.on('error', (error) => fail(`${bun} cannot be run: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** The package's own, which needs no install script; else one on PATH. */
function findBun(): string {
  const machine = `${platform}-${arch === 'arm64' ? 'aarch64' : arch}`
  for (const name of [machine, `${machine}-musl`]) {
    const file = packageFolder(`@oven/bun-${name}`)
    if (file && isRunnable(join(file, 'bin/bun'))) return join(file, 'bin/bun')
  }
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, 'bun')
    if (isRunnable(file) && /^(1\.([4-9]|\d\d)|[2-9])/.test(output(file, '--version'))) return file
  }
  const version = Object.values(manifest.optionalDependencies)[0]
  return fail(
    `quittance runs on bun, and npm has left out its package for ${machine} (\`--omit=optional\`, or a lock file of another machine).
Install it with \`npm install @oven/bun-${machine}@${version}\`, or from https://bun.sh.`,
  )
}

/**
 * The demo pays on a real EVM node, or on LiteSVM: 43 and 12 MB that a service does not need.
 * They are installed when they are first needed.
 */
function demoEnvironment(words: readonly string[]): NodeJS.ProcessEnv {
  const { anvil, litesvm } = manifest.demo
  const libc = platform === 'linux' ? '-gnu' : ''
  const isSolana = words.some((word) => /\b(solana|all)$/.test(word))
  const wanted: [string, string][] = [
    [`@foundry-rs/anvil-${platform}-${arch === 'x64' ? 'amd64' : arch}`, anvil],
    ...(isSolana ? [[`litesvm-${platform}-${arch}${libc}`, litesvm] as [string, string]] : []),
  ]
  const folder = cacheFolder()
  const modules = join(folder, 'node_modules')
  const missing = wanted.filter(
    ([name]) => !packageFolder(name) && !existsSync(join(modules, name)),
  )
  if (missing.length > 0 && !words.includes('--help')) install(folder, missing)
  return { ...process.env, NODE_PATH: modules }
}

function install(folder: string, packages: readonly [string, string][]): void {
  const named = packages.map(([name, version]) => `${name}@${version}`)
  process.stderr.write(`Installing ${named.join(' and ')} for the demo into ${folder}…\n`)
  mkdirSync(folder, { recursive: true })
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const args = [
    'install',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--save-exact',
    ...quiet,
    ...named,
  ]
  const { status, error } = spawnSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0)
    fail(`The demo needs ${named.join(' and ')}. ${error?.message ?? 'npm failed.'}`)
}

function cacheFolder(): string {
  const name = `quittance/demo-${manifest.version}`
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), name)
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return folder
  } catch {
    return join(tmpdir(), name)
  }
}

function packageFolder(name: string): string | null {
  try {
    return dirname(require.resolve(`${name}/package.json`))
  } catch {
    return null
  }
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function output(file: string, ...args: readonly string[]): string {
  return spawnSync(file, args, { encoding: 'utf8' }).stdout ?? ''
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
