import { dirname } from 'node:path'
import { programFile } from '../../src/files.ts'

const program = programFile('cli.ts')

export type Ran = {
  readonly code: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: every command prints another document
  readonly json: any
  readonly stderr: string
}

/** In its own process, configured only by `env`. */
export async function quittance(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
): Promise<Ran> {
  const child = startQuittance(env, ...words)
  const [text, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, text, json: parse(text), stderr }
}

export function startQuittance(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  return spawnQuittance([], env, words)
}

/** Deaf to the end of its terminal. */
export function nohupQuittance(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  return spawnQuittance(['nohup'], env, words)
}

export function quittanceAtTerminal(
  env: Readonly<Record<string, string>>,
  ...words: readonly string[]
) {
  return Bun.spawn(commandLine([], words), { ...placeOf(env), terminal: {} })
}

function spawnQuittance(
  under: readonly string[],
  env: Readonly<Record<string, string>>,
  words: readonly string[],
) {
  return Bun.spawn(commandLine(under, words), {
    ...placeOf(env),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

function commandLine(under: readonly string[], words: readonly string[]): string[] {
  return [...under, process.execPath, '--no-orphans', program, ...words]
}

/** A test must not depend on the configuration of its machine. */
function placeOf(env: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env
  return { cwd: dirname(dirname(program)), env: { PATH, HOME, TMPDIR, ...env } }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
